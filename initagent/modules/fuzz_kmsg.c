// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel log records: any bytes, since drivers print what devices tell them. */
#include "modules/kmsg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"mlx5_core", "x"};
	struct kmsg_finding best = {.cause = CAUSE_NONE};
	char *record = malloc(size ? size : 1);

	if (!record)
		return 0;
	memcpy(record, data, size); /* exactly as long: reading beyond it shows */
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		kmsg_judge(names[i], true, record, size, &best);
		kmsg_judge(names[i], false, record, size, &best);
	}
	if (strnlen(best.text, sizeof(best.text)) == sizeof(best.text) || best.cause >= CAUSE_MAX)
		abort();
	free(record);
	return 0;
}
