// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp4_lease: see dhcp4_lease.h. */
#include "address/dhcp4_lease.h"

#define LEASE_DEFAULT_S 3600 /* for servers that name none */

/* A time that does not fit counts as never: 584 years of uptime. */
static uint64_t after(uint64_t from, uint32_t seconds)
{
	uint64_t span = seconds * NSEC_PER_SEC;

	return seconds == UINT32_MAX || span > NSEC_NEVER - from ? NSEC_NEVER : from + span;
}

void dhcp4_lease_make(struct dhcp4_lease *l, const struct dhcp_reply *ack, uint64_t from)
{
	uint32_t lease = ack->has_lease ? ack->lease_s : LEASE_DEFAULT_S;
	uint32_t t1 = ack->t1_s, t2 = ack->t2_s;

	if (lease == UINT32_MAX) {
		t1 = t2 = UINT32_MAX;
	} else if (!(t1 > 0 && t1 < t2 && t2 < lease)) {
		t1 = lease / 2;
		t2 = (uint32_t)((uint64_t)lease * 7 / 8);
	}
	l->ack = *ack;
	l->ack.lease_s = lease;
	l->obtained = from;
	l->renew = after(from, t1);
	l->rebind = after(from, t2);
	l->expires = after(from, lease);
}

/* What differs between any two ACKs of one lease is made equal, then the rest is compared. */
bool dhcp4_lease_same(const struct dhcp_reply *a, const struct dhcp_reply *b)
{
	struct dhcp_reply x = *a, y = *b;

	x.xid = y.xid;
	x.source = y.source;
	x.ciaddr = y.ciaddr;
	x.lease_s = y.lease_s;
	x.has_lease = y.has_lease;
	x.t1_s = y.t1_s;
	x.t2_s = y.t2_s;
	return !memcmp(&x, &y, sizeof(x));
}
