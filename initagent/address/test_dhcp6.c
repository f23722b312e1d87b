// SPDX-License-Identifier: GPL-2.0-or-later
/* The DHCPv6 client's state machine, with answers as bytes and time as a number. */
#include "check.h"
#include "dhcp6client.h"

TEST(four_messages)
{
	uint64_t now;
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_bound(&now);
	const struct dhcp6_lease *l = dhcp6_lease(d);

	CHECK(l && !dhcp6_listens(d));
	CHECK_INT(l->life.renew - now, 1800 * SEC);	/* half of preferred */
	CHECK_INT(l->life.rebind - now, 2880 * SEC); /* four fifths */
	CHECK_INT(l->life.expires - now, 7200 * SEC);
	CHECK_INT(dhcp6_deadline(d), l->life.renew);
}

TEST(two_messages_with_rapid_commit)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	struct dhcp6_packet p;
	struct msg6 m;
	size_t len;

	dhcp6_start(d, START);
	p = client6_sent(d, DHCP6_SOLICIT);
	CHECK(msg6_find(p.bytes + 4, p.len - 4, 14, &len));
	/* a REPLY that does not say so is no answer to a SOLICIT */
	client6_answer(d, DHCP6_REPLY, 1, US, 3600, 7200, START);
	CHECK(!dhcp6_lease(d));
	client6_begin(d, &m, DHCP6_REPLY, 1);
	msg6_option(&m, 14, "", 0);
	msg6_ia(&m, IAID, US, UINT32_MAX, UINT32_MAX);
	client6_give(d, &m, START);
	client6_event(d, DHCP_EVENT_LEASE);
	CHECK_INT(dhcp6_lease(d)->life.expires, NSEC_NEVER);
	CHECK_INT(dhcp6_deadline(d), NSEC_NEVER);
}

TEST(the_preferred_server_is_asked)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	static const uint8_t preference[] = {0, 10, 5};
	struct dhcp6_packet p;
	const uint8_t *value;
	struct msg6 m;
	size_t len;

	dhcp6_start(d, START);
	client6_sent(d, DHCP6_SOLICIT);
	for (uint8_t server = 0; server < 3; server++) {
		client6_begin(d, &m, DHCP6_ADVERTISE, server);
		msg6_option(&m, 7, &preference[server], 1);
		msg6_ia(&m, IAID, US, 3600, 7200);
		client6_give(d, &m, START);
	}
	client6_run(d, START, 100 * NSEC_PER_MSEC, 300 * NSEC_PER_MSEC);
	p = client6_sent(d, DHCP6_REQUEST);
	value = msg6_find(p.bytes + 4, p.len - 4, 2, &len);
	CHECK(value && len == 4 && value[3] == 1);
}

TEST(preference_255_ends_the_search)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	struct msg6 m;

	dhcp6_start(d, START);
	client6_sent(d, DHCP6_SOLICIT);
	client6_begin(d, &m, DHCP6_ADVERTISE, 1);
	msg6_option(&m, 7, "\xff", 1);
	msg6_ia(&m, IAID, US, 3600, 7200);
	client6_give(d, &m, START);
	client6_sent(d, DHCP6_REQUEST);
}

/* RFC 8415 section 15: 1 s, then doubled, with a tenth of jitter; ours ends at 30 s. */
TEST(solicit_is_repeated)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	static const unsigned waits[] = {1, 2, 4, 8, 16, 30, 30, 30};
	uint32_t xid;
	uint64_t now = START;

	dhcp6_start(d, now);
	client6_sent(d, DHCP6_SOLICIT);
	xid = dhcp6_xid(d);
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		/* jitter adds up: each wait doubles the one before, tenth and all */
		now = client6_run(d, now, waits[i] * SEC / 2, waits[i] * SEC * 3 / 2);
		client6_sent(d, DHCP6_SOLICIT);
		client6_event(d, DHCP_EVENT_SILENCE);
		CHECK_INT(dhcp6_xid(d), xid);
	}
}

TEST(elapsed_time_and_a_fresh_transaction)
{
	uint64_t now;
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false), *e = client6_bound(&now);
	struct dhcp6_packet p;
	const uint8_t *value;
	size_t len;

	dhcp6_start(d, START);
	p = client6_sent(d, DHCP6_SOLICIT);
	value = msg6_find(p.bytes + 4, p.len - 4, 8, &len);
	CHECK(value && value[0] == 0 && value[1] == 0);
	now = client6_run(d, START, SEC, 2 * SEC);
	p = client6_sent(d, DHCP6_SOLICIT);
	value = msg6_find(p.bytes + 4, p.len - 4, 8, &len);
	CHECK(value && (value[0] << 8 | value[1]) >= 100);
	dhcp6_tick(e, dhcp6_lease(e)->life.renew);
	p = client6_sent(e, DHCP6_RENEW);
	value = msg6_find(p.bytes + 4, p.len - 4, 8, &len);
	CHECK(value && value[0] == 0 && value[1] == 0);
}

/* What is not ours is passed over in silence; what is, but makes no sense, is told. */
TEST(strangers_and_wrecks)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	static const uint8_t other[] = {0, 3, 0, 1, 2, 0, 0, 0, 0, 6};
	struct msg6 m;

	dhcp6_start(d, START);
	client6_sent(d, DHCP6_SOLICIT);
	client6_begin(d, &m, DHCP6_ADVERTISE, 1);
	m.bytes[3] ^= 1; /* another transaction */
	msg6_ia(&m, IAID, US, 3600, 7200);
	client6_give(d, &m, START);
	msg6_begin(&m, DHCP6_ADVERTISE, dhcp6_xid(d));
	msg6_option(&m, 1, other, sizeof(other)); /* another client */
	msg6_option(&m, 2, "\0\2\0\1", 4);
	msg6_ia(&m, IAID, US, 3600, 7200);
	client6_give(d, &m, START);
	client6_no_event(d);
	msg6_begin(&m, DHCP6_ADVERTISE, dhcp6_xid(d));
	msg6_option(&m, 1, client6_id, sizeof(client6_id));
	client6_give(d, &m, START);
	client6_event(d, DHCP_EVENT_BAD_REPLY); /* no server */
	m.len--;
	client6_give(d, &m, START);
	client6_event(d, DHCP_EVENT_BAD_REPLY); /* cut */
	client6_begin(d, &m, DHCP6_ADVERTISE, 1);
	msg6_ia(&m, IAID + 1, US, 3600, 7200); /* another association */
	client6_give(d, &m, START);
	client6_event(d, DHCP_EVENT_BAD_REPLY);
	CHECK(dhcp6_deadline(d) >= START + SEC);
}

TEST(refusals)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	struct dhcp_event ev;
	uint64_t now = START;

	dhcp6_start(d, now);
	client6_sent(d, DHCP6_SOLICIT);
	client6_answer_status(d, DHCP6_ADVERTISE, 1, DHCP6_NO_ADDRS_AVAIL, now);
	CHECK(dhcp6_pop_event(d, &ev));
	CHECK_INT(ev.type, DHCP_EVENT_REFUSED);
	CHECK_INT(ev.status, DHCP6_NO_ADDRS_AVAIL);
	client6_answer(d, DHCP6_ADVERTISE, 2, US, 3600, 7200, now); /* another server has one */
	now = client6_run(d, now, 0, SEC);
	client6_sent(d, DHCP6_REQUEST);
	client6_answer_status(d, DHCP6_REPLY, 2, DHCP6_NOT_ON_LINK, now);
	client6_event(d, DHCP_EVENT_REFUSED);
	now = client6_run(d, now, SEC, 3 * SEC);
	client6_sent(d, DHCP6_SOLICIT);
}

TEST(a_request_without_answer_ends)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	uint64_t now = START;

	dhcp6_start(d, now);
	client6_sent(d, DHCP6_SOLICIT);
	client6_answer(d, DHCP6_ADVERTISE, 1, US, 3600, 7200, now);
	now = client6_run(d, now, 0, SEC);
	for (int n = 0; n < 5; n++) {
		client6_sent(d, DHCP6_REQUEST);
		now = client6_run(d, now, SEC / 2, 24 * SEC);
	}
	client6_sent(d, DHCP6_SOLICIT);
	CHECK(now - START < 60 * SEC);
}

TEST(renewed_then_rebound_then_expired)
{
	uint64_t now;
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_bound(&now);
	struct dhcp6_packet p;
	const uint8_t *value;
	uint64_t expires;
	size_t len;

	now = client6_run(d, now, 1800 * SEC, 1800 * SEC);
	p = client6_sent(d, DHCP6_RENEW);
	value = msg6_find(p.bytes + 4, p.len - 4, 3, &len);
	CHECK(value && len == 40); /* with the address */
	CHECK(msg6_find(p.bytes + 4, p.len - 4, 2, &len));
	client6_answer(d, DHCP6_REPLY, 1, US, 3600, 7200, now);
	client6_event(d, DHCP_EVENT_RENEWED);
	expires = dhcp6_lease(d)->life.expires;
	CHECK_INT(expires, now + 7200 * SEC);
	now = client6_run(d, now, 1800 * SEC, 1800 * SEC);
	client6_sent(d, DHCP6_RENEW);
	do {
		now = client6_run(d, now, 0, 1200 * SEC);
		CHECK(dhcp6_pop_packet(d, &p));
	} while (p.bytes[0] == DHCP6_RENEW);
	CHECK_INT(p.bytes[0], DHCP6_REBIND);
	CHECK(!msg6_find(p.bytes + 4, p.len - 4, 2, &len)); /* to any server */
	CHECK_INT(now, dhcp6_lease(d)->life.rebind);
	while (dhcp6_lease(d)) {
		now = dhcp6_deadline(d);
		CHECK(now <= expires);
		dhcp6_tick(d, now);
	}
	CHECK_INT(now, expires);
	client6_event(d, DHCP_EVENT_EXPIRED);
	client6_sent(d, DHCP6_SOLICIT);
}

TEST(renewing_ends_in_another_address_or_none)
{
	uint64_t now;
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_bound(&now);

	now = client6_run(d, now, 1800 * SEC, 1800 * SEC);
	client6_sent(d, DHCP6_RENEW);
	client6_answer_status(d, DHCP6_REPLY, 1, DHCP6_UNSPEC_FAIL, now);
	CHECK(dhcp6_lease(d)); /* still counts */
	client6_no_event(d);
	client6_answer(d, DHCP6_REPLY, 1, OTHER, 3600, 7200, now);
	client6_event(d, DHCP_EVENT_LEASE);
	now = client6_run(d, now, 1800 * SEC, 1800 * SEC);
	client6_sent(d, DHCP6_RENEW);
	client6_answer_status(d, DHCP6_REPLY, 1, DHCP6_NOT_ON_LINK, now);
	client6_event(d, DHCP_EVENT_REFUSED);
	CHECK(!dhcp6_lease(d));
	client6_sent(d, DHCP6_SOLICIT);
}

TEST(carrier_lost_and_back)
{
	uint64_t now;
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_bound(&now);

	dhcp6_stop(d, now);
	CHECK(!dhcp6_listens(d));
	CHECK_INT(dhcp6_deadline(d), dhcp6_lease(d)->life.expires);
	dhcp6_start(d, now + SEC);
	client6_sent(d, DHCP6_CONFIRM);
	client6_answer_status(d, DHCP6_REPLY, 1, DHCP6_SUCCESS, now + SEC);
	CHECK(dhcp6_lease(d) && !dhcp6_listens(d));
	dhcp6_stop(d, now);
	dhcp6_start(d, now + 2 * SEC);
	client6_sent(d, DHCP6_CONFIRM);
	client6_answer_status(d, DHCP6_REPLY, 1, DHCP6_NOT_ON_LINK, now + 2 * SEC);
	client6_event(d, DHCP_EVENT_REFUSED);
	CHECK(!dhcp6_lease(d));
	client6_sent(d, DHCP6_SOLICIT);
}

/* No answer to CONFIRM: the lease counts on; after its end nothing does. */
TEST(confirm_in_silence)
{
	uint64_t now, end;
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_bound(&now);

	end = dhcp6_lease(d)->life.expires;
	dhcp6_stop(d, now);
	dhcp6_start(d, now + SEC);
	now += SEC;
	for (int n = 0; n < 3; n++) {
		client6_sent(d, DHCP6_CONFIRM);
		now = client6_run(d, now, SEC / 2, 6 * SEC);
	}
	CHECK(dhcp6_lease(d) && !dhcp6_listens(d));
	dhcp6_stop(d, now);
	dhcp6_tick(d, end);
	CHECK(!dhcp6_lease(d));
	CHECK_INT(dhcp6_deadline(d), NSEC_NEVER);
	dhcp6_start(d, end + SEC);
	client6_sent(d, DHCP6_SOLICIT);
}

TEST(declined)
{
	uint64_t now;
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_bound(&now);
	struct dhcp6_packet p;
	size_t len;

	dhcp6_decline(d, now);
	p = client6_sent(d, DHCP6_DECLINE);
	CHECK(msg6_find(p.bytes + 4, p.len - 4, 2, &len) &&
		msg6_find(p.bytes + 4, p.len - 4, 3, &len));
	CHECK_INT(len, 40);
	CHECK(!dhcp6_lease(d));
	client6_answer_status(d, DHCP6_REPLY, 1, DHCP6_SUCCESS, now);
	now = client6_run(d, now, 10 * SEC, 10 * SEC);
	client6_sent(d, DHCP6_SOLICIT);
}

TEST(adopted)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	uint64_t now;
	_cleanup_(dhcp6_freep) struct dhcp6 *from = client6_bound(&now);

	dhcp6_adopt(d, dhcp6_lease(from), now + SEC);
	CHECK(dhcp6_lease(d) && !dhcp6_listens(d));
	CHECK_INT(dhcp6_deadline(d), dhcp6_lease(from)->life.renew);
	client6_run(d, now, 1800 * SEC, 1800 * SEC);
	client6_sent(d, DHCP6_RENEW);
}

TEST(information_only)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(true);
	struct dhcp6_packet p;
	struct msg6 m;
	size_t len;

	dhcp6_start(d, START);
	p = client6_sent(d, DHCP6_INFORMATION_REQUEST);
	CHECK(!msg6_find(p.bytes + 4, p.len - 4, 3, &len));
	client6_begin(d, &m, DHCP6_REPLY, 1);
	msg6_open(&m, 23);
	msg6_addr(&m, "2001:db8::53");
	msg6_close(&m);
	client6_give(d, &m, START);
	client6_event(d, DHCP_EVENT_INFORMED);
	CHECK_INT(dhcp6_lease(d)->reply.n_dns, 1);
	CHECK_INT(dhcp6_deadline(d), NSEC_NEVER);
	dhcp6_stop(d, START);
	dhcp6_start(d, START + SEC);
	client6_sent(d, DHCP6_INFORMATION_REQUEST); /* of another place, maybe */
}

TEST(option_82_stretches_the_search)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	uint64_t now = START;
	struct msg6 m;

	dhcp6_start(d, now);
	client6_sent(d, DHCP6_SOLICIT);
	client6_begin(d, &m, DHCP6_ADVERTISE, 1);
	msg6_option(&m, 13, "\0\2", 2);
	msg6_option(&m, 82, "\0\0\1\x2c", 4);
	client6_give(d, &m, now);
	for (int n = 0; n < 12; n++) {
		now = client6_run(d, now, 0, 331 * SEC);
		client6_sent(d, DHCP6_SOLICIT);
	}
	CHECK(dhcp6_deadline(d) - now > 200 * SEC);
}
