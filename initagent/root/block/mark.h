/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark: /run/initagent/block-root, which says on what the root was mounted, for an agent that was
 * killed after that and starts anew. Its content is read like anybody's.
 */
#pragma once

#include "root/block/block.h"

/* mark_block_write: 0 or -errno. mark_block_read: 1, 0 (none, or none of ours) or -errno. */
int mark_block_write(const struct env *env, const struct block_result *r);
int mark_block_read(const struct env *env, struct block_result *ret);
void mark_block_drop(const struct env *env);
/* mark_block_adopt: did an earlier agent mount such a root at target, with a usable init? */
bool mark_block_adopt(const struct env *env, const char *target, const char *init,
	struct block_result *ret);
