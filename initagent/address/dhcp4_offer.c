// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp4_offer: see dhcp4_offer.h. */
#include "address/dhcp4_offer.h"

static bool was_silent(const struct dhcp4_offer *o, struct in_addr server)
{
	for (size_t i = 0; i < o->n_silent; i++)
		if (o->silent[i].s_addr == server.s_addr)
			return true;
	return false;
}

void dhcp4_offer_silent(struct dhcp4_offer *o, struct in_addr server)
{
	if (!was_silent(o, server) && o->n_silent < DHCP4_SILENT_MAX)
		o->silent[o->n_silent++] = server;
}

bool dhcp4_offer_take(struct dhcp4_offer *o, struct in_addr server, struct in_addr address)
{
	bool wait = was_silent(o, server);

	if (!wait || !o->server.s_addr) {
		o->server = server;
		o->address = address;
	}
	return !wait;
}
