/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmsg: what the kernel said about a module while it was being loaded. Loading returns one errno
 * for very different troubles (ENOENT, EINVAL, ENOEXEC); the words in the kernel log tell them
 * apart. Owns nothing: the descriptor is the caller's, and so is its position.
 * In: records of /dev/kmsg (Documentation/ABI/testing/dev-kmsg, "PRIORITY,SEQ,TIME,FLAGS;TEXT\n
 * KEY=VALUE\n"), a module's name. Out: the line that explains most, and its cause.
 * Callers: doctor/, fabric/, root/block/. Tests: test_modules.c, fuzz_kmsg.c.
 */
#pragma once

#include "base/env.h"
#include "modules/modules.h"
#include "report/causes.h"

struct kmsg_finding {
	enum cause cause; /* CAUSE_NONE: no line that explains it */
	int rank;	  /* how well it explains, for kmsg_judge() */
	char text[MODULE_TEXT_SIZE];
};

/* kmsg_open: /dev/kmsg below the prefix for reading, non-blocking. Returns the fd or -errno. */
int kmsg_open(const struct env *env);

/* kmsg_mark: skips everything said so far. fd may be -1. */
void kmsg_mark(int fd);

/* Records read at most: after one load; of a whole log (far more than the kernel has). */
#define KMSG_RECENT 256
#define KMSG_WHOLE  65536

/*
 * kmsg_each: reads at most so many records from the mark on (without one: from the first) and
 * passes what each read gives to take(). fd may be -1: nothing is read.
 */
void kmsg_each(int fd, unsigned records, void (*take)(const char *buf, size_t len, void *data),
	void *data);

/*
 * kmsg_collect: keeps in ret the line of kmsg_each()'s records that explains most about the module;
 * failed says whether its load failed, since most lines of a loaded module are not errors.
 */
void kmsg_collect(int fd, const char *name, bool failed, unsigned records,
	struct kmsg_finding *ret);

/* kmsg_judge: one record (len bytes, any content) against the best finding so far. Pure. */
void kmsg_judge(
	const char *name, bool failed, const char *record, size_t len, struct kmsg_finding *best);
