// SPDX-License-Identifier: GPL-2.0-or-later

#include "url.h"

#include <ctype.h>

#include "words.h"

#define PORT_HTTP  80
#define PORT_HTTPS 443

/* The part before the first of some bytes; it is taken off s. */
static struct slice until(struct slice *s, const char *stops)
{
	struct slice part = {s->s, 0};

	while (part.len < s->len && !memchr(stops, s->s[part.len], strlen(stops)))
		part.len++;
	*s = slice_from(*s, part.len);
	return part;
}

/* Printable ASCII without space: anything else would have to be escaped in a request. */
static bool printable(const struct slice *s)
{
	for (size_t i = 0; i < s->len; i++)
		if (s->s[i] <= ' ' || s->s[i] > '~')
			return false;
	return true;
}

bool url_bytes(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] <= ' ' || s[i] > '~' || strchr("\"<>\\^`{|}#", s[i]))
			return false;
	return true;
}

static int take_host(struct url *u, const struct slice *host)
{
	memset(u->host, 0, sizeof(u->host));
	memset(u->zone, 0, sizeof(u->zone));
	if (!host->len)
		return -EINVAL;
	if (host->len >= sizeof(u->host))
		return -E2BIG;
	for (size_t i = 0; i < host->len; i++)
		u->host[i] = (char)tolower((unsigned char)host->s[i]);
	return value_server(u->host, host->len, &u->address) ? 0 : -EINVAL;
}

/* IPv6, and perhaps the zone. */
static int take_literal(struct url *u, struct slice text)
{
	struct slice host = until(&text, "%");
	int e = memchr(host.s, ':', host.len) ? take_host(u, &host) : -EINVAL;

	if (e < 0 || !text.len)
		return e;
	text = slice_from(text, slice_starts(text, "%25") && text.len > 3 ? 3 : 1);
	if (!value_zone(&u->address, text.s, text.len))
		return -EINVAL;
	memcpy(u->zone, text.s, text.len);
	return 0;
}

/* [IPv6], IPv4 or name, then perhaps a port. */
static int take_authority(struct url *u, struct slice *s)
{
	struct slice all = until(s, "/?#"), host;
	uint32_t port = u->https ? PORT_HTTPS : PORT_HTTP;
	bool literal = all.len && *all.s == '[';

	if (literal) {
		all = slice_from(all, 1);
		host = until(&all, "]");
		if (!all.len)
			return -EINVAL;
		all = slice_from(all, 1);
	} else {
		host = until(&all, ":");
	}
	if (all.len > 1 && (*all.s != ':' || value_u32(all.s + 1, all.len - 1, 65535, &port) < 0))
		return -EINVAL;
	if ((all.len == 1 && *all.s != ':') || port == 0)
		return -EINVAL;
	u->port = (uint16_t)port;
	return literal ? take_literal(u, host) : take_host(u, &host);
}

static int take_path(struct url *u, struct slice *s, const char *folder, size_t folder_len)
{
	struct slice path = until(s, "#");
	int n = snprintf(u->path, sizeof(u->path), "%.*s%.*s", (int)folder_len, folder,
		(int)path.len, path.s);

	return n >= 0 && (size_t)n < sizeof(u->path) ? 0 : -E2BIG;
}

/* Behind the authority: a path, or only a query, which belongs to "/". */
static int take_rest(struct url *u, struct slice *s)
{
	bool rooted = s->len && *s->s == '/';

	return take_path(u, s, "/", rooted ? 0 : 1);
}

int url_parse(struct url *ret, const char *text, size_t len)
{
	struct slice s = {text, len};
	struct url u = {0};
	int e;

	if (!printable(&s) || len > URL_TEXT_MAX)
		return len > URL_TEXT_MAX ? -E2BIG : -EINVAL;
	u.https = slice_starts_scheme(s, "https://");
	if (!u.https && !slice_starts_scheme(s, "http://"))
		return -EINVAL;
	s = slice_from(s, u.https ? 8 : 7);
	e = take_authority(&u, &s);
	e = e ? e : take_rest(&u, &s);
	if (e == 0)
		*ret = u;
	return e;
}

bool url_same(const char *a, const char *b)
{
	struct url x, y;

	return url_parse(&x, a, strlen(a)) == 0 && url_parse(&y, b, strlen(b)) == 0 &&
	       x.https == y.https && x.port == y.port && streq(x.path, y.path) &&
	       streq(x.zone, y.zone) &&
	       (x.address.family ? inet_equal(&x.address, &y.address) : streq(x.host, y.host));
}

/* Does it begin with a scheme: letters before a colon that stands before any slash? */
static bool has_scheme(struct slice s)
{
	struct slice scheme = until(&s, ":/?#");

	return scheme.len && s.len && *s.s == ':';
}

/* The base's path up to and with its last slash; for a query alone, all but the old query. */
static size_t folder_of(const struct url *base, const struct slice *s)
{
	size_t n = strcspn(base->path, "?");

	while (n && *s->s != '?' && base->path[n - 1] != '/')
		n--;
	return n;
}

int url_resolve(struct url *ret, const struct url *base, const char *text, size_t len)
{
	struct slice s = {text, len};
	struct url u = *base;
	int e = 0;

	if (!len || !printable(&s) || len > URL_TEXT_MAX)
		return len > URL_TEXT_MAX ? -E2BIG : -EINVAL;
	if (has_scheme(s)) {
		e = url_parse(&u, text, len);
	} else if (slice_starts(s, "//")) {
		s = slice_from(s, 2);
		e = take_authority(&u, &s);
		e = e ? e : take_rest(&u, &s);
	} else if (*s.s == '/') {
		e = take_path(&u, &s, "", 0);
	} else if (*s.s != '#') {
		e = take_path(&u, &s, base->path, folder_of(base, &s));
	}
	if (e == 0 && inet_is_link_local(&u.address) && !*u.zone)
		memcpy(u.zone, base->zone, sizeof(u.zone));
	if (e == 0)
		*ret = u;
	return e;
}

const char *url_site(const struct url *u, char buf[static URL_TEXT_MAX])
{
	bool v6 = u->address.family == AF_INET6;
	char port[8] = "";

	if (u->port != (u->https ? PORT_HTTPS : PORT_HTTP))
		snprintf(port, sizeof(port), ":%u", u->port);
	snprintf(buf, URL_TEXT_MAX, "http%s://%s%s%s%s%s%s", u->https ? "s" : "", v6 ? "[" : "",
		u->host, *u->zone ? "%25" : "", u->zone, v6 ? "]" : "", port);
	return buf;
}

const char *url_text(const struct url *u, char buf[static URL_TEXT_MAX])
{
	size_t n;

	url_site(u, buf);
	n = strlen(buf);
	snprintf(buf + n, URL_TEXT_MAX - n, "%s", u->path);
	return buf;
}
