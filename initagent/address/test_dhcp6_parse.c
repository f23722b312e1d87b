// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DHCPv6 messages: what is made, what is taken from a good answer, and each way an answer can be
 * wrong.
 */
#include "check.h"
#include "dhcp6msg.h"

#include <arpa/inet.h>

#include "address/dhcp6_offer.h"

#define XID  0x112233
#define IAID 1

static const uint8_t client[] = {0, 3, 0, 1, 2, 0, 0, 0, 0, 5},
		     server[] = {0, 1, 0, 1, 9, 9, 9, 9, 2, 0, 0, 0, 0, 1};

static struct dhcp6_reply parse(const struct msg6 *m)
{
	struct dhcp6_reply r;

	dhcp6_parse(&r, m->bytes, m->len, IAID);
	/* Which address counts is judged later. */
	CHECK(!r.has_address);
	CHECK(dhcp6_reply_sane(&r));
	return r;
}

static void address_is(const void *bytes, const char *want)
{
	char text[INET6_ADDRSTRLEN];

	CHECK(inet_ntop(AF_INET6, bytes, text, sizeof(text)));
	CHECK_STR(text, want);
}

static void begin(struct msg6 *m)
{
	msg6_begin(m, DHCP6_REPLY, XID);
	msg6_option(m, 1, client, sizeof(client));
	msg6_option(m, 2, server, sizeof(server));
}

TEST(a_full_answer)
{
	static const uint8_t search[] = "\x03lab\x07" "example\x00\x04" "boot\x00";
	static const char url[] = "http://[2001:db8::1]/boot/x.efi";
	struct dhcp6_reply r;
	struct msg6 m;

	begin(&m);
	msg6_ia(&m, IAID, "2001:db8::77", 3000, 7200);
	msg6_option(&m, 7, "\xff", 1);
	msg6_option(&m, 14, "", 0);
	msg6_open(&m, 23);
	msg6_addr(&m, "2001:db8::53");
	msg6_addr(&m, "2001:db8::54");
	msg6_close(&m);
	msg6_option(&m, 24, search, sizeof(search) - 1);
	msg6_open(&m, 56);
	msg6_open(&m, 2); /* a multicast NTP address: not looked at */
	msg6_addr(&m, "ff02::101");
	msg6_close(&m);
	msg6_open(&m, 1);
	msg6_addr(&m, "2001:db8::123");
	msg6_close(&m);
	msg6_close(&m);
	msg6_option(&m, 59, url, sizeof(url) - 1);
	msg6_open(&m, 82);
	msg6_u32(&m, 120);
	msg6_close(&m);
	msg6_option(&m, 999, "whatever", 8);
	r = parse(&m);
	CHECK_INT(r.defect, DHCP6_GOOD);
	CHECK_INT(r.dropped, 0);
	CHECK_INT(r.type, DHCP6_REPLY);
	CHECK_INT(r.xid, XID);
	CHECK_INT(r.client.len, sizeof(client));
	CHECK_MEM(r.server.bytes, server, sizeof(server));
	CHECK_INT(r.preference, 255);
	CHECK(r.rapid && r.has_ia && !r.other_ia);
	CHECK_INT(r.n_addresses, 1);
	address_is(&r.addresses[0].address, "2001:db8::77");
	CHECK_INT(r.addresses[0].preferred_s, 3000);
	CHECK_INT(r.addresses[0].valid_s, 7200);
	CHECK_INT(r.n_dns, 2);
	address_is(&r.dns[1], "2001:db8::54");
	CHECK_INT(r.n_ntp, 1);
	address_is(&r.ntp[0], "2001:db8::123");
	CHECK_STR(r.search, "lab.example boot");
	CHECK_STR(r.boot_file, url);
	CHECK_INT(r.sol_max_s, 120);
}

/* An answer cut anywhere is bad or has less in it, and never more than the whole. */
TEST(cut_anywhere)
{
	struct dhcp6_reply r, whole;
	struct msg6 m;

	begin(&m);
	msg6_ia(&m, 1, "2001:db8::77", 3000, 7200);
	whole = parse(&m);
	CHECK_INT(whole.n_addresses, 1);
	for (size_t len = 0; len < m.len; len++) {
		uint8_t *copy = malloc(len + 1); /* so that a sanitizer sees a read beyond */

		memcpy(copy, m.bytes, len);
		dhcp6_parse(&r, copy, len, IAID);
		CHECK(dhcp6_reply_sane(&r));
		CHECK(!r.n_addresses || r.defect);
		free(copy);
	}
}

TEST(lengths_that_lie)
{
	struct dhcp6_reply r;
	struct msg6 m;

	begin(&m);
	msg6_ia(&m, 1, "2001:db8::77", 3000, 7200);
	for (size_t at = 4; at + 1 < m.len; at++) {
		uint8_t was = m.bytes[at];

		for (int v = 0; v < 256; v += 5) {
			m.bytes[at] = (uint8_t)v;
			dhcp6_parse(&r, m.bytes, m.len, IAID);
			CHECK(dhcp6_reply_sane(&r));
		}
		m.bytes[at] = was;
	}
	/* an option inside the IA longer than the IA */
	m.bytes[4 + 4 + sizeof(client) + 4 + sizeof(server) + 4 + 12 + 3] = 25;
	CHECK_INT(parse(&m).defect, DHCP6_OPTION_CUT);
}

/* What makes the answer worthless, and what only the address. */
TEST(wrong_answers)
{
	struct msg6 m;

	msg6_begin(&m, DHCP6_SOLICIT, XID);
	CHECK_INT(parse(&m).defect, DHCP6_NOT_ANSWER);
	m.len = 3;
	CHECK_INT(parse(&m).defect, DHCP6_SHORT);
	begin(&m);
	msg6_option(&m, 1, client, sizeof(client));
	CHECK_INT(parse(&m).defect, DHCP6_OPTION_SIZE); /* a second client identifier */
	msg6_begin(&m, DHCP6_REPLY, XID);
	msg6_option(&m, 2, (uint8_t[131]){0}, 131);
	CHECK_INT(parse(&m).defect, DHCP6_OPTION_SIZE); /* longer than an identifier may be */
	begin(&m);
	msg6_option(&m, 13, "\0", 1);
	CHECK_INT(parse(&m).defect, DHCP6_OPTION_SIZE);
}

/* Unknown options are no fault, however many (RFC 8415 section 16). */
TEST(a_packet_full_of_options)
{
	struct dhcp6_reply r;
	struct msg6 m;

	begin(&m);
	msg6_ia(&m, IAID, "2001:db8::77", 3000, 7200);
	for (int n = 0; n < 300; n++)
		msg6_option(&m, 999, "", 0);
	msg6_open(&m, 23);
	msg6_addr(&m, "2001:db8::53");
	msg6_close(&m);
	r = parse(&m);
	CHECK_INT(r.defect, DHCP6_GOOD);
	CHECK_INT(r.n_addresses, 1);
	CHECK_INT(r.n_dns, 1);
}

TEST(name_servers_that_no_host_can_be)
{
	static const char *const bad[] = {"::", "::1", "ff02::1", "::ffff:10.0.0.1", "::10.0.0.1"};
	struct dhcp6_reply r;
	struct msg6 m;

	begin(&m);
	msg6_open(&m, 23);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		msg6_addr(&m, bad[i]);
	msg6_addr(&m, "2001:db8::53");
	msg6_close(&m);
	r = parse(&m);
	CHECK_INT(r.n_dns, 1);
	address_is(&r.dns[0], "2001:db8::53");
	CHECK_INT(r.dropped, 0);
	CHECK_INT(r.partly, 1U << FIELD6_DNS);
	begin(&m);
	msg6_open(&m, 23);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		msg6_addr(&m, bad[i]);
	msg6_close(&m);
	r = parse(&m);
	CHECK_INT(r.dropped, 1U << FIELD6_DNS);
	CHECK_INT(r.partly, 0);
}

TEST(more_name_servers_than_are_kept)
{
	struct dhcp6_reply r;
	struct msg6 m;

	begin(&m);
	msg6_open(&m, 23);
	for (int i = 0; i < 2 * ADDRESS_LIST_MAX; i++)
		msg6_addr(&m, "2001:db8::53");
	msg6_close(&m);
	r = parse(&m);
	CHECK_INT(r.n_dns, ADDRESS_LIST_MAX);
	CHECK_INT(r.dropped, 0);
	CHECK_INT(r.partly, 1U << FIELD6_DNS);
}

static void open_ia(struct msg6 *m, uint32_t iaid, uint32_t t1, uint32_t t2)
{
	msg6_open(m, 3);
	msg6_u32(m, iaid);
	msg6_u32(m, t1);
	msg6_u32(m, t2);
}

static void put_address(struct msg6 *m, const char *addr, uint32_t preferred, uint32_t valid,
	int status)
{
	msg6_open(m, 5);
	msg6_addr(m, addr);
	msg6_u32(m, preferred);
	msg6_u32(m, valid);
	if (status) {
		msg6_open(m, 13);
		msg6_u16(m, (unsigned)status);
		msg6_close(m);
	}
	msg6_close(m);
}

/* Other clients' associations, before and behind ours, and the status of each address. */
TEST(our_association_is_found)
{
	struct dhcp6_reply r;
	struct msg6 m;

	begin(&m);
	msg6_ia(&m, IAID + 1, "2001:db8::66", 3000, 7200);
	open_ia(&m, IAID, 0, 0);
	put_address(&m, "2001:db8::7", 3000, 7200, DHCP6_NOT_ON_LINK);
	put_address(&m, "2001:db8::8", 3000, 7200, 0);
	msg6_close(&m);
	msg6_ia(&m, IAID + 2, "2001:db8::67", 3000, 7200);
	msg6_ia(&m, IAID, "2001:db8::68", 3000, 7200); /* ours came already */
	r = parse(&m);
	CHECK(r.has_ia && r.other_ia);
	CHECK_INT(r.other_iaid, IAID + 2);
	CHECK_INT(r.ia_status, DHCP6_SUCCESS);
	CHECK_INT(r.n_addresses, 2);
	CHECK_INT(r.addresses[0].status, DHCP6_NOT_ON_LINK);
	CHECK(dhcp6_choose(&r, NULL, &(struct dhcp6_judgement){0}));
	address_is(&r.address, "2001:db8::8");
	begin(&m);
	open_ia(&m, IAID, 0, 0);
	for (int n = 0; n < DHCP6_ADDRESSES_MAX + 4; n++)
		put_address(&m, "2001:db8::7", 3000, 7200, 0);
	msg6_close(&m);
	CHECK_INT(parse(&m).n_addresses, DHCP6_ADDRESSES_MAX);
}

/* What is wrong is said as it was sent, and a status is told only when there was one. */
TEST(addresses_nobody_can_have)
{
	static const struct {
		const char *addr;
		uint32_t preferred, valid, t1, t2;
		int status;
		bool want;
		const char *text;
	} rows[] = {
		{"2001:db8::77", 3000, 7200, 0, 0, 0, true, ""},
		{"fd00::1:0:0:1", 3000, 7200, 100, 100, 0, true, ""},
		{"2001:db8::77", 3000, 7200, 200, 0, 0, true, ""},
		{"::", 3000, 7200, 0, 0, 0, false, "it offers ::, which no host can have"},
		{"::1", 3000, 7200, 0, 0, 0, false, "it offers ::1, which no host can have"},
		{"ff05::9", 3000, 7200, 0, 0, 0, false,
			"it offers ff05::9, which no host can have"},
		{"fe80::5", 3000, 7200, 0, 0, 0, false,
			"it offers fe80::5, which no host can have"},
		{"::ffff:192.0.2.7", 3000, 7200, 0, 0, 0, false,
			"it offers ::ffff:192.0.2.7, which no host can have"},
		{"::192.0.2.7", 3000, 7200, 0, 0, 0, false,
			"it offers ::192.0.2.7, which no host can have"},
		{"2001:db8:a::", 3000, 7200, 0, 0, 0, false,
			"it offers 2001:db8:a::, which no host can have"},
		{"2001:db8::77", 0, 0, 0, 0, 0, false,
			"2001:db8::77 has a valid lifetime of 0 s"},
		{"2001:db8::77", 7201, 7200, 0, 0, 0, false,
			"2001:db8::77 has a preferred lifetime beyond its valid one (7201 > 7200 "
			"s)"},
		{"2001:db8::77", 3000, 7200, 200, 100, 0, false,
			"T1 is beyond T2 (200 > 100 s): IA_NA ignored"},
		{"2001:db8::77", 3000, 7200, 0, 0, DHCP6_NOT_ON_LINK, false, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dhcp6_judgement j;
		struct dhcp6_reply r;
		struct msg6 m;

		begin(&m);
		open_ia(&m, IAID, rows[i].t1, rows[i].t2);
		put_address(&m, rows[i].addr, rows[i].preferred, rows[i].valid, rows[i].status);
		msg6_close(&m);
		r = parse(&m);
		CHECK_INT(dhcp6_choose(&r, NULL, &j), rows[i].want);
		CHECK_INT(r.has_address, rows[i].want);
		CHECK_INT(j.status, rows[i].status);
		CHECK_STR(j.text, rows[i].text);
	}
}

TEST(answers_without_an_address)
{
	struct dhcp6_judgement j;
	struct dhcp6_reply r;
	struct msg6 m;

	begin(&m);
	r = parse(&m);
	CHECK(!dhcp6_choose(&r, NULL, &j));
	CHECK_STR(j.text, "no IA_NA in it");
	msg6_ia(&m, 0x1234, "2001:db8::77", 3000, 7200);
	r = parse(&m);
	CHECK(!dhcp6_choose(&r, NULL, &j));
	CHECK_STR(j.text, "its IA_NA has another IAID (00001234)");
	begin(&m);
	open_ia(&m, IAID, 0, 0);
	msg6_close(&m);
	r = parse(&m);
	CHECK(!dhcp6_choose(&r, NULL, &j));
	CHECK_STR(j.text, "no address in its IA_NA");
}

/* While bound, our address counts first, wherever it is in the list; taken back, the next one. */
TEST(the_address_held_comes_first)
{
	struct dhcp6_judgement j;
	struct in6_addr held;
	struct dhcp6_reply r;
	struct msg6 m;

	CHECK_INT(inet_pton(AF_INET6, "2001:db8::8", &held), 1);
	begin(&m);
	open_ia(&m, IAID, 0, 0);
	put_address(&m, "2001:db8::7", 3000, 7200, 0);
	put_address(&m, "2001:db8::8", 3000, 7200, 0);
	msg6_close(&m);
	r = parse(&m);
	CHECK(dhcp6_choose(&r, &held, &j));
	address_is(&r.address, "2001:db8::8");
	CHECK(!dhcp6_withdraws(&r, &held));
	begin(&m);
	open_ia(&m, IAID, 0, 0);
	put_address(&m, "2001:db8::8", 0, 0, 0);
	put_address(&m, "2001:db8::7", 3000, 7200, 0);
	msg6_close(&m);
	r = parse(&m);
	CHECK(dhcp6_choose(&r, &held, &j));
	address_is(&r.address, "2001:db8::7");
	CHECK(dhcp6_withdraws(&r, &held));
}

/* The first instance of an option counts; each server of NTP has one of its own (RFC 5908). */
TEST(repeated_options)
{
	struct dhcp6_reply r;
	struct msg6 m;

	begin(&m);
	for (int n = 0; n < 2; n++) {
		msg6_open(&m, 23);
		msg6_addr(&m, n ? "2001:db8::54" : "2001:db8::53");
		msg6_close(&m);
		msg6_option(&m, 24, n ? "\3old\7example" : "\3hpc\7example", 13);
		msg6_option(&m, 59, n ? "http://b/" : "http://a/", 9);
		msg6_option(&m, 7, n ? "\7" : "\5", 1);
		msg6_option(&m, 13, n ? "\0\2" : "\0\0", 2);
		msg6_open(&m, 56);
		msg6_open(&m, 1);
		msg6_addr(&m, n ? "2001:db8::124" : "2001:db8::123");
		msg6_close(&m);
		msg6_close(&m);
	}
	r = parse(&m);
	CHECK_INT(r.n_dns, 1);
	address_is(&r.dns[0], "2001:db8::53");
	CHECK_STR(r.search, "hpc.example");
	CHECK_STR(r.boot_file, "http://a/");
	CHECK_INT(r.preference, 5);
	CHECK_INT(r.status, 0);
	CHECK_INT(r.n_ntp, 2);
}

/* RFC 8415 section 10: the names before it may stay. */
TEST(compressed_search_lists)
{
	static const uint8_t search[] = "\x03hpc\x07" "example\x00\x03old\xc0\x04\x03new\x00";
	struct dhcp6_reply r;
	struct msg6 m;

	begin(&m);
	msg6_option(&m, 24, search, sizeof(search) - 1);
	r = parse(&m);
	CHECK_STR(r.search, "hpc.example");
	CHECK_INT(r.dropped, 1 << FIELD6_SEARCH);
}

TEST(status_codes)
{
	struct dhcp6_reply r;
	struct msg6 m;

	begin(&m);
	msg6_open(&m, 13);
	msg6_u16(&m, DHCP6_NOT_ON_LINK);
	msg6_bytes(&m, "\x1b[2Jgo away", 11);
	msg6_close(&m);
	CHECK_INT(parse(&m).status, DHCP6_NOT_ON_LINK);
	begin(&m);
	msg6_open(&m, 3);
	msg6_u32(&m, 1);
	msg6_u32(&m, 0);
	msg6_u32(&m, 0);
	msg6_option(&m, 13, "\0\2", 2);
	msg6_close(&m);
	r = parse(&m);
	CHECK_INT(r.status, DHCP6_SUCCESS);
	CHECK_INT(r.ia_status, DHCP6_NO_ADDRS_AVAIL);
	CHECK_STR(dhcp6_status_words(2), "no addresses available");
	CHECK_STR(dhcp6_status_words(77), "an unknown status code");
}

/* Text that could lead a reader astray is dropped as a whole, and told. */
TEST(hostile_text)
{
	static const char url[] = "http://x/`reboot`";
	static const uint8_t search[] = "\x07$(halt)\x00\x03lab\x00", loop[] = "\x03lab\xc0\x00";
	struct dhcp6_reply r;
	struct msg6 m;

	begin(&m);
	msg6_option(&m, 59, url, sizeof(url) - 1);
	msg6_option(&m, 24, search, sizeof(search) - 1);
	msg6_option(&m, 23, "123456789", 9);
	r = parse(&m);
	CHECK_STR(r.boot_file, "");
	CHECK_STR(r.search, "lab");
	CHECK_INT(r.n_dns, 0);
	CHECK_INT(r.dropped, 1 << FIELD6_BOOT_FILE | 1 << FIELD6_DNS);
	begin(&m);
	msg6_option(&m, 24, loop, sizeof(loop) - 1);
	CHECK_STR(parse(&m).search, "");
}

/* --- requests ------------------------------------------------------------------------------ */

TEST(a_solicit)
{
	struct duid id = {.len = sizeof(client)};
	struct dhcp6_message msg = {.type = DHCP6_SOLICIT,
		.xid = XID,
		.client = &id,
		.elapsed = 0x1234,
		.ia = true,
		.iaid = 7,
		.rapid = true,
		.hostname = "node5.lab.example"};
	uint8_t buf[DHCP6_REQUEST_MAX];
	const uint8_t *value;
	size_t n, len;

	memcpy(id.bytes, client, sizeof(client));
	n = dhcp6_encode(&msg, buf);
	CHECK_MEM(buf, "\x01\x11\x22\x33", 4);
	value = msg6_find(buf + 4, n - 4, 1, &len);
	CHECK(value && len == sizeof(client));
	CHECK_MEM(value, client, sizeof(client));
	CHECK(!msg6_find(buf + 4, n - 4, 2, &len));
	value = msg6_find(buf + 4, n - 4, 8, &len);
	CHECK(value && len == 2);
	CHECK_MEM(value, "\x12\x34", 2);
	value = msg6_find(buf + 4, n - 4, 3, &len);
	CHECK(value && len == 12);
	CHECK_MEM(value, "\0\0\0\7\0\0\0\0\0\0\0\0", 12);
	CHECK(msg6_find(buf + 4, n - 4, 14, &len) && len == 0);
	value = msg6_find(buf + 4, n - 4, 39, &len);
	CHECK(value && len == 7);
	CHECK_MEM(value, "\0\5node5", 7);
	value = msg6_find(buf + 4, n - 4, 6, &len);
	CHECK(value && len == 12);
	CHECK_MEM(value, "\0\x17\0\x18", 4);
}

/* The largest message there is stays below IPv6's smallest MTU. */
TEST(the_longest_request)
{
	struct duid id = {.len = ADDRESS_DUID_MAX};
	char name[65];
	struct dhcp6_message msg = {.type = DHCP6_REQUEST, .client = &id, .server = &id, .ia = true,
		.address = IN6ADDR_LOOPBACK_INIT, .rapid = true, .hostname = name};
	uint8_t buf[DHCP6_REQUEST_MAX];
	const uint8_t *value;
	size_t n, len;

	memset(name, 'n', 63);
	name[63] = 0;
	n = dhcp6_encode(&msg, buf);
	CHECK(n < 500);
	value = msg6_find(buf + 4, n - 4, 3, &len);
	CHECK(value && len == 40);
	CHECK(msg6_find(buf + 4, n - 4, 2, &len) && len == ADDRESS_DUID_MAX);
	name[63] = 'n'; /* 64: no label can be that long */
	name[64] = 0;
	n = dhcp6_encode(&msg, buf);
	CHECK(!msg6_find(buf + 4, n - 4, 39, &len));
}
