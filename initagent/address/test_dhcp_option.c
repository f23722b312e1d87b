// SPDX-License-Identifier: GPL-2.0-or-later
/* Options 121, 33 and 119, and the check of what the parser process sends. */
#include "check.h"
#include "dhcpmsg.h"

#include "address/dhcp_option.h"
#include "inet_text.h"

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

/* --- option 121 and 33: dhcpcd, CVE-2024-3661 --- */

static int routes_of(const void *value, size_t len, struct dhcp_route *ret)
{
	bool partly = false;

	return option_classless_routes(cursor_make(value, len), ret, ADDRESS_ROUTES_MAX, &partly);
}

TEST(classless_routes)
{
	struct dhcp_route r[ADDRESS_ROUTES_MAX];

	CHECK_INT(routes_of("\x18\x0a\x01\x02\x0a\x00\x00\x01", 8, r), 1);
	CHECK_INT(r[0].prefix, 24);
	address_is(r[0].dst, 0x0a010200);
	CHECK_INT(routes_of("\x0c\xac\x1f\x0a\x00\x00\x01", 7, r), 1);
	address_is(r[0].dst, 0xac100000); /* bits beyond the prefix are not part of it */
	CHECK_INT(routes_of("\x20\x0a\x01\x02\x03\x0a\x00\x00\x01", 9, r), 1);
	CHECK_INT(r[0].prefix, 32);
}

TEST(classless_routes_broken)
{
	struct dhcp_route r[ADDRESS_ROUTES_MAX];

	CHECK_INT(routes_of("\x21\x0a\x01\x02\x03\x04\x0a\x00\x00\x01", 10, r), -EINVAL);
	CHECK_INT(routes_of("\xff\x0a\x01\x02\x03\x04\x0a\x00\x00\x01", 10, r), -EINVAL);
	CHECK_INT(routes_of("\x18\x0a\x01\x02\x0a\x00\x00", 7, r), -EINVAL);
	CHECK_INT(routes_of("\x18", 1, r), -EINVAL);
	CHECK_INT(routes_of("\x00\x0a\x00\x00", 4, r), -EINVAL);
	CHECK_INT(routes_of("\x08\x7f\x0a\x00\x00\x01", 6, r), -EINVAL);	 /* loopback */
	CHECK_INT(routes_of("\x04\xe0\x0a\x00\x00\x01", 6, r), -EINVAL);	 /* multicast */
	CHECK_INT(routes_of("\x08\x0a\xff\xff\xff\xff", 6, r), -EINVAL);	 /* next hop */
	/* a good one before a broken one does not count either */
	CHECK_INT(routes_of("\x08\x0a\x0a\x00\x00\x01\x21", 7, r), -EINVAL);
}

TEST(broken_121_leaves_option_3)
{
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	msg_option(&m, 121, "\x21\x00", 2);
	msg_u32(&m, 3, 0x0a000001);
	msg_end(&m);
	r = parse(&m);
	CHECK_INT(r.n_routes, 0);
	CHECK_INT(r.n_routers, 1);
	CHECK_INT(r.dropped, 1 << FIELD_ROUTES);
}

TEST(many_routes_are_cut)
{
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	for (uint8_t i = 0; i < 100; i++) {
		uint8_t one[8] = {24, 10, 1, i, 10, 0, 0, 1};

		msg_option(&m, 121, one, 8);
	}
	msg_end(&m);
	r = parse(&m);
	CHECK_INT(r.n_routes, ADDRESS_ROUTES_MAX);
	CHECK_INT(r.partly, 1 << FIELD_ROUTES);
}

/* A default route behind more routes than are kept takes the place of the last of them. */
TEST(the_default_route_is_never_cut)
{
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	for (uint8_t i = 0; i < 40; i++) {
		uint8_t one[8] = {24, 10, 1, i, 10, 0, 0, 1};

		msg_option(&m, 121, one, 8);
	}
	msg_option(&m, 121, "\0\12\0\0\2", 5);
	msg_end(&m);
	r = parse(&m);
	CHECK_INT(r.n_routes, ADDRESS_ROUTES_MAX);
	CHECK_INT(r.routes[0].prefix, 24);
	CHECK_INT(r.routes[ADDRESS_ROUTES_MAX - 1].prefix, 0);
	CHECK_INT(ntohl(r.routes[ADDRESS_ROUTES_MAX - 1].gateway.s_addr), 0x0a000002);
}

TEST(static_routes)
{
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, 0x0a000005);
	msg_option(&m, 33, "\xac\x10\x00\x00\x0a\x00\x00\x01\xac\x10\x00\x05\x0a\x00\x00\x01", 16);
	msg_end(&m);
	r = parse(&m);
	CHECK_INT(r.n_routes, 2);
	CHECK_INT(r.routes[0].prefix, 16);
	CHECK_INT(r.routes[1].prefix, 32);
}

/* --- option 119 --- */

static int search_of(const void *value, size_t len, char *dst)
{
	return option_search(cursor_make(value, len), dst);
}

TEST(search_domains_broken)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{"\xc0\x00", 2},		      /* points at itself */
		{"\x03" "lab\xc0\x04", 6},	      /* at itself, after a label */
		{"\x03" "lab\xc0\x06\x03" "foo\x00", 11}, /* forward */
		{"\x03" "lab", 4},		      /* no end */
		{"\x03" "la", 3},		      /* label past the end */
		{"\x40" "x\x00", 3},		      /* reserved label type */
		{"\x80" "x\x00", 3},
		{"\xc0", 1},			      /* half a pointer */
		{"\x00", 1},			      /* the root alone */
		{"\x05" "a b;c\x00", 7},	      /* shell text */
		{"\x01" "a\x00\xc0\x03", 5},	      /* second name points at itself */
		{"\x01" "a\xc0\x00", 4},	      /* a.a.a ... */
	};
	char text[ADDRESS_SEARCH_MAX + 1];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ uint8_t *exact = malloc(rows[i].len);

		memcpy(exact, rows[i].bytes, rows[i].len);
		if (search_of(exact, rows[i].len, text) != -EINVAL)
			check_fail(__FILE__, __LINE__, "row %zu gave \"%s\"", i, text);
		CHECK_STR(text, "");
	}
}

TEST(search_domains_fill_up)
{
	uint8_t value[1000];
	char text[ADDRESS_SEARCH_MAX + 1];
	size_t len = 0;

	for (int i = 0; i < 10; i++) {
		value[len++] = 63;
		memset(value + len, 'a' + i, 63);
		len += 63;
		value[len++] = 0;
	}
	CHECK_INT(search_of(value, len, text), 0);
	CHECK_INT(strlen(text), 8 * 64 - 1); /* eight fit to the last byte, none is cut */
	/* a name of more than 253 */
	for (len = 0; len < 5 * 64; len += 64) {
		value[len] = 63;
		memset(value + len + 1, 'x', 63);
	}
	value[len++] = 0;
	CHECK_INT(search_of(value, len, text), -EINVAL);
}

/* --- what the parser process sends is not trusted --- */

TEST(insane_replies_are_seen)
{
	struct dhcp_reply good, r;
	struct msg m;

	msg_offer(&m, DHCP_OFFER, XID, 0x0a000005, 0x0a000001);
	good = parse(&m);
#define INSANE(change)                              \
	do {                                        \
		r = good;                           \
		change;                             \
		if (dhcp_reply_sane(&r))            \
			check_fail(__FILE__, __LINE__, #change); \
	} while (0)
	INSANE(r.n_dns = ADDRESS_LIST_MAX + 1);
	INSANE(r.n_ntp = UINT32_MAX);
	INSANE(r.n_routers = 5);
	INSANE(r.n_routes = ADDRESS_ROUTES_MAX + 1);
	INSANE((r.n_routes = 1, r.routes[0].prefix = 33));
	INSANE(r.prefix = 33);
	INSANE(r.type = DHCP_TYPE_MAX);
	INSANE(r.defect = DHCP_DEFECT_MAX);
	INSANE(r.wire_defect = WIRE_DEFECT_MAX);
	INSANE(r.dropped = 1u << FIELD_MAX);
	INSANE(r.partly = 1u << FIELD_MAX);
	INSANE(r.client_id_len = ADDRESS_CLIENT_ID_MAX + 1);
	INSANE(memset(r.hostname, 'a', sizeof(r.hostname)));
	INSANE(memcpy(r.hostname, "a b", 4));
	INSANE(memcpy(r.root_path, "$(x)", 5));
	INSANE(memset(r.search, 'a', sizeof(r.search)));
	INSANE(memset(r.boot_file, 'a', sizeof(r.boot_file)));
}

TEST(hosts_of_a_subnet)
{
	static const struct {
		uint32_t a;
		unsigned prefix;
		bool want;
	} rows[] = {{0x0a000000, 24, false}, {0x0a0000ff, 24, false}, {0x0a000001, 24, true},
		{0x0a0000ff, 23, true}, {0x0a000000, 31, true}, {0x0a000000, 32, true},
		{0x0a000003, 30, false}, {0x7f000001, 32, false}, {0x0affffff, 8, false},
		{0x80000000, 1, false}, {0x0a000001, 0, true}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_INT(inet4_is_host_of((struct in_addr){htonl(rows[i].a)}, rows[i].prefix),
			rows[i].want);
}

/* A URL is one as the fetcher reads it; everything else keeps to the alphabet of paths. */
TEST(boot_files_and_root_paths)
{
	static const struct {
		const char *text;
		bool want;
	} rows[] = {
		{"http://boot.hpc.example/ipxe?uuid=4c4c&role=cn", true},
		{"https://boot.hpc.example:8443/a/b;v=1/~site/x!$'()*+,;=@.efi#part", true},
		{"http://[2001:db8::1]/x%20y?q=%2Fetc", true},
		{"live:http://10.0.0.1/root.squashfs?cn", true},
		{"10.0.0.1:/export/root,vers=4.2", true},
		{"tftp://10.0.0.1/x", true},
		{"http://x/`reboot`", false},
		{"http://x/a b", false},
		{"http://x/\"q\"", false},
		{"http://x/a|b", false},
		{"http://x/<y>", false},
		{"http://x/%0a%2", false},
		{"http://x/a?%1b", false},
		{"http://x/a?%7F", false},
		{"http://x/a?%zz", false},
		{"http://user@x/a?b", false},
		{"http:///a?b", false},
		{"http://x:0/a?b", false},
		{"file:///etc/passwd?x", false},
		{"/export/$(reboot)", false},
		{"a?b", false},
		{"~root", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (text_valid(TEXT_BOOT, rows[i].text) != rows[i].want)
			check_fail(__FILE__, __LINE__, "%s", rows[i].text);
}

TEST(names_as_long_as_they_may_be)
{
	char name[300];
	struct dhcp_reply r;
	struct msg m;

	memset(name, 'a', sizeof(name));
	name[63] = 0;
	msg_begin(&m, DHCP_OFFER, 77, 0x0a000005);
	msg_text(&m, 12, name);
	msg_end(&m);
	dhcp_parse(&r, m.bytes, m.len, true);
	CHECK(dhcp_reply_sane(&r));
	CHECK_INT(strlen(r.hostname), 63);
	name[63] = 'a';
	name[64] = 0;
	msg_begin(&m, DHCP_OFFER, 77, 0x0a000005);
	msg_text(&m, 12, name); /* one label of 64 */
	msg_end(&m);
	dhcp_parse(&r, m.bytes, m.len, true);
	CHECK(dhcp_reply_sane(&r));
	CHECK_STR(r.hostname, "");
}
