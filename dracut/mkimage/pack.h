/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pack: zstd, for the whole image and for single modules in it. */
#pragma once

#include "base/util.h"

/*
 * pack_zstd: with checksum, so that the kernel notices a damaged image, and with the content's
 * size, so that it need not buffer a whole window. One thread: the bytes must not depend on the
 * machine. *ret is the caller's to free. Returns 0, -ENOMEM or -EIO.
 */
int pack_zstd(const void *data, size_t size, int level, void **ret, size_t *ret_size);

/*
 * pack_driver: is the module at this path ("kernel/drivers/...") a driver of one family of
 * adapters? Those are kept packed in the image (.ko.zst): a node loads at most one family, and the
 * others would only take the memory of a node that has not reached its root yet.
 */
bool pack_driver(const char *path);
