/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pack: zstd, for single modules in the image, and for all of it if its kernel reads that. */
#pragma once

#include "host.h"
#include "tree.h"

/*
 * pack_zstd: with checksum, so that the kernel notices a damaged image, and with the content's
 * size, so that it need not buffer a whole window. One thread: the bytes must not depend on the
 * machine. level is 1..22.
 */
struct bytes pack_zstd(const void *data, size_t size, int level);

/*
 * pack_driver: is the module at this path ("kernel/drivers/...") a driver of one family of
 * adapters? Those are kept packed in the image (.ko.zst; index_image()): a node loads at most one
 * family, and the others would only take the memory of a node that has not reached its root yet.
 */
bool pack_driver(const char *path);

/*
 * pack_tree: the tree as a newc cpio, the initrd, packed with zstd, for a kernel before 5.9 with
 * gzip; mtime (seconds) is every entry's. The archive is read back and compared with the tree
 * first.
 */
struct bytes pack_tree(struct tree *t, const char *kver, uint32_t mtime, int level);
