// SPDX-License-Identifier: GPL-2.0-or-later
/* The DHCP client's state machine, with replies as bytes and time as a number. */
#include "check.h"
#include "dhcpmsg.h"

#include "address/dhcp4.h"
#include "address/dhcp_option.h"

#define SEC	NSEC_PER_SEC
#define SERVER	0x0a000001
#define OTHER	0x0a000002
#define ADDRESS 0x0a000005

static const struct link_hw mac = {.len = 6, .bytes = {2, 0, 0, 0, 0, 5}};

static struct dhcp4 *make(const struct in_addr *servers, size_t n)
{
	struct dhcp4_config cfg = {.vendor_class = "initagent", .hostname = "node5"};
	struct dhcp4 *d = NULL;

	CHECK_INT(dhcp_identity_make(&cfg.identity, 1, &mac, NULL, 0), 0);
	for (size_t i = 0; i < n; i++)
		cfg.servers[i] = servers[i];
	cfg.n_servers = n;
	CHECK_INT(dhcp4_new(&d, &cfg), 0);
	return d;
}

/* The packet waiting; fails when there is none or it is of another type. */
static struct dhcp4_packet sent(struct dhcp4 *d, enum dhcp_type type)
{
	struct dhcp4_packet p;
	const uint8_t *value;
	size_t len;

	CHECK(dhcp4_pop_packet(d, &p));
	value = msg_find(p.bytes, p.len, 53, &len);
	CHECK(value && len == 1);
	CHECK_INT(*value, type);
	return p;
}

static void nothing_sent(struct dhcp4 *d)
{
	struct dhcp4_packet p;

	CHECK(!dhcp4_pop_packet(d, &p));
}

static void give(struct dhcp4 *d, struct msg *m, uint64_t now)
{
	struct dhcp_reply r;

	dhcp_parse(&r, m->bytes, m->len, true);
	dhcp4_take(d, &r, now);
}

static void reply(struct dhcp4 *d, uint8_t type, uint32_t server, uint64_t now)
{
	struct msg m;

	msg_offer(&m, type, dhcp4_xid(d), ADDRESS, server);
	give(d, &m, now);
}

static struct dhcp4_event event(struct dhcp4 *d, enum dhcp4_event_type type)
{
	struct dhcp4_event ev = {0};

	CHECK(dhcp4_pop_event(d, &ev));
	CHECK_INT(ev.type, type);
	return ev;
}

static void no_event(struct dhcp4 *d)
{
	struct dhcp4_event ev;

	if (dhcp4_pop_event(d, &ev))
		check_fail(__FILE__, __LINE__, "unexpected event %d", ev.type);
}

/* Discover, offer, request, ack at the given time. */
static void bind_at(struct dhcp4 *d, uint64_t now)
{
	dhcp4_start(d, now);
	sent(d, DHCP_DISCOVER);
	reply(d, DHCP_OFFER, SERVER, now);
	sent(d, DHCP_REQUEST);
	reply(d, DHCP_ACK, SERVER, now);
	event(d, DHCP4_LEASE);
	CHECK_STR(dhcp4_state_name(d), "bound");
}

TEST(discover_to_lease)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct dhcp4_packet p;
	uint64_t now = 5 * SEC;
	uint32_t xid;
	size_t len;

	dhcp4_start(d, now);
	p = sent(d, DHCP_DISCOVER); /* at once */
	CHECK(!p.unicast);
	CHECK(p.len >= 328);
	CHECK_MEM(p.bytes + MSG_HEADERS, "\x01\x01\x06\x00", 4);
	CHECK_MEM(p.bytes + MSG_HEADERS + 28, mac.bytes, 6);
	CHECK_INT(p.bytes[MSG_HEADERS + 10], 0); /* unicast replies are fine on Ethernet */
	CHECK_MEM(msg_find(p.bytes, p.len, 61, &len), "\x01\x02\x00\x00\x00\x00\x05", 7);
	CHECK_INT(len, 7);
	CHECK_MEM(msg_find(p.bytes, p.len, 12, &len), "node5", 5);
	CHECK_MEM(msg_find(p.bytes, p.len, 60, &len), "initagent", 9);
	CHECK(!msg_find(p.bytes, p.len, 50, &len));
	CHECK(!msg_find(p.bytes, p.len, 54, &len));
	xid = dhcp4_xid(d);
	CHECK_INT(msg_be32(p.bytes + MSG_HEADERS + 4), xid);

	reply(d, DHCP_OFFER, SERVER, now + SEC / 10);
	p = sent(d, DHCP_REQUEST);
	CHECK_INT(msg_be32(p.bytes + MSG_HEADERS + 4), xid);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 54), SERVER);
	CHECK_INT(msg_be32(p.bytes + MSG_HEADERS + 12), 0); /* ciaddr */

	reply(d, DHCP_ACK, SERVER, now + SEC / 5);
	event(d, DHCP4_LEASE);
	no_event(d);
	CHECK(!dhcp4_listens(d));
	CHECK_INT(dhcp4_lease(d)->obtained, now + SEC / 10); /* from the request on */
	CHECK_INT(dhcp4_lease(d)->renew, now + SEC / 10 + 1800 * SEC);
	CHECK_INT(dhcp4_lease(d)->rebind, now + SEC / 10 + 3150 * SEC);
	CHECK_INT(dhcp4_lease(d)->expires, now + SEC / 10 + 3600 * SEC);
	CHECK_INT(dhcp4_deadline(d), dhcp4_lease(d)->renew);
}

TEST(retransmission_schedule)
{
	static const unsigned waits[] = {1, 2, 4, 4, 8, 8, 8, 16, 32, 64, 64, 64};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	uint64_t now = 1 * SEC;
	uint32_t xid;

	dhcp4_start(d, now);
	xid = dhcp4_xid(d);
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		struct dhcp4_packet p = sent(d, DHCP_DISCOVER);
		uint64_t wait = dhcp4_deadline(d) - now;

		CHECK(wait >= waits[i] * SEC * 7 / 8 && wait <= waits[i] * SEC * 9 / 8);
		CHECK_INT(dhcp4_xid(d), xid); /* a late OFFER still counts */
		CHECK_INT(p.bytes[MSG_HEADERS + 10], i < 2 ? 0 : 0x80);
		CHECK_INT(p.bytes[MSG_HEADERS + 8] << 8 | p.bytes[MSG_HEADERS + 9], (now - SEC) / SEC);
		dhcp4_tick(d, dhcp4_deadline(d) - 1);
		nothing_sent(d);
		now = dhcp4_deadline(d);
		dhcp4_tick(d, now);
		CHECK_INT(event(d, DHCP4_SILENCE).count, i + 1);
	}
}

TEST(jitter_is_random)
{
	uint64_t seen[16];
	size_t same = 0;

	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);

		dhcp4_start(d, 0);
		seen[i] = dhcp4_deadline(d) ^ (uint64_t)dhcp4_xid(d) << 32;
		for (size_t k = 0; k < i; k++)
			same += seen[k] == seen[i];
	}
	CHECK_INT(same, 0);
}

TEST(request_without_answer_starts_again)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	uint64_t now = 0;
	uint32_t xid;

	dhcp4_start(d, now);
	sent(d, DHCP_DISCOVER);
	reply(d, DHCP_OFFER, SERVER, now);
	xid = dhcp4_xid(d);
	for (int i = 0; i < 3; i++) {
		sent(d, DHCP_REQUEST);
		now = dhcp4_deadline(d);
		dhcp4_tick(d, now);
	}
	sent(d, DHCP_DISCOVER);
	CHECK(now < 9 * SEC);
	CHECK(dhcp4_xid(d) != xid);
}

TEST(only_the_transaction_counts)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct msg m;

	dhcp4_start(d, 0);
	sent(d, DHCP_DISCOVER);
	msg_offer(&m, DHCP_OFFER, dhcp4_xid(d) + 1, ADDRESS, SERVER);
	give(d, &m, 0);
	reply(d, DHCP_ACK, SERVER, 0); /* not asked for yet */
	reply(d, DHCP_NAK, SERVER, 0);
	nothing_sent(d);
	no_event(d);
	CHECK_STR(dhcp4_state_name(d), "selecting");
}

TEST(second_offers_and_duplicates)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);

	dhcp4_start(d, 0);
	sent(d, DHCP_DISCOVER);
	reply(d, DHCP_OFFER, SERVER, 0);
	sent(d, DHCP_REQUEST);
	reply(d, DHCP_OFFER, SERVER, 0); /* ISC sends it twice */
	reply(d, DHCP_OFFER, OTHER, 0);
	nothing_sent(d);
	reply(d, DHCP_NAK, OTHER, 0); /* the one not chosen has no say */
	reply(d, DHCP_ACK, OTHER, 0);
	no_event(d);
	CHECK_STR(dhcp4_state_name(d), "requesting");
	reply(d, DHCP_ACK, SERVER, 0);
	event(d, DHCP4_LEASE);
	reply(d, DHCP_ACK, SERVER, 0);
	reply(d, DHCP_NAK, SERVER, 0);
	no_event(d);
	CHECK_STR(dhcp4_state_name(d), "bound");
}

TEST(force_renew_is_ignored)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);

	bind_at(d, 0);
	reply(d, DHCP_FORCERENEW, SERVER, SEC);
	nothing_sent(d);
	no_event(d);
	CHECK_STR(dhcp4_state_name(d), "bound");
	/* nor while listening */
	dhcp4_tick(d, dhcp4_deadline(d));
	sent(d, DHCP_REQUEST);
	reply(d, DHCP_FORCERENEW, SERVER, 1800 * SEC);
	nothing_sent(d);
	no_event(d);
}

TEST(refusals_slow_down)
{
	static const unsigned rests[] = {0, 1, 2, 4, 8, 8, 8};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	uint64_t now = 0;

	dhcp4_start(d, now);
	for (size_t i = 0; i < ARRAY_SIZE(rests); i++) {
		uint64_t rest = rests[i] * SEC;

		sent(d, DHCP_DISCOVER);
		reply(d, DHCP_OFFER, SERVER, now);
		sent(d, DHCP_REQUEST);
		reply(d, DHCP_NAK, SERVER, now);
		CHECK_INT(ntohl(event(d, DHCP4_REFUSED).server.s_addr), SERVER);
		if (!rest)
			continue;
		nothing_sent(d);
		CHECK(dhcp4_deadline(d) - now >= rest * 7 / 8 && dhcp4_deadline(d) - now <= rest * 9 / 8);
		now = dhcp4_deadline(d);
		dhcp4_tick(d, now);
	}
}

TEST(renew_rebind_expire)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct dhcp4_packet p;
	unsigned renewing = 0, rebinding = 0;
	uint64_t now;

	bind_at(d, 0);
	for (;;) {
		now = dhcp4_deadline(d);
		CHECK(now <= 3600 * SEC);
		dhcp4_tick(d, now);
		if (!dhcp4_lease(d))
			break;
		p = sent(d, DHCP_REQUEST);
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
	event(d, DHCP4_EXPIRED);
	sent(d, DHCP_DISCOVER);
}

TEST(renewed_and_changed)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct msg m;

	bind_at(d, 0);
	dhcp4_tick(d, 1800 * SEC);
	sent(d, DHCP_REQUEST);
	reply(d, DHCP_ACK, SERVER, 1800 * SEC);
	event(d, DHCP4_RENEWED);
	CHECK_INT(dhcp4_lease(d)->expires, 5400 * SEC);

	dhcp4_tick(d, 3600 * SEC);
	sent(d, DHCP_REQUEST);
	msg_begin(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS);
	msg_u32(&m, 54, SERVER);
	msg_u32(&m, 51, 3600);
	msg_u32(&m, 1, 0xffffff00);
	msg_u32(&m, 3, OTHER); /* another router */
	msg_end(&m);
	give(d, &m, 3600 * SEC);
	event(d, DHCP4_LEASE);
}

TEST(nak_in_renewal_ends_the_lease)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);

	bind_at(d, 0);
	dhcp4_tick(d, 1800 * SEC);
	sent(d, DHCP_REQUEST);
	reply(d, DHCP_NAK, SERVER, 1800 * SEC);
	event(d, DHCP4_REFUSED);
	CHECK(!dhcp4_lease(d));
	sent(d, DHCP_DISCOVER);
}

TEST(link_flap_asks_for_the_same_address)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct dhcp4_packet p;
	uint64_t now = 100 * SEC;

	bind_at(d, 0);
	dhcp4_stop(d, now);
	CHECK(!dhcp4_listens(d));
	dhcp4_start(d, now);
	CHECK(dhcp4_verifies(d));
	p = sent(d, DHCP_REQUEST);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 54), 0); /* RFC 2131 4.3.2: INIT-REBOOT */
	CHECK_INT(msg_be32(p.bytes + MSG_HEADERS + 12), 0);
	reply(d, DHCP_ACK, OTHER, now);
	event(d, DHCP4_LEASE);
	CHECK_INT(ntohl(dhcp4_lease(d)->ack.server_id.s_addr), OTHER);
}

TEST(flap_with_nobody_to_ask)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct dhcp4_packet p;
	uint64_t now = 100 * SEC;

	bind_at(d, 0);
	dhcp4_stop(d, now);
	dhcp4_start(d, now);
	for (int i = 0; i < 2; i++) {
		sent(d, DHCP_REQUEST);
		now = dhcp4_deadline(d);
		dhcp4_tick(d, now);
	}
	CHECK(now - 100 * SEC < 4 * SEC);
	CHECK(!dhcp4_verifies(d));
	p = sent(d, DHCP_DISCOVER);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS); /* as a wish */
	CHECK(dhcp4_lease(d)); /* still valid */
	while (dhcp4_lease(d) && now < 4000 * SEC) {
		now = dhcp4_deadline(d);
		dhcp4_tick(d, now);
		(void)dhcp4_pop_packet(d, &p);
	}
	CHECK(now >= 3600 * SEC && now <= 3680 * SEC);
}

TEST(a_lease_runs_out_without_carrier)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);

	bind_at(d, 0);
	dhcp4_stop(d, 10 * SEC);
	CHECK_INT(dhcp4_deadline(d), 3600 * SEC);
	dhcp4_tick(d, 3600 * SEC);
	event(d, DHCP4_EXPIRED);
	nothing_sent(d);
	CHECK_INT(dhcp4_deadline(d) == NSEC_NEVER, 1);
	dhcp4_start(d, 3700 * SEC);
	sent(d, DHCP_DISCOVER);
}

TEST(adopted_lease)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct dhcp4_lease l = {
		.ack = {.yiaddr = {htonl(ADDRESS)}, .server_id = {htonl(SERVER)}},
		.obtained = 1 * SEC, .renew = 50 * SEC, .rebind = 80 * SEC, .expires = 100 * SEC,
	};
	struct dhcp4_packet p;

	CHECK(dhcp4_adopt(d, &l, (const uint8_t *)"\1\2\0\0\0\0\5", 7, 10 * SEC));
	nothing_sent(d);
	CHECK_INT(dhcp4_deadline(d), 50 * SEC);
	dhcp4_tick(d, 50 * SEC);
	p = sent(d, DHCP_REQUEST);
	CHECK(p.unicast);
	CHECK_INT(ntohl(p.dest.s_addr), SERVER);
}

TEST(decline)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct dhcp4_packet p;

	bind_at(d, 0);
	dhcp4_decline(d, SEC);
	p = sent(d, DHCP_DECLINE);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 54), SERVER);
	CHECK(!dhcp4_lease(d));
	CHECK_INT(dhcp4_deadline(d), 11 * SEC);
	dhcp4_tick(d, 11 * SEC);
	p = sent(d, DHCP_DISCOVER);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), 0); /* not that one again */
}

TEST(allowed_servers)
{
	struct in_addr allowed = {htonl(SERVER)};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(&allowed, 1);

	dhcp4_start(d, 0);
	sent(d, DHCP_DISCOVER);
	reply(d, DHCP_OFFER, OTHER, 0);
	nothing_sent(d);
	CHECK_INT(ntohl(event(d, DHCP4_FOREIGN).server.s_addr), OTHER);
	reply(d, DHCP_OFFER, SERVER, 0);
	sent(d, DHCP_REQUEST);
	reply(d, DHCP_ACK, SERVER, 0);
	event(d, DHCP4_LEASE);
	dhcp4_stop(d, SEC);
	dhcp4_start(d, SEC);
	sent(d, DHCP_REQUEST);
	reply(d, DHCP_NAK, OTHER, SEC); /* nor may it refuse */
	event(d, DHCP4_FOREIGN);
	CHECK(dhcp4_lease(d));
}

TEST(bad_replies_are_named)
{
	static const struct {
		uint8_t type;
		uint32_t yiaddr, server, lease;
		const char *text;
	} rows[] = {
		{DHCP_OFFER, ADDRESS, 0, 3600, "no server identifier in it"},
		{DHCP_OFFER, 0, SERVER, 3600, "no usable address in it"},
		{DHCP_OFFER, 0x7f000001, SERVER, 3600, "no usable address in it"},
		{DHCP_OFFER, 0xe0000001, SERVER, 3600, "no usable address in it"},
		{DHCP_OFFER, 0xffffffff, SERVER, 3600, "no usable address in it"},
		{DHCP_ACK, ADDRESS + 1, SERVER, 3600, "ACK for another address than the one asked for"},
		{DHCP_ACK, ADDRESS, SERVER, 0, "lease time below 4 s"},
		{DHCP_ACK, ADDRESS, 0, 3600, "no server identifier in it"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
		struct msg m;

		dhcp4_start(d, 0);
		sent(d, DHCP_DISCOVER);
		if (rows[i].type == DHCP_ACK) {
			reply(d, DHCP_OFFER, SERVER, 0);
			sent(d, DHCP_REQUEST);
		}
		msg_begin(&m, rows[i].type, dhcp4_xid(d), rows[i].yiaddr);
		if (rows[i].server)
			msg_u32(&m, 54, rows[i].server);
		msg_u32(&m, 51, rows[i].lease);
		msg_end(&m);
		give(d, &m, 0);
		CHECK_STR(event(d, DHCP4_BAD_REPLY).text, rows[i].text);
		nothing_sent(d);
		CHECK(!dhcp4_lease(d));
	}
}

TEST(defects_are_named)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct dhcp_reply r = {.defect = DHCP_OPTION_CUT};

	dhcp4_take(d, &r, 0);
	no_event(d); /* nothing was asked */
	dhcp4_start(d, 0);
	dhcp4_take(d, &r, 0);
	CHECK_STR(event(d, DHCP4_BAD_REPLY).text, "an option runs past the end of its field");
}

TEST(echoed_client_id)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct msg m;

	dhcp4_start(d, 0);
	sent(d, DHCP_DISCOVER);
	msg_offer(&m, DHCP_OFFER, dhcp4_xid(d), ADDRESS, SERVER);
	m.len--; /* the end option */
	msg_option(&m, 61, "\x01\x02\x00\x00\x00\x00\x06", 7);
	msg_end(&m);
	give(d, &m, 0);
	nothing_sent(d); /* it is for another client with our xid */
	m.bytes[m.len - 2] = 5;
	msg_wrap(&m);
	give(d, &m, 0);
	sent(d, DHCP_REQUEST);
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
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
		struct msg m;

		dhcp4_start(d, 0);
		reply(d, DHCP_OFFER, SERVER, 0);
		msg_begin(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS);
		msg_u32(&m, 54, SERVER);
		msg_u32(&m, 51, rows[i].lease);
		if (rows[i].t1)
			msg_u32(&m, 58, rows[i].t1);
		if (rows[i].t2)
			msg_u32(&m, 59, rows[i].t2);
		msg_end(&m);
		give(d, &m, 0);
		CHECK_INT(dhcp4_lease(d)->renew, rows[i].renew * SEC);
		CHECK_INT(dhcp4_lease(d)->rebind, rows[i].rebind * SEC);
		CHECK_INT(dhcp4_lease(d)->expires, rows[i].expires * SEC);
	}
}

TEST(a_lease_for_ever)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct msg m;

	dhcp4_start(d, 0);
	reply(d, DHCP_OFFER, SERVER, 0);
	msg_begin(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS);
	msg_u32(&m, 54, SERVER);
	msg_u32(&m, 51, UINT32_MAX);
	msg_end(&m);
	give(d, &m, 0);
	CHECK(dhcp4_deadline(d) == NSEC_NEVER);
	CHECK(dhcp4_lease(d)->expires == NSEC_NEVER);
}

TEST(no_lease_time_means_an_hour)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = make(NULL, 0);
	struct msg m;

	dhcp4_start(d, 0);
	reply(d, DHCP_OFFER, SERVER, 0);
	msg_begin(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS);
	msg_u32(&m, 54, SERVER);
	msg_end(&m);
	give(d, &m, 0);
	CHECK_INT(dhcp4_lease(d)->expires, 3600 * SEC);
}
