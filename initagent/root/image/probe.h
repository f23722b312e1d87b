/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe: what an image file is and, in an ISO or disk image, where the root is: told by a process
 * without rights. */
#pragma once

#include "root/image/iso.h"
#include "root/image/kind.h"
#include "report/causes.h"

#define PROBE_TEXT_MAX 200

/* Fixed size: what the process sends. */
struct probe {
	int32_t cause;	/* CAUSE_NONE, or why it is no root, with text */
	uint32_t kind;	/* enum image_kind, of the file */
	uint32_t inner; /* of the root's file or partition inside, else the same */
	struct iso_file file; /* that part of it; offset and size 0: the whole */
	char text[PROBE_TEXT_MAX];
};

struct probe_question {
	uint64_t size;		/* of the file, bytes */
	const char *dir, *name; /* in an ISO image: iso_find()'s */
	uint32_t part;		/* of a disk image: disk_find()'s */
	const char *volume;	/* the same, its name */
};

/* probe_image: looks at the file fd. Waits for the answer, which takes milliseconds. */
void probe_image(int fd, const struct probe_question *q, struct probe *ret);

/* probe_look: what the process does; also for the fuzz target. */
void probe_look(int fd, const struct probe_question *q, struct probe *ret);
