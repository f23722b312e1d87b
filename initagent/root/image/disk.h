/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * disk: where in a disk image with a GPT the root's partition lies. The bytes are untrusted: every
 * place is checked against the image's size.
 */
#pragma once

#include "root/image/iso.h"

/*
 * disk_find: the partition of that number; 0: the first one that has the name ("LABEL=root"), or,
 * with NULL, the root's type for this machine (UAPI.2, Discoverable Partitions Specification). fd
 * is read by pread(2); image_size is its size. ret->path becomes "partition N". 0, -ENOENT, -EINVAL
 * (damaged).
 */
int disk_find(int fd, uint64_t image_size, uint32_t part, const char *name, struct iso_file *ret);
