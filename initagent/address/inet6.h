/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inet6: the kernel's side of IPv6 on an interface: switching it on, hearing of changes, and what
 * its addresses and routers are at this moment. The kernel does neighbour discovery, duplicate
 * address detection and automatic addresses (RFC 4861, 4862) by itself; we only watch.
 */
#pragma once

#include "base/env.h"
#include "base/netlink.h"
#include "link/link.h"

/* What the interface may take from router advertisements. */
enum inet6_routers {
	INET6_ROUTERS_AS_IS, /* static addresses: as the kernel has it */
	INET6_ROUTERS_NONE,  /* link6 */
	INET6_ROUTERS_ROUTES, /* dhcp6: routes and what is on the link */
	INET6_ROUTERS_ALL,   /* auto6: addresses, too */
};

/* inet6_available: false when the kernel has no IPv6, or not yet (its module is still loading). */
bool inet6_available(void);

/* What inet6_prepare() changed for the time of the boot only; -1: nothing. */
#define INET6_TEMPORARY 4
struct inet6_saved {
	int old[INET6_TEMPORARY];
};

struct inet6_wish {
	enum inet6_routers routers;
	bool optimistic; /* addresses are usable while they are checked (RFC 4429) */
	bool no_default_route; /* it is another interface's (bootdev=) */
	/* an earlier run left addresses: IPv6 is not to be switched off even for a moment */
	bool in_use;
};

/*
 * inet6_prepare: writes /proc/sys/net/ipv6/conf/NAME: IPv6 and a link-local address on,
 * advertisements as said, no random wait before the first solicitation and address check (nodes
 * spread by themselves; RFC 4861 section 6.3.7 has up to 1 s), on IPoIB more than one solicitation
 * of that check. Only what differs is written. An interface that was up without listening to
 * routers, and has no address of theirs, has IPv6 switched off and on, so that it asks for one at
 * once. A file that cannot be written is no error: what follows from it is seen later.
 */
void inet6_prepare(const struct env *env, const struct netdev *dev, const struct inet6_wish *wish,
	struct inet6_saved *ret);

/* inet6_restore: the real root finds the switches that are a matter of the boot as they were. */
void inet6_restore(const struct env *env, const char *ifname, const struct inet6_saved *saved);

/* inet6_restart: IPv6 off and on again: all its addresses are made again. */
void inet6_restart(const struct env *env, const char *ifname);

/*
 * inet6_solicit: asks routers to advertise themselves (RFC 4861 section 4.1). The kernel does so
 * only when the link-local address is past its check, a second later; an optimistic one may be used
 * for it before (RFC 4429 section 3.2: without the link-layer address, which this has not). What
 * cannot be sent is left to the kernel.
 */
void inet6_solicit(int ifindex);

/* --- changes ------------------------------------------------------------------------------- */

struct inet6_monitor {
	struct nl_sock *sock; /* NULL: not open */
	struct nlmsghdr *next; /* of what was received last */
	int left;
	char buffer[16384] __attribute__((aligned(NLMSG_ALIGNTO)));
};

/* A change of addresses, routers or routes of an interface, or options of an advertisement. */
struct inet6_notice {
	int ifindex;	     /* 0: of any; notifications were lost */
	const void *options; /* struct nduseroptmsg and what follows, unparsed; NULL: none */
	size_t len;
	struct inet_addr duplicate; /* removed, as another host has it; family 0: none */
};

/* inet6_monitor_open: 0, also when it is open, or -errno. */
int inet6_monitor_open(struct inet6_monitor *m);

/* inet6_monitor_next: the next notice, its pointer valid until the next call; false: none. */
bool inet6_monitor_next(struct inet6_monitor *m, struct inet6_notice *ret);

/* --- the present --------------------------------------------------------------------------- */

enum inet6_verdict {
	INET6_ABSENT,
	INET6_TENTATIVE, /* duplicate address detection goes on */
	INET6_USABLE,	 /* maybe still being checked, but optimistic */
	INET6_DUPLICATE, /* another host has it */
};

/* inet6_verdict: of an address as the kernel lists it. Pure. */
enum inet6_verdict inet6_verdict(const struct link_address *a);

struct inet6_view {
	enum inet6_verdict link_local; /* the best of them */
	struct inet_addr link_local_addr;
	/* of the address made from an advertisement: one that is not deprecated if any */
	enum inet6_verdict automatic;
	struct link_address automatic_addr;
	enum inet6_verdict wanted;     /* the address asked about */
	struct link_routers routers;
};

/*
 * inet6_look: reads it all; wanted may be NULL, and is never taken for an automatic one. Of several
 * automatic addresses of the same use *ret keeps the one it had (zeroes: none). 0 or -errno.
 */
int inet6_look(struct links *links, int ifindex, const struct inet_addr *wanted,
	struct inet6_view *ret);
