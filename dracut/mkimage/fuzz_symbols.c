// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel symbol lists (first byte odd) and modules (even), compared with valid ones. */
#include "dracut/mkimage/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char kernel[] = "0x00000003\tprintk\tvmlinux\tEXPORT_SYMBOL\t\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(symbols_freep) struct symbols *s = symbols_new("6.1.0-test");
	_cleanup_fclose_ FILE *sink = fopen("/dev/null", "we");
	int r;

	if (size == 0 || !sink)
		return 0;
	if (data[0] & 1) {
		r = symbols_add_kernel(s, "Module.symvers", (const char *)data + 1, size - 1);
		if (r < 0 && r != -EBADMSG)
			__builtin_trap();
	} else {
		symbols_add_kernel(s, "Module.symvers", kernel, strlen(kernel));
		symbols_add(s, "kernel/a.ko", data + 1, size - 1);
		symbols_add(s, "updates/b.ko", data + 1, size - 1);
	}
	if (symbols_check(s, sink) < 0 || symbols_check(s, sink) > 2)
		__builtin_trap();
	return 0;
}
