/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dhcp4_lease: which OFFER counts, an ACK and what follows from it. Pure. */
#pragma once

#include "address/dhcp.h"
#include "address/dhcp_reply.h"

/* The lease time taken when a server names none: as long as the default of most servers. */
#define DHCP4_LEASE_DEFAULT_S 3600
/* Below this T1 and T2 are fractions of seconds, whatever the server says of them. */
#define DHCP4_LEASE_TINY_S 4

struct dhcp4_lease {
	struct dhcp_reply ack;
	struct lease_life life;
};

/*
 * dhcp4_lease_make: the lease an ACK grants, counted from the time its request was sent (RFC 2131
 * section 4.4.1). A short lease is as short as the server says, since it may give the address to
 * another node then: it is renewed sooner instead. T1 and T2 are the server's if T1 < T2 < lease,
 * else 1/2 and 7/8 of the lease. Without lease time it is an hour.
 */
void dhcp4_lease_make(struct dhcp4_lease *l, const struct dhcp_reply *ack, uint64_t from);

/*
 * dhcp4_lease_prefix: of the subnet mask or, from servers that send none, of the address's class
 * (RFC 950), as systemd's client has it. An invalid mask is another matter: dhcp4_lease_fault().
 */
uint8_t dhcp4_lease_prefix(const struct dhcp_reply *r);

/* What is wrong with a reply, for a message about it: "its subnet mask 255.0.255.0 is invalid". */
struct dhcp4_fault {
	char text[96];
};

/* dhcp4_server_fault: a reply whose server identifier is missing or no host's. */
bool dhcp4_server_fault(const struct dhcp_reply *r, struct dhcp4_fault *f);

/*
 * dhcp4_lease_fault: an OFFER or ACK of what no host can have: address, mask, or a server
 * identifier that is the client itself or its subnet's own number or broadcast address; a lease of
 * no time.
 */
bool dhcp4_lease_fault(const struct dhcp_reply *r, struct dhcp4_fault *f);

/* dhcp4_lease_same: do two ACKs grant the same, their times aside? */
bool dhcp4_lease_same(const struct dhcp_reply *a, const struct dhcp_reply *b);

/* dhcp4_ack_late: is this the ACK to a REQUEST to that server that was given up? An overloaded one
 * has committed the lease. */
bool dhcp4_ack_late(const struct dhcp_reply *r, struct in_addr server, struct in_addr address);

/*
 * The first OFFER counts, since waiting for a better one costs every boot its time; but a server
 * that has left REQUESTs unanswered, refuses what it offers, or leases what is in use, may be the
 * fastest each time, so that its offer is held until the next DISCOVER would be due, and another
 * server's goes first.
 */
#define DHCP4_FAILED_MAX 4

struct dhcp4_offer { /* zeroed: no server has failed, no offer is held */
	struct in_addr failed[DHCP4_FAILED_MAX]; /* since the last lease */
	size_t n_failed;
	struct in_addr address, server; /* held; server 0: none */
};

/* dhcp4_offer_failed: remembers a server as one of those. More than fit are forgotten. */
void dhcp4_offer_failed(struct dhcp4_offer *o, struct in_addr server);

/* dhcp4_offer_take: keeps an offer that is better than the one held, if any. true: it counts now;
 * false: wait. */
bool dhcp4_offer_take(struct dhcp4_offer *o, struct in_addr server, struct in_addr address);
