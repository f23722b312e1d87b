/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output: packs, checks and compresses the tree: the initrd. */
#pragma once

#include "tree.h"

struct output_config {
	uint32_t mtime; /* seconds, for every entry */
	int level;	/* of zstd, 1..22 */
};

/*
 * output_pack: the tree as a zstd-compressed newc cpio. The archive is read back and compared with
 * the tree first. *data is the caller's. Returns 0 or -errno.
 */
int output_pack(struct tree *t, const struct output_config *cfg, void **data, size_t *size);
