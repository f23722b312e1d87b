// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The DHCP state machine under a hostile server and odd times. The input is a row of steps: time
 * passes, carrier comes and goes, replies arrive with chosen type, sender, address, lease and
 * echoed client identifier, with one form of identifier or four in turn. It must never be without a
 * next step while it has carrier, nor do a step without end, nor show an identifier that is not in
 * its list.
 */
#include "address/dhcp4.h"
#include "address/dhcp_option.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct link_hw hw = {
	.len = 20, .bytes = {[12] = 0xb8, 0xce, 0xf6, 3, 0, 0x31, 0x33, 0x3e}};

static void check(bool good)
{
	if (!good)
		__builtin_trap();
}

/* An echo of one of the forms, or of another client's. */
static void echo(struct dhcp_reply *r, uint8_t which)
{
	struct client_id id;

	if (which == 0 || client_id_infiniband(&id, which % CLIENT_ID_FORM_MAX, &hw, NULL) < 0)
		return;
	r->client_id_len = (uint32_t)id.len;
	memcpy(r->client_id, id.bytes, id.len);
}

static void reply(struct dhcp4 *d, struct cursor *c, uint64_t now)
{
	struct dhcp_reply r = {
		.type = cursor_u8(c) % DHCP_TYPE_MAX,
		.xid = dhcp4_xid(d),
		.server_id = {htonl(0x0a000000u + cursor_u8(c) % 4)},
		.yiaddr = {htonl(0x0a0000feu + cursor_u8(c) % 4)},
		.hlen = 6,
	};
	uint8_t odd = cursor_u8(c);

	r.has_lease = odd % 2;
	r.lease_s = cursor_be32(c);
	r.t1_s = cursor_u8(c);
	r.t2_s = cursor_u8(c);
	r.dropped = (odd & 2) ? 1 << FIELD_MASK : 0;
	r.prefix = (odd & 4) ? 24 : 0; /* then 10.0.0.255 and 10.0.1.0 are no host's */
	r.chaddr[5] = odd & 8;
	r.rapid = odd >> 5 & 1;
	r.server_id.s_addr |= (odd & 16) ? htonl(0xff) : 0;
	dhcp4_take(d, &r, now);
}

static void echo_reply(struct dhcp4 *d, struct cursor *c, uint64_t now)
{
	struct dhcp_reply r = {
		.type = DHCP_OFFER,
		.xid = dhcp4_xid(d),
		.server_id = {htonl(0x0a000001u)},
		.yiaddr = {htonl(0x0a000002u)},
		.hlen = 6,
	};

	echo(&r, cursor_u8(c));
	dhcp4_take(d, &r, now);
}

/* Must be one of the list, and what the packets show. */
static void check_form(const struct dhcp4 *d, const struct dhcp4_config *cfg)
{
	const struct client_id *id = &dhcp4_identity(d)->client_id;
	size_t n = 0;

	while (n < cfg->n_ids && (cfg->ids[n].len != id->len ||
		memcmp(cfg->ids[n].bytes, id->bytes, id->len)))
		n++;
	check(cfg->n_ids == 0 || n < cfg->n_ids);
}

static void drain(struct dhcp4 *d)
{
	struct dhcp4_packet p;
	struct dhcp_event ev;
	int n = 0;

	while (dhcp4_pop_event(d, &ev))
		check(++n < DHCP_EVENT_MAX);
	check(!dhcp4_pop_packet(d, &p) || (p.len >= DHCP_PACKET_MIN && p.len <= DHCP_REQUEST_MAX));
	check(!dhcp4_pop_packet(d, &p));
}

static void step(struct dhcp4 *d, struct cursor *c, uint64_t *now, bool *carrier)
{
	switch (cursor_u8(c) % 7) {
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
	case 6: echo_reply(d, c, *now); break;
	default:
		if (dhcp4_deadline(d) != NSEC_NEVER && dhcp4_deadline(d) > *now)
			*now = dhcp4_deadline(d);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cursor c = size ? cursor_make(data, size) : (struct cursor){.failed = true};
	struct dhcp4_config cfg = {.identity = {.htype = 1, .hlen = 6, .client_id = {.len = 7}}};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = NULL;
	uint64_t now = NSEC_PER_SEC;
	bool carrier = false;
	uint8_t flags;

	flags = cursor_u8(&c);
	if (flags & 1) {
		cfg.servers[0].s_addr = htonl(0x0a000001);
		cfg.n_servers = 1;
	}
	if (flags & 2)
		cfg.n_ids = (size_t)client_id_list(cfg.ids, PLAN_CLIENTID_AUTO, &hw, NULL);
	if (flags & 4)
		cfg.request.s_addr = htonl(0x0a0000fe);
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
		check_form(d, &cfg);
		/* A tick leaves nothing undone; only a lease for ever needs no next step. */
		check(dhcp4_deadline(d) > now);
		check(!carrier || dhcp4_deadline(d) != NSEC_NEVER ||
			(l && l->life.expires == NSEC_NEVER));
		check(!l || l->life.expires > now);
		check(!l ||
			(l->life.obtained <= l->life.renew && l->life.renew <= l->life.rebind &&
			l->life.rebind <= l->life.expires));
	}
	return 0;
}
