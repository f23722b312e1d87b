// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp4client: see dhcp4client.h. */
#include "dhcp4client.h"

#include "check.h"

const struct link_hw client_mac = {.len = 6, .bytes = {2, 0, 0, 0, 0, 5}};

struct dhcp4 *client_make(const struct in_addr *servers, size_t n)
{
	struct dhcp4_config cfg = {.vendor_class = "initagent", .hostname = "node5"};
	struct dhcp4 *d = NULL;

	CHECK_INT(dhcp_identity_make(&cfg.identity, 1, &client_mac, NULL, 0), 0);
	for (size_t i = 0; i < n; i++)
		cfg.servers[i] = servers[i];
	cfg.n_servers = n;
	CHECK_INT(dhcp4_new(&d, &cfg), 0);
	return d;
}

/* The packet waiting; fails when there is none or it is of another type. */
struct dhcp4_packet client_sent(struct dhcp4 *d, enum dhcp_type type)
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

void client_nothing_sent(struct dhcp4 *d)
{
	struct dhcp4_packet p;

	CHECK(!dhcp4_pop_packet(d, &p));
}

void client_give(struct dhcp4 *d, struct msg *m, uint64_t now)
{
	struct dhcp_reply r;

	memcpy(m->bytes + MSG_CHADDR, client_mac.bytes, client_mac.len);
	msg_wrap(m);
	dhcp_parse(&r, m->bytes, m->len, true);
	dhcp4_take(d, &r, now);
}

void client_reply(struct dhcp4 *d, uint8_t type, uint32_t server, uint64_t now)
{
	struct msg m;

	msg_offer(&m, type, dhcp4_xid(d), ADDRESS, server);
	client_give(d, &m, now);
}

struct dhcp_event client_event(struct dhcp4 *d, enum dhcp_event_type type)
{
	struct dhcp_event ev = {0};

	CHECK(dhcp4_pop_event(d, &ev));
	CHECK_INT(ev.type, type);
	return ev;
}

void client_no_event(struct dhcp4 *d)
{
	struct dhcp_event ev;

	if (dhcp4_pop_event(d, &ev))
		check_fail(__FILE__, __LINE__, "unexpected event %d", ev.type);
}

/* Discover, offer, request, ack at the given time. */
void client_bind_at(struct dhcp4 *d, uint64_t now)
{
	dhcp4_start(d, now);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, now);
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_ACK, SERVER, now);
	client_event(d, DHCP_EVENT_LEASE);
	CHECK_STR(dhcp4_state_name(d), "bound");
}
