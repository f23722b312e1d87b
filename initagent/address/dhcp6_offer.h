/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcp6_offer: the ADVERTISEs of a search: which server is asked, and which one after it. A server that was asked and gave
 * no address, by refusal or by silence, stands behind all others whatever its preference (RFC 8415 section 18.2.10.1:
 * try another server), until there is a lease. Pure.
 */
#pragma once

#include "address/dhcp6_message.h"

#define DHCP6_FAILED_MAX 4

/* Zeroed: nothing known. */
struct dhcp6_offer {
	bool has_best, has_second;
	struct dhcp6_reply best, second; /* of two servers; best is also whom a REQUEST asks */
	struct duid failed[DHCP6_FAILED_MAX];
	size_t n_failed;
};

bool duid_equal(const struct duid *a, const struct duid *b);

/* dhcp6_offer_take: an ADVERTISE with an address. true: worth a REQUEST soon; false: only if no other comes. */
bool dhcp6_offer_take(struct dhcp6_offer *o, const struct dhcp6_reply *r);

/* dhcp6_offer_fail: the best one's server gave none. true: the second one is the best now. */
bool dhcp6_offer_fail(struct dhcp6_offer *o);
