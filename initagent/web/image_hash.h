/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image_hash: the BLAKE2b-512 that a signature over an image itself is made of, computed in a process of its own, so
 * that a large image holds nobody up. A signed manifest does without it.
 */
#pragma once

#include "image/minisig.h"

struct image_hash;

/* image_hash_new: begins to read file, a regular one, from its beginning. 0 or -errno. */
int image_hash_new(struct image_hash **ret, int file);
struct image_hash *image_hash_free(struct image_hash *h);
DEFINE_FREEP(struct image_hash, image_hash_free)

int image_hash_fd(const struct image_hash *h);

/* image_hash_dispatch: when the fd is readable; true: it is over. */
bool image_hash_dispatch(struct image_hash *h);

/* image_hash_value: MINISIG_HASH_BYTES bytes; NULL when the process died. */
const uint8_t *image_hash_value(const struct image_hash *h);
