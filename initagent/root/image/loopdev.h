/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loopdev: a read-only loop device over a file or a part of one. It goes by itself when its last
 * user does: keep the descriptor until the file system on it is mounted.
 */
#pragma once

#include "base/env.h"

struct loopdev {
	int fd;		/* of the device; -1: none */
	char path[64];	/* "/dev/loop3" below env's prefix */
};
#define LOOPDEV_NONE ((struct loopdev){.fd = -1})

/*
 * loopdev_open: over file's bytes from offset, size of them (0: to its end). Returns 0, -ENODEV (no
 * loop driver), or -errno.
 */
int loopdev_open(const struct env *env, int file, uint64_t offset, uint64_t size,
	struct loopdev *ret);
void loopdev_close(struct loopdev *l);
