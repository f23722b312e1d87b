// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * group: why an IPoIB interface does not come up on a port that is ACTIVE. Carrier means "joined the
 * broadcast group"; the SA refuses the join of a port that is slower than the group, or whose MTU is
 * below the group's (IBTA vol. 1, 15.2.5.17; RFC 4391, 5), and the driver only tries again.
 */
#include "fabric/fabric.h"

static bool absent(const struct fabric_group *g)
{
	return g->state == FABRIC_GROUP_ABSENT;
}

static bool refused(const struct fabric_group *g)
{
	return g->state == FABRIC_GROUP_REFUSED;
}

static bool silent(const struct fabric_group *g)
{
	return g->state == FABRIC_GROUP_SILENT;
}

static bool mtu_too_big(const struct fabric_group *g)
{
	return g->state == FABRIC_GROUP_PRESENT && g->port_mtu && g->mtu > g->port_mtu;
}

static bool rate_too_high(const struct fabric_group *g)
{
	return g->state == FABRIC_GROUP_PRESENT && g->port_rate && g->rate > g->port_rate;
}

static bool present(const struct fabric_group *g)
{
	return g->state == FABRIC_GROUP_PRESENT;
}

static bool any(const struct fabric_group *g)
{
	(void)g;
	return true;
}

static void say_nothing(const struct fabric_group *g, char *buf, size_t size)
{
	(void)g;
	(void)size;
	buf[0] = 0;
}

static void say_status(const struct fabric_group *g, char *buf, size_t size)
{
	snprintf(buf, size, " (MAD status 0x%04x)", g->status);
}

static void say_mtus(const struct fabric_group *g, char *buf, size_t size)
{
	snprintf(buf, size, " (%u, port %u)", g->mtu, g->port_mtu);
}

static void say_rates(const struct fabric_group *g, char *buf, size_t size)
{
	snprintf(buf, size, " (%u.%u Gb/s, port %u.%u Gb/s)", g->rate / 1000, g->rate % 1000 / 100,
		g->port_rate / 1000, g->port_rate % 1000 / 100);
}

static const struct {
	bool (*applies)(const struct fabric_group *g);
	void (*details)(const struct fabric_group *g, char *buf, size_t size);
	enum cause cause;
	const char *what;
} rows[] = {
	{absent, say_nothing, CAUSE_IPOIB_NO_GROUP, "no IPoIB broadcast group"},
	{refused, say_status, CAUSE_IPOIB_NO_GROUP, "broadcast group denied"},
	{silent, say_nothing, CAUSE_PORT_SM_SILENT, "subnet manager does not answer"},
	{mtu_too_big, say_mtus, CAUSE_IPOIB_JOIN_REFUSED, "broadcast group's MTU above the port's"},
	{rate_too_high, say_rates, CAUSE_IPOIB_JOIN_REFUSED, "broadcast group's rate above the port's"},
	{present, say_nothing, CAUSE_NETDEV_NO_CARRIER, "joining the broadcast group"},
	{any, say_nothing, CAUSE_NETDEV_NO_CARRIER, "waiting for the broadcast group"},
};

enum cause fabric_judge_group(
	const struct fabric_port *port, const struct fabric_group *group, char *text, size_t size)
{
	char details[64];
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(rows) && !rows[i].applies(group))
		i++;
	rows[i].details(group, details, sizeof(details));
	snprintf(text, size, "%s P_Key %04x: %s%s", port->name, group->pkey, rows[i].what, details);
	return rows[i].cause;
}
