/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io: whole files by their descriptors, and whole folders. Owns nothing: descriptors are the
 * caller's.
 * In: a descriptor with a limit, or bytes, or a path. Out: the content, which the caller frees;
 * -errno.
 * Callers: main.c, doctor/, handover/, modules/, root/block/, root/image/, root/nfs/, state/,
 * timeline/, dracut/mkimage/, flexboot/, ipxe-scripts/, ipxe-scripts/site/.
 * Tests: base/test_core.c, tests/manifest.bats.
 */
#pragma once

#include "util.h"

/*
 * io_read_all: the rest of fd, at most limit bytes, and a zero byte behind them; *ret is the
 * caller's (free()). 0, -EFBIG, -ENOMEM or -errno.
 */
int io_read_all(int fd, size_t limit, void **ret, size_t *ret_size);

/* io_read_file: the same of all of a file; "-": of the standard input. */
int io_read_file(const char *path, size_t limit, void **ret, size_t *ret_size);

/* io_write_all: 0 or -errno. */
int io_write_all(int fd, const void *data, size_t size);

/*
 * io_put_file: a file of that name and content, by a new file and rename: one that has the name is
 * removed, not followed, and a reader has the old or the new one. A pipe or device is written to,
 * and stays what it is. 0 or -errno.
 */
int io_put_file(const char *path, const void *data, size_t size);

/* io_remove_tree: the folder and all below it, links not followed; what cannot be removed stays. */
void io_remove_tree(const char *path);
