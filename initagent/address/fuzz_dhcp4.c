// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The DHCP state machine under a hostile server and odd times. The input is a row of steps: time passes,
 * carrier comes and goes, replies arrive with chosen type, sender, address and lease. It must never be
 * without a next step while it has carrier, nor do a step without end.
 */
#include "address/dhcp4.h"
#include "address/dhcp_option.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool good)
{
	if (!good)
		__builtin_trap();
}

static void reply(struct dhcp4 *d, struct cursor *c, uint64_t now)
{
	struct dhcp_reply r = {
		.type = cursor_u8(c) % DHCP_TYPE_MAX,
		.xid = dhcp4_xid(d),
		.server_id = {htonl(0x0a000000u + cursor_u8(c) % 4)},
		.yiaddr = {htonl(0x0a000000u + cursor_u8(c) % 4)},
		.has_lease = cursor_u8(c) % 2,
		.lease_s = cursor_be32(c),
		.t1_s = cursor_u8(c),
		.t2_s = cursor_u8(c),
	};

	dhcp4_take(d, &r, now);
}

static void drain(struct dhcp4 *d)
{
	struct dhcp4_packet p;
	struct dhcp4_event ev;
	int n = 0;

	while (dhcp4_pop_event(d, &ev))
		check(++n < DHCP4_EVENT_MAX);
	check(!dhcp4_pop_packet(d, &p) || (p.len >= DHCP_PACKET_MIN && p.len <= DHCP_REQUEST_MAX));
	check(!dhcp4_pop_packet(d, &p));
}

static void step(struct dhcp4 *d, struct cursor *c, uint64_t *now, bool *carrier)
{
	switch (cursor_u8(c) % 6) {
	case 0:
		dhcp4_start(d, *now);
		*carrier = true;
		break;
	case 1:
		dhcp4_stop(d, *now);
		*carrier = false;
		break;
	case 2: reply(d, c, *now); break;
	case 3:
		if (*carrier)
			dhcp4_decline(d, *now);
		break;
	case 4: *now += cursor_be16(c) * NSEC_PER_SEC; break;
	default:
		if (dhcp4_deadline(d) != NSEC_NEVER && dhcp4_deadline(d) > *now)
			*now = dhcp4_deadline(d);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = size ? cursor_make(data, size) : (struct cursor){.failed = true};
	struct dhcp4_config cfg = {.identity = {.htype = 1, .hlen = 6, .client_id_len = 7}};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = NULL;
	uint64_t now = NSEC_PER_SEC;
	bool carrier = false;

	if (cursor_u8(&c) & 1) {
		cfg.servers[0].s_addr = htonl(0x0a000001);
		cfg.n_servers = 1;
	}
	if (dhcp4_new(&d, &cfg) < 0)
		return 0;
	/* A clock that has run for 146 years is beyond any machine's. */
	while (c.left && now < UINT64_C(1) << 62) {
		const struct dhcp4_lease *l;

		step(d, &c, &now, &carrier);
		drain(d);
		dhcp4_tick(d, now);
		drain(d);
		l = dhcp4_lease(d);
		/* A tick leaves nothing undone; only a lease for ever needs no next step. */
		check(dhcp4_deadline(d) > now);
		check(!carrier || dhcp4_deadline(d) != NSEC_NEVER || (l && l->expires == NSEC_NEVER));
		check(!l || l->expires > now);
		check(!l || (l->obtained <= l->renew && l->renew <= l->rebind && l->rebind <= l->expires));
	}
	return 0;
}
