// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * join: why an IPoIB interface does not come up on a port that is ACTIVE. Carrier means "joined the
 * broadcast group"; the SA refuses the join of a port that is slower than the group, or whose MTU
 * is below the group's (IBTA vol. 1, 15.2.5.17; RFC 4391, 5), and the driver only tries again. The
 * kernel tells a refusal to its log alone ("ib0: multicast join failed for ff12:401b:...:ffff:ffff,
 * status -22").
 */
#include "fabric/private.h"

#include "modules/kmsg.h"

/* --- by what the SA says of the group -------------------------------------------------------- */

static bool mtu_too_big(const struct fabric_group *g)
{
	return g->port_mtu && g->mtu > g->port_mtu;
}

static bool rate_too_high(const struct fabric_group *g)
{
	return g->port_rate && g->rate > g->port_rate;
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

/* The first row of the state that applies. */
static const struct {
	enum fabric_group_state state;
	bool (*applies)(const struct fabric_group *g); /* NULL: always */
	void (*details)(const struct fabric_group *g, char *buf, size_t size); /* NULL: none */
	enum cause cause;
	const char *what;
} rows[] = {
	{FABRIC_GROUP_ABSENT, NULL, NULL, CAUSE_IPOIB_NO_GROUP, "no IPoIB broadcast group"},
	{FABRIC_GROUP_REFUSED, NULL, say_status, CAUSE_IPOIB_NO_GROUP, "broadcast group denied"},
	{FABRIC_GROUP_SILENT, NULL, NULL, CAUSE_PORT_SM_SILENT,
		"subnet manager does not answer"},
	{FABRIC_GROUP_UNASKABLE, NULL, NULL, CAUSE_PORT_NO_PKEY,
		"subnet manager does not answer: the port's table lacks the default partition"},
	{FABRIC_GROUP_PRESENT, mtu_too_big, say_mtus, CAUSE_IPOIB_JOIN_REFUSED,
		"broadcast group's MTU above the port's"},
	{FABRIC_GROUP_PRESENT, rate_too_high, say_rates, CAUSE_IPOIB_JOIN_REFUSED,
		"broadcast group's rate above the port's"},
	{FABRIC_GROUP_PRESENT, NULL, NULL, CAUSE_NETDEV_NO_CARRIER, "joining the broadcast group"},
	{FABRIC_GROUP_UNKNOWN, NULL, NULL, CAUSE_NETDEV_NO_CARRIER,
		"waiting for the broadcast group"},
};

enum cause fabric_judge_group(
	const struct fabric_port *port, const struct fabric_group *group, char *text, size_t size)
{
	char details[64] = "";
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(rows) && (rows[i].state != group->state ||
			(rows[i].applies && !rows[i].applies(group))))
		i++;
	if (rows[i].details)
		rows[i].details(group, details, sizeof(details));
	snprintf(text, size, "%s P_Key %04x: %s%s", port->name, group->pkey, rows[i].what, details);
	return rows[i].cause;
}

/* --- by the kernel's log --------------------------------------------------------------------- */

/* Records read at most: the whole of a usual log; newer ones come last. */
#define RECORD_BUDGET 4096
#define RECORD_SIZE   1024
#define MAX_ERRNO     4095 /* include/linux/err.h */

/* Microseconds since boot of a record "PRIORITY,SEQ,TIME,FLAGS;TEXT"; ret_text is TEXT. */
static bool split_record(const char *line, uint64_t *ret_us, const char **ret_text)
{
	const char *p = strchr(line, ',');
	const char *text = strchr(line, ';');
	char *end;

	p = p ? strchr(p + 1, ',') : NULL;
	if (!p || !text || p > text)
		return false;
	*ret_us = strtoull(p + 1, &end, 10);
	*ret_text = text + 1;
	return end != p + 1;
}

bool join_failure_in(
	const char *record, size_t len, const char *netdev, uint64_t *ret_us, int *ret_status)
{
	static const char words[] = ": multicast join failed for ff12:401b:";
	static const char group[] = "ffff:ffff, status ";
	size_t name = strlen(netdev);
	char line[RECORD_SIZE];
	const char *text, *p;
	long status;

	snprintf(line, sizeof(line), "%.*s", (int)len, record);
	line[strcspn(line, "\n")] = 0;
	if (!split_record(line, ret_us, &text) || strncmp(text, netdev, name) != 0 ||
		strncmp(text + name, words, sizeof(words) - 1) != 0)
		return false;
	p = strstr(text, group);
	status = p ? strtol(p + sizeof(group) - 1, NULL, 10) : 0;
	*ret_status = status < 0 && status >= -MAX_ERRNO ? (int)status : 0;
	return *ret_status < 0;
}

struct last_failure {
	const char *netdev;
	uint64_t since_us;
	int status;
};

static void take_record(const char *buf, size_t len, void *data)
{
	struct last_failure *last = data;
	uint64_t us;
	int status;

	if (join_failure_in(buf, len, last->netdev, &us, &status) && us >= last->since_us)
		last->status = status;
}

int fabric_join_failure(const struct env *env, const char *netdev, uint64_t since)
{
	struct last_failure last = {.netdev = netdev, .since_us = since / 1000};
	_cleanup_close_ int fd = kmsg_open(env);

	kmsg_each(fd, RECORD_BUDGET, take_record, &last);
	return last.status;
}
