// SPDX-License-Identifier: GPL-2.0-or-later
/* head: lines as servers write them, and as they must not. */
#include "fetch/head.h"

#include "check.h"

static const char *url = "";

/* All lines of text; the fault. */
static int take(struct head *h, const char *text)
{
	head_init(h, url);
	while (*text) {
		size_t n = strcspn(text, "\n") + 1;

		head_line(h, text, n);
		text += n;
	}
	return h->fault;
}

#define OK "HTTP/1.1 200 OK\r\n"

TEST(a_usual_answer)
{
	struct head h;

	CHECK_INT(take(&h, OK "Content-Length: 123\r\nETag: \"x-1\"\r\nServer: some\r\n"
		"Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n"), HEAD_FINE);
	CHECK(h.ended && h.has_length && !h.chunked && !h.weak);
	CHECK_INT(h.status, 200);
	CHECK_INT(h.length, 123);
	CHECK_STR(h.etag, "\"x-1\"");
	CHECK_STR(h.modified, "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(the_coding_of_a_packed_file)
{
	static const struct {
		const char *url, *coding;
		enum head_fault fault;
	} rows[] = {
		{"http://192.0.2.1/root.cpio.gz", "gzip", HEAD_FINE},
		{"http://192.0.2.1/root.tgz?v=1", "x-gzip", HEAD_FINE},
		{"http://192.0.2.1/root.cpio.gz?v=1.2", "gzip", HEAD_FINE},
		{"http://192.0.2.1/root.squashfs?as=.gz", "gzip", HEAD_ENCODED},
		{"http://192.0.2.1/root.cpio.zst", "ZSTD", HEAD_FINE},
		{"http://192.0.2.1/root.txz", "xz", HEAD_FINE},
		{"http://192.0.2.1/root.tar.bz2", "bzip2", HEAD_FINE},
		{"http://192.0.2.1/root.squashfs", "aws-chunked", HEAD_FINE},
		{"http://192.0.2.1/root.squashfs", "gzip", HEAD_ENCODED},
		{"http://192.0.2.1/root.gz", "br", HEAD_ENCODED},
		{"http://192.0.2.1/root.gz", "g", HEAD_ENCODED},
		{"http://192.0.2.1/root.gz", "x-", HEAD_ENCODED},
		{"http://192.0.2.1/gzip", "gzip", HEAD_ENCODED},
		{"http://192.0.2.1/root.", "gzip", HEAD_ENCODED},
		{"http://server/root.t", "gzip", HEAD_ENCODED},
		{"http://server/gz", "gzip", HEAD_ENCODED},
	};
	char text[100];
	struct head h;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		url = rows[i].url;
		snprintf(text, sizeof(text), OK "Content-Encoding: %s\r\n\r\n", rows[i].coding);
		if (take(&h, text) != (int)rows[i].fault)
			check_fail(__FILE__, __LINE__, "row %zu: %s of %s", i, rows[i].coding, url);
	}
}

TEST(faults)
{
	static const struct {
		const char *text;
		enum head_fault fault;
	} rows[] = {
		{OK "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", HEAD_FINE},
		{OK "Content-Length: 5, 5\r\n\r\n", HEAD_FINE},
		{OK "Content-Length: 5, 6\r\n\r\n", HEAD_LENGTHS},
		{OK "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", HEAD_LENGTHS},
		{OK "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", HEAD_LENGTHS},
		{OK "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", HEAD_LENGTHS},
		{OK "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
			HEAD_LENGTHS},
		{OK "Transfer-Encoding: gzip, chunked\r\n\r\n", HEAD_ENCODED},
		{OK "Content-Encoding: gzip\r\n\r\n", HEAD_ENCODED},
		{OK "Content-Encoding: identity\r\n\r\n", HEAD_FINE},
		{OK "Content-Encoding:\r\n\r\n", HEAD_FINE},
		{OK "Content-Length: -5\r\n\r\n", HEAD_MALFORMED},
		{OK "Content-Length: 5x\r\n\r\n", HEAD_MALFORMED},
		{OK "Content-Length: 0x5\r\n\r\n", HEAD_MALFORMED},
		{OK "Content-Length:\r\n\r\n", HEAD_MALFORMED},
		{OK "Content-Length: 99999999999999999999\r\n\r\n", HEAD_FINE},
		{OK "Content-Length: 99999999999999999999x\r\n\r\n", HEAD_MALFORMED},
		{"HTTP/1.1 101 Switching\r\n\r\n", HEAD_MALFORMED},
		{OK "Content-Length : 5\r\n\r\n", HEAD_MALFORMED},
		{OK "Content-Length\r\n\r\n", HEAD_MALFORMED},
		{OK "X: y\r\n Content-Length: 5\r\n\r\n", HEAD_MALFORMED},
		{OK ": y\r\n\r\n", HEAD_MALFORMED},
		{"HTTP/1.0 200\r\n\r\n", HEAD_FINE},
		{"HTTP/1.1 200 \r\n\r\n", HEAD_FINE},
		{"HTTP/1.1 2000 OK\r\n\r\n", HEAD_MALFORMED},
		{"HTTP/1.1 099 OK\r\n\r\n", HEAD_MALFORMED},
		{"HTTP/1.1 2x0 OK\r\n\r\n", HEAD_MALFORMED},
		{"HTTP/2 200\r\n\r\n", HEAD_MALFORMED},
		{"ICY 200 OK\r\n\r\n", HEAD_MALFORMED},
		{"\r\n", HEAD_MALFORMED},
		{OK "Content-Range: bytes 5-9/10\r\n\r\n", HEAD_FINE},
		{OK "Content-Range: bytes 5-9/*\r\n\r\n", HEAD_FINE},
		{OK "Content-Range: bytes */10\r\n\r\n", HEAD_FINE},
		{OK "Content-Range: bytes 9-5/10\r\n\r\n", HEAD_FINE},
		{OK "Content-Range: bytes 5-9/9\r\n\r\n", HEAD_FINE},
		{OK "Content-Range: bytes 5-9\r\n\r\n", HEAD_FINE},
		{OK "Content-Range: bytes 5-9/10x\r\n\r\n", HEAD_FINE},
		{OK "Content-Range: bytes 5-9/10\r\nContent-Range: bytes 4-9/10\r\n\r\n",
			HEAD_LENGTHS},
	};
	struct head h;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (take(&h, rows[i].text) != (int)rows[i].fault)
			check_fail(__FILE__, __LINE__, "row %zu: fault %d, not %d", i, h.fault,
				rows[i].fault);
}

/* RFC 9110 8.6, 10.2.3: any number of digits; they count as the largest number there is. */
TEST(numbers_larger_than_the_range)
{
	static const char *const rows[] = {"4611686018427387904", "9223372036854775808",
		"18446744073709551616", "99999999999999999999",
		"100000000000000000000000000000000000000000000000000"};
	struct head h;
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text), OK "Content-Length: %s\r\nRetry-After: %s\r\n\r\n",
			rows[i], rows[i]);
		CHECK_INT(take(&h, text), HEAD_FINE);
		CHECK(h.has_length && h.length == HEAD_NUMBER_MAX && h.has_retry &&
			h.retry == HEAD_NUMBER_MAX);
		snprintf(text, sizeof(text), OK "Content-Range: bytes 0-%s/%s\r\n\r\n", rows[i],
			rows[i]);
		CHECK_INT(take(&h, text), HEAD_FINE);
		CHECK(h.total == HEAD_NUMBER_MAX);
	}
	CHECK_INT(take(&h, OK "Content-Length: 0000000000000000000000000000000000000005\r\n\r\n"),
		HEAD_FINE);
	CHECK_INT(h.length, 5);
}

TEST(unsatisfied_ranges)
{
	static const struct {
		const char *value;
		bool has;
	} rows[] = {{"bytes */1000", true}, {"bytes */*", false}, {"bytes */", false},
		{"bytes */1000x", false}, {"lines */1000", false}};
	struct head h;
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text), "HTTP/1.1 416 No\r\nContent-Range: %s\r\n\r\n",
			rows[i].value);
		CHECK_INT(take(&h, text), HEAD_FINE);
		CHECK(h.has_current == rows[i].has && !h.has_range);
		CHECK(!h.has_current || h.current == 1000);
	}
}

TEST(ranges)
{
	struct head h;

	CHECK_INT(
		take(&h, "HTTP/1.1 206 P\r\nContent-Range: bytes 100-199/1000\r\n\r\n"), HEAD_FINE);
	CHECK(h.has_range);
	CHECK_INT(h.first, 100);
	CHECK_INT(h.last, 199);
	CHECK_INT(h.total, 1000);
	take(&h, "HTTP/1.1 206 P\r\nContent-Range: bytes 100-199/*\r\n\r\n");
	CHECK_INT(h.total, 0);
	take(&h, "HTTP/1.1 206 P\r\nContent-Range: lines 1-2/3\r\n\r\n");
	CHECK(!h.has_range);
}

/* What is sent back must be what came, and nothing that could break a request apart. */
TEST(validators)
{
	static const struct {
		const char *line, *etag;
		bool weak;
	} rows[] = {
		{"ETag: \"a\"", "\"a\"", false},
		{"etag:W/\"a\"", "\"a\"", true},
		{"ETag: a", "", false},
		{"ETag: \"a b\"", "", false},
		{"ETag: \"a\"b\"", "", false},
		{"ETag: \"", "", false},
		{"ETag: \"\x01\"", "", false},
		{"ETag: \"\"", "\"\"", false},
	};
	struct head h;
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text), OK "%s\r\n\r\n", rows[i].line);
		CHECK_INT(take(&h, text), HEAD_FINE);
		CHECK_STR(h.etag, rows[i].etag);
		CHECK_INT(h.weak, rows[i].weak);
	}
	take(&h, OK "Last-Modified: yesterday\r\n\r\n");
	CHECK_STR(h.modified, "");
}

TEST(interim_answers_and_trailers)
{
	struct head h;

	CHECK_INT(take(&h, "HTTP/1.1 103 Early Hints\r\nContent-Length: 3\r\n\r\n" OK
			   "Content-Length: 5\r\n\r\n"
			   "Content-Length: 7\r\nContent-Encoding: gzip\r\n"),
		HEAD_FINE);
	CHECK_INT(h.status, 200);
	CHECK_INT(h.length, 5);
	CHECK_INT(take(&h, OK "X: y\r\n" OK "\r\n"), HEAD_MALFORMED);
}

TEST(retry_after)
{
	static const struct {
		const char *lines;
		bool has;
		unsigned seconds;
	} rows[] = {
		{"Retry-After: 120\r\n", true, 120},
		{"Retry-After: 0\r\n", true, 0},
		{"Retry-After: soon\r\n", false, 0},
		{"Retry-After: 12x\r\n", false, 12},
		{"Retry-After: -1\r\n", false, 0},
		/* A date counts from the server's own. */
		{"Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:50:37 "
		 "GMT\r\n",
			true, 60},
		{"Retry-After: Sun, 06 Nov 1994 08:50:37 GMT\r\nDate: Sun, 06 Nov 1994 08:49:37 "
		 "GMT\r\n",
			true, 60},
		{"Retry-After: Sun, 06 Nov 1994 08:49:00 GMT\r\nDate: Sun, 06 Nov 1994 08:49:37 "
		 "GMT\r\n",
			true, 0},
		{"Retry-After: Sun, 06 Nov 1994 08:50:37 GMT\r\n", false, 0},
	};
	struct head h;
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		snprintf(text, sizeof(text), "HTTP/1.1 503 Busy\r\n%s\r\n", rows[i].lines);
		CHECK_INT(take(&h, text), HEAD_FINE);
		CHECK_INT(h.has_retry, rows[i].has);
		CHECK_INT(h.retry, rows[i].seconds);
	}
}

TEST(dates)
{
	static const struct {
		const char *text;
		long long want; /* -1: none */
	} rows[] = {
		{"Thu, 01 Jan 1970 00:00:00 GMT", 0},
		{"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
		{"Tue, 29 Feb 2000 12:00:00 GMT", 951825600},
		{"Fri, 31 Dec 2100 23:59:59 GMT", 4133980799},
		{"Sunday, 06-Nov-94 08:49:37 GMT", -1},
		{"Sun Nov  6 08:49:37 1994", -1},
		{"Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},
		{"Wed, 31 Dec 1969 23:59:59 GMT", -1},
		{"sun, 06 Nov 1994 08:49:37 GMT", -1},
		{"Sun, 06 NOV 1994 08:49:37 GMT", -1},
		{"Sun,  6 Nov 1994 08:49:37 GMT", -1},
		{"Sun, 06 Nov 1994 08:49:37 GM", -1},
		{"Sun, 06 Nov 1994 24:49:37 GMT", -1},
		{"Sun, 00 Nov 1994 08:49:37 GMT", -1},
		{"Sun, 06 Nox 1994 08:49:37 GMT", -1},
		{"Sun, 06 Nov 1994 08:49:37 CET", -1},
		{"S\rn, 06 Nov 1994 08:49:37 GMT", -1},
		{"", -1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int64_t got = -1;

		head_date(rows[i].text, strlen(rows[i].text), &got);
		CHECK_INT(got, rows[i].want);
	}
}

TEST(location)
{
	struct head h;
	char text[HEAD_LOCATION_MAX + 64];
	int n;

	take(&h, "HTTP/1.1 302 F\r\nLocation:  /elsewhere \r\n\r\n");
	CHECK_STR(h.location, "/elsewhere");
	n = snprintf(text, sizeof(text), "HTTP/1.1 302 F\r\nLocation: ");
	memset(text + n, 'x', HEAD_LOCATION_MAX);
	memcpy(text + n + HEAD_LOCATION_MAX, "\r\n\r\n", 5);
	CHECK_INT(take(&h, text), HEAD_MALFORMED);
}
