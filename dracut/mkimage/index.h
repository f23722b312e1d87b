/* SPDX-License-Identifier: GPL-2.0-or-later */
/* index: depmod's binary module indices, for the source when it has none, and for the image. */
#pragma once

#include "source.h"
#include "tree.h"

/*
 * index_source: a directory with modules.dep.bin for the source: its own, or, when depmod never ran
 * there (an unpacked package) or modules or depmod.d changed after it did (a vendor's drivers put
 * in by hand), one made below the scratch directory. Either way depmod itself decides which of two
 * files of one module counts, by the search and override lines of the source's depmod.d. Modules
 * packed in a way that it does not read are unpacked for it: their paths lack the suffix then.
 */
const char *index_source(const struct source *s);

/*
 * index_image: runs depmod over the modules of the tree, laid out below the scratch directory, and
 * puts the indices the agent's libkmod reads into the tree. Drivers of adapters (pack_driver())
 * become .ko.zst, unless this depmod does not read those. A module that is in no index ends the
 * builder.
 */
void index_image(struct tree *t, const struct source *s);
