/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcp6: the state machine of a DHCPv6 client for one address (RFC 8415 section 18.2) without any input or output of
 * its own: it takes parsed answers and the time, and yields packets and events. The owner sends, receives and
 * has answers parsed.
 *
 * Where it departs from the RFC, and why:
 *  - the first message leaves at once (no wait of up to 1 s): nodes spread by the time their links take, and
 *    every later delay has jitter;
 *  - SOLICIT carries Rapid Commit; an ADVERTISE is waited for others beside it 0.2 s, not the whole first
 *    second, unless it has preference 255: then it is taken at once, as the RFC says;
 *  - SOLICIT is repeated after 1, 2, 4, 8, 16 and then every 30 s, not up to an hour apart, unless a server says
 *    otherwise (option 82): a node that boots has nothing else to do;
 *  - REQUEST is given up after 5 tries (31 s), not 10 (some three minutes): another server may be well, and
 *    is asked at once if it has made an offer too;
 *  - a lease of seconds is renewed sooner, not stretched: the server may give the address to another node then;
 *  - RECONFIGURE is ignored: nothing authenticates it.
 */
#pragma once

#include "address/dhcp6_message.h"

struct dhcp6;

struct dhcp6_config {
	struct duid client;
	uint32_t iaid;
	char hostname[ADDRESS_HOSTNAME_MAX + 1]; /* "": none sent */
	bool information; /* no address, only the rest (INFORMATION-REQUEST) */
};

/* What a server gave. Times are CLOCK_BOOTTIME ns, NSEC_NEVER without end. */
struct dhcp6_lease {
	struct dhcp6_reply reply;
	uint64_t obtained, renew, rebind, expires;
};

enum dhcp6_event_type {
	DHCP6_EVENT_NOTHING,
	DHCP6_EVENT_LEASE,	/* there is a lease: new, or with another address than before */
	DHCP6_EVENT_RENEWED,	/* the same lease goes on, maybe with other servers */
	DHCP6_EVENT_INFORMED,	/* the answer to INFORMATION-REQUEST is in dhcp6_lease() */
	DHCP6_EVENT_REFUSED,	/* a server answered status instead of an address; dhcp6_lease() says whether one held is gone */
	DHCP6_EVENT_WITHDRAWN,	/* the server took the address of the lease back */
	DHCP6_EVENT_EXPIRED,	/* the lease ran out */
	DHCP6_EVENT_BAD_REPLY,	/* text says what is wrong with it */
	DHCP6_EVENT_SILENCE,	/* count messages in a row got no answer */
	DHCP6_EVENT_UNACKED,	/* a server made an offer, and has not answered the REQUEST for it */
	DHCP6_EVENT_MAX,
};

struct dhcp6_unacked {
	struct duid server;
	struct in6_addr source, address; /* of the server; what it offered */
	unsigned requests;
	bool over; /* no more of them follow */
};

struct dhcp6_event {
	enum dhcp6_event_type type;
	uint32_t status;	/* REFUSED */
	unsigned count;		/* SILENCE */
	struct in6_addr source; /* BAD_REPLY: whom it came from */
	char text[128];		/* BAD_REPLY */
	struct dhcp6_unacked unacked; /* UNACKED */
};

/* A UDP payload for ff02::1:2, port 547. */
struct dhcp6_packet {
	size_t len;
	uint8_t bytes[DHCP6_REQUEST_MAX];
};

/* dhcp6_new: copies cfg. 0, -EINVAL (no client identifier) or -ENOMEM. */
int dhcp6_new(struct dhcp6 **ret, const struct dhcp6_config *cfg);
struct dhcp6 *dhcp6_free(struct dhcp6 *d);
DEFINE_FREEP(struct dhcp6, dhcp6_free)

/* dhcp6_start: the link is up; a lease that is held is confirmed first. dhcp6_stop: it is not any more. */
void dhcp6_start(struct dhcp6 *d, uint64_t now);
void dhcp6_stop(struct dhcp6 *d, uint64_t now);

/* dhcp6_adopt: a lease of an earlier run; needs server, address and times only. */
void dhcp6_adopt(struct dhcp6 *d, const struct dhcp6_lease *lease, uint64_t now);

/* dhcp6_decline: another host has the address: tells the server, rests 10 s, starts over. */
void dhcp6_decline(struct dhcp6 *d, uint64_t now);

uint64_t dhcp6_deadline(const struct dhcp6 *d);
void dhcp6_tick(struct dhcp6 *d, uint64_t now);
void dhcp6_take(struct dhcp6 *d, const struct dhcp6_reply *r, uint64_t now);

/* dhcp6_listens: does it wait for an answer? */
bool dhcp6_listens(const struct dhcp6 *d);
uint32_t dhcp6_xid(const struct dhcp6 *d);

bool dhcp6_pop_packet(struct dhcp6 *d, struct dhcp6_packet *ret);
bool dhcp6_pop_event(struct dhcp6 *d, struct dhcp6_event *ret);

/* dhcp6_lease: what is held, NULL when nothing is. */
const struct dhcp6_lease *dhcp6_lease(const struct dhcp6 *d);
