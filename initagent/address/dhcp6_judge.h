/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcp6_judge: is there an address for this client in an answer, and if not, why: what a server says (a status code)
 * is told from what is wrong with what it sends. Pure.
 */
#pragma once

#include "address/dhcp6_message.h"

enum dhcp6_verdict {
	DHCP6_USABLE,
	DHCP6_REFUSED, /* status is what the server sent */
	DHCP6_FAULTY,  /* text says what is wrong: "no address in its IA_NA" */
};

struct dhcp6_judgement {
	uint32_t status;
	char text[128];
};

/*
 * dhcp6_leasable: can a server lease it: a host's, not a link-local one, nor the subnet-router anycast address of a
 * /64 (RFC 4291 section 2.6.1), which is the routers'?
 */
bool dhcp6_leasable(const struct in6_addr *a);

/*
 * dhcp6_choose: fills r->address and its lifetimes from the addresses of the IA: the one held, if it is among the
 * usable ones, else the first of these. Each is judged alone (RFC 8415 section 18.2.10.1). held may be NULL.
 */
enum dhcp6_verdict dhcp6_choose(struct dhcp6_reply *r, const struct in6_addr *held, struct dhcp6_judgement *ret);

/* dhcp6_withdraws: does it say of this address that it is not to be used any more (valid lifetime 0)? */
bool dhcp6_withdraws(const struct dhcp6_reply *r, const struct in6_addr *held);
