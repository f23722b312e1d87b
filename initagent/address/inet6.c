// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/inet6.h"

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <netlink/netlink.h>
#include <netinet/icmp6.h>
#include <netlink/socket.h>
#include <sys/socket.h>

#include "base/netlink.h"

#define ADDRESSES_MAX 32
#define CONF	      "/proc/sys/net/ipv6/conf/%s/%s"

bool inet6_available(void)
{
	_cleanup_close_ int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd >= 0;
}

/* --- switches ------------------------------------------------------------------------------ */

/* The number in a file, -1 when there is none. */
static int read_conf(const struct env *env, const char *ifname, const char *key)
{
	char text[16];
	uint32_t value;
	int len = env_read(env, text, sizeof(text), CONF, ifname, key);

	return len > 0 && value_u32(text, (size_t)len, INT32_MAX, &value) == 0 ? (int)value : -1;
}

/* A kernel without this switch, or one that refuses, goes on as it is. */
static void write_conf(const struct env *env, const char *ifname, const char *key, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", value);
	(void)env_write(env, text, CONF, ifname, key);
}

static void set_conf(const struct env *env, const char *ifname, const char *key, int value)
{
	int now = read_conf(env, ifname, key);

	if (now >= 0 && now != value)
		write_conf(env, ifname, key, value);
}

void inet6_restart(const struct env *env, const char *ifname)
{
	write_conf(env, ifname, "disable_ipv6", 1);
	write_conf(env, ifname, "disable_ipv6", 0);
}

/* A node that forwards listens to routers only when told twice (2; ip-sysctl.rst, accept_ra). */
static void listen_to_routers(const struct env *env, const char *ifname, enum inet6_routers routers)
{
	int accept = read_conf(env, ifname, "accept_ra");
	int want = read_conf(env, ifname, "forwarding") > 0 ? 2 : 1;

	if (routers == INET6_ROUTERS_NONE)
		set_conf(env, ifname, "accept_ra", 0);
	else if (routers != INET6_ROUTERS_AS_IS && accept < want)
		set_conf(env, ifname, "accept_ra", want);
	if (routers == INET6_ROUTERS_ALL)
		set_conf(env, ifname, "autoconf", 1);
}

/*
 * On IPoIB the first solicitation, the only one by default, is lost (measured): it is sent to a
 * group that the port joins at that moment. Further ones follow a second apart.
 */
#define IPOIB_SOLICITATIONS 3

static const struct {
	const char *key;
	int value;
	bool optimistic, ipoib; /* only then */
} temporary[INET6_TEMPORARY] = {
	{"router_solicitation_delay", 0, false, false},
	{"optimistic_dad", 1, true, false},
	{"use_optimistic", 1, true, false},
	{"dad_transmits", IPOIB_SOLICITATIONS, false, true},
};

void inet6_prepare(const struct env *env, const struct netdev *dev, const struct inet6_wish *wish,
	struct inet6_saved *ret)
{
	const char *name = dev->name;
	bool deaf = read_conf(env, name, "accept_ra") == 0 && wish->routers >= INET6_ROUTERS_ROUTES;

	/* 1: no link-local address at all (NetworkManager leaves that behind); the others make
	 * one. */
	if (read_conf(env, name, "addr_gen_mode") == 1)
		write_conf(env, name, "addr_gen_mode", 0);
	for (size_t i = 0; i < ARRAY_SIZE(temporary); i++) {
		bool apply = (wish->optimistic || !temporary[i].optimistic) &&
			(dev->hwtype == ARPHRD_INFINIBAND || !temporary[i].ipoib);

		ret->old[i] = apply ? read_conf(env, name, temporary[i].key) : -1;
		if (apply)
			set_conf(env, name, temporary[i].key, temporary[i].value);
	}
	if (wish->no_default_route)
		set_conf(env, name, "accept_ra_defrtr", 0);
	listen_to_routers(env, name, wish->routers);
	if (deaf && dev->up && !wish->in_use && read_conf(env, name, "disable_ipv6") == 0)
		inet6_restart(env, name);
	else
		set_conf(env, name, "disable_ipv6", 0);
}

void inet6_restore(const struct env *env, const char *ifname, const struct inet6_saved *saved)
{
	for (size_t i = 0; i < ARRAY_SIZE(temporary); i++)
		if (saved->old[i] >= 0)
			set_conf(env, ifname, temporary[i].key, saved->old[i]);
}

void inet6_solicit(int ifindex)
{
	/* the kernel fills in the checksum */
	static const uint8_t message[8] = {ND_ROUTER_SOLICIT};
	const struct sockaddr_in6 routers = {.sin6_family = AF_INET6,
		.sin6_scope_id = (uint32_t)ifindex, .sin6_addr = {{{0xff, 0x02, [15] = 2}}}};
	_cleanup_close_ int fd =
		socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_ICMPV6);
	const int hops = 255;

	if (fd >= 0 && setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, &hops, sizeof(hops)) == 0)
		(void)sendto(fd, message, sizeof(message), 0, (const struct sockaddr *)&routers,
			sizeof(routers));
}

/* --- changes ------------------------------------------------------------------------------- */

int inet6_monitor_open(struct inet6_monitor *m)
{
	static const int groups[] = {RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV6_IFINFO, RTNLGRP_IPV6_ROUTE,
		RTNLGRP_ND_USEROPT, 0};

	return m->sock ? 0 : netlink_listen(&m->sock, groups);
}

/* An automatic address that another host has is removed by the kernel at once
 * (addrconf_dad_stop()); only this message tells why. */
static void take_duplicate(struct nlmsghdr *h, struct inet6_notice *ret)
{
	const struct ifaddrmsg *m = nlmsg_data(h);
	const struct nlattr *a = nlmsg_find_attr(h, sizeof(*m), IFA_ADDRESS);

	if (h->nlmsg_type != RTM_DELADDR || !(m->ifa_flags & IFA_F_DADFAILED) || !a ||
		nla_len(a) < 16)
		return;
	ret->duplicate.family = AF_INET6;
	memcpy(ret->duplicate.bytes, nla_data(a), 16);
}

/* Routes carry their interface in an attribute; the others begin with a header that holds it. */
static bool take_message(struct nlmsghdr *h, struct inet6_notice *ret)
{
	*ret = (struct inet6_notice){0};
	switch (h->nlmsg_type) {
	case RTM_NEWADDR:
	case RTM_DELADDR:
		if (!nlmsg_valid_hdr(h, sizeof(struct ifaddrmsg)))
			return false;
		ret->ifindex = (int)((struct ifaddrmsg *)nlmsg_data(h))->ifa_index;
		take_duplicate(h, ret);
		return true;
	case RTM_NEWLINK:
		if (!nlmsg_valid_hdr(h, sizeof(struct ifinfomsg)))
			return false;
		ret->ifindex = ((struct ifinfomsg *)nlmsg_data(h))->ifi_index;
		return true;
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		if (!nlmsg_valid_hdr(h, sizeof(struct rtmsg)))
			return false;
		ret->ifindex =
			(int)netlink_u32(nlmsg_find_attr(h, sizeof(struct rtmsg), RTA_OIF));
		return true;
	case RTM_NEWNDUSEROPT:
		if (!nlmsg_valid_hdr(h, sizeof(struct nduseroptmsg)))
			return false;
		ret->ifindex = ((struct nduseroptmsg *)nlmsg_data(h))->nduseropt_ifindex;
		ret->options = nlmsg_data(h);
		ret->len = (size_t)nlmsg_datalen(h);
		return true;
	}
	return false;
}

/* ENOBUFS: the kernel dropped some; all interfaces are looked at again. */
bool inet6_monitor_next(struct inet6_monitor *m, struct inet6_notice *ret)
{
	for (;;) {
		ssize_t n;

		while (m->left > 0 && nlmsg_ok(m->next, m->left)) {
			struct nlmsghdr *h = m->next;

			m->next = nlmsg_next(h, &m->left);
			if (take_message(h, ret))
				return true;
		}
		n = recv(nl_socket_get_fd(m->sock), m->buffer, sizeof(m->buffer), MSG_DONTWAIT);
		if (n < 0 && errno == ENOBUFS) {
			*ret = (struct inet6_notice){0};
			return true;
		}
		if (n <= 0)
			return false;
		m->next = (struct nlmsghdr *)m->buffer;
		m->left = (int)n;
	}
}

/* --- the present --------------------------------------------------------------------------- */

enum inet6_verdict inet6_verdict(const struct link_address *a)
{
	if (a->flags & IFA_F_DADFAILED)
		return INET6_DUPLICATE;
	return a->flags & IFA_F_TENTATIVE && !(a->flags & IFA_F_OPTIMISTIC) ? INET6_TENTATIVE
		: INET6_USABLE;
}

/* The higher, the nearer to being of use. */
static const uint8_t rank[] = {
	[INET6_ABSENT] = 0, [INET6_DUPLICATE] = 1, [INET6_TENTATIVE] = 2, [INET6_USABLE] = 3,
};

/* Made by the kernel from a prefix: it has an end (or could have) and no IFA_F_PERMANENT, unlike
 * what people set. */
static bool is_automatic(const struct link_address *a)
{
	return !(a->flags & (IFA_F_PERMANENT | IFA_F_TEMPORARY));
}

/*
 * A deprecated address is as valid as any other (RFC 4862 section 5.5.4), but one that is not comes
 * first (RFC 6724 section 5, rule 3). Among equals the one of the last look: a further prefix is no
 * reason to change over.
 */
static unsigned preference(const struct link_address *a, const struct inet_addr *before)
{
	return rank[inet6_verdict(a)] * 4U + (a->flags & IFA_F_DEPRECATED ? 0 : 2)
		+ inet_equal(&a->addr, before);
}

static void take_address(const struct link_address *a, const struct inet_addr *wanted,
	const struct inet_addr *before, struct inet6_view *ret)
{
	enum inet6_verdict v = inet6_verdict(a);

	if (a->addr.family != AF_INET6)
		return;
	if (wanted && inet_equal(&a->addr, wanted)) {
		ret->wanted = v;
	} else if (IN6_IS_ADDR_LINKLOCAL(&a->addr.v6) && rank[v] > rank[ret->link_local]) {
		ret->link_local = v;
		ret->link_local_addr = a->addr;
	} else if (!IN6_IS_ADDR_LINKLOCAL(&a->addr.v6) && is_automatic(a) &&
		(ret->automatic == INET6_ABSENT ||
			preference(a, before) > preference(&ret->automatic_addr, before))) {
		ret->automatic = v;
		ret->automatic_addr = *a;
	}
}

int inet6_look(struct links *links, int ifindex, const struct inet_addr *wanted,
	struct inet6_view *ret)
{
	const struct inet_addr before = ret->automatic_addr.addr;
	struct link_address set[ADDRESSES_MAX];
	int n = links_addresses(links, ifindex, set, ARRAY_SIZE(set));

	*ret = (struct inet6_view){0};
	for (int k = 0; k < n; k++)
		take_address(&set[k], wanted, &before, ret);
	return n < 0 ? n : links_routers(links, ifindex, &ret->routers);
}
