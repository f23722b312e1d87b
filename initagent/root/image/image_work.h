/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image_work: what the image room's child does and what it sends. Internal to the room. */
#pragma once

#include "root/image/image.h"

/* One message; a child sends any number of progress messages and then one that is final. */
struct image_message {
	uint32_t final;	     /* 0: progress, only bytes counts */
	int32_t cause;	     /* CAUSE_NONE: mounted */
	struct image_result result;
	char text[IMAGE_TEXT_MAX];
};

/* image_work: all of it, in a worker that replies with messages. Blocks. */
void image_work(const struct env *env, const struct image_config *cfg);
