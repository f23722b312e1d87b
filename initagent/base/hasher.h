/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hasher: SHA-256 in a thread of its own, so that a digest takes no time beside reading and writing
 * where a second processor is idle. Owns the thread, which ends with the process; one that drops
 * its rights makes it before.
 * In: parts of what is hashed, in order. Out: the states they were added to.
 * Callers: fetch/, root/cache/. Tests: fetch/test_intake.c, root/cache/test_cache.c.
 */
#pragma once

#include "base/sha256.h"

struct hasher;

/* hasher_new: starts the thread. 0 or -errno. There is no way to stop it but the end of the
 * process. */
int hasher_new(struct hasher **ret);

/*
 * hasher_add: queues data to be added to *s, after all that was queued before; waits while the
 * queue is full. data and *s belong to the thread until hasher_wait() has returned for the ticket
 * that this returns (counted from 1).
 */
uint64_t hasher_add(struct hasher *h, struct sha256 *s, const void *data, size_t len);

/* hasher_wait: until all up to this ticket is added; 0: returns at once. */
void hasher_wait(struct hasher *h, uint64_t ticket);
