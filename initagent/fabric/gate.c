// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gate: when a port may carry its rail. One row a condition, looked at in order, so that the first
 * thing to correct is the one that is named. ACTIVE and SM LID are judged together: sm_lid is set
 * shortly before ACTIVE and keeps its old value while the port is DOWN.
 */
#include <inttypes.h>

#include "fabric/port.h"

/* LIDs that mean "none": reserved, and the permissive LID (IBTA vol. 1, 4.1.1). */
static bool no_lid(uint32_t lid)
{
	return lid == 0 || lid == 0xffff || lid == 0xffffffff;
}

static bool is_ib(const struct fabric_port *p)
{
	return p->link_layer != LINK_LAYER_ETHERNET;
}

static bool is_disabled(const struct fabric_port *p)
{
	/* Some go on calling themselves INIT. */
	return is_ib(p) && p->state <= PORT_INIT && p->phys == PHYS_DISABLED;
}

static bool is_polling(const struct fabric_port *p)
{
	return p->state <= PORT_STATE_DOWN && p->phys == PHYS_POLLING;
}

static bool no_link(const struct fabric_port *p)
{
	return p->state <= PORT_STATE_DOWN && p->phys != PHYS_LINK_UP && p->phys != PHYS_UNKNOWN;
}

static bool waits_for_sm(const struct fabric_port *p)
{
	return is_ib(p) && p->state == PORT_INIT;
}

static bool is_armed(const struct fabric_port *p)
{
	return is_ib(p) && p->state == PORT_ARMED;
}

/* A port that has a link is INIT at least, unless it is a virtual function's (SR-IOV). */
static bool is_held_down(const struct fabric_port *p)
{
	return is_ib(p) && p->state == PORT_STATE_DOWN && p->phys == PHYS_LINK_UP;
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

static bool sm_is_silent(const struct fabric_port *p)
{
	return is_ib(p) && p->smprobe && p->sm.state == FABRIC_SM_SILENT;
}

static bool sm_not_asked(const struct fabric_port *p)
{
	return is_ib(p) && p->smprobe && p->sm.state == FABRIC_SM_UNKNOWN && p->sm.error;
}

static bool sm_not_proven(const struct fabric_port *p)
{
	return is_ib(p) && p->smprobe && p->sm.state != FABRIC_SM_ALIVE;
}

static const struct {
	bool (*applies)(const struct fabric_port *p);
	enum cause cause;
	const char *what;
} rows[] = {
	{is_disabled, CAUSE_PORT_DISABLED, "port is disabled"},
	{is_polling, CAUSE_PORT_NO_LINK, "no link partner: cable out, or its other end off"},
	{no_link, CAUSE_PORT_NO_LINK, "no link"},
	{waits_for_sm, CAUSE_PORT_NO_SM, "no subnet manager yet"},
	{is_armed, CAUSE_PORT_DOWN, "set up, but not activated by the subnet manager yet"},
	{is_held_down, CAUSE_PORT_DOWN, "not ACTIVE although the link is up: is it a virtual "
		"function that its host holds down?"},
	{not_active, CAUSE_PORT_DOWN, "not ACTIVE"},
	{lacks_lid, CAUSE_PORT_NO_SM, "no LID yet"},
	{lacks_sm_lid, CAUSE_PORT_NO_SM, "subnet manager's LID unknown"},
	{sm_is_silent, CAUSE_PORT_SM_SILENT, "subnet manager does not answer"},
	{sm_not_asked, CAUSE_PORT_SM_SILENT, "subnet manager cannot be asked (is ib_umad loaded?)"},
	{sm_not_proven, CAUSE_PORT_SM_SILENT, "asking the subnet manager whether it is alive"},
};

void fabric_neighbour_text(const struct fabric_neighbour *n, char *buf, size_t size)
{
	if (n->type == FABRIC_NODE_UNKNOWN && size)
		buf[0] = 0;
	else if (*n->name)
		snprintf(buf, size, "%s port %u", n->name, n->port);
	else
		snprintf(buf, size, "GUID %016" PRIx64 " port %u", n->guid, n->port);
}

/*
 * Whether the fabric has had no subnet manager at all, or one that leaves this port out or is dead:
 * a switch keeps the LID of the one that set it up.
 */
static const char *what_is_missing(
	size_t row, const struct fabric_port *port, char *buf, size_t size)
{
	if (rows[row].applies != waits_for_sm || no_lid(port->neighbour.sm_lid))
		return rows[row].what;
	snprintf(buf, size, "%s, but its switch names one at LID %u", rows[row].what,
		port->neighbour.sm_lid);
	return buf;
}

enum cause fabric_gate(const struct fabric_port *port, char *text, size_t size)
{
	char end[96], sm[80];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!rows[i].applies(port))
			continue;
		fabric_neighbour_text(&port->neighbour, end, sizeof(end));
		snprintf(text, size, "%s %s %s, %s%s%s%s", port->name, port_phys_name(port->phys),
			port_state_name(port->state), what_is_missing(i, port, sm, sizeof(sm)),
			*end ? " (cable ends at " : "", end, *end ? ")" : "");
		return rows[i].cause;
	}
	if (size)
		text[0] = 0;
	return CAUSE_NONE;
}

static enum cause pkey_gate(const struct env *env, const struct fabric_port *port, uint16_t pkey,
	char *text, size_t size)
{
	if ((pkey & 0x7fff) == 0)
		snprintf(text, size, "%s: waiting for the first P_Key of its table", port->name);
	else if (fabric_find_pkey(env, port, pkey, NULL) == PKEY_ABSENT)
		snprintf(text, size, "%s: waiting for P_Key 0x%04x in its table", port->name, pkey);
	else
		return CAUSE_NONE;
	return CAUSE_PORT_NO_PKEY;
}

static enum cause gid_gate(const struct env *env, const struct fabric_port *port,
	const struct inet_addr *addr, char *text, size_t size)
{
	if (port->link_layer != LINK_LAYER_ETHERNET || port->iwarp ||
		(addr->family && fabric_has_gid(env, port, addr)))
		return CAUSE_NONE;
	snprintf(text, size, "waiting for the RoCE GID of its address on %s", port->name);
	return CAUSE_PORT_NO_GID;
}

enum cause fabric_gate_rail(const struct env *env, const struct fabric_port *port,
	const struct fabric_rail *rail, char *text, size_t size)
{
	enum cause cause = fabric_gate(port, text, size);

	if (cause == CAUSE_NONE && rail->ipoib)
		cause = pkey_gate(env, port, rail->pkey, text, size);
	if (cause == CAUSE_NONE && rail->addr)
		cause = gid_gate(env, port, rail->addr, text, size);
	return cause;
}
