// SPDX-License-Identifier: GPL-2.0-or-later
/* news: see news.h. */
#include "address/news.h"

void news_outcome(struct news *n, enum address_event_type type, enum cause cause, const char *text)
{
	n->outcome = (struct address_event){.type = type, .ifindex = n->ifindex, .cause = cause};
	strscpy(n->outcome.text, text, sizeof(n->outcome.text));
	n->has_outcome = true;
	/* Whoever hears of it forgets what was in the way: the same hindrance again is news then. */
	if (!n->has_hint)
		n->hint = (struct address_event){0};
}

void news_hint(struct news *n, enum cause cause, const char *fmt, va_list args)
{
	struct address_event was = n->hint;

	n->hint = (struct address_event){.type = ADDRESS_HINDRANCE, .ifindex = n->ifindex, .cause = cause};
	vsnprintf(n->hint.text, sizeof(n->hint.text), fmt, args);
	if (was.cause != cause || !streq(was.text, n->hint.text))
		n->has_hint = true;
}

void news_clear(struct news *n)
{
	n->has_hint = false;
	n->hint = (struct address_event){0};
}

bool news_pending(const struct news *n)
{
	return n->has_outcome || n->has_hint;
}

bool news_pop(struct news *n, struct address_event *ret)
{
	if (n->has_outcome) {
		*ret = n->outcome;
		n->has_outcome = false;
		return true;
	}
	if (!n->has_hint)
		return false;
	*ret = n->hint;
	n->has_hint = false;
	return true;
}
