// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp6client: see dhcp6client.h. */
#include "dhcp6client.h"

#include "check.h"

const uint8_t client6_id[CLIENT6_ID_LEN] = {0, 3, 0, 1, 2, 0, 0, 0, 0, 5};

struct dhcp6 *client6_make(bool information)
{
	struct dhcp6_config cfg = {
		.client.len = sizeof(client6_id), .iaid = IAID, .information = information};
	struct dhcp6 *d = NULL;

	memcpy(cfg.client.bytes, client6_id, sizeof(client6_id));
	CHECK_INT(dhcp6_new(&d, &cfg), 0);
	return d;
}

/* The packet waiting; fails when there is none or it is of another type. */
struct dhcp6_packet client6_sent(struct dhcp6 *d, enum dhcp6_type type)
{
	struct dhcp6_packet p;

	CHECK(dhcp6_pop_packet(d, &p));
	CHECK_INT(p.bytes[0], type);
	CHECK(!dhcp6_pop_packet(d, &p));
	return p;
}

struct dhcp_event client6_event(struct dhcp6 *d, enum dhcp_event_type type)
{
	struct dhcp_event ev = {0};

	CHECK(dhcp6_pop_event(d, &ev));
	CHECK_INT(ev.type, type);
	return ev;
}

void client6_no_event(struct dhcp6 *d)
{
	struct dhcp_event ev;

	CHECK(!dhcp6_pop_event(d, &ev));
}

void client6_give(struct dhcp6 *d, const struct msg6 *m, uint64_t now)
{
	struct dhcp6_reply r;

	dhcp6_parse(&r, m->bytes, m->len, IAID);
	dhcp6_take(d, &r, now);
}

/* An answer to the last message, from server n, so far without an address. */
void client6_begin(struct dhcp6 *d, struct msg6 *m, uint8_t type, uint8_t server)
{
	const uint8_t duid[] = {0, 2, 0, server};

	msg6_begin(m, type, dhcp6_xid(d));
	msg6_option(m, 1, client6_id, sizeof(client6_id));
	msg6_option(m, 2, duid, sizeof(duid));
}

void client6_answer(struct dhcp6 *d, uint8_t type, uint8_t server, const char *addr,
	uint32_t preferred, uint32_t valid, uint64_t now)
{
	struct msg6 m;

	client6_begin(d, &m, type, server);
	msg6_ia(&m, IAID, addr, preferred, valid);
	client6_give(d, &m, now);
}

void client6_answer_status(
	struct dhcp6 *d, uint8_t type, uint8_t server, uint16_t status, uint64_t now)
{
	struct msg6 m;

	client6_begin(d, &m, type, server);
	msg6_open(&m, 13);
	msg6_u16(&m, status);
	msg6_close(&m);
	client6_give(d, &m, now);
}

/* Runs the clock to the next deadline, which must be within the given span after now. */
uint64_t client6_run(struct dhcp6 *d, uint64_t now, uint64_t least, uint64_t most)
{
	uint64_t at = dhcp6_deadline(d);

	CHECK(at >= now + least && at <= now + most);
	dhcp6_tick(d, at);
	return at;
}

/* Bound to US, valid 7200 s, preferred 3600 s. */
struct dhcp6 *client6_bound(uint64_t *now)
{
	struct dhcp6 *d = client6_make(false);

	*now = START;
	dhcp6_start(d, *now);
	client6_sent(d, DHCP6_SOLICIT);
	client6_answer(d, DHCP6_ADVERTISE, 1, US, 3600, 7200, *now);
	*now = client6_run(d, *now, 0, SEC);
	client6_sent(d, DHCP6_REQUEST);
	client6_answer(d, DHCP6_REPLY, 1, US, 3600, 7200, *now);
	client6_event(d, DHCP_EVENT_LEASE);
	client6_no_event(d);
	return d;
}
