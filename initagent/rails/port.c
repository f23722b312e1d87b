// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * port: the RDMA port of a rail. On InfiniBand it is checked before the rail has an address, since
 * the carrier depends on port, subnet manager and partition; on Ethernet afterwards, since RoCE's
 * GID is made of the address.
 */
#include "rails/private.h"
#include "fabric/fabric.h"
#include "link/udev_name.h"

#include <net/if_arp.h>

#include "base/cursor.h"

/*
 * A GID follows its address by a work item in the kernel, and not every driver announces it, nor
 * the P_Key table's changes: while one is missing, look again after 5 ms, doubling to 200 ms.
 */
#define CHECK_FIRST (5 * NSEC_PER_MSEC)
#define CHECK_MAX   (200 * NSEC_PER_MSEC)

/*
 * IPoIB joins its broadcast group within some 0.4 s of ACTIVE, but when a join failed, the next one
 * may be 16 s off (IPOIB_MAX_BACKOFF_SECONDS). Taking the interface down and up restarts that; once
 * each time a cause ends, since it makes a busy SA no faster.
 */
#define BOUNCE_AFTER (3 * NSEC_PER_SEC)

/* When the join takes longer than this, the SA is asked for the group, and again so long after its
 * answer. */
#define GROUP_AFTER  NSEC_PER_SEC
#define GROUP_PERIOD (3 * NSEC_PER_SEC)

/* The address RDMA will use is of the server's family. */
static const struct inet_addr *rdma_address(const struct rails *rails, const struct rail *rail)
{
	static const struct inet_addr none;
	const struct address_result *a =
		addresses_result_of(rails->addresses, rail->ifindex, rails->family);

	if (!a)
		a = addresses_result(rails->addresses, rail->ifindex);
	return a ? &a->addr : &none;
}

/* The IPoIB interfaces of a rail: itself, or the slaves of a bond. */
static size_t joiners(const struct rails *rails, const struct rail *rail,
	const struct netdev *ret[static STACK_BELOW_MAX])
{
	size_t n = stack_below(rails, rail->name, ret);

	if (n)
		return n;
	ret[0] = links_by_index(rails->links, rail->ifindex);
	return ret[0] != NULL;
}

const struct fabric_port *rail_fabric_port(const struct rails *rails, const struct rail *rail)
{
	return rail_port_of(rails, rail,
		rail->configured && !rail->ipoib ? rdma_address(rails, rail) : NULL);
}

/*
 * A port's own interface is in the partition of the table's first entry; while that is empty it is
 * in none. It takes over what the subnet manager writes there without a word of rtnetlink's.
 */
void rail_refresh_pkey(const struct rails *rails, struct rail *rail)
{
	const struct netdev *list[STACK_BELOW_MAX];
	char text[16];

	/* a bond of IPoIB is in the partition of its slaves */
	if (joiners(rails, rail, list) == 0)
		return;
	/* A partition's interface that was made over rtnetlink has no such file. */
	if (env_read(&rails->env, text, sizeof(text), "/sys/class/net/%s/pkey", list[0]->name) > 0)
		rail->pkey = (uint16_t)strtoul(text, NULL, 0);
	else if ((rail->pkey & 0x7fff) == 0)
		rail->pkey = netdev_pkey(list[0]);
}

/* A subnet manager that cannot be asked for want of ib_umad: what keeps that module out. */
static enum cause probe_cause(const struct rails *rails, const struct fabric_port *port)
{
	const struct module_entry *umad = port->sm.error == -ENODEV
		? modules_find(rails->cfg.modules, "ib_umad") : NULL;

	return umad && umad->cause ? umad->cause : CAUSE_PORT_SM_SILENT;
}

/* What stands between the rail and its port; CAUSE_NONE: nothing. */
static enum cause port_gate(struct rails *rails, struct rail *rail, char *text, size_t size)
{
	const struct fabric_port *port = rail_fabric_port(rails, rail);
	enum cause cause;

	if (!port) {
		snprintf(text, size, "waiting for an RDMA port on this interface");
		return CAUSE_PORT_NO_HCA;
	}
	strscpy(rail->device, port->device, sizeof(rail->device));
	rail->port = port->port;
	if (rail->ipoib)
		rail_refresh_pkey(rails, rail);
	cause = fabric_gate_rail(&rails->env, port, &(struct fabric_rail){
		.ipoib = rail->ipoib, .pkey = rail->pkey,
		.addr = rail->configured ? rdma_address(rails, rail) : NULL}, text, size);
	return cause == CAUSE_PORT_SM_SILENT ? probe_cause(rails, port) : cause;
}

/* Causes whose end is not always announced by an event. */
static bool unannounced(enum cause cause)
{
	return cause == CAUSE_PORT_NO_GID || cause == CAUSE_PORT_NO_PKEY;
}

static uint64_t look_again(struct rail *rail, uint64_t now)
{
	rail->check_period = rail->check_period ? min_u64(rail->check_period * 2, CHECK_MAX)
		: CHECK_FIRST;
	return now + rail->check_period;
}

static void rail_ready(struct rails *rails, struct rail *rail, uint64_t now)
{
	report_wait_over(rails->report, rail->name, now);
	rail->cause = CAUSE_NONE;
	if (!rail->ready)
		rail->ready = now;
	if (rails->wants_rdma) {
		rails->rdma_end = rails->rdma_end ? rails->rdma_end : now;
		report_log(rails->report, REPORT_INFO, rail->name, now,
			"RDMA port %s/%u is ACTIVE", rail->device,
			rail->port);
	}
	rail_set_state(rails, rail, RAIL_READY, now);
}

/* A rail that has its address. Without RDMA it needs no more, unless its port fell under it, which
 * IPoIB hears of later. Returns when to look again. */
static uint64_t check_port(struct rails *rails, struct rail *rail, uint64_t now)
{
	char text[160] = "";
	enum cause cause = rails->wants_rdma || (rail->ipoib && rail->cause)
		? port_gate(rails, rail, text, sizeof(text)) : CAUSE_NONE;

	if (cause == CAUSE_NONE && rail->sm == FABRIC_SM_SILENT)
		return rail_sm_wait(rails, rail, now);
	if (cause == CAUSE_NONE) {
		rail_ready(rails, rail, now);
		return NSEC_NEVER;
	}
	report_wait(rails->report, cause, rail->name, now, "%s", text);
	return unannounced(cause) ? look_again(rail, now) : NSEC_NEVER;
}

/* A rail in use: its port may fall, and its subnet manager be found silent, while the address
 * stays. */
static uint64_t check_ready(struct rails *rails, struct rail *rail, uint64_t now)
{
	char text[160] = "";
	enum cause cause = rail->ipoib || rails->wants_rdma
				   ? port_gate(rails, rail, text, sizeof(text))
				   : CAUSE_NONE;

	/* IPoIB alone does without one that is known */
	if (cause == CAUSE_PORT_NO_HCA && !rails->wants_rdma)
		cause = CAUSE_NONE;
	if (rails->kept ||
		((cause == CAUSE_NONE || unannounced(cause)) && rail->sm != FABRIC_SM_SILENT))
		return NSEC_NEVER;
	rail->cause = cause == CAUSE_NONE || unannounced(cause) ? CAUSE_PORT_SM_SILENT : cause;
	rail_set_state(rails, rail, RAIL_PORT, now);
	/* What is waited for is the port's from now on. */
	report_wait_over(rails->report, "root", now);
	rail_gone(rails, rail);
	return check_port(rails, rail, now);
}

/* Down and up, so that IPoIB forgets its back-off; not a parent, which would take the interfaces of
 * its partitions down with it, and the routes over them. */
static void bounce(struct rails *rails, struct rail *rail, uint64_t now)
{
	const struct netdev *list[STACK_BELOW_MAX];
	size_t n = joiners(rails, rail, list);

	rail->bounce = NSEC_NEVER;
	if (n && ipoib_has_children(rails, list[0]))
		return;
	report_log(rails->report, REPORT_INFO, rail->name, now,
		"still no carrier: interface taken down and up");
	for (size_t i = 0; i < n; i++)
		if (links_set_up(rails->links, list[i]->ifindex, false) < 0 ||
			links_set_up(rails->links, list[i]->ifindex, true) < 0)
			rail_refused(rails, list[i]->name, now);
}

/* What stands between each further slave of a bond and its port: the rail's is the first one's. */
static void add_slaves(struct rails *rails, const struct rail *rail, char *text, size_t size)
{
	const struct netdev *list[STACK_BELOW_MAX];
	size_t n = stack_below(rails, rail->name, list);

	for (size_t i = 0; i < n; i++) {
		struct rail slave = {
			.ipoib = true, .guid = netdev_guid(list[i]), .pkey = rail->pkey};
		char why[128];

		strscpy(slave.name, list[i]->name, sizeof(slave.name));
		if (slave.guid == rail->guid)
			continue;
		if (port_gate(rails, &slave, why, sizeof(why)) == CAUSE_NONE)
			strscpy(why, "the port is ready", sizeof(why));
		str_add(text, size, "; %s: %s", list[i]->name, why);
	}
}

/* The kernel names the interface that joins. */
static int join_failure(const struct rails *rails, const struct rail *rail)
{
	const struct netdev *list[STACK_BELOW_MAX];
	size_t n = joiners(rails, rail, list);
	int status = 0;

	for (size_t i = 0; i < n && status == 0; i++)
		status = fabric_join_failure(&rails->env, list[i]->name, rail->active);
	return status;
}

/* Only the join is missing from now on. */
static void begin_join(struct rail *rail, uint64_t now)
{
	rail->active = now;
	rail->ask = now + GROUP_AFTER;
	rail->bounce = now + BOUNCE_AFTER;
	rail->group = (struct fabric_group){0};
}

/* The answer, or its absence, is an event; then it is asked again. */
static void ask_group(struct rails *rails, struct rail *rail, uint64_t now)
{
	int r = fabric_ask_group(rails->fabric, rail->device, rail->port, rail->pkey, now);

	rail->ask = r < 0 ? now + GROUP_PERIOD : NSEC_NEVER;
}

/* What the SA says of the group, and what the kernel says of the join. */
static enum cause judge_join(struct rails *rails, const struct rail *rail, char *text, size_t size)
{
	const struct fabric_port *port = rail_fabric_port(rails, rail);
	enum cause cause = CAUSE_NETDEV_NO_CARRIER;
	int status;

	if (rail->group.state == FABRIC_GROUP_UNKNOWN || !port) {
		snprintf(text, size,
			"%s/%u is ready, waiting for IPoIB to join the broadcast group of P_Key "
			"0x%04x",
			rail->device, rail->port, rail->pkey);
		return cause;
	}
	cause = fabric_judge_group(port, &rail->group, text, size);
	if (cause != CAUSE_NETDEV_NO_CARRIER)
		return cause;
	status = join_failure(rails, rail);
	if (status == 0)
		return cause;
	snprintf(text, size,
		"%s P_Key %04x: the subnet manager refuses the join of the broadcast group (status "
		"%d)",
		port->name, rail->pkey, status);
	return CAUSE_IPOIB_JOIN_REFUSED;
}

/* The port is ready, the broadcast group not joined: say why, and help once. */
static uint64_t check_join(struct rails *rails, struct rail *rail, uint64_t now)
{
	char text[REPORT_TEXT_MAX];
	enum cause cause;

	if (!rail->active)
		begin_join(rail, now);
	if (now >= rail->ask)
		ask_group(rails, rail, now);
	if (now >= rail->bounce)
		bounce(rails, rail, now);
	cause = judge_join(rails, rail, text, sizeof(text));
	add_slaves(rails, rail, text, sizeof(text));
	report_wait(rails->report, cause, rail->name, now, "%s", text);
	return min_u64(rail->ask, rail->bounce);
}

/* Another answer than before may mean that the next join succeeds: no need to wait for it. */
void rail_take_group(struct rails *rails, const struct fabric_event *ev, uint64_t now)
{
	for (size_t i = 0; i < rails->n; i++) {
		struct rail *rail = &rails->rows[i];
		bool mine = rail->active && streq(rail->device, ev->port.device) &&
			rail->port == ev->port.port &&
			    ((rail->pkey ^ ev->group.pkey) & 0x7fff) == 0;

		if (!mine)
			continue;
		if (ev->group.state == FABRIC_GROUP_PRESENT &&
			rail->group.state > FABRIC_GROUP_PRESENT)
			rail->bounce = now;
		rail->group = ev->group;
		rail->ask = now + GROUP_PERIOD;
		rails->port_check = now;
	}
}

/* An InfiniBand rail without carrier. Returns when to look again. */
static uint64_t check_carrier(struct rails *rails, struct rail *rail, uint64_t now)
{
	char text[REPORT_TEXT_MAX] = "";
	enum cause cause = port_gate(rails, rail, text, sizeof(text));

	if (cause == CAUSE_NONE)
		return check_join(rails, rail, now);
	rail->active = 0;
	add_slaves(rails, rail, text, sizeof(text));
	report_wait(rails->report, cause, rail->name, now, "%s", text);
	return unannounced(cause) ? look_again(rail, now) : NSEC_NEVER;
}

static uint64_t check_partner(struct rails *rails, struct rail *rail, uint64_t now)
{
	uint64_t next = stack_partner_wait(rails, rail, now);

	if (next != NSEC_NEVER)
		rail_hindered(rails, rail, CAUSE_BOND_NO_PARTNER, "", now);
	return next;
}

static uint64_t check_rail(struct rails *rails, struct rail *rail, uint64_t now)
{
	const struct netdev *dev;

	if (ipoib_moved(rails, rail, now))
		return NSEC_NEVER;
	if (rail->state == RAIL_PORT)
		return check_port(rails, rail, now);
	if (rail->state == RAIL_READY)
		return check_ready(rails, rail, now);
	if (rail->state != RAIL_ADDRESSING && rail->state != RAIL_LOST)
		return NSEC_NEVER;
	dev = links_by_index(rails->links, rail->ifindex);
	if (dev && dev->no_partner)
		return check_partner(rails, rail, now);
	if (!rail->ipoib || !dev || !dev->up)
		return NSEC_NEVER;
	if (!dev->carrier)
		return check_carrier(rails, rail, now);
	return rail->sm == FABRIC_SM_SILENT ? rail_sm_wait(rails, rail, now) : NSEC_NEVER;
}

void rail_ports_step(struct rails *rails, uint64_t now)
{
	uint64_t next = NSEC_NEVER;

	if (now < rails->port_check)
		return;
	for (size_t i = 0; i < rails->n; i++)
		next = min_u64(next, check_rail(rails, &rails->rows[i], now));
	rails->port_check = next;
}

/* --- which ports the plan allows ------------------------------------------------------------ */

/*
 * Does udev call an RDMA device so (rdma-core's rdma_rename)? After ib, roce or iw the name is that
 * of the interface on its first port: ibp65s0, rocep65s0f1 and enp65s0f1.
 */
static bool is_udevs(const struct rails *rails, const char *device, const struct fabric_port *port)
{
	const struct netdev *dev = links_by_name(rails->links, port->netdev);
	size_t letters = strcspn(device, "0123456789");
	char name[IFNAMSIZ];

	if (!dev || letters < 3)
		return false;
	snprintf(name, sizeof(name), "%s%sd%u", dev->hwtype == ARPHRD_ETHER ? "en" : "ib",
		device + letters - 1, port->port - 1);
	return udev_name_is(&rails->env, dev, name);
}

/* By the name it has, had from the kernel, or gets from udev. */
static bool port_named(const struct rails *rails, const struct plan_port *want,
	const struct fabric_port *port)
{
	return (!want->port || want->port == port->port) &&
		(streq(want->device, port->device) ||
			fabric_was(rails->fabric, port->device, want->device) ||
			is_udevs(rails, want->device, port));
}

/* A port's GUID is that port alone, though some adapters have their first port's themselves. */
static bool guid_named(const struct rails *rails, const struct hw_addr *want,
	const struct fabric_port *port)
{
	const uint64_t guid = want->len < 8 ? 0 : get_be(want->bytes + want->len - 8, 8);
	const struct fabric_port *ports;
	size_t n;

	if (!guid || guid != port->node_guid)
		return guid && guid == port->guid;
	ports = fabric_ports(rails->fabric, &n);
	for (size_t i = 0; i < n; i++)
		if (ports[i].guid == guid && ports[i].link_layer == LINK_LAYER_INFINIBAND)
			return port->guid == guid;
	return true;
}

static bool port_allowed(const struct rails *rails, const struct fabric_port *port)
{
	const struct plan_ib *ib = &rails->plan->ib;

	for (size_t i = 0; i < ib->n_ports; i++)
		if (port_named(rails, &ib->ports[i], port))
			return true;
	for (size_t i = 0; i < ib->n_guids; i++)
		if (guid_named(rails, &ib->guids[i], port))
			return true;
	return false;
}

bool rail_port_seen(const struct rails *rails)
{
	size_t n;
	const struct fabric_port *ports = fabric_ports(rails->fabric, &n);

	for (size_t i = 0; i < n; i++)
		if (port_allowed(rails, &ports[i]))
			return true;
	return false;
}

bool rail_allowed(const struct rails *rails, const struct netdev *dev)
{
	const struct plan_ib *ib = &rails->plan->ib;
	struct rail probe = {.guid = netdev_guid(dev)};
	const struct fabric_port *ports;
	size_t n;

	if (!ib->n_ports && !ib->n_guids)
		return true;
	for (size_t i = 0; i < ib->n_guids; i++)
		if (stack_matches(rails, dev, &ib->guids[i]))
			return true;
	strscpy(probe.name, dev->name, sizeof(probe.name));
	ports = fabric_ports(rails->fabric, &n);
	for (size_t i = 0; i < n; i++)
		if (rail_is_port(rails, &ports[i], &probe) && port_allowed(rails, &ports[i]))
			return true;
	return false;
}

/* --- RoCE ----------------------------------------------------------------------------------- */

/* The last option that speaks of the port counts; one that names it beats one that names none. */
static const struct plan_roce *roce_of(const struct rails *rails, const struct fabric_port *port)
{
	const struct plan_net *net = &rails->plan->net;
	const struct plan_roce *found = NULL;

	for (size_t i = 0; i < net->n_roces; i++) {
		const struct plan_roce *r = &net->roces[i];

		if (r->port.device ? port_named(rails, &r->port, port)
			: !found || !found->port.device)
			found = r;
	}
	return found;
}

void rails_set_roce(struct rails *rails, const struct rail *rail, uint64_t now)
{
	const struct fabric_port *port = rail_fabric_port(rails, rail);
	const struct plan_roce *want;
	int r;

	if (!port || port->link_layer != LINK_LAYER_ETHERNET || port->iwarp)
		return;
	want = roce_of(rails, port);
	if (!want)
		return;
	r = fabric_set_roce(&rails->env, port, want->v2);
	if (r < 0)
		report_cause(rails->report, CAUSE_ROCE_MODE, port->name, now, "%s", strerror(-r));
	else
		report_log(rails->report, REPORT_INFO, port->name, now, "RDMA-CM uses RoCE v%d",
			want->v2 ? 2 : 1);
}
