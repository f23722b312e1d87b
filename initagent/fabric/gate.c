// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gate: when a port may carry its rail. One row a condition, looked at in order, so that the first
 * thing to mend is the one that is named. ACTIVE and SM LID are judged together: sm_lid is set
 * shortly before ACTIVE and keeps its old value while the port is DOWN.
 */
#include "fabric/fabric.h"

/* LIDs that mean "none": reserved, and the permissive LID (IBTA vol. 1, 4.1.1). */
static bool no_lid(uint32_t lid)
{
	return lid == 0 || lid == 0xffff || lid == 0xffffffff;
}

static bool is_ib(const struct fabric_port *p)
{
	return p->link_layer != LINK_LAYER_ETHERNET;
}

static bool no_link(const struct fabric_port *p)
{
	return p->state <= PORT_STATE_DOWN && p->phys != PHYS_LINK_UP && p->phys != PHYS_UNKNOWN;
}

static bool waits_for_sm(const struct fabric_port *p)
{
	return is_ib(p) && (p->state == PORT_INIT || p->state == PORT_ARMED);
}

static bool not_active(const struct fabric_port *p)
{
	return p->state != PORT_ACTIVE && p->state != PORT_ACTIVE_DEFER;
}

static bool lacks_lid(const struct fabric_port *p)
{
	return is_ib(p) && no_lid(p->lid);
}

static bool lacks_sm_lid(const struct fabric_port *p)
{
	return is_ib(p) && no_lid(p->sm_lid);
}

static const struct {
	bool (*applies)(const struct fabric_port *p);
	enum cause cause;
	const char *what;
} rows[] = {
	{no_link, CAUSE_PORT_NO_LINK, "no link"},
	{waits_for_sm, CAUSE_PORT_NO_SM, "waiting for the subnet manager"},
	{not_active, CAUSE_PORT_DOWN, "not ACTIVE"},
	{lacks_lid, CAUSE_PORT_NO_SM, "no LID yet"},
	{lacks_sm_lid, CAUSE_PORT_NO_SM, "subnet manager's LID unknown"},
};

enum cause fabric_gate(const struct fabric_port *port, char *text, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!rows[i].applies(port))
			continue;
		snprintf(text, size, "%s (state %s, phys %s)", rows[i].what,
			port_state_name(port->state), port_phys_name(port->phys));
		return rows[i].cause;
	}
	if (size)
		text[0] = 0;
	return CAUSE_NONE;
}
