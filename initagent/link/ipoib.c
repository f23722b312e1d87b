// SPDX-License-Identifier: GPL-2.0-or-later
/* ipoib: what only IPoIB interfaces have: partitions, mode, umcast; see link.h. */
#include "link/private.h"

#include <netlink/netlink.h>

#include "base/cursor.h"

/* if_link.h: IFLA_INFO_DATA of kind "ipoib". */
#define DATA_PKEY   1 /* IFLA_IPOIB_PKEY */
#define DATA_MODE   2 /* IFLA_IPOIB_MODE */
#define DATA_UMCAST 3 /* IFLA_IPOIB_UMCAST */

/* The one attribute of the kind's data that a request is about; a message without room is freed. */
static struct nl_msg *put_data(struct nl_msg *msg, int type, uint16_t value)
{
	struct nlattr *info = msg ? nla_nest_start(msg, IFLA_LINKINFO) : NULL, *data = NULL;

	if (info && nla_put_string(msg, IFLA_INFO_KIND, "ipoib") == 0)
		data = nla_nest_start(msg, IFLA_INFO_DATA);
	if (!data || nla_put_u16(msg, type, value) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	return msg;
}

int links_add_ipoib(struct links *l, int parent, const char *name, uint16_t pkey)
{
	struct nl_msg *msg;
	char what[48 + IFNAMSIZ];
	int r;

	if (!*name || strlen(name) >= IFNAMSIZ)
		return links_refuse(
			l, -EINVAL, "interface name is empty or longer than 15 characters");
	snprintf(what, sizeof(what), "create IPoIB interface %s", name);
	msg = link_msg(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, 0);
	msg = netlink_put_u32(msg, IFLA_LINK, (uint32_t)parent);
	msg = netlink_put(msg, IFLA_IFNAME, name, strlen(name) + 1);
	r = netlink_call(l->rtnl, put_data(msg, DATA_PKEY, pkey), what);
	/* -ENOTUNIQ: this partition has its interface already, under whatever name. */
	return r == -EEXIST || r == -ENOTUNIQ ? 1 : links_keep_error(l, r);
}

/* One request each: a mode that is refused must not take umcast with it. */
static int change(struct links *l, int ifindex, int type, uint16_t value, const char *what)
{
	struct nl_msg *msg = put_data(link_msg(RTM_NEWLINK, 0, ifindex), type, value);

	return links_keep_error(l, netlink_call(l->rtnl, msg, what));
}

int links_set_ipoib_mode(struct links *l, int ifindex, bool connected)
{
	/* IPOIB_MODE_DATAGRAM 0, IPOIB_MODE_CONNECTED 1 */
	return change(l, ifindex, DATA_MODE, connected,
		connected ? "set connected mode" : "set datagram mode");
}

int links_set_ipoib_umcast(struct links *l, int ifindex, bool on)
{
	return change(l, ifindex, DATA_UMCAST, on, on ? "set umcast" : "clear umcast");
}

uint16_t netdev_pkey(const struct netdev *dev)
{
	/*
	 * RFC 4391 section 4: the broadcast group's GID is ff12:401b:PKEY::ffff:ffff; the address
	 * is 4 bytes of flags and QPN, then that GID.
	 */
	return dev->broadcast.len == 20 ? (uint16_t)get_be(dev->broadcast.bytes + 8, 2) : 0;
}

uint64_t netdev_guid(const struct netdev *dev)
{
	return dev->hw.len == 20 ? get_be(dev->hw.bytes + 12, 8) : 0;
}
