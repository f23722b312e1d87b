/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backoff: how long to wait before a mirror is asked again. The wait is drawn from the whole span up to a
 * doubling bound ("full jitter"): thousands of nodes that failed in the same moment come back spread out. Pure.
 */
#pragma once

#include "base/util.h"

/* The bound of the first wait and of all, and the shortest one. */
#define BACKOFF_FIRST_NS (NSEC_PER_SEC)
#define BACKOFF_LAST_NS	 (10 * NSEC_PER_SEC)
#define BACKOFF_LEAST_NS (20 * NSEC_PER_MSEC)
/* A server that asks for more is asked again all the same: a node that boots cannot wait for an hour. */
#define BACKOFF_AFTER_MAX_S 120

/* backoff_ns: after that many failures in a row (1: the first); random: 32 random bits. */
uint64_t backoff_ns(unsigned failures, uint32_t random);

/* backoff_after_ns: when the server asked for a wait (Retry-After); never less, except for the bound above. */
uint64_t backoff_after_ns(uint64_t seconds, unsigned failures, uint32_t random);
