/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tar: writes a POSIX ustar stream (IEEE Std 1003.1, pax: ustar Interchange Format) of small
 * files made in memory. The end marker tells the host that the stream is whole.
 */
#pragma once

#include <stddef.h>

/* tar_add: one regular file. Names are cut at 99 bytes. Returns 0 or -errno of the write. */
int tar_add(int fd, const char *name, const void *data, size_t size);

/*
 * tar_add_path: copies a file of unknown size (proc, sysfs, /run), at most 1 MiB of it. A file that
 * cannot be read is left out. Returns 0 or -errno of the write.
 */
int tar_add_path(int fd, const char *name, const char *path);

/* tar_end: the two zero blocks. Returns 0 or -errno. */
int tar_end(int fd);
