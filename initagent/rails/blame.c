// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * blame: nothing answers over a rail: whose fault is it? On InfiniBand a packet to a host needs a
 * path record from the subnet manager, and ACTIVE, P_Key and carrier all stay when that one dies:
 * it is asked for a sign of life before the server is named. Elsewhere the route is looked at: who
 * should have answered, on which interface.
 */
#include "rails/private.h"

/* One that was silent is asked again, and one that answered is believed, for so long. */
#define SM_PERIOD (4 * NSEC_PER_SEC)

/* Nothing answers over an InfiniBand rail: asks its subnet manager. True: the answer is on its
 * way. */
static bool doubt(struct rails *rails, struct rail *rail, uint64_t now)
{
	const struct fabric_port *port = rail->ipoib ? rail_fabric_port(rails, rail) : NULL;

	if (!port || rail->sm_ask == NSEC_NEVER || now < rail->sm_ask)
		return rail->sm_ask == NSEC_NEVER;
	if (fabric_ask_sm(rails->fabric, port->device, port->port, now) < 0)
		return false;
	rail->sm_ask = NSEC_NEVER;
	rail->sm_lid = port->sm_lid;
	return true;
}

uint64_t rail_sm_wait(struct rails *rails, struct rail *rail, uint64_t now)
{
	const struct fabric_port *port = rail_fabric_port(rails, rail);

	bool moved = port && port->sm_lid != rail->sm_lid;

	report_wait(rails->report, CAUSE_PORT_SM_SILENT, rail->name, now,
		"%s is %s, but its subnet manager (LID %u) %s",
		port ? port->name : rail->device, port ? port_state_name(port->state) : "gone",
		port ? port->sm_lid : 0,
		moved ? "has not answered yet" : "does not answer");
	/* What is known is of another one. */
	if (moved && rail->sm_ask != NSEC_NEVER)
		rail->sm_ask = now;
	if (doubt(rails, rail, now))
		return NSEC_NEVER;
	/* One that cannot be asked, of a port that is not ACTIVE any more, is not asked at once. */
	return rail->sm_ask > now ? rail->sm_ask : now + SM_PERIOD;
}

/* IBTA 10.9.1.2: two limited members cannot talk to each other, and neither of them notices. */
static const char *limited_text(const struct rails *rails, const struct rail *rail)
{
	const struct fabric_port *port = rail && rail->ipoib ? rail_fabric_port(rails, rail) : NULL;

	if (!port || fabric_find_pkey(&rails->env, port, rail->pkey, NULL) != PKEY_LIMITED)
		return "";
	return "; this port is a limited member of its partition and reaches full members only";
}

enum cause rail_blame_port(struct rails *rails, const struct rail *rail, uint64_t now)
{
	const struct fabric_port *port = rail_fabric_port(rails, rail);
	const struct fabric_rail gate = {
		.ipoib = rail->ipoib && rail->pkey & 0x7fff, .pkey = rail->pkey};
	char text[160] = "";
	enum cause cause = port
		? fabric_gate_rail(&rails->env, port, &gate, text, sizeof(text)) : CAUSE_NONE;

	if (cause == CAUSE_NONE && rail->sm == FABRIC_SM_SILENT) {
		cause = CAUSE_PORT_SM_SILENT;
		snprintf(text, sizeof(text), "%s is %s, SM LID %u", port ? port->name
			: rail->device,
			port ? port_state_name(port->state) : "gone", port ? port->sm_lid : 0);
	}
	if (cause != CAUSE_NONE)
		report_cause(rails->report, cause, rail->name, now, "%s", text);
	return cause;
}

void rails_blame_now(struct rails *rails, uint64_t now)
{
	const struct blame blame = rails->blame;
	const struct rail *rail = rails_row(rails, blame.ifindex);

	rails->blame.ifindex = 0;
	if (blame.ifindex && !(rail && rail_blame_port(rails, rail, now)))
		report_cause(rails->report, blame.cause, blame.where, now, "%s%s", blame.text,
			limited_text(rails, rail));
}

void rails_blame(struct rails *rails, const struct rail *rail, enum cause cause, const char *where,
	uint64_t now, const char *text)
{
	struct rail *own = rail && rail->ipoib ? rails_row(rails, rail->ifindex) : NULL;
	char silence[96];
	enum cause below = rail ? stack_silence(rails, rail, silence, sizeof(silence), now)
		: CAUSE_NONE;

	if (below) {
		report_cause(rails->report, below, rail->name, now, "%s", silence);
		return;
	}
	if (!own) {
		report_cause(rails->report, cause, where, now, "%s", text);
		return;
	}
	rails->blame = (struct blame){.ifindex = own->ifindex, .cause = cause};
	strscpy(rails->blame.where, where, sizeof(rails->blame.where));
	strscpy(rails->blame.text, text, sizeof(rails->blame.text));
	if (!doubt(rails, own, now))
		rails_blame_now(rails, now);
}

static void take_answer(struct rails *rails, struct rail *rail, enum fabric_sm_state sm,
	uint64_t now)
{
	bool back = rail->sm == FABRIC_SM_SILENT && sm == FABRIC_SM_ALIVE;

	rail->sm = sm;
	rail->sm_ask = now + SM_PERIOD;
	rails->port_check = now;
	if (rails->blame.ifindex == rail->ifindex)
		rails_blame_now(rails, now);
	else if (sm == FABRIC_SM_SILENT)
		rail_blame_port(rails, rail, now);
	if (!back)
		return;
	report_log(rails->report, REPORT_INFO, rail->name, now, "the subnet manager answers again");
	if (!rail->configured)
		report_wait(rails->report, CAUSE_DHCP_NO_OFFER, rail->name, now,
			"no DHCP answer yet");
}

void rail_take_sm(struct rails *rails, const struct fabric_event *ev, uint64_t now)
{
	for (size_t i = 0; i < rails->n; i++) {
		const struct fabric_port *port =
			rails->rows[i].ipoib ? rail_fabric_port(rails, &rails->rows[i]) : NULL;

		if (port && streq(port->name, ev->port.name))
			take_answer(rails, &rails->rows[i], ev->port.sm.state, now);
	}
}

void rail_hindered(struct rails *rails, struct rail *rail, enum cause cause, const char *text,
	uint64_t now)
{
	bool silence = rail->ipoib && (cause == CAUSE_DHCP_NO_OFFER || cause == CAUSE_RA_NONE);
	char what[REPORT_TEXT_MAX];

	strscpy(what, text, sizeof(what));
	cause = stack_hindrance(rails, rail, cause, what, sizeof(what), now);
	if (silence)
		(void)doubt(rails, rail, now);
	if (!silence || rail->sm != FABRIC_SM_SILENT)
		report_wait(rails->report, cause, rail->name, now, "%s%s", what,
			silence ? limited_text(rails, rail) : "");
}

static const char *interface_of(const struct rails *rails, const struct link_route *way)
{
	const struct rail *rail = rails_find(rails, way->ifindex);

	return rail ? rail->name : "an interface that is not used for the boot";
}

void rails_way_text(const struct rails *rails, const struct inet_addr *server, char *buf,
	size_t size)
{
	const char *what = server->family == AF_INET6 ? "no neighbour advertisement"
		: "no ARP reply";
	char address[INET_ADDR_TEXT];
	struct link_route way;

	if (links_lookup(rails->links, server, &way) < 0)
		rails_no_route_text(rails, buf, size);
	else if (way.gateway.family)
		snprintf(buf, size, "%s from the gateway %s of its route over %s", what,
			inet_text(&way.gateway, address), interface_of(rails, &way));
	else
		snprintf(buf, size, "%s from it on %s", what, interface_of(rails, &way));
}

void rails_path_text(const struct rails *rails, const struct link_route *way, const char *text,
	char *buf, size_t size)
{
	const struct netdev *dev = links_by_index(rails->links, way->ifindex);
	char address[INET_ADDR_TEXT], mtu[20] = "";

	if (dev) /* it may be gone by now */
		snprintf(mtu, sizeof(mtu), ", MTU %u", dev->mtu);
	snprintf(buf, size, "%s (over %s%s%s%s)", text, interface_of(rails, way), mtu,
		way->gateway.family ? ", gateway " : "",
		way->gateway.family ? inet_text(&way->gateway, address) : "");
}

void rails_no_route_text(const struct rails *rails, char *buf, size_t size)
{
	strscpy(buf, "no route:", size);
	for (size_t i = 0; i < rails->n; i++) {
		const struct address_result *a =
			addresses_result(rails->addresses, rails->rows[i].ifindex);
		char address[INET_ADDR_TEXT], gateway[INET_ADDR_TEXT];

		if (a)
			str_add(buf, size, " %s has %s/%u and %s%s;", rails->rows[i].name,
				inet_text(&a->addr, address), a->prefix,
				a->gateway.family ? "gateway " : "no gateway",
				a->gateway.family ? inet_text(&a->gateway, gateway) : "");
	}
	/* The last character: a colon without interfaces, a semicolon behind the last one. */
	if (*buf)
		buf[strlen(buf) - 1] = 0;
}
