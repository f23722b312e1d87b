/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * link: the network interfaces of this node over rtnetlink: which there are, what state they are
 * in, and every change we make to them (up, MTU, name, addresses, routes, neighbour entries). It
 * owns the rtnetlink sockets, the list of interfaces, neighbour probes.
 * In: the kernel's notifications, requests. Out: events, the list, the kernel's words on a refusal.
 * Callers: address/, rails/, resolver/, root/nfs/. Tests: link/test_*.c, tests/address*.bats.
 *
 * Identity is the ifindex; names change under us. Carrier is IFF_LOWER_UP: the kernel reports
 * operational "RUNNING" up to a second later than packets can flow, on IPoIB it means "broadcast
 * group joined". Requests are answered by the kernel within the call; the kernel's own words about
 * a refused one (extended ack) are kept for links_error().
 */
#pragma once

#include <net/if.h>

#include "base/env.h"
#include "plan.h"

#define LINK_HW_MAX  32 /* the kernel's MAX_ADDR_LEN */
#define LINK_FOREVER UINT32_MAX /* address lifetime without end (INFINITY_LIFE_TIME) */

struct links;

/* A link-layer address as the kernel gives it: 6 bytes on Ethernet, 20 on IPoIB. */
struct link_hw {
	uint8_t len;
	uint8_t bytes[LINK_HW_MAX];
};

struct netdev {
	int ifindex;
	char name[IFNAMSIZ];
	uint16_t hwtype; /* ARPHRD_*: 1 Ethernet, 32 InfiniBand, 772 loopback */
	struct link_hw hw, broadcast;
	struct link_hw permanent; /* len 0: the driver tells none */
	uint32_t mtu;
	bool up;	   /* IFF_UP: asked to be up */
	bool carrier;	   /* IFF_LOWER_UP, and the send queue is active */
	bool noarp;	   /* no link-layer addresses to resolve here (loopback, IFF_NOARP) */
	/* a bond in 802.3ad that has seen no partner, or an interface on top of one: no carrier */
	bool no_partner;
	int parent_ifindex; /* of a VLAN, P_Key child, veth in this namespace ...; 0: none */
	int master_ifindex; /* the bond or bridge it is a part of; 0: none */
	char kind[16];	   /* "vlan", "ipoib", "veth"; "" for hardware */
};

enum link_event_type {
	LINK_ADDED,
	LINK_CHANGED,	       /* state, name, address or MTU */
	LINK_GONE,
	LINK_NEIGH_REACHABLE,  /* the probed address answered; its entry is NUD_REACHABLE */
	LINK_NEIGH_FAILED,     /* nothing answered within the probe's limit */
};

struct link_event {
	enum link_event_type type;
	struct netdev dev;     /* a copy, as last seen */
	struct inet_addr addr; /* LINK_NEIGH_*: the address probed for */
};

struct link_address {
	struct inet_addr addr;
	uint8_t prefix;
	struct inet_addr broadcast; /* family 0: computed for prefixes up to 30 */
	struct inet_addr peer;	    /* family 0: no point-to-point peer */
	uint32_t valid_s;	    /* LINK_FOREVER, or the kernel removes the address by itself */
	bool no_dad;		    /* IPv6: usable at once */
	/* IPv6: usable while its check goes on, where the interface allows it */
	bool optimistic;
	uint32_t metric;	    /* of the route to the subnet; 0: the kernel's own */
	uint32_t flags;		    /* IFA_F_* as the kernel has them; not used when setting */
};

/* What the kernel has learnt from router advertisements (RFC 4861) on an interface. */
struct link_routers {
	bool heard;		  /* at least one was taken */
	bool managed, other;	  /* their M and O flags: DHCPv6 has addresses, or the rest */
	/* of the default route with the least metric, of the preferred router; family 0: none */
	struct inet_addr gateway;
};

struct link_route {
	int ifindex;
	struct inet_addr dst; /* family as the gateway's; address 0 with prefix 0: default route */
	uint8_t prefix;
	struct inet_addr gateway; /* family 0: on-link */
	struct inet_addr source;  /* preferred source; family 0: the kernel's choice */
	uint32_t metric;	  /* 0: none */
	uint8_t protocol;	  /* RTPROT_*: who made it */
	bool onlink;		  /* the gateway is reachable although no subnet holds it */
};

/*
 * links_new: opens the sockets and reads the list; an event LINK_ADDED is pending for each
 * interface. Returns 0 or -errno. env is borrowed.
 */
int links_new(struct links **ret, const struct env *env, uint64_t now);
struct links *links_free(struct links *l);
DEFINE_FREEP(struct links, links_free)

int links_fd(const struct links *l);
/*
 * links_deadline: of the neighbour probes and of a list to be read again; 0 while an event waits to
 * be popped; NSEC_NEVER: none.
 */
uint64_t links_deadline(const struct links *l);
/* links_dispatch: takes notifications; when the kernel lost some, the list is read again. */
int links_dispatch(struct links *l, uint64_t now);
/* links_pop_event: several changes of one interface between two pops are one event. */
bool links_pop_event(struct links *l, struct link_event *ret);

/* links_next: iterates the interfaces; NULL begins, NULL ends. Valid until the next dispatch. */
const struct netdev *links_next(const struct links *l, const struct netdev *prev);
const struct netdev *links_by_index(const struct links *l, int ifindex);
const struct netdev *links_by_name(const struct links *l, const char *name);
/* links_by_hw: see netdev_matches(); hardware interfaces are preferred to ones made on top. */
const struct netdev *links_by_hw(const struct links *l, const struct hw_addr *hw);

/*
 * netdev_matches: does this address, in any form people write, name the interface? Ethernet: its
 * current or permanent address. IPoIB: 20 bytes and 8 bytes (port GUID) compare the last 8 bytes
 * only, since flags, QPN and subnet prefix change between boots; 6 bytes are the 48-bit form that
 * boot ROMs make of the GUID (bytes 0-2 and 5-7). Pure.
 */
bool netdev_matches(const struct netdev *dev, const struct hw_addr *hw);

/*
 * The changes. Each returns 0 or -errno, with one line in links_error(). The list shows the change
 * when its notification was dispatched.
 */
int links_set_up(struct links *l, int ifindex, bool up);
/* links_gone: the kernel has it no longer, for which a change failed; LINK_GONE is on its way. */
bool links_gone(int ifindex);
/* links_set_mtu: sets it below a VLAN or bridge first, as the kernel limits theirs by it. */
int links_set_mtu(struct links *l, int ifindex, uint32_t mtu);
int links_set_hw(struct links *l, int ifindex, const struct hw_addr *hw);
/* links_rename: takes the interface down and up again if the kernel insists on it. */
int links_rename(struct links *l, int ifindex, const char *name);

/*
 * links_add_ipoib: makes the IPoIB interface of a partition on top of parent's port. pkey with the
 * full-membership bit, as the kernel's own name for it has. 1 when that partition has one already
 * (whatever its name). The interface works only while the P_Key is in the port's table.
 */
int links_add_ipoib(struct links *l, int parent, const char *name, uint16_t pkey);
/* links_set_ipoib_mode: -EINVAL from Enhanced IPoIB, which knows datagram mode only. */
int links_set_ipoib_mode(struct links *l, int ifindex, bool connected);
int links_set_ipoib_umcast(struct links *l, int ifindex, bool on);

/*
 * links_add_made: creates the interface of vlan=, bond= or bridge=; parent: a VLAN's. 1 when one of
 * that name and kind is there: adopted as it is, but a bond without slaves (the driver makes bond0
 * by itself) gets its options. -EEXIST: the name is another kind's.
 */
int links_add_made(struct links *l, const struct plan_link *want, int parent);
/* netdev_is_made: a VLAN, bond or bridge by its kind? netdev_is_upper: one that lower is below? */
bool netdev_is_made(const struct netdev *dev);
bool netdev_is_upper(const struct netdev *dev, const struct netdev *lower);
/*
 * links_waive_partner: the bond counts as having carrier without LACP partner from now on, and so
 * does what is on top of it.
 */
void links_waive_partner(struct links *l, int ifindex, uint64_t now);
/*
 * links_enslave: makes an interface a part of a bond or bridge, up. A bond takes only what is down,
 * and sets its own MTU on it. 1: it is one already.
 */
int links_enslave(struct links *l, const struct plan_link *want, int master, int slave);
/* links_activate: makes a slave the active one, if active_slave= names it; 1: it is now. -EINVAL:
 * for the bond its link is not up yet (bond_option_active_slave_set()). */
int links_activate(struct links *l, const struct plan_link *want, const struct netdev *slave);

/*
 * netdev_pkey: the partition an IPoIB interface is in, netdev_guid: its port GUID (host order);
 * else 0.
 */
uint16_t netdev_pkey(const struct netdev *dev);
uint64_t netdev_guid(const struct netdev *dev);

/*
 * links_add_address, links_add_route: return 1 when it was there before: adopted (and renewed). A
 * route that is not the agent's own, such as the kernel's to a subnet, is never replaced: -EEXIST.
 */
int links_add_address(struct links *l, int ifindex, const struct link_address *a);
int links_del_address(struct links *l, int ifindex, const struct link_address *a);
int links_add_route(struct links *l, const struct link_route *r);
int links_del_route(struct links *l, const struct link_route *r);

/*
 * links_addresses: what is set on ifindex now, read from the kernel. The number written or -errno.
 */
int links_addresses(struct links *l, int ifindex, struct link_address *ret, size_t max);

/*
 * links_settle: has the kernel bring an interface's operational state up to its carrier now, not
 * when its link watch comes to it, up to a second later (kernels from 6.8 on, on a query of one
 * interface; older ones take their time). IPv6 begins only then.
 */
void links_settle(struct links *l, int ifindex);

/* links_routers: read from the kernel; 0 or -errno. A kernel without IPv6 has heard no router. */
int links_routers(struct links *l, int ifindex, struct link_routers *ret);

/*
 * links_lookup: which way would a packet to dst go? Fills ifindex, gateway (family 0: on-link) and
 * source. -ENETUNREACH: no route.
 */
int links_lookup(struct links *l, const struct inet_addr *dst, struct link_route *ret);

/*
 * links_pin: from now on the way to addr, which several interfaces have a route to, is over this
 * one; none of that name: -ENETUNREACH. NULL: over the kernel's choice again.
 */
void links_pin(struct links *l, const struct inet_addr *addr, const char *name);

/*
 * links_probe: makes the kernel resolve the link-layer address of the next hop towards addr, and
 * ends in LINK_NEIGH_REACHABLE or LINK_NEIGH_FAILED (by limit_ns after now). RDMA-CM may stall 5 s
 * when it finds no valid entry, so the root's server is probed before the mount. Even a stale entry
 * is asked again. Schedule: the kernel asks at once and every second (its retrans_time); when it
 * gives up after the third, we begin again after 250 ms, doubling to 2 s, until the limit. A second
 * probe of the same address replaces the first. Returns 0, -ENETUNREACH, -ENOSPC (too many probes)
 * or another -errno.
 */
int links_probe(struct links *l, const struct inet_addr *addr, uint64_t limit_ns, uint64_t now);

/* links_error: words about the last failed change, the kernel's own if it gave any; never NULL. */
const char *links_error(const struct links *l);

/* inet_addr_len: bytes of an address of that family. */
static inline size_t inet_addr_len(int family)
{
	return family == AF_INET6 ? 16 : 4;
}
