/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print: escaping for terminals. Bytes above 0x7e are escaped as well: they may be any encoding. */
#include "print.h"

static bool printable(char c)
{
	return c >= ' ' && c <= '~';
}

size_t escaped_width(const char *s, size_t len)
{
	size_t i, n = 0;

	for (i = 0; i < len; i++)
		n += printable(s[i]) ? 1 : 4;
	return n;
}

void put_escaped(FILE *out, const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (printable(s[i]))
			fputc(s[i], out);
		else
			fprintf(out, "\\x%02x", (unsigned char)s[i]);
	}
}
