// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * url: two URLs or references, one a line. What is taken means the same when it is written and read
 * again.
 */
#include "url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(const struct url *u)
{
	char text[URL_TEXT_MAX], again[URL_TEXT_MAX];
	struct url v;

	url_text(u, text);
	if (url_parse(&v, text, strlen(text)) < 0 || strcmp(url_text(&v, again), text) != 0)
		__builtin_trap();
	if (v.port != u->port || v.https != u->https || strcmp(v.host, u->host) != 0)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *second = size ? memchr(text, '\n', size) : NULL;
	size_t len = second ? (size_t)(second - text) : size;
	struct url base, to;

	if (url_parse(&base, text, len) < 0)
		return 0;
	round_trip(&base);
	if (second && url_resolve(&to, &base, second + 1, size - len - 1) == 0)
		round_trip(&to);
	return 0;
}
