/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcp6_offer: is there an address for this client in an answer, and if not, why: a status code is
 * the server's word, everything else is wrong with what it sends. And the ADVERTISEs of a search:
 * which server is asked, and which one after it. A server that was asked and gave no address, by
 * refusal or by silence, or one that is in use, comes after all others whatever its preference (RFC
 * 8415 section 18.2.10.1: try another server), until there is a lease. Pure.
 */
#pragma once

#include "address/dhcp6_message.h"

/* Why there is none. */
struct dhcp6_judgement {
	uint32_t status; /* as the server sent it; 0: something is wrong with the answer */
	char text[128];	 /* and what: "no address in its IA_NA" */
};

/*
 * dhcp6_leasable: can a server lease it: a host's, not a link-local one, nor the subnet-router
 * anycast address of a /64 (RFC 4291 section 2.6.1), which is the routers'?
 */
bool dhcp6_leasable(const struct in6_addr *a);

/*
 * dhcp6_choose: fills r->address and its lifetimes from the addresses of the IA: the one held, if
 * it is among the usable ones, else the first of these. Each is judged alone (RFC 8415 section
 * 18.2.10.1). held may be NULL. False: there is none, and *ret says why.
 */
bool dhcp6_choose(struct dhcp6_reply *r, const struct in6_addr *held,
	struct dhcp6_judgement *ret);

/* dhcp6_withdraws: does it say of this address that it is not to be used any more (valid lifetime
 * 0)? */
bool dhcp6_withdraws(const struct dhcp6_reply *r, const struct in6_addr *held);

#define DHCP6_FAILED_MAX 4

/* Zeroed: nothing known. */
struct dhcp6_offer {
	bool has_best, has_second;
	struct dhcp6_reply best, second; /* of two servers; best is also the one a REQUEST asks */
	struct duid failed[DHCP6_FAILED_MAX];
	size_t n_failed;
};

bool duid_equal(const struct duid *a, const struct duid *b);

/* dhcp6_offer_take: an ADVERTISE with an address. true: worth a REQUEST soon; false: only if no
 * other comes. */
bool dhcp6_offer_take(struct dhcp6_offer *o, const struct dhcp6_reply *r);

/* dhcp6_offer_failed: remembers that server. More than fit are forgotten. */
void dhcp6_offer_failed(struct dhcp6_offer *o, const struct duid *server);

/* dhcp6_offer_fail: the best one's server gave none. true: the second one is the best now. */
bool dhcp6_offer_fail(struct dhcp6_offer *o);
