// SPDX-License-Identifier: GPL-2.0-or-later
#include "root/image/sums.h"

#include "value.h"

#define HEX (2 * SHA256_SIZE)

static bool is_line_of(const char *line, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len == HEX + 2 + n && line[HEX] == ' ' &&
		(line[HEX + 1] == ' ' || line[HEX + 1] == '*') &&
		memcmp(line + HEX + 2, name, n) == 0;
}

bool sums_find(const char *text, size_t len, const char *name, uint8_t ret[static SHA256_SIZE])
{
	size_t found = 0;

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		if (is_line_of(text, n, name))
			found += value_hex(text, HEX, ret, SHA256_SIZE) == 0 ? 1 : 2;
		text += n + (end != NULL);
		len -= n + (end != NULL);
	}
	return found == 1;
}
