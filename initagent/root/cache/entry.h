/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * entry: an image in a cache's folder, a file "sha256-HEX" named by its digest. It appears under
 * that name only when all of it is on the disk, and is believed only after all of it was read and
 * hashed again. Blocks; used in the process that works on the cache.
 */
#pragma once

#include "base/sha256.h"

struct entry;

/*
 * entry_load: from folder dir into file, over what is there. size: what it must have, 0: any;
 * limit: room for so many bytes. 0; -ENOENT (none); -EFBIG (no room for it); -EBADMSG (damaged, and
 * removed); -EUCLEAN (damaged, and cannot be removed); another -errno. entry_keep: the content of
 * file into folder dir: -EEXIST (there already), -EBADMSG (it is not what the digest says) or
 * another -errno. Both only begin; entry_step() goes on.
 */
int entry_load(struct entry **ret, int dir, const uint8_t sha256[static SHA256_SIZE], int file,
	uint64_t size, uint64_t limit);
int entry_keep(struct entry **ret, int dir, const uint8_t sha256[static SHA256_SIZE], int file);

/* entry_free: what is not complete is removed. */
struct entry *entry_free(struct entry *e);
DEFINE_FREEP(struct entry, entry_free)

/* entry_step: the next few MiB. 1: there are more, 0: done, or -errno as above. */
int entry_step(struct entry *e);

/* entry_at: bytes copied. entry_size: of all. */
uint64_t entry_at(const struct entry *e);
uint64_t entry_size(const struct entry *e);
