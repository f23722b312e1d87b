/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpack: an archive (cpio, tar; plain or packed by gzip, xz or zstd) from a descriptor into a
 * directory. It makes a process in a sandbox, whose owner is the caller.
 * In: untrusted bytes of a file or stream, a directory, limits. Out: files there, and messages:
 * progress, the end, a cause. What is no archive (root.ext4.zst) ends up in one file,
 * IMAGE_UNWRAPPED in that directory.
 * Callers: root/web/. Tests: test_unpack.c, test_unpacked.c, test_flow.c, fuzz_unpack.c.
 *
 * A build without archives has unpack_none.c instead.
 */
#pragma once

#include "base/worker.h"
#include "root/image/kind.h"
#include "root/image/writer.h"

/* Name of the one file; no archive can hold it, since slashes never end up in a name. */
#define IMAGE_UNWRAPPED "image"

#define UNPACK_TEXT_MAX 300

/* More entries than any root has; each costs the kernel an inode. */
#define UNPACK_ENTRIES_MAX 4000000

struct unpack_config {
	int fd;			/* from its current position on */
	const char *target;	/* a directory on a file system of its own, empty unless layer;
				   a path in /proc/self/fd will do */
	uint64_t bytes_max;	/* most file content, and largest file */
	bool consume;		/* free what was read of a file in memory */
	bool layer, plain;	/* as in struct writer_options */
	bool file;		/* what is no archive is wanted, and nothing else */
};

/* What the process sends: any number with final 0, then one. Fixed size. */
struct unpack_message {
	uint32_t final;
	int32_t cause;
	uint32_t kind; /* enum image_kind: IMAGE_TAR, IMAGE_CPIO; IMAGE_UNKNOWN: one file was
			  unwrapped */
	struct writer_counts made;
	char text[UNPACK_TEXT_MAX];
};

/* unpack_available: false in a build without archives. */
bool unpack_available(void);

/* unpack_new: starts the process, which worker_free() ends. 0 or -errno. */
int unpack_new(struct worker **ret, const struct unpack_config *cfg);

/* unpack_next: waits for its next message. Always succeeds: a process that died sends a final one,
 * too. */
void unpack_next(struct worker *w, struct unpack_message *ret);

/*
 * unpack_into: what the process does, in this one, into dir; tells: with progress, to its parent.
 * For tests. 0 or -errno.
 */
int unpack_into(const struct unpack_config *cfg, const char *dir, bool tells,
	struct unpack_message *ret);
