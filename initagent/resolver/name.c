// SPDX-License-Identifier: GPL-2.0-or-later

#include "resolver/name.h"

#include <ctype.h>

#define POINTER	  0xc0
#define LABEL_MAX 63

/* Appends a label (NULL: cut off); the dots and labels together stay within ADDRESS_DOMAIN_MAX. */
static bool add_label(char *text, size_t *len, const uint8_t *label, size_t n, bool *usable)
{
	if (!label || n > LABEL_MAX || n + 1 > ADDRESS_DOMAIN_MAX + 1 - *len)
		return false;
	if (*len && n)
		text[(*len)++] = '.';
	for (size_t i = 0; i < n; i++) {
		*usable = *usable && label[i] && strchr(ALNUM "-_", label[i]);
		text[(*len)++] = (char)tolower(label[i]);
	}
	return *len <= ADDRESS_DOMAIN_MAX;
}

static bool read_labels(const uint8_t *message, size_t size, size_t *pos,
	char text[static ADDRESS_DOMAIN_MAX + 1], bool pointers)
{
	size_t at = *pos, floor = *pos, len = 0;
	bool jumped = false, usable = true;

	for (;;) {
		struct cursor c = at < size ? cursor_make(message + at, size - at)
					    : (struct cursor){.failed = true};
		uint8_t n = cursor_u8(&c);

		if (n >= POINTER) {
			size_t to = (size_t)(n - POINTER) << 8 | cursor_u8(&c);

			if (c.failed || to >= floor || !pointers)
				return false;
			if (!jumped)
				*pos = at + 2;
			jumped = true;
			at = floor = to;
			continue;
		}
		if (!add_label(text, &len, cursor_take(&c, n), n, &usable))
			return false;
		at += (size_t)n + 1;
		if (n == 0)
			break;
	}
	text[len] = 0;
	if (!usable)
		strscpy(text, NAME_UNUSABLE, ADDRESS_DOMAIN_MAX + 1);
	if (!jumped)
		*pos = at;
	return true;
}

bool name_read(const uint8_t *message, size_t size, size_t *pos,
	char text[static ADDRESS_DOMAIN_MAX + 1])
{
	return read_labels(message, size, pos, text, true);
}

bool name_read_plain(const uint8_t *message, size_t size, size_t *pos,
	char text[static ADDRESS_DOMAIN_MAX + 1])
{
	return read_labels(message, size, pos, text, false);
}

void name_append(char dst[static ADDRESS_SEARCH_MAX + 1], const char *name, size_t len)
{
	size_t have = strlen(dst);

	if (have + (have > 0) + len > ADDRESS_SEARCH_MAX)
		return;
	if (have)
		dst[have++] = ' ';
	memcpy(dst + have, name, len);
	dst[have + len] = 0;
}
