/* SPDX-License-Identifier: GPL-2.0-or-later */
/* item: one entry of an archive, as the parsers of the formats (cpio.h, tar.h) hand it on. */
#pragma once

#include "root/image/writer.h"

/* Names in Linux: PATH_MAX with the NUL. */
#define ITEM_NAME_MAX 4096

/* The last number means "as it is" to chown(2); one cut off could become root's. */
static inline bool item_owner_fits(int64_t id)
{
	return id >= 0 && id < UINT32_MAX;
}

/* A part of a file's content; what lies between parts is a hole. */
struct item_part {
	uint64_t offset, len;
};

struct item {
	struct writer_entry entry;
	const struct item_part *parts; /* of the content, which follows in this order */
	size_t parts_len;
	const void *capability; /* security.capability; NULL: none */
	size_t capability_len;
	bool summed; /* the content's bytes, added up, are sum */
	uint32_t sum;
};
