// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the DHCP client makes of replies: which it takes, which it names, and what a lease's times
 * are.
 */
#include "check.h"
#include "dhcp4client.h"

TEST(bad_replies_are_named)
{
	static const struct {
		uint8_t type;
		uint32_t yiaddr, server, lease;
		const char *text;
	} rows[] = {
		{DHCP_OFFER, ADDRESS, 0, 3600, "no server identifier"},
		{DHCP_OFFER, 0, SERVER, 3600, "no usable address in it: 0.0.0.0"},
		{DHCP_OFFER, 0x7f000001, SERVER, 3600, "no usable address in it: 127.0.0.1"},
		{DHCP_OFFER, 0xe0000001, SERVER, 3600, "no usable address in it: 224.0.0.1"},
		{DHCP_OFFER, 0xffffffff, SERVER, 3600, "no usable address in it: 255.255.255.255"},
		{DHCP_ACK, ADDRESS + 1, SERVER, 3600,
			"ACK for an address that was not requested"},
		{DHCP_ACK, ADDRESS, SERVER, 0, "its lease time is 0 s"},
		{DHCP_OFFER, ADDRESS, SERVER, 0, "its lease time is 0 s"},
		{DHCP_ACK, ADDRESS, 0, 3600, "no server identifier"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
		struct msg m;

		dhcp4_start(d, 0);
		client_sent(d, DHCP_DISCOVER);
		if (rows[i].type == DHCP_ACK) {
			client_reply(d, DHCP_OFFER, SERVER, 0);
			client_sent(d, DHCP_REQUEST);
		}
		msg_begin(&m, rows[i].type, dhcp4_xid(d), rows[i].yiaddr);
		if (rows[i].server)
			msg_u32(&m, 54, rows[i].server);
		msg_u32(&m, 51, rows[i].lease);
		msg_end(&m);
		client_give(d, &m, 0);
		CHECK_STR(client_event(d, DHCP_EVENT_BAD_REPLY).text, rows[i].text);
		client_nothing_sent(d);
		CHECK(!dhcp4_lease(d));
	}
}

TEST(defects_are_named)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp_reply r = {.defect = DHCP_OPTION_CUT};

	dhcp4_take(d, &r, 0);
	client_no_event(d); /* nothing was asked */
	dhcp4_start(d, 0);
	dhcp4_take(d, &r, 0);
	CHECK_STR(client_event(d, DHCP_EVENT_BAD_REPLY).text,
		"an option runs past the end of its field");
}

TEST(echoed_client_id)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct msg m;

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	msg_offer(&m, DHCP_OFFER, dhcp4_xid(d), ADDRESS, SERVER);
	m.len--; /* the end option */
	msg_option(&m, 61, "\x01\x02\x00\x00\x00\x00\x06", 7);
	msg_end(&m);
	client_give(d, &m, 0);
	client_nothing_sent(d); /* it is for another client with our xid */
	m.bytes[m.len - 2] = 5;
	msg_wrap(&m);
	client_give(d, &m, 0);
	client_sent(d, DHCP_REQUEST);
}

TEST(lease_times)
{
	static const struct {
		uint32_t lease, t1, t2;
		uint64_t renew, rebind, expires;
	} rows[] = {
		{1000, 0, 0, 500, 875, 1000},
		{1000, 100, 200, 100, 200, 1000},
		{1000, 200, 100, 500, 875, 1000}, /* T1 behind T2 */
		{1000, 600, 1000, 500, 875, 1000}, /* T2 not before the end */
		{1000, 1, UINT32_MAX, 500, 875, 1000},
		{4294967294, 0, 0, 2147483647, 3758096382, 4294967294},
		{4, 0, 0, 2, 3, 4},
		{12, 2, 9, 2, 9, 12},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
		struct msg m;

		dhcp4_start(d, 0);
		client_reply(d, DHCP_OFFER, SERVER, 0);
		msg_begin(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS);
		msg_u32(&m, 54, SERVER);
		msg_u32(&m, 51, rows[i].lease);
		if (rows[i].t1)
			msg_u32(&m, 58, rows[i].t1);
		if (rows[i].t2)
			msg_u32(&m, 59, rows[i].t2);
		msg_end(&m);
		client_give(d, &m, 0);
		CHECK_INT(dhcp4_lease(d)->life.renew, rows[i].renew * SEC);
		CHECK_INT(dhcp4_lease(d)->life.rebind, rows[i].rebind * SEC);
		CHECK_INT(dhcp4_lease(d)->life.expires, rows[i].expires * SEC);
	}
}

TEST(a_lease_for_ever)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct msg m;

	dhcp4_start(d, 0);
	client_reply(d, DHCP_OFFER, SERVER, 0);
	msg_begin(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS);
	msg_u32(&m, 54, SERVER);
	msg_u32(&m, 51, UINT32_MAX);
	msg_end(&m);
	client_give(d, &m, 0);
	CHECK(dhcp4_deadline(d) == NSEC_NEVER);
	CHECK(dhcp4_lease(d)->life.expires == NSEC_NEVER);
}

TEST(no_lease_time_means_an_hour)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct msg m;

	dhcp4_start(d, 0);
	client_reply(d, DHCP_OFFER, SERVER, 0);
	msg_begin(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS);
	msg_u32(&m, 54, SERVER);
	msg_end(&m);
	client_give(d, &m, 0);
	CHECK_INT(dhcp4_lease(d)->life.expires, 3600 * SEC);
}

/* --- what no host can have ------------------------------------------------------------------ */

struct judged {
	uint32_t yiaddr, mask, server;
	const char *fault; /* NULL: none */
};

static const struct judged judged[] = {
	{ADDRESS, 0xffffff00, SERVER, NULL},
	{ADDRESS, 0xff00ff00, SERVER, "its subnet mask 255.0.255.0 is invalid"},
	{ADDRESS, 0x00ffffff, SERVER, "its subnet mask 0.255.255.255 is invalid"},
	{ADDRESS, 0xfffffffd, SERVER, "its subnet mask 255.255.255.253 is invalid"},
	{ADDRESS, 0, SERVER, "its subnet mask is empty or has a wrong length"},
	{0x0a000000, 0xffffff00, SERVER,
		"its address 10.0.0.0 is not a host address in a /24 subnet"},
	{0x0a0000ff, 0xffffff00, SERVER,
		"its address 10.0.0.255 is not a host address in a /24 subnet"},
	{0x0a0000ff, 0xfffffe00, SERVER, NULL},
	{0x0a000100, 0xfffffe00, SERVER, NULL},
	{0x0a000004, 0xfffffffc, SERVER,
		"its address 10.0.0.4 is not a host address in a /30 subnet"},
	{0x0a000004, 0xfffffffe, SERVER, NULL}, /* RFC 3021 */
	{0x0a000004, 0xffffffff, SERVER, NULL},
	{ADDRESS, 0xffffff00, 0xffffffff,
		"its server identifier 255.255.255.255 is not a host address"},
	{ADDRESS, 0xffffff00, 0x7f000001, "its server identifier 127.0.0.1 is not a host address"},
	{ADDRESS, 0xffffff00, 0xe0000001, "its server identifier 224.0.0.1 is not a host address"},
	{ADDRESS, 0xffffff00, 0x0a0000ff,
		"its server identifier 10.0.0.255 is not another host's address "
		"in the subnet (/24)"},
	{ADDRESS, 0xffffff00, 0x0a000000,
		"its server identifier 10.0.0.0 is not another host's address in the subnet (/24)"},
	{ADDRESS, 0xffffff00, ADDRESS,
		"its server identifier 10.0.0.5 is not another host's address in the subnet (/24)"},
	{ADDRESS, 0xffffff00, 0x0a0001ff, NULL}, /* of another subnet: its mask is not known */
};

static void judged_reply(struct dhcp4 *d, uint8_t type, const struct judged *j, uint64_t now)
{
	struct msg m;

	msg_begin(&m, type, dhcp4_xid(d), j->yiaddr);
	msg_u32(&m, 54, j->server);
	msg_u32(&m, 51, 3600);
	msg_u32(&m, 1, j->mask);
	msg_end(&m);
	client_give(d, &m, now);
}

/* At the OFFER already; another server's is taken at once. */
TEST(an_offer_no_host_can_have)
{
	for (size_t i = 0; i < ARRAY_SIZE(judged); i++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);

		dhcp4_start(d, 0);
		client_sent(d, DHCP_DISCOVER);
		judged_reply(d, DHCP_OFFER, &judged[i], 0);
		if (judged[i].fault) {
			CHECK_STR(client_event(d, DHCP_EVENT_BAD_REPLY).text, judged[i].fault);
			client_nothing_sent(d);
			client_reply(d, DHCP_OFFER, OTHER, 0);
		}
		client_sent(d, DHCP_REQUEST);
	}
}

/* The same in the ACK, in INIT-REBOOT and at renewal, where the lease goes on. */
TEST(an_ack_no_host_can_have)
{
	static const char *const states[] = {"requesting", "rebooting", "renewing"};

	for (size_t i = 0; i < ARRAY_SIZE(judged); i++)
		for (size_t s = 0; s < ARRAY_SIZE(states); s++) {
			_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);

			if (!judged[i].fault || judged[i].yiaddr != ADDRESS)
				continue;
			if (s > 0)
				client_bind_at(d, 0);
			if (s == 1)
				dhcp4_stop(d, 0);
			if (s < 2)
				dhcp4_start(d, 0);
			if (s == 0)
				client_reply(d, DHCP_OFFER, SERVER, 0);
			if (s == 2)
				dhcp4_tick(d, 1800 * SEC);
			client_sent(d, DHCP_REQUEST);
			CHECK_STR(dhcp4_state_name(d), states[s]);
			judged_reply(d, DHCP_ACK, &judged[i], 1800 * SEC);
			/* A possible server that was not asked has no say, whatever it sends. */
			if (s > 0 || judged[i].server == SERVER ||
				strstr(judged[i].fault, "not a host address"))
				CHECK_STR(client_event(d, DHCP_EVENT_BAD_REPLY).text,
					judged[i].fault);
			client_no_event(d);
			CHECK_STR(dhcp4_state_name(d), states[s]);
			CHECK_INT(dhcp4_lease(d) != NULL, s > 0);
		}
}

TEST(a_nak_of_no_server)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);

	client_bind_at(d, 0);
	dhcp4_tick(d, 1800 * SEC);
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_NAK, 0xffffffff, 1800 * SEC);
	CHECK_STR(client_event(d, DHCP_EVENT_BAD_REPLY).text,
		"its server identifier 255.255.255.255 is not a host address");
	CHECK(dhcp4_lease(d));
}

/* Another station's hardware address, or one of another length: not ours, and told with the
 * silence only. */
TEST(replies_for_another_station)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	static const size_t wrong[] = {MSG_CHADDR, MSG_CHADDR + 5, MSG_HEADERS + 2};
	struct dhcp_reply r;
	struct msg m;

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		msg_offer(&m, DHCP_OFFER, dhcp4_xid(d), ADDRESS, SERVER);
		memcpy(m.bytes + MSG_CHADDR, client_mac.bytes, client_mac.len);
		m.bytes[wrong[i]] ^= 4;
		msg_wrap(&m);
		dhcp_parse(&r, m.bytes, m.len, true);
		dhcp4_take(d, &r, 0);
		client_nothing_sent(d);
		client_no_event(d);
	}
	dhcp4_tick(d, dhcp4_deadline(d));
	CHECK_INT(client_event(d, DHCP_EVENT_SILENCE).strangers, 3);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, SEC);
	client_sent(d, DHCP_REQUEST);
}

/* --- silence after an offer ------------------------------------------------------------------ */

static struct dhcp_unacked unanswered(struct dhcp4 *d, uint64_t *now)
{
	client_sent(d, DHCP_REQUEST);
	*now = dhcp4_deadline(d);
	dhcp4_tick(d, *now);
	return client_event(d, DHCP_EVENT_UNACKED).unacked;
}

TEST(an_offer_that_is_not_acknowledged)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	uint64_t now = 0;

	dhcp4_start(d, now);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, now);
	for (unsigned i = 1; i <= 3; i++) {
		struct dhcp_unacked u = unanswered(d, &now);

		CHECK_INT(ntohl(u.server.v4.s_addr), SERVER);
		CHECK_INT(ntohl(u.address.v4.s_addr), ADDRESS);
		CHECK_INT(u.requests, i);
		CHECK_INT(u.rival.family, 0);
		CHECK_INT(u.over, i == 3);
	}
	client_no_event(d);
	client_sent(d, DHCP_DISCOVER);
}

TEST(another_server_acknowledges_instead)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	uint64_t now = 0;

	dhcp4_start(d, now);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, now);
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_ACK, OTHER, now);
	client_no_event(d);
	now = dhcp4_deadline(d);
	dhcp4_tick(d, now);
	CHECK_INT(ntohl(client_event(d, DHCP_EVENT_UNACKED).unacked.rival.v4.s_addr), OTHER);
}

/* A server that acknowledges what was not asked for is not one that leaves the REQUEST unanswered:
 * what is wrong with its reply has been told. */
TEST(an_ack_of_no_use_is_no_silence)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct msg m;
	uint64_t now = 0;

	dhcp4_start(d, now);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, now);
	client_sent(d, DHCP_REQUEST);
	msg_offer(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS + 1, SERVER);
	client_give(d, &m, now);
	client_event(d, DHCP_EVENT_BAD_REPLY);
	now = dhcp4_deadline(d);
	dhcp4_tick(d, now);
	client_sent(d, DHCP_REQUEST);
	client_no_event(d);
}

/* The silent one is the fastest each time: the next round is another server's, and its own if
 * there is no other. */
TEST(a_silent_server_stands_behind_others)
{
	for (int other = 0; other < 2; other++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
		struct dhcp4_packet p;
		uint64_t now = 0;

		dhcp4_start(d, now);
		client_sent(d, DHCP_DISCOVER);
		client_reply(d, DHCP_OFFER, SERVER, now);
		for (int i = 0; i < 3; i++)
			unanswered(d, &now);
		client_sent(d, DHCP_DISCOVER);
		client_reply(d, DHCP_OFFER, SERVER, now);
		client_nothing_sent(d);
		if (other)
			client_reply(d, DHCP_OFFER, OTHER, now);
		else
			dhcp4_tick(d, dhcp4_deadline(d));
		p = client_sent(d, DHCP_REQUEST);
		CHECK_INT(msg_find_u32(p.bytes, p.len, 54), other ? OTHER : SERVER);
		client_reply(d, DHCP_ACK, other ? OTHER : SERVER, now);
		client_event(d, DHCP_EVENT_LEASE);
	}
}

/* What was offered is refused, time and again: that server is the fastest each time, too. */
TEST(a_server_that_refuses_its_offers_stands_behind_others)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_packet p;
	uint64_t now = 0;

	dhcp4_start(d, now);
	for (int i = 0; i < 2; i++) {
		client_sent(d, DHCP_DISCOVER);
		client_reply(d, DHCP_OFFER, SERVER, now);
		client_sent(d, DHCP_REQUEST);
		client_reply(d, DHCP_NAK, SERVER, now);
		client_event(d, DHCP_EVENT_REFUSED);
	}
	now = dhcp4_deadline(d);
	dhcp4_tick(d, now);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, now);
	client_nothing_sent(d);
	client_reply(d, DHCP_OFFER, OTHER, now);
	p = client_sent(d, DHCP_REQUEST);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 54), OTHER);
}

/* And so does one that leases an address which is in use. */
TEST(a_server_whose_address_was_declined_stands_behind_others)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_packet p;
	uint64_t now;

	client_bind_at(d, 0);
	dhcp4_decline(d, SEC);
	client_sent(d, DHCP_DECLINE);
	now = dhcp4_deadline(d);
	dhcp4_tick(d, now);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, now);
	client_nothing_sent(d);
	client_reply(d, DHCP_OFFER, OTHER, now);
	p = client_sent(d, DHCP_REQUEST);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 54), OTHER);
}

/* --- leases of seconds ----------------------------------------------------------------------- */

/* Renewed while the server answers, at most twice a second, and not used beyond their end. */
TEST(leases_of_seconds)
{
	for (uint32_t s = 1; s < 8; s++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
		uint64_t now = 0;
		struct msg m;

		dhcp4_start(d, now);
		client_reply(d, DHCP_OFFER, SERVER, now);
		for (unsigned requests = 0; now < 10 * SEC; requests++) {
			struct dhcp4_packet p = client_sent(d, DHCP_REQUEST);

			CHECK(requests <= now / (SEC / 2));
			CHECK(requests == 0 || p.unicast);
			msg_begin(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS);
			msg_u32(&m, 54, SERVER);
			msg_u32(&m, 51, s);
			msg_end(&m);
			client_give(d, &m, now);
			CHECK_INT(dhcp4_lease(d)->life.expires, now + s * SEC);
			now = dhcp4_deadline(d);
			dhcp4_tick(d, now);
			CHECK(dhcp4_lease(d));
		}
		while (dhcp4_lease(d)) {
			now = dhcp4_deadline(d);
			CHECK(now < 20 * SEC);
			dhcp4_tick(d, now);
		}
	}
}
