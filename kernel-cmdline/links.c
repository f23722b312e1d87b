/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links: interfaces made of others, as dracut.cmdline(7) has them:
 *
 *	vlan=NAME:NETDEV			NAME is vlan0005, vlan5, NETDEV.0005 or NETDEV.5
 *	bond=NAME[:SLAVES[:OPTIONS[:MTU]]]	bare: bond0 of eth0 and eth1, balance-rr
 *	bridge=NAME:NETDEVS			bare: br0 of eth0
 *	team=NAME:NETDEVS[:RUNNER]		bare: team0 of eth0 and eth1, activebackup
 *
 * A team needs a daemon: none is created, and the bond that does the same is named.
 */
#include <net/if.h>

#include "bond.h"
#include "links.h"

#define VLAN_ID_MAX 4094 /* IEEE 802.1Q 9.6: 0 and 4095 are no VLANs */

static bool refuse(struct link_parse *x, struct slice at, const char *remedy, const char *why)
{
	return left_out(x->p, x->w, at, remedy, why);
}

bool link_fail(struct link_parse *x, struct slice at, const char *why)
{
	static const char *const remedies[] = {
		[PLAN_LINK_VLAN] = "write vlan=NETDEV.ID:NETDEV or vlan=vlanID:NETDEV",
		[PLAN_LINK_BOND] =
			"write bond=NAME:SLAVE,SLAVE:mode=active-backup,OPTION=VALUE:MTU",
		[PLAN_LINK_BRIDGE] = "write bridge=NAME:NETDEV[,NETDEV...]",
		[PLAN_LINK_TEAM] = "write team=NAME:NETDEV[,NETDEV...][:RUNNER]",
	};

	return refuse(x, at, remedies[x->link.kind], why);
}

static bool set_name(struct link_parse *x, struct slice s)
{
	if (s.len >= IFNAMSIZ)
		return link_fail(x, s, "longer than 15 characters, as no name can be");
	if (!value_ifname(s.s, s.len))
		return link_fail(x, s, "not an interface name");
	x->link.name = keep(x->p, s);
	return true;
}

bool link_has_lower(const struct plan_link *link, const char *name)
{
	return str_among(name, link->lower, link->n_lower);
}

/* The interfaces below, each once and none of them the one that is made. */
static bool set_lower(struct link_parse *x, struct slice list)
{
	struct arena_list names = {0};
	struct slice one;

	while (slice_next(&list, ',', &one)) {
		const char *name;

		if (!value_ifname(one.s, one.len))
			return link_fail(x, one, "not an interface name");
		if (slice_is(one, x->link.name))
			return link_fail(x, one, "an interface cannot be based on itself");
		name = keep(x->p, one);
		if (find_named(&names, name))
			return link_fail(x, one, "given twice");
		if (!APPEND(x->p, &names, name, x->w))
			return false;
		x->link.lower = names.items;
		x->link.n_lower = names.n;
	}
	return true;
}

/* dracut's, of a bond and a team that name none. */
static const struct slice default_slaves = {"eth0,eth1", 9};

/* --- vlan ------------------------------------------------------------------------------------- */

/* The digits at the end of a VLAN's name. */
static struct slice vlan_digits(struct slice name)
{
	size_t at = name.len;

	while (at && name.s[at - 1] >= '0' && name.s[at - 1] <= '9')
		at--;
	return slice_from(name, at);
}

bool vlan_is_octal(struct slice name)
{
	const struct slice digits = vlan_digits(name);
	uint32_t id;

	return digits.len && *digits.s == '0' &&
	       value_u32(digits.s, digits.len, VLAN_ID_MAX, &id) == 0 && id >= 8;
}

/* The digits behind "vlan" or behind the last dot; four styles, of which two are padded. */
static bool set_vlan_id(struct link_parse *x, struct slice name, struct slice parent)
{
	const struct slice digits = vlan_digits(name);
	struct slice before = {name.s, name.len - digits.len};
	const bool numbered = slice_is(before, "vlan");
	uint32_t id;

	if (!numbered && !(before.len > 1 && before.s[before.len - 1] == '.'))
		return link_fail(x, name,
			"the name has no VLAN's form: vlan0005, vlan5, NETDEV.0005 or NETDEV.5");
	if (digits.len > 4 || value_u32(digits.s, digits.len, VLAN_ID_MAX, &id) < 0 || !id)
		return link_fail(x, digits.len ? digits : name, "not a VLAN's number, 1 to 4094");
	x->link.vlan_id = (uint16_t)id;
	if (vlan_is_octal(name))
		differ(x->p, x->w, digits, DIAG_WARN,
			textf(x->p, "write vlan=%.*s%u:%.*s", SLICE(before), id, SLICE(parent)),
			"decimal here and for NetworkManager; iproute2, which network-legacy "
			"calls, and systemd-network-generator read a leading zero as octal");
	before.len--;
	if (!numbered &&
		(before.len != parent.len || memcmp(before.s, parent.s, parent.len) != 0))
		complain(x->p, x->w, name, DIAG_WARN,
			textf(x->p, "write %.*s.%u", SLICE(parent), id),
			"named after another interface than %.*s, which it is created on",
			SLICE(parent));
	return true;
}

/* "vlan=" with a name that does not grow with the parent's; or a partition of IPoIB. */
static bool refuse_vlan(struct link_parse *x, const struct slice *f, bool ipoib)
{
	const struct slice digits = vlan_digits(f[0]);
	uint32_t id = 0;

	if (value_u32(digits.s, digits.len, VLAN_ID_MAX, &id) < 0 || !id)
		id = 1;
	if (!ipoib)
		return refuse(x, f[0], textf(x->p, "write vlan=vlan%u:%.*s", id, SLICE(f[1])),
			"longer than 15 characters, as no name can be");
	return refuse(x, f[1],
		textf(x->p, "write rd.ib.pkey=%.*s.%04x ip=%.*s.%04x:dhcp", SLICE(f[1]),
			id | 0x8000, SLICE(f[1]), id | 0x8000),
		"IPoIB has no VLANs, but partitions");
}

static bool read_vlan(struct link_parse *x, const struct slice *f, size_t n)
{
	if (n != 2)
		return link_fail(x, word_value(x->w), "not two fields");
	if (f[0].len >= IFNAMSIZ && value_ifname(f[1].s, f[1].len))
		return refuse_vlan(x, f, false);
	if (!set_name(x, f[0]) || !value_ifname(f[1].s, f[1].len))
		return x->link.name ? link_fail(x, f[1], "not an interface name") : false;
	if (!set_lower(x, f[1]))
		return false;
	if (parser_is_ipoib(x->p, x->link.lower[0]))
		return refuse_vlan(x, f, true);
	return set_vlan_id(x, f[0], f[1]);
}

/* --- bond ------------------------------------------------------------------------------------- */

/* "bond=NAME:..." of the interfaces below that are IPoIB, or of the others. */
static const char *bond_line(struct link_parse *x, bool ipoib, const char *mode)
{
	const char *list = "";

	for (size_t i = 0; i < x->link.n_lower; i++)
		if (parser_is_ipoib(x->p, x->link.lower[i]) == ipoib)
			list = textf(x->p, "%s%s%s", list, *list ? "," : "", x->link.lower[i]);
	return textf(x->p, x->link.mtu ? "bond=%s:%s:mode=%s:%u" : "bond=%s:%s:mode=%s",
		x->link.name, list, mode, x->link.mtu);
}

static const char active_backup[] = "active-backup";

/* The first interface below that is IPoIB; NULL: none. */
static const char *find_ipoib(const struct link_parse *x)
{
	for (size_t i = 0; i < x->link.n_lower; i++)
		if (parser_is_ipoib(x->p, x->link.lower[i]))
			return x->link.lower[i];
	return NULL;
}

/* IPoIB has no address that could move (Documentation/networking/bonding.rst). */
static bool bonds_ipoib(struct link_parse *x)
{
	const struct plan_link *l = &x->link;
	char word[BOND_WORD_MAX];
	const char *line, *name = find_ipoib(x);
	size_t n = 0;

	if (!name)
		return true;
	for (size_t i = 0; i < l->n_lower; i++)
		n += parser_is_ipoib(x->p, l->lower[i]);
	line = textf(x->p, "write %s", bond_line(x, true, active_backup));
	if (n < l->n_lower)
		return refuse(x, WHOLE, textf(x->p, "%s, or %s", line, bond_line(x, false,
				bond_word(bond_find("mode", 4), l->mode, word))),
			"InfiniBand and Ethernet cannot share a bond");
	if (l->mode != BOND_ACTIVE_BACKUP)
		return refuse(x, WHOLE, line, textf(x->p,
			"%s is IPoIB, which knows mode=active-backup only", name));
	for (size_t i = 0; i < l->n_options; i++)
		if (streq(l->options[i].option->name, "fail_over_mac") &&
			l->options[i].number != 1)
			return refuse(x, WHOLE, line, textf(x->p,
				"%s is IPoIB, which knows fail_over_mac=active only", name));
	return true;
}

static bool read_bond(struct link_parse *x, const struct slice *f, size_t n)
{
	if (n > 4)
		return link_fail(x, word_value(x->w), "more than four fields");
	if (!set_name(x, f[0]))
		return false;
	if (!set_lower(x, n > 1 && f[1].len ? f[1] : default_slaves))
		return false;
	if (!link_bond_options(x, n > 2 ? f[2] : (struct slice){"", 0}))
		return false;
	if (n > 3 && f[3].len && value_mtu(f[3].s, f[3].len, &x->link.mtu) < 0)
		return link_fail(x, f[3], "not an MTU");
	return bonds_ipoib(x);
}

/* --- bridge, team ----------------------------------------------------------------------------- */

static bool read_bridge(struct link_parse *x, const struct slice *f, size_t n)
{
	const char *name;

	if (n != 2)
		return link_fail(x, word_value(x->w), "not two fields");
	if (!set_name(x, f[0]) || !set_lower(x, f[1]))
		return false;
	name = find_ipoib(x);
	return !name || link_fail(x, WHOLE,
		textf(x->p, "%s is IPoIB, which has no Ethernet frames", name));
}

/* The bond that does what a runner of libteam does, as an option line. */
static bool read_team(struct link_parse *x, const struct slice *f, size_t n)
{
	static const char *const runners[][2] = {
		{"activebackup", active_backup}, {"broadcast", "broadcast"},
		{"lacp", "802.3ad"}, {"loadbalance", "balance-xor"}, {"random", "balance-rr"},
		{"roundrobin", "balance-rr"}};
	size_t i = 0;

	if (n > 3)
		return link_fail(x, word_value(x->w), "not two or three fields");
	if (!set_name(x, f[0]) || !set_lower(x, n > 1 ? f[1] : default_slaves))
		return false;
	if (find_ipoib(x))
		return refuse(x, WHOLE, textf(x->p, "write %s", bond_line(x, true, active_backup)),
			"a team has no IPoIB, which has no Ethernet frames");
	while (n == 3 && f[2].len && i < ARRAY_SIZE(runners) && !slice_is(f[2], runners[i][0]))
		i++;
	if (i == ARRAY_SIZE(runners))
		return link_fail(x, f[2], "not a runner of libteam");
	x->link.instead = bond_line(x, false, runners[i][1]);
	return true;
}

/* --- all of them ------------------------------------------------------------------------------ */

static const struct link_kind {
	const char *name;   /* the option's */
	const char *bare; /* what the option alone means; NULL: nothing */
	const char *module;
	bool (*read)(struct link_parse *x, const struct slice *f, size_t n);
} kinds[] = {
	[PLAN_LINK_VLAN] = {"vlan", NULL, "8021q", read_vlan},
	[PLAN_LINK_BOND] = {"bond", "bond0:eth0,eth1:mode=balance-rr", "bonding",
		read_bond},
	[PLAN_LINK_BRIDGE] = {"bridge", "br0:eth0", "bridge", read_bridge},
	[PLAN_LINK_TEAM] = {"team", "team0:eth0,eth1", NULL, read_team},
};

const char *plan_link_kind_name(enum plan_link_kind kind)
{
	return kinds[kind].name;
}

const char *plan_link_module(enum plan_link_kind kind)
{
	return kinds[kind].module;
}

static void say_link(struct link_parse *x)
{
	const struct plan_link *l = &x->link;
	const char *list = l->lower[0];
	char word[BOND_WORD_MAX];

	for (size_t i = 1; i < l->n_lower; i++)
		list = textf(x->p, "%s, %s", list, l->lower[i]);
	if (l->kind == PLAN_LINK_VLAN)
		say(x->p, x->w, "creates %s, VLAN %u of %s", l->name, l->vlan_id, list);
	else if (l->kind == PLAN_LINK_BOND)
		say(x->p, x->w, "creates %s, a bond (%s) of %s", l->name,
			bond_word(bond_find("mode", 4), l->mode, word), list);
	else if (l->kind == PLAN_LINK_BRIDGE)
		say(x->p, x->w, "creates %s, a bridge of %s", l->name, list);
	else
		warn_word(x->p, x->w, textf(x->p, "write %s", l->instead),
			"no team is created: a bond does the same without a daemon");
}

/* The last of one kind counts, as in dracut: that is how /etc/cmdline.d is overridden. */
static bool add_link(struct link_parse *x)
{
	struct parser *p = x->p;
	struct plan_link *known = p->links.items;
	struct plan_word *before;
	size_t left = p->links.n;

	for (; left && !streq(known->name, x->link.name); left--)
		known++;
	if (left && known->kind != x->link.kind)
		return refuse(x, word_value(x->w), "give it another name",
			"another option creates an interface of this name");
	if (left && x->w->source + 1 == p->firmware)
		return say(p, x->w, "has no effect: the command line has %s", known->name);
	say_link(x);
	if (!left)
		return APPEND_MAX(p, &p->links, x->link, x->w, PLAN_LINKS_MAX);
	before = &p->words[known->word];
	say(p, before, "has no effect: given again further on");
	if (before->source == x->w->source &&
		!slice_is(word_value(before), x->w->value ? x->w->value : ""))
		warn_word(p, before, "keep one of them",
			"given again with another value for %s; the last one counts", known->name);
	*known = x->link;
	return true;
}

PARSE(link)
{
	struct link_parse x = {.p = p, .w = w};
	const struct link_kind *k = kinds;
	struct slice v = word_value(w), f[5];

	while (!streq(k->name, row->name))
		k++;
	x.link.kind = (enum plan_link_kind)(k - kinds);
	x.link.word = (size_t)(w - p->words);
	if (!v.len && !k->bare)
		return link_fail(&x, WHOLE, "no value");
	if (!v.len)
		v = slice_of(k->bare);
	if (!k->read(&x, f, fields_split(v, f, ARRAY_SIZE(f))))
		return false;
	return add_link(&x);
}
