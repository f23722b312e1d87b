/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache: images on a local disk (rd.root.cache=). It owns a process, since disks block: it mounts
 * the file system without a place, copies, and is gone with the mount.
 * In: where, the image's digest, a file. Out: the file filled or kept, or why not, which never ends
 * a boot.
 * Callers: root/web/. Tests: test_*.c here, tests/web.bats.
 *
 * A disk that does not respond for 30 s is given up.
 */
#pragma once

#include "base/env.h"
#include "base/sha256.h"
#include "report/causes.h"

#define CACHE_TEXT_MAX 320

struct cache;

enum cache_event {
	CACHE_EVENT_NONE,
	CACHE_EVENT_PROGRESS, /* cache_progress() has moved */
	CACHE_EVENT_DONE,     /* the image is in the file and is right, or it is kept */
	CACHE_EVENT_MISSED,   /* cache_failure() says why; CAUSE_NONE: it is just not there, or is
				 kept already */
};

struct cache_config {
	const char *place; /* "DEVICE[:/DIR]"; borrowed */
	uint8_t sha256[SHA256_SIZE];
	int file;	   /* the image, in memory: to be filled, or to be kept. The caller's, until
				cache_free() in use */
	uint64_t size;	   /* filling: what it must have; 0: not known */
	uint64_t limit;	   /* filling: room for so many bytes */
	bool keep;	   /* keep the file's content; else fill it */
};

/* cache_new: starts the process. 0 or -errno. */
int cache_new(struct cache **ret, const struct env *env, const struct cache_config *cfg,
	uint64_t now);

/* cache_free: ends the process; one that waits for a disk is left to the kernel. */
struct cache *cache_free(struct cache *c);
DEFINE_FREEP(struct cache, cache_free)

int cache_fd(const struct cache *c);
uint64_t cache_deadline(const struct cache *c);
void cache_dispatch(struct cache *c, uint64_t now);
enum cache_event cache_pop_event(struct cache *c);

/* cache_progress: bytes copied, of all (0: not known yet). */
void cache_progress(const struct cache *c, uint64_t *ret_bytes, uint64_t *ret_size);

/* cache_failure: after CACHE_EVENT_MISSED. */
enum cause cache_failure(const struct cache *c, const char **ret_text);
