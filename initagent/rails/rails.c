// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rails: every interface the plan allows becomes a rail; each gets its address on its own, and if
 * the root wants RDMA, waits for the port on it. All rails go at once.
 */
#include "boot/boot_private.h"
#include "report/report.h"

#include <net/if_arp.h>

/* Places among RAILS_MAX that only interfaces named by ip= get. */
#define RAILS_NAMED 16

#define HWTYPE_ETHERNET	  1  /* ARPHRD_ETHER */
#define HWTYPE_INFINIBAND 32 /* ARPHRD_INFINIBAND */
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

void rail_set_state(struct boot *b, struct rail *r, enum rail_state to, uint64_t now)
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

/* Does an ip= entry speak of this interface by name or address? A partition's child has its parent's GUID. */
static bool ip_names(const struct boot *b, const struct plan_ip *ip, const struct netdev *dev)
{
	if (ip->ifname)
		return streq(ip->ifname, dev->name);
	return ip->match.len && netdev_matches(dev, &ip->match) && !ipoib_replaced(b, dev);
}

static bool ip_is_open(const struct plan_ip *ip)
{
	return !ip->ifname && !ip->match.len;
}

/* A static address without an interface name belongs to one interface only: NULL, or who has it now. */
static struct rail *holder_of(struct boot *b, const struct plan_ip *ip)
{
	if (!ip || !ip_is_open(ip) || !(ip->methods & PLAN_IP_STATIC))
		return NULL;
	for (size_t i = 0; i < b->n_rails; i++)
		if (b->rails[i].ip == ip && b->rails[i].state != RAIL_SPARE && b->rails[i].state != RAIL_FAILED)
			return &b->rails[i];
	return NULL;
}

/* An interface nobody named is used unless BOOTIF=, rd.ib.port= or rd.ib.guid= point at another one. */
static bool open_to(const struct boot *b, const struct netdev *dev)
{
	const struct hw_addr *bootif = &b->plan->net.bootif;

	if (ipoib_is_child(dev) ? !ipoib_child_wanted(b, dev) : *dev->kind && dev->hwtype != HWTYPE_INFINIBAND)
		return false;
	if (ipoib_replaced(b, dev) || !rail_allowed(b, dev))
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
		if (ip_names(b, &net->ips[i], dev)) {
			*ret_ip = &net->ips[i];
			return true;
		}
	if (!open_to(b, dev))
		return false;
	for (size_t i = 0; i < net->n_ips; i++)
		if (ip_is_open(&net->ips[i])) {
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

	/* Of the interfaces with one GUID only the first is meant; its children are named after it. */
	for (size_t i = 0; i < net->n_ifnames && !ipoib_is_child(dev); i++)
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
	ipoib_prepare(b, dev, now);
	if (r >= 0 && ip && ip->hwaddr.len)
		r = links_set_hw(b->links, dev->ifindex, &ip->hwaddr);
	if (r < 0)
		report_cause(b->report, CAUSE_NETDEV_CONFIG, dev->name, now, "%s", links_error(b->links));
}

#define METRIC_STEP 100

static uint32_t last_metric(const struct boot *b, const struct rail *but)
{
	uint32_t last = 0;

	for (size_t i = 0; i < b->n_rails; i++)
		if (&b->rails[i] != but && b->rails[i].metric > last)
			last = b->rails[i].metric;
	return last;
}

void rails_step_back(struct boot *b, struct rail *rail, uint64_t now)
{
	uint32_t last = last_metric(b, rail);

	if (b->root_up || b->n_rails < 2 || rail->metric > last)
		return;
	rail->metric = last + METRIC_STEP;
	report_log(b->report, REPORT_INFO, rail->name, now, "stands behind the other ways to the root from now on");
	addresses_set_metric(b->addresses, rail->ifindex, rail->metric);
}

bool rails_other_ready(const struct boot *b, const struct rail *rail)
{
	for (size_t i = 0; i < b->n_rails; i++)
		if (&b->rails[i] != rail && b->rails[i].state == RAIL_READY)
			return true;
	return false;
}

/* What the console says of a method that begins. */
static const char *const begins[ADDRESS_METHOD_MAX] = {
	[ADDRESS_STATIC] = "static address",
	[ADDRESS_DHCP4] = "asking for an address by DHCP",
	[ADDRESS_LINK6] = "IPv6 link-local address",
	[ADDRESS_AUTO6] = "listening for an IPv6 router",
	[ADDRESS_DHCP6] = "asking for an address by DHCPv6",
	[ADDRESS_EITHER6] = "listening for an IPv6 router, else asking DHCPv6",
};

static bool has_second(const struct address_config *cfg)
{
	return cfg->second != ADDRESS_STATIC || cfg->addr6.family;
}

/* Starts the address of a rail. */
static void begin_address(struct boot *b, struct rail *rail, const struct netdev *dev, uint64_t now)
{
	struct address_config cfg = {0};
	int r = address_config_from_plan(&cfg, b->plan, rail->ip, dev);

	cfg.metric = rail->metric;
	if (r >= 0)
		r = addresses_add(b->addresses, &cfg, now);
	if (r < 0) {
		report_cause(b->report, CAUSE_NETDEV_CONFIG, rail->name, now, "%s", strerror(-r));
		rail_set_state(b, rail, RAIL_FAILED, now);
		return;
	}
	rail_set_state(b, rail, RAIL_ADDRESSING, now);
	report_log(b->report, REPORT_INFO, rail->name, now, "found, %s%s%s", begins[cfg.method],
		has_second(&cfg) ? " and " : "", has_second(&cfg) ? begins[cfg.second] : "");
}

/* Interfaces that ip= names get a place even where the others have taken all that are left for any. */
static bool no_room(struct boot *b, const struct netdev *dev, const struct plan_ip *ip, uint64_t now)
{
	size_t limit = RAILS_MAX - (ip && !ip_is_open(ip) ? 0 : RAILS_NAMED);

	if (b->n_rails < limit)
		return false;
	if (!b->rails_full)
		report_log(b->report, REPORT_WARN, dev->name, now,
			"more than %zu interfaces: this one and further ones are not used; name the right one in ip=", limit);
	b->rails_full = true;
	return true;
}

/* Adds the rail for dev and starts its address, unless that is in use: then it stands by. */
static void add_rail(struct boot *b, const struct netdev *seen, const struct plan_ip *ip, uint64_t now)
{
	struct netdev dev = *seen;
	struct rail *rail;
	bool taken = holder_of(b, ip);

	if (no_room(b, seen, ip, now))
		return;
	rail = &b->rails[b->n_rails++];
	/* Routes of all rails stand side by side; the first one's go first. */
	*rail = (struct rail){
		.ifindex = dev.ifindex,
		.ip = ip,
		.metric = b->n_rails > 1 ? last_metric(b, rail) + METRIC_STEP : 0,
		.guid = netdev_guid(&dev),
		.pkey = netdev_pkey(&dev),
	};
	prepare(b, &dev, ip, rail->name, now);
	strscpy(dev.name, rail->name, sizeof(dev.name));
	if (!taken) {
		begin_address(b, rail, &dev, now);
		return;
	}
	rail_set_state(b, rail, RAIL_SPARE, now);
	if (links_set_up(b->links, dev.ifindex, true) < 0)
		report_cause(b->report, CAUSE_NETDEV_CONFIG, rail->name, now, "%s", links_error(b->links));
}

/* The spare takes the static address over from its holder, if there is one. */
static void claim(struct boot *b, struct rail *spare, const struct netdev *dev, uint64_t now)
{
	struct rail *holder = holder_of(b, spare->ip);

	if (holder) {
		addresses_remove(b->addresses, holder->ifindex, true, now);
		report_wait(b->report, CAUSE_NONE, holder->name, now, "%s", "");
		holder->configured = false;
		rail_set_state(b, holder, RAIL_SPARE, now);
	}
	report_log(b->report, REPORT_INFO, spare->name, now, "has carrier, takes the address%s%s",
		holder ? " of " : "", holder ? holder->name : "");
	begin_address(b, spare, dev, now);
}

/* A spare has carrier: is the one whose address it waits for worse off? */
static void consider_spare(struct boot *b, struct rail *spare, const struct netdev *dev, uint64_t now)
{
	const struct rail *holder = holder_of(b, spare->ip);
	const struct netdev *held = holder ? links_by_index(b->links, holder->ifindex) : NULL;

	if (dev->carrier && (!held || !held->carrier) && !b->root_up)
		claim(b, spare, dev, now);
}

void rails_next(struct boot *b, uint64_t now)
{
	for (size_t i = 0; i < b->n_rails; i++) {
		struct rail *spare = &b->rails[i];
		const struct netdev *dev = links_by_index(b->links, spare->ifindex);

		if (spare->state != RAIL_SPARE || !dev || !dev->carrier)
			continue;
		claim(b, spare, dev, now);
		return;
	}
}

/* An interface that is no rail yet. The plan may speak of it by the name ifname= will give it. */
static void consider_netdev(struct boot *b, const struct netdev *dev, uint64_t now)
{
	const struct plan_ip *ip = NULL;
	struct netdev as = *dev;
	const char *better = new_name(b, dev);

	if (better)
		strscpy(as.name, better, sizeof(as.name));
	if (ipoib_replaced(b, &as) && rail_allowed(b, dev) && !ipoib_has_children(b, dev)) {
		prepare(b, dev, NULL, as.name, now);
		ipoib_make_children(b, &as, now);
	}
	if (wanted(b, &as, &ip))
		add_rail(b, dev, ip, now);
}

/* IPoIB takes no more than the broadcast group's MTU, without a word. */
static void say_capped(struct boot *b, struct rail *rail, const struct netdev *dev, uint64_t now)
{
	const struct address_result *a = addresses_result(b->addresses, rail->ifindex);

	if (!rail->guid || rail->capped || !a || dev->mtu >= a->mtu)
		return;
	rail->capped = true;
	report_log(b->report, REPORT_WARN, rail->name, now,
		"MTU %u was asked for, the mode or the broadcast group allows %u", a->mtu, dev->mtu);
}

static void link_seen(struct boot *b, const struct netdev *dev, uint64_t now)
{
	struct rail *rail = rails_find(b, dev->ifindex);

	if (!rail)
		consider_netdev(b, dev, now);
	rail = rails_find(b, dev->ifindex);
	if (!rail)
		return;
	if (!streq(rail->name, dev->name))
		report_wait(b->report, CAUSE_NONE, rail->name, now, "%s", "");
	strscpy(rail->name, dev->name, sizeof(rail->name));
	if (dev->carrier && !rail->carrier)
		rail->carrier = now;
	b->port_check = now;
	if (rail->state == RAIL_SPARE)
		consider_spare(b, rail, dev, now);
	else
		addresses_link(b->addresses, dev->ifindex, now);
	say_capped(b, rail, dev, now);
}

/* What the ports are decides which interfaces are rails: those that are none are looked at again. */
static void reconsider(struct boot *b, uint64_t now)
{
	const struct netdev *dev = NULL;

	while ((dev = links_next(b->links, dev)))
		if (!rails_find(b, dev->ifindex))
			consider_netdev(b, dev, now);
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
			rail_set_state(b, rail, RAIL_LOST, now);
			target_rail_lost(b, rail, now);
		}
		break;
	case LINK_NEIGH_REACHABLE:
	case LINK_NEIGH_FAILED: target_neighbour(b, ev, now); break;
	}
}

static void say_result(struct boot *b, const struct rail *rail, const struct address_result *a, uint64_t now)
{
	char addr[INET_ADDR_TEXT], other[INET_ADDR_TEXT], from[INET_ADDR_TEXT + 16] = "", how[32] = "";

	inet_text(&a->addr, addr);
	if (a->method == ADDRESS_DHCP4)
		snprintf(from, sizeof(from), " from %s", inet_text(&a->server_id, other));
	else if (a->method == ADDRESS_AUTO6 && a->gateway.family)
		snprintf(from, sizeof(from), ", router %s", inet_text(&a->gateway, other));
	else if (a->method != ADDRESS_AUTO6)
		snprintf(from, sizeof(from), ", %s", address_method_name(a->method));
	if (a->method == ADDRESS_DHCP4 || a->method == ADDRESS_DHCP6)
		snprintf(how, sizeof(how), " for %u s", a->lease_s);
	report_log(b->report, REPORT_INFO, rail->name, now, "%s/%u%s%s%s", addr, a->prefix, from, how,
		a->adopted ? ", adopted" : "");
}

static void say_address(struct boot *b, const struct rail *rail, uint64_t now)
{
	const struct address_result *four = addresses_result_of(b->addresses, rail->ifindex, AF_INET);
	const struct address_result *six = addresses_result_of(b->addresses, rail->ifindex, AF_INET6);

	if (four)
		say_result(b, rail, four, now);
	if (six)
		say_result(b, rail, six, now);
}

/* The node's name until the real root sets its own; hostname= wins over the lease (see address.h). */
static void set_hostname(struct boot *b, const struct rail *rail, uint64_t now)
{
	const struct address_result *a = addresses_result(b->addresses, rail->ifindex);
	const char *name = b->plan->net.hostname ? b->plan->net.hostname : a ? a->hostname : "";

	/* A fixture tree (prefix) has no host name of its own to set. */
	if (!*name || *b->env.prefix)
		return;
	fabric_describe(b->fabric, b->plan->ib.nodedesc, name, now);
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
	rail->check_period = 0;
	target_network_changed(b, now);
	telling_up(b, now);
	rail_set_state(b, rail, RAIL_PORT, now);
}

static void spares_turn(struct boot *b, uint64_t now)
{
	for (size_t i = 0; i < b->n_rails; i++) {
		const struct netdev *dev = links_by_index(b->links, b->rails[i].ifindex);

		if (b->rails[i].state == RAIL_SPARE && dev)
			consider_spare(b, &b->rails[i], dev, now);
	}
}

static void unusable(struct boot *b, struct rail *rail, enum rail_state to,
	const struct address_event *ev, uint64_t now)
{
	rail->configured = false;
	rail->cause = ev->cause == CAUSE_DHCP_NO_OFFER && rail->sm == FABRIC_SM_SILENT ? CAUSE_PORT_SM_SILENT : ev->cause;
	report_wait(b->report, CAUSE_NONE, rail->name, now, "%s", "");
	report_cause(b->report, rail->cause, rail->name, now, "%s", ev->text);
	rail_set_state(b, rail, to, now);
	b->port_check = now;
	spares_turn(b, now);
	rails_step_back(b, rail, now);
	target_rail_lost(b, rail, now);
}

static void address_event(struct boot *b, const struct address_event *ev, uint64_t now)
{
	struct rail *rail = rails_find(b, ev->ifindex);

	if (ev->type == ADDRESS_RESOLVED) {
		enum lookup whose = b->lookup;

		b->lookup = LOOKUP_NONE;
		if (whose == LOOKUP_TELLING)
			telling_resolved(b, ev, now);
		else
			target_resolved(b, ev, now);
		return;
	}
	if (!rail)
		return;
	switch (ev->type) {
	case ADDRESS_CONFIGURED: configured(b, rail, now); break;
	case ADDRESS_HINDRANCE:
		report_log(b->report, REPORT_DEBUG, rail->name, now, "%s", ev->text);
		/* Why an InfiniBand rail has no carrier, its port tells better. */
		if (rail->guid && ev->cause == CAUSE_NETDEV_NO_CARRIER)
			b->port_check = now;
		else
			rail_hindered(b, rail, ev->cause, ev->text, now);
		break;
	case ADDRESS_LOST: unusable(b, rail, RAIL_LOST, ev, now); break;
	case ADDRESS_FAILED: unusable(b, rail, RAIL_FAILED, ev, now); break;
	case ADDRESS_RENEWED:
	case ADDRESS_RESOLVED: break;
	}
}

static void take_events(struct boot *b, uint64_t now)
{
	struct link_event le;
	struct address_event ae;
	struct fabric_event fe;
	bool changed = false;

	while (links_pop_event(b->links, &le))
		link_event(b, &le, now);
	while (addresses_pop_event(b->addresses, &ae))
		address_event(b, &ae, now);
	while (fabric_pop_event(b->fabric, &fe)) {
		changed = true;
		b->port_check = now;
		if (fe.type == FABRIC_GROUP)
			rail_take_group(b, &fe, now);
		if (fe.type == FABRIC_SM)
			rail_take_sm(b, &fe, now);
		if (!b->rdma_begin)
			b->rdma_begin = now;
	}
	if (changed) {
		ipoib_request_modules(b, now);
		reconsider(b, now);
	}
}

enum cause rails_failure(const struct boot *b, const char **ret_where)
{
	for (size_t i = 0; i < b->n_rails; i++) {
		const struct rail *rail = &b->rails[i];
		enum cause cause = rail->sm == FABRIC_SM_SILENT ? CAUSE_PORT_SM_SILENT : rail->cause;

		if (cause == CAUSE_NONE)
			continue;
		*ret_where = rail->name;
		return cause;
	}
	return CAUSE_NONE;
}

/* Which RDMA port the plan asks for, in words; "" if it names none. */
static void asked_port(const struct boot *b, char *buf, size_t size)
{
	const struct plan_ib *ib = &b->plan->ib;
	char guid[HW_ADDR_TEXT];

	buf[0] = 0;
	if (ib->n_ports && ib->ports[0].port)
		snprintf(buf, size, "%s/%u", ib->ports[0].device, ib->ports[0].port);
	else if (ib->n_ports)
		snprintf(buf, size, "%s", ib->ports[0].device);
	else if (ib->n_guids)
		snprintf(buf, size, "with GUID %s", hw_text(&ib->guids[0], guid));
}

/* The interfaces of the machine, in words: they tell a wrong name from a driver that is missing. */
static void list_netdevs(const struct boot *b, char *buf, size_t size)
{
	size_t n = 0;

	strscpy(buf, "no other is there", size);
	for (const struct netdev *d = NULL; (d = links_next(b->links, d)) && n < size;)
		if (d->hwtype != ARPHRD_LOOPBACK)
			n += (size_t)snprintf(buf + n, size - n, "%s%s (%s)", n ? ", " : "there are: ", d->name,
				d->carrier ? "carrier" : "no carrier");
}

/* Before anything was found: what is missing? After rd.net.timeout.iflink it is called a cause. */
static void wait_for_netdev(struct boot *b, uint64_t now)
{
	uint32_t limit = b->plan->net.timeouts.iflink_s;
	const char *name = b->plan->net.bootdev;
	enum cause cause = CAUSE_NETDEV_MISSING;
	char port[96], there[160];

	if (b->n_rails) {
		report_wait(b->report, CAUSE_NONE, "netdev", now, "%s", "");
		return;
	}
	asked_port(b, port, sizeof(port));
	if (*port && !rail_port_seen(b))
		cause = CAUSE_PORT_NO_HCA;
	list_netdevs(b, there, sizeof(there));
	report_wait(b->report, cause, "netdev", now, "waiting for %s %s to appear; %s",
		*port ? "the interface of RDMA port" : "network interface", *port ? port : name ? name : "(any)", there);
	if (limit && now >= b->run.start + limit * NSEC_PER_SEC)
		report_cause(b->report, cause, *port ? port : name, now, "not within %u s; %s", limit, there);
}

void rails_step(struct boot *b, uint64_t now)
{
	take_events(b, now);
	wait_for_netdev(b, now);
	if (soft_links_step(b, now))
		now = now_ns();
	take_events(b, now);
	rail_ports_step(b, now);
}
