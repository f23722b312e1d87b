/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words: the kernel's splitting. Its rules, which are odder than they look:
 *
 * - White space separates (isspace() of the kernel, which includes 0xa0), except inside quotes.
 *   Every '"' opens or closes, wherever it stands; there is no escape. A quote left open takes
 *   the rest of the line.
 * - The first '=' that is not the word's first byte divides name and value.
 * - A quote that begins the word, and one that begins the value, is taken off; a '"' that ends
 *   the word is then taken off as well, once. Quotes anywhere else stay in the text.
 */
#include "words.h"

/* _ctype[] of the kernel's lib/ctype.c marks 9 to 13, 32 and 160. */
static bool kernel_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (unsigned char)c == 0xa0;
}

void word_cursor_init(struct word_cursor *c, const char *text, size_t len)
{
	*c = (struct word_cursor){.text = text, .len = len ? strnlen(text, len) : 0};
}

/* Cuts s off at end; a value that would end before it begins is empty. */
static void cut(struct slice *s, const char *end)
{
	s->len = end > s->s ? (size_t)(end - s->s) : 0;
}

/*
 * The word is text[first..end), equals is where its '=' stands (0: none, as in the kernel:
 * first is taken when quoted). Sets name and value.
 */
static void divide(struct raw_word *w, const char *arg, size_t n, size_t equals, bool quoted)
{
	const char *end = arg + n;
	bool close = n > 0 && end[-1] == '"';

	w->name = (struct slice){arg, n};
	w->value = (struct slice){NULL, 0};
	if (equals) {
		w->name.len = equals;
		w->value = (struct slice){arg + equals + 1, n - equals - 1};
		if (w->value.len && w->value.s[0] == '"') {
			w->value.s++;
			cut(&w->value, close ? end - 1 : end);
			close = false; /* taken off only once */
		}
	}
	if (!quoted || !close)
		return;
	if (equals)
		cut(&w->value, end - 1);
	else
		w->name.len--;
}

/* equals stays 0 for a '=' in front: the kernel's test, and why "=a=b" is named "=a". */
bool word_next(struct word_cursor *c, struct raw_word *ret)
{
	bool quoted, in_quote;
	size_t arg, i, equals = 0;

	while (c->pos < c->len && kernel_space(c->text[c->pos]))
		c->pos++;
	if (c->pos == c->len)
		return false;

	quoted = in_quote = c->text[c->pos] == '"';
	arg = c->pos + quoted;
	for (i = arg; i < c->len; i++) {
		if (kernel_space(c->text[i]) && !in_quote)
			break;
		if (equals == 0 && c->text[i] == '=')
			equals = i - arg;
		if (c->text[i] == '"')
			in_quote = !in_quote;
	}

	*ret = (struct raw_word){.pos = c->pos, .len = i - c->pos, .open_quote = in_quote};
	if (i < c->len && !strchr(" \t\n", c->text[i]))
		ret->odd_space = (unsigned char)c->text[i];
	divide(ret, c->text + arg, i - arg, equals, quoted);
	c->pos = i;
	return true;
}

bool slice_next(struct slice *rest, char sep, struct slice *ret)
{
	const char *p;

	if (!rest->s)
		return false;
	p = rest->len ? memchr(rest->s, sep, rest->len) : NULL;
	*ret = (struct slice){rest->s, p ? (size_t)(p - rest->s) : rest->len};
	if (p)
		*rest = slice_from(*rest, ret->len + 1);
	else
		*rest = (struct slice){NULL, 0};
	return true;
}

bool slice_is(struct slice s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.s, text, s.len) == 0;
}

bool slice_among(struct slice s, const char *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(s, texts[i]))
			return true;
	return false;
}

bool slice_starts(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.len >= n && memcmp(s.s, text, n) == 0;
}

bool word_is_beginning(const char *text)
{
	return strchr(":/=", text[strlen(text) - 1]);
}

bool slice_fits(struct slice s, const char *text)
{
	return word_is_beginning(text) ? slice_starts(s, text) : slice_is(s, text);
}

bool slice_ends(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.len > n && memcmp(s.s + s.len - n, text, n) == 0;
}

bool slice_starts_scheme(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.len >= n && strncasecmp(s.s, text, n) == 0;
}

size_t slice_find(struct slice s, const char *text)
{
	const char *p = s.len ? memmem(s.s, s.len, text, strlen(text)) : NULL;

	return p ? (size_t)(p - s.s) : s.len;
}
