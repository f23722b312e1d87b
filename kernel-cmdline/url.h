/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * url: http and https URLs, as configured or from a redirect (RFC 3986). User names and passwords
 * in a URL are refused: a command line is no place for them. Pure.
 * In: text, untrusted; the URL that a reference is relative to. Out: scheme, host, port and path,
 * or a refusal; text.
 * Callers: fetch/, root/web/, root/wwinit/. Tests: test_url.c, fuzz_url.c.
 */
#pragma once

#include "value.h"

#define URL_HOST_MAX 254
#define URL_PATH_MAX 4096 /* a signed URL of an object store may hold a token of 2 KB */
#define URL_ZONE_MAX 16	  /* IFNAMSIZ */
#define URL_TEXT_MAX (URL_HOST_MAX + URL_ZONE_MAX + URL_PATH_MAX + 24)

struct url {
	bool https;
	uint16_t port;
	struct inet_addr address; /* host, if it is an address literal */
	char host[URL_HOST_MAX];  /* lower case, IPv6 without brackets and zone */
	char zone[URL_ZONE_MAX];  /* the interface of a link-local address (RFC 6874); or "" */
	char path[URL_PATH_MAX];  /* with query, begins with "/" */
};

/*
 * url_parse: 0, -EINVAL (no such URL) or -E2BIG. *ret is written only on 0. A zone is written
 * "%25eth0" (RFC 6874); "%eth0", as in other places, is taken as well.
 */
int url_parse(struct url *ret, const char *text, size_t len);

/*
 * url_resolve: what a reference, such as the value of Location, means seen from base: a whole URL,
 * or one without scheme, host or folder. As url_parse(); a fragment is dropped. A server that names
 * another link-local address means its own link, and does not know the name of this end.
 */
int url_resolve(struct url *ret, const struct url *base, const char *text, size_t len);

/* url_bytes: has it only bytes that a URL may have (RFC 3986)? Others would be read differently by
 * each program on the way. */
bool url_bytes(const char *s, size_t len);

/* url_same: do both texts name the same file of the same server? */
bool url_same(const char *a, const char *b);

/* url_text: the URL as text; a port that goes without saying is left out. Returns buf. */
const char *url_text(const struct url *u, char buf[static URL_TEXT_MAX]);

/* url_site: scheme, host and port only, for messages. Returns buf. */
const char *url_site(const struct url *u, char buf[static URL_TEXT_MAX]);
