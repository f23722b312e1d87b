// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Servers that refuse, fall silent, forget, take back, or answer in another's place, against the
 * DHCPv6 client.
 */
#include "check.h"
#include "dhcp6client.h"

static uint8_t asked_server(const struct dhcp6_packet *p)
{
	size_t len;
	const uint8_t *value = msg6_find(p->bytes + 4, p->len - 4, 2, &len);

	CHECK(value && len == 4);
	return value[3];
}

static void advertise(struct dhcp6 *d, uint8_t server, uint8_t preference, const char *addr,
	uint64_t now)
{
	struct msg6 m;

	client6_begin(d, &m, DHCP6_ADVERTISE, server);
	msg6_option(&m, 7, &preference, 1);
	msg6_ia(&m, IAID, addr, 3600, 7200);
	client6_give(d, &m, now);
}

/* Five REQUESTs without an answer; the last event says so. */
static uint64_t unanswered(struct dhcp6 *d, uint8_t server, uint64_t now)
{
	for (unsigned n = 1; n <= 5; n++) {
		struct dhcp6_packet p = client6_sent(d, DHCP6_REQUEST);
		struct dhcp_unacked u;

		CHECK_INT(asked_server(&p), server);
		now = client6_run(d, now, SEC / 2, 24 * SEC);
		u = client6_event(d, DHCP_EVENT_UNACKED).unacked;
		CHECK_INT(u.requests, n);
		CHECK_INT(u.over, n == 5);
		CHECK_INT(u.duid.bytes[3], server);
		CHECK_INT(u.address.v6.s6_addr[15], 0x77);
	}
	client6_no_event(d);
	return now;
}

TEST(silence_after_an_offer)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	uint64_t now = START;

	dhcp6_start(d, now);
	client6_sent(d, DHCP6_SOLICIT);
	advertise(d, 1, 0, US, now);
	now = client6_run(d, now, 0, SEC);
	now = unanswered(d, 1, now);
	client6_sent(d, DHCP6_SOLICIT);
	/* Alone, it is asked again, but others have until the next SOLICIT would be due. */
	advertise(d, 1, 255, US, now);
	now = client6_run(d, now, SEC, 2 * SEC);
	client6_sent(d, DHCP6_REQUEST);
	client6_answer(d, DHCP6_REPLY, 1, US, 3600, 7200, now);
	client6_event(d, DHCP_EVENT_LEASE);
}

/* The preferred one is silent: the other one is asked at once, and first in the next search. */
TEST(a_silent_server_stands_behind_others)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	uint64_t now = START;
	struct dhcp6_packet p;

	dhcp6_start(d, now);
	client6_sent(d, DHCP6_SOLICIT);
	advertise(d, 2, 1, OTHER, now);
	advertise(d, 1, 100, US, now);
	now = client6_run(d, now, 0, SEC);
	now = unanswered(d, 1, now);
	p = client6_sent(d, DHCP6_REQUEST);
	CHECK_INT(asked_server(&p), 2);
	client6_answer_status(d, DHCP6_REPLY, 2, DHCP6_UNSPEC_FAIL, now);
	CHECK_INT(client6_event(d, DHCP_EVENT_REFUSED).status, DHCP6_UNSPEC_FAIL);
	now = client6_run(d, now, SEC, 3 * SEC);
	client6_sent(d, DHCP6_SOLICIT);
	advertise(d, 1, 255, US, now);
	advertise(d, 2, 200, US, now);
	advertise(d, 3, 0, OTHER, now);
	client6_run(d, now, 0, SEC);
	p = client6_sent(d, DHCP6_REQUEST);
	CHECK_INT(asked_server(&p), 3);
}

/* Its address was in use: the other one comes first, whatever the preference. */
TEST(a_server_whose_address_was_declined_stands_behind_others)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	uint64_t now = START;
	struct dhcp6_packet p;

	dhcp6_start(d, now);
	client6_sent(d, DHCP6_SOLICIT);
	advertise(d, 1, 255, US, now);
	client6_sent(d, DHCP6_REQUEST);
	client6_answer(d, DHCP6_REPLY, 1, US, 3600, 7200, now);
	client6_event(d, DHCP_EVENT_LEASE);
	dhcp6_decline(d, now);
	client6_sent(d, DHCP6_DECLINE);
	client6_answer_status(d, DHCP6_REPLY, 1, DHCP6_SUCCESS, now);
	now = dhcp6_deadline(d);
	dhcp6_tick(d, now);
	client6_sent(d, DHCP6_SOLICIT);
	advertise(d, 1, 100, US, now);
	advertise(d, 2, 1, OTHER, now);
	now = client6_run(d, now, 0, SEC);
	p = client6_sent(d, DHCP6_REQUEST);
	CHECK_INT(asked_server(&p), 2);
}

TEST(a_refusal_after_an_offer)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	uint64_t now = START;
	struct dhcp6_packet p;

	dhcp6_start(d, now);
	client6_sent(d, DHCP6_SOLICIT);
	advertise(d, 1, 100, US, now);
	advertise(d, 2, 1, OTHER, now);
	now = client6_run(d, now, 0, SEC);
	client6_sent(d, DHCP6_REQUEST);
	client6_answer_status(d, DHCP6_REPLY, 1, DHCP6_NO_ADDRS_AVAIL, now);
	client6_event(d, DHCP_EVENT_REFUSED);
	p = client6_sent(d, DHCP6_REQUEST); /* at once */
	CHECK_INT(asked_server(&p), 2);
	client6_answer(d, DHCP6_REPLY, 2, OTHER, 3600, 7200, now);
	client6_event(d, DHCP_EVENT_LEASE);
}

/* Judged at the ADVERTISE: another server's counts, and no status is made up. */
TEST(an_offer_no_host_can_have)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	uint64_t now = START;
	struct dhcp6_packet p;

	dhcp6_start(d, now);
	client6_sent(d, DHCP6_SOLICIT);
	advertise(d, 1, 255, "::1", now);
	CHECK_STR(client6_event(d, DHCP_EVENT_BAD_REPLY).text,
		"it offers ::1, which no host can have");
	advertise(d, 2, 0, US, now);
	client6_run(d, now, 0, SEC);
	p = client6_sent(d, DHCP6_REQUEST);
	CHECK_INT(asked_server(&p), 2);
}

/* A server that was not asked does not count; when all are asked, each does. */
TEST(answers_in_anothers_place)
{
	uint64_t now;
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_bound(&now);
	struct dhcp6_packet p;

	now = client6_run(d, now, 1800 * SEC, 1800 * SEC);
	client6_sent(d, DHCP6_RENEW);
	client6_answer(d, DHCP6_REPLY, 2, OTHER, 3600, 7200, now);
	client6_answer_status(d, DHCP6_REPLY, 2, DHCP6_NO_BINDING, now);
	client6_no_event(d);
	do {
		now = client6_run(d, now, 0, 1200 * SEC);
		CHECK(dhcp6_pop_packet(d, &p));
	} while (p.bytes[0] == DHCP6_RENEW);
	while (dhcp6_pop_event(d, &(struct dhcp_event){0}))
		continue;
	client6_answer(d, DHCP6_REPLY, 2, US, 3600, 7200, now);
	client6_event(d, DHCP_EVENT_RENEWED);
	dhcp6_decline(d, now);
	client6_sent(d, DHCP6_DECLINE);
	client6_answer_status(d, DHCP6_REPLY, 1, DHCP6_SUCCESS, now);
	CHECK(dhcp6_listens(d));
	client6_answer_status(d, DHCP6_REPLY, 2, DHCP6_SUCCESS, now);
	CHECK(!dhcp6_listens(d));
}

/* The server lost its leases: it is asked, and the address stays meanwhile. */
TEST(forgotten_at_renewal)
{
	static const char *const again[] = {US, OTHER};

	for (size_t i = 0; i < ARRAY_SIZE(again); i++) {
		uint64_t now;
		_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_bound(&now);
		struct dhcp6_packet p;

		now = client6_run(d, now, 1800 * SEC, 1800 * SEC);
		client6_sent(d, DHCP6_RENEW);
		client6_answer_status(d, DHCP6_REPLY, 1, DHCP6_NO_BINDING, now);
		client6_event(d, DHCP_EVENT_REFUSED);
		CHECK(dhcp6_lease(d));
		p = client6_sent(d, DHCP6_REQUEST);
		CHECK_INT(asked_server(&p), 1);
		client6_answer(d, DHCP6_REPLY, 1, again[i], 3600, 7200, now);
		client6_event(d, i ? DHCP_EVENT_LEASE : DHCP_EVENT_RENEWED);
		CHECK_INT(dhcp6_lease(d)->life.expires, now + 7200 * SEC);
	}
}

/* ... until its time is over, when no server gives one. */
TEST(forgotten_and_left_alone)
{
	uint64_t now, expires;
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_bound(&now);
	struct dhcp6_packet p;

	expires = dhcp6_lease(d)->life.expires;
	now = client6_run(d, now, 1800 * SEC, 1800 * SEC);
	client6_sent(d, DHCP6_RENEW);
	client6_answer_status(d, DHCP6_REPLY, 1, DHCP6_NO_BINDING, now);
	client6_sent(d, DHCP6_REQUEST);
	client6_answer_status(d, DHCP6_REPLY, 1, DHCP6_NO_ADDRS_AVAIL, now);
	while (dhcp6_lease(d)) {
		now = dhcp6_deadline(d);
		CHECK(now <= expires);
		dhcp6_tick(d, now);
		(void)dhcp6_pop_packet(d, &p);
	}
	CHECK_INT(now, expires);
}

/* Valid lifetime 0: not used any more, at once. With another address in the answer that one is
 * taken. */
TEST(taken_back_at_renewal)
{
	for (int other = 0; other < 2; other++) {
		uint64_t now;
		_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_bound(&now);
		struct msg6 m;

		now = client6_run(d, now, 1800 * SEC, 1800 * SEC);
		client6_sent(d, DHCP6_RENEW);
		client6_begin(d, &m, DHCP6_REPLY, 1);
		msg6_open(&m, 3);
		msg6_u32(&m, IAID);
		msg6_u32(&m, 0);
		msg6_u32(&m, 0);
		for (int n = 0; n <= other; n++) {
			msg6_open(&m, 5);
			msg6_addr(&m, n ? OTHER : US);
			msg6_u32(&m, n ? 3600 : 0);
			msg6_u32(&m, n ? 7200 : 0);
			msg6_close(&m);
		}
		msg6_close(&m);
		client6_give(d, &m, now);
		client6_event(d, other ? DHCP_EVENT_LEASE : DHCP_EVENT_WITHDRAWN);
		CHECK_INT(dhcp6_lease(d) != NULL, other);
		if (!other)
			client6_sent(d, DHCP6_SOLICIT);
	}
}

/* Not used beyond their end; renewed at most twice a second. */
TEST(leases_of_seconds)
{
	for (uint32_t s = 1; s < 12; s++) {
		_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
		uint64_t now = START;

		dhcp6_start(d, now);
		client6_answer(d, DHCP6_ADVERTISE, 1, US, s, s, now);
		now = client6_run(d, now, 0, SEC);
		client6_answer(d, DHCP6_REPLY, 1, US, s, s, now);
		for (unsigned n = 0; n < 3; n++) {
			CHECK_INT(dhcp6_lease(d)->life.expires, now + s * SEC);
			now = client6_run(d, now, s * SEC / 2, s * SEC);
			CHECK(dhcp6_lease(d));
			client6_answer(d, DHCP6_REPLY, 1, US, s, s, now);
		}
		while (dhcp6_lease(d)) {
			now = dhcp6_deadline(d);
			dhcp6_tick(d, now);
		}
		client6_sent(d, DHCP6_SOLICIT);
	}
}

/* Deprecated from the start, and valid for long: no reason for haste. */
TEST(a_preferred_lifetime_of_nothing)
{
	_cleanup_(dhcp6_freep) struct dhcp6 *d = client6_make(false);
	uint64_t now = START;

	dhcp6_start(d, now);
	client6_answer(d, DHCP6_ADVERTISE, 1, US, 0, 7200, now);
	now = client6_run(d, now, 0, SEC);
	client6_answer(d, DHCP6_REPLY, 1, US, 0, 7200, now);
	CHECK_INT(dhcp6_lease(d)->life.renew, now + 5 * SEC);
	CHECK_INT(dhcp6_lease(d)->life.expires, now + 7200 * SEC);
}
