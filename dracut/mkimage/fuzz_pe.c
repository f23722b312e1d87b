// SPDX-License-Identifier: GPL-2.0-or-later
/* A PE program from anywhere as EFI stub; what comes out holds the sections and is a PE program. */
#include "dracut/mkimage/pe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pe_section sections[] = {
		{.name = ".cmdline", .data = "root=nfs:a:/b", .size = 13},
		{.name = ".linux", .data = "kernel", .size = 6, .memory = 100000},
	};
	_cleanup_free_ void *out = NULL;
	struct pe_info info;
	size_t out_size;

	pe_read(data, size, &info);
	if (pe_append(data, size, sections, ARRAY_SIZE(sections), &out, &out_size) < 0)
		return 0;
	if (pe_read(out, out_size, &info) < 0 || out_size < size ||
		!memmem(out, out_size, "root=nfs:a:/b", 13) || info.image_size < 100000)
		__builtin_trap();
	return 0;
}
