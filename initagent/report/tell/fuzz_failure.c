// SPDX-License-Identifier: GPL-2.0-or-later
/* The record of a failed boot. What is taken must come out again and be taken again, unchanged. */
#include "report/tell/failure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct failure first, second;
	char text[FAILURE_RECORD_MAX];

	memset(&first, 0, sizeof(first));
	memset(&second, 0, sizeof(second));
	if (failure_read((const char *)data, size, &first) < 0)
		return 0;
	failure_write(text, &first);
	if (failure_read(text, sizeof(text), &second) < 0 || !failure_same(&first, &second))
		__builtin_trap();
	if (strcmp(first.text, second.text) != 0 || first.wall != second.wall ||
		first.uptime != second.uptime)
		__builtin_trap();
	return 0;
}
