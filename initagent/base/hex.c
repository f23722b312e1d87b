// SPDX-License-Identifier: GPL-2.0-or-later

#include "hex.h"

const char *hex_text(char *buf, size_t size, const uint8_t *bytes, size_t n, const char *between)
{
	size_t at = 0;

	*buf = 0;
	if (n * (2 + strlen(between)) + 1 > size)
		return buf;
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(buf + at, size - at, "%s%02x", i ? between : "", bytes[i]);
	return buf;
}
