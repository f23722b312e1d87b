// SPDX-License-Identifier: GPL-2.0-or-later
/* The DHCP parser: what it takes from a good reply, and each way one was ever used in attacks. */
#include "check.h"
#include "dhcpmsg.h"

#include "address/dhcp_option.h"

#define XID 0x11223344

static struct dhcp_reply parse(const struct msg *m)
{
	struct dhcp_reply r;

	dhcp_parse(&r, m->bytes, m->len, true);
	CHECK(dhcp_reply_sane(&r));
	return r;
}

static void address_is(struct in_addr a, uint32_t host)
{
	CHECK_INT(ntohl(a.s_addr), host);
}

/* Every option we ask for. */
static void full_reply(struct msg *m)
{
	static const uint8_t routes[] = {
		8, 10, 10, 0, 0, 9, 0, 10, 0, 0, 1, 25, 192, 0, 2, 128, 0, 0, 0, 0};
	static const uint8_t search[] = "\x03" "lab\x07" "example\x00\x04" "boot\xc0\x00";
	static const uint8_t ntp[] = {10, 0, 0, 3, 10, 0, 0, 4};
	static const uint8_t mtu[] = {0x05, 0xb4};

	msg_begin(m, DHCP_ACK, XID, 0x0a000005);
	msg_u32(m, 54, 0x0a000001);
	msg_u32(m, 51, 7200);
	msg_u32(m, 58, 3000);
	msg_u32(m, 59, 6000);
	msg_u32(m, 1, 0xfffffc00);
	msg_u32(m, 28, 0x0a0003ff);
	msg_option(m, 121, routes, sizeof(routes));
	msg_u32(m, 3, 0x0a000009);
	msg_u32(m, 6, 0x0a000002);
	msg_option(m, 42, ntp, sizeof(ntp));
	msg_option(m, 26, mtu, 2);
	msg_text(m, 12, "node-01");
	msg_text(m, 15, "example.");
	msg_option(m, 119, search, sizeof(search) - 1);
	msg_text(m, 17, "10.0.0.1:/export/root,vers=4.2");
	msg_text(m, 67, "http://10.0.0.1/x.efi");
	msg_text(m, 66, "tftp.example");
	memcpy(m->bytes + MSG_HEADERS + 20, "\x0a\x00\x00\x07", 4);
	msg_end(m);
}

TEST(a_full_reply)
{
	struct dhcp_reply r;
	struct msg m;

	full_reply(&m);
	r = parse(&m);
	CHECK_INT(r.wire_defect, 0);
	CHECK_INT(r.defect, 0);
	CHECK_INT(r.dropped, 0);
	CHECK_INT(r.type, DHCP_ACK);
	CHECK_INT(r.xid, XID);
	address_is(r.source, 0x0a000001);
	address_is(r.yiaddr, 0x0a000005);
	address_is(r.siaddr, 0x0a000007);
	address_is(r.server_id, 0x0a000001);
	address_is(r.broadcast, 0x0a0003ff);
	CHECK_INT(r.prefix, 22);
	CHECK_INT(r.lease_s, 7200);
	CHECK_INT(r.t1_s, 3000);
	CHECK_INT(r.t2_s, 6000);
	CHECK_INT(r.mtu, 1460);
	CHECK_INT(r.n_routers, 0); /* 121 beats 3 */
	CHECK_INT(r.n_routes, 3);
	CHECK_INT(r.routes[0].prefix, 8);
	address_is(r.routes[0].dst, 0x0a000000);
	address_is(r.routes[0].gateway, 0x0a000009);
	CHECK_INT(r.routes[1].prefix, 0);
	address_is(r.routes[1].gateway, 0x0a000001);
	address_is(r.routes[2].dst, 0xc0000280);
	address_is(r.routes[2].gateway, 0);
	CHECK_INT(r.n_dns, 1);
	CHECK_INT(r.n_ntp, 2);
	CHECK_STR(r.hostname, "node-01");
	CHECK_STR(r.domain, "example");
	CHECK_STR(r.search, "lab.example boot.lab.example");
	CHECK_STR(r.root_path, "10.0.0.1:/export/root,vers=4.2");
	CHECK_STR(r.boot_file, "http://10.0.0.1/x.efi");
	CHECK_STR(r.tftp_server, "tftp.example");
}

/* --- headers: n-dhcp4's UDP length below 8, ISC CVE-2015-8605, U-Boot CVE-2022-30552 --- */

struct header_row {
	const char *what;
	size_t at;
	uint8_t high, low;
	enum wire_defect want;
};

TEST(header_lengths_have_lower_bounds_too)
{
	static const struct header_row rows[] = {
		{"UDP length 0", 24, 0, 0, WIRE_HEADER_SIZE},
		{"UDP length 7", 24, 0, 7, WIRE_HEADER_SIZE},
		{"UDP length beyond the packet", 24, 0xff, 0xff, WIRE_SHORT},
		{"total length 0", 2, 0, 0, WIRE_SHORT},
		{"total length 19", 2, 0, 19, WIRE_SHORT},
		{"total length 27: no room for UDP", 2, 0, 27, WIRE_CHECKSUM},
		{"total length beyond the packet", 2, 0xff, 0xff, WIRE_SHORT},
		{"fragment", 6, 0x20, 0, WIRE_FRAGMENT},
		{"later fragment", 6, 0x00, 1, WIRE_FRAGMENT},
		{"other port", 22, 0, 69, WIRE_NOT_OURS},
		{"checksum", 26, 0x12, 0x34, WIRE_CHECKSUM},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dhcp_reply r;
		struct msg m;

		msg_offer(&m, DHCP_OFFER, XID, 0x0a000005, 0x0a000001);
		m.bytes[rows[i].at] = rows[i].high;
		m.bytes[rows[i].at + 1] = rows[i].low;
		r = parse(&m);
		if (r.wire_defect != (uint32_t)rows[i].want)
			check_fail(__FILE__, __LINE__, "%s: got \"%s\"", rows[i].what,
				wire_defect_words(r.wire_defect));
	}
}

TEST(ip_header_length)
{
	for (unsigned ihl = 0; ihl < 16; ihl++) {
		struct dhcp_reply r;
		struct msg m;

		msg_offer(&m, DHCP_OFFER, XID, 0x0a000005, 0x0a000001);
		m.bytes[0] = (uint8_t)(0x40 | ihl);
		r = parse(&m);
		CHECK_INT(r.wire_defect == WIRE_GOOD, ihl == 5);
		if (ihl < 5)
			CHECK_INT(r.wire_defect, WIRE_HEADER_SIZE);
	}
}

TEST(every_cut_is_noticed)
{
	struct msg m;

	msg_offer(&m, DHCP_OFFER, XID, 0x0a000005, 0x0a000001);
	for (size_t len = 0; len < m.len; len++) {
		/* Exactly len bytes on the heap: one read too far is seen by the sanitizer. */
		_cleanup_free_ uint8_t *cut = malloc(len ? len : 1);
		struct dhcp_reply r;

		memcpy(cut, m.bytes, len);
		dhcp_parse(&r, cut, len, true);
		CHECK(r.wire_defect != WIRE_GOOD);
	}
}

TEST(every_cut_with_right_headers)
{
	struct msg m, full;

	msg_offer(&full, DHCP_OFFER, XID, 0x0a000005, 0x0a000001);
	for (size_t len = MSG_HEADERS; len < full.len; len++) {
		_cleanup_free_ uint8_t *cut = malloc(len);
		struct dhcp_reply r;

		m = full;
		m.len = len;
		msg_wrap(&m);
		memcpy(cut, m.bytes, len);
		dhcp_parse(&r, cut, len, true);
		CHECK_INT(r.wire_defect, WIRE_GOOD);
		if (len < MSG_OPTIONS)
			CHECK_INT(r.defect, DHCP_SHORT);
	}
}

TEST(missing_checksum_is_accepted_when_told_so)
{
	struct dhcp_reply r;
	struct msg m;

	msg_offer(&m, DHCP_OFFER, XID, 0x0a000005, 0x0a000001);
	m.bytes[26] ^= 1;
	dhcp_parse(&r, m.bytes, m.len, false);
	CHECK_INT(r.wire_defect, WIRE_GOOD);
	m.bytes[26] = m.bytes[27] = 0;
	r = parse(&m);
	CHECK_INT(r.wire_defect, WIRE_GOOD);
}

/* --- the message --- */

TEST(what_is_no_reply)
{
	struct dhcp_reply r;
	struct msg m;

	msg_offer(&m, DHCP_OFFER, XID, 0x0a000005, 0x0a000001);
	m.bytes[MSG_HEADERS] = 1;
	msg_wrap(&m);
	r = parse(&m);
	CHECK_INT(r.defect, DHCP_NOT_REPLY);

	msg_offer(&m, DHCP_OFFER, XID, 0x0a000005, 0x0a000001);
	m.bytes[MSG_OPTIONS - 1] ^= 1;
	msg_wrap(&m);
	r = parse(&m);
	CHECK_INT(r.defect, DHCP_NO_COOKIE);

	msg_begin(&m, 0, XID, 0x0a000005);
	msg_u32(&m, 54, 0x0a000001);
	msg_end(&m);
	r = parse(&m);
	CHECK_INT(r.defect, DHCP_NO_TYPE);

	for (unsigned type = 0; type < 256; type++) {
		uint8_t t = (uint8_t)type;

		msg_begin(&m, 0, XID, 0x0a000005);
		msg_option(&m, 53, &t, 1);
		msg_end(&m);
		r = parse(&m);
		CHECK_INT(r.defect, type >= 1 && type <= 9 ? DHCP_GOOD : DHCP_OPTION_SIZE);
	}
}

TEST(a_missing_end_option_is_forgiven)
{
	struct dhcp_reply r;
	struct msg m;

	msg_offer(&m, DHCP_OFFER, XID, 0x0a000005, 0x0a000001);
	m.len--;
	msg_wrap(&m);
	r = parse(&m);
	CHECK_INT(r.defect, DHCP_GOOD);
	CHECK_INT(r.prefix, 24);
}

TEST(an_option_past_the_end)
{
	static const uint8_t tails[][3] = {{12}, {12, 1}, {12, 255, 'a'}, {53, 1}};
	static const size_t sizes[] = {1, 2, 3, 2};

	for (size_t i = 0; i < ARRAY_SIZE(tails); i++) {
		struct dhcp_reply r;
		struct msg m;

		msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
		memcpy(m.bytes + m.len, tails[i], sizes[i]);
		m.len += sizes[i];
		msg_wrap(&m);
		r = parse(&m);
		CHECK_INT(r.defect, DHCP_OPTION_CUT);
	}
}

TEST(the_option_budget_ends_a_flood)
{
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	for (int i = 0; i < 600; i++)
		msg_option(&m, 250, "", 0);
	msg_end(&m);
	r = parse(&m);
	CHECK_INT(r.defect, DHCP_TOO_MANY);
}

TEST(essential_options_have_one_size)
{
	static const uint8_t codes[] = {51, 53, 54, 52};

	for (size_t c = 0; c < sizeof(codes); c++)
		for (size_t len = 0; len <= 8; len++) {
			static const uint8_t value[8] = {1, 1, 1, 1, 1, 1, 1, 1};
			size_t good = codes[c] == 53 || codes[c] == 52 ? 1 : 4;
			struct dhcp_reply r;
			struct msg m;

			msg_begin(&m, codes[c] == 53 ? 0 : DHCP_OFFER, XID, 0x0a000005);
			msg_option(&m, codes[c], value, len);
			msg_end(&m);
			r = parse(&m);
			CHECK_INT(r.defect, len == good ? DHCP_GOOD : DHCP_OPTION_SIZE);
		}
}

/* Other options of a wrong size cost only themselves: dhcpcd's CVE-2016-1503 and the like. */
TEST(undersized_options_are_left_out)
{
	static const struct {
		uint8_t code;
		enum dhcp_field field;
		uint8_t good; /* good sizes are its multiples, or 0: just this size */
		bool exact;
	} rows[] = {
		{1, FIELD_MASK, 4, true}, {3, FIELD_ROUTERS, 4, false}, {6, FIELD_DNS, 4, false},
		{26, FIELD_MTU, 2, true}, {28, FIELD_BROADCAST, 4, true},
			{33, FIELD_ROUTES, 8, false},
		{42, FIELD_NTP, 4, false}, {58, FIELD_TIMES, 4, true}, {59, FIELD_TIMES, 4, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t len = 0; len < 24; len++) {
			static const uint8_t value[24] = {
				0xff, 0xff, 0xff, 0, 10, 0, 0, 1, 10, 1, 0, 0, 10, 0, 0, 1, 10, 2,
				0, 0, 10, 0, 0, 1};
			/* addresses: begin with one that is an address */
			const uint8_t *from = value + (rows[i].exact ? 0 : 8);
			bool good = rows[i].exact ? len == rows[i].good : len &&
				len % rows[i].good == 0;
			struct dhcp_reply r;
			struct msg m;

			if (from != value && len > 16)
				continue;
			msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
			msg_option(&m, rows[i].code, from, len);
			msg_end(&m);
			r = parse(&m);
			CHECK_INT(r.defect, DHCP_GOOD);
			if (rows[i].field != FIELD_MTU)
				CHECK_INT(r.dropped, good ? 0 : 1 << rows[i].field);
		}
}

TEST(masks)
{
	static const struct {
		uint32_t mask;
		unsigned prefix;
	} rows[] = {{0xffffffff, 32}, {0xfffffffe, 31}, {0xff000000, 8}, {0x80000000, 1}, {0, 0},
		{0xff00ff00, 0}, {0x00ffffff, 0}, {0xffffff01, 0}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dhcp_reply r;
		struct msg m;

		msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
		msg_u32(&m, 1, rows[i].mask);
		msg_end(&m);
		r = parse(&m);
		CHECK_INT(r.prefix, rows[i].prefix);
		CHECK_INT(r.dropped, rows[i].prefix ? 0 : 1 << FIELD_MASK);
	}
}

TEST(mtu_bounds)
{
	static const struct {
		unsigned mtu, want;
	} rows[] = {
		{0, 0}, {68, 0}, {575, 0}, {576, 576}, {1500, 1500}, {65520, 65520}, {65535, 0}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t v[2] = {(uint8_t)(rows[i].mtu >> 8), (uint8_t)rows[i].mtu};
		struct dhcp_reply r;
		struct msg m;

		msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
		msg_option(&m, 26, v, 2);
		msg_end(&m);
		r = parse(&m);
		CHECK_INT(r.mtu, rows[i].want);
	}
}

TEST(addresses_no_host_can_have)
{
	static const uint32_t bad[] = {
		0, 0x00000001, 0x7f000001, 0xe0000001, 0xf0000001, 0xffffffff};
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		msg_u32(&m, 6, bad[i]);
	msg_end(&m);
	r = parse(&m);
	CHECK_INT(r.n_dns, 0);
	CHECK_INT(r.dropped, 1 << FIELD_DNS);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(!inet4_is_host((struct in_addr){htonl(bad[i])}));
}

TEST(long_lists_are_cut)
{
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	for (uint32_t i = 1; i <= 40; i++)
		msg_u32(&m, 6, 0x0a000000 + i);
	msg_end(&m);
	r = parse(&m);
	CHECK_INT(r.n_dns, ADDRESS_LIST_MAX);
	address_is(r.dns[3], 0x0a000004);
	CHECK_INT(r.partly, 1 << FIELD_DNS);
}

TEST(a_list_with_one_that_is_no_host)
{
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	msg_u32(&m, 6, 0x0a000001);
	msg_u32(&m, 6, 0x7f000001);
	msg_end(&m);
	r = parse(&m);
	CHECK(r.n_dns == 1 && r.partly == 1 << FIELD_DNS);
}

/* --- overload and long options: PixieFail's endless loops --- */

TEST(overload)
{
	static const uint8_t three = 3;
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	msg_option(&m, 52, &three, 1);
	msg_text(&m, 17, "/export");
	msg_end(&m);
	memcpy(m.bytes + MSG_FILE, "\x0c\x04node\xff", 7);
	/* a second overload inside must not be followed */
	memcpy(m.bytes + MSG_SNAME, "\x34\x01\x03\x11\x05/root\xff", 11);
	msg_wrap(&m);
	r = parse(&m);
	CHECK_INT(r.defect, DHCP_GOOD);
	CHECK_STR(r.hostname, "node");
	CHECK_STR(r.root_path, "/export/root"); /* RFC 3396: joined over the fields */
	CHECK_STR(r.boot_file, "");
	CHECK_STR(r.tftp_server, "");
}

TEST(overload_cut_inside_file)
{
	static const uint8_t one = 1;
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	msg_option(&m, 52, &one, 1);
	msg_end(&m);
	memset(m.bytes + MSG_FILE, 0, 128);
	m.bytes[MSG_FILE + 126] = 12;
	m.bytes[MSG_FILE + 127] = 1; /* its value would be the cookie */
	memcpy(m.bytes + MSG_FILE, "\x0f\x07" "example", 9);
	msg_wrap(&m);
	r = parse(&m);
	CHECK_INT(r.defect, DHCP_GOOD);
	CHECK_INT(r.dropped, 1 << FIELD_OVERLOADED | 1 << FIELD_HOSTNAME);
	CHECK_STR(r.domain, "example"); /* before the cut */
	CHECK_STR(r.hostname, "");
}

TEST(a_joined_option_that_is_cut)
{
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	msg_option(&m, 52, "\2", 1);
	msg_text(&m, 17, "10.0.0.1:/export");
	msg_end(&m);
	memcpy(m.bytes + MSG_SNAME + 62, "\x11\x05", 2);
	msg_wrap(&m);
	r = parse(&m);
	CHECK_INT(r.defect, DHCP_GOOD);
	CHECK_STR(r.root_path, ""); /* half a value is none (RFC 3396) */
	CHECK_INT(r.dropped, 1 << FIELD_OVERLOADED | 1 << FIELD_ROOT_PATH);
}

TEST(next_server_is_a_host)
{
	static const uint32_t rows[] = {0, 0x0a000001, 0xffffffff, 0x7f000001, 0xe0000001};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint32_t be = htonl(rows[i]);
		struct dhcp_reply r;
		struct msg m;

		msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
		memcpy(m.bytes + MSG_HEADERS + 20, &be, 4);
		msg_end(&m);
		r = parse(&m);
		address_is(r.siaddr, i < 2 ? rows[i] : 0);
		CHECK_INT(r.dropped, i < 2 ? 0 : 1 << FIELD_NEXT_SERVER);
	}
}

TEST(file_and_sname_as_text)
{
	struct dhcp_reply r;
	struct msg m;

	msg_offer(&m, DHCP_OFFER, XID, 0x0a000005, 0x0a000001);
	memset(m.bytes + MSG_FILE, 'f', 128); /* no terminator */
	memcpy(m.bytes + MSG_SNAME, "server", 7);
	msg_wrap(&m);
	r = parse(&m);
	CHECK_INT(strlen(r.boot_file), 128);
	CHECK_STR(r.tftp_server, "server");
}

TEST(long_options_are_joined)
{
	char part[201];
	struct dhcp_reply r;
	struct msg m;

	memset(part, 'a', 200);
	part[200] = 0;
	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	msg_text(&m, 17, part);
	part[55] = 0;
	msg_text(&m, 17, part);
	msg_end(&m);
	r = parse(&m);
	CHECK_INT(strlen(r.root_path), 255);

	/* one more byte does not fit: left out as a whole, not cut */
	part[55] = 'a';
	part[56] = 0;
	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	part[56] = 'a';
	msg_text(&m, 17, part);
	msg_text(&m, 17, part);
	msg_end(&m);
	r = parse(&m);
	CHECK_STR(r.root_path, "");
	CHECK_INT(r.dropped, 1 << FIELD_ROOT_PATH);

	/* more than the joining buffer */
	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	for (int i = 0; i < 6; i++)
		msg_option(&m, 17, m.bytes, 200);
	msg_end(&m);
	r = parse(&m);
	CHECK_INT(r.dropped, 1 << FIELD_ROOT_PATH);
}

/* --- text: CVE-2018-1111, CVE-2011-0996, CVE-2026-6893, CVE-2026-44932 --- */

TEST(no_shell_text_in_names)
{
	static const char *const bad[] = {
		"x'&touch /tmp/x #", "$(reboot)", "`id`", "a;b", "a|b", "a&b", "a b", "a\nb",
			"a\"b",
		"a\\b", "a>b", "a<b", "a*b", "a?b", "a(b)", "a{b}", "a!b", "a#b", "a'b", "\x1b[2J",
		"n\xc3\xb6",
		"~root", "a\tb", "a^b",
	};
	static const uint8_t codes[] = {12, 15, 17, 66, 67};
	static const enum dhcp_field fields[] = {FIELD_HOSTNAME, FIELD_DOMAIN, FIELD_ROOT_PATH,
		FIELD_TFTP_SERVER, FIELD_BOOT_FILE};

	for (size_t c = 0; c < sizeof(codes); c++)
		for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
			struct dhcp_reply r;
			struct msg m;

			msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
			msg_text(&m, codes[c], bad[i]);
			msg_end(&m);
			r = parse(&m);
			CHECK_INT(r.defect, DHCP_GOOD);
			CHECK_INT(r.dropped, 1 << fields[c]);
			CHECK(!*r.hostname && !*r.domain && !*r.root_path && !*r.tftp_server &&
				!*r.boot_file);
		}
}

TEST(a_nul_inside_a_name)
{
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	msg_option(&m, 12, "no\0de", 5);
	msg_option(&m, 15, "example\0\0", 9); /* trailing ones are common */
	msg_end(&m);
	r = parse(&m);
	CHECK_STR(r.hostname, "");
	CHECK_INT(r.dropped, 1 << FIELD_HOSTNAME);
	CHECK_STR(r.domain, "example");
}
