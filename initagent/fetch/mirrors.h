/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mirrors: the places a file may be fetched from, in this node's order. It owns what is remembered
 * of each: how often it failed in a row, until when it is left alone, and whether it is out for
 * good. Pure.
 * In: URLs, the node's number, how attempts ended, random bits. Out: the mirror whose turn it is,
 * or when one is ready.
 * Callers: root/web/. Tests: test_mirrors.c, test_fetch.c.
 */
#pragma once

#include "url.h"

#define MIRRORS_MAX 16

/* Of the wait before a mirror is asked again: the bound of the first one and of all, and the
 * shortest one. */
#define BACKOFF_FIRST_NS    (NSEC_PER_SEC)
#define BACKOFF_LAST_NS	    (10 * NSEC_PER_SEC)
#define BACKOFF_LEAST_NS    (20 * NSEC_PER_MSEC)
/* A server that asks for more is asked again all the same: a node that boots cannot wait for an
 * hour. */
#define BACKOFF_AFTER_MAX_S 120

struct mirror {
	struct url url;
	unsigned failures;  /* in a row */
	unsigned damage;    /* wrong bytes it gave */
	unsigned refused;   /* what no other attempt would change */
	uint64_t ready;	    /* not before */
	bool told;	    /* the server itself named that time (Retry-After) */
	bool out;
};

struct mirrors {
	size_t n;
	struct mirror list[MIRRORS_MAX];
};

/*
 * mirrors_set: in the order of node's preference. 0, -EINVAL (*ret_bad is the one that is no URL)
 * or -E2BIG (none, or too many).
 */
int mirrors_set(struct mirrors *m, const char *const *urls, size_t n, uint64_t node,
	const char **ret_bad);

/*
 * mirrors_pick: the one to ask now: of those that are ready the one with the fewest failures, then
 * the one preferred. NULL: none is ready before *ret_when; NSEC_NEVER: all are out.
 */
struct mirror *mirrors_pick(struct mirrors *m, uint64_t now, uint64_t *ret_when);

/* mirror_failed: leave it alone for a while. after: what Retry-After asked for, in seconds, 0:
 * nothing. */
void mirror_failed(struct mirror *m, uint64_t after, uint32_t random, uint64_t now);

/* mirrors_other_way: all are reached over another interface now: those that were only silent may be
 * asked at once. */
void mirrors_other_way(struct mirrors *m, uint64_t now);

/* mirror_damaged: it gave wrong bytes; the third time it is out. */
void mirror_damaged(struct mirror *m, uint32_t random, uint64_t now);

/* mirror_good: it gives what it should. */
void mirror_good(struct mirror *m);

/*
 * rendezvous_weight: the number that a node draws for a mirror from its own identity and the
 * mirror's URL; the highest is asked first. Nodes spread evenly without knowing of each other, and
 * when a mirror is added or lost only its share moves. rendezvous_order: the indexes of urls in
 * that order.
 */
uint64_t rendezvous_weight(uint64_t node, const char *url);
void rendezvous_order(uint64_t node, const char *const *urls, size_t n, uint8_t *order);

/*
 * backoff_ns: the wait after that many failures in a row (1: the first), drawn by 32 random bits
 * from the whole span up to a bound that doubles: nodes that failed in the same moment come back
 * spread out. backoff_after_ns: where the server asked for a wait (Retry-After); never less, except
 * for the bound above.
 */
uint64_t backoff_ns(unsigned failures, uint32_t random);
uint64_t backoff_after_ns(uint64_t seconds, unsigned failures, uint32_t random);
