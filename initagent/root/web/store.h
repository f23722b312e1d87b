/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store: the file in memory that an image is fetched into. It lies in a tmpfs of its own below
 * /run/initagent, named by the image's digest, so that an agent that is killed in mid-transfer and
 * started again finds what is there already. Where that cannot be (no right to mount), or no digest
 * is known that could prove old bytes, it has no name.
 */
#pragma once

#include "base/env.h"
#include "base/sha256.h"

/*
 * store_open: sha256: the image's digest, NULL: not known. size: the tmpfs may hold so many bytes.
 * The file, of which *ret_have bytes are there from an earlier time; or -errno.
 */
int store_open(const struct env *env, const uint8_t *sha256, uint64_t size, uint64_t *ret_have);

/* store_drop: the name goes; the memory with the file's last user. */
void store_drop(const struct env *env);
