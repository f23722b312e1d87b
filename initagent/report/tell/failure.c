// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tell/failure.h"

#include "report/console.h"
#include "value.h"
#include "words.h"

#define HEAD	    "initagent-failure=1"
#define SECONDS_MAX UINT64_C(999999999999)

void failure_write(char buf[static FAILURE_RECORD_MAX], const struct failure *f)
{
	/* console_clean() stops where an escape would not fit any more. */
	char text[FAILURE_RECORD_MAX], where[2 * REPORT_NAME_MAX], words[sizeof(f->text) + 5];
	int n;

	/* Escaped bytes take more room than they had: what is too long is cut. */
	console_clean(where, sizeof(where), f->where);
	console_clean(words, sizeof(words), f->text);
	n = snprintf(text, sizeof(text),
		HEAD "\ncode=%s\nwhere=%.47s\ntime=%llu\nuptime=%llu\ntext=%.*s\n",
		cause_info(f->cause)->code, where, (unsigned long long)f->wall,
		(unsigned long long)f->uptime, (int)sizeof(f->text) - 1, words);
	memset(buf, '\n', FAILURE_RECORD_MAX);
	memcpy(buf, text, n < FAILURE_RECORD_MAX ? (size_t)n : FAILURE_RECORD_MAX - 1);
}

static bool printable(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.s[i] < ' ' || s.s[i] > '~')
			return false;
	return true;
}

static bool take_text(char *dst, size_t size, struct slice v)
{
	if (v.len >= size || !printable(v))
		return false;
	memcpy(dst, v.s, v.len);
	dst[v.len] = 0;
	return true;
}

static bool take_code(enum cause *dst, struct slice v)
{
	char code[16];

	if (!take_text(code, sizeof(code), v))
		return false;
	*dst = cause_from_code(code);
	return *dst != CAUSE_NONE;
}

/* One line of a record. False: it cannot be of one. */
static bool take_line(struct failure *f, struct slice line)
{
	size_t n = slice_find(line, "=");
	struct slice key = {line.s, n}, v;

	if (n == line.len)
		return false;
	v = slice_from(line, n + 1);
	if (slice_is(key, "code"))
		return take_code(&f->cause, v);
	if (slice_is(key, "where"))
		return take_text(f->where, sizeof(f->where), v);
	if (slice_is(key, "text"))
		return take_text(f->text, sizeof(f->text), v);
	if (slice_is(key, "time"))
		return value_u64(v.s, v.len, SECONDS_MAX, &f->wall) == 0;
	return slice_is(key, "uptime") &&
		value_u64(v.s, v.len, SECONDS_MAX, &f->uptime) == 0;
}

/* The lines behind the head, as far as they are of the record. */
static struct failure take_record(struct slice rest)
{
	struct failure f = {0};
	struct slice line;

	while (slice_next(&rest, '\n', &line) && line.len && take_line(&f, line))
		continue;
	return f;
}

int failure_read(const char *text, size_t len, struct failure *ret)
{
	struct slice rest = {text, len}, line;
	int r = -ENOENT;

	while (slice_next(&rest, '\n', &line)) {
		struct failure f;

		if (!slice_is(line, HEAD))
			continue;
		f = take_record(rest);
		if (f.cause == CAUSE_NONE)
			continue;
		*ret = f;
		r = 0;
	}
	return r;
}

bool failure_same(const struct failure *a, const struct failure *b)
{
	return a->cause == b->cause && streq(a->where, b->where);
}
