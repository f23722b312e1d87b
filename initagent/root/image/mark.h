/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mark: /run/initagent/image-root, which says that the root was made of an image and how, for an agent
 * that was killed after that and starts anew. Its content is read like anybody's.
 */
#pragma once

#include "root/image/image.h"

/* mark_write: 0 or -errno. mark_read: 1, 0 (none, or none of ours) or -errno. mark_drop: no mark. */
int mark_write(const struct env *env, const struct image_result *r);
int mark_read(const struct env *env, struct image_result *ret);
void mark_drop(const struct env *env);
