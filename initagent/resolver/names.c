// SPDX-License-Identifier: GPL-2.0-or-later
/* names: the names that are tried, and /etc/hosts; see private.h. */
#include <strings.h>

#include "inet_text.h"
#include "report/report.h"
#include "resolver/private.h"

#define HOSTS_MAX 65536

/* Names that are too long or malformed with this domain are left out. */
static void add_name(struct name_list *l, const char *name, const char *domain)
{
	char text[ADDRESS_DOMAIN_MAX + 1];
	int n = snprintf(text, sizeof(text), "%s%s%s", name, *domain ? "." : "", domain);

	if (l->n < NAME_LIST_MAX && n > 0 && (size_t)n < sizeof(text) &&
		text_valid(TEXT_DOMAIN, text))
		memcpy(l->names[l->n++], text, sizeof(text));
}

void name_list_make(struct name_list *ret, const char *name, const char *search)
{
	char text[ADDRESS_SEARCH_MAX + 1], *rest = text, *domain;
	bool dotted = strchr(name, '.');

	strscpy(text, search, sizeof(text));
	ret->n = 0;
	if (dotted)
		add_name(ret, name, "");
	while ((domain = strsep(&rest, " ")))
		if (*domain)
			add_name(ret, name, domain);
	if (dotted)
		return;
	/* The name itself has its place even when there are many domains. */
	if (ret->n == NAME_LIST_MAX)
		ret->n--;
	add_name(ret, name, "");
}

/* --- /etc/hosts ---------------------------------------------------------------------------- */

static size_t count_blanks(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && (s[n] == ' ' || s[n] == '\t' || s[n] == '\r'))
		n++;
	return n;
}

/* The next word of *s, which is moved behind it; false at the end or at a comment. */
static bool next_word(const char **s, size_t *len, const char **ret, size_t *ret_len)
{
	size_t n = count_blanks(*s, *len);

	*s += n;
	*len -= n;
	*ret = *s;
	for (n = 0; n < *len && count_blanks(*s + n, 1) == 0 && (*s)[n] != '#'; n++)
		continue;
	*ret_len = n;
	*s += n;
	*len -= n;
	return n > 0;
}

/* Address first, then names; a line that begins with anything else is skipped. */
static bool line_has(const char *s, size_t len, const char *name, struct inet_addr *ret)
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

static size_t find_family(const char *text, size_t len, const char *name, int family,
	struct inet_addr *ret, size_t max)
{
	size_t n = 0;

	while (len && n < max) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;
		struct inet_addr a = {0};

		if (line_has(text, line, name, &a) && a.family == family)
			ret[n++] = a;
		line += end != NULL;
		text += line;
		len -= line;
	}
	return n;
}

size_t hosts_find(const char *text, size_t len, const char *name,
	struct inet_addr ret[static ADDRESS_RESOLVED_MAX])
{
	size_t n = find_family(text, len, name, AF_INET, ret, ADDRESS_RESOLVED_MAX);

	return n + find_family(text, len, name, AF_INET6, ret + n, ADDRESS_RESOLVED_MAX - n);
}

/* On the heap: a hosts file may be larger than a stack should bear. Of a line that is cut short, a
 * name could be half of another's. */
size_t hosts_read(const struct env *env, const char *name,
	struct inet_addr ret[static ADDRESS_RESOLVED_MAX], uint64_t now)
{
	_cleanup_free_ char *text = malloc(HOSTS_MAX);
	int len = text ? env_read(env, text, HOSTS_MAX, "/etc/hosts") : -ENOMEM;

	if (len == HOSTS_MAX - 1) {
		report_log(env->report, REPORT_WARN, "/etc/hosts", now,
			"only the first %d bytes are read", len);
		while (len > 0 && text[len - 1] != '\n')
			len--;
	}
	return len > 0 ? hosts_find(text, (size_t)len, name, ret) : 0;
}
