// SPDX-License-Identifier: GPL-2.0-or-later
/* SHA256SUMS: what is found stands in the input, before the name. */
#include "base/hex.h"
#include "root/image/sums.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t sum[SHA256_SIZE];
	char line[2 * SHA256_SIZE + 1];
	size_t at = 0;

	if (!sums_find((const char *)data, size, "a", sum))
		return 0;
	sha256_text(sum, line);
	while (at < size && strncasecmp((const char *)data + at, line, 2 * SHA256_SIZE) != 0)
		at++;
	if (at >= size)
		__builtin_trap();
	return 0;
}
