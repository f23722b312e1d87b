/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * env: where sysfs, proc, dev, config and run live (a path prefix, so that tests use fixture trees
 * of plain files), and where to report. It owns neither; every object borrows one at creation.
 * In: a path below the prefix. Out: the whole path, or what a small file there says.
 * Callers: every folder. Tests: base/test_core.c.
 */
#pragma once

#include "util.h"

/* What one boot leaves for its later stages and for the real root. */
#define STATE_DIR "/run/initagent"

struct report;

struct env {
	const char *prefix;	/* "" in the product; a fixture tree in tests. Borrowed. */
	struct report *report;	/* may be NULL: nothing is reported. Borrowed. */
};

/*
 * env_path: writes prefix + path into buf. Returns the length or -ENAMETOOLONG.
 * path is absolute ("/sys/class/net").
 */
int env_path(const struct env *env, char *buf, size_t size, const char *fmt, ...) _printf_(4, 5);

/* env_exists: is there something at that path, which links to nothing missing? */
bool env_exists(const struct env *env, const char *fmt, ...) _printf_(2, 3);

/*
 * env_read: reads a small text file below the prefix into buf, strips the trailing newline,
 * always terminated. Returns the length or -errno.
 */
int env_read(const struct env *env, char *buf, size_t size, const char *fmt, ...) _printf_(4, 5);

/*
 * env_is: does such a file say text, and nothing else?
 */
bool env_is(const struct env *env, const char *text, const char *fmt, ...) _printf_(3, 4);

/*
 * env_number: the number, decimal or with 0x, that such a file begins with; 0 when there is none.
 */
unsigned long env_number(const struct env *env, const char *fmt, ...) _printf_(2, 3);

/*
 * env_open: a file below the prefix, with O_CLOEXEC, made with mode 0600 where flags have O_CREAT.
 * A descriptor or -errno. env_write: writes text, in one call, to one that is there. 0 or -errno.
 */
int env_open(const struct env *env, int flags, const char *fmt, ...) _printf_(3, 4);
int env_write(const struct env *env, const char *text, const char *fmt, ...) _printf_(3, 4);

/* env_opendir: a folder below the prefix; NULL with errno: it cannot be read. */
DIR *env_opendir(const struct env *env, const char *fmt, ...) _printf_(2, 3);
