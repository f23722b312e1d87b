/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpio: the "newc" archive the kernel unpacks as initramfs
 * (Documentation/driver-api/early-userspace/buffer-format.rst): 110 bytes of ASCII header, name and
 * content, each padded to 4.
 */
#pragma once

#include "tree.h"

/*
 * cpio_pack: the sorted tree as one archive. Owner 0:0, every time set to mtime (seconds), inode
 * numbers counted from 1. *ret belongs to the caller. Returns 0, or -EFBIG for a file of 4 GiB or
 * more, which the format cannot hold.
 */
int cpio_pack(const struct tree *t, size_t n, uint32_t mtime, char **ret, size_t *ret_size);

struct cpio_member {
	const char *name; /* points into the archive, terminated */
	const void *data;
	size_t size;
	uint32_t mode;
};

/*
 * cpio_next: reads the member at *offset and moves it on. Returns 1, 0 at the trailer, -EBADMSG
 * when the bytes are no archive or it is truncated.
 */
int cpio_next(const char *archive, size_t size, size_t *offset, struct cpio_member *ret);
