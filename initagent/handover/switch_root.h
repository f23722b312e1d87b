/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switch_root: from the initramfs into the real root, for the stand-alone image alone. It owns the
 * mounts while it moves them.
 * In: the mounted root, init with argv and environment, the watch that is told each step. Out:
 * init; or -errno, the failed step, and all mounts where they were.
 * Callers: boot/. Tests: tests/pid1.bats, tests-qemu/nfsrdma.bats.
 */
#pragma once

#include "handover/switch_watch.h"

/*
 * switch_root_enter: moves /dev, /proc, /sys and /run below root, where it makes the folders that
 * are missing, makes root the new "/" and executes init there with argv and envp. watch is told
 * each step; it frees the initramfs (only what is on its own file system) when init is executed.
 *
 * Returns only on failure: -errno, with the failing step named in *ret_step, and everything where
 * it was before. -EPERM: "/" is not an initramfs.
 */
int switch_root_enter(const char *root, const char *init, char *const argv[], char *const envp[],
	const struct switch_watch *watch, const char **ret_step);
