/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folders: the modules' folders of a source (kernel/, updates/, extra/, weak-updates/ ...) and the
 * depmod.d that says which of them comes first, every link followed inside the source's root.
 */
#pragma once

#include "source.h"

/* folders_newest: the last change of a folder below the modules' directory or of depmod.d. 0 or -errno. */
int folders_newest(const struct source *s, struct timespec *ret);

/*
 * folders_mirror: the same folders below dir, with a link for every module: nothing is written to
 * the source, and depmod sees what links of a foreign root mean there. 0 or -errno.
 */
int folders_mirror(const struct source *s, const char *dir);

/*
 * folders_config: copies the source's depmod.d files into dir, which is made, by depmod.d(5)'s
 * rules: a name counts once, in /etc before /run before /usr/local/lib before /usr/lib and /lib.
 * Returns how many, or -errno.
 */
int folders_config(const struct source *s, const char *dir);
