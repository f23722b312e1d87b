/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pe: the little the builder must know of PE files (PE/COFF specification): adding sections to
 * systemd's EFI stub, which makes a unified kernel image of it
 * (https://uapi-group.org/specifications/specs/unified_kernel_image/).
 */
#pragma once

#include "base/util.h"

#define PE_MACHINE_X86_64 0x8664
#define PE_MACHINE_ARM64  0xaa64

struct pe_info {
	uint16_t machine;
	uint32_t image_size; /* memory the loaded program takes */
};

/* pe_read: 0, or -ENOEXEC when the bytes are no PE32+ program. */
int pe_read(const void *data, size_t size, struct pe_info *ret);

struct pe_section {
	const char *name; /* at most 8 bytes */
	const void *data;
	size_t size;
	size_t memory; /* at least this much of it in memory; 0: as much as in the file */
};

/*
 * pe_append: the program with n more sections at its end, their addresses behind those it has.
 * *ret is the caller's. Returns 0, -ENOEXEC for no PE program or one whose headers contradict its
 * size, -EEXIST when a section of that name is there, -ENOSPC when its header has no room,
 * -EACCES when it is signed, -EFBIG above 4 GiB, -ENOMEM.
 */
int pe_append(const void *stub, size_t stub_size, const struct pe_section *sections, size_t n,
	void **ret, size_t *ret_size);
