// SPDX-License-Identifier: GPL-2.0-or-later
/* name: see name.h. */
#include "address/name.h"

#define POINTER	  0xc0
#define LABEL_MAX 63

/* Appends a label; the dots and labels together stay within ADDRESS_DOMAIN_MAX. */
static bool add_label(char *text, size_t *len, const uint8_t *label, size_t n)
{
	if (n + 1 > ADDRESS_DOMAIN_MAX + 1 - *len)
		return false;
	if (*len)
		text[(*len)++] = '.';
	for (size_t i = 0; i < n; i++)
		text[(*len)++] = name_lower((char)label[i]);
	return *len <= ADDRESS_DOMAIN_MAX;
}

bool name_read(const uint8_t *message, size_t size, size_t *pos, char text[static ADDRESS_DOMAIN_MAX + 1])
{
	size_t at = *pos, floor = *pos, len = 0;
	bool jumped = false;

	for (;;) {
		struct cursor c = at < size ? cursor_make(message + at, size - at)
					    : (struct cursor){.failed = true};
		uint8_t n = cursor_u8(&c);

		if (n >= POINTER) {
			size_t to = (size_t)(n - POINTER) << 8 | cursor_u8(&c);

			if (c.failed || to >= floor)
				return false;
			if (!jumped)
				*pos = at + 2;
			jumped = true;
			at = floor = to;
			continue;
		}
		if (c.failed || n > LABEL_MAX || n > c.left || (n && !add_label(text, &len, c.at, n)))
			return false;
		at += (size_t)n + 1;
		if (n == 0)
			break;
	}
	text[len] = 0;
	if (!jumped)
		*pos = at;
	return true;
}
