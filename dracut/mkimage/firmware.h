/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firmware: finds the files a module names with MODULE_FIRMWARE, where the kernel would look for
 * them (Documentation/driver-api/firmware/fw_search_path.rst), patterns included.
 */
#pragma once

#include "source.h"
#include "tree.h"

/*
 * firmware_add: puts the file (or all files of a pattern) called name into the tree, unpacked,
 * under the path the kernel will ask for. Returns the number of files, 0 when there is none,
 * -EINVAL for a name that is no clean relative path, or -errno.
 */
int firmware_add(struct tree *t, const struct source *s, const char *name, const char *why);
