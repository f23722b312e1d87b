/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dhcp4_offer: which offer counts. The first one does, since waiting for a better one costs every boot its time;
 * but a server that has left REQUESTs unanswered may be the fastest each time, so that its offer is held until
 * the next DISCOVER would be due, and another server's goes first. Pure.
 */
#pragma once

#include <netinet/in.h>

#include "base/util.h"

#define DHCP4_SILENT_MAX 4

/* Zeroed: no server was silent, no offer is held. */
struct dhcp4_offer {
	struct in_addr silent[DHCP4_SILENT_MAX]; /* left REQUESTs unanswered since the last lease */
	size_t n_silent;
	struct in_addr address, server; /* held; server 0: none */
};

/* dhcp4_offer_silent: remembers a server that has not answered. More than fit are forgotten. */
void dhcp4_offer_silent(struct dhcp4_offer *o, struct in_addr server);

/* dhcp4_offer_take: keeps an offer that is better than the one held, if any. true: it counts now; false: wait. */
bool dhcp4_offer_take(struct dhcp4_offer *o, struct in_addr server, struct in_addr address);
