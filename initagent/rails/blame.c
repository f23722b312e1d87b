// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rail_blame: nothing answers over a rail: whose fault is it? On InfiniBand a packet to a host needs a path record from
 * the subnet manager, and ACTIVE, P_Key and carrier all stay when that one dies: it is asked for a sign of life before
 * the server is named. Elsewhere the route is looked at: who should have answered, on which interface.
 */
#include "boot/boot_private.h"
#include "report/report.h"

/* One that was silent is asked again, and one that answered is believed, for so long. */
#define SM_PERIOD (4 * NSEC_PER_SEC)

static struct rail *rail_on(struct boot *b, int ifindex)
{
	return ifindex ? rails_find(b, ifindex) : NULL;
}

bool rail_doubt(struct boot *b, struct rail *rail, uint64_t now)
{
	const struct fabric_port *port = rail->guid ? rail_fabric_port(b, rail) : NULL;

	if (!port || rail->sm_ask == NSEC_NEVER || now < rail->sm_ask)
		return rail->sm_ask == NSEC_NEVER;
	if (fabric_ask_sm(b->fabric, port->device, port->port, now) < 0)
		return false;
	rail->sm_ask = NSEC_NEVER;
	return true;
}

uint64_t rail_sm_wait(struct boot *b, struct rail *rail, uint64_t now)
{
	const struct fabric_port *port = rail_fabric_port(b, rail);

	report_wait(b->report, CAUSE_PORT_SM_SILENT, rail->name, now, "%s is %s, but its subnet manager (LID %u) does not answer",
		port ? port->name : rail->device, port ? port_state_name(port->state) : "gone", port ? port->sm_lid : 0);
	(void)rail_doubt(b, rail, now);
	return rail->sm_ask;
}

/* IBTA 10.9.1.2: two limited members cannot talk to each other, and neither of them notices. */
static const char *limited_text(const struct boot *b, const struct rail *rail)
{
	const struct fabric_port *port = rail && rail->guid ? rail_fabric_port(b, rail) : NULL;

	if (!port || fabric_find_pkey(&b->env, port, rail->pkey) != PKEY_LIMITED)
		return "";
	return "; this port is a limited member of its partition and reaches full members only";
}

/* The port's own trouble, or that of its subnet manager, instead of the server's. False: there is none. */
static bool blame_port(struct boot *b, const struct rail *rail, uint64_t now)
{
	const struct fabric_port *port = rail_fabric_port(b, rail);
	char text[160] = "";
	enum cause cause = port ? fabric_gate(port, text, sizeof(text)) : CAUSE_NONE;

	if (cause == CAUSE_NONE && rail->sm == FABRIC_SM_SILENT) {
		cause = CAUSE_PORT_SM_SILENT;
		snprintf(text, sizeof(text), "%s is %s, SM LID %u", port ? port->name : rail->device,
			port ? port_state_name(port->state) : "gone", port ? port->sm_lid : 0);
	}
	if (cause != CAUSE_NONE)
		report_cause(b->report, cause, rail->name, now, "%s", text);
	return cause != CAUSE_NONE;
}

void rail_blame_now(struct boot *b, uint64_t now)
{
	const struct blame blame = b->blame;
	const struct rail *rail = rail_on(b, blame.ifindex);

	b->blame.ifindex = 0;
	if (blame.ifindex && !(rail && blame_port(b, rail, now)))
		report_cause(b->report, blame.cause, blame.where, now, "%s%s", blame.text, limited_text(b, rail));
}

void rail_blame(struct boot *b, const struct rail *rail, enum cause cause, const char *where, uint64_t now, const char *text)
{
	struct rail *own = rail && rail->guid ? rail_on(b, rail->ifindex) : NULL;

	if (!own) {
		report_cause(b->report, cause, where, now, "%s", text);
		return;
	}
	b->blame = (struct blame){.ifindex = own->ifindex, .cause = cause};
	strscpy(b->blame.where, where, sizeof(b->blame.where));
	strscpy(b->blame.text, text, sizeof(b->blame.text));
	if (!rail_doubt(b, own, now))
		rail_blame_now(b, now);
}

static void take_answer(struct boot *b, struct rail *rail, enum fabric_sm_state sm, uint64_t now)
{
	bool back = rail->sm == FABRIC_SM_SILENT && sm == FABRIC_SM_ALIVE;

	rail->sm = sm;
	rail->sm_ask = now + SM_PERIOD;
	b->port_check = now;
	if (b->blame.ifindex == rail->ifindex)
		rail_blame_now(b, now);
	else if (sm == FABRIC_SM_SILENT)
		blame_port(b, rail, now);
	if (!back)
		return;
	report_log(b->report, REPORT_INFO, rail->name, now, "the subnet manager answers again");
	if (!rail->configured)
		report_wait(b->report, CAUSE_DHCP_NO_OFFER, rail->name, now, "no DHCP answer yet");
}

void rail_take_sm(struct boot *b, const struct fabric_event *ev, uint64_t now)
{
	for (size_t i = 0; i < b->n_rails; i++) {
		const struct fabric_port *port = b->rails[i].guid ? rail_fabric_port(b, &b->rails[i]) : NULL;

		if (port && streq(port->name, ev->port.name))
			take_answer(b, &b->rails[i], ev->port.sm.state, now);
	}
}

void rail_hindered(struct boot *b, struct rail *rail, enum cause cause, const char *text, uint64_t now)
{
	bool silence = rail->guid && (cause == CAUSE_DHCP_NO_OFFER || cause == CAUSE_RA_NONE);

	if (silence)
		(void)rail_doubt(b, rail, now);
	if (!silence || rail->sm != FABRIC_SM_SILENT)
		report_wait(b->report, cause, rail->name, now, "%s%s", text, silence ? limited_text(b, rail) : "");
}

static const char *interface_of(struct boot *b, const struct link_route *way)
{
	const struct rail *rail = rails_find(b, way->ifindex);

	return rail ? rail->name : "an interface that is not used for the boot";
}

void rail_way_text(struct boot *b, const struct inet_addr *server, char *buf, size_t size)
{
	const char *what = server->family == AF_INET6 ? "no neighbour advertisement" : "no ARP reply";
	char address[INET_ADDR_TEXT];
	struct link_route way;

	if (links_lookup(b->links, server, &way) < 0)
		rail_no_route_text(b, buf, size);
	else if (way.gateway.family)
		snprintf(buf, size, "%s from the gateway %s of its route over %s", what, inet_text(&way.gateway, address),
			interface_of(b, &way));
	else
		snprintf(buf, size, "%s from it on %s", what, interface_of(b, &way));
}

void rail_path_text(struct boot *b, const struct link_route *way, const char *text, char *buf, size_t size)
{
	char address[INET_ADDR_TEXT];

	snprintf(buf, size, "%s (over %s%s%s)", text, interface_of(b, way), way->gateway.family ? ", gateway " : "",
		way->gateway.family ? inet_text(&way->gateway, address) : "");
}

void rail_no_route_text(struct boot *b, char *buf, size_t size)
{
	size_t at = (size_t)snprintf(buf, size, "no route:");

	for (size_t i = 0; i < b->n_rails && at < size; i++) {
		const struct address_result *a = addresses_result(b->addresses, b->rails[i].ifindex);
		char address[INET_ADDR_TEXT], gateway[INET_ADDR_TEXT];

		if (a)
			at += (size_t)snprintf(buf + at, size - at, " %s has %s/%u and %s%s;", b->rails[i].name,
				inet_text(&a->addr, address), a->prefix, a->gateway.family ? "gateway " : "no gateway",
				a->gateway.family ? inet_text(&a->gateway, gateway) : "");
	}
	/* The last character: a colon without interfaces, a semicolon behind the last one. */
	at = strlen(buf);
	if (at)
		buf[at - 1] = 0;
}
