/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place: the file system that rd.root.cache= and others name: found by path, UUID, label or
 * partition, waited for a while (its driver may still be loading: the kernel's announcements tell),
 * and mounted without a place, so that it is gone with the process that mounted it. Owns nothing
 * after the call. For processes that may be killed; blocks.
 * In: "DEVICE[:/DIR]", how long to wait. Out: the folder's descriptor, the device's path, its file
 * system; or why not.
 * Callers: root/block/, root/wwinit/. Tests: test_volume.c, tests/web.bats, tests-qemu/wwinit.bats.
 */
#pragma once

#include "base/env.h"

#define PLACE_TEXT_MAX 240

/*
 * place_open: the folder of place ("DEVICE[:/DIR]"), made where it is missing. A descriptor of it,
 * or -errno with text: -ENODEV (not there within wait_ns), -EINVAL (no file system that is known),
 * what mount(2) said.
 */
int place_open(const struct env *env, const char *place, uint64_t wait_ns,
	char text[static PLACE_TEXT_MAX]);

/* place_find: the path of place's device; -ENODEV: it is not there within wait_ns. A name that udev
 * gives (/dev/disk/by-label/...) is found without it. */
int place_find(const struct env *env, const char *place, uint64_t wait_ns, char *ret, size_t size);

/* place_foreign_table: that the disk of a device ("sda3"), or any (""), has a GPT for logical
 * blocks of another size, so that the kernel shows none of its partitions; "": it has none. */
void place_foreign_table(
	const struct env *env, const char *device, char ret[static PLACE_TEXT_MAX]);

/* place_fstype: the file system on a device, as mount(2) takes it; NULL: none that is known. */
const char *place_fstype(const char *device);
