/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stall_limit: how fast bytes come, and whether they still do. A transfer counts as stalled when a
 * window passes with less than STALL_LIMIT_BYTES bytes: that finds silence as well as a server that
 * drips a byte now and then. Pure.
 */
#pragma once

#include "base/util.h"

#define STALL_LIMIT_NS (15 * NSEC_PER_SEC)
#define STALL_LIMIT_BYTES     (64 * 1024)

struct stall_limit {
	uint64_t window;	    /* ns */
	uint64_t since, floor;	    /* the window's start, and how many bytes there were then */
	uint64_t bytes;
	uint64_t rate_since, rate_bytes, rate; /* bytes a second over about the last second */
	uint64_t waited, rate_waited;
	bool busy; /* in that time the receiver waited for bytes less than a quarter of it */
};

/* stall_limit_begin: a transfer begins now; window in ns, 0: STALL_LIMIT_NS. The rate of the last
 * one stays. */
void stall_limit_begin(struct stall_limit *p, uint64_t window, uint64_t bytes, uint64_t now);

/* stall_limit_bytes: so many have come by now, since the very beginning; the receiver has waited
 * for them for so long (ns, since its start). */
void stall_limit_bytes(struct stall_limit *p, uint64_t bytes, uint64_t waited, uint64_t now);

/* stall_limit_deadline: when it counts as stalled. */
uint64_t stall_limit_deadline(const struct stall_limit *p);
