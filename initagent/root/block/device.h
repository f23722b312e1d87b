/* SPDX-License-Identifier: GPL-2.0-or-later */
/* device: what sysfs says of a block device, and what its first bytes are. */
#pragma once

#include "root/block/job.h"

/* device_partition: the name of partition number of a whole device. 1, 0: there is none (yet). */
int device_partition(const struct env *env, const char *whole, unsigned number,
	char ret[static BLOCK_DEVICE_MAX]);
/* device_partitions: the numbers of those there are: "1, 2"; "" none. */
void device_partitions(const struct env *env, const char *whole, char *buf, size_t size);
/* device_bytes: its size; device_readonly: may it only be read? */
uint64_t device_bytes(const struct env *env, const char *device);
bool device_readonly(const struct env *env, const char *device);

/*
 * device_fstype: the file system on it, told from its first bytes. 0, -ENODATA (none that is known;
 * *ret_what says what it is instead, or ""), or what reading it failed with.
 */
int device_fstype(const struct env *env, const char *device, const char **ret,
	const char **ret_what);
