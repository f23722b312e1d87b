/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file: small files under /run, written whole or not at all. It owns a temporary file while it
 * writes.
 * In: folder, name, content, mode. Out: the file, replaced by rename, or -errno and the old one.
 * Callers: every folder that leaves files for a later stage. Tests: state/test_running.c,
 * handover/test_profiles.c.
 */
#pragma once

#include "base/env.h"

/*
 * file_write: replaces dir/name (below env's prefix) by data through a temporary file and rename;
 * dir is made (mode 0755) if missing. mode is the file's. Returns 0 or -errno.
 */
int file_write(const struct env *env, const char *dir, const char *name, const void *data,
	size_t len, unsigned mode);

/* A file that is being written, as out; it is there once it is whole. */
struct file_stream {
	FILE *out;
	char *text;
	size_t len;
};

/* file_begin: 0 or -ENOMEM. file_end: writes dir/name as file_write() does, with what folders are
 * missing above it as well, and frees it. 0 or -errno. */
int file_begin(struct file_stream *f);
int file_end(struct file_stream *f, const struct env *env, const char *dir, const char *name,
	unsigned mode);

/* file_remove: removes dir/name; one that is not there is no error. 0 or -errno. */
int file_remove(const struct env *env, const char *dir, const char *name);

/*
 * file_make_dirs: makes dir (absolute, below env's prefix) and what is missing above it, mode 0755.
 * 0 or -errno.
 */
int file_make_dirs(const struct env *env, const char *dir);
