/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pace: how fast bytes come, and whether they still do. A transfer counts as stalled when a window passes with
 * less than PACE_LEAST bytes: that finds silence as well as a server that drips a byte now and then. Pure.
 */
#pragma once

#include "base/util.h"

#define PACE_WINDOW_NS (15 * NSEC_PER_SEC)
#define PACE_LEAST     (64 * 1024)

struct pace {
	uint64_t window;	    /* ns */
	uint64_t since, floor;	    /* the window's begin, and how many bytes there were then */
	uint64_t bytes;
	uint64_t rate_since, rate_bytes, rate; /* bytes a second over about the last second */
	bool held;		    /* we are the ones who do not read */
};

/* pace_begin: a transfer begins now; window in ns, 0: PACE_WINDOW_NS. The rate of the last one stays. */
void pace_begin(struct pace *p, uint64_t window, uint64_t bytes, uint64_t now);

/* pace_bytes: so many have come by now, since the very beginning. */
void pace_bytes(struct pace *p, uint64_t bytes, uint64_t now);

/* pace_hold: the receiver of the bytes is the one that is slow (or no more): time does not count. */
void pace_hold(struct pace *p, bool held, uint64_t now);

/* pace_deadline: when it will be stalled; pace_stalled: is it? */
uint64_t pace_deadline(const struct pace *p);
bool pace_stalled(const struct pace *p, uint64_t now);
