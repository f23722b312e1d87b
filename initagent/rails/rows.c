// SPDX-License-Identifier: GPL-2.0-or-later
/* rows: the table of the rails, their states, and what is told of them. */
#include "rails/private.h"

static const char *const state_names[RAIL_STATE_MAX] = {
	[RAIL_ADDRESSING] = "addressing",
	[RAIL_SPARE] = "spare",
	[RAIL_PORT] = "waiting for the port",
	[RAIL_READY] = "ready",
	[RAIL_LOST] = "lost",
	[RAIL_FAILED] = "failed",
};

const char *rail_state_name(enum rail_state state)
{
	return (unsigned)state < RAIL_STATE_MAX ? state_names[state] : "?";
}

void rail_set_state(struct rails *rails, struct rail *r, enum rail_state to, uint64_t now)
{
	if (r->state == to)
		return;
	report_state(rails->report, "rail", r->name, state_names[r->state], state_names[to], now);
	r->state = to;
}

bool rails_room(const struct rails *rails)
{
	return rails->n_events + RAILS_LIMIT < RAILS_EVENTS;
}

struct rails_event *rails_emit(struct rails *rails, enum rails_event_type type, int ifindex)
{
	struct rails_event *ev = &rails->events[(rails->first + rails->n_events) % RAILS_EVENTS];

	if (rails->n_events < RAILS_EVENTS)
		rails->n_events++;
	*ev = (struct rails_event){.type = type, .ifindex = ifindex};
	return ev;
}

void rail_refused(const struct rails *rails, const char *name, uint64_t now)
{
	report_cause(rails->report, CAUSE_NETDEV_CONFIG, name, now, "%s",
		links_error(rails->links));
}

void rail_gone(struct rails *rails, const struct rail *rail)
{
	(void)rails_emit(rails, RAILS_LOST, rail->ifindex);
}

struct rail *rails_row(struct rails *rails, int ifindex)
{
	for (size_t i = 0; i < rails->n; i++)
		if (rails->rows[i].ifindex == ifindex)
			return &rails->rows[i];
	return NULL;
}

const struct rail *rails_find(const struct rails *rails, int ifindex)
{
	return rails_row((struct rails *)(uintptr_t)rails, ifindex);
}

bool rails_other_ready(const struct rails *rails, const struct rail *rail)
{
	for (size_t i = 0; i < rails->n; i++)
		if (&rails->rows[i] != rail && rails->rows[i].state == RAIL_READY)
			return true;
	return false;
}
