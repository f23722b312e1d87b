/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel: the kernel that goes with the modules of an image. */
#pragma once

#include "source.h"

struct kernel {
	void *data;
	size_t size;
	uint16_t machine;    /* of its EFI stub */
	uint32_t image_size; /* memory it takes when started */
	char version[128];   /* "" when the file does not say (arm64) */
};

/*
 * kernel_load: file, or when NULL boot/vmlinuz-KVER or lib/modules/KVER/vmlinuz of the source. A
 * kernel of another version than the modules is refused. Returns 0, or -errno after a message.
 */
int kernel_load(struct kernel *ret, const struct source *s, const char *file);
void kernel_done(struct kernel *k);

/* kernel_version: the version in a bzImage's header, "" when the bytes are of another kind. */
void kernel_version(const void *data, size_t size, char *buf, size_t buf_size);
