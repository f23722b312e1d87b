// SPDX-License-Identifier: GPL-2.0-or-later
/* The DHCP client's state machine, with replies as bytes and time as a number. */
#include "check.h"
#include "dhcp4client.h"

TEST(discover_to_lease)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_packet p;
	uint64_t now = 5 * SEC;
	uint32_t xid;
	size_t len;

	dhcp4_start(d, now);
	p = client_sent(d, DHCP_DISCOVER); /* at once */
	CHECK(!p.unicast);
	CHECK(p.len >= 328);
	CHECK_MEM(p.bytes + MSG_HEADERS, "\x01\x01\x06\x00", 4);
	CHECK_MEM(p.bytes + MSG_HEADERS + 28, client_mac.bytes, 6);
	CHECK_INT(p.bytes[MSG_HEADERS + 10], 0); /* unicast replies are fine on Ethernet */
	CHECK_MEM(msg_find(p.bytes, p.len, 61, &len), "\x01\x02\x00\x00\x00\x00\x05", 7);
	CHECK_INT(len, 7);
	CHECK_MEM(msg_find(p.bytes, p.len, 12, &len), "node5", 5);
	CHECK_MEM(msg_find(p.bytes, p.len, 60, &len), "initagent", 9);
	CHECK(!msg_find(p.bytes, p.len, 50, &len));
	CHECK(!msg_find(p.bytes, p.len, 54, &len));
	xid = dhcp4_xid(d);
	CHECK_INT(msg_be32(p.bytes + MSG_HEADERS + 4), xid);

	client_reply(d, DHCP_OFFER, SERVER, now + SEC / 10);
	p = client_sent(d, DHCP_REQUEST);
	CHECK_INT(msg_be32(p.bytes + MSG_HEADERS + 4), xid);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 54), SERVER);
	CHECK_INT(msg_be32(p.bytes + MSG_HEADERS + 12), 0); /* ciaddr */

	client_reply(d, DHCP_ACK, SERVER, now + SEC / 5);
	client_event(d, DHCP_EVENT_LEASE);
	client_no_event(d);
	CHECK(!dhcp4_listens(d));
	CHECK_INT(dhcp4_lease(d)->life.obtained, now + SEC / 10); /* from the request on */
	CHECK_INT(dhcp4_lease(d)->life.renew, now + SEC / 10 + 1800 * SEC);
	CHECK_INT(dhcp4_lease(d)->life.rebind, now + SEC / 10 + 3150 * SEC);
	CHECK_INT(dhcp4_lease(d)->life.expires, now + SEC / 10 + 3600 * SEC);
	CHECK_INT(dhcp4_deadline(d), dhcp4_lease(d)->life.renew);
}

TEST(retransmission_schedule)
{
	static const unsigned waits[] = {1, 2, 4, 4, 8, 8, 8, 16, 32, 64, 64, 64};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	uint64_t now = 1 * SEC;
	uint32_t xid;

	dhcp4_start(d, now);
	xid = dhcp4_xid(d);
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		struct dhcp4_packet p = client_sent(d, DHCP_DISCOVER);
		uint64_t wait = dhcp4_deadline(d) - now;

		CHECK(wait >= waits[i] * SEC * 7 / 8 && wait <= waits[i] * SEC * 9 / 8);
		CHECK_INT(dhcp4_xid(d), xid); /* a late OFFER still counts */
		CHECK_INT(p.bytes[MSG_HEADERS + 10], i & 2 ? 0x80 : 0);
		CHECK_INT(p.bytes[MSG_HEADERS + 8] << 8 | p.bytes[MSG_HEADERS + 9],
			(now - SEC) / SEC);
		dhcp4_tick(d, dhcp4_deadline(d) - 1);
		client_nothing_sent(d);
		now = dhcp4_deadline(d);
		dhcp4_tick(d, now);
		CHECK_INT(client_event(d, DHCP_EVENT_SILENCE).count, i + 1);
	}
}

/* A reply that could only come broadcast is followed by another one (RFC 2131 section 4.1). */
TEST(the_request_has_the_flag_of_its_discover)
{
	static const unsigned silences[] = {1, 2, 4, 6};

	for (size_t i = 0; i < ARRAY_SIZE(silences); i++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
		int flag = silences[i] & 2 ? 0x80 : 0;

		dhcp4_start(d, 0);
		for (unsigned n = 0; n < silences[i]; n++) {
			client_sent(d, DHCP_DISCOVER);
			dhcp4_tick(d, dhcp4_deadline(d));
		}
		CHECK_INT(client_sent(d, DHCP_DISCOVER).bytes[MSG_HEADERS + 10], flag);
		client_reply(d, DHCP_OFFER, SERVER, 100 * SEC);
		for (int n = 0; n < 3; n++) {
			CHECK_INT(client_sent(d, DHCP_REQUEST).bytes[MSG_HEADERS + 10], flag);
			dhcp4_tick(d, dhcp4_deadline(d));
		}
		client_reply(d, DHCP_ACK, SERVER, 110 * SEC);
		dhcp4_tick(d, dhcp4_deadline(d));
		CHECK_INT(client_sent(d, DHCP_REQUEST).bytes[MSG_HEADERS + 10], 0);
	}
}

TEST(jitter_is_random)
{
	uint64_t seen[16];
	size_t same = 0;

	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);

		dhcp4_start(d, 0);
		seen[i] = dhcp4_deadline(d) ^ (uint64_t)dhcp4_xid(d) << 32;
		for (size_t k = 0; k < i; k++)
			same += seen[k] == seen[i];
	}
	CHECK_INT(same, 0);
}

/* RFC 2131 section 3.1: relay agents that look at it forward both to the same servers. */
TEST(a_request_has_the_seconds_of_its_discover)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_packet p;

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	dhcp4_tick(d, 3 * SEC);
	p = client_sent(d, DHCP_DISCOVER);
	CHECK_MEM(p.bytes + MSG_HEADERS + 8, "\0\3", 2);
	client_reply(d, DHCP_OFFER, SERVER, 5 * SEC);
	p = client_sent(d, DHCP_REQUEST);
	CHECK_MEM(p.bytes + MSG_HEADERS + 8, "\0\3", 2);
	dhcp4_tick(d, 7 * SEC);
	p = client_sent(d, DHCP_REQUEST);
	CHECK_MEM(p.bytes + MSG_HEADERS + 8, "\0\3", 2);
}

TEST(request_without_answer_starts_again)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	uint64_t now = 0;
	uint32_t xid;

	dhcp4_start(d, now);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, now);
	xid = dhcp4_xid(d);
	for (int i = 0; i < 3; i++) {
		client_sent(d, DHCP_REQUEST);
		now = dhcp4_deadline(d);
		dhcp4_tick(d, now);
	}
	client_sent(d, DHCP_DISCOVER);
	CHECK(now < 9 * SEC);
	CHECK_INT(dhcp4_xid(d), xid);
}

/* Each answer takes longer than a REQUEST is worth: a server with thousands of nodes in its queue.
 * Only that lease, of that server, and none that it refused. */
TEST(an_ack_that_is_late)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct msg m;
	uint64_t now = 8 * SEC;

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, now);
	for (int i = 0; i < 3; i++) {
		client_sent(d, DHCP_REQUEST);
		now = dhcp4_deadline(d);
		dhcp4_tick(d, now);
	}
	client_sent(d, DHCP_DISCOVER);
	client_event(d, DHCP_EVENT_UNACKED);
	client_reply(d, DHCP_ACK, OTHER, now);
	msg_offer(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS + 1, SERVER);
	client_give(d, &m, now);
	client_no_event(d);
	client_reply(d, DHCP_ACK, SERVER, 16 * SEC);
	client_event(d, DHCP_EVENT_LEASE);
	CHECK_STR(dhcp4_state_name(d), "bound");
	/* RFC 2131 section 4.4.1: from the original request on, whichever it answers */
	CHECK_INT(dhcp4_lease(d)->life.obtained, 8 * SEC);
}

TEST(an_ack_after_a_refusal)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	uint32_t xid;

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, 0);
	client_sent(d, DHCP_REQUEST);
	xid = dhcp4_xid(d);
	client_reply(d, DHCP_NAK, SERVER, 0);
	client_event(d, DHCP_EVENT_REFUSED);
	client_sent(d, DHCP_DISCOVER);
	CHECK(dhcp4_xid(d) != xid);
	client_reply(d, DHCP_ACK, SERVER, 0);
	client_no_event(d);
}

TEST(only_the_transaction_counts)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct msg m;

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	msg_offer(&m, DHCP_OFFER, dhcp4_xid(d) + 1, ADDRESS, SERVER);
	client_give(d, &m, 0);
	client_reply(d, DHCP_ACK, SERVER, 0); /* not asked for yet */
	client_reply(d, DHCP_NAK, SERVER, 0);
	client_nothing_sent(d);
	client_no_event(d);
	CHECK_STR(dhcp4_state_name(d), "selecting");
}

TEST(second_offers_and_duplicates)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, 0);
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_OFFER, SERVER, 0); /* ISC sends it twice */
	client_reply(d, DHCP_OFFER, OTHER, 0);
	client_nothing_sent(d);
	client_reply(d, DHCP_NAK, OTHER, 0); /* the one not chosen has no say */
	client_reply(d, DHCP_ACK, OTHER, 0);
	client_no_event(d);
	CHECK_STR(dhcp4_state_name(d), "requesting");
	client_reply(d, DHCP_ACK, SERVER, 0);
	client_event(d, DHCP_EVENT_LEASE);
	client_reply(d, DHCP_ACK, SERVER, 0);
	client_reply(d, DHCP_NAK, SERVER, 0);
	client_no_event(d);
	CHECK_STR(dhcp4_state_name(d), "bound");
}

TEST(force_renew_is_ignored)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);

	client_bind_at(d, 0);
	client_reply(d, DHCP_FORCERENEW, SERVER, SEC);
	client_nothing_sent(d);
	client_no_event(d);
	CHECK_STR(dhcp4_state_name(d), "bound");
	/* nor while listening */
	dhcp4_tick(d, dhcp4_deadline(d));
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_FORCERENEW, SERVER, 1800 * SEC);
	client_nothing_sent(d);
	client_no_event(d);
}

TEST(refusals_slow_down)
{
	static const unsigned rests[] = {0, 1, 2, 4, 8, 8, 8};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	uint64_t now = 0;

	dhcp4_start(d, now);
	for (size_t i = 0; i < ARRAY_SIZE(rests); i++) {
		uint64_t rest = rests[i] * SEC;

		client_sent(d, DHCP_DISCOVER);
		client_reply(d, DHCP_OFFER, SERVER, now);
		if (i >= 2) { /* others would come first by now */
			now = dhcp4_deadline(d);
			dhcp4_tick(d, now);
		}
		client_sent(d, DHCP_REQUEST);
		client_reply(d, DHCP_NAK, SERVER, now);
		CHECK_INT(ntohl(client_event(d, DHCP_EVENT_REFUSED).server.v4.s_addr), SERVER);
		if (!rest)
			continue;
		client_nothing_sent(d);
		CHECK(dhcp4_deadline(d) - now >= rest * 7 / 8 &&
			dhcp4_deadline(d) - now <= rest * 9 / 8);
		now = dhcp4_deadline(d);
		dhcp4_tick(d, now);
	}
}

TEST(renew_rebind_expire)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_packet p;
	unsigned renewing = 0, rebinding = 0;
	uint64_t now;

	client_bind_at(d, 0);
	for (;;) {
		now = dhcp4_deadline(d);
		CHECK(now <= 3600 * SEC);
		dhcp4_tick(d, now);
		if (!dhcp4_lease(d))
			break;
		p = client_sent(d, DHCP_REQUEST);
		CHECK_INT(msg_be32(p.bytes + MSG_HEADERS + 12), ADDRESS); /* ciaddr */
		CHECK_INT(msg_find_u32(p.bytes, p.len, 54), 0);
		CHECK_INT(msg_find_u32(p.bytes, p.len, 50), 0);
		CHECK_INT(p.unicast, streq(dhcp4_state_name(d), "renewing"));
		CHECK_INT(ntohl(p.dest.s_addr), p.unicast ? SERVER : 0xffffffff);
		CHECK_INT(ntohl(p.source.s_addr), ADDRESS);
		renewing += p.unicast;
		rebinding += !p.unicast;
		CHECK(p.unicast ? now < 3150 * SEC : now >= 3150 * SEC);
	}
	CHECK_INT(now, 3600 * SEC);
	CHECK(renewing >= 3 && renewing <= 6);
	CHECK(rebinding >= 2 && rebinding <= 5);
	client_event(d, DHCP_EVENT_EXPIRED);
	client_sent(d, DHCP_DISCOVER);
}

TEST(renewed_and_changed)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct msg m;

	client_bind_at(d, 0);
	dhcp4_tick(d, 1800 * SEC);
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_ACK, SERVER, 1800 * SEC);
	client_event(d, DHCP_EVENT_RENEWED);
	CHECK_INT(dhcp4_lease(d)->life.expires, 5400 * SEC);

	dhcp4_tick(d, 3600 * SEC);
	client_sent(d, DHCP_REQUEST);
	msg_begin(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS);
	msg_u32(&m, 54, SERVER);
	msg_u32(&m, 51, 3600);
	msg_u32(&m, 1, 0xffffff00);
	msg_u32(&m, 3, OTHER); /* another router */
	msg_end(&m);
	client_give(d, &m, 3600 * SEC);
	client_event(d, DHCP_EVENT_LEASE);
}

/* Asked by way of a relay for the lease, and directly for its renewal, or the other way round. */
TEST(a_relay_is_no_part_of_the_lease)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct msg m;

	client_bind_at(d, 0);
	dhcp4_tick(d, 1800 * SEC);
	client_sent(d, DHCP_REQUEST);
	msg_offer(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS, SERVER);
	memcpy(m.bytes + MSG_HEADERS + 24, "\x0a\x00\x00\xfe", 4); /* giaddr */
	client_give(d, &m, 1800 * SEC);
	client_event(d, DHCP_EVENT_RENEWED);
}

TEST(nak_in_renewal_ends_the_lease)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);

	client_bind_at(d, 0);
	dhcp4_tick(d, 1800 * SEC);
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_NAK, SERVER, 1800 * SEC);
	client_event(d, DHCP_EVENT_REFUSED);
	CHECK(!dhcp4_lease(d));
	client_sent(d, DHCP_DISCOVER);
}

TEST(link_flap_asks_for_the_same_address)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_packet p;
	uint64_t now = 100 * SEC;

	client_bind_at(d, 0);
	dhcp4_stop(d, now);
	CHECK(!dhcp4_listens(d));
	dhcp4_start(d, now);
	CHECK(dhcp4_verifies(d));
	p = client_sent(d, DHCP_REQUEST);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 54), 0); /* RFC 2131 4.3.2: INIT-REBOOT */
	CHECK_INT(msg_be32(p.bytes + MSG_HEADERS + 12), 0);
	client_reply(d, DHCP_ACK, OTHER, now);
	client_event(d, DHCP_EVENT_LEASE);
	CHECK_INT(ntohl(dhcp4_lease(d)->ack.server_id.s_addr), OTHER);
}

TEST(flap_with_nobody_to_ask)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_packet p;
	uint64_t now = 100 * SEC;

	client_bind_at(d, 0);
	dhcp4_stop(d, now);
	dhcp4_start(d, now);
	for (int i = 0; i < 2; i++) {
		client_sent(d, DHCP_REQUEST);
		now = dhcp4_deadline(d);
		dhcp4_tick(d, now);
	}
	CHECK(now - 100 * SEC < 4 * SEC);
	CHECK(!dhcp4_verifies(d));
	p = client_sent(d, DHCP_DISCOVER);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS); /* as a wish */
	CHECK(dhcp4_lease(d)); /* still valid */
	while (dhcp4_lease(d) && now < 4000 * SEC) {
		now = dhcp4_deadline(d);
		dhcp4_tick(d, now);
		(void)dhcp4_pop_packet(d, &p);
	}
	CHECK_INT(now, 3600 * SEC);
}

TEST(a_lease_runs_out_without_carrier)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);

	client_bind_at(d, 0);
	dhcp4_stop(d, 10 * SEC);
	CHECK_INT(dhcp4_deadline(d), 3600 * SEC);
	dhcp4_tick(d, 3600 * SEC);
	client_event(d, DHCP_EVENT_EXPIRED);
	client_nothing_sent(d);
	CHECK_INT(dhcp4_deadline(d) == NSEC_NEVER, 1);
	dhcp4_start(d, 3700 * SEC);
	client_sent(d, DHCP_DISCOVER);
}

TEST(adopted_lease)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_lease l = {
		.ack = {.yiaddr = {htonl(ADDRESS)}, .server_id = {htonl(SERVER)}},
		.life = {1 * SEC, 50 * SEC, 80 * SEC, 100 * SEC},
	};
	struct dhcp4_packet p;

	CHECK(dhcp4_adopt(d, &l, (const uint8_t *)"\1\2\0\0\0\0\5", 7, 10 * SEC));
	client_nothing_sent(d);
	CHECK_INT(dhcp4_deadline(d), 50 * SEC);
	dhcp4_tick(d, 50 * SEC);
	p = client_sent(d, DHCP_REQUEST);
	CHECK(p.unicast);
	CHECK_INT(ntohl(p.dest.s_addr), SERVER);
}

TEST(decline)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(NULL, 0);
	struct dhcp4_packet p;

	client_bind_at(d, 0);
	dhcp4_decline(d, SEC);
	p = client_sent(d, DHCP_DECLINE);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 54), SERVER);
	CHECK(!dhcp4_lease(d));
	CHECK_INT(dhcp4_deadline(d), 11 * SEC);
	dhcp4_tick(d, 11 * SEC);
	p = client_sent(d, DHCP_DISCOVER);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), 0); /* not that one again */
}

TEST(allowed_servers)
{
	struct in_addr allowed = {htonl(SERVER)};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = client_make(&allowed, 1);

	dhcp4_start(d, 0);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, OTHER, 0);
	client_nothing_sent(d);
	CHECK_INT(ntohl(client_event(d, DHCP_EVENT_FOREIGN).server.v4.s_addr), OTHER);
	client_reply(d, DHCP_OFFER, SERVER, 0);
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_ACK, SERVER, 0);
	client_event(d, DHCP_EVENT_LEASE);
	dhcp4_stop(d, SEC);
	dhcp4_start(d, SEC);
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_NAK, OTHER, SEC); /* nor may it refuse */
	client_event(d, DHCP_EVENT_FOREIGN);
	CHECK(dhcp4_lease(d));
}
