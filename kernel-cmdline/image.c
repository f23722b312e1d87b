/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image: the options of a root that is fetched: rd.root.*, dracut's proxy= and rd.noverifyssl, and
 * what of rd.live.* has a meaning here. A mistake in what proves an image must never become
 * "unproved": that is fatal (check-image.c).
 */
#include "parser.h"
#include "url.h"

/* An '@' in front of the path: a user's name, perhaps a password. */
static bool has_user(struct slice s)
{
	size_t host = slice_find(s, "://") + 3, n = host;

	while (n < s.len && s.s[n] != '/' && s.s[n] != '?' && s.s[n] != '@')
		n++;
	return n < s.len && s.s[n] == '@';
}

/* What stands between scheme and path, without a user's name. */
static struct slice authority_of(struct slice s)
{
	size_t at = slice_find(s, "://");

	s = slice_from(s, at < s.len ? at + 3 : 0);
	s.len = slice_find(s, "/");
	at = slice_find(s, "@");
	return slice_from(s, at < s.len ? at + 1 : 0);
}

/* Whole numbers in place of an address are the one mistake that has its own remedy. */
static const char *url_remedy(struct slice url, const char *otherwise)
{
	struct slice f[3];

	return fields_split(authority_of(url), f, ARRAY_SIZE(f)) < ARRAY_SIZE(f)
		       ? server_remedy(f[0], otherwise)
		       : otherwise;
}

void foreign_url(struct parser *p, const struct plan_word *w, struct slice text)
{
	bool nfs = slice_starts(text, "nfs:") && slice_find(text, "://") == text.len;
	struct slice site = nfs ? slice_from(text, 4) : authority_of(text);
	const char *url;
	struct url u;

	if (nfs)
		site.len = slice_find(site, ":/");
	if (nfs ? slice_starts(site, "/") : slice_find(text, "://") == text.len)
		return;
	url = textf(p, "http://%.*s/", SLICE(site));
	if (!site.len)
		complain(p, w, text, DIAG_WARN, "write SCHEME://SERVER/PATH",
			"the URL names no server");
	else if (url_parse(&u, url, strlen(url)) < 0)
		complain(p, w, site, DIAG_WARN, url_remedy(site, "write SERVER[:PORT]"),
			"not a server or port (IPv6 in brackets)");
	else
		check_host(p, w, site, DIAG_WARN, &u.address);
}

bool image_url(struct parser *p, const struct plan_word *w, struct slice text,
	enum diag_severity severity, struct url *ret)
{
	const char *remedy = "write http://SERVER[:PORT]/PATH or https://...";

	if (!slice_starts_scheme(text, "http://") && !slice_starts_scheme(text, "https://"))
		complain(p, w, text, severity, remedy, "not a URL with http or https; left out");
	else if (has_user(text))
		complain(p, w, text, severity, "let the server identify nodes by their address",
			"a password here could be read by every program of the node; left out");
	else if (text.len > PLAN_URL_MAX || !url_bytes(text.s, text.len))
		complain(p, w, text, severity, slice_find(text, "&#") == text.len ? remedy
			: "write the character for &#NN;",
			"not a URL; left out");
	else if (url_parse(ret, text.s, text.len) < 0)
		complain(p, w, text, severity, url_remedy(text, remedy),
			"not a server or port (IPv6 in brackets), or too long; left out");
	else
		return check_zone(p, w, text, severity, &ret->address, ret->zone) &&
			check_host(p, w, text, severity, &ret->address);
	return false;
}

/* RFC 3986 2.1 */
static bool escapes(const char *path)
{
	uint8_t byte;

	for (const char *s = path; (s = strchr(s, '%')); s++)
		if (value_hex(s + 1, strnlen(s + 1, 2), &byte, 1) < 0)
			return false;
	return true;
}

bool file_url(
	struct parser *p, const struct plan_word *w, struct slice text, enum diag_severity severity)
{
	struct url u;

	if (!image_url(p, w, text, severity, &u))
		return false;
	if (strstr(u.path, "&amp;"))
		complain(p, w, text, DIAG_WARN, "write & in the boot script",
			"&amp; as in HTML: the server gets it like this");
	if (slice_ends((struct slice){u.path, strcspn(u.path, "?")}, ".metainfo"))
		complain(p, w, text, DIAG_WARN, "remove the .metainfo beside the image",
			"xCAT's torrent of the image");
	if (streq(u.path, "/"))
		complain(p, w, text, DIAG_WARN, "write http://SERVER/PATH",
			"the URL names no file");
	if (!escapes(u.path))
		complain(p, w, text, DIAG_WARN, "write %25 for a % of the name",
			"a %% that two hex digits do not follow: servers may refuse the request");
	return true;
}

bool plan_is_manifest(const char *url, size_t len)
{
	struct slice path = {url, slice_find((struct slice){url, len}, "?")};

	return slice_ends(path, ".manifest") || slice_ends(path, ".json");
}

PARSE(mirror)
{
	struct slice v = word_value(w);

	if (slice_starts(v, "live:"))
		v = slice_from(v, 5);
	if (!file_url(p, w, v, DIAG_ERROR))
		return false;
	for (size_t i = 0; i < p->mirrors.n; i++)
		if (url_same(((const char *const *)p->mirrors.items)[i], v.s)) {
			note_word(p, w, "keep one of them", "given twice; used once");
			return say(p, w, "has no further effect");
		}
	return APPEND_MAX(p, &p->mirrors, v.s, w, PLAN_MIRRORS_MAX) &&
		say(p, w, "fetches from %s as well", v.s);
}

PARSE(digest)
{
	struct plan_image *image = &p->plan->root.image;
	struct slice v = word_value(w);

	image->has_digest = slice_starts(v, "sha256:") &&
		value_hex(v.s + 7, v.len - 7, image->digest, sizeof(image->digest)) == 0;
	if (image->has_digest)
		say(p, w, "takes no other content than this");
	else
		complain(p, w, v, DIAG_ERROR,
			"write sha256: and the 64 digits that sha256sum prints", "not a digest");
	return image->has_digest;
}

/* A path within the initramfs, plain enough to be shown and to be opened. */
static bool plain_path(struct slice v)
{
	return v.len && v.len < 256 && v.s[0] == '/' && url_bytes(v.s, v.len) &&
		slice_find(v, "/../") == v.len;
}

/* minisign's text form is the base64 of "Ed", a number and the key: it begins with RW. */
PARSE(key)
{
	struct slice v = word_value(w);
	struct plan_key key = {0};

	if (plain_path(v)) {
		key.path = v.s;
	} else if (value_base64(v.s, v.len, key.bytes, sizeof(key.bytes)) < 0 ||
		memcmp(key.bytes, "Ed", 2) != 0) {
		complain(p, w, v, DIAG_ERROR,
			"the second line of minisign's .pub file, or its /PATH",
			"not a minisign public key");
		return false;
	}
	if (!APPEND(p, &p->keys, key, w))
		return false;
	return say(p, w, "takes only what is signed with this key");
}

PARSE(root_ca)
{
	struct slice v = word_value(w);

	if (!plain_path(v))
		return left_out(p, w, v, "write the /PATH of a PEM file in the initramfs",
			"not a path");
	p->plan->root.image.ca = v.s;
	return say(p, w, "trusts https servers with a certificate signed by one in %s", v.s);
}

/* DEVICE[:/DIR]; whether there is such a device is seen when it is looked for. */
PARSE(root_cache)
{
	struct slice v = word_value(w);

	if (!names_device((struct slice){v.s, slice_find(v, ":/")}) || v.len > 255 ||
		!url_bytes(v.s, v.len) || slice_find(v, "/..") < v.len)
		return left_out(p, w, v,
			"write rd.root.cache=/dev/NAME or LABEL=NAME, :/DIR after it",
			"not a place for a cache");
	p->plan->root.image.cache = v.s;
	return say(p, w, "keeps images on %s and takes them from there", v.s);
}

/* curl takes HOST:PORT as http; proxies that speak TLS themselves or SOCKS are not built in. */
PARSE(proxy)
{
	struct slice v = word_value(w);
	const char *url = slice_find(v, "://") < v.len ? v.s : textf(p, "http://%s", v.s);
	struct url u;

	if (url_parse(&u, url, strlen(url)) < 0 || u.https || inet_is_link_local(&u.address) ||
		!url_bytes(v.s, v.len))
		return left_out(p, w, v, url_remedy(v, "write http://HOST:PORT"),
			"not an HTTP proxy");
	if (!check_host(p, w, v, DIAG_ERROR, &u.address))
		return false;
	p->plan->root.image.proxy = url;
	return say(p, w, "fetches through the proxy %s", v.s);
}

/* On: the option alone, or any value that does not mean off. */
static bool switched_on(const struct plan_word *w)
{
	struct slice v = word_value(w);
	enum switch_word sw = value_switch(v.s, v.len);

	return sw == SWITCH_ON || sw == SWITCH_ODD;
}

/* Whether it has an effect depends on the whole line: resolve_image(). */
PARSE(noverifyssl)
{
	p->plan->root.image.insecure = switched_on(w);
	return say(p, w,
		p->plan->root.image.insecure ? "takes any certificate of an https server"
					     : "checks certificates");
}

PARSE(minmem)
{
	struct slice v = word_value(w);
	uint32_t n;

	if (value_u32(v.s, v.len, 1 << 24, &n) < 0) {
		complain(p, w, v, DIAG_ERROR, "write a number of MiB, for example rd.minmem=256",
			"not a number of MiB; left out, %s stays", row->def);
		return false;
	}
	p->plan->root.image.minmem_mib = n;
	return say(p, w, "keeps %u MiB of memory free beside the image", n);
}

/* live-boot's toram= may name a file; there is only one image here. */
PARSE(live_ram)
{
	p->plan->root.image.ram = switched_on(w);
	return say(p, w,
		"has no effect: the image always runs from memory, whatever a cache holds");
}

/* Names in an ISO image: no way out of it, and no other folder by a second name; "/" is its top. */
PARSE(live_path)
{
	struct slice v = word_value(w);
	bool top = row->id == OPTION_RD_LIVE_DIR && slice_is(v, "/");

	while (v.len && v.s[0] == '/')
		v = slice_from(v, 1);
	if ((!v.len && !top) || v.len > 200 || !url_bytes(v.s, v.len) ||
		slice_find(v, "..") < v.len ||
		(row->id == OPTION_RD_LIVE_SQUASHIMG && slice_find(v, "/") < v.len))
		return left_out(p, w, word_value(w), NULL, "not a name in an image");
	if (row->id == OPTION_RD_LIVE_DIR)
		p->plan->root.image.live_dir = v.s;
	else
		p->plan->root.image.squashimg = v.s;
	return say(p, w, "looks for %s in an ISO image", top ? "a file at the top" : v.s);
}

/* Certificates may go unchecked only where they are not what the image is believed for. */
void resolve_image(struct parser *p)
{
	struct plan_word *w = parser_word(p, OPTION_RD_NOVERIFYSSL);
	struct plan_image *image = &p->plan->root.image;

	if (!image->insecure)
		return;
	if (image->has_digest || p->keys.n) {
		say(p, w, "takes any certificate: the image is proved by %s",
			image->has_digest ? "its digest" : "its signature");
		return;
	}
	image->insecure = false;
	say(p, w, "has no effect: certificates are checked");
	if (image->ca)
		warn_word(p, w, "leave it out, or add rd.root.digest= or rd.root.key=",
			"left out: the server's certificate is checked against rd.root.ca=");
	else
		complain(p, w, WHOLE, DIAG_ERROR,
			"add rd.root.digest= or rd.root.key=, or name the server's certificate in "
			"rd.root.ca=", "left out: nothing else on the line would prove the image");
}
