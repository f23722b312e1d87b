/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words: splits a command line into words exactly as the kernel does (next_arg() of its
 * lib/cmdline.c), but without writing into the text: every part is a slice of it. Owns a position.
 * Pure.
 * In: any bytes, borrowed. Out: name, value and what is odd about each word; parts between
 * separators.
 * Callers: report/tell/, root/wwinit/. Tests: test_rows.c.
 */
#pragma once

#include "base/util.h"

/* A piece of text that is not terminated. */
struct slice {
	const char *s;
	size_t len;
};

struct word_cursor {
	const char *text;
	size_t len, pos;
};

struct raw_word {
	size_t pos, len;	/* the raw word, quotes included */
	struct slice name;
	struct slice value;	/* s is NULL without '=' */
	bool open_quote;	/* a quote was still open at the end of the text */
	/* Ended by this byte, which few but the kernel take for a space (0xa0, \v ...); or 0. */
	unsigned char odd_space;
};

/* word_cursor_init: the text ends at len or at its first NUL. */
void word_cursor_init(struct word_cursor *c, const char *text, size_t len);

bool word_next(struct word_cursor *c, struct raw_word *ret);

/* slice_next: cuts the part before the first sep off *rest. False once nothing is left. */
bool slice_next(struct slice *rest, char sep, struct slice *ret);

/*
 * slice_is, slice_among, slice_starts: comparison with strings. slice_fits: one that ends in ':',
 * '/' or '=' begins s, another one is all of it. slice_ends: is there something before text?
 * slice_starts_scheme: for the scheme of a URL, where small and capital letters are equal (RFC 3986
 * 3.1).
 */
bool slice_is(struct slice s, const char *text);
bool slice_among(struct slice s, const char *const *texts, size_t n);
bool slice_starts(struct slice s, const char *text);
bool slice_fits(struct slice s, const char *text);
/* word_is_beginning: is text one of those that slice_fits() takes for the beginning of a word? */
bool word_is_beginning(const char *text);
bool slice_ends(struct slice s, const char *text);
bool slice_starts_scheme(struct slice s, const char *text);

/* slice_find: offset of text in s, or s.len if it is not there. */
size_t slice_find(struct slice s, const char *text);

/* slice_from: s without its first n bytes (n <= s.len). */
static inline struct slice slice_from(struct slice s, size_t n)
{
	return (struct slice){s.s + n, s.len - n};
}
