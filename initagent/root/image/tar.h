/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tar: the entries of a tar archive: ustar and pax (POSIX.1-2017, pax), GNU (tar/src/tar.h and its
 * manual, "Basic Tar Format"). Each header must stand where the entry before it ends and have the
 * right checksum and numbers; the archive ends with a block of zeroes and nothing but zeroes
 * follows it.
 */
#pragma once

#include "root/image/item.h"
#include "root/image/unpacked.h"

struct tar;

/* tar_new: s (borrowed) is at its beginning; bytes_max: most zeroes behind the end. 0 or -ENOMEM */
int tar_new(struct tar **ret, struct unpacked *s, uint64_t bytes_max);
struct tar *tar_free(struct tar *t);
DEFINE_FREEP(struct tar, tar_free)

/* tar_next: as cpio_next(). */
int tar_next(struct tar *t, struct item *ret);
