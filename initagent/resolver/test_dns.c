// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DNS messages, compressed names and /etc/hosts: right ones and every wrong one we could think
 * of.
 */
#include "check.h"

#include <arpa/inet.h>

#include "resolver/name.h"
#include "resolver/private.h"

static const struct dns_query query = {.id = 0x1234, .type = 1, .name = "nfs.example"};

#define HEAD	 "\x12\x34\x81\x80\x00\x01"
#define QUESTION "\x03nfs\x07" "example\x00\x00\x01\x00\x01"
#define RECORD_A "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04"

struct row {
	const char *what;
	enum dns_verdict want;
	unsigned n;
	size_t len;
	const char *bytes;
};

#define ROW(what, verdict, n, text) {what, verdict, n, sizeof(text) - 1, text}

static const struct row answers[] = {
	ROW("one address", DNS_ANSWER, 1, HEAD "\0\1\0\0\0\0" QUESTION RECORD_A "\x0a\0\0\1"),
	ROW("upper case", DNS_ANSWER, 1,
	HEAD "\0\1\0\0\0\0\x03NFS\x07" "EXAMPLE\0\0\1\0\1" RECORD_A "\x0a\0\0\1"),
	ROW("five addresses", DNS_ANSWER, 5,
	HEAD "\0\5\0\0\0\0" QUESTION RECORD_A "\x0a\0\0\1" RECORD_A
		"\x0a\0\0\2" RECORD_A "\x0a\0\0\3" RECORD_A "\x0a\0\0\4" RECORD_A "\x0a\0\0\5"),
	ROW("alias first", DNS_ANSWER, 1,
	HEAD "\0\2\0\0\0\0" QUESTION "\xc0\x0c\0\5\0\1\0\0\0\1\0\4\1a\xc0\x10"
		"\1a\xc0\x10\0\1\0\1\0\0\0\1\0\4\x0a\0\0\1"),
	ROW("alias last", DNS_ANSWER, 1,
	HEAD "\0\2\0\0\0\0" QUESTION "\1a\xc0\x10\0\1\0\1\0\0\0\1\0\4\x0a\0\0\1"
		"\xc0\x0c\0\5\0\1\0\0\0\1\0\4\1a\xc0\x10"),
	ROW("alias without address", DNS_ALIAS, 0, HEAD "\0\1\0\0\0\0" QUESTION
		"\xc0\x0c\0\5\0\1\0\0\0\1\0\4\1a\xc0\x10"),
	ROW("alias to no host name", DNS_NO_DATA, 0, HEAD "\0\1\0\0\0\0" QUESTION
		"\xc0\x0c\0\5\0\1\0\0\0\1\0\4\1 \xc0\x10"),
	ROW("alias and owner that are no host names", DNS_NO_DATA, 0, HEAD "\0\2\0\0\0\0" QUESTION
		"\xc0\x0c\0\5\0\1\0\0\0\1\0\4\1 "
		"\xc0\x10" "\1*\xc0\x10\0\1\0\1\0\0\0\1\0\4\x0a\0\0\1"),
	ROW("alias to itself", DNS_NO_DATA, 0,
	HEAD "\0\1\0\0\0\0" QUESTION "\xc0\x0c\0\5\0\1\0\0\0\1\0\2\xc0\x0c"),
	ROW("two aliases in a circle", DNS_NO_DATA, 0, HEAD "\0\2\0\0\0\0" QUESTION
		"\xc0\x0c\0\5\0\1\0\0\0\1\0\4\1a\xc0\x10\1a\xc0\x10\0\5\0\1\0\0\0\1\0\2\xc0\x0c"),
	ROW("other name", DNS_NO_DATA, 0,
	HEAD "\0\1\0\0\0\0" QUESTION "\1x\0\0\1\0\1\0\0\0\1\0\4\x0a\0\0\1"),
	ROW("owner with NUL", DNS_NO_DATA, 0, HEAD "\0\1\0\0\0\0" QUESTION
		"\3nfs\x09" "example\0x\0\0\1\0\1\0\0\0\1\0\4\x0a\0\0\1"),
	ROW("owner of one label with a dot", DNS_NO_DATA, 0, HEAD "\0\1\0\0\0\0" QUESTION
		"\x0bnfs.example\0\0\1\0\1\0\0\0\1\0\4\x0a\0\0\1"),
	ROW("question of one label with a dot", DNS_FOREIGN, 0,
	HEAD "\0\1\0\0\0\0\x0bnfs.example\0\0\1\0\1"
		RECORD_A "\x0a\0\0\1"),
	ROW("question with NUL", DNS_FOREIGN, 0,
	HEAD "\0\1\0\0\0\0\3nfs\x09" "example\0x\0\0\1\0\1"),
	ROW("loopback", DNS_UNUSABLE, 0, HEAD "\0\1\0\0\0\0" QUESTION RECORD_A "\x7f\0\0\1"),
	ROW("this network", DNS_UNUSABLE, 0, HEAD "\0\1\0\0\0\0" QUESTION RECORD_A "\0\0\0\1"),
	ROW("broadcast", DNS_UNUSABLE, 0, HEAD "\0\1\0\0\0\0" QUESTION RECORD_A "\xff\xff\xff\xff"),
	ROW("link-local, then a good one", DNS_ANSWER, 1,
	HEAD "\0\2\0\0\0\0" QUESTION RECORD_A "\xa9\xfe\1\1" RECORD_A
		"\x0a\0\0\1"),
	ROW("truncated without records", DNS_TRUNCATED, 0,
	"\x12\x34\x83\x80\0\1\0\0\0\0\0\0" QUESTION),
	ROW("truncated, no such name", DNS_TRUNCATED, 0,
	"\x12\x34\x83\x83\0\1\0\0\0\0\0\0" QUESTION),
	ROW("truncated behind an alias", DNS_TRUNCATED, 0,
	"\x12\x34\x83\x80\0\1\0\2\0\0\0\0" QUESTION
		"\xc0\x0c\0\5\0\1\0\0\0\1\0\4\1a\xc0\x10"),
	ROW("truncated behind what is no address", DNS_TRUNCATED, 0,
	"\x12\x34\x83\x80\0\1\0\1\0\0\0\0" QUESTION
		RECORD_A "\x7f\0\0\1"),
	ROW("truncated behind an address", DNS_ANSWER, 1,
	"\x12\x34\x83\x80\0\1\0\2\0\0\0\0" QUESTION
		RECORD_A "\x0a\0\0\1" RECORD_A "\x0a\0"),
	ROW("an update", DNS_FOREIGN, 0,
	"\x12\x34\xa9\x80\0\1\0\1\0\0\0\0" QUESTION RECORD_A "\x0a\0\0\1"),
	ROW("other type", DNS_NO_DATA, 0,
	HEAD "\0\1\0\0\0\0" QUESTION "\xc0\x0c\0\x10\0\1\0\0\0\1\0\4\3txt"),
	ROW("other class", DNS_NO_DATA, 0,
	HEAD "\0\1\0\0\0\0" QUESTION "\xc0\x0c\0\1\0\3\0\0\0\1\0\4\x0a\0\0\1"),
	ROW("address of 3 bytes", DNS_NO_DATA, 0,
	HEAD "\0\1\0\0\0\0" QUESTION "\xc0\x0c\0\1\0\1\0\0\0\1\0\3\x0a\0\0"),
	ROW("nothing", DNS_NO_DATA, 0, HEAD "\0\0\0\0\0\0" QUESTION),
	ROW("more records said than there are", DNS_ANSWER, 1,
	HEAD "\xff\xff\0\0\0\0" QUESTION RECORD_A "\x0a\0\0\1"),
	ROW("no such name", DNS_NO_NAME, 0, "\x12\x34\x81\x83\0\1\0\0\0\0\0\0" QUESTION),
	ROW("server failure", DNS_REFUSED, 0, "\x12\x34\x81\x82\0\1\0\0\0\0\0\0" QUESTION),
	ROW("refused", DNS_REFUSED, 0, "\x12\x34\x81\x85\0\1\0\0\0\0\0\0" QUESTION),
	ROW("a referral of a server that asks no others", DNS_REFUSED, 0,
	"\x12\x34\x81\0\0\1\0\0\0\1\0\0" QUESTION
		"\xc0\x10\0\2\0\1\0\0\0\1\0\4\2ns\xc0\x10"),
	ROW("nothing, of a server that is responsible", DNS_NO_DATA, 0,
	"\x12\x34\x85\0\0\1\0\0\0\1\0\0" QUESTION
		"\xc0\x10\0\2\0\1\0\0\0\1\0\4\2ns\xc0\x10"),
	ROW("nothing, remembered by a server that asks no others", DNS_NO_DATA, 0,
	"\x12\x34\x81\0\0\1\0\0\0\1\0\0" QUESTION
		"\xc0\x10\0\6\0\1\0\0\0\1\0\x16\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
	ROW("nothing, and nobody else either", DNS_NO_DATA, 0,
	"\x12\x34\x81\0\0\1\0\0\0\0\0\0" QUESTION),
	ROW("other id", DNS_FOREIGN, 0,
	"\x12\x35\x81\x80\0\1\0\1\0\0\0\0" QUESTION RECORD_A "\x0a\0\0\1"),
	ROW("a query", DNS_FOREIGN, 0, "\x12\x34\x01\x00\0\1\0\0\0\0\0\0" QUESTION),
	ROW("no question", DNS_FOREIGN, 0,
	"\x12\x34\x81\x80\0\0\0\1\0\0\0\0" RECORD_A "\x0a\0\0\1"),
	ROW("other question", DNS_FOREIGN, 0,
	HEAD "\0\1\0\0\0\0\x03nfx\x07" "example\0\0\1\0\1" RECORD_A "\x0a\0\0\1"),
	ROW("question of other type", DNS_FOREIGN, 0,
	HEAD "\0\1\0\0\0\0\x03nfs\x07" "example\0\0\x1c\0\1"),
	ROW("header cut", DNS_BAD, 0, "\x12\x34\x81\x80\0\1\0\1\0\0\0"),
	ROW("question cut", DNS_BAD, 0, HEAD "\0\1\0\0\0\0\x03nf"),
	ROW("record cut", DNS_BAD, 0,
	HEAD "\0\1\0\0\0\0" QUESTION "\xc0\x0c\0\1\0\1\0\0\0\1\0\4\x0a\0\0"),
	ROW("record head cut", DNS_BAD, 0, HEAD "\0\1\0\0\0\0" QUESTION "\xc0\x0c\0\1\0\1\0\0"),
	ROW("owner points at itself", DNS_BAD, 0,
	HEAD "\0\1\0\0\0\0" QUESTION "\xc0\x1d\0\1\0\1\0\0\0\1\0\4\x0a\0\0\1"),
	ROW("owner points forward", DNS_BAD, 0,
	HEAD "\0\1\0\0\0\0" QUESTION "\xc0\xff\0\1\0\1\0\0\0\1\0\4\x0a\0\0\1"),
	ROW("alias points forward", DNS_BAD, 0,
	HEAD "\0\1\0\0\0\0" QUESTION "\xc0\x0c\0\5\0\1\0\0\0\1\0\2\xc0\xff"),
	ROW("alias of no bytes", DNS_BAD, 0,
	HEAD "\0\1\0\0\0\0" QUESTION "\xc0\x0c\0\5\0\1\0\0\0\1\0\0"),
};

TEST(answers)
{
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		_cleanup_free_ uint8_t *exact = malloc(answers[i].len);
		struct dns_answer a;

		memcpy(exact, answers[i].bytes, answers[i].len);
		dns_parse(&a, &query, exact, answers[i].len);
		if (a.verdict != (uint32_t)answers[i].want || a.n != answers[i].n)
			check_fail(__FILE__, __LINE__, "%s: verdict %u, %u addresses",
				answers[i].what, a.verdict, a.n);
		CHECK(dns_answer_sane(&a));
		if (a.n)
			CHECK_MEM(a.addresses[0], "\x0a\0\0\1", 4);
	}
}

TEST(every_cut)
{
	static const char whole[] =
		HEAD "\0\2\0\0\0\0" QUESTION "\xc0\x0c\0\5\0\1\0\0\0\1\0\4\1a\xc0\x10"
		     "\1a\xc0\x10\0\1\0\1\0\0\0\1\0\4\x0a\0\0\1";

	for (size_t len = 0; len < sizeof(whole) - 1; len++) {
		_cleanup_free_ uint8_t *cut = malloc(len ? len : 1);
		struct dns_answer a;

		memcpy(cut, whole, len);
		dns_parse(&a, &query, cut, len);
		CHECK(a.verdict != DNS_ANSWER);
	}
}

TEST(ipv6_addresses_no_host_has)
{
	static const struct dns_query six = {.id = 1, .type = 28, .name = "a"};
	static const char head[] =
		"\0\1\x81\x80\0\1\0\1\0\0\0\0\1a\0\0\x1c\0\1\xc0\x0c\0\x1c\0\1\0\0\0\1\0\x10";
	static const char *const bad[] = {
		"::", "::1", "::ffff:10.0.0.1", "::10.0.0.1", "ff02::1", "fe80::1"};
	struct dns_answer a;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		uint8_t message[sizeof(head) - 1 + 16];

		memcpy(message, head, sizeof(head) - 1);
		CHECK_INT(inet_pton(AF_INET6, bad[i], message + sizeof(head) - 1), 1);
		dns_parse(&a, &six, message, sizeof(message));
		CHECK_INT(a.verdict, DNS_UNUSABLE);
		CHECK_MEM(a.unusable, message + sizeof(head) - 1, 16);
	}
}

TEST(ipv6_answers)
{
	static const struct dns_query six = {.id = 1, .type = 28, .name = "a"};
	static const char bytes[] =
		"\0\1\x81\x80\0\1\0\1\0\0\0\0\1a\0\0\x1c\0\1\xc0\x0c\0\x1c\0\1\0\0\0\1\0\x10"
		"\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1";
	struct dns_answer a;

	dns_parse(&a, &six, bytes, sizeof(bytes) - 1);
	CHECK_INT(a.verdict, DNS_ANSWER);
	CHECK_MEM(a.addresses[0], "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
}

TEST(queries)
{
	uint8_t message[DNS_MESSAGE_MAX];
	struct dns_query q = query;

	CHECK_INT(dns_encode(&query, message), 12 + 13 + 4);
	CHECK_MEM(message, "\x12\x34\x01\x00\x00\x01\0\0\0\0\0\0\x03nfs\x07" "example\0\0\1\0\1",
		29);
	strscpy(q.name, "a b", sizeof(q.name));
	CHECK_INT(dns_encode(&q, message), -EINVAL);
	strscpy(q.name, "a..b", sizeof(q.name));
	CHECK_INT(dns_encode(&q, message), -EINVAL);
	strscpy(q.name, "", sizeof(q.name));
	CHECK_INT(dns_encode(&q, message), -EINVAL);
	for (size_t i = 0; i < 253; i++)
		q.name[i] = i % 64 == 63 ? '.' : 'x';
	q.name[253] = 0;
	CHECK_INT(dns_encode(&q, message), 12 + 255 + 4);
}

TEST(names_that_are_no_host_names)
{
	static const struct {
		const char *bytes, *want;
		size_t len;
	} rows[] = {
		{"\3lab\0", "lab", 5},
		{"\3LAB\0", "lab", 5},
		{"\4la\0b\0", "?", 6},
		{"\3l.b\0", "?", 5},
		{"\1a\3l b\0", "?", 7},
		{"\1\xff\0", "?", 3},
		{"\1?\0", "?", 3},
		{"\3_-9\0", "_-9", 5},
	};
	char text[ADDRESS_DOMAIN_MAX + 1];
	size_t pos;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pos = 0;
		CHECK(name_read((const uint8_t *)rows[i].bytes, rows[i].len, &pos, text));
		CHECK_STR(text, rows[i].want);
		CHECK_INT(pos, rows[i].len);
		pos = 0;
		CHECK(name_read_plain((const uint8_t *)rows[i].bytes, rows[i].len, &pos, text));
		CHECK_STR(text, rows[i].want);
	}
	pos = 5;
	CHECK(name_read((const uint8_t *)"\3lab\0\1a\xc0\0", 9, &pos, text));
	CHECK_STR(text, "a.lab");
	pos = 5;
	CHECK(!name_read_plain((const uint8_t *)"\3lab\0\1a\xc0\0", 9, &pos, text));
}

TEST(names)
{
	char text[ADDRESS_DOMAIN_MAX + 1];
	uint8_t label[300];
	size_t pos = 0;

	CHECK(name_read((const uint8_t *)"\0", 1, &pos, text));
	CHECK_STR(text, "");
	CHECK_INT(pos, 1);
	pos = 0;
	CHECK(!name_read((const uint8_t *)"", 0, &pos, text));
	pos = 5;
	CHECK(!name_read((const uint8_t *)"\0\0\0", 3, &pos, text));
	/* 253 characters are the most: 3 x 63 and 61, and the dots */
	memset(label, 'x', sizeof(label));
	for (size_t i = 0; i < 4; i++)
		label[i * 64] = i < 3 ? 63 : 61;
	label[3 * 64 + 62] = 0;
	pos = 0;
	CHECK(name_read(label, sizeof(label), &pos, text));
	CHECK_INT(strlen(text), 253);
	CHECK_INT(pos, 255);
	label[3 * 64] = 62;
	label[3 * 64 + 62] = 'x';
	label[3 * 64 + 63] = 0;
	pos = 0;
	CHECK(!name_read(label, sizeof(label), &pos, text));
}

TEST(names_that_are_tried)
{
	static const struct {
		const char *name, *search, *want;
	} rows[] = {
		{"nfs", "", "nfs"},
		{"nfs", "a b", "nfs.a nfs.b nfs"},
		{"nfs.x", "a b", "nfs.x nfs.x.a nfs.x.b"},
		{"nfs", "a b c d e f g h i", "nfs.a nfs.b nfs.c nfs.d nfs.e nfs.f nfs.g nfs"},
		{"nfs", "-a b", "nfs.b nfs"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct name_list l;
		char got[512] = "";

		name_list_make(&l, rows[i].name, rows[i].search);
		for (size_t n = 0; n < l.n; n++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", n ? " "
				: "", l.names[n]);
		CHECK_STR(got, rows[i].want);
	}
}

TEST(hosts)
{
	static const char text[] =
		"# 10.9.9.9 nfs\n127.0.0.1\tlocalhost\n::1 localhost ip6-localhost\n"
		"  10.0.0.1   nfs.example  NFS # nfs2\r\n2001:db8::1 six\n999.1.1.1 bad\n10.0.0.2\n"
		"2001:db8::2 both\n10.0.0.3 both\n10.0.0.4 last";
	static const struct {
		const char *name, *want;
		size_t n;
	} rows[] = {
		{"localhost", "127.0.0.1", 2}, {"ip6-localhost", "::1", 1}, {"nfs", "10.0.0.1", 1},
		{"NFS.EXAMPLE", "10.0.0.1", 1}, {"nfs2", "", 0}, {"six", "2001:db8::1", 1},
			{"bad", "", 0},
		{"both", "10.0.0.3", 2}, {"last", "10.0.0.4", 1}, {"10.0.0.1", "", 0}, {"", "", 0},
			{"n", "", 0},
		{"nfs.example.", "", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct inet_addr a[ADDRESS_RESOLVED_MAX] = {0};
		char got[INET_ADDR_TEXT];

		CHECK_INT(hosts_find(text, sizeof(text) - 1, rows[i].name, a), rows[i].n);
		CHECK_STR(inet_text(&a[0], got), rows[i].want);
	}
}

TEST(hosts_with_many_addresses)
{
	struct inet_addr a[ADDRESS_RESOLVED_MAX];
	char text[512] = "2001:db8::1 nfs\n", got[INET_ADDR_TEXT];

	for (int i = 1; i <= 9; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "10.0.0.%d nfs\n", i);
	CHECK_INT(hosts_find(text, strlen(text), "nfs", a), ADDRESS_RESOLVED_MAX);
	CHECK_STR(inet_text(&a[7], got), "10.0.0.8");
}
