// SPDX-License-Identifier: GPL-2.0-or-later
/* What xcatd says: a word is heard only where its line stands in the input, and none is missed. */
#include "report/tell/xcat_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xcat_line l = {.len = 0};
	size_t begin = 0;

	for (size_t i = 0; i < size; i++) {
		const char *line = (const char *)data + begin;
		size_t len = i + 1 - begin;
		bool ready = len == 6 && memcmp(line, "ready\n", len) == 0;
		bool done = len == 5 && memcmp(line, "done\n", len) == 0;
		enum xcat_word w = xcat_hear(&l, (char)data[i]);

		if (ready != (w == XCAT_READY) || (done != (w == XCAT_DONE)))
			__builtin_trap();
		if (w == XCAT_MORE ? len > sizeof(l.text) || data[i] == '\n' : l.len != 0)
			__builtin_trap();
		begin = w == XCAT_MORE ? begin : i + 1;
	}
	return 0;
}
