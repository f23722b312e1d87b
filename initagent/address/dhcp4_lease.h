/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dhcp4_lease: an ACK and what follows from it. Pure. */
#pragma once

#include "address/dhcp_reply.h"

/* A lease: the ACK and its times, CLOCK_BOOTTIME ns, NSEC_NEVER without end. */
struct dhcp4_lease {
	struct dhcp_reply ack;
	uint64_t obtained, renew, rebind, expires;
};

/*
 * dhcp4_lease_make: the lease an ACK grants, counted from the time its request was sent (RFC 2131
 * section 4.4.1). T1 and T2 are the server's if T1 < T2 < lease, else 1/2 and 7/8 of the lease. Without lease
 * time it is an hour.
 */
void dhcp4_lease_make(struct dhcp4_lease *l, const struct dhcp_reply *ack, uint64_t from);

/* dhcp4_lease_same: do two ACKs grant the same, their times aside? */
bool dhcp4_lease_same(const struct dhcp_reply *a, const struct dhcp_reply *b);
