// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rails: every interface the plan allows becomes a rail; each gets its address on its own, and if
 * the root wants RDMA, waits for the port on it. All rails go at once.
 */
#include "boot_private.h"
#include "fabric/rdma_link.h"

#define HWTYPE_ETHERNET	  1  /* ARPHRD_ETHER */
#define HWTYPE_INFINIBAND 32 /* ARPHRD_INFINIBAND */
/*
 * A GID follows its address by a work item in the kernel, and not every driver announces it: while
 * one is missing, look again after 5 ms, doubling to 200 ms.
 */
#define GID_CHECK_FIRST	  (5 * NSEC_PER_MSEC)
#define GID_CHECK_MAX	  (200 * NSEC_PER_MSEC)

static const char *const state_names[RAIL_STATE_MAX] = {
	[RAIL_ADDRESSING] = "addressing",
	[RAIL_PORT] = "waiting for the port",
	[RAIL_READY] = "ready",
	[RAIL_LOST] = "lost",
	[RAIL_FAILED] = "failed",
};

const char *rail_state_name(enum rail_state state)
{
	return (unsigned)state < RAIL_STATE_MAX ? state_names[state] : "?";
}

static void set_state(struct boot *b, struct rail *r, enum rail_state to, uint64_t now)
{
	if (r->state == to)
		return;
	report_state(b->report, "rail", r->name, state_names[r->state], state_names[to], now);
	r->state = to;
}

struct rail *rails_find(struct boot *b, int ifindex)
{
	for (size_t i = 0; i < b->n_rails; i++)
		if (b->rails[i].ifindex == ifindex)
			return &b->rails[i];
	return NULL;
}

/* Does an ip= entry speak of this interface by name or address? */
static bool ip_names(const struct plan_ip *ip, const struct netdev *dev)
{
	if (ip->ifname)
		return streq(ip->ifname, dev->name);
	return ip->match.len && netdev_matches(dev, &ip->match);
}

static bool ip_is_open(const struct plan_ip *ip)
{
	return !ip->ifname && !ip->match.len;
}

/* A static address without an interface name belongs to one interface only, the first usable. */
static bool ip_taken(const struct boot *b, const struct plan_ip *ip)
{
	for (size_t i = 0; i < b->n_rails; i++)
		if (b->rails[i].ip == ip && b->rails[i].state != RAIL_FAILED)
			return ip->methods & PLAN_IP_STATIC;
	return false;
}

/* An interface nobody named is used unless BOOTIF= points at another one. */
static bool open_to(const struct boot *b, const struct netdev *dev)
{
	const struct hw_addr *bootif = &b->plan->net.bootif;

	if (*dev->kind)
		return false;
	return !bootif->len || netdev_matches(dev, bootif);
}

/* Is dev a rail of the plan, and by which ip= entry (NULL: plain DHCP)? */
static bool wanted(const struct boot *b, const struct netdev *dev, const struct plan_ip **ret_ip)
{
	const struct plan_net *net = &b->plan->net;

	if (dev->hwtype != HWTYPE_ETHERNET && dev->hwtype != HWTYPE_INFINIBAND)
		return false;
	for (size_t i = 0; i < net->n_ips; i++)
		if (ip_names(&net->ips[i], dev)) {
			*ret_ip = &net->ips[i];
			return true;
		}
	if (!open_to(b, dev))
		return false;
	for (size_t i = 0; i < net->n_ips; i++)
		if (ip_is_open(&net->ips[i]) && !ip_taken(b, &net->ips[i])) {
			*ret_ip = &net->ips[i];
			return true;
		}
	*ret_ip = NULL;
	return net->n_ips == 0;
}

/* The name ifname= gives this interface, if it does not bear it already. */
static const char *new_name(const struct boot *b, const struct netdev *dev)
{
	const struct plan_net *net = &b->plan->net;

	for (size_t i = 0; i < net->n_ifnames; i++)
		if (netdev_matches(dev, &net->ifnames[i].hwaddr) && !streq(net->ifnames[i].name, dev->name))
			return net->ifnames[i].name;
	return NULL;
}

/* Name, address and MTU come before the interface is up. Returns the name it has now. */
static void prepare(struct boot *b, const struct netdev *dev, const struct plan_ip *ip,
	char name[static IFNAMSIZ], uint64_t now)
{
	const char *better = new_name(b, dev);
	int r = 0;

	strscpy(name, dev->name, IFNAMSIZ);
	if (better)
		r = links_rename(b->links, dev->ifindex, better);
	if (better && r >= 0)
		strscpy(name, better, IFNAMSIZ);
	if (r >= 0 && ip && ip->hwaddr.len)
		r = links_set_hw(b->links, dev->ifindex, &ip->hwaddr);
	if (r < 0)
		report_cause(b->report, CAUSE_NETDEV_CONFIG, dev->name, now, "%s", links_error(b->links));
}

/* Adds the rail for dev and starts its address. */
static void add_rail(struct boot *b, const struct netdev *seen, const struct plan_ip *ip, uint64_t now)
{
	struct address_config cfg = {0};
	struct netdev dev = *seen;
	struct rail *rail;
	int r;

	if (b->n_rails == RAILS_MAX)
		return;
	rail = &b->rails[b->n_rails++];
	*rail = (struct rail){.ifindex = dev.ifindex, .ip = ip};
	prepare(b, &dev, ip, rail->name, now);
	strscpy(dev.name, rail->name, sizeof(dev.name));
	r = address_config_from_plan(&cfg, b->plan, ip, &dev);
	if (r >= 0)
		r = addresses_add(b->addresses, &cfg, now);
	if (r < 0) {
		report_cause(b->report, CAUSE_NETDEV_CONFIG, rail->name, now, "%s", strerror(-r));
		set_state(b, rail, RAIL_FAILED, now);
		return;
	}
	report_log(b->report, REPORT_INFO, rail->name, now, "found, %s",
		cfg.method == ADDRESS_DHCP4 ? "asking for an address by DHCP" : "static address");
}

static void link_seen(struct boot *b, const struct netdev *dev, uint64_t now)
{
	struct rail *rail = rails_find(b, dev->ifindex);
	const struct plan_ip *ip = NULL;

	/* The plan may name the interface by the name ifname= will give it. */
	if (!rail) {
		struct netdev as = *dev;
		const char *better = new_name(b, dev);

		if (better)
			strscpy(as.name, better, sizeof(as.name));
		if (wanted(b, &as, &ip))
			add_rail(b, dev, ip, now);
		rail = rails_find(b, dev->ifindex);
	}
	if (!rail)
		return;
	if (!streq(rail->name, dev->name))
		report_wait(b->report, CAUSE_NONE, rail->name, now, "%s", "");
	strscpy(rail->name, dev->name, sizeof(rail->name));
	if (dev->carrier && !rail->carrier)
		rail->carrier = now;
	addresses_link(b->addresses, dev->ifindex, now);
}

static void link_event(struct boot *b, const struct link_event *ev, uint64_t now)
{
	struct rail *rail;

	switch (ev->type) {
	case LINK_ADDED:
	case LINK_CHANGED: link_seen(b, &ev->dev, now); break;
	case LINK_GONE:
		rail = rails_find(b, ev->dev.ifindex);
		if (rail) {
			addresses_link(b->addresses, rail->ifindex, now);
			set_state(b, rail, RAIL_LOST, now);
		}
		break;
	case LINK_NEIGH_REACHABLE:
	case LINK_NEIGH_FAILED: target_neighbour(b, ev, now); break;
	}
}

static void say_address(struct boot *b, const struct rail *rail, uint64_t now)
{
	const struct address_result *a = addresses_result(b->addresses, rail->ifindex);
	char addr[INET_ADDR_TEXT], server[INET_ADDR_TEXT];

	if (!a)
		return;
	inet_text(&a->addr, addr);
	inet_text(&a->server_id, server);
	if (a->method == ADDRESS_DHCP4)
		report_log(b->report, REPORT_INFO, rail->name, now, "%s/%u from %s for %u s%s", addr, a->prefix,
			server, a->lease_s, a->adopted ? ", adopted" : "");
	else
		report_log(b->report, REPORT_INFO, rail->name, now, "%s/%u, static", addr, a->prefix);
}

/* The node's name until the real root sets its own; hostname= wins over the lease (see address.h). */
static void set_hostname(struct boot *b, const struct rail *rail, uint64_t now)
{
	const struct address_result *a = addresses_result(b->addresses, rail->ifindex);
	const char *name = b->plan->net.hostname ? b->plan->net.hostname : a ? a->hostname : "";

	/* A fixture tree (prefix) has no host name of its own to set. */
	if (!*name || *b->env.prefix)
		return;
	if (sethostname(name, strlen(name)) < 0)
		report_log(b->report, REPORT_WARN, rail->name, now, "host name %s: %s", name, strerror(errno));
}

static void configured(struct boot *b, struct rail *rail, uint64_t now)
{
	rail->configured = true;
	rail->cause = CAUSE_NONE;
	if (!rail->address)
		rail->address = now;
	report_wait(b->report, CAUSE_NONE, rail->name, now, "%s", "");
	say_address(b, rail, now);
	set_hostname(b, rail, now);
	b->port_check = now;
	b->port_period = GID_CHECK_FIRST;
	set_state(b, rail, RAIL_PORT, now);
}

static void unusable(struct boot *b, struct rail *rail, enum rail_state to,
	const struct address_event *ev, uint64_t now)
{
	rail->configured = false;
	rail->cause = ev->cause;
	report_wait(b->report, CAUSE_NONE, rail->name, now, "%s", "");
	report_cause(b->report, ev->cause, rail->name, now, "%s", ev->text);
	set_state(b, rail, to, now);
}

static void address_event(struct boot *b, const struct address_event *ev, uint64_t now)
{
	struct rail *rail = rails_find(b, ev->ifindex);

	if (ev->type == ADDRESS_RESOLVED) {
		target_resolved(b, ev, now);
		return;
	}
	if (!rail)
		return;
	switch (ev->type) {
	case ADDRESS_CONFIGURED: configured(b, rail, now); break;
	case ADDRESS_HINDRANCE:
		report_log(b->report, REPORT_DEBUG, rail->name, now, "%s", ev->text);
		report_wait(b->report, ev->cause, rail->name, now, "%s", ev->text);
		break;
	case ADDRESS_LOST: unusable(b, rail, RAIL_LOST, ev, now); break;
	case ADDRESS_FAILED: unusable(b, rail, RAIL_FAILED, ev, now); break;
	case ADDRESS_RENEWED:
	case ADDRESS_RESOLVED: break;
	}
}

/* Is the driver of this kind of soft link loaded? A type of the plan always has a need row. */
static bool driver_ready(const struct boot *b, const char *type)
{
	const struct module_entry *e = NULL;

	if (streq(type, "rxe"))
		e = modules_find(b->modules, "rdma_rxe");
	else
		e = modules_find(b->modules, type);
	return e && (e->state == MODULE_LOADED || e->state == MODULE_PRESENT);
}

static bool driver_failed(const struct boot *b, const char *type)
{
	const struct module_entry *e =
		modules_find(b->modules, streq(type, "rxe") ? "rdma_rxe" : type);

	return e && (e->state == MODULE_FAILED || e->state == MODULE_BLOCKED);
}

static void make_link(struct boot *b, size_t i, uint64_t now)
{
	const struct plan_rdma_link *want = &b->plan->net.rdma_links[i];
	char text[160] = "";
	/* The call blocks while the kernel makes the device: its span needs the clock on both sides. */
	uint64_t began = now_ns();
	int r = rdma_link_add(want->name, want->type, want->netdev, text, sizeof(text));

	b->links_made |= UINT64_C(1) << i;
	b->rdma_begin = b->rdma_begin ? b->rdma_begin : began;
	report_span(b->report, "fabric", want->name, began, now_ns(), r < 0 ? r : 0);
	if (r < 0) {
		b->links_failed |= UINT64_C(1) << i;
		report_cause(b->report, CAUSE_RDMA_LINK_FAILED, want->name, now, "%s on %s: %s", want->type,
			want->netdev, text);
		return;
	}
	report_log(b->report, REPORT_INFO, want->name, now, "%s link on %s%s", want->type, want->netdev,
		r ? ", adopted" : "");
	fabric_rescan(b->fabric, now);
}

/* Soft RDMA links are made as soon as their netdev and their driver are there. */
static void make_links(struct boot *b, uint64_t now)
{
	const struct plan_net *net = &b->plan->net;

	for (size_t i = 0; i < net->n_rdma_links; i++) {
		const struct plan_rdma_link *want = &net->rdma_links[i];

		if (b->links_made & UINT64_C(1) << i)
			continue;
		if (driver_failed(b, want->type))
			b->links_failed |= UINT64_C(1) << i;
		else if (driver_ready(b, want->type) && links_by_name(b->links, want->netdev))
			make_link(b, i, now);
	}
}

static void take_events(struct boot *b, uint64_t now)
{
	struct link_event le;
	struct address_event ae;
	struct fabric_event fe;

	while (links_pop_event(b->links, &le))
		link_event(b, &le, now);
	while (addresses_pop_event(b->addresses, &ae))
		address_event(b, &ae, now);
	while (fabric_pop_event(b->fabric, &fe)) {
		b->port_check = now;
		if (!b->rdma_begin)
			b->rdma_begin = now;
	}
}

/* The port whose netdev is this rail's; an ACTIVE one is preferred. */
static const struct fabric_port *port_of(const struct boot *b, const struct rail *rail)
{
	const struct fabric_port *best = NULL;
	const struct fabric_port *ports;
	size_t n;

	ports = fabric_ports(b->fabric, &n);
	for (size_t i = 0; i < n; i++) {
		if (!streq(ports[i].netdev, rail->name))
			continue;
		if (!best || best->state != PORT_ACTIVE)
			best = &ports[i];
	}
	return best;
}

static bool has_gid(const struct boot *b, const struct rail *rail, const struct fabric_port *port)
{
	const struct address_result *a = addresses_result(b->addresses, rail->ifindex);
	struct fabric_gid gid;
	uint8_t raw[16];

	if (port->link_layer != LINK_LAYER_ETHERNET || port->iwarp)
		return true;
	if (!a)
		return false;
	if (a->addr.family == AF_INET)
		fabric_gid_from_ipv4(a->addr.v4.s_addr, raw);
	else
		memcpy(raw, a->addr.bytes, sizeof(raw));
	return fabric_find_gid(&b->env, port, raw, &gid) >= 0;
}

/* What stands between the rail and RDMA; CAUSE_NONE: nothing. */
static enum cause port_gate(struct boot *b, struct rail *rail, char *text, size_t size)
{
	const struct fabric_port *port = port_of(b, rail);
	enum cause cause;

	if (!port) {
		snprintf(text, size, "waiting for an RDMA port on this interface");
		return CAUSE_PORT_NO_HCA;
	}
	strscpy(rail->device, port->device, sizeof(rail->device));
	rail->port = port->port;
	cause = fabric_gate(port, text, size);
	if (cause != CAUSE_NONE)
		return cause;
	if (!has_gid(b, rail, port)) {
		snprintf(text, size, "waiting for the RoCE GID of its address on %s", port->name);
		return CAUSE_PORT_NO_GID;
	}
	return CAUSE_NONE;
}

static bool wants_rdma(const struct boot *b)
{
	const struct plan_nfs *nfs = b->target.nfs;

	return nfs && nfs->proto == PLAN_NFS_PROTO_RDMA && !b->target.no_rdma;
}

static void rail_ready(struct boot *b, struct rail *rail, uint64_t now)
{
	report_wait(b->report, CAUSE_NONE, rail->name, now, "%s", "");
	if (!rail->ready)
		rail->ready = now;
	if (wants_rdma(b)) {
		b->rdma_end = b->rdma_end ? b->rdma_end : now;
		report_log(b->report, REPORT_INFO, rail->name, now, "RDMA port %s/%u is ACTIVE", rail->device,
			rail->port);
	}
	set_state(b, rail, RAIL_READY, now);
}

/* Looks at the port of each rail that has its address; sets when to look again. */
static void check_ports(struct boot *b, uint64_t now)
{
	bool waiting = false;

	for (size_t i = 0; i < b->n_rails; i++) {
		struct rail *rail = &b->rails[i];
		char text[160] = "";
		enum cause cause = CAUSE_NONE;

		if (rail->state != RAIL_PORT)
			continue;
		if (wants_rdma(b))
			cause = port_gate(b, rail, text, sizeof(text));
		if (cause == CAUSE_NONE) {
			rail_ready(b, rail, now);
			continue;
		}
		report_wait(b->report, cause, rail->name, now, "%s", text);
		waiting |= cause == CAUSE_PORT_NO_GID;
	}
	b->port_check = waiting ? now + b->port_period : NSEC_NEVER;
	b->port_period = min_u64(b->port_period * 2, GID_CHECK_MAX);
}

uint64_t rails_deadline(const struct boot *b)
{
	return b->port_check;
}

enum cause rails_failure(const struct boot *b, const char **ret_where)
{
	for (size_t i = 0; i < b->n_rails; i++) {
		if (b->rails[i].cause == CAUSE_NONE)
			continue;
		*ret_where = b->rails[i].name;
		return b->rails[i].cause;
	}
	return CAUSE_NONE;
}

/* Before anything was found: what is missing? After rd.net.timeout.iflink it is called a cause. */
static void wait_for_netdev(struct boot *b, uint64_t now)
{
	uint32_t limit = b->plan->net.timeouts.iflink_s;
	const char *name = b->plan->net.bootdev;

	if (b->n_rails) {
		report_wait(b->report, CAUSE_NONE, "netdev", now, "%s", "");
		return;
	}
	report_wait(b->report, CAUSE_NETDEV_MISSING, "netdev", now, "waiting for network interface %s to appear",
		name ? name : "(any)");
	if (limit && now >= b->run.start + limit * NSEC_PER_SEC)
		report_cause(b->report, CAUSE_NETDEV_MISSING, name, now, "not within %u s", limit);
}

void rails_step(struct boot *b, uint64_t now)
{
	take_events(b, now);
	wait_for_netdev(b, now);
	make_links(b, now);
	take_events(b, now);
	if (now >= b->port_check)
		check_ports(b, now);
}
