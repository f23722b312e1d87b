// SPDX-License-Identifier: GPL-2.0-or-later

#include "fabric/private.h"
#include "report/report.h"

/*
 * The other end of the cable answers within microseconds, unless its management processor is busy.
 * Three tries, 1.4 s in all; the boot does not wait for it.
 */
#define NEAR_TRIES  3
#define NEAR_PERIOD (200 * NSEC_PER_MSEC)

/* Nothing announces that a subnet manager has begun. */
#define SWITCH_PERIOD (4 * NSEC_PER_SEC)

void neighbour_init(
	struct neighbour *n, const struct env *env, const char *name, struct mad_client *client)
{
	*n = (struct neighbour){.env = env, .name = name, .client = client, .again = NSEC_NEVER};
}

bool neighbour_known(const struct neighbour *n)
{
	return n->info == KNOWN && n->desc == KNOWN && n->found.type != FABRIC_NODE_UNKNOWN;
}

bool neighbour_busy(const struct neighbour *n)
{
	return n->info == ASKED || n->desc == ASKED || n->switch_port == ASKED || n->tell;
}

int neighbour_ask_near(
	struct mad_client *client, enum mad_query query, unsigned tries, uint64_t now)
{
	const struct mad_ask ask = {.query = query, .tries = tries, .period = NEAR_PERIOD};

	return mad_client_ask(client, &ask, now);
}

/* Not there yet: asked again when something about the port or ib_umad changes. */
static void ask_node(struct neighbour *n, uint64_t now)
{
	int r = neighbour_ask_near(n->client, MAD_NODE_INFO, NEAR_TRIES, now);

	if (r < 0) {
		if (r != -ENODEV)
			report_log(n->env->report, REPORT_DEBUG, n->name, now,
				"neighbour not asked: %s", strerror(-r));
		n->info = r == -ENODEV ? UNASKED : KNOWN;
		return;
	}
	n->info = ASKED;
	r = neighbour_ask_near(n->client, MAD_NODE_DESC, NEAR_TRIES, now);
	n->desc = r < 0 ? KNOWN : ASKED;
}

static void forget_switch_port(struct neighbour *n)
{
	mad_client_cancel(n->client, MAD_SWITCH_PORT);
	n->switch_port = UNASKED;
	n->again = NSEC_NEVER;
	n->found.sm_lid = 0;
}

/* Whether a subnet manager has set its switch up, while the port waits for one. */
static void ask_switch_port(struct neighbour *n, const struct fabric_port *port, uint64_t now)
{
	if (port->state != PORT_INIT && port->state != PORT_ARMED) {
		forget_switch_port(n);
		return;
	}
	if (n->found.type != FABRIC_NODE_SWITCH || n->switch_port == ASKED ||
		(n->switch_port == KNOWN && now < n->again))
		return;
	n->switch_port = neighbour_ask_near(n->client, MAD_SWITCH_PORT, 1, now) < 0 ? KNOWN : ASKED;
	n->again = now + SWITCH_PERIOD;
}

static void forget(struct neighbour *n)
{
	mad_client_cancel(n->client, MAD_NODE_INFO);
	mad_client_cancel(n->client, MAD_NODE_DESC);
	forget_switch_port(n);
	n->info = n->desc = UNASKED;
	n->found = (struct fabric_neighbour){0};
	n->tell = false;
}

/*
 * A port that falls back may have another cable by now; one whose neighbour kept silent may have
 * one that has finished starting up.
 */
void neighbour_update(struct neighbour *n, const struct fabric_port *port, uint64_t now)
{
	bool fell = port->state < n->state, rose = port->state > n->state;
	bool silent = n->info == KNOWN && n->found.type == FABRIC_NODE_UNKNOWN;

	n->state = port->state;
	if (fell || (rose && silent) || port->phys != PHYS_LINK_UP)
		forget(n);
	if (port->phys == PHYS_LINK_UP && n->info == UNASKED)
		ask_node(n, now);
	ask_switch_port(n, port, now);
}

static void take_node_info(struct neighbour *n, const struct mad_result *r)
{
	n->info = KNOWN;
	if (!mad_answered(r))
		return;
	n->found.type = r->answer.node.type;
	n->found.guid = r->answer.node.guid;
	n->found.port = r->answer.node.port;
}

static void take_node_desc(struct neighbour *n, const struct mad_result *r)
{
	n->desc = KNOWN;
	if (mad_answered(r))
		(void)strscpy(n->found.name, r->answer.desc, sizeof(n->found.name));
}

/* Silence proves nothing. */
static void take_switch_port(struct neighbour *n, const struct mad_result *r)
{
	unsigned before = n->found.sm_lid;

	n->switch_port = KNOWN;
	if (mad_answered(r))
		n->found.sm_lid = r->answer.port_sm_lid;
	n->tell |= n->found.sm_lid != before && neighbour_known(n);
}

void neighbour_take(struct neighbour *n, const struct mad_result *r, uint64_t now)
{
	bool known = neighbour_known(n);
	char text[96];

	switch (r->query) {
	case MAD_NODE_INFO: take_node_info(n, r); break;
	case MAD_NODE_DESC: take_node_desc(n, r); break;
	case MAD_SWITCH_PORT: take_switch_port(n, r); break;
	default: return;
	}
	if (known || !neighbour_known(n))
		return;
	fabric_neighbour_text(&n->found, text, sizeof(text));
	report_log(n->env->report, REPORT_INFO, n->name, now, "cable ends at %s", text);
	n->tell = true;
}
