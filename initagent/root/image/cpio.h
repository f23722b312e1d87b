/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpio: the entries of a cpio archive (newc, crc) or of several behind each other, as the kernel
 * unpacks an initramfs. It owns the present entry and the links seen so far; the stream is
 * borrowed.
 * In: untrusted bytes of an unpacked stream. Out: entries (item.h), where archives end.
 * Callers: doctor/. Tests: test_unpack.c, test_formats.c, fuzz_unpack.c.
 *
 * Format: Linux, Documentation/driver-api/early-userspace/buffer-format.rst, and
 * usr/gen_init_cpio.c. Stricter than the kernel: each header must follow the entry before it, and
 * an archive ends with its trailer.
 */
#pragma once

#include "root/image/item.h"
#include "root/image/unpacked.h"

struct cpio;

/* cpio_new: s (borrowed) is at its beginning; bytes_max: most zeroes between two archives. 0 or
 * -ENOMEM. */
int cpio_new(struct cpio **ret, struct unpacked *s, uint64_t bytes_max);
struct cpio *cpio_free(struct cpio *c);
DEFINE_FREEP(struct cpio, cpio_free)

/*
 * cpio_next: the next entry, after the content of the one before was taken from the stream. 1, 0
 * (all of it is read) or -EINVAL (unpacked_cause() says why). What *ret points to is valid until
 * the next call.
 */
int cpio_next(struct cpio *c, struct item *ret);

/*
 * cpio_at, cpio_archives: where in the stream the next header is, and how many archives have ended
 * before it: what follows them may be packed.
 */
uint64_t cpio_at(const struct cpio *c);
unsigned cpio_archives(const struct cpio *c);
