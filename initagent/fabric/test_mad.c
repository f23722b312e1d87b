// SPDX-License-Identifier: GPL-2.0-or-later
/* The bytes of MADs: what is sent, what is understood, and what is not believed. */
#include "check.h"
#include "fabric/mad.h"
#include "madlab.h"

static void build(enum mad_query query, uint8_t mad[MAD_SIZE])
{
	const struct mad_request rq = {
		.query = query, .tid = 0xa1b2c3d4, .port = 2, .pkey = 0x0001};

	mad_build(&rq, mad);
}

static int parse(enum mad_query query, const void *data, size_t len, struct mad_answer *a)
{
	const struct mad_request rq = {
		.query = query, .tid = 0xa1b2c3d4, .port = 2, .pkey = 0x0001};

	return mad_parse(&rq, data, len, a);
}

/* A right answer of the lab, to be spoiled. */
static void answer(enum mad_query query, uint8_t mad[MAD_SIZE])
{
	uint8_t request[MAD_SIZE];
	struct madlab lab;

	madlab_new(&lab);
	build(query, request);
	madlab_answer(&lab, request, mad);
	madlab_free(&lab);
}

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n && !p[n - 1])
		n--;
	return n == 0;
}

TEST(directed_route_request)
{
	static const uint8_t head[] = {1, 0x81, 1, 1, 0, 0, 0 /* pointer */, 1 /* hops */, 0, 0, 0,
		0, 0xa1, 0xb2, 0xc3, 0xd4, 0, 0x11};
	uint8_t mad[MAD_SIZE];

	build(MAD_NODE_INFO, mad);
	CHECK_MEM(mad, head, sizeof(head));
	CHECK(all_zero(mad + 18, 14));
	CHECK_MEM(mad + 32, "\xff\xff\xff\xff", 4);
	/* The first hop leaves by our port; entry 0 of the path is not used. */
	CHECK(all_zero(mad + 36, 128 + 1 - 36));
	CHECK_INT(mad[129], 2);
	CHECK(all_zero(mad + 130, MAD_SIZE - 130));
}

TEST(request_to_this_port_itself)
{
	uint8_t mad[MAD_SIZE];

	build(MAD_PORT_INFO, mad);
	CHECK_INT(mad[7], 0);
	CHECK_INT(mad[17], 0x15);
	CHECK_INT(mad[23], 2);
	CHECK(all_zero(mad + 128, 128));
}

/* Port 0 of the switch that the cable ends at. */
TEST(request_to_the_neighbours_management_port)
{
	uint8_t mad[MAD_SIZE];

	build(MAD_SWITCH_PORT, mad);
	CHECK_INT(mad[7], 1);
	CHECK_INT(mad[17], 0x15);
	CHECK(all_zero(mad + 18, 6));
	CHECK_INT(mad[129], 2);
}

TEST(group_request)
{
	static const uint8_t mgid[] = {
		0xff, 0x12, 0x40, 0x1b, 0x80, 0x01, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
	uint8_t mad[MAD_SIZE];

	build(MAD_SA_GROUP, mad);
	CHECK_MEM(mad, "\x01\x03\x02\x01", 4);
	CHECK_INT(mad[17], 0x38);
	CHECK_INT(mad[24], 1);
	CHECK(all_zero(mad + 25, 30));
	CHECK_INT(mad[55], 1);
	/* The membership bit is always set in the group's address. */
	CHECK_MEM(mad + 56, mgid, sizeof(mgid));
	CHECK(all_zero(mad + 72, MAD_SIZE - 72));
}

TEST(node_info_is_read)
{
	struct mad_answer a;
	uint8_t mad[MAD_SIZE];

	answer(MAD_NODE_INFO, mad);
	CHECK_INT(parse(MAD_NODE_INFO, mad, sizeof(mad), &a), 0);
	CHECK_INT(a.status, 0);
	CHECK_INT(a.node.type, FABRIC_NODE_SWITCH);
	CHECK_INT(a.node.port, 17);
	CHECK(a.node.guid == UINT64_C(0xb8599f0300fc6de4));
}

TEST(port_sm_and_group_are_read)
{
	struct mad_answer a;
	uint8_t mad[MAD_SIZE];

	answer(MAD_PORT_INFO, mad);
	CHECK_INT(parse(MAD_PORT_INFO, mad, sizeof(mad), &a), 0);
	CHECK_INT(a.port_mtu, 2048);
	CHECK_INT(a.port_sm_lid, 1);
	answer(MAD_SM_INFO, mad);
	CHECK_INT(parse(MAD_SM_INFO, mad, sizeof(mad), &a), 0);
	CHECK(a.sm.guid == UINT64_C(0x0002c90300ef1231));
	CHECK_INT(a.sm.priority, 5);
	CHECK_INT(a.sm.role, 3);
	answer(MAD_SA_GROUP, mad);
	CHECK_INT(parse(MAD_SA_GROUP, mad, sizeof(mad), &a), 0);
	CHECK_INT(a.group.mtu, 2048);
	CHECK_INT(a.group.rate, 10000);
}

/* What a description may hold goes to consoles and into files. */
TEST(description_is_made_harmless)
{
	struct mad_answer a;
	uint8_t mad[MAD_SIZE];

	answer(MAD_NODE_DESC, mad);
	memset(mad + 64, 0, 64);
	memcpy(mad + 64, "MF0;\x1b[31mspine\n\x80\xff z  ", 20);
	CHECK_INT(parse(MAD_NODE_DESC, mad, sizeof(mad), &a), 0);
	CHECK_STR(a.desc, "MF0;?[31mspine??? z");
	/* All 64 bytes in use: no terminator on the wire. */
	memset(mad + 64, 'n', 64);
	mad[128] = 'X';
	CHECK_INT(parse(MAD_NODE_DESC, mad, sizeof(mad), &a), 0);
	CHECK_INT(strlen(a.desc), 64);
	memset(mad + 64, ' ', 64);
	CHECK_INT(parse(MAD_NODE_DESC, mad, sizeof(mad), &a), 0);
	CHECK_STR(a.desc, "");
}

TEST(every_length_is_safe)
{
	for (int query = 0; query < MAD_QUERY_MAX; query++) {
		struct mad_answer a;
		uint8_t mad[MAD_SIZE];

		answer((enum mad_query)query, mad);
		for (size_t len = 0; len <= MAD_SIZE; len++) {
			/* An exact copy, so that a read past it is seen. */
			uint8_t *copy = malloc(len ? len : 1);
			int r;

			memcpy(copy, mad, len);
			r = parse((enum mad_query)query, copy, len, &a);
			CHECK(r == 0 || r == -EBADMSG);
			CHECK(r < 0 || len >= 56);
			free(copy);
		}
	}
}

TEST(answers_to_others_are_left_alone)
{
	static const struct {
		size_t at;
		uint8_t value;
		int result;
	} rows[] = {
		{0, 2, -EBADMSG},    /* base version */
		{1, 0x01, -ENOMSG},  /* class */
		{3, 0x01, -ENOMSG},  /* a request, not an answer */
		{3, 0x05, -ENOMSG},  /* a trap */
		{15, 0xd5, -ENOMSG}, /* transaction */
		{17, 0x15, -ENOMSG}, /* attribute */
		{8, 0x99, 0},	     /* the kernel's half of the transaction ID is its own affair */
		{2, 0x42, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mad_answer a;
		uint8_t mad[MAD_SIZE];

		answer(MAD_NODE_INFO, mad);
		mad[rows[i].at] = rows[i].value;
		CHECK_INT(parse(MAD_NODE_INFO, mad, sizeof(mad), &a), rows[i].result);
	}
}

/* ret is written on success only, and numbers outside their tables are no answer or no value. */
TEST(values_that_cannot_be)
{
	struct mad_answer a = {.status = 0x77};
	uint8_t mad[MAD_SIZE];

	answer(MAD_NODE_INFO, mad);
	mad[66] = 0;
	CHECK_INT(parse(MAD_NODE_INFO, mad, sizeof(mad), &a), -EBADMSG);
	mad[66] = 4;
	CHECK_INT(parse(MAD_NODE_INFO, mad, sizeof(mad), &a), -EBADMSG);
	CHECK_INT(a.status, 0x77);
	answer(MAD_PORT_INFO, mad);
	mad[64 + 36] = 0xf0;
	CHECK_INT(parse(MAD_PORT_INFO, mad, sizeof(mad), &a), 0);
	CHECK_INT(a.port_mtu, 0);
	answer(MAD_SA_GROUP, mad);
	mad[56 + 38] = 0xbf;
	mad[56 + 42] = 0xbf;
	CHECK_INT(parse(MAD_SA_GROUP, mad, sizeof(mad), &a), 0);
	CHECK_INT(a.group.mtu, 0);
	CHECK_INT(a.group.rate, 0);
}

TEST(statuses)
{
	struct mad_answer a;
	uint8_t mad[MAD_SIZE];

	/* The direction bit is no error. */
	answer(MAD_NODE_INFO, mad);
	CHECK_INT(mad[4], 0x80);
	CHECK_INT(parse(MAD_NODE_INFO, mad, sizeof(mad), &a), 0);
	CHECK_INT(a.status, 0);
	answer(MAD_SA_GROUP, mad);
	mad[4] = 0x03;
	CHECK_INT(parse(MAD_SA_GROUP, mad, sizeof(mad), &a), 0);
	CHECK_INT(a.status, 0x0300);
	CHECK_INT(a.group.mtu, 0);
	CHECK(mad_no_records(0x0300));
	CHECK(!mad_no_records(0x0000));
	CHECK(!mad_no_records(0x0400));
	CHECK(!mad_no_records(0x031c));
	CHECK(mad_is_busy(0x0001));
	CHECK(!mad_is_busy(0x0300));
	CHECK(!mad_is_busy(0x001d));
}
