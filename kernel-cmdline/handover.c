/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handover: rd.handover=, for which network managers of the real root profiles are written. */
#include "parser.h"

const struct choice handover_managers[] = {
	{"networkd", PLAN_HANDOVER_NETWORKD, NULL},
	{"networkmanager", PLAN_HANDOVER_NETWORKMANAGER, NULL},
	{"ifupdown", PLAN_HANDOVER_IFUPDOWN, NULL},
	{"ifcfg", PLAN_HANDOVER_IFCFG, NULL},
	{"all", PLAN_HANDOVER_ALL, NULL},
	{"none", 0, NULL},
	{0},
};

/* Other names of the same. */
static const struct {
	const char *name, *meant;
} others[] = {
	{"systemd-networkd", "networkd"}, {"nm", "networkmanager"},
	{"NetworkManager", "networkmanager"}, {"network-scripts", "ifcfg"},
	{"initscripts", "ifcfg"}, {"off", "none"}, {"no", "none"}, {"0", "none"},
};

static const char *meant(struct slice s)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (slice_is(s, others[i].name))
			return others[i].meant;
	for (const struct choice *c = handover_managers; c->word; c++)
		if (option_distance(s.s, s.len, c->word) <= 2 && s.len > 3)
			return c->word;
	return NULL;
}

static void complain_name(struct parser *p, const struct plan_word *w, struct slice s)
{
	const char *near = meant(s);

	complain(p, w, s, DIAG_ERROR,
		near ? textf(p, "write %s", near)
		     : "networkd, networkmanager, ifupdown, ifcfg, all or none",
		"not a network manager that profiles are written for; left out");
}

static void say_managers(struct parser *p, struct plan_word *w, unsigned int bits)
{
	const char *list = "";

	/* up to the word for all of them */
	for (const struct choice *c = handover_managers; c->value != PLAN_HANDOVER_ALL; c++)
		if (bits & c->value)
			list = textf(p, "%s%s%s", list, *list ? ", " : "", c->word);
	if (bits)
		say(p, w, "writes network profiles for %s of the real root", list);
	else
		say(p, w, "writes no network profiles for the real root");
}

/* A list in which nothing can be read leaves it to what the real root has. */
PARSE(handover)
{
	struct slice rest = word_value(w), name;
	unsigned int bits = 0, n = 0;
	bool none = false;

	while (slice_next(&rest, ',', &name)) {
		const struct choice *c = choice_find(handover_managers, name);

		if (!c) {
			complain_name(p, w, name);
			continue;
		}
		bits |= c->value;
		none |= slice_is(name, "none");
		n++;
	}
	if (none && n > 1)
		complain(p, w, word_value(w), DIAG_WARN, "write none alone, or leave it out",
			"none has no effect beside others");
	if (!n)
		return false;
	p->plan->handover = bits;
	p->plan->handover_given = true;
	say_managers(p, w, bits);
	return true;
}
