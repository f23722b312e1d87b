/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * news: what one interface's address has to tell its room: the newest outcome, which says it all (a loss that was
 * made good, or a success that was lost, is old), and the newest hindrance, which the status line shows.
 */
#pragma once

#include <stdarg.h>

#include "address/address.h"
#include "report/causes.h"

struct news {
	int ifindex;
	bool has_outcome, has_hint; /* waiting to be popped */
	struct address_event outcome; /* CONFIGURED, RENEWED, LOST or FAILED */
	struct address_event hint;    /* HINDRANCE; kept after it was popped */
};

void news_outcome(struct news *n, enum address_event_type type, enum cause cause, const char *text);
/* news_hint: one that says the same as the last is no news, unless there was an outcome since. */
void news_hint(struct news *n, enum cause cause, const char *fmt, va_list args);
/* news_clear: nothing is in the way any more. */
void news_clear(struct news *n);
/* news_pending: is there something to pop? */
bool news_pending(const struct news *n);
/* news_pop: what has happened comes before what is in the way. False: nothing. */
bool news_pop(struct news *n, struct address_event *ret);
