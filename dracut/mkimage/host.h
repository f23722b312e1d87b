/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host: messages, files and programs of the building machine. A fault ends the builder with status
 * 1; the scratch directory is removed then as well.
 */
#pragma once

#include <sys/types.h>

#include "must.h"

struct bytes {
	void *data; /* the owner's to free */
	size_t size;
};

#define _cleanup_bytes_ _cleanup_(bytes_done)
static inline void bytes_done(struct bytes *b)
{
	free(b->data);
}

/* report_error: one line to stderr, with the text of a negative errno (0: without). Returns 1. */
int report_error(int error, const char *fmt, ...) _printf_(2, 3);

/* report_fault: the same without errno, for counting. die, refuse: likewise, and the end. */
#define report_fault(...) report_error(0, __VA_ARGS__)
#define die(error, ...)	  (report_error(error, __VA_ARGS__), exit(1))
#define refuse(...)	  die(0, __VA_ARGS__)

/* need: dies when r is a negative errno; what: the file or option concerned. */
static inline void need(int r, const char *what)
{
	if (r < 0)
		die(r, "%s", what);
}

/* host_arena: what lives as long as the builder. path_text: a text in it. */
struct arena *host_arena(void);
char *path_text(const char *fmt, ...) _printf_(1, 2);

/* fd_path: what an open file or directory is called, all links followed. */
const char *fd_path(int fd);

/* scratch: the path of name below the scratch directory, which is made at the first call. */
char *scratch(const char *name);

/*
 * file_read: a regular file of at most 256 MiB; *mode (may be NULL) is 0755 for one that may be
 * executed, else 0644. 0, -EINVAL for no regular file, -EFBIG, -errno.
 */
int file_read(const char *path, struct bytes *ret, mode_t *mode);

/*
 * file_replace: data at path, mode 0600, at once or not at all (written beside it and renamed). The
 * image may hold keys and passwords: no other user may read it, not even while it is written.
 */
void file_replace(const char *path, const void *data, size_t size);

/* file_put: likewise, but a device, a pipe or what a link leads to is written to: it stays what it
 * is. */
void file_put(const char *path, const void *data, size_t size);

/* file_new: a file that is not there yet, mode 0600; missing directories above it are made. */
void file_new(const char *path, const void *data, size_t size);

/* make_dirs: the directory and what is missing above it, mode 0755. */
void make_dirs(const char *path);

/*
 * run: argv[0] (found by PATH, never through a shell), standard input from /dev/null. What a
 * talkative program says is shown only if it fails. That ends the builder; what: explains it in the
 * message.
 */
void run(const char *const argv[], bool talkative, const char *what);

/* needs_check: dies unless all are there, and names all that are not, with their packages. */
struct need {
	const char *what; /* a program, or with a slash a file */
	const char *package;
};
struct needs {
	struct need item[12];
	size_t n;
};
#define needs_add(list, ...) ((list)->item[(list)->n++] = (struct need){__VA_ARGS__})
void needs_check(const struct needs *list);

/*
 * filter: likewise, with standard input from fd, and collects its output, at most limit bytes.
 * Returns 0, -EFBIG, -EIO when it failed (it has said why). A program that is not installed ends
 * the builder: its -ENOENT would read as that of the file it is for.
 */
int filter(
	const char *const argv[], int fd, size_t limit, struct bytes *ret, const char *what);
