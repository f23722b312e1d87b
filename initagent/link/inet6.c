// SPDX-License-Identifier: GPL-2.0-or-later
/* inet6: IPv6 in the kernel's view of interfaces; links_routers() and links_settle() in link.h. */
#include "link/private.h"

#include <linux/if_link.h>

/*
 * IFLA_INET6_FLAGS; the kernel's include/net/if_inet6.h, which is not among its exported headers.
 */
#define IF_RA_RCVD	0x20
#define IF_RA_MANAGED	0x40
#define IF_RA_OTHERCONF 0x80

/*
 * Messages about other interfaces, or of a kernel without IPv6 (no IFLA_PROTINFO), change nothing.
 */
static void take_flags(struct nlmsghdr *h, int ifindex, struct link_routers *ret)
{
	struct nlattr *tb[IFLA_MAX + 1] = {0}, *six[IFLA_INET6_MAX + 1] = {0};
	const struct ifinfomsg *ifi = nlmsg_data(h);
	uint32_t flags;

	if (h->nlmsg_type != RTM_NEWLINK || nlmsg_parse(h, sizeof(*ifi), tb, IFLA_MAX, NULL) < 0)
		return;
	if (ifi->ifi_index != ifindex || ifi->ifi_family != AF_INET6 || !tb[IFLA_PROTINFO])
		return;
	if (nla_parse_nested(six, IFLA_INET6_MAX, tb[IFLA_PROTINFO], NULL) < 0 ||
		!six[IFLA_INET6_FLAGS])
		return;
	flags = netlink_u32(six[IFLA_INET6_FLAGS]);
	ret->heard = flags & IF_RA_RCVD;
	ret->managed = flags & IF_RA_MANAGED;
	ret->other = flags & IF_RA_OTHERCONF;
}

/* Of the default route that is the gateway so far. */
struct best {
	uint32_t metric;
	unsigned preference; /* of the router, higher is better */
};

/* RFC 4191 section 2.1: two bits, of which one value is reserved, and medium is zero. */
static unsigned preference_of(const struct nlattr *attr)
{
	static const uint8_t ranks[4] = {[0] = 1, [1] = 2, [2] = 1, [3] = 0};

	return ranks[attr && nla_len(attr) >= 1 ? nla_get_u8(attr) & 3 : 0];
}

/* A default route over the interface that is better than the best one becomes the gateway. */
static void take_route(struct nlmsghdr *h, int ifindex, struct link_routers *ret, struct best *best)
{
	struct nlattr *tb[RTA_MAX + 1] = {0};
	const struct rtmsg *rtm = nlmsg_data(h);
	struct inet_addr gateway;
	struct best is;

	if (h->nlmsg_type != RTM_NEWROUTE || nlmsg_parse(h, sizeof(*rtm), tb, RTA_MAX, NULL) < 0)
		return;
	if (rtm->rtm_family != AF_INET6 || rtm->rtm_dst_len || rtm->rtm_type != RTN_UNICAST ||
		rtm->rtm_table != RT_TABLE_MAIN || netlink_u32(tb[RTA_OIF]) != (uint32_t)ifindex)
		return;
	is = (struct best){netlink_u32(tb[RTA_PRIORITY]), preference_of(tb[RTA_PREF])};
	if (!link_read_addr(tb[RTA_GATEWAY], AF_INET6, &gateway) || is.metric > best->metric ||
		(is.metric == best->metric && is.preference <= best->preference))
		return;
	*best = is;
	ret->gateway = gateway;
}

static int read_flags(struct links *l, int ifindex, struct link_routers *ret)
{
	const struct ifinfomsg all = {.ifi_family = AF_INET6};
	struct nlmsghdr *h;
	int e = netlink_send(l->rtnl, netlink_msg(RTM_GETLINK, NLM_F_DUMP, &all, sizeof(all)),
		"list IPv6 interfaces");

	while (e >= 0 && (e = netlink_next(l->rtnl, &h)) > 0)
		take_flags(h, ifindex, ret);
	return e;
}

static int read_gateway(struct links *l, int ifindex, struct link_routers *ret)
{
	const struct rtmsg all = {.rtm_family = AF_INET6};
	struct best best = {.metric = UINT32_MAX};
	struct nlmsghdr *h;
	int e = netlink_send(l->rtnl, netlink_msg(RTM_GETROUTE, NLM_F_DUMP, &all, sizeof(all)),
		"list IPv6 routes");

	while (e >= 0 && (e = netlink_next(l->rtnl, &h)) > 0)
		take_route(h, ifindex, ret, &best);
	return e;
}

int links_routers(struct links *l, int ifindex, struct link_routers *ret)
{
	int e = -EINTR;

	for (int i = 0; e == -EINTR && i < NETLINK_LIST_TRIES; i++) {
		*ret = (struct link_routers){0};
		e = read_flags(l, ifindex, ret);
		if (e >= 0)
			e = read_gateway(l, ifindex, ret);
	}
	return links_keep_error(l, e);
}

void links_settle(struct links *l, int ifindex)
{
	struct nlmsghdr *h;

	netlink_get(l->rtnl, link_msg(RTM_GETLINK, 0, ifindex), "look at the interface", &h);
}
