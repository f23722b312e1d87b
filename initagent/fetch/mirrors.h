/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mirrors: the places a file may be fetched from, in this node's order, and what is remembered of each: how often
 * it failed in a row, until when it is left alone, and whether it is out for good. Pure.
 */
#pragma once

#include "url.h"

#define MIRRORS_MAX 16

struct mirror {
	struct url url;
	unsigned failures;  /* in a row */
	unsigned damage;    /* wrong bytes it gave */
	uint64_t ready;	    /* not before */
	bool out;
};

struct mirrors {
	size_t n;
	struct mirror list[MIRRORS_MAX];
};

/*
 * mirrors_set: in the order of node's preference. 0, -EINVAL (*ret_bad is the one that is no URL) or -E2BIG (none, or
 * too many).
 */
int mirrors_set(struct mirrors *m, const char *const *urls, size_t n, uint64_t node, const char **ret_bad);

/*
 * mirrors_pick: the one to ask now: of those that are ready the one with the fewest failures, then the one preferred.
 * NULL: none is ready before *ret_when; NSEC_NEVER: all are out.
 */
struct mirror *mirrors_pick(struct mirrors *m, uint64_t now, uint64_t *ret_when);

/* mirror_failed: leave it alone for a while. after: what Retry-After asked for, in seconds, 0: nothing. */
void mirror_failed(struct mirror *m, uint64_t after, uint32_t random, uint64_t now);

/* mirror_damaged: it gave wrong bytes; the third time it is out. */
void mirror_damaged(struct mirror *m, uint32_t random, uint64_t now);

/* mirror_good: it gives what it should. */
void mirror_good(struct mirror *m);
