/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * climb: how many connections a transfer shall have. One, until it was seen for a while to leave both the link and this node
 * idle; then two; four, if two are clearly faster than one. What is not clearly faster is taken back, and not
 * tried again. Pure.
 */
#pragma once

#include "base/util.h"

#define CLIMB_LANES_MAX 4
/* After a change a connection needs time to get up to its speed; then the time over which a rate is taken. */
#define CLIMB_SETTLE_NS (NSEC_PER_SEC / 2)
#define CLIMB_PERIOD_NS NSEC_PER_SEC
/* Less than this is left: not worth it. */
#define CLIMB_LEFT_S 4

struct climb {
	unsigned lanes, limit; /* now; never more than */
	bool settling;
	uint64_t since, bytes, idle; /* the period's begin, and how much there was of them then */
	uint64_t rate, before;	     /* bytes a second: of the last period; of the last one with fewer lanes */
	uint64_t link;		     /* what the link can do, bytes a second; 0: unknown */
};

/* climb_begin: one connection begins now; never more than limit. */
void climb_begin(struct climb *c, unsigned limit, uint64_t link, uint64_t now);

/*
 * climb_step: bytes have come so far, idle ns of the time went by with waiting for more, left bytes are missing. How many
 * connections there shall be from now on.
 */
unsigned climb_step(struct climb *c, uint64_t bytes, uint64_t idle, uint64_t left, uint64_t now);

/* climb_lost: only so many work; it stays with them. */
void climb_lost(struct climb *c, unsigned lanes, uint64_t now);
