/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache_work: what the cache's child does and what it sends. Internal to the room. */
#pragma once

#include "root/cache/cache.h"

/* A disk's driver may still be loading when the first address is there. */
#define CACHE_WAIT_NS (10 * NSEC_PER_SEC)

struct cache_message {
	uint32_t final;	/* 0: progress */
	uint32_t good;	/* final: done */
	int32_t cause;
	uint64_t bytes, size;
	char text[CACHE_TEXT_MAX];
};

/* cache_work: all of it; messages go to fd out (SOCK_SEQPACKET). Blocks. */
void cache_work(const struct env *env, const struct cache_config *cfg, int out);

/* cache_work_in: the same in a folder that is open. */
void cache_work_in(const struct cache_config *cfg, int dir, int out);
