/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text: what a word looks like that some program on the way has changed, or should have: text that
 * a shell or a template did not expand, quotes that the kernel does not know. Nothing here is ever
 * run: it is the admin's file that is wrong.
 */
#include "parser.h"

/* Bytes of one find, for the caret; n.len 0: none. */
static struct slice find_any(struct slice s, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = slice_find(s, texts[i]);

		if (at < s.len)
			return (struct slice){s.s + at, strlen(texts[i])};
	}
	return (struct slice){s.s, 0};
}

/* Does NetworkManager's generator read the option, from the command line with its quotes? */
static bool read_by_generator(enum option_id id)
{
	return (id >= OPTION_RD_NEEDNET && id <= OPTION_RD_NET_TIMEOUT_IPV6AUTO) ||
	       id == OPTION_IB_PKEY || id == OPTION_RD_NET_DHCP_CLIENT_ID ||
	       (id >= OPTION_VLAN && id <= OPTION_TEAM);
}

/* The kernel took quotes off when the raw text is longer than what is left. */
static bool was_quoted(const struct plan_word *w)
{
	return w->value && w->len > strlen(w->name) + 1 + strlen(w->value);
}

/* Quotes around more than one word, as around a whole line, make one of them. */
static void check_quoted(struct parser *p, const struct plan_word *w)
{
	struct slice v = word_value(w), at;
	const struct option_row *row;

	if (!was_quoted(w) || word_is(w, OPTION_SYSTEMD_SET_CREDENTIAL))
		return;
	for (size_t i = slice_find(v, " "); i < v.len; i += slice_find(slice_from(v, i), " ")) {
		at = slice_from(v, ++i);
		at.len = slice_find(at, "=");
		row = v.s[i + at.len] ? option_find(at.s, at.len, NULL) : NULL;
		if (row)
			complain(p, w, at, DIAG_WARN, "put the quotes around the value alone",
				"the quotes make one word of this: %s is not set", row->name);
	}
}

void check_text(struct parser *p, const struct plan_word *w)
{
	static const char *const shell[] = {"$(", "${", "`"};
	/* U+201C to U+201E, U+2018, U+2019: what word processors and web pages make of quotes */
	static const char *const quotes[] = {
		"\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9e", "\xe2\x80\x98", "\xe2\x80\x99"};
	/* U+200B to U+200F, U+2060, U+FEFF, U+00AD: what web pages and editors leave in a line */
	static const char *const unseen[] = {
		"\xe2\x80\x8b", "\xe2\x80\x8c", "\xe2\x80\x8d", "\xe2\x80\x8e",
		"\xe2\x80\x8f", "\xe2\x81\xa0", "\xef\xbb\xbf", "\xc2\xad"};
	struct slice v = word_value(w), name = slice_of(w->name),
		     at = find_any(v, shell, ARRAY_SIZE(shell));

	if (at.len)
		complain(p, w, at, DIAG_WARN, "look at the template or script that made the line",
			"looks like text that a shell should have replaced");
	at = find_any(v, quotes, ARRAY_SIZE(quotes));
	if (at.len || find_any(name, quotes, ARRAY_SIZE(quotes)).len)
		complain(p, w, at.len ? at : WHOLE, DIAG_WARN, "write \"",
			"typographic quotes are letters like others: they stay in the text");
	at = find_any(v, unseen, ARRAY_SIZE(unseen));
	if (at.len || find_any(name, unseen, ARRAY_SIZE(unseen)).len)
		complain(p, w, at.len ? at : WHOLE, DIAG_WARN, "write the word again",
			"invisible characters (a byte order mark, a space without width) are "
			"letters like others");
	check_quoted(p, w);
	if (v.len > 1 && v.s[0] == '\'' && v.s[v.len - 1] == '\'')
		complain(p, w, v, DIAG_WARN, "leave them out, or write \"",
			"the kernel knows double quotes only: the single quotes stay in the value");
	if (w->row && was_quoted(w) && read_by_generator(w->row->id))
		differ(p, w, WHOLE, DIAG_NOTE, "leave the quotes out",
			"the kernel takes the quotes off; NetworkManager's generator reads them "
			"as part of the value");
}
