// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What DHCP clients of others have been broken with, against ours: whole sweeps instead of the one
 * packet of the report. tests/bugclasses lists all of them and where each is tested.
 */
#include "check.h"
#include "dhcpmsg.h"

#include <sys/stat.h>

#include "address/dhcp4.h"
#include "address/lease_file.h"
#include "address/result.h"

#define XID 0x12345678u
#define ME  0x0a000005
#define SEC NSEC_PER_SEC

static const struct netdev dev = {.ifindex = 3,
	.name = "ib0",
	.hwtype = 32,
	.hw = {.len = 20, .bytes = {[12] = 0xb8, 0xce, 0xf6, 3, 0, 0x31, 0x33, 0x3e}},
	.mtu = 2044};

/* Everything the parser reads. */
static const uint8_t codes[] = {
	1, 3, 6, 12, 15, 17, 26, 28, 33, 42, 51, 52, 53, 54, 58, 59, 61, 66, 67, 119, 121};

/* Whatever the bytes are, the parser ends, and its answer passes the check it is put to. */
static struct dhcp_reply parse(const struct msg *m)
{
	struct dhcp_reply r;

	dhcp_parse(&r, m->bytes, m->len, true);
	CHECK(dhcp_reply_sane(&r));
	return r;
}

/* Lengths from 0 to 255 for every option, alone and after a good one of the same code. */
TEST(every_option_in_every_length)
{
	uint8_t value[255];

	for (size_t i = 0; i < sizeof(value); i++)
		value[i] = (uint8_t)(i * 37);
	for (size_t c = 0; c < ARRAY_SIZE(codes); c++)
		for (size_t len = 0; len <= sizeof(value); len++) {
			struct msg m;

			msg_begin(&m, DHCP_OFFER, XID, ME);
			msg_option(&m, codes[c], value, len);
			msg_end(&m);
			parse(&m);
			msg_begin(&m, DHCP_OFFER, XID, ME);
			msg_option(&m, codes[c], "\xff\xff\xff\x00", 4);
			msg_option(&m, codes[c], value, len);
			msg_end(&m);
			parse(&m);
		}
}

/* An option that claims more than its field has, as the last thing in each of the three fields. */
TEST(no_option_reaches_past_its_field)
{
	static const struct {
		size_t at, size;
	} fields[] = {{MSG_FILE, 128}, {MSG_SNAME, 64}};

	for (size_t c = 0; c < ARRAY_SIZE(codes); c++)
		for (size_t f = 0; f < ARRAY_SIZE(fields); f++)
			for (size_t gap = 1; gap < 8; gap++) {
				struct dhcp_reply r;
				struct msg m;

				msg_begin(&m, DHCP_OFFER, XID, ME);
				msg_option(&m, 52, "\3", 1);
				msg_end(&m);
				m.bytes[fields[f].at + fields[f].size - gap] = codes[c];
				if (gap > 1)
					m.bytes[fields[f].at + fields[f].size - gap + 1] =
						(uint8_t)(gap - 1);
				msg_wrap(&m);
				r = parse(&m);
				CHECK_INT(r.defect, codes[c] == 51 || codes[c] == 53 ||
					codes[c] == 54 ?
					DHCP_OPTION_SIZE : DHCP_GOOD);
				CHECK(r.dropped & 1 << FIELD_OVERLOADED);
				CHECK(!*r.hostname && !*r.root_path && !r.n_dns && !r.n_routes);
			}
}

/* Overload in an overloaded field, and fields that overload each other, are read once. */
TEST(overload_does_not_nest)
{
	struct dhcp_reply r;
	struct msg m;

	msg_begin(&m, DHCP_OFFER, XID, ME);
	msg_option(&m, 52, "\1", 1);
	msg_end(&m);
	memcpy(m.bytes + MSG_FILE, "\x34\x01\x02\x0c\x05node5\xff", 11);
	memcpy(m.bytes + MSG_SNAME, "\x0f\x04" "evil\xff", 7);
	msg_wrap(&m);
	r = parse(&m);
	CHECK_STR(r.hostname, "node5");
	CHECK_STR(r.domain, "");
}

/* What a shell would act on is in no field, and in none of the files made of a lease. */
TEST(no_file_of_ours_carries_shell_text)
{
	static const char *const bad[] = {"a'b", "a\"b", "a`b", "a$b", "a;b", "a|b", "a&b", "a\nb",
		"a\\b", "a>b", "a(b", "a b=c", "a\rb"};
	char text[LEASE_FILE_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct dhcp4_lease lease;
		struct address_result result;
		const struct address_config cfg = {.ifindex = 3, .method = ADDRESS_DHCP4};
		struct dhcp_identity id;
		struct dhcp_reply r;
		struct msg m;

		msg_offer(&m, DHCP_ACK, XID, ME, 0x0a000001);
		m.len--; /* the end option */
		for (size_t c = 0; c < ARRAY_SIZE(codes); c++)
			if (codes[c] == 12 || codes[c] == 15 || codes[c] == 17 || codes[c] == 66 ||
				codes[c] == 67)
				msg_text(&m, codes[c], bad[i]);
		msg_end(&m);
		memcpy(m.bytes + MSG_FILE, bad[i], strlen(bad[i]));
		memcpy(m.bytes + MSG_SNAME, bad[i], strlen(bad[i]));
		msg_wrap(&m);
		r = parse(&m);
		CHECK_INT(r.defect, DHCP_GOOD);
		dhcp4_lease_make(&lease, &r, SEC);
		CHECK_INT(dhcp_identity_make(&id, 32, &dev.hw, NULL, 0), 0);
		result_lease(&result, &cfg, &dev, &id, &lease);
		CHECK(lease_text_write(&result, &dev.hw, text) > 0);
		CHECK(!strpbrk(text, "'\"`$;|&\\><()\r"));
		CHECK(!strstr(text, bad[i]));
	}
}

/* A thousand clients that start in the same instant: no transaction twice, no bit that stands
 * still. */
TEST(transactions_cannot_be_guessed)
{
	uint32_t seen[1000], ones = 0, zeros = 0;
	struct dhcp4_config cfg = {0};

	CHECK_INT(dhcp_identity_make(&cfg.identity, 32, &dev.hw, NULL, 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = NULL;

		CHECK_INT(dhcp4_new(&d, &cfg), 0);
		dhcp4_start(d, SEC);
		seen[i] = dhcp4_xid(d);
		ones |= seen[i];
		zeros |= ~seen[i];
		for (size_t k = 0; k < i; k++)
			CHECK(seen[k] != seen[i]);
	}
	CHECK_INT(ones, UINT32_MAX);
	CHECK_INT(zeros, UINT32_MAX);
}

/* On InfiniBand every reply reaches every node: one that echoes another node's identifier is not
 * ours. */
TEST(a_neighbours_reply_is_not_ours)
{
	struct dhcp4_config cfg = {0};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = NULL;
	struct dhcp4_packet p;
	struct client_id other;
	struct link_hw neighbour = dev.hw;
	struct dhcp_reply r;
	struct msg m;

	neighbour.bytes[19]++;
	CHECK_INT(client_id_infiniband(&other, CLIENT_ID_FLEXBOOT, &neighbour, NULL), 0);
	CHECK_INT(dhcp_identity_make(&cfg.identity, 32, &dev.hw, NULL, 0), 0);
	CHECK_INT(dhcp4_new(&d, &cfg), 0);
	dhcp4_start(d, SEC);
	CHECK(dhcp4_pop_packet(d, &p));
	msg_begin(&m, DHCP_OFFER, dhcp4_xid(d), ME);
	msg_u32(&m, 54, 0x0a000001);
	msg_option(&m, 61, other.bytes, other.len);
	msg_end(&m);
	r = parse(&m);
	dhcp4_take(d, &r, SEC);
	CHECK(!dhcp4_pop_packet(d, &p));
}

/* htype 1, hlen 6 and a chaddr in a reply are a relay's or server's own idea: the transaction
 * counts. */
TEST(hardware_fields_of_a_reply_do_not_matter)
{
	struct dhcp4_config cfg = {0};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = NULL;
	struct dhcp4_packet p;
	struct dhcp_reply r;
	struct msg m;

	CHECK_INT(dhcp_identity_make(&cfg.identity, 32, &dev.hw, NULL, 0), 0);
	CHECK_INT(dhcp4_new(&d, &cfg), 0);
	dhcp4_start(d, SEC);
	CHECK(dhcp4_pop_packet(d, &p));
	msg_offer(&m, DHCP_OFFER, dhcp4_xid(d), ME, 0x0a000001);
	m.bytes[MSG_HEADERS + 1] = 1;
	m.bytes[MSG_HEADERS + 2] = 255;
	memset(m.bytes + MSG_HEADERS + 28, 0x5a, 16);
	msg_wrap(&m);
	r = parse(&m);
	dhcp4_take(d, &r, SEC);
	CHECK(dhcp4_pop_packet(d, &p)); /* the REQUEST */
}

/* A lease is bound to the port GUID: QPN, flags and subnet prefix of the saved address may
 * differ. */
TEST(a_saved_lease_is_the_ports_not_the_queue_pairs)
{
	char dir[] = "/tmp/ia-bugs-XXXXXX", path[64];
	struct env env = {.prefix = check_dir(dir)};
	struct address_result r = {.ifindex = 3, .ifname = "ib0", .method = ADDRESS_DHCP4,
		.addr = {.family = AF_INET, .v4 = {htonl(ME)}}, .prefix = 24,
		.server_id = {.family = AF_INET, .v4 = {htonl(0x0a000001)}}, .client_id = {1, 2},
		.client_id_len = 2, .lease_s = 60, .obtained = 1, .renew = 2, .rebind = 3,
		.expires = 4}, out;
	struct netdev later = dev;

	snprintf(path, sizeof(path), "%s/run", dir);
	CHECK_INT(mkdir(path, 0755), 0);
	CHECK_INT(lease_file_save(&env, &r, &dev.hw), 0);
	memset(later.hw.bytes, 0x77, 12);
	CHECK_INT(lease_file_load(&env, AF_INET, &later, &out), 0);
	later.hw.bytes[19]++;
	CHECK_INT(lease_file_load(&env, AF_INET, &later, &out), -EINVAL);
}
