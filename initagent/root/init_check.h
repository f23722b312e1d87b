/* SPDX-License-Identifier: GPL-2.0-or-later */
/* init_check: is there an init in the mounted root that the kernel could execute? */
#pragma once

#include "util.h"

/*
 * init_check: looks below root for the wanted init (NULL: the kernel's own list, /sbin/init,
 * /etc/init, /bin/init, /bin/sh) as a regular executable file, symlinks resolved inside the root.
 * Writes its path to ret[size]. Returns 0, -ENOENT, -EACCES (there, but not executable) or -errno.
 */
int init_check(const char *root, const char *wanted, char *ret, size_t size);
