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
#include "bond.h"
#include "parser.h"

#define VLAN_ID_MAX 4094 /* IEEE 802.1Q 9.6: 0 and 4095 are no VLANs */

struct link_parse {
	struct parser *p;
	struct plan_word *w;
	struct plan_link link;
};

static bool link_fail(struct link_parse *x, struct slice at, const char *why)
{
	static const char *const remedies[] = {
		[PLAN_LINK_VLAN] = "write vlan=NETDEV.ID:NETDEV or vlan=vlanID:NETDEV",
		[PLAN_LINK_BOND] =
			"write bond=NAME:SLAVE,SLAVE:mode=active-backup,OPTION=VALUE:MTU",
		[PLAN_LINK_BRIDGE] = "write bridge=NAME:NETDEV[,NETDEV...]",
		[PLAN_LINK_TEAM] = "write team=NAME:NETDEV[,NETDEV...][:RUNNER]",
	};

	complain(x->p, x->w, at, DIAG_ERROR, remedies[x->link.kind], "%s; left out", why);
	return false;
}

static bool set_name(struct link_parse *x, struct slice s)
{
	if (!value_ifname(s.s, s.len))
		return link_fail(x, s, "not an interface name");
	x->link.name = keep(x->p, s);
	return true;
}

static bool has_lower(const struct plan_link *link, const char *name)
{
	for (size_t i = 0; i < link->n_lower; i++)
		if (streq(link->lower[i], name))
			return true;
	return false;
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

/* --- vlan ------------------------------------------------------------------------------------- */

/* The digits behind "vlan" or behind the last dot; four styles, of which two are padded. */
static bool set_vlan_id(struct link_parse *x, struct slice name, struct slice parent)
{
	size_t at = name.len;
	struct slice digits, before;
	uint32_t id;

	while (at && name.s[at - 1] >= '0' && name.s[at - 1] <= '9')
		at--;
	digits = slice_from(name, at);
	before = (struct slice){name.s, at};
	if (!slice_is(before, "vlan") && !(at && name.s[at - 1] == '.' && at > 1))
		return link_fail(x, name,
			"the name has no VLAN's form: vlan0005, vlan5, NETDEV.0005 or NETDEV.5");
	if (digits.len > 4 || value_u32(digits.s, digits.len, VLAN_ID_MAX, &id) < 0 || !id)
		return link_fail(x, digits.len ? digits : name, "not a VLAN's number, 1 to 4094");
	x->link.vlan_id = (uint16_t)id;
	before.len--;
	if (!slice_is((struct slice){name.s, at}, "vlan") &&
		(before.len != parent.len || memcmp(before.s, parent.s, parent.len) != 0))
		complain(x->p, x->w, name, DIAG_WARN,
			textf(x->p, "write %.*s.%u", SLICE(parent), id),
			"named after another interface than %.*s, which it is created on",
			SLICE(parent));
	return true;
}

static bool read_vlan(struct link_parse *x, const struct slice *f, size_t n)
{
	if (n != 2)
		return link_fail(x, word_value(x->w), "not two fields");
	if (!set_name(x, f[0]) || !value_ifname(f[1].s, f[1].len))
		return x->link.name ? link_fail(x, f[1], "not an interface name") : false;
	if (!set_lower(x, f[1]))
		return false;
	if (parser_is_ipoib(x->p, x->link.lower[0]))
		return link_fail(x, f[1], "IPoIB has no VLANs, but partitions (rd.ib.pkey=)");
	return set_vlan_id(x, f[0], f[1]);
}

/* --- bond ------------------------------------------------------------------------------------- */

static bool bond_option(struct link_parse *x, struct arena_list *list, struct slice text)
{
	size_t eq = slice_find(text, "=");
	struct slice v = slice_from(text, eq + (eq < text.len));
	struct plan_bond_option item = {.option = bond_find(text.s, eq)};
	char word[BOND_WORD_MAX];
	int r;

	if (!v.len)
		return link_fail(x, text, "not OPTION=VALUE");
	if (!item.option)
		return link_fail(x, (struct slice){text.s, eq}, "not an option of a bond");
	r = bond_value(item.option, v.s, v.len, &item.number);
	if (r < 0 && item.option->values)
		return link_fail(x, v, textf(x->p, "%s is none of: %s", item.option->name,
			item.option->values));
	if (r < 0)
		return link_fail(x, v, "not a value of this option");
	item.text = bond_word(item.option, item.number, word) ? word : v.s;
	item.text = item.text == word ? textf(x->p, "%s", word) : keep(x->p, v);
	if (item.option->type == BOND_SLAVE && !has_lower(&x->link, item.text))
		return link_fail(x, v, "none of the slaves");
	if (streq(item.option->name, "mode"))
		x->link.mode = (uint8_t)item.number;
	return APPEND(x->p, list, item, x->w);
}

static const struct plan_bond_option *find_option(const struct arena_list *list, const char *name)
{
	FOR_EACH(struct plan_bond_option, o, list)
		if (streq(o->option->name, name))
			return o;
	return NULL;
}

/* The kernel would refuse the whole bond for an option of another mode. */
static bool fits_mode(struct link_parse *x, const struct arena_list *list)
{
	char word[BOND_WORD_MAX];

	FOR_EACH(struct plan_bond_option, o, list)
		if (o->option->modes && !(o->option->modes & 1 << x->link.mode))
			return link_fail(x, WHOLE, textf(x->p, "%s= is not for mode=%s",
				o->option->name,
				bond_word(bond_find("mode", 4), x->link.mode, word)));
	return true;
}

/* Without a monitor a bond sends over a slave without cable. On IPoIB the kernel knows one value of
 * fail_over_mac only: given, so that each network manager is told the same. */
static bool add_options(struct link_parse *x, struct arena_list *list)
{
	const struct plan_bond_option monitor = {.option = bond_find("miimon", 6),
		.number = BOND_MIIMON, .text = textf(x->p, "%u", BOND_MIIMON)},
		mac = {.option = bond_find("fail_over_mac", 13), .number = 1, .text = "active"};

	if (!find_option(list, "miimon") && !find_option(list, "arp_interval") &&
		!APPEND(x->p, list, monitor, x->w))
		return false;
	return !parser_is_ipoib(x->p, x->link.lower[0]) || find_option(list, "fail_over_mac") ||
		APPEND(x->p, list, mac, x->w);
}

static bool set_bond_options(struct link_parse *x, struct slice text)
{
	struct arena_list list = {0};
	struct slice one;

	while (text.len && slice_next(&text, ',', &one))
		if (!bond_option(x, &list, one))
			return false;
	if (!fits_mode(x, &list) || !add_options(x, &list))
		return false;
	x->link.options = list.items;
	x->link.n_options = list.n;
	return true;
}

/* False with a remark if an interface below is IPoIB. */
static bool no_ipoib(struct link_parse *x, const char *why)
{
	for (size_t i = 0; i < x->link.n_lower; i++)
		if (parser_is_ipoib(x->p, x->link.lower[i]))
			return link_fail(x, WHOLE,
				textf(x->p, "%s is IPoIB, which %s", x->link.lower[i], why));
	return true;
}

static const char no_frames[] = "has no Ethernet frames";

/* IPoIB has no address that could move (Documentation/networking/bonding.rst). */
static bool bonds_ipoib(struct link_parse *x)
{
	const struct plan_link *l = &x->link;
	size_t n = 0;

	for (size_t i = 0; i < l->n_lower; i++)
		n += parser_is_ipoib(x->p, l->lower[i]);
	if (!n)
		return true;
	if (n < l->n_lower)
		return link_fail(x, WHOLE, "InfiniBand and Ethernet cannot share a bond");
	if (l->mode != BOND_ACTIVE_BACKUP)
		return no_ipoib(x, "knows mode=active-backup only");
	for (size_t i = 0; i < l->n_options; i++)
		if (streq(l->options[i].option->name, "fail_over_mac") &&
			l->options[i].number != 1)
			return no_ipoib(x, "knows fail_over_mac=active only");
	return true;
}

static bool read_bond(struct link_parse *x, const struct slice *f, size_t n)
{
	if (n > 4)
		return link_fail(x, word_value(x->w), "more than four fields");
	if (!set_name(x, f[0]))
		return false;
	if (!set_lower(x, n > 1 && f[1].len ? f[1] : (struct slice){"eth0,eth1", 9}))
		return false;
	if (!set_bond_options(x, n > 2 ? f[2] : (struct slice){"", 0}))
		return false;
	if (n > 3 && f[3].len && value_mtu(f[3].s, f[3].len, &x->link.mtu) < 0)
		return link_fail(x, f[3], "not an MTU");
	return bonds_ipoib(x);
}

/* --- bridge, team ----------------------------------------------------------------------------- */

static bool read_bridge(struct link_parse *x, const struct slice *f, size_t n)
{
	if (n != 2)
		return link_fail(x, word_value(x->w), "not two fields");
	return set_name(x, f[0]) && set_lower(x, f[1]) && no_ipoib(x, no_frames);
}

/* The bond that does what a runner of libteam does, as an option line. */
static bool read_team(struct link_parse *x, const struct slice *f, size_t n)
{
	static const char *const runners[][2] = {
		{"activebackup", "active-backup"}, {"broadcast", "broadcast"},
		{"lacp", "802.3ad"}, {"loadbalance", "balance-xor"}, {"random", "balance-rr"},
		{"roundrobin", "balance-rr"}};
	size_t i = 0;

	if (n < 2 || n > 3)
		return link_fail(x, word_value(x->w), "not two or three fields");
	if (!set_name(x, f[0]) || !set_lower(x, f[1]) || !no_ipoib(x, no_frames))
		return false;
	while (n == 3 && f[2].len && i < ARRAY_SIZE(runners) && !slice_is(f[2], runners[i][0]))
		i++;
	if (i == ARRAY_SIZE(runners))
		return link_fail(x, f[2], "not a runner of libteam");
	x->link.instead = textf(x->p, "bond=%.*s:%.*s:mode=%s", SLICE(f[0]), SLICE(f[1]),
		runners[i][1]);
	return true;
}

/* --- all of them ------------------------------------------------------------------------------ */

static const struct link_kind {
	enum option_id id;
	const char *bare; /* what the option alone means; NULL: nothing */
	const char *module;
	bool (*read)(struct link_parse *x, const struct slice *f, size_t n);
} kinds[] = {
	[PLAN_LINK_VLAN] = {OPTION_VLAN, NULL, "8021q", read_vlan},
	[PLAN_LINK_BOND] = {OPTION_BOND, "bond0:eth0,eth1:mode=balance-rr", "bonding",
		read_bond},
	[PLAN_LINK_BRIDGE] = {OPTION_BRIDGE, "br0:eth0", "bridge", read_bridge},
	[PLAN_LINK_TEAM] = {OPTION_TEAM, "team0:eth0,eth1", NULL, read_team},
};

const char *plan_link_kind_name(enum plan_link_kind kind)
{
	return option_row(kinds[kind].id)->name;
}

const char *plan_link_module(enum plan_link_kind kind)
{
	return kinds[kind].module;
}

bool plan_is_ipoib(const struct plan_ifname *ifnames, size_t n, const char *name)
{
	const size_t parent = strcspn(name, ".");

	for (size_t i = 0; i < n; i++)
		if (streq(ifnames[i].name, name) || (strlen(ifnames[i].name) == parent &&
				strncmp(ifnames[i].name, name, parent) == 0))
			return ifnames[i].hwaddr.len > 6;
	return strncmp(name, "ib", 2) == 0 && strncmp(name, "ibft", 4) != 0;
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

PARSE(link)
{
	struct link_parse x = {.p = p, .w = w};
	const struct link_kind *k = kinds;
	struct slice v = word_value(w), f[5];

	while (k->id != row->id)
		k++;
	x.link.kind = (enum plan_link_kind)(k - kinds);
	x.link.word = (size_t)(w - p->words);
	if (!v.len && !k->bare)
		return link_fail(&x, WHOLE, "no value");
	if (!v.len)
		v = (struct slice){k->bare, strlen(k->bare)};
	if (!k->read(&x, f, fields_split(v, f, ARRAY_SIZE(f))))
		return false;
	if (find_named(&p->links, x.link.name))
		return link_fail(&x, v, "another option creates an interface of this name");
	say_link(&x);
	return APPEND_MAX(p, &p->links, x.link, w, PLAN_LINKS_MAX);
}

/* --- what does not go together ---------------------------------------------------------------- */

/* name may be NULL. */
static void check_made(struct parser *p, const struct plan_word *w, const char *name)
{
	const struct plan_link *link = name ? find_named(&p->links, name) : NULL;

	if (link && link->kind == PLAN_LINK_TEAM)
		complain(p, w, WHOLE, DIAG_ERROR, textf(p, "write %s", link->instead),
			"%s never appears: no team is created", link->name);
}

/* What is below another interface has no address of its own, but for a VLAN's. */
static void check_lower(struct parser *p, const struct plan_ip *ip)
{
	FOR_EACH(struct plan_link, link, &p->links)
		if (ip->ifname && link->kind != PLAN_LINK_VLAN && has_lower(link, ip->ifname))
			complain(p, &p->words[ip->word], WHOLE, DIAG_ERROR,
				textf(p, "write ip=%s:...", link->name),
				"%s is a part of %s and cannot have an address of its own",
				ip->ifname, link->name);
}

/* The other bond or bridge that has this one as a part; of two of them the first. */
static const struct plan_link *part_of(const struct parser *p, const char *name,
	const struct plan_link *other)
{
	FOR_EACH(struct plan_link, link, &p->links)
		if (link != other && link->kind != PLAN_LINK_VLAN &&
			(link < other || other->kind == PLAN_LINK_VLAN) && has_lower(link, name))
			return link;
	return NULL;
}

/* A part of a bond or a bridge is a part of nothing else, and carries no VLAN. */
static void check_twice(struct parser *p, const struct plan_link *link)
{
	for (size_t i = 0; i < link->n_lower; i++) {
		const struct plan_link *has = part_of(p, link->lower[i], link);

		if (has)
			complain(p, &p->words[link->word], WHOLE, DIAG_ERROR,
				link->kind == PLAN_LINK_VLAN
					? textf(p, "write vlan=%s.%u:%s", has->name, link->vlan_id,
						  has->name)
					: textf(p, "leave %s to one of them", link->lower[i]),
				"%s is a part of %s already", link->lower[i], has->name);
	}
}

/*
 * Is the link based, directly or not, on "of" (NULL: on any IPoIB interface)? seen: a bit of each
 * link that was looked at.
 */
static bool made_of(const struct parser *p, const struct plan_link *link, const char *of,
	uint64_t *seen)
{
	const struct plan_link *first = p->links.items, *lower;

	*seen |= UINT64_C(1) << (link - first);
	for (size_t i = 0; i < link->n_lower; i++) {
		if (of ? streq(link->lower[i], of) : parser_is_ipoib(p, link->lower[i]))
			return true;
		lower = find_named(&p->links, link->lower[i]);
		if (lower && !(*seen >> (lower - first) & 1) && made_of(p, lower, of, seen))
			return true;
	}
	return false;
}

static bool is_made_of(const struct parser *p, const struct plan_link *link, const char *of)
{
	uint64_t seen = 0;

	return made_of(p, link, of, &seen);
}

/* of_ipoib: a bit of each link that is. What is so directly was said where it was read. */
static void check_nesting(struct parser *p, const struct plan_link *link, uint64_t of_ipoib)
{
	const struct plan_link *first = p->links.items, *lower;
	const struct plan_word *w = &p->words[link->word];

	if (is_made_of(p, link, link->name))
		complain(p, w, WHOLE, DIAG_ERROR, "name an interface of an adapter",
			"%s is based on itself", link->name);
	for (size_t i = 0; i < link->n_lower; i++) {
		lower = find_named(&p->links, link->lower[i]);
		if (lower && of_ipoib >> (lower - first) & 1)
			complain(p, w, WHOLE, DIAG_ERROR,
				"use the bond itself, on partitions: rd.ib.pkey=ib0.8001 "
				"rd.ib.pkey=ib1.8001 bond=bond0:ib0.8001,ib1.8001:mode="
				"active-backup",
				"%s is of IPoIB interfaces, which %s", lower->name, no_frames);
	}
}

/* The kernel makes rxe on the interface below a VLAN only; its RoCE carries the tag by the GID. */
static void check_rdma(struct parser *p, const struct plan_rdma_link *rdma)
{
	const struct plan_link *link = find_named(&p->links, rdma->netdev);

	if (link && link->kind == PLAN_LINK_VLAN && streq(rdma->type, "rxe"))
		complain(p, parser_word(p, OPTION_RD_RDMA_LINK), WHOLE, DIAG_ERROR,
			textf(p, "write rd.rdma.link=%s,rxe,%s", rdma->name, link->lower[0]),
			"rxe is not possible on %s: it carries VLANs from the interface below",
			link->name);
}

void check_links(struct parser *p)
{
	const struct plan_word *bootdev = parser_word(p, OPTION_BOOTDEV);
	uint64_t of_ipoib = 0;
	size_t n = 0;

	FOR_EACH(struct plan_ip, ip, &p->ips) {
		check_made(p, &p->words[ip->word], ip->ifname);
		check_lower(p, ip);
	}
	if (bootdev)
		check_made(p, bootdev, bootdev->value);
	FOR_EACH(struct plan_link, link, &p->links)
		of_ipoib |= (uint64_t)is_made_of(p, link, NULL) << n++;
	FOR_EACH(struct plan_link, link, &p->links)
		check_nesting(p, link, of_ipoib);
	FOR_EACH(struct plan_link, link, &p->links) {
		for (size_t i = 0; i < link->n_lower; i++)
			check_made(p, &p->words[link->word], link->lower[i]);
		check_twice(p, link);
	}
	FOR_EACH(struct plan_rdma_link, rdma, &p->rdma_links)
		check_rdma(p, rdma);
}
