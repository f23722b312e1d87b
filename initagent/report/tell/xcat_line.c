// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tell/xcat_line.h"

enum xcat_word xcat_hear(struct xcat_line *l, char byte)
{
	bool fits = l->len < sizeof(l->text);

	if (fits && byte != '\n') {
		l->text[l->len++] = byte;
		return XCAT_MORE;
	}
	if (fits)
		l->text[l->len] = 0;
	l->len = 0;
	return !fits ? XCAT_ODD : streq(l->text, "ready") ? XCAT_READY
		: streq(l->text, "done") ? XCAT_DONE : XCAT_ODD;
}
