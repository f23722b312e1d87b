// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/web/urls.h"

/* Where the host begins: a '/' before it is no path's. */
static const char *after_scheme(const char *url)
{
	const char *at = strstr(url, "://");

	return at ? at + 3 : url;
}

/* Just behind the last '/' of the path, which is [host, end). A URL without path: NULL. */
static const char *last_part(const char *host, const char *end)
{
	const char *at = end;

	while (at > host && at[-1] != '/')
		at--;
	return at > host ? at : NULL;
}

int urls_add(struct urls *u, const char *url, const char *name, const char *suffix)
{
	const char *host = after_scheme(url);
	const char *end = host + strcspn(host, "?");
	const char *part = name ? last_part(host, end) : end;
	char *made;
	int r;

	if (u->n == URLS_MAX)
		return 0;
	/* A server's name alone: what is asked for lies at its top. */
	if (!part)
		r = asprintf(&made, "%.*s/%s%s", (int)(end - url), url, name, suffix);
	else
		r = asprintf(&made, "%.*s%s%s%s", (int)(part - url), url, name ? name : "", suffix,
			end);
	if (r < 0)
		return -ENOMEM;
	u->list[u->n++] = made;
	return 0;
}

const char *urls_name(const char *url, size_t *ret_len)
{
	const char *host = after_scheme(url), *end = host + strcspn(host, "?");
	const char *part = last_part(host, end);

	*ret_len = part ? (size_t)(end - part) : 0;
	return part ? part : end;
}

void urls_clear(struct urls *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->list[i]);
	u->n = 0;
}
