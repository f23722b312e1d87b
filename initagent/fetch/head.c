// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/head.h"

#include <strings.h>
#include <time.h>

#include "base/cursor.h"

/* White space around a value (RFC 9110 5.5). */
#define BLANKS " \t"

/* --- pieces ---------------------------------------------------------------------------------- */

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Digits, any number of them: what is too large counts as the largest (RFC 9111 1.2.2), and each
 * field has its own limit. */
static bool take_number(struct cursor *c, uint64_t *ret)
{
	bool any = false;

	for (*ret = 0; c->left && is_digit(*c->at); any = true) {
		uint64_t digit = (uint64_t)(cursor_u8(c) - '0');

		*ret = *ret > (HEAD_NUMBER_MAX - 9) / 10 ? HEAD_NUMBER_MAX : *ret * 10 + digit;
	}
	return any;
}

static bool take_byte(struct cursor *c, char want)
{
	return cursor_u8(c) == (uint8_t)want && !c->failed;
}

static bool take_text(struct cursor *c, const char *want)
{
	size_t n = strlen(want);
	const uint8_t *p = cursor_take(c, n);

	return p && strncasecmp((const char *)p, want, n) == 0;
}

static bool is(const struct cursor *c, const char *word)
{
	return c->at && c->left == strlen(word) &&
		strncasecmp((const char *)c->at, word, c->left) == 0;
}

/* --- dates ----------------------------------------------------------------------------------- */

/* A date may be sent back: it is one only if it is printed again as it was written. */
bool head_date(const char *text, size_t len, int64_t *ret)
{
	static const char form[] = "%a, %d %b %Y %H:%M:%S GMT";
	char copy[sizeof("Sun, 06 Nov 1994 08:49:37 GMT")] = "", again[sizeof(copy)];
	struct tm tm = {0};

	if (len != sizeof(copy) - 1)
		return false;
	memcpy(copy, text, len);
	if (!strptime(copy, form, &tm) || tm.tm_year < 70 ||
		!strftime(again, sizeof(again), form, &tm) || !streq(again, copy))
		return false;
	*ret = timegm(&tm);
	return true;
}

/* --- fields ---------------------------------------------------------------------------------- */

static void fail(struct head *h, enum head_fault fault)
{
	if (h->fault == HEAD_FINE)
		h->fault = fault;
}

/* The same length may be said twice, also in one line (RFC 9110 8.6). */
static void content_length(struct head *h, struct cursor v)
{
	bool more;

	do {
		uint64_t value;

		v = cursor_trim(v, BLANKS);
		if (!take_number(&v, &value)) {
			fail(h, HEAD_MALFORMED);
			return;
		}
		if ((h->has_length && h->length != value) || h->chunked)
			fail(h, HEAD_LENGTHS);
		h->has_length = true;
		h->length = value;
		v = cursor_trim(v, BLANKS);
		more = v.left && *v.at == ',';
		if (more)
			cursor_skip(&v, 1);
	} while (more);
	if (v.left)
		fail(h, HEAD_MALFORMED);
}

/* Chunks are the only coding that is no packing. */
static void transfer_encoding(struct head *h, struct cursor v)
{
	if (is(&v, "identity"))
		return;
	if (!is(&v, "chunked"))
		fail(h, HEAD_ENCODED);
	if (h->has_length || h->chunked)
		fail(h, HEAD_LENGTHS);
	h->chunked = true;
}

/*
 * Many servers name a coding by the file's name (Apache's AddEncoding, all that ask Python's
 * mimetypes): "gzip" of root.cpio.gz. It is how the file itself is packed, which has not been
 * touched. The first two letters tell: .gz, .tgz, .xz, .zst, .bz2. A query is no part of it.
 */
static bool stored_so(const char *url, struct cursor v)
{
	const char *ext = memrchr(url, '.', strcspn(url, "?")), *coding = (const char *)v.at;

	if (v.left < 2 || !ext)
		return false;
	coding += v.left > 3 && coding[1] == '-' ? 2 : 0; /* x-gzip */
	return strncasecmp(coding, ext + (ext[1] == 't' ? 2 : 1), 2) == 0;
}

/* aws-chunked: how it was sent to an object store, some of which send that back (ceph issue
 * 21128). */
static void content_encoding(struct head *h, struct cursor v)
{
	if (v.left && !is(&v, "identity") && !is(&v, "aws-chunked") && !stored_so(h->url, v))
		fail(h, HEAD_ENCODED);
}

/* "0-99/1000", or a star for a total that is not known. */
static bool take_range(struct cursor *v, uint64_t *first, uint64_t *last, uint64_t *total)
{
	*total = 0;
	if (!take_number(v, first) || !take_byte(v, '-') || !take_number(v, last) ||
		!take_byte(v, '/') || *last < *first)
		return false;
	if (v->left == 1 && *v->at == '*')
		return true;
	return take_number(v, total) && !v->left && (*total > *last || *total == HEAD_NUMBER_MAX);
}

/* "*" and the file's length: none of its bytes were asked for (RFC 9110 15.5.17). */
static void unsatisfied_range(struct head *h, struct cursor v)
{
	h->has_current = take_text(&v, "*/") && take_number(&v, &h->current) && !v.left;
}

static void content_range(struct head *h, struct cursor v)
{
	uint64_t first, last, total;

	if (!take_text(&v, "bytes "))
		return;
	if (v.left && *v.at == '*') {
		unsatisfied_range(h, v);
		return;
	}
	/* without a total, or none at all: as if it were not there */
	if (!take_range(&v, &first, &last, &total))
		return;
	if (h->has_range && (h->first != first || h->last != last || h->total != total))
		fail(h, HEAD_LENGTHS);
	h->has_range = true;
	h->first = first;
	h->last = last;
	h->total = total;
}

/* An ETag that could not be sent back as it is is no validator. */
static void etag(struct head *h, struct cursor v)
{
	h->weak = v.left > 2 && v.at[0] == 'W' && v.at[1] == '/';
	if (h->weak)
		cursor_skip(&v, 2);
	h->etag[0] = 0;
	if (v.left < 2 || v.left >= sizeof(h->etag) || v.at[0] != '"' || v.at[v.left - 1] != '"')
		return;
	for (size_t i = 1; i + 1 < v.left; i++)
		if (v.at[i] < 0x21 || v.at[i] > 0x7e || v.at[i] == '"')
			return;
	memcpy(h->etag, v.at, v.left);
	h->etag[v.left] = 0;
}

static void last_modified(struct head *h, struct cursor v)
{
	int64_t when;

	h->modified[0] = 0;
	if (!head_date((const char *)v.at, v.left, &when))
		return;
	memcpy(h->modified, v.at, v.left);
	h->modified[v.left] = 0;
}

static void date(struct head *h, struct cursor v)
{
	h->has_date = head_date((const char *)v.at, v.left, &h->date);
}

static void retry_after(struct head *h, struct cursor v)
{
	if (head_date((const char *)v.at, v.left, &h->retry_date))
		return;
	h->has_retry = take_number(&v, &h->retry) && !v.left;
}

static void location(struct head *h, struct cursor v)
{
	if (v.left >= sizeof(h->location) || memchr(v.at, 0, v.left)) {
		fail(h, HEAD_MALFORMED);
		return;
	}
	memcpy(h->location, v.at, v.left);
	h->location[v.left] = 0;
}

static const struct {
	const char *name;
	void (*take)(struct head *h, struct cursor v);
} fields[] = {
	{"content-length", content_length},
	{"transfer-encoding", transfer_encoding},
	{"content-encoding", content_encoding},
	{"content-range", content_range},
	{"etag", etag},
	{"last-modified", last_modified},
	{"date", date},
	{"retry-after", retry_after},
	{"location", location},
};

/* --- lines ----------------------------------------------------------------------------------- */

void head_init(struct head *h, const char *url)
{
	*h = (struct head){.url = url};
}

static void status_line(struct head *h, struct cursor c)
{
	uint64_t status = 0;
	struct cursor digits;

	/* An interim answer is no answer. */
	if (h->status && (h->status >= 200 || !h->ended)) {
		fail(h, HEAD_MALFORMED);
		return;
	}
	head_init(h, h->url);
	if (!take_text(&c, "HTTP/1.") || !is_digit(cursor_u8(&c)) || !take_byte(&c, ' '))
		fail(h, HEAD_MALFORMED);
	digits = cursor_sub(&c, 3);
	if (!take_number(&digits, &status) || digits.left || status < 100 ||
		(c.left && !take_byte(&c, ' ')))
		fail(h, HEAD_MALFORMED);
	/* Only who asked for another protocol is told so (RFC 9110 15.2.2). */
	if (status == 101)
		fail(h, HEAD_MALFORMED);
	h->status = (uint16_t)status;
}

/* A date is only as good as the server's own clock: what counts is how far off it is from that. */
static void end(struct head *h)
{
	h->ended = true;
	if (!h->retry_date || !h->has_date || h->has_retry)
		return;
	h->has_retry = true;
	h->retry = h->retry_date > h->date ? (uint64_t)(h->retry_date - h->date) : 0;
}

static void field_line(struct head *h, struct cursor c)
{
	const uint8_t *colon = c.left ? memchr(c.at, ':', c.left) : NULL;
	struct cursor name;

	/* A line that goes on on the next (obs-fold), or white space before the colon, hides
	 * things. */
	if (!colon || colon == c.at || colon[-1] == ' ' || colon[-1] == '\t' || *c.at == ' ' ||
		*c.at == '\t') {
		fail(h, HEAD_MALFORMED);
		return;
	}
	name = cursor_sub(&c, (size_t)(colon - c.at));
	cursor_skip(&c, 1);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (is(&name, fields[i].name))
			fields[i].take(h, cursor_trim(c, BLANKS));
}

bool head_line(struct head *h, const void *line, size_t len)
{
	struct cursor c = cursor_make(line, len);

	if (c.left && c.at[c.left - 1] == '\n')
		c.left--;
	if (c.left && c.at[c.left - 1] == '\r')
		c.left--;
	if (h->ended && h->status >= 200)
		return h->fault == HEAD_FINE;
	if (!h->status || h->ended)
		status_line(h, c);
	else if (!c.left)
		end(h);
	else
		field_line(h, c);
	return h->fault == HEAD_FINE;
}
