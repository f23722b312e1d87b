/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * util: the few helpers every folder uses: cleanup attributes, clocks, text, entries of folders.
 * Owns nothing. Ownership is by _cleanup_ attributes; hand-over is two visible lines (*ret = x; x =
 * NULL;).
 * In: pointers and descriptors to give up, text, bytes. Out: uint64_t nanoseconds of
 * CLOCK_BOOTTIME; text that is always terminated.
 * Callers: every folder. Tests: with what uses them, base/test_core.c first.
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define _cleanup_(f)	  __attribute__((cleanup(f)))
#define _printf_(a, b)	  __attribute__((format(printf, a, b)))
#define ARRAY_SIZE(a)	  (sizeof(a) / sizeof((a)[0]))
#define NSEC_PER_SEC	  UINT64_C(1000000000)
#define NSEC_PER_MSEC	  UINT64_C(1000000)
#define NSEC_NEVER	  UINT64_MAX

/* Defines x_freep() for use with _cleanup_() from "T *x_free(T *)". */
#define DEFINE_FREEP(type, func)                \
	static inline void func##p(type **p)    \
	{                                       \
		if (*p)                         \
			*p = func(*p);          \
	}

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

#define _cleanup_free_	   _cleanup_(freep)
#define _cleanup_close_	   _cleanup_(closep)
#define _cleanup_fclose_   _cleanup_(fclosep)
#define _cleanup_closedir_ _cleanup_(closedirp)

static inline bool streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* For strspn(), which knows no locale. */
#define ALNUM "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* str_ends: does it end so, with something before? */
static inline bool str_ends(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);

	return n > m && streq(s + n - m, tail);
}

/* str_among: is it one of the n texts? */
static inline bool str_among(const char *s, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (streq(s, texts[i]))
			return true;
	return false;
}

/* str_add: puts it behind the text that buf holds, as far as there is room. */
void str_add(char *buf, size_t size, const char *fmt, ...) _printf_(3, 4);

/* pair_value: what is behind "KEY=" in "A=1,B=2"; NULL: there is none. */
const char *pair_value(const char *pairs, const char *key);

/* path_last: what is behind the last slash; all of a path without one. */
static inline const char *path_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* dir_next: the next entry but "." and ".."; NULL at the end, or where dir is NULL. */
static inline const struct dirent *dir_next(DIR *dir)
{
	const struct dirent *e = NULL;

	do
		e = dir ? readdir(dir) : NULL;
	while (e && (streq(e->d_name, ".") || streq(e->d_name, "..")));
	return e;
}

/*
 * now_ns: CLOCK_BOOTTIME in ns. Only loop.c, main.c and child processes call it; everyone else gets
 * "now".
 */
static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* wall_ns: CLOCK_REALTIME in ns; 0: it was never set, and the node has no battery-backed clock. */
static inline uint64_t wall_ns(void)
{
	/* 2020-01-01: before that there was no initagent. */
	const time_t earliest = 1577836800;
	struct timespec ts = {0};

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec < earliest ? 0 : (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* fnv1a: goes on from h with n bytes of FNV-1a, 64 bits: to distinguish, not to protect. */
#define FNV1A_BASIS UINT64_C(0xcbf29ce484222325)
static inline uint64_t fnv1a(uint64_t h, const void *data, size_t n)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}

/*
 * strscpy: copies src into dst[size], always terminated.
 * Returns the length, or -E2BIG when src was cut.
 */
static inline int strscpy(char *dst, const char *src, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		dst[i] = src[i];
		if (!src[i])
			return (int)i;
	}
	if (size)
		dst[size - 1] = 0;
	return -E2BIG;
}
