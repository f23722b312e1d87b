// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The DHCPv6 state machine under a hostile server and odd times. The input is a row of steps: time
 * passes, carrier comes and goes, answers arrive with chosen type, status, address and lifetimes.
 * It must never be without a next step while it has carrier, nor do a step without end.
 */
#include "address/dhcp6.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t id[] = {0, 3, 0, 1, 2, 0, 0, 0, 0, 5};

static void check(bool good)
{
	if (!good)
		__builtin_trap();
}

static void answer(struct dhcp6 *d, struct cursor *c, uint64_t now)
{
	uint8_t what = cursor_u8(c);
	struct dhcp6_reply r = {
		.type = what & 1 ? DHCP6_REPLY : DHCP6_ADVERTISE,
		.xid = dhcp6_xid(d),
		.client.len = sizeof(id),
		.server = {.len = what & 2 ? 4 : 0, .bytes = {0, 2, 0, cursor_u8(c)}},
		.rapid = what >> 2 & 1,
		.has_ia = what >> 3 & 1,
		.n_addresses = what >> 4 & 1,
		.preference = what & 32 ? 255 : 0,
		.status = what & 64 ? cursor_u8(c) : 0,
		.ia_status = what & 128 ? cursor_u8(c) : 0,
		.t1_s = cursor_u8(c),
		.t2_s = cursor_u8(c),
	};

	r.addresses[0].preferred_s = cursor_be32(c);
	r.addresses[0].valid_s = cursor_be32(c);
	r.sol_max_s = cursor_u8(c);
	memcpy(r.client.bytes, id, sizeof(id));
	/* Two addresses, of which the second is good: the first of T1 0 is the anycast one of its
	 * subnet. */
	r.addresses[0].address.s6_addr[0] = r.addresses[1].address.s6_addr[0] = 0x20;
	r.addresses[0].address.s6_addr[15] = (uint8_t)r.t1_s;
	r.addresses[1].address.s6_addr[15] = (uint8_t)r.t2_s;
	r.addresses[1].valid_s = r.sol_max_s;
	r.n_addresses *= 1 + r.sol_max_s % 2;
	dhcp6_take(d, &r, now);
}

static void drain(struct dhcp6 *d)
{
	struct dhcp6_packet p;
	struct dhcp_event ev;
	int n = 0;

	while (dhcp6_pop_event(d, &ev))
		check(++n < DHCP_EVENT_MAX);
	check(!dhcp6_pop_packet(d, &p) || (p.len > 4 && p.len <= DHCP6_REQUEST_MAX));
	check(!dhcp6_pop_packet(d, &p));
}

static void step(struct dhcp6 *d, struct cursor *c, uint64_t *now, bool *carrier)
{
	switch (cursor_u8(c) % 6) {
	case 0:
		dhcp6_start(d, *now);
		*carrier = true;
		break;
	case 1:
		dhcp6_stop(d, *now);
		*carrier = false;
		break;
	case 2: answer(d, c, *now); break;
	case 3:
		if (*carrier)
			dhcp6_decline(d, *now);
		break;
	case 4: *now += cursor_be16(c) * NSEC_PER_SEC; break;
	default:
		if (dhcp6_deadline(d) != NSEC_NEVER && dhcp6_deadline(d) > *now)
			*now = dhcp6_deadline(d);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = size ? cursor_make(data, size) : (struct cursor){.failed = true};
	struct dhcp6_config cfg = {
		.client.len = sizeof(id), .iaid = 7, .information = cursor_u8(&c) & 1};
	_cleanup_(dhcp6_freep) struct dhcp6 *d = NULL;
	uint64_t now = NSEC_PER_SEC;
	bool carrier = false;

	memcpy(cfg.client.bytes, id, sizeof(id));
	if (dhcp6_new(&d, &cfg) < 0)
		return 0;
	/* A clock that has run for 146 years is beyond any machine's. */
	while (c.left && now < UINT64_C(1) << 62) {
		const struct dhcp6_lease *l;

		step(d, &c, &now, &carrier);
		drain(d);
		/* One tick may lead into a state that is due at once, never into a third. */
		for (int n = 0; n < 3 && dhcp6_deadline(d) <= now; n++) {
			dhcp6_tick(d, now);
			drain(d);
		}
		l = dhcp6_lease(d);
		check(dhcp6_deadline(d) > now);
		check(!carrier || dhcp6_deadline(d) != NSEC_NEVER ||
			(l && l->life.expires == NSEC_NEVER));
		check(!l || l->life.expires > now);
		check(!l || (l->life.renew <= l->life.rebind && l->life.rebind <= l->life.expires));
	}
	return 0;
}
