/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn: runs the few host programs the builder needs, by argument vector, never through a shell.
 */
#pragma once

#include "base/util.h"

/*
 * spawn_run: runs argv[0] (found by PATH) with standard input and output from /dev/null and waits.
 * Returns 0, -errno when it could not be started, -EIO when it failed (it has said why on stderr).
 */
int spawn_run(const char *const argv[]);

/* spawn_quiet: as spawn_run, for a talkative program: what it says goes to the file log, and to stderr only if it
 * fails. */
int spawn_quiet(const char *const argv[], const char *log);

/*
 * spawn_filter: runs argv[0] with standard input from fd and collects its output, at most limit
 * bytes. *ret belongs to the caller. Returns as spawn_run, or -EFBIG.
 */
int spawn_filter(const char *const argv[], int fd, size_t limit, void **ret, size_t *ret_size);

/* read_all: the rest of fd, at most limit bytes; 0, -EFBIG, -ENOMEM or -errno. */
int read_all(int fd, size_t limit, void **ret, size_t *ret_size);
