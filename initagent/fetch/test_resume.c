// SPDX-License-Identifier: GPL-2.0-or-later
/* resume: which bytes may be joined to which, as rows of question and answer. */
#include "fetch/resume.h"

#include "check.h"

struct lab {
	struct resume r;
	struct resume_now now;
	struct resume_ask ask;
	struct resume_body body;
	char text[256];
};

/* An answer from these lines to a question asked by now. */
static enum fetch_verdict go(struct lab *l, const char *lines)
{
	struct head h;
	char text[1024];

	resume_ask(&l->r, &l->now, &l->ask);
	head_init(&h, "");
	snprintf(text, sizeof(text), "HTTP/1.1 %s\r\n\r\n", lines);
	for (const char *p = text; *p; p += strcspn(p, "\n") + 1)
		head_line(&h, p, strcspn(p, "\n") + 1);
	return resume_judge(&l->r, &l->now, &l->ask, &h, &l->body, l->text, sizeof(l->text));
}

/* The first 400 of 1000 bytes are there, from mirror 1, with these lines about their version. */
static struct lab begun(const char *validators)
{
	struct lab l = {.now = {.origin = 1}};
	char lines[512];

	snprintf(lines, sizeof(lines), "200 OK\r\nContent-Length: 1000%s", validators);
	CHECK_INT(go(&l, lines), VERDICT_DONE);
	CHECK(!l.ask.from && !l.body.restart);
	CHECK_INT(l.body.size, 1000);
	l.now.at = 400;
	return l;
}

#define ETAG "\r\nETag: \"v1\""
#define DATE "\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT"
#define PART "206 P\r\nContent-Range: bytes 400-999/1000\r\nContent-Length: 600"

TEST(the_validator_asked_with)
{
	static const struct {
		const char *validators, *if_range; /* NULL: none; from the start */
	} rows[] = {
		{ETAG DATE, "\"v1\""},
		{DATE, "Sun, 06 Nov 1994 08:49:37 GMT"},
		{"\r\nETag: W/\"v1\"" DATE, "Sun, 06 Nov 1994 08:49:37 GMT"},
		{"\r\nETag: W/\"v1\"", NULL},
		{"", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab l = begun(rows[i].validators);

		resume_ask(&l.r, &l.now, &l.ask);
		CHECK_INT(l.ask.restart, !rows[i].if_range);
		CHECK_INT(l.ask.from, rows[i].if_range ? 400 : 0);
		if (rows[i].if_range)
			CHECK_STR(l.ask.if_range, rows[i].if_range);
		else
			CHECK(!l.ask.if_range);
	}
}

TEST(another_mirror_needs_a_digest)
{
	struct lab l = begun(ETAG);

	l.now.origin = 2;
	resume_ask(&l.r, &l.now, &l.ask);
	CHECK(l.ask.restart && !l.ask.from);
	l.now.pinned = true;
	resume_ask(&l.r, &l.now, &l.ask);
	CHECK(l.ask.from == 400 && !l.ask.if_range);
}

TEST(parts)
{
	static const struct {
		const char *lines;
		enum fetch_verdict verdict;
	} rows[] = {
		{PART ETAG, VERDICT_DONE},
		{PART, VERDICT_DONE},
		{"206 P\r\nContent-Range: bytes 400-999/1000\r\nTransfer-Encoding: chunked",
			VERDICT_DONE},
		{PART "\r\nETag: \"v2\"", VERDICT_CHANGED},
		{"206 P\r\nContent-Range: bytes 400-1999/2000\r\nContent-Length: 1600" ETAG,
			VERDICT_CHANGED},
		{"206 P\r\nContent-Range: bytes 401-999/1000\r\nContent-Length: 599" ETAG,
			VERDICT_RANGE},
		{"206 P\r\nContent-Range: bytes 0-999/1000\r\nContent-Length: 1000" ETAG,
			VERDICT_RANGE},
		{"206 P\r\nContent-Range: bytes 400-999/*\r\nContent-Length: 600" ETAG,
			VERDICT_DONE},
		{"206 P\r\nContent-Range: bytes 400-1000/*\r\nContent-Length: 601" ETAG,
			VERDICT_CHANGED},
		{"206 P\r\nContent-Length: 600" ETAG, VERDICT_RANGE},
		{"206 P\r\nContent-Range: bytes 400-999/1000\r\nContent-Length: 500" ETAG,
			VERDICT_RANGE},
		{"206 P\r\nContent-Range: bytes 400-999\r\nContent-Length: 600" ETAG,
			VERDICT_RANGE},
		{"416 No\r\nContent-Range: bytes */300", VERDICT_CHANGED},
		{"304 Not Modified", VERDICT_STATUS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab l = begun(ETAG);

		if (go(&l, rows[i].lines) != rows[i].verdict)
			check_fail(__FILE__, __LINE__, "row %zu: %s", i, l.text);
		if (rows[i].verdict == VERDICT_DONE)
			CHECK(l.body.length == 600 && l.body.has_length && !l.body.restart);
	}
}

/* Fewer bytes than were asked for, of a file whose size may not be told: they are taken, and the
 * rest is asked for next. */
TEST(less_than_was_asked_for)
{
	static const struct {
		const char *lines;
		uint64_t size; /* known from the first answer */
		unsigned length;
		uint64_t size_then;
		bool partial;
	} rows[] = {
		{"206 P\r\nContent-Range: bytes 400-400/1000" ETAG, 1000, 1, 1000, true},
		{"206 P\r\nContent-Range: bytes 400-998/1000", 1000, 599, 1000, true},
		{"206 P\r\nContent-Range: bytes 400-499/*" ETAG, 1000, 100, 1000, true},
		{"206 P\r\nContent-Range: bytes 400-999/*" ETAG, 1000, 600, 1000, false},
		{"206 P\r\nContent-Range: bytes 400-999/*" ETAG, 0, 600, 0, true},
		{"206 P\r\nContent-Range: bytes 400-499/700" ETAG, 0, 100, 700, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab l = begun(ETAG);

		l.r.size = rows[i].size;
		CHECK_INT(go(&l, rows[i].lines), VERDICT_DONE);
		CHECK_INT(l.body.length, rows[i].length);
		CHECK_INT(l.body.partial, rows[i].partial);
		CHECK_INT(l.r.size, rows[i].size_then);
		/* The validator is still known, also of a part that did not repeat it. */
		l.now.at += l.body.length;
		resume_ask(&l.r, &l.now, &l.ask);
		CHECK(l.ask.from == 400 + l.body.length && l.ask.if_range);
	}
}

/* A chunked answer was cut behind its last byte: that there is no more of it is told by the next
 * one. */
TEST(nothing_behind_what_is_there)
{
	static const struct {
		const char *lines;
		enum fetch_verdict verdict;
	} rows[] = {
		{"416 No\r\nContent-Range: bytes */400", VERDICT_DONE},
		{"416 No\r\nContent-Range: bytes */400" ETAG, VERDICT_DONE},
		{"416 No\r\nContent-Range: bytes */400\r\nETag: \"v2\"", VERDICT_CHANGED},
		{"416 No\r\nContent-Range: bytes */399", VERDICT_CHANGED},
		{"416 No\r\nContent-Range: bytes */401", VERDICT_CHANGED},
		{"416 No\r\nContent-Range: bytes */x", VERDICT_CHANGED},
		{"416 No", VERDICT_CHANGED},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab l = begun(ETAG);

		l.r.size = 0;
		CHECK_INT(go(&l, rows[i].lines), rows[i].verdict);
		CHECK_INT(l.body.complete, rows[i].verdict == VERDICT_DONE);
		CHECK_INT(l.r.size, rows[i].verdict == VERDICT_DONE ? 400 : 0);
		CHECK_INT(l.r.restart, rows[i].verdict != VERDICT_DONE);
	}
}

TEST(a_whole_file_instead_of_a_part)
{
	static const struct {
		const char *lines;
		bool pinned;
		enum fetch_verdict verdict;
		bool restart;
	} rows[] = {
		/* It has no ranges, but it is the same. */
		{"200 OK\r\nContent-Length: 1000" ETAG, false, VERDICT_DONE, false},
		{"200 OK\r\nContent-Length: 1000", true, VERDICT_DONE, false},
		/* Another version, or nobody knows. */
		{"200 OK\r\nContent-Length: 1000\r\nETag: \"v2\"", false, VERDICT_DONE, true},
		{"200 OK\r\nContent-Length: 1000\r\nETag: \"v2\"", true, VERDICT_DONE, true},
		{"200 OK\r\nContent-Length: 1001" ETAG, false, VERDICT_DONE, true},
		{"200 OK\r\nContent-Length: 1000", false, VERDICT_DONE, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab l = begun(ETAG);

		l.now.pinned = rows[i].pinned;
		if (go(&l, rows[i].lines) != rows[i].verdict)
			check_fail(__FILE__, __LINE__, "row %zu: %s", i, l.text);
		CHECK_INT(l.body.restart, rows[i].restart);
	}
}

/* After a contradiction the next question is for the whole file. */
TEST(a_contradiction_begins_anew)
{
	struct lab l = begun(ETAG);

	CHECK_INT(go(&l, PART "\r\nETag: \"v2\""), VERDICT_CHANGED);
	resume_ask(&l.r, &l.now, &l.ask);
	CHECK(l.ask.restart && !l.ask.from);
	l.now.at = 0;
	CHECK_INT(go(&l, "200 OK\r\nContent-Length: 5\r\nETag: \"v2\""), VERDICT_DONE);
	l.now.at = 3;
	resume_ask(&l.r, &l.now, &l.ask);
	CHECK_STR(l.ask.if_range, "\"v2\"");
}

TEST(first_answers)
{
	static const struct {
		const char *lines;
		uint64_t size, limit;
		enum fetch_verdict verdict;
	} rows[] = {
		{"200 OK\r\nContent-Length: 1000", 0, 0, VERDICT_DONE},
		{"200 OK\r\nContent-Length: 1000", 1000, 1000, VERDICT_DONE},
		{"200 OK\r\nContent-Length: 1000", 1001, 0, VERDICT_SIZE},
		{"200 OK\r\nContent-Length: 1000", 0, 999, VERDICT_TOO_LARGE},
		{"200 OK\r\nContent-Length: 9223372036854775808", 0, 999, VERDICT_TOO_LARGE},
		{"200 OK\r\nContent-Length: 999999999999999999999999", 0, 999, VERDICT_TOO_LARGE},
		{"200 OK\r\nTransfer-Encoding: chunked", 1000, 2000, VERDICT_DONE},
		{"200 OK\r\nTransfer-Encoding: chunked", 0, 0, VERDICT_DONE},
		{"200 OK", 0, 0, VERDICT_NO_LENGTH},
		{"200 OK", 1000, 0, VERDICT_DONE},
		{PART, 0, 0, VERDICT_RANGE},
		{"200 OK\r\nContent-Encoding: gzip", 0, 0, VERDICT_ENCODED},
		{"200 OK\r\nContent-Length: 1\r\nContent-Length: 2", 0, 0, VERDICT_LENGTHS},
		{"200 OK\r\nContent-Length: x", 0, 0, VERDICT_PROTOCOL},
		{"204 Nothing", 0, 0, VERDICT_STATUS},
		{"302 Found\r\nLocation: /x", 0, 0, VERDICT_REDIRECT},
		{"302 Found", 0, 0, VERDICT_STATUS},
		{"300 Choices\r\nLocation: /x", 0, 0, VERDICT_STATUS},
		{"404 No", 0, 0, VERDICT_ABSENT},
		{"403 No", 0, 0, VERDICT_ABSENT},
		{"401 No", 0, 0, VERDICT_STATUS},
		{"410 No", 0, 0, VERDICT_STATUS},
		{"416 No", 0, 0, VERDICT_STATUS},
		{"408 Slow", 0, 0, VERDICT_BUSY},
		{"429 Many", 0, 0, VERDICT_BUSY},
		{"500 Oh", 0, 0, VERDICT_BUSY},
		{"503 Busy", 0, 0, VERDICT_BUSY},
		{"501 What", 0, 0, VERDICT_STATUS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab l = {.now = {.size = rows[i].size, .limit = rows[i].limit, .origin = 1}};

		if (go(&l, rows[i].lines) != rows[i].verdict)
			check_fail(
				__FILE__, __LINE__, "row %zu (%s): %s", i, rows[i].lines, l.text);
	}
}

/* A connection's part, from byte 500 on of 1000, asked for after an honest beginning. */
static enum fetch_verdict go_part(struct lab *l, uint64_t until, const char *lines)
{
	struct head h;
	char text[1024];

	resume_ask_part(&l->r, 500, until, &l->ask);
	head_init(&h, "");
	snprintf(text, sizeof(text), "HTTP/1.1 %s\r\n\r\n", lines);
	for (const char *p = text; *p; p += strcspn(p, "\n") + 1)
		head_line(&h, p, strcspn(p, "\n") + 1);
	return resume_judge(&l->r, &l->now, &l->ask, &h, &l->body, l->text, sizeof(l->text));
}

#define SOME "206 P\r\nContent-Range: bytes 500-599/1000\r\nContent-Length: 100"

TEST(a_part_is_that_part_of_that_version_or_nothing)
{
	static const struct {
		const char *lines;
		enum fetch_verdict verdict;
	} rows[] = {
		{SOME ETAG, VERDICT_DONE},
		{SOME, VERDICT_CHANGED},
		{SOME DATE, VERDICT_CHANGED},
		{SOME "\r\nETag: W/\"v1\"", VERDICT_CHANGED},
		{SOME "\r\nETag: \"v2\"", VERDICT_CHANGED},
		{"206 P\r\nContent-Range: bytes 500-999/1000" ETAG, VERDICT_RANGE},
		{"206 P\r\nContent-Range: bytes 500-598/1000" ETAG, VERDICT_DONE},
		{"206 P\r\nContent-Range: bytes 500-600/1000" ETAG, VERDICT_RANGE},
		{"206 P\r\nContent-Range: bytes 400-599/1000" ETAG, VERDICT_RANGE},
		{"206 P\r\nContent-Range: bytes 500-599/1001" ETAG, VERDICT_CHANGED},
		{"206 P\r\nContent-Range: bytes 500-599/*" ETAG, VERDICT_DONE},
		{"206 P\r\nContent-Range: bytes 500-599/*", VERDICT_CHANGED},
		{"206 P" ETAG, VERDICT_RANGE},
		{"206 P\r\nContent-Range: bytes 500-599/1000\r\nContent-Length: 500" ETAG,
			VERDICT_RANGE},
		{"200 OK\r\nContent-Length: 1000" ETAG, VERDICT_CHANGED},
		{"503 No\r\nContent-Length: 0", VERDICT_BUSY},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct lab l = begun(ETAG);

		CHECK(resume_can_part(&l.r, 1) && !resume_can_part(&l.r, 2));
		CHECK_INT(go_part(&l, 600, rows[i].lines), rows[i].verdict);
		CHECK_STR(l.ask.if_range, "\"v1\"");
		CHECK(!l.body.restart);
		CHECK(resume_can_part(&l.r, 1));
	}
}

TEST(a_part_to_the_end_and_what_no_part_can_be_asked_of)
{
	struct lab l = begun(ETAG);

	CHECK_INT(go_part(&l, 0, "206 P\r\nContent-Range: bytes 500-999/1000" ETAG), VERDICT_DONE);
	CHECK_INT((long long)l.body.length, 500);
	l = begun(DATE);
	CHECK(!resume_can_part(&l.r, 1));
	l = begun("\r\nETag: W/\"v1\"" DATE);
	CHECK(!resume_can_part(&l.r, 1));
}
