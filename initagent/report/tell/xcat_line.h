/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xcat_line: what xcatd's install monitor says, "ready" and "done", a line each. Pure. */
#pragma once

#include "base/util.h"

struct xcat_line {
	char text[16];
	size_t len;
};

enum xcat_word { XCAT_MORE, XCAT_READY, XCAT_DONE, XCAT_ODD };

/* xcat_hear: the next byte. XCAT_MORE: the line goes on. XCAT_ODD: it is none of xcatd's. The next
 * line begins after any other answer than XCAT_MORE. */
enum xcat_word xcat_hear(struct xcat_line *l, char byte);
