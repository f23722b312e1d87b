/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output: packs, checks, compresses and writes the image. */
#pragma once

#include "tree.h"

struct output_config {
	const char *path;
	uint32_t mtime; /* seconds, for every entry */
	int level;	/* of zstd, 1..22 */
};

/*
 * output_write: the image as a zstd-compressed newc cpio, mode 0600, in place at once or not at all
 * (written beside path and renamed). The archive is read back and compared with the tree before it
 * is written. Returns 0 or -errno; *size is the size of the file.
 */
int output_write(struct tree *t, const struct output_config *cfg, size_t *size);
