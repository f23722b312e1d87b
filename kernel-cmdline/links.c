/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * links: interfaces made of others, as dracut.cmdline(7) has them:
 *
 *	vlan=NAME:NETDEV			NAME is vlan0005, vlan5, NETDEV.0005 or NETDEV.5
 *	bond=NAME[:SLAVES[:OPTIONS[:MTU]]]	bare: bond0 of eth0 and eth1, balance-rr
 *	bridge=NAME:NETDEVS			bare: br0 of eth0
 *	team=NAME:NETDEVS[:RUNNER]		bare: team0 of eth0 and eth1, activebackup
 *
 * This build makes none of them: that is said at each, and where another option counts on one
 * (check_links()).
 */
#include "parser.h"

#define VLAN_ID_MAX 4094 /* IEEE 802.1Q 9.6: 0 and 4095 are no VLANs */

static const char plain_interface[] =
	"boot over a plain interface, or leave this node to dracut's own network module";

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
	if (strncmp(x->w->value + f[0].len + 1, "ib", 2) == 0)
		return link_fail(x, f[1], "IPoIB has no VLANs, but partitions (rd.ib.pkey=)");
	return set_vlan_id(x, f[0], f[1]) && set_lower(x, f[1]);
}

/* --- bond ------------------------------------------------------------------------------------- */

/* By number, as the kernel's bonding has them (drivers/net/bonding/bond_options.c). */
static const char *const bond_modes[] = {
	"balance-rr", "active-backup", "balance-xor", "broadcast", "802.3ad", "balance-tlb",
	"balance-alb",
};

#define ACTIVE_BACKUP 1

static const char *const bond_options[] = {
	"active_slave", "ad_actor_sys_prio", "ad_actor_system", "ad_select", "ad_user_port_key",
	"all_slaves_active", "arp_all_targets", "arp_interval", "arp_ip_target", "arp_missed_max",
	"arp_validate", "coupled_control", "downdelay", "fail_over_mac", "lacp_active", "lacp_rate",
	"lp_interval", "miimon", "min_links", "ns_ip6_target", "num_grat_arp", "num_unsol_na",
	"packets_per_slave", "peer_notif_delay", "primary", "primary_reselect", "resend_igmp",
	"tlb_dynamic_lb", "updelay", "use_carrier", "xmit_hash_policy",
};

static bool set_mode(struct link_parse *x, struct slice v)
{
	uint32_t n;

	for (size_t i = 0; i < ARRAY_SIZE(bond_modes); i++)
		if (slice_is(v, bond_modes[i]) || (value_u32(v.s, v.len, 6, &n) == 0 && n == i)) {
			x->link.mode = (uint8_t)i;
			return true;
		}
	return link_fail(x, v, "not a mode of a bond (balance-rr, active-backup ... or 0 to 6)");
}

/* Several targets are joined by ';', since ',' ends the option. */
static bool targets_fit(struct slice v)
{
	struct inet_addr a;
	struct slice one;
	size_t n = 0;

	while (slice_next(&v, ';', &one)) {
		if (value_inet(one.s, one.len, &a) < 0)
			return false;
		n++;
	}
	return n > 0 && n <= 16; /* BOND_MAX_ARP_TARGETS */
}

static bool bond_option(struct link_parse *x, struct slice option)
{
	size_t eq = slice_find(option, "="), i = 0;
	struct slice name = {option.s, eq}, v = slice_from(option, eq + (eq < option.len));

	if (!v.len)
		return link_fail(x, option, "not OPTION=VALUE");
	if (slice_is(name, "mode"))
		return set_mode(x, v);
	while (i < ARRAY_SIZE(bond_options) && !slice_is(name, bond_options[i]))
		i++;
	if (i == ARRAY_SIZE(bond_options))
		return link_fail(x, name, "not an option of a bond");
	if (slice_is(name, "arp_ip_target") || slice_is(name, "ns_ip6_target"))
		return targets_fit(v) || link_fail(x, v, "not addresses, joined by ';'");
	if (slice_find(v, ";") < v.len || has_control(v) || slice_find(v, " ") < v.len)
		return link_fail(x, v, "not a value of this option");
	if (slice_is(name, "primary") && !has_lower(&x->link, keep(x->p, v)))
		return link_fail(x, v, "the primary is none of the slaves");
	return true;
}

static bool set_bond_options(struct link_parse *x, struct slice list)
{
	struct slice rest = list, one;

	while (slice_next(&rest, ',', &one))
		if (!bond_option(x, one))
			return false;
	x->link.options = keep(x->p, list);
	return true;
}

/* False with a remark if an interface below is IPoIB. */
static bool no_ipoib(struct link_parse *x, const char *why)
{
	for (size_t i = 0; i < x->link.n_lower; i++)
		if (strncmp(x->link.lower[i], "ib", 2) == 0)
			return link_fail(x, WHOLE,
				textf(x->p, "%s is IPoIB, which %s", x->link.lower[i], why));
	return true;
}

static const char no_frames[] = "has no Ethernet frames";

static bool read_bond(struct link_parse *x, const struct slice *f, size_t n)
{
	if (n > 4)
		return link_fail(x, word_value(x->w), "more than four fields");
	if (!set_name(x, f[0]))
		return false;
	if (!set_lower(x, n > 1 && f[1].len ? f[1] : (struct slice){"eth0,eth1", 9}))
		return false;
	if (n > 2 && f[2].len && !set_bond_options(x, f[2]))
		return false;
	if (n > 3 && f[3].len && value_mtu(f[3].s, f[3].len, &x->link.mtu) < 0)
		return link_fail(x, f[3], "not an MTU");
	/* IPoIB has no address that could move (Documentation/networking/bonding.rst) */
	return x->link.mode == ACTIVE_BACKUP || no_ipoib(x, "knows mode=active-backup only");
}

/* --- bridge, team ----------------------------------------------------------------------------- */

static bool read_bridge(struct link_parse *x, const struct slice *f, size_t n)
{
	if (n != 2)
		return link_fail(x, word_value(x->w), "not two fields");
	return set_name(x, f[0]) && set_lower(x, f[1]) && no_ipoib(x, no_frames);
}

static bool read_team(struct link_parse *x, const struct slice *f, size_t n)
{
	static const char *const runners[] = {
		"activebackup", "broadcast", "lacp", "loadbalance", "random", "roundrobin"};
	size_t i = 0;

	if (n < 2 || n > 3)
		return link_fail(x, word_value(x->w), "not two or three fields");
	if (!set_name(x, f[0]) || !set_lower(x, f[1]) || !no_ipoib(x, no_frames))
		return false;
	while (n == 3 && f[2].len && i < ARRAY_SIZE(runners) && !slice_is(f[2], runners[i]))
		i++;
	if (i == ARRAY_SIZE(runners))
		return link_fail(x, f[2], "not a runner of libteam");
	x->link.options = n == 3 && f[2].len ? runners[i] : "activebackup";
	return true;
}

/* --- all of them ------------------------------------------------------------------------------ */

static const struct link_kind {
	enum option_id id;
	const char *bare; /* what the option alone means; NULL: nothing */
	bool (*read)(struct link_parse *x, const struct slice *f, size_t n);
} kinds[] = {
	[PLAN_LINK_VLAN] = {OPTION_VLAN, NULL, read_vlan},
	[PLAN_LINK_BOND] = {OPTION_BOND, "bond0:eth0,eth1:mode=balance-rr", read_bond},
	[PLAN_LINK_BRIDGE] = {OPTION_BRIDGE, "br0:eth0", read_bridge},
	[PLAN_LINK_TEAM] = {OPTION_TEAM, "team0:eth0,eth1", read_team},
};

PARSE(link)
{
	struct link_parse x = {.p = p, .w = w, .link = {.options = ""}};
	const struct link_kind *k = kinds;
	struct slice v = word_value(w), f[5];

	while (k->id != row->id)
		k++;
	x.link.kind = (enum plan_link_kind)(k - kinds);
	x.link.word = (size_t)(w - p->words);
	say(p, w, "has no effect, though dracut acts on it");
	if (!v.len && !k->bare)
		return link_fail(&x, WHOLE, "no value");
	if (!v.len)
		v = (struct slice){k->bare, strlen(k->bare)};
	if (!k->read(&x, f, fields_split(v, f, ARRAY_SIZE(f))))
		return false;
	if (find_named(&p->links, x.link.name))
		return link_fail(&x, v, "another option creates an interface of this name");
	warn_word(p, w, plain_interface, "understood but not acted on by this build");
	return APPEND(p, &p->links, x.link, w);
}

/* name may be NULL. */
static void check_made(struct parser *p, const struct plan_word *w, const char *name)
{
	const struct plan_link *link = name ? find_named(&p->links, name) : NULL;

	if (link)
		complain(p, w, WHOLE, DIAG_ERROR, plain_interface,
			"%s never appears: %s= would create it, which is not acted on by this "
			"build",
			link->name, option_row(kinds[link->kind].id)->name);
}

/* What is below another interface has no address of its own, but for a VLAN's. */
static void check_lower(struct parser *p, const struct plan_ip *ip)
{
	FOR_EACH(struct plan_link, link, &p->links)
		if (ip->ifname && link->kind != PLAN_LINK_VLAN && has_lower(link, ip->ifname))
			warn_word(p, &p->words[ip->word], textf(p, "write ip=%s:...", link->name),
				"%s is a part of %s and cannot have an address of its own",
				ip->ifname, link->name);
}

void check_links(struct parser *p)
{
	const struct plan_word *bootdev = parser_word(p, OPTION_BOOTDEV);

	FOR_EACH(struct plan_ip, ip, &p->ips) {
		check_made(p, &p->words[ip->word], ip->ifname);
		check_lower(p, ip);
	}
	if (bootdev)
		check_made(p, bootdev, bootdev->value);
	FOR_EACH(struct plan_link, link, &p->links)
		if (link->kind == PLAN_LINK_VLAN)
			check_made(p, &p->words[link->word], link->lower[0]);
}
