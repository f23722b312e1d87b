/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private: what the cache's process sends, and its work without the search for a disk; for cache.c
 * and its tests. */
#pragma once

#include "root/cache/cache.h"

struct cache_message {
	uint32_t final; /* 0: progress */
	uint32_t good;	/* final: done */
	int32_t cause;
	uint64_t bytes, size;
	char text[CACHE_TEXT_MAX];
};

/* cache_work_in: keeps or loads the image in a folder that is open, which it closes. Replies as a
 * worker. */
void cache_work_in(const struct cache_config *cfg, int dir);
