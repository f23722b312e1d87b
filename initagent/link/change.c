// SPDX-License-Identifier: GPL-2.0-or-later
/* change: the changes the link room makes to interfaces; see link.h. */
#include "link/private.h"

#include "report/report.h"

#include <linux/if_addr.h>
#include <netlink/netlink.h>

/* Setting what is set already is no error for the kernel. The call lasts as long as the driver
 * needs, seconds for some. */
int links_set_up(struct links *l, int ifindex, bool up)
{
	const struct ifinfomsg ifi = {
		.ifi_family = AF_UNSPEC,
		.ifi_index = ifindex,
		.ifi_change = IFF_UP,
		.ifi_flags = up ? IFF_UP : 0,
	};
	const struct netdev *dev = links_by_index(l, ifindex);
	uint64_t began = now_ns();
	int r = netlink_call(l->rtnl, netlink_msg(RTM_NEWLINK, 0, &ifi, sizeof(ifi)),
		up ? "set interface up" : "set interface down");

	if (up && dev)
		report_span(l->env->report, "link", dev->name, began, now_ns(), r < 0 ? r : 0);
	return links_keep_error(l, r);
}

bool links_gone(int ifindex)
{
	char name[IFNAMSIZ];

	return !if_indextoname((unsigned int)ifindex, name) && errno == ENXIO;
}

/* A bond does that to its slaves itself. */
static void widen_below(struct links *l, int ifindex, uint32_t mtu)
{
	const struct netdev *dev = links_by_index(l, ifindex), *d = NULL;

	while (dev && !streq(dev->kind, "bond") && (d = links_next(l, d)))
		if (d->mtu < mtu && netdev_is_upper(dev, d))
			(void)links_set_mtu(l, d->ifindex, mtu);
}

/* The driver's limits are in the kernel's words when it refuses. */
int links_set_mtu(struct links *l, int ifindex, uint32_t mtu)
{
	char what[32];

	widen_below(l, ifindex, mtu);
	snprintf(what, sizeof(what), "set MTU %u", mtu);
	return links_keep_error(l, netlink_call(l->rtnl,
		netlink_put_u32(link_msg(RTM_NEWLINK, 0, ifindex), IFLA_MTU, mtu), what));
}

/* Most drivers want the interface down for that; ours comes before it is up. */
int links_set_hw(struct links *l, int ifindex, const struct hw_addr *hw)
{
	return links_keep_error(l, netlink_call(l->rtnl,
		netlink_put(link_msg(RTM_NEWLINK, 0, ifindex), IFLA_ADDRESS, hw->bytes, hw->len),
		"set hardware address"));
}

/* The name must not be in use in this namespace. */
static int rename_once(struct links *l, int ifindex, const char *name)
{
	char what[32 + IFNAMSIZ];

	snprintf(what, sizeof(what), "rename to %s", name);
	return links_keep_error(l, netlink_call(l->rtnl,
		netlink_put(link_msg(RTM_NEWLINK, 0, ifindex), IFLA_IFNAME, name, strlen(name) + 1),
		what));
}

int links_rename(struct links *l, int ifindex, const char *name)
{
	const struct netdev *dev = links_by_index(l, ifindex);
	int e;

	if (!*name || strlen(name) >= IFNAMSIZ)
		return links_refuse(
			l, -EINVAL, "interface name is empty or longer than 15 characters");
	if (dev && streq(dev->name, name))
		return 0;
	e = rename_once(l, ifindex, name);
	if (e != -EBUSY)
		return e;
	/* Kernels before 6.2 want it down first. */
	e = links_set_up(l, ifindex, false);
	if (e < 0)
		return e;
	e = rename_once(l, ifindex, name);
	if (links_set_up(l, ifindex, true) < 0 && e == 0)
		return -EIO;
	return e;
}

/* The highest address of the subnet; none for /31 and /32 (RFC 3021) and for IPv6. */
static struct inet_addr broadcast_of(const struct link_address *a)
{
	struct inet_addr b = {0};

	if (a->broadcast.family || a->addr.family != AF_INET || a->prefix > 30)
		return a->broadcast;
	b.family = AF_INET;
	b.v4.s_addr = a->addr.v4.s_addr | htonl((uint32_t)(UINT64_C(0xffffffff) >> a->prefix));
	return b;
}

/* IPv4 has the near end in IFA_LOCAL and the far end, or the same again, in IFA_ADDRESS. */
static struct nl_msg *address_msg(int type, int flags, int ifindex, const struct link_address *a)
{
	const struct ifaddrmsg ifa = {
		.ifa_family = (uint8_t)a->addr.family,
		.ifa_prefixlen = a->prefix,
		.ifa_index = (unsigned)ifindex,
		.ifa_scope = RT_SCOPE_UNIVERSE,
	};
	const struct ifa_cacheinfo life = {.ifa_prefered = a->valid_s, .ifa_valid = a->valid_s};
	const struct inet_addr broadcast = broadcast_of(a);
	struct nl_msg *msg = netlink_msg(type, flags, &ifa, sizeof(ifa));

	msg = link_put_addr(msg, IFA_LOCAL, &a->addr);
	msg = link_put_addr(msg, IFA_ADDRESS, a->peer.family ? &a->peer : &a->addr);
	msg = link_put_addr(msg, IFA_BROADCAST, &broadcast);
	if (a->no_dad)
		msg = netlink_put_u32(msg, IFA_FLAGS, IFA_F_NODAD);
	else if (a->optimistic)
		msg = netlink_put_u32(msg, IFA_FLAGS, IFA_F_OPTIMISTIC);
	if (a->metric)
		msg = netlink_put_u32(msg, IFA_RT_PRIORITY, a->metric);
	if (a->valid_s != LINK_FOREVER)
		msg = netlink_put(msg, IFA_CACHEINFO, &life, sizeof(life));
	return msg;
}

/* EXCL first, so that we know whether it was there: that is adopted, not made. */
int links_add_address(struct links *l, int ifindex, const struct link_address *a)
{
	int e = netlink_call(l->rtnl,
		address_msg(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, ifindex, a), "set address");

	if (e != -EEXIST)
		return links_keep_error(l, e);
	/* Again with REPLACE, which gives it the lifetime of this call. */
	e = netlink_call(
		l->rtnl, address_msg(RTM_NEWADDR, NLM_F_REPLACE, ifindex, a), "renew address");
	return links_keep_error(l, e < 0 ? e : 1);
}

int links_del_address(struct links *l, int ifindex, const struct link_address *a)
{
	return links_keep_error(l, netlink_call(l->rtnl, address_msg(RTM_DELADDR, 0, ifindex, a),
		"remove address"));
}

static int parse_address(struct nlmsghdr *h, int ifindex, struct link_address *ret)
{
	struct nlattr *tb[IFA_MAX + 1] = {0};
	const struct ifaddrmsg *ifa = nlmsg_data(h);
	struct inet_addr far = {0};

	if (h->nlmsg_type != RTM_NEWADDR || nlmsg_parse(h, sizeof(*ifa), tb, IFA_MAX, NULL) < 0)
		return -EBADMSG;
	if (ifa->ifa_index != (unsigned)ifindex)
		return -ENODEV;
	*ret = (struct link_address){
		.prefix = ifa->ifa_prefixlen,
		.valid_s = LINK_FOREVER,
		/* The attribute has the flags beyond the header's eight, too. */
		.flags = tb[IFA_FLAGS] ? netlink_u32(tb[IFA_FLAGS]) : ifa->ifa_flags,
	};
	/* IPv6 without peer has IFA_ADDRESS only; IPv4 always has IFA_LOCAL. */
	link_read_addr(tb[IFA_ADDRESS], ifa->ifa_family, &far);
	if (!link_read_addr(tb[IFA_LOCAL], ifa->ifa_family, &ret->addr))
		ret->addr = far;
	else if (far.family && !inet_equal(&far, &ret->addr))
		ret->peer = far;
	link_read_addr(tb[IFA_BROADCAST], ifa->ifa_family, &ret->broadcast);
	if (tb[IFA_CACHEINFO] && nla_len(tb[IFA_CACHEINFO]) >= (int)sizeof(struct ifa_cacheinfo))
		ret->valid_s = ((struct ifa_cacheinfo *)nla_data(tb[IFA_CACHEINFO]))->ifa_valid;
	return ret->addr.family ? 0 : -EBADMSG;
}

/* The kernel dumps all interfaces; there is a handful. */
static int read_addresses(struct links *l, int ifindex, struct link_address *ret, size_t max)
{
	const struct ifaddrmsg all = {.ifa_family = AF_UNSPEC};
	struct link_address a;
	struct nlmsghdr *h;
	size_t n = 0;
	int e = netlink_send(l->rtnl, netlink_msg(RTM_GETADDR, NLM_F_DUMP, &all, sizeof(all)),
		"list addresses");

	if (e < 0)
		return links_keep_error(l, e);
	while ((e = netlink_next(l->rtnl, &h)) > 0)
		if (n < max && parse_address(h, ifindex, &a) == 0)
			ret[n++] = a;
	return e < 0 ? links_keep_error(l, e) : (int)n;
}

int links_addresses(struct links *l, int ifindex, struct link_address *ret, size_t max)
{
	int n = -EINTR;

	for (int i = 0; n == -EINTR && i < NETLINK_LIST_TRIES; i++)
		n = read_addresses(l, ifindex, ret, max);
	return n;
}
