// SPDX-License-Identifier: GPL-2.0-or-later
/* Rapid Commit (RFC 4039): a lease in two messages, where the server has it and nothing speaks
 * against it. */
#include "check.h"
#include "dhcp4client.h"

static void rapid_ack(struct dhcp4 *d, uint32_t address, uint32_t mask, uint32_t server,
	uint64_t now)
{
	struct msg m;

	msg_begin(&m, DHCP_ACK, dhcp4_xid(d), address);
	if (server)
		msg_u32(&m, 54, server);
	msg_u32(&m, 51, 3600);
	msg_u32(&m, 1, mask);
	msg_option(&m, 80, "", 0);
	msg_end(&m);
	client_give(d, &m, now);
}

static bool asks(const struct dhcp4_packet *p)
{
	size_t len = 1;
	bool there = msg_find(p->bytes, p->len, 80, &len);

	CHECK(!there || len == 0);
	return there;
}

TEST(a_lease_in_two_messages)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_packet p;

	dhcp4_start(d, 0);
	p = client_sent(d, DHCP_DISCOVER);
	CHECK(asks(&p));
	rapid_ack(d, ADDRESS, 0xffffff00, SERVER, SEC / 5);
	client_event(d, DHCP_EVENT_LEASE);
	client_no_event(d);
	client_nothing_sent(d);
	CHECK_STR(dhcp4_state_name(d), "bound");
	CHECK_INT(dhcp4_lease(d)->life.obtained, 0); /* from the DISCOVER on */
	CHECK_INT(dhcp4_deadline(d), 1800 * SEC);
	/* Neither a duplicate nor another server's matters any more. */
	rapid_ack(d, ADDRESS, 0xffffff00, SERVER, SEC);
	rapid_ack(d, ADDRESS + 1, 0xffffff00, OTHER, SEC);
	client_no_event(d);
	dhcp4_tick(d, 1800 * SEC);
	p = client_sent(d, DHCP_REQUEST);
	CHECK(!asks(&p));
	CHECK_INT(ntohl(p.dest.s_addr), SERVER);
}

TEST(a_renewal_of_it_is_the_same_lease)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct msg m;

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	rapid_ack(d, ADDRESS, 0xffffff00, SERVER, 0);
	client_event(d, DHCP_EVENT_LEASE);
	dhcp4_tick(d, 1800 * SEC);
	client_sent(d, DHCP_REQUEST);
	msg_begin(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS);
	msg_u32(&m, 54, SERVER);
	msg_u32(&m, 51, 3600);
	msg_u32(&m, 1, 0xffffff00);
	msg_end(&m);
	client_give(d, &m, 1800 * SEC);
	client_event(d, DHCP_EVENT_RENEWED);
}

TEST(an_offer_is_as_good)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_packet p;

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_ACK, SERVER, 0); /* without the option: an answer to no REQUEST */
	client_no_event(d);
	client_nothing_sent(d);
	client_reply(d, DHCP_OFFER, SERVER, 0);
	p = client_sent(d, DHCP_REQUEST);
	CHECK(!asks(&p));
	/* A server that committed meanwhile was not asked, and is no rival. */
	rapid_ack(d, ADDRESS, 0xffffff00, OTHER, 0);
	client_no_event(d);
	dhcp4_tick(d, dhcp4_deadline(d));
	CHECK_INT(client_event(d, DHCP_EVENT_UNACKED).unacked.rival.family, 0);
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_ACK, SERVER, 0);
	client_event(d, DHCP_EVENT_LEASE);
}

/* The option has no content (RFC 4039 section 4); what has one is another thing. */
TEST(an_option_with_content)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct msg m;

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	msg_offer(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS, SERVER);
	m.len--; /* the end option */
	msg_option(&m, 80, "\1", 1);
	msg_end(&m);
	client_give(d, &m, 0);
	client_no_event(d);
	CHECK_STR(dhcp4_state_name(d), "selecting");
}

/* As strictly as an OFFER; the next server's answer still counts. */
TEST(an_impossible_one)
{
	static const struct {
		uint32_t address, mask, server;
		const char *text;
	} rows[] = {
		{ADDRESS, 0xffffff00, 0, "no server identifier"},
		{ADDRESS, 0xffffff00, 0xffffffff,
			"its server identifier 255.255.255.255 is not a host address"},
		{0, 0xffffff00, SERVER, "no usable address in it: 0.0.0.0"},
		{0xe0000001, 0xffffff00, SERVER, "no usable address in it: 224.0.0.1"},
		{ADDRESS, 0xff00ff00, SERVER, "its subnet mask 255.0.255.0 is invalid"},
		{0x0a0000ff, 0xffffff00, SERVER,
			"its address 10.0.0.255 is not a host address in a /24 subnet"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);

		dhcp4_start(d, 0);
		client_sent(d, DHCP_DISCOVER);
		rapid_ack(d, rows[i].address, rows[i].mask, rows[i].server, 0);
		CHECK_STR(client_event(d, DHCP_EVENT_BAD_REPLY).text, rows[i].text);
		CHECK(!dhcp4_lease(d));
		rapid_ack(d, ADDRESS, 0xffffff00, OTHER, 0);
		client_event(d, DHCP_EVENT_LEASE);
	}
}

TEST(one_in_use_is_declined_to_its_server)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_packet p;

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	rapid_ack(d, ADDRESS, 0xffffff00, SERVER, 0);
	dhcp4_decline(d, SEC);
	p = client_sent(d, DHCP_DECLINE);
	CHECK(!asks(&p));
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 54), SERVER);
	dhcp4_tick(d, dhcp4_deadline(d));
	p = client_sent(d, DHCP_DISCOVER);
	CHECK(asks(&p));
}

/* Some networks lose requests with options they do not know: the fourth is a plain one. An ACK to
 * one of those before still counts. */
TEST(not_asked_for_ever)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);

	dhcp4_start(d, 0);
	for (int i = 0; i < 5; i++) {
		struct dhcp4_packet p = client_sent(d, DHCP_DISCOVER);

		CHECK_INT(asks(&p), i < 3);
		dhcp4_tick(d, dhcp4_deadline(d));
		client_event(d, DHCP_EVENT_SILENCE);
	}
	client_sent(d, DHCP_DISCOVER);
	rapid_ack(d, ADDRESS, 0xffffff00, SERVER, 20 * SEC);
	client_event(d, DHCP_EVENT_LEASE);
}

/* With a list of servers there are others, which would commit an address that is not taken. */
TEST(not_with_a_list_of_servers)
{
	struct in_addr allowed = {htonl(SERVER)};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(&allowed, 1);
	struct dhcp4_packet p;

	dhcp4_start(d, 0);
	p = client_sent(d, DHCP_DISCOVER);
	CHECK(!asks(&p));
	rapid_ack(d, ADDRESS, 0xffffff00, SERVER, 0);
	client_no_event(d);
	client_reply(d, DHCP_OFFER, SERVER, 0);
	client_sent(d, DHCP_REQUEST);
}

/* Nor with a later form of client identifier: its offer waits for the preferred form's. */
TEST(only_with_the_preferred_form)
{
	static const struct link_hw hw = {.len = 20, .bytes = {
		0x80, 0, 1, 2, 0xfe, 0x80, [12] = 0xb8, 0xce, 0xf6, 3, 0, 0x31, 0x33, 0x3e}};
	struct dhcp4_config cfg = {.n_ids = 4};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = NULL;
	struct dhcp4_packet p;

	CHECK_INT(dhcp_identity_make(&cfg.identity, 32, &hw, NULL, 0), 0);
	CHECK_INT(client_id_list(cfg.ids, PLAN_CLIENTID_AUTO, &hw, NULL), 4);
	CHECK_INT(dhcp4_new(&d, &cfg), 0);
	dhcp4_start(d, 0);
	for (int i = 0; i < 5; i++) {
		p = client_sent(d, DHCP_DISCOVER);
		CHECK_INT(p.bytes[MSG_HEADERS + 10], 0x80); /* RFC 4390: broadcast */
		CHECK_INT(asks(&p), i < 3);
		dhcp4_tick(d, dhcp4_deadline(d));
	}
	client_sent(d, DHCP_DISCOVER);
	while (dhcp4_pop_event(d, &(struct dhcp_event){0}))
		;
	rapid_ack(d, ADDRESS, 0xffffff00, SERVER, 30 * SEC);
	CHECK(!dhcp4_lease(d));
	client_no_event(d);
	/* Its offer is taken when the preferred one has had its turn; then it is on its own. */
	client_reply(d, DHCP_OFFER, SERVER, 30 * SEC);
	client_sent(d, DHCP_DISCOVER);
	dhcp4_tick(d, dhcp4_deadline(d));
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, 40 * SEC);
	for (int i = 0; i < 3; i++) {
		client_sent(d, DHCP_REQUEST);
		dhcp4_tick(d, dhcp4_deadline(d));
	}
	p = client_sent(d, DHCP_DISCOVER);
	CHECK(!asks(&p));
}
