/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switch_root: from the initramfs into the real root. Only for the stand-alone image; under dracut
 * its own switch-root does this.
 */
#pragma once

#include "util.h"

/*
 * switch_root_prepare: lets the kernel fetch what switch_root_enter() is about to need of root: the directories the API file
 * systems move to and init itself. Each costs round trips to a remote root's server.
 */
void switch_root_prepare(const char *root, const char *init);

/*
 * switch_root_enter: moves /dev, /proc, /sys and /run below root, makes root the new "/", leaves a process
 * behind that deletes the initramfs (only what is on its own file system), and executes init there with argv and envp.
 *
 * Returns only on failure: -errno, with the failing step named in *ret_step. -EPERM: "/" is not an
 * initramfs, so nothing was touched.
 */
int switch_root_enter(const char *root, const char *init, char *const argv[], char *const envp[],
	const char **ret_step);
