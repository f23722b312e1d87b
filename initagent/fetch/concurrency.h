/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * concurrency: how many connections a transfer shall have. One, until it was seen for a while to
 * leave both the link and this node idle; then two; four, if two are clearly faster than one. What
 * is not clearly faster is taken back, and not tried again. Pure.
 */
#pragma once

#include "base/util.h"

#define CONNECTIONS_MAX 4
/* After a change a connection needs time to get up to its speed; then the time over which a rate is
 * taken. */
#define CONCURRENCY_SETTLE_NS (NSEC_PER_SEC / 2)
#define CONCURRENCY_PERIOD_NS NSEC_PER_SEC
/* Less than this is left: not worth it. */
#define CONCURRENCY_LEFT_S 4

struct concurrency {
	unsigned connections, limit; /* now; never more than */
	bool settling;
	uint64_t since, bytes, idle; /* the period's start, and how much there was of them then */
	uint64_t rate, before; /* bytes a second: of the last period; of the last one with fewer
				  connections */
	uint64_t link;		     /* what the link can do, bytes a second; 0: unknown */
};

/* concurrency_begin: one connection begins now; never more than limit. */
void concurrency_begin(struct concurrency *c, unsigned limit, uint64_t link, uint64_t now);

/*
 * concurrency_step: bytes have come so far, idle ns of the time went by with waiting for more, left
 * bytes are missing. How many connections there shall be from now on.
 */
unsigned concurrency_step(struct concurrency *c, uint64_t bytes, uint64_t idle, uint64_t left,
	uint64_t now);

/* concurrency_lost: only so many work; it stays with them. */
void concurrency_lost(struct concurrency *c, unsigned connections, uint64_t now);
