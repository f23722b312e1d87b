/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iso: where in an ISO 9660 image (ECMA-119) the root's own file lies. A file there is one run of
 * bytes, so that a loop device over that part of the image needs no ISO file system in the kernel.
 * The bytes are untrusted: every length and place is checked against the image's size.
 */
#pragma once

#include "base/util.h"

/* A file inside: offset and size in bytes. */
struct iso_file {
	uint64_t offset, size;
	char path[256];
};

/*
 * iso_find: looks in folder dir (may be "a/b") for name; dir or name NULL: the usual ones of live
 * images, in turn. fd is read by pread(2); image_size is its size. Names are those of Rock Ridge or
 * plain ISO, capitals aside. Returns 0, -ENOENT, -EINVAL (damaged), or -errno of a read.
 */
int iso_find(int fd, uint64_t image_size, const char *dir, const char *name, struct iso_file *ret);
