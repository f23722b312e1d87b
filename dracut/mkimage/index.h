/* SPDX-License-Identifier: GPL-2.0-or-later */
/* index: the binary module indices of depmod, for the source when it has none, and for the image.
 */
#pragma once

#include "source.h"
#include "tree.h"

/*
 * index_source: a directory with modules.dep.bin for the source: its own, or, when depmod never ran
 * there (an unpacked package), one made below the scratch directory tmp. Writes at most size bytes.
 * Returns 0 or -errno.
 */
int index_source(const struct source *s, const char *tmp, char *dir, size_t size);

/*
 * index_image: runs depmod over the modules of the tree, laid out below the scratch directory tmp,
 * and puts the indices the agent's libkmod reads into the tree. Returns 0 or -errno.
 */
int index_image(struct tree *t, const struct source *s, const char *tmp);
