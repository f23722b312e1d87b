// SPDX-License-Identifier: GPL-2.0-or-later

#include "inet_text.h"

#include <strings.h>

#include "url.h"

#define LABEL_MAX 63 /* RFC 1035 section 2.3.4 */

static const struct {
	size_t max;
	const char *others; /* allowed beside letters and digits */
	bool labels;	    /* words between dots obey RFC 1035 */
} kinds[TEXT_KIND_MAX] = {
	[TEXT_HOSTNAME] = {64, "-._", true},
	[TEXT_DOMAIN] = {253, "-._", true},
	[TEXT_SEARCH] = {511, "-._ ", true},
	[TEXT_PATH] = {255, "/._-:,=@%+[]", false},
	/* RFC 3986 section 2: reserved, unreserved */
	[TEXT_BOOT] = {255, "-._~:/?#[]@!$&'()*+,;=%", false},
};

/* Labels of 1-63 characters that do not begin with '-'; dots and spaces between them. */
static bool labels_valid(const char *s)
{
	size_t len = 0;

	for (; *s; s++) {
		if (*s == '.' || *s == ' ') {
			if (len == 0)
				return false;
			len = 0;
			continue;
		}
		if ((len == 0 && *s == '-') || ++len > LABEL_MAX)
			return false;
	}
	return len > 0;
}

/*
 * By the parser that the fetcher reads it with, since it is never shell text: its alphabet need not
 * keep a shell safe. An escaped control octet has no use in one.
 */
static bool url_valid(const char *s)
{
	struct url u;
	uint8_t octet;

	for (const char *c = s; (c = strchr(c, '%')); c++)
		if (value_hex(c + 1, strnlen(c + 1, 2), &octet, 1) < 0 || octet < ' ' ||
			octet == 0x7f)
			return false;
	return url_parse(&u, s, strlen(s)) == 0;
}

static bool boot_valid(const char *s)
{
	const char *url = strncmp(s, "live:", 5) ? s : s + 5;

	if (!strncasecmp(url, "http://", 7) || !strncasecmp(url, "https://", 8))
		return url_valid(url);
	return text_valid(TEXT_PATH, s);
}

bool text_valid(enum text_kind kind, const char *s)
{
	size_t len = strnlen(s, kinds[kind].max + 1);

	if (len == 0 || len > kinds[kind].max)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!strchr(ALNUM, s[i]) && !strchr(kinds[kind].others, s[i]))
			return false;
	if (kind == TEXT_BOOT)
		return boot_valid(s);
	return !kinds[kind].labels || labels_valid(s);
}

bool text_take(enum text_kind kind, char *dst, size_t size, const uint8_t *bytes, size_t len)
{
	while (len && bytes[len - 1] == 0)
		len--;
	if (len && bytes[len - 1] == '.' && kinds[kind].labels)
		len--;
	if (len && len < size && !memchr(bytes, 0, len)) {
		memcpy(dst, bytes, len);
		dst[len] = 0;
		if (text_valid(kind, dst))
			return true;
	}
	memset(dst, 0, size);
	return false;
}

bool text_sane(enum text_kind kind, const char *s, size_t size)
{
	return memchr(s, 0, size) && (!*s || text_valid(kind, s));
}
