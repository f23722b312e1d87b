// SPDX-License-Identifier: GPL-2.0-or-later
/* route: routes and neighbour probes of the link room; see link.h. */
#include "link/private.h"

#include <netlink/netlink.h>
#include <netlink/socket.h>

/* An on-link IPv4 route has scope link: a gateway of another route may be looked up through it. */
static struct nl_msg *route_msg(int type, int flags, const struct link_route *r)
{
	const struct rtmsg rtm = {
		.rtm_family = (uint8_t)r->dst.family,
		.rtm_dst_len = r->prefix,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = r->protocol,
		.rtm_scope = r->gateway.family || r->dst.family == AF_INET6 ? RT_SCOPE_UNIVERSE
									    : RT_SCOPE_LINK,
		.rtm_type = RTN_UNICAST,
		.rtm_flags = r->onlink ? RTNH_F_ONLINK : 0,
	};
	struct nl_msg *msg = netlink_msg(type, flags, &rtm, sizeof(rtm));

	if (r->prefix)
		msg = link_put_addr(msg, RTA_DST, &r->dst);
	msg = link_put_addr(msg, RTA_GATEWAY, &r->gateway);
	msg = link_put_addr(msg, RTA_PREFSRC, &r->source);
	msg = netlink_put_u32(msg, RTA_OIF, (uint32_t)r->ifindex);
	return r->metric ? netlink_put_u32(msg, RTA_PRIORITY, r->metric) : msg;
}

/* What stands in the way of a new route. */
enum obstacle {
	OBSTACLE_FOREIGN, /* not ours: the kernel's for a subnet, a router's, one made by hand */
	/* by DHCP, or of this interface by the same method: ours, maybe of an earlier run */
	OBSTACLE_OURS,
	OBSTACLE_SAME,	  /* leads to the subnet as the new one would */
};

/* IPv6 routes without a metric get 1024 from the kernel (IP6_RT_PRIO_USER). */
static bool is_key(const struct link_route *r, struct nlmsghdr *h, struct nlattr **tb)
{
	const struct rtmsg *rtm = nlmsg_data(h);
	uint32_t metric = r->metric || r->dst.family != AF_INET6 ? r->metric : 1024;
	struct inet_addr dst = {.family = r->dst.family};

	if (h->nlmsg_type != RTM_NEWROUTE || nlmsg_parse(h, sizeof(*rtm), tb, RTA_MAX, NULL) < 0)
		return false;
	link_read_addr(tb[RTA_DST], r->dst.family, &dst);
	return rtm->rtm_family == r->dst.family && rtm->rtm_table == RT_TABLE_MAIN &&
	       rtm->rtm_dst_len == r->prefix && inet_equal(&dst, &r->dst) &&
	       netlink_u32(tb[RTA_PRIORITY]) == metric;
}

static enum obstacle judge_obstacle(
	const struct link_route *r, struct nlmsghdr *h, struct nlattr **tb)
{
	const struct rtmsg *rtm = nlmsg_data(h);

	/*
	 * An agent before may have had its interfaces in another order, so that this metric was
	 * another one's.
	 */
	if (rtm->rtm_protocol == RTPROT_DHCP && r->protocol == RTPROT_DHCP)
		return OBSTACLE_OURS;
	if (netlink_u32(tb[RTA_OIF]) != (uint32_t)r->ifindex)
		return OBSTACLE_FOREIGN;
	if (rtm->rtm_protocol == r->protocol)
		return OBSTACLE_OURS;
	return tb[RTA_GATEWAY] || r->gateway.family ? OBSTACLE_FOREIGN : OBSTACLE_SAME;
}

/* The kernel says only that there is one. More than one may be: any of ours can be replaced. */
static enum obstacle find_obstacle(struct links *l, const struct link_route *r)
{
	const struct rtmsg all = {.rtm_family = (uint8_t)r->dst.family, .rtm_table = RT_TABLE_MAIN};
	enum obstacle found = OBSTACLE_FOREIGN;
	struct nlmsghdr *h;
	int e = netlink_send(
		l->rtnl, netlink_msg(RTM_GETROUTE, NLM_F_DUMP, &all, sizeof(all)), "list routes");

	while (e >= 0 && (e = netlink_next(l->rtnl, &h)) > 0) {
		struct nlattr *tb[RTA_MAX + 1] = {0};

		if (found == OBSTACLE_FOREIGN && is_key(r, h, tb))
			found = judge_obstacle(r, h, tb);
	}
	return found;
}

/*
 * As with addresses: the first try tells whether it was there. What is replaced is our own only:
 * the kernel's route to a subnet, handed to a gateway, would take the interface from its
 * neighbours, that gateway included.
 */
int links_add_route(struct links *l, const struct link_route *r)
{
	int e = netlink_call(l->rtnl, route_msg(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, r),
		"set route");

	if (e != -EEXIST)
		return links_keep_error(l, e);
	switch (find_obstacle(l, r)) {
	case OBSTACLE_FOREIGN:
		return links_refuse(l, e, "set route: another one exists and is not replaced");
	case OBSTACLE_SAME: return 1;
	case OBSTACLE_OURS: break;
	}
	e = netlink_call(l->rtnl, route_msg(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, r),
		"replace route");
	return links_keep_error(l, e < 0 ? e : 1);
}

int links_del_route(struct links *l, const struct link_route *r)
{
	return links_keep_error(
		l, netlink_call(l->rtnl, route_msg(RTM_DELROUTE, 0, r), "remove route"));
}

void links_pin(struct links *l, const struct inet_addr *addr, const char *name)
{
	const struct netdev *dev = name ? links_by_name(l, name) : NULL;

	l->pinned = name ? *addr : (struct inet_addr){0};
	l->pinned_to = dev ? dev->ifindex : -1;
}

/* Asks the kernel for the way to dst; *ret_local: it is one of our own addresses. */
static int lookup(
	struct links *l, const struct inet_addr *dst, struct link_route *ret, bool *ret_local)
{
	const struct rtmsg ask = {
		.rtm_family = (uint8_t)dst->family,
		.rtm_dst_len = dst->family == AF_INET6 ? 128 : 32,
	};
	struct nlattr *tb[RTA_MAX + 1] = {0};
	struct nlmsghdr *h;
	const struct rtmsg *rtm;
	bool pinned = inet_equal(dst, &l->pinned);
	struct nl_msg *msg;
	int e;

	if (pinned && l->pinned_to < 0)
		return links_refuse(l, -ENETUNREACH, "look up the route: no such interface");
	msg = link_put_addr(netlink_msg(RTM_GETROUTE, 0, &ask, sizeof(ask)), RTA_DST, dst);
	if (pinned)
		msg = netlink_put_u32(msg, RTA_OIF, (uint32_t)l->pinned_to);
	e = netlink_get(l->rtnl, msg, "look up the route", &h);
	if (e < 0)
		return links_keep_error(l, e);
	rtm = nlmsg_data(h);
	if (nlmsg_parse(h, sizeof(*rtm), tb, RTA_MAX, NULL) < 0 || !netlink_u32(tb[RTA_OIF]))
		return links_refuse(l, -EBADMSG, "the kernel's route answer is malformed");
	*ret = (struct link_route){
		.ifindex = (int)netlink_u32(tb[RTA_OIF]),
		.dst = *dst,
		.prefix = ask.rtm_dst_len,
		.protocol = rtm->rtm_protocol,
	};
	link_read_addr(tb[RTA_GATEWAY], rtm->rtm_family, &ret->gateway);
	link_read_addr(tb[RTA_PREFSRC], rtm->rtm_family, &ret->source);
	*ret_local = rtm->rtm_type == RTN_LOCAL;
	return 0;
}

/* Whether the answer is local matters only to probes. */
int links_lookup(struct links *l, const struct inet_addr *dst, struct link_route *ret)
{
	bool local;

	return lookup(l, dst, ret, &local);
}

/* The slot of a probe of addr: its own, else a free one, else NULL. */
static struct neigh_probe *probe_slot(struct links *l, const struct inet_addr *addr)
{
	struct neigh_probe *free_slot = NULL;

	for (size_t i = 0; i < NEIGH_PROBES_MAX; i++) {
		struct neigh_probe *p = &l->probes[i];

		if (p->state != NEIGH_FREE && inet_equal(&p->addr, addr))
			return p;
		if (p->state == NEIGH_FREE)
			free_slot = p;
	}
	return free_slot;
}

/*
 * The group of neighbour notifications is joined before the kernel is asked: the answer of a near
 * host comes within microseconds. A question that fails (link just lost) is asked again by the
 * probe's timer.
 */
int links_probe(struct links *l, const struct inet_addr *addr, uint64_t limit_ns, uint64_t now)
{
	struct neigh_probe *p = probe_slot(l, addr);
	const struct netdev *dev;
	struct link_route way;
	bool local;
	int e;

	if (!p)
		return links_refuse(l, -ENOSPC, "too many neighbour probes at once");
	e = lookup(l, addr, &way, &local);
	if (e < 0)
		return e;
	*p = (struct neigh_probe){
		.ifindex = way.ifindex,
		.addr = *addr,
		.hop = way.gateway.family ? way.gateway : *addr,
		.limit = limit_ns < NSEC_NEVER - now ? now + limit_ns : NSEC_NEVER,
		.retry = NSEC_NEVER,
		.pause = NEIGH_RETRY_FIRST,
	};
	dev = links_by_index(l, way.ifindex);
	if (local || (dev && dev->noarp)) {
		p->state = NEIGH_REACHABLE; /* nothing to resolve */
		return 0;
	}
	if (!l->hears_neighbours && nl_socket_add_memberships(l->monitor, RTNLGRP_NEIGH, 0) == 0)
		l->hears_neighbours = true;
	neigh_ask(p, l->rtnl, now);
	return 0;
}
