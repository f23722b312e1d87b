// SPDX-License-Identifier: GPL-2.0-or-later

#include "utf8.h"

size_t utf8_decode(const char *s, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint8_t first = (uint8_t)s[0];
	bool leads = first >= 0xc2 && first < 0xf5;
	size_t n = first < 0x80 ? 1 : !leads ? 0 : 2 + (first >= 0xe0) + (first >= 0xf0);
	uint32_t c = n == 1 ? first : first & (0xff >> (n + 1));

	/* The 0 at the end of a text is no such byte: nothing behind it is looked at. */
	for (size_t i = 1; i < n; i++) {
		if (((uint8_t)s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | ((uint8_t)s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	if (ret)
		*ret = c;
	return n;
}
