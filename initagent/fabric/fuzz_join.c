// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel log records, any bytes. */
#include "fabric/private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *record = malloc(size ? size : 1);
	uint64_t us;
	int status;

	if (!record)
		return 0;
	memcpy(record, data, size); /* exactly as long: reading beyond it shows */
	if (join_failure_in(record, size, "ib0", &us, &status) && status >= 0)
		abort();
	free(record);
	return 0;
}
