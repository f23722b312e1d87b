/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links-bond: the options in the third field of bond=. dracut writes one after the other into sysfs
 * and passes over what the kernel refuses; link/ sends them in one request, of which the kernel
 * would refuse the whole bond. So what it would refuse is left out here.
 */
#include "bond.h"
#include "links.h"

/* An option of a bond, and where it was given. */
struct given {
	struct plan_bond_option o; /* option NULL: left out */
	struct slice at;
};

/* FOR_EACH of those that are not left out, to be changed. */
#define FOR_EACH_GIVEN(g, list)                                                \
	for (struct given *g = (list)->items;                                  \
		g && g < (struct given *)(list)->items + (list)->n; g++)       \
		if (g->o.option)

/* The bond is made all the same: dracut writes option by option and passes over a refused one. */
static bool without(struct link_parse *x, struct slice at, enum diag_severity severity,
	const char *remedy, const char *why)
{
	complain(x->p, x->w, at, severity, remedy, "%s: %s is created without it", why,
		x->link.name);
	return true;
}

static void leave_out(struct link_parse *x, struct given *g, const char *remedy, const char *why)
{
	without(x, g->at, DIAG_WARN, remedy,
		textf(x->p, "%s=%s %s", g->o.option->name, g->o.text, why));
	g->o.option = NULL;
}

static bool is_target(const struct bond_option *o)
{
	return o->type == BOND_IPV4 || o->type == BOND_IPV6;
}

static bool in_targets(const char *list, const char *one)
{
	struct slice rest = slice_of(list), item;

	while (slice_next(&rest, ';', &item))
		if (slice_is(item, one))
			return true;
	return false;
}

/* The kernel refuses one that it has, and more than it has room for. */
static const char *add_targets(struct link_parse *x, const char *known, struct slice v)
{
	char text[INET_ADDR_TEXT];
	struct inet_addr a = {0};
	struct slice one;
	size_t n = *known != 0;

	for (const char *c = known; *c; c++)
		n += *c == ';';
	while (slice_next(&v, ';', &one)) {
		one = slice_from(one, *one.s == '+');
		(void)value_inet(one.s, one.len, &a);
		inet_text(&a, text);
		if (in_targets(known, text))
			continue;
		if (n++ < BOND_TARGETS_MAX)
			known = textf(x->p, "%s%s%s", known, *known ? ";" : "", text);
		else
			without(x, one, DIAG_WARN, NULL, "the kernel has room for 16 targets");
	}
	return known;
}

static const char *value_text(struct link_parse *x, const struct given *g, struct slice v)
{
	char word[BOND_WORD_MAX];

	if (is_target(g->o.option))
		return add_targets(x, "", v);
	if (bond_word(g->o.option, g->o.number, word))
		return textf(x->p, "%s", word);
	return g->o.option->most ? textf(x->p, "%u", g->o.number) : keep(x->p, v);
}

/* Given again: targets add up, of all others the last counts. */
static bool add_option(struct link_parse *x, struct arena_list *list, struct given *g,
	struct slice v)
{
	FOR_EACH_GIVEN(old, list) {
		if (old->o.option->attribute != g->o.option->attribute)
			continue;
		if (is_target(old->o.option)) {
			old->o.text = add_targets(x, old->o.text, v);
			return true;
		}
		leave_out(x, old, NULL, "is given again further on, which counts");
	}
	g->o.text = value_text(x, g, v);
	if (g->o.option->attribute == BOND_MODE)
		x->link.mode = (uint8_t)g->o.number;
	return APPEND(x->p, list, *g, x->w);
}

static bool bad_value(struct link_parse *x, const struct bond_option *o, struct slice v, int r)
{
	const char *why = "not a value of this option";

	if (o->values)
		why = textf(x->p, "%s is none of: %s", o->name, o->values);
	if (o->attribute == BOND_MODE)
		return link_fail(x, v, why);
	if (r == -ERANGE && o->most)
		return without(x, v, DIAG_WARN,
			textf(x->p, "write a number from %u to %u", o->least, o->most),
			"the kernel refuses this number");
	if (r == -ERANGE && !o->values)
		return without(x, v, DIAG_WARN, NULL, "the kernel refuses this address");
	return without(x, v, DIAG_ERROR, NULL, why);
}

/* "active-backup" or 9000 alone, as in bond=bond0:eth0,eth1:active-backup; one more target. */
static const char *word_remedy(struct link_parse *x, struct slice text)
{
	struct inet_addr a;
	uint32_t number;

	if (!text.len)
		return NULL;
	if (bond_value(bond_find("mode", 4), text.s, text.len, &number) == 0)
		return textf(x->p, "write mode=%.*s", SLICE(text));
	if (value_mtu(text.s, text.len, &number) == 0)
		return textf(x->p, "write the MTU in the fourth field, :%.*s", SLICE(text));
	return value_inet(text.s, text.len, &a) < 0 ? NULL
		: textf(x->p, "join the targets by ';': ...;%.*s", SLICE(text));
}

/* False: no bond can be made of it. */
static bool bond_option(struct link_parse *x, struct arena_list *list, struct slice text)
{
	size_t eq = slice_find(text, "=");
	struct slice v = slice_from(text, eq + (eq < text.len));
	struct given g = {.o = {.option = bond_find(text.s, eq)}, .at = text};
	int r;

	if (!v.len)
		return without(x, text, DIAG_ERROR, word_remedy(x, text), "not OPTION=VALUE");
	if (!g.o.option)
		return without(x, (struct slice){text.s, eq}, DIAG_ERROR, NULL,
			"not an option of a bond");
	r = bond_value(g.o.option, v.s, v.len, &g.o.number);
	if (r < 0)
		return bad_value(x, g.o.option, v, r);
	if (g.o.option->type == BOND_SLAVE && !link_has_lower(&x->link, keep(x->p, v)))
		return without(x, v, DIAG_ERROR, NULL, "none of the slaves");
	return add_option(x, list, &g, v);
}

static struct given *find_given(const struct arena_list *list, unsigned int attribute)
{
	FOR_EACH_GIVEN(g, list)
		if (g->o.option->attribute == attribute)
			return g;
	return NULL;
}

/* The kernel would refuse the whole bond for an option of another mode. */
static void check_mode(struct link_parse *x, struct arena_list *list)
{
	char word[BOND_WORD_MAX];

	FOR_EACH_GIVEN(g, list)
		if (g->o.option->modes && !(g->o.option->modes & 1 << x->link.mode))
			leave_out(x, g, "leave it out, or choose another mode",
				textf(x->p, "is not for mode=%s",
					bond_word(bond_find("mode", 4), x->link.mode, word)));
}

static const struct given *if_on(const struct given *monitor)
{
	return monitor && monitor->o.number ? monitor : NULL;
}

/*
 * The kernel has one of its monitors: by sysfs the last one switches the other off, in one request
 * it refuses both (bond_netlink.c).
 */
static void choose_monitor(struct link_parse *x, struct arena_list *list)
{
	struct given *mii = find_given(list, BOND_MIIMON), *arp = find_given(list, BOND_INTERVAL);

	if (!if_on(arp))
		return;
	if (!find_given(list, BOND_TARGET) && !find_given(list, BOND_TARGET6))
		leave_out(x, arp, "add arp_ip_target=ADDR", "has no arp_ip_target= to probe");
	else if (if_on(mii) && arp->at.s < mii->at.s)
		leave_out(x, arp, "keep one of them", "is switched off by miimon= behind it");
	else if (if_on(mii))
		leave_out(x, mii, "keep one of them", "is switched off by arp_interval= behind it");
}

/* What is about a monitor that is off the kernel refuses, or it has no effect (bond_options.c). */
static void check_monitor(struct link_parse *x, struct arena_list *list)
{
	const struct given *mii = find_given(list, BOND_MIIMON);
	const bool arp = if_on(find_given(list, BOND_INTERVAL)), off = mii && !mii->o.number;

	FOR_EACH_GIVEN(g, list) {
		const struct bond_option *o = g->o.option;

		/* The words for "off" have the number 0. */
		if (o->monitor == BOND_ARP && !arp && (g->o.number || !o->values))
			leave_out(x, g, mii && !off ? "leave it out"
				: "add arp_interval= and arp_ip_target=",
				"has no effect without arp_interval=");
		else if (o->monitor == BOND_MII && (arp || off))
			leave_out(x, g, arp ? "leave it out" : "write miimon=100",
				"has no effect without miimon=");
	}
}

/* So many ports of one aggregator, or no carrier: bond_3ad_set_carrier(). The other modes do not
 * look at it. */
static void check_min_links(struct link_parse *x, const struct arena_list *list)
{
	struct given *g = find_given(list, BOND_MIN_LINKS);

	if (g && x->link.mode == BOND_8023AD && g->o.number > x->link.n_lower)
		leave_out(x, g, textf(x->p, "write min_links=%zu or less", x->link.n_lower),
			"is more than it has slaves, it would never have a carrier");
}

/* Without a monitor a bond sends over a slave without cable. On IPoIB the kernel knows one value of
 * fail_over_mac only: given, so that each network manager is told the same. */
static bool add_defaults(struct link_parse *x, struct arena_list *list)
{
	const struct given monitor = {{.option = bond_find("miimon", 6), .number = BOND_MIIMON_MS,
		.text = textf(x->p, "%u", BOND_MIIMON_MS)}, WHOLE},
		mac = {{.option = bond_find("fail_over_mac", 13), .number = 1, .text = "active"},
			WHOLE};

	if (!find_given(list, BOND_MIIMON) && !if_on(find_given(list, BOND_INTERVAL)) &&
		!APPEND(x->p, list, monitor, x->w))
		return false;
	return !parser_is_ipoib(x->p, x->link.lower[0]) ||
	       find_given(list, mac.o.option->attribute) || APPEND(x->p, list, mac, x->w);
}

/* In the kernel's own order, which has first what others depend on. */
bool link_bond_options(struct link_parse *x, struct slice text)
{
	struct arena_list list = {0}, sorted = {0};
	const struct given *g;
	struct slice one;

	while (text.len && slice_next(&text, ',', &one))
		if (!bond_option(x, &list, one))
			return false;
	check_mode(x, &list);
	choose_monitor(x, &list);
	check_monitor(x, &list);
	check_min_links(x, &list);
	if (!add_defaults(x, &list))
		return false;
	for (unsigned int i = BOND_MODE; i <= BOND_ATTRIBUTE_MAX; i++) {
		g = find_given(&list, i);
		if (g && !APPEND(x->p, &sorted, g->o, x->w))
			return false;
	}
	x->link.options = sorted.items;
	x->link.n_options = sorted.n;
	return true;
}
