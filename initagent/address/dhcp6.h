/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcp6: the state machine of a DHCPv6 client for one address (RFC 8415 section 18.2) without any
 * input or output of its own: it takes parsed answers and the time, and yields packets and events.
 * The owner sends, receives and has answers parsed.
 *
 * Where it departs from the RFC, and why:
 *  - the first message leaves at once (no wait of up to 1 s): nodes spread by the time their
 *    links take, and every later delay has jitter;
 *  - SOLICIT carries Rapid Commit; an ADVERTISE is waited for others beside it 0.2 s, not the
 *    whole first second, unless it has preference 255: then it is taken at once, as the RFC says;
 *  - SOLICIT is repeated after 1, 2, 4, 8, 16 and then every 30 s, not up to an hour apart,
 *    unless a server says otherwise (option 82): a node that boots has nothing else to do;
 *  - REQUEST is given up after 5 tries (31 s), not 10 (some three minutes): another server may be
 *    well, and is asked at once if it has made an offer too;
 *  - a lease of seconds is renewed sooner, not stretched: the server may give the address to
 *  another node then;
 *  - INFORMATION-REQUEST is repeated as SOLICIT is, and asks neither for INF_MAX_RT nor for a
 *    refresh time (options 83, 32): its answer is for one boot;
 *  - RECONFIGURE is ignored: nothing authenticates it.
 */
#pragma once

#include "address/dhcp.h"
#include "address/dhcp6_message.h"

struct dhcp6;

struct dhcp6_config {
	struct duid client;
	uint32_t iaid;
	char hostname[ADDRESS_HOSTNAME_MAX + 1]; /* "": none sent */
	bool information; /* no address, only the rest (INFORMATION-REQUEST) */
};

struct dhcp6_lease {
	struct dhcp6_reply reply;
	struct lease_life life;
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

/* dhcp6_start: the link is up; a lease that is held is confirmed first. dhcp6_stop: it is not any
 * more. */
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
bool dhcp6_pop_event(struct dhcp6 *d, struct dhcp_event *ret);

/* dhcp6_lease: what is held, NULL when nothing is. */
const struct dhcp6_lease *dhcp6_lease(const struct dhcp6 *d);
