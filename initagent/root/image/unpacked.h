/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unpacked: the bytes of an image file without its packing (gzip, xz, zstd or none), read once from
 * the beginning. One packing is taken off; what is packed within it is returned as it is.
 *
 * It also holds why the reading of the archive in it failed, for the parsers: the first failure
 * counts.
 */
#pragma once

#include "root/image/kind.h"
#include "report/causes.h"

#define UNPACKED_BLOCK	(128 * 1024)
#define UNPACKED_TEXT_MAX 300

struct unpacked;

/*
 * unpacked_new: fd (borrowed) is read from its current position on. consume: memory of a memfd is
 * freed behind the reader. 0 or -ENOMEM. unpacked_free accepts NULL.
 */
int unpacked_new(struct unpacked **ret, int fd, bool consume);
struct unpacked *unpacked_free(struct unpacked *s);
DEFINE_FREEP(struct unpacked, unpacked_free)

/* unpacked_head: looks at the first bytes, UNPACKED_BLOCK or all there are. Only before the first
 * of the calls below. */
ssize_t unpacked_head(struct unpacked *s, const uint8_t **ret);

/* unpacked_take: the next 1 to max bytes, borrowed until the next call. How many, 0 at the end, or
 * -EINVAL. */
ssize_t unpacked_take(struct unpacked *s, const uint8_t **ret, size_t max);

/* unpacked_read: len bytes, or fewer at the end. How many, or -EINVAL. */
ssize_t unpacked_read(struct unpacked *s, void *buf, size_t len);

/* unpacked_read_whole: len bytes; the end before them is a failure ("it ends in the middle of"
 * what). 0 or -EINVAL. */
int unpacked_read_whole(struct unpacked *s, void *buf, size_t len, const char *what);

/* unpacked_skip: the same without keeping them. */
int unpacked_skip(struct unpacked *s, uint64_t len, const char *what);

/* unpacked_skip_zeroes: 1: another byte follows, 0: nothing but at most max zeroes followed,
 * -EINVAL. */
int unpacked_skip_zeroes(struct unpacked *s, uint64_t max);

/* unpacked_at: bytes that were taken so far. */
uint64_t unpacked_at(const struct unpacked *s);

/* unpacked_fail: notes a failure; printf-like. Always -EINVAL. unpacked_cause: CAUSE_NONE if there
 * was none. */
int unpacked_fail(struct unpacked *s, enum cause cause, const char *fmt, ...) _printf_(3, 4);
enum cause unpacked_cause(const struct unpacked *s, const char **ret_text);
