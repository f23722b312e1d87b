// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tell/xcat_line.h"

/* A word ends with its line, not with a NUL byte in it. */
static bool is(const struct xcat_line *l, const char *word)
{
	return l->len == strlen(word) && memcmp(l->text, word, l->len) == 0;
}

enum xcat_word xcat_hear(struct xcat_line *l, char byte)
{
	enum xcat_word ret = XCAT_ODD;

	if (l->len < sizeof(l->text) && byte != '\n') {
		l->text[l->len++] = byte;
		return XCAT_MORE;
	}
	if (byte == '\n')
		ret = is(l, "ready") ? XCAT_READY : is(l, "done") ? XCAT_DONE : XCAT_ODD;
	l->len = 0;
	return ret;
}
