/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file: whole files of the building machine. */
#pragma once

#include <sys/types.h>

#include "base/util.h"

/*
 * file_read: a regular file of at most 256 MiB; *mode is 0755 for one that may be executed, else
 * 0644. *data is the caller's. 0, -EINVAL for no regular file, -EFBIG, -errno.
 */
int file_read(const char *path, void **data, size_t *size, mode_t *mode);

/*
 * file_replace: data at path, mode 0600, at once or not at all (written beside it and renamed). The
 * image may hold keys and passwords: nobody else reads it, not even while it is written.
 */
int file_replace(const char *path, const void *data, size_t size);

/* file_write: a new file below a scratch directory, mode 0600. */
int file_write(const char *path, const void *data, size_t size);
