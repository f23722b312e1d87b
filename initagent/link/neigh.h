/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * neigh: the neighbour probes of the link room; links_probe() in link.h says what they do. A probe
 * is a small state machine fed with the kernel's neighbour notifications and the time.
 */
#pragma once

#include "link/link.h"
#include "link/netdev.h"

#define NEIGH_PROBES_MAX  8
#define NEIGH_RETRY_FIRST (250 * NSEC_PER_MSEC)
#define NEIGH_RETRY_MAX	  (2 * NSEC_PER_SEC)

enum neigh_state {
	NEIGH_FREE,
	NEIGH_ASKING,	 /* the kernel is at it */
	NEIGH_PAUSING,	 /* the kernel gave up; asked again at retry */
	NEIGH_REACHABLE, /* to be popped */
	NEIGH_FAILED,	 /* to be popped */
};

struct neigh_probe {
	enum neigh_state state;
	int ifindex;
	struct inet_addr addr; /* what the caller asked for */
	struct inet_addr hop;  /* whose entry it takes: addr or a gateway */
	uint64_t limit;	       /* absolute */
	uint64_t retry;	       /* absolute; NSEC_NEVER while asking */
	uint64_t pause;
};

/* neigh_running: asking or pausing. */
static inline bool neigh_running(const struct neigh_probe *p)
{
	return p->state == NEIGH_ASKING || p->state == NEIGH_PAUSING;
}

/* neigh_deadline: when neigh_tick() has something to do; 0: a result waits; NSEC_NEVER: never. */
uint64_t neigh_deadline(const struct neigh_probe *p);

/* neigh_ask: has the kernel resolve p->hop. 0 or -errno (then the probe pauses). */
int neigh_ask(struct neigh_probe *p, struct netlink *rtnl, uint64_t now);

void neigh_tick(struct neigh_probe *p, struct netlink *rtnl, uint64_t now);

/* neigh_notice: an RTM_NEWNEIGH or RTM_DELNEIGH message, of whichever entry. */
void neigh_notice(struct neigh_probe *p, struct nlmsghdr *h, struct netlink *rtnl, uint64_t now);
