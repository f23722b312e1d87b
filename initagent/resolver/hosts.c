// SPDX-License-Identifier: GPL-2.0-or-later
/* hosts: see hosts.h. */
#include "resolver/hosts.h"

#include <strings.h>

static size_t blanks(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && (s[n] == ' ' || s[n] == '\t' || s[n] == '\r'))
		n++;
	return n;
}

/* The next word of *s, which is moved behind it; false at the end or at a comment. */
static bool next_word(const char **s, size_t *len, const char **ret, size_t *ret_len)
{
	size_t n = blanks(*s, *len);

	*s += n;
	*len -= n;
	*ret = *s;
	for (n = 0; n < *len && blanks(*s + n, 1) == 0 && (*s)[n] != '#'; n++)
		continue;
	*ret_len = n;
	*s += n;
	*len -= n;
	return n > 0;
}

/* Address first, then names; a line that begins with anything else is none. */
static bool line_names(const char *s, size_t len, const char *name, struct inet_addr *ret)
{
	const char *word;
	size_t n;

	if (!next_word(&s, &len, &word, &n) || value_inet(word, n, ret) < 0)
		return false;
	while (next_word(&s, &len, &word, &n))
		if (n == strlen(name) && !strncasecmp(word, name, n))
			return true;
	return false;
}

/* The addresses of one family; *n counts them. */
static void find_family(const char *text, size_t len, const char *name, int family,
	struct inet_addr ret[static ADDRESS_RESOLVED_MAX], size_t *n)
{
	while (len && *n < ADDRESS_RESOLVED_MAX) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;
		struct inet_addr a = {0};

		if (line_names(text, line, name, &a) && a.family == family)
			ret[(*n)++] = a;
		line += end != NULL;
		text += line;
		len -= line;
	}
}

size_t hosts_find(const char *text, size_t len, const char *name, struct inet_addr ret[static ADDRESS_RESOLVED_MAX])
{
	size_t n = 0;

	find_family(text, len, name, AF_INET, ret, &n);
	find_family(text, len, name, AF_INET6, ret, &n);
	return n;
}
