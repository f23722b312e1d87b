// SPDX-License-Identifier: GPL-2.0-or-later
/* stack: interfaces made of others: VLANs, bonds, bridges; see links_add_made() in link.h. */
#include "link/private.h"

#include <netlink/netlink.h>

#include "bond.h"

/* linux/if_link.h: IFLA_INFO_DATA of kinds "vlan" and "bridge". */
#define VLAN_ID		  1 /* IFLA_VLAN_ID */
#define BR_FORWARD_DELAY  1 /* IFLA_BR_FORWARD_DELAY */
#define BR_STP_STATE	  5 /* IFLA_BR_STP_STATE */

/* Addresses of the nest, numbered from 0; the text was checked when it was read. */
static int put_targets(struct nl_msg *msg, const struct plan_bond_option *o)
{
	struct nlattr *nest = nla_nest_start(msg, o->option->attribute);
	const char *at = o->text;
	struct inet_addr a;
	size_t n;

	if (!nest)
		return -ENOMEM;
	for (int i = 0; *at; i++, at += n + (at[n] == ';')) {
		n = strcspn(at, ";");
		if (value_inet(at, n, &a) < 0 ||
			nla_put(msg, i, (int)inet_addr_len(a.family), a.bytes) < 0)
			return -ENOMEM;
	}
	nla_nest_end(msg, nest);
	return 0;
}

static int put_option(struct nl_msg *msg, const struct plan_bond_option *o)
{
	const int attribute = o->option->attribute;
	uint8_t mac[6];

	switch (o->option->type) {
	case BOND_SLAVE: return 0; /* links_enslave() */
	case BOND_SWITCH:
	case BOND_U8:
	case BOND_WORD: return nla_put_u8(msg, attribute, (uint8_t)o->number);
	case BOND_U16: return nla_put_u16(msg, attribute, (uint16_t)o->number);
	case BOND_MAC:
		(void)value_octets(o->text, strlen(o->text), mac, sizeof(mac));
		return nla_put(msg, attribute, sizeof(mac), mac);
	case BOND_IPV4:
	case BOND_IPV6: return put_targets(msg, o);
	default: return nla_put_u32(msg, attribute, o->number);
	}
}

static int put_data(struct nl_msg *msg, const struct plan_link *want)
{
	int r = 0;

	if (want->kind == PLAN_LINK_VLAN)
		return nla_put_u16(msg, VLAN_ID, want->vlan_id);
	/* A port that listens for other bridges first would cost 30 s (IEEE 802.1D 8.10). */
	if (want->kind == PLAN_LINK_BRIDGE)
		return nla_put_u32(msg, BR_STP_STATE, 0) < 0 ? -ENOMEM
			: nla_put_u32(msg, BR_FORWARD_DELAY, 0);
	for (size_t i = 0; r >= 0 && i < want->n_options; i++)
		r = put_option(msg, &want->options[i]);
	return r;
}

/* Kind and data; a message that did not hold them is freed. */
static struct nl_msg *put_info(struct nl_msg *msg, const struct plan_link *want)
{
	struct nlattr *info = msg ? nla_nest_start(msg, IFLA_LINKINFO) : NULL, *data = NULL;

	if (info && nla_put_string(msg, IFLA_INFO_KIND, plan_link_kind_name(want->kind)) == 0)
		data = nla_nest_start(msg, IFLA_INFO_DATA);
	if (!data || put_data(msg, want) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	return msg;
}

static bool has_slave(const struct links *l, int master)
{
	const struct netdev *dev = NULL;

	while ((dev = links_next(l, dev)))
		if (dev->master_ifindex == master)
			return true;
	return false;
}

/* What is there was made by an agent before, or, a bond without slaves, by the driver. */
static int adopt(struct links *l, const struct plan_link *want)
{
	const struct netdev *dev = links_by_name(l, want->name);
	struct nl_msg *msg;
	int r = 0;

	if (!streq(dev->kind, plan_link_kind_name(want->kind)))
		return links_refuse(l, -EEXIST, "the name is another kind of interface's");
	if (want->kind == PLAN_LINK_BOND && !has_slave(l, dev->ifindex)) {
		r = links_set_up(l, dev->ifindex, false);
		if (r < 0)
			return r;
		msg = link_msg(RTM_NEWLINK, 0, dev->ifindex);
		if (want->mtu)
			msg = netlink_put_u32(msg, IFLA_MTU, want->mtu);
		r = links_keep_error(l, netlink_call(l->rtnl, put_info(msg, want),
			"set options of the bond"));
	}
	return r < 0 ? r : 1;
}

int links_add_made(struct links *l, const struct plan_link *want, int parent)
{
	struct nl_msg *msg;
	char what[48 + IFNAMSIZ];

	if (links_by_name(l, want->name))
		return adopt(l, want);
	snprintf(what, sizeof(what), "create %s %s", plan_link_kind_name(want->kind), want->name);
	msg = link_msg(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, 0);
	if (parent)
		msg = netlink_put_u32(msg, IFLA_LINK, (uint32_t)parent);
	if (want->mtu)
		msg = netlink_put_u32(msg, IFLA_MTU, want->mtu);
	msg = netlink_put(msg, IFLA_IFNAME, want->name, strlen(want->name) + 1);
	return links_keep_error(l, netlink_call(l->rtnl, put_info(msg, want), what));
}

/* An option of the bond, if it names this slave: the kernel takes an index there. 1: it was set. */
static int prefer(struct links *l, const struct plan_link *want, const char *option, int master,
	const struct netdev *slave)
{
	for (size_t i = 0; i < want->n_options; i++) {
		struct bond_option as = *want->options[i].option;
		const struct plan_bond_option index = {&as, (uint32_t)slave->ifindex, ""};
		const struct plan_link one = {.kind = PLAN_LINK_BOND, .options = &index,
			.n_options = 1};
		int r;

		if (!streq(as.name, option) || !streq(want->options[i].text, slave->name))
			continue;
		as.type = BOND_U32;
		r = links_keep_error(l, netlink_call(l->rtnl,
			put_info(link_msg(RTM_NEWLINK, 0, master), &one), as.name));
		return r < 0 ? r : 1;
	}
	return 0;
}

int links_activate(struct links *l, const struct plan_link *want, const struct netdev *slave)
{
	return prefer(l, want, "active_slave", slave->master_ifindex, slave);
}

int links_enslave(struct links *l, const struct plan_link *want, int master, int slave)
{
	struct entry *e = links_entry(l, slave);
	const struct netdev *dev = e ? &e->dev : NULL, *top = links_by_index(l, master);
	bool bond = want->kind == PLAN_LINK_BOND;
	char what[32 + IFNAMSIZ];
	int r = 0;

	if (!dev || !top)
		return links_refuse(l, -ENODEV, "the interface is gone");
	if (dev->master_ifindex == master)
		return 1;
	if (bond && dev->up)
		r = links_set_up(l, slave, false);
	if (r >= 0 && !bond && dev->mtu < top->mtu)
		r = links_set_mtu(l, slave, top->mtu);
	snprintf(what, sizeof(what), "add to %s", top->name);
	if (r >= 0)
		r = links_keep_error(l, netlink_call(l->rtnl,
			netlink_put_u32(link_msg(RTM_NEWLINK, 0, slave), IFLA_MASTER,
				(uint32_t)master), what));
	if (r >= 0)
		r = links_set_up(l, slave, true);
	if (r < 0)
		return r;
	/* The next look at the list finds it there. */
	e->dev.master_ifindex = master;
	e->dev.up = true;
	e->news = e->news == NEWS_NONE ? NEWS_CHANGED : e->news;
	return prefer(l, want, "primary", master, &e->dev);
}
