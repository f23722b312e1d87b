// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/dhcp.h"

#include "base/random.h"

uint64_t dhcp_jitter(uint64_t wait, unsigned part)
{
	uint64_t most = wait / part;

	return wait - most + random_part(2 * most);
}

struct dhcp_event *dhcp_note(struct dhcp_events *e, enum dhcp_event_type type)
{
	e->slots[type] = (struct dhcp_event){.type = type};
	return &e->slots[type];
}

bool dhcp_pop(struct dhcp_events *e, struct dhcp_event *ret)
{
	for (size_t t = DHCP_EVENT_NOTHING + 1; t < DHCP_EVENT_MAX; t++) {
		if (!e->slots[t].type)
			continue;
		*ret = e->slots[t];
		e->slots[t].type = DHCP_EVENT_NOTHING;
		return true;
	}
	return false;
}
