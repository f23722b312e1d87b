/* SPDX-License-Identifier: GPL-2.0-or-later */
/* index: the binary module indices of depmod, for the source when it has none, and for the image.
 */
#pragma once

#include "source.h"
#include "tree.h"

/*
 * index_source: a directory with modules.dep.bin for the source: its own, or, when depmod never ran
 * there (an unpacked package) or modules or depmod.d changed after it did (a vendor's drivers put
 * in by hand), one made below the scratch directory tmp. Either way depmod itself decides which of
 * two files of one module counts, by the search and override lines of the source's depmod.d. Writes
 * at most size bytes. Returns 0 or -errno.
 */
int index_source(const struct source *s, const char *tmp, char *dir, size_t size);

/*
 * index_image: runs depmod over the modules of the tree, laid out below the scratch directory tmp,
 * and puts the indices the agent's libkmod reads into the tree. Returns 0 or -errno.
 */
int index_image(struct tree *t, const struct source *s, const char *tmp);
