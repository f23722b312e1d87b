// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/dhcp4_lease.h"

#include "address/dhcp_option.h"
#include "address/result.h"

uint8_t dhcp4_lease_prefix(const struct dhcp_reply *r)
{
	return r->prefix ? (uint8_t)r->prefix : inet4_class_prefix(r->yiaddr);
}

static bool say(struct dhcp4_fault *f, const char *fmt, const struct in_addr *a, unsigned prefix)
{
	const struct inet_addr addr = {.family = AF_INET, .v4 = *a};
	char name[INET_ADDR_TEXT];

	snprintf(f->text, sizeof(f->text), fmt, inet_text(&addr, name), prefix);
	return true;
}

bool dhcp4_server_fault(const struct dhcp_reply *r, struct dhcp4_fault *f)
{
	if (!r->server_id.s_addr)
		return say(f, "no server identifier", &r->server_id, 0);
	if (!inet4_is_host(r->server_id))
		return say(f, "its server identifier %s is not a host address", &r->server_id, 0);
	return false;
}

/* Of the server's subnet nothing is known unless it is the client's too. */
static bool server_possible(const struct dhcp_reply *r, unsigned prefix)
{
	uint32_t apart = ntohl(r->server_id.s_addr ^ r->yiaddr.s_addr);

	return apart && (apart >> (32 - prefix) || inet4_is_host_of(r->server_id, prefix));
}

bool dhcp4_lease_fault(const struct dhcp_reply *r, struct dhcp4_fault *f)
{
	unsigned prefix = dhcp4_lease_prefix(r);

	if (r->dropped & UINT32_C(1) << FIELD_MASK)
		return say(f, r->mask.s_addr ? "its subnet mask %s is invalid"
					     : "its subnet mask is empty or has a wrong length",
					     &r->mask, 0);
	if (!inet4_is_host(r->yiaddr))
		return say(f, "no usable address in it: %s", &r->yiaddr, 0);
	if (!inet4_is_host_of(r->yiaddr, prefix))
		return say(f, "its address %s is not a host address in a /%u subnet",
			&r->yiaddr, prefix);
	if (!server_possible(r, prefix))
		return say(f, "its server identifier %s is not another host's address in the "
			"subnet (/%u)",
			&r->server_id, prefix);
	if (r->has_lease && r->lease_s == 0)
		return say(f, "its lease time is 0 s", &r->yiaddr, 0);
	return false;
}

void dhcp4_lease_make(struct dhcp4_lease *l, const struct dhcp_reply *ack, uint64_t from)
{
	uint32_t lease = ack->has_lease ? ack->lease_s : DHCP4_LEASE_DEFAULT_S;
	uint32_t t1 = ack->t1_s, t2 = ack->t2_s;

	if (lease == UINT32_MAX) {
		t1 = t2 = UINT32_MAX;
	} else if (!(t1 > 0 && t1 < t2 && t2 < lease)) {
		t1 = lease / 2;
		t2 = (uint32_t)((uint64_t)lease * 7 / 8);
	}
	l->ack = *ack;
	l->ack.lease_s = lease;
	l->life = (struct lease_life){
		.obtained = from,
		.renew = dhcp_after(from, dhcp_span(t1)),
		.rebind = dhcp_after(from, dhcp_span(t2)),
		.expires = dhcp_after(from, dhcp_span(lease)),
	};
	/* Whole seconds leave nothing of such a one to renew it in; twice a second is no storm. */
	if (lease < DHCP4_LEASE_TINY_S) {
		l->life.renew = from + lease * NSEC_PER_SEC / 2;
		l->life.rebind = from + lease * NSEC_PER_SEC / 8 * 7;
	}
}

/* What differs between any two ACKs of one lease is made equal, then the rest is compared. */
bool dhcp4_lease_same(const struct dhcp_reply *a, const struct dhcp_reply *b)
{
	struct dhcp_reply x = *a, y = *b;

	x.xid = y.xid;
	x.hlen = y.hlen;
	memcpy(x.chaddr, y.chaddr, sizeof(x.chaddr)); /* on IPoIB whatever a relay makes of it */
	x.source = y.source;
	x.ciaddr = y.ciaddr;
	x.rapid = y.rapid;
	x.lease_s = y.lease_s;
	x.has_lease = y.has_lease;
	x.t1_s = y.t1_s;
	x.t2_s = y.t2_s;
	return !memcmp(&x, &y, sizeof(x));
}

bool dhcp4_ack_late(const struct dhcp_reply *r, struct in_addr server, struct in_addr address)
{
	return server.s_addr && r->server_id.s_addr == server.s_addr &&
		r->yiaddr.s_addr == address.s_addr;
}

/* --- offers --------------------------------------------------------------------------------- */

static bool has_failed(const struct dhcp4_offer *o, struct in_addr server)
{
	for (size_t i = 0; i < o->n_failed; i++)
		if (o->failed[i].s_addr == server.s_addr)
			return true;
	return false;
}

void dhcp4_offer_failed(struct dhcp4_offer *o, struct in_addr server)
{
	if (!has_failed(o, server) && o->n_failed < DHCP4_FAILED_MAX)
		o->failed[o->n_failed++] = server;
}

bool dhcp4_offer_take(struct dhcp4_offer *o, struct in_addr server, struct in_addr address)
{
	bool wait = has_failed(o, server);

	if (!wait || !o->server.s_addr) {
		o->server = server;
		o->address = address;
	}
	return !wait;
}
