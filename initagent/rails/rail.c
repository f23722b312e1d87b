// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rail: every interface the plan allows becomes a rail; each gets its address on its own and, if
 * the root needs RDMA, waits for the port on it. All rails come up at once.
 */
#include "rails/private.h"

#include <net/if_arp.h>

/* Places among RAILS_LIMIT that only interfaces named by ip= get. */
#define RAILS_NAMED 16

/* Does an ip= entry speak of this interface by name or address? A partition's child has its
 * parent's GUID. */
static bool ip_names(const struct rails *rails, const struct plan_ip *ip, const struct netdev *dev)
{
	if (ip->ifname)
		return streq(ip->ifname, dev->name);
	return ip->match.len && stack_matches(rails, dev, &ip->match) &&
		!ipoib_replaced(rails, dev);
}

/* A static address without an interface name belongs to one interface only: NULL, or who has it
 * now. */
static struct rail *holder_of(struct rails *rails, const struct plan_ip *ip)
{
	if (!ip || !plan_ip_is_open(ip) || !(ip->methods & PLAN_IP_STATIC))
		return NULL;
	for (size_t i = 0; i < rails->n; i++)
		if (rails->rows[i].ip == ip && rails->rows[i].state != RAIL_SPARE &&
			rails->rows[i].state != RAIL_FAILED)
			return &rails->rows[i];
	return NULL;
}

/* An interface that is not named is used unless BOOTIF=, rd.ib.port= or rd.ib.guid= point at
 * another one. */
static bool open_to(const struct rails *rails, const struct netdev *dev)
{
	const struct hw_addr *bootif = &rails->plan->net.bootif;

	if (stack_carries(rails, dev->name))
		return false;
	if (ipoib_is_child(dev) ? !ipoib_child_wanted(rails, dev) : *dev->kind &&
		dev->hwtype != ARPHRD_INFINIBAND && !naming_link(rails, dev->name))
		return false;
	if (ipoib_replaced(rails, dev) || !rail_allowed(rails, dev))
		return false;
	return !bootif->len || stack_matches(rails, dev, bootif);
}

/* Is dev a rail of the plan, and by which ip= entry (NULL: plain DHCP)? */
static bool wanted(const struct rails *rails, const struct netdev *dev,
	const struct plan_ip **ret_ip)
{
	const struct plan_net *net = &rails->plan->net;

	if ((dev->hwtype != ARPHRD_ETHER && dev->hwtype != ARPHRD_INFINIBAND) ||
		dev->master_ifindex || !stack_ready(rails, dev))
		return false;
	for (size_t i = 0; i < net->n_ips; i++)
		if (ip_names(rails, &net->ips[i], dev)) {
			*ret_ip = &net->ips[i];
			return true;
		}
	if (!open_to(rails, dev))
		return false;
	for (size_t i = 0; i < net->n_ips; i++)
		if (plan_ip_is_open(&net->ips[i])) {
			*ret_ip = &net->ips[i];
			return true;
		}
	/* BOOTIF= is one more beside those that ip= names, as in dracut (parse-ip-opts.sh). */
	*ret_ip = NULL;
	return net->n_ips == 0 || net->bootif.len;
}

static int rename_to(struct rails *rails, const struct netdev *dev, const char *name, uint64_t now)
{
	int r = links_rename(rails->links, dev->ifindex, name);

	if (r >= 0)
		report_log(rails->report, REPORT_INFO, dev->name, now, "renamed to %s", name);
	return r;
}

/* Name, address and MTU come before the interface is up. Returns the name it has now. */
static void prepare(struct rails *rails, const struct netdev *dev, const struct plan_ip *ip,
	char name[static IFNAMSIZ], uint64_t now)
{
	int r = 0;

	if (naming_wanted(rails, dev, name))
		r = rename_to(rails, dev, name, now);
	else
		strscpy(name, dev->name, IFNAMSIZ);
	if (r < 0)
		strscpy(name, dev->name, IFNAMSIZ);
	if (!naming_link(rails, dev->name))
		ipoib_prepare(rails, dev, now);
	if (r >= 0 && ip && ip->hwaddr.len)
		r = links_set_hw(rails->links, dev->ifindex, &ip->hwaddr);
	if (r < 0)
		rail_refused(rails, dev->name, now);
}

#define METRIC_STEP 100

static uint32_t last_metric(const struct rails *rails, const struct rail *but)
{
	uint32_t last = 0;

	for (size_t i = 0; i < rails->n; i++)
		if (&rails->rows[i] != but && rails->rows[i].metric > last)
			last = rails->rows[i].metric;
	return last;
}

void rails_step_back(struct rails *rails, const struct rail *rail, uint64_t now)
{
	struct rail *own = rails_row(rails, rail->ifindex);
	uint32_t last = last_metric(rails, own);

	if (rails->kept || rails->n < 2 || own->metric > last)
		return;
	own->metric = last + METRIC_STEP;
	report_log(rails->report, REPORT_INFO, own->name, now,
		"lower priority now: route metric raised to %u", own->metric);
	addresses_set_metric(rails->addresses, own->ifindex, own->metric);
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

static void begin_address(struct rails *rails, struct rail *rail, const struct netdev *dev,
	uint64_t now)
{
	struct address_config cfg = {0};
	int r = address_config_from_plan(&cfg, rails->plan, rail->ip, dev);

	cfg.metric = rail->metric;
	if (r >= 0)
		r = addresses_add(rails->addresses, &cfg, now);
	if (r < 0) {
		report_cause(rails->report, CAUSE_NETDEV_CONFIG, rail->name, now, "%s",
			strerror(-r));
		rail_set_state(rails, rail, RAIL_FAILED, now);
		return;
	}
	rail_set_state(rails, rail, RAIL_ADDRESSING, now);
	report_log(rails->report, REPORT_INFO, rail->name, now, "found, %s%s%s", begins[cfg.method],
		has_second(&cfg) ? " and " : "", has_second(&cfg) ? begins[cfg.second] : "");
}

/* Interfaces that ip= names get a place even where the others have taken all that are left for
 * any. */
static bool no_room(struct rails *rails, const struct netdev *dev, const struct plan_ip *ip,
	uint64_t now)
{
	size_t limit = RAILS_LIMIT - (ip && !plan_ip_is_open(ip) ? 0 : RAILS_NAMED);

	if (rails->n < limit)
		return false;
	if (!rails->full)
		report_log(rails->report, REPORT_WARN, dev->name, now,
			"more than %zu interfaces: this one and further ones are not used; name "
			"the right one in ip=", limit);
	rails->full = true;
	return true;
}

/* Is its default route the first, and its lease the one that names the root? As in dracut, where
 * BOOTIF= wins over the first ip=; bootdev= wins over both. */
static bool leads(const struct rails *rails, const struct netdev *dev)
{
	const struct plan_net *net = &rails->plan->net;

	return net->bootdev ? streq(net->bootdev, dev->name)
		: net->bootif.len && stack_matches(rails, dev, &net->bootif);
}

/* Adds the rail for dev and starts its address, unless that is in use: then it stands by. */
static void add_rail(struct rails *rails, const struct netdev *seen, const struct plan_ip *ip,
	uint64_t now)
{
	const struct plan_net *net = &rails->plan->net;
	struct netdev dev = *seen;
	struct rail *rail;
	bool taken = holder_of(rails, ip);

	if (no_room(rails, seen, ip, now))
		return;
	rail = &rails->rows[rails->n++];
	*rail = (struct rail){
		.ifindex = dev.ifindex,
		.ip = ip,
		.ipoib = dev.hwtype == ARPHRD_INFINIBAND,
		.guid = netdev_guid(&dev),
		.pkey = netdev_pkey(&dev),
	};
	prepare(rails, &dev, ip, rail->name, now);
	strscpy(dev.name, rail->name, sizeof(dev.name));
	rail->leads = leads(rails, &dev);
	/* Routes of all rails stand side by side; the first one's go first, or those of the one
	 * that leads, which may come later. */
	if (!rail->leads && (rails->n > 1 || net->bootdev || net->bootif.len))
		rail->metric = last_metric(rails, rail) + METRIC_STEP;
	if (!taken) {
		begin_address(rails, rail, &dev, now);
		return;
	}
	rail_set_state(rails, rail, RAIL_SPARE, now);
	stack_set_up(rails, dev.ifindex, rail->name, now);
}

/* The spare takes the static address over from its holder, if there is one. */
static void claim(struct rails *rails, struct rail *spare, const struct netdev *dev, uint64_t now)
{
	struct rail *holder = holder_of(rails, spare->ip);

	if (holder) {
		addresses_remove(rails->addresses, holder->ifindex, true, now);
		report_wait_over(rails->report, holder->name, now);
		holder->configured = false;
		rail_set_state(rails, holder, RAIL_SPARE, now);
	}
	report_log(rails->report, REPORT_INFO, spare->name, now,
		"has carrier, configuring the address%s%s",
		holder ? " of " : "", holder ? holder->name : "");
	begin_address(rails, spare, dev, now);
}

/* A spare has carrier: is the one whose address it waits for worse off? */
static void consider_spare(struct rails *rails, struct rail *spare, const struct netdev *dev,
	uint64_t now)
{
	const struct rail *holder = holder_of(rails, spare->ip);
	const struct netdev *held = holder ? links_by_index(rails->links, holder->ifindex) : NULL;

	if (dev->carrier && (!held || !held->carrier) && !rails->kept)
		claim(rails, spare, dev, now);
}

void rails_next(struct rails *rails, uint64_t now)
{
	for (size_t i = 0; i < rails->n; i++) {
		size_t at = (rails->spare_turn + i) % rails->n;
		struct rail *spare = &rails->rows[at];
		const struct netdev *dev = links_by_index(rails->links, spare->ifindex);

		if (spare->state != RAIL_SPARE || !dev || !dev->carrier)
			continue;
		rails->spare_turn = at + 1;
		claim(rails, spare, dev, now);
		return;
	}
}

/* An interface that is no rail yet. The plan may speak of it by the name ifname= will give it. */
static void consider_netdev(struct rails *rails, const struct netdev *dev, uint64_t now)
{
	const struct plan_ip *ip = NULL;
	struct netdev as = *dev;
	bool renamed = naming_wanted(rails, dev, as.name);

	if (naming_is_others(rails, dev)) {
		naming_give_up(rails, dev, now);
		return;
	}
	if (!renamed)
		strscpy(as.name, dev->name, sizeof(as.name));
	if (ipoib_is_parent(rails, &as) && rail_allowed(rails, dev) &&
		!ipoib_has_children(rails, dev)) {
		prepare(rails, dev, NULL, as.name, now);
		ipoib_make_children(rails, &as, now);
		renamed = false;
	}
	if (wanted(rails, &as, &ip))
		add_rail(rails, dev, ip, now);
	else if (renamed && rename_to(rails, dev, as.name, now) < 0)
		rail_refused(rails, dev->name, now);
}

/* IPoIB takes no more than the broadcast group's MTU, without a word. */
static void say_capped(struct rails *rails, struct rail *rail, const struct netdev *dev,
	uint64_t now)
{
	const struct address_result *a = addresses_result(rails->addresses, rail->ifindex);

	if (!rail->ipoib || rail->capped || !a || dev->mtu >= a->mtu)
		return;
	rail->capped = true;
	report_log(rails->report, REPORT_WARN, rail->name, now,
		"MTU %u was requested, the mode or the broadcast group allows %u", a->mtu,
		dev->mtu);
}

static void link_seen(struct rails *rails, const struct netdev *dev, uint64_t now)
{
	const struct netdev *master = links_by_index(rails->links, dev->master_ifindex);
	struct rail *rail = rails_row(rails, dev->ifindex);

	if (!rail)
		consider_netdev(rails, dev, now);
	/* A bond or bridge becomes a rail with its first part. */
	if (master && !rails_row(rails, master->ifindex))
		consider_netdev(rails, master, now);
	rail = rails_row(rails, dev->ifindex);
	if (!rail)
		return;
	/* A bond of IPoIB interfaces has that of the active one. */
	rail->ipoib = dev->hwtype == ARPHRD_INFINIBAND;
	rail->guid = netdev_guid(dev);
	if (!streq(rail->name, dev->name)) {
		report_wait_over(rails->report, rail->name, now);
		/* A RoCE port is found by it; the uevent that tells of it may come later. */
		if (rail->state == RAIL_READY)
			(void)fabric_rescan(rails->fabric, now);
	}
	strscpy(rail->name, dev->name, sizeof(rail->name));
	if (dev->carrier && !rail->carrier)
		rail->carrier = now;
	if (!dev->no_partner)
		rail->partner = 0;
	rails->port_check = now;
	if (rail->state == RAIL_SPARE)
		consider_spare(rails, rail, dev, now);
	else
		addresses_link(rails->addresses, dev->ifindex, now);
	say_capped(rails, rail, dev, now);
}

void rail_reconsider(struct rails *rails, uint64_t now)
{
	const struct netdev *dev = NULL;

	while ((dev = links_next(rails->links, dev)))
		if (!rails_row(rails, dev->ifindex))
			consider_netdev(rails, dev, now);
}

void rail_link_event(struct rails *rails, const struct link_event *ev, uint64_t now)
{
	struct rail *rail;

	switch (ev->type) {
	case LINK_ADDED:
	case LINK_CHANGED: link_seen(rails, &ev->dev, now); break;
	case LINK_GONE:
		stack_gone(rails, ev->dev.name);
		rail = rails_row(rails, ev->dev.ifindex);
		if (rail) {
			addresses_link(rails->addresses, rail->ifindex, now);
			/* a spare that is gone must not count as the holder of the address */
			rail_set_state(rails, rail, rail->state == RAIL_SPARE ? RAIL_FAILED
				: RAIL_LOST, now);
			rail_gone(rails, rail);
		}
		break;
	case LINK_NEIGH_REACHABLE:
	case LINK_NEIGH_FAILED: rails_emit(rails, RAILS_NEIGHBOUR, 0)->neighbour = *ev; break;
	}
}

static void say_result(struct rails *rails, const struct rail *rail,
	const struct address_result *a, uint64_t now)
{
	char addr[INET_ADDR_TEXT], other[INET_ADDR_TEXT], from[INET_ADDR_TEXT + 16] = "",
										how[32] = "";

	inet_text(&a->addr, addr);
	if (a->method == ADDRESS_DHCP4)
		snprintf(from, sizeof(from), " from %s", inet_text(&a->server_id, other));
	else if (a->method == ADDRESS_AUTO6 && a->gateway.family)
		snprintf(from, sizeof(from), ", router %s", inet_text(&a->gateway, other));
	else if (a->method != ADDRESS_AUTO6)
		snprintf(from, sizeof(from), ", %s", address_method_name(a->method));
	if (a->method == ADDRESS_DHCP4 || a->method == ADDRESS_DHCP6)
		snprintf(how, sizeof(how), " for %u s", a->lease_s);
	report_log(rails->report, REPORT_INFO, rail->name, now, "%s/%u%s%s%s", addr, a->prefix,
		from, how,
		a->adopted ? ", adopted" : "");
}

static void say_address(struct rails *rails, const struct rail *rail, uint64_t now)
{
	const struct address_result *four =
		addresses_result_of(rails->addresses, rail->ifindex, AF_INET);
	const struct address_result *six =
		addresses_result_of(rails->addresses, rail->ifindex, AF_INET6);

	if (four)
		say_result(rails, rail, four, now);
	if (six)
		say_result(rails, rail, six, now);
}

/* The node's name until the real root sets its own; hostname= wins over the lease (see
 * address.h). */
static void set_hostname(struct rails *rails, const struct rail *rail, uint64_t now)
{
	const struct address_result *a = addresses_result(rails->addresses, rail->ifindex);
	const char *name = rails->plan->net.hostname ? rails->plan->net.hostname : a
		? a->hostname : "";

	/* A fixture tree (prefix) has no host name of its own to set. */
	if (!*name || *rails->env.prefix)
		return;
	fabric_describe(rails->fabric, rails->plan->ib.nodedesc, name, now);
	if (sethostname(name, strlen(name)) < 0)
		report_log(rails->report, REPORT_WARN, rail->name, now, "host name %s: %s", name,
			strerror(errno));
}

static void configured(struct rails *rails, struct rail *rail, uint64_t now)
{
	rail->configured = true;
	rail->cause = CAUSE_NONE;
	if (!rail->address)
		rail->address = now;
	report_wait_over(rails->report, rail->name, now);
	say_address(rails, rail, now);
	set_hostname(rails, rail, now);
	rails->port_check = now;
	rail->check_period = 0;
	rail_set_state(rails, rail, RAIL_PORT, now);
	rails_emit(rails, RAILS_ADDRESS, rail->ifindex);
}

static void spares_turn(struct rails *rails, uint64_t now)
{
	for (size_t i = 0; i < rails->n; i++) {
		const struct netdev *dev = links_by_index(rails->links, rails->rows[i].ifindex);

		if (rails->rows[i].state == RAIL_SPARE && dev)
			consider_spare(rails, &rails->rows[i], dev, now);
	}
}

/* A cable that is out keeps each server from answering: it is what is waited for, until the carrier
 * is back, and not what the last attempt failed of. */
static void say_lost(struct rails *rails, const struct rail *rail, const char *text, uint64_t now)
{
	report_wait(rails->report, rail->cause, rail->name, now, "%s", text);
	if (!rails_other_ready(rails, rail))
		report_wait_over(rails->report, "root", now);
}

static void unusable(struct rails *rails, struct rail *rail, enum rail_state to,
	const struct address_event *ev, uint64_t now)
{
	enum cause port = CAUSE_NONE;

	rail->configured = false;
	rail->cause = ev->cause == CAUSE_DHCP_NO_OFFER && rail->sm == FABRIC_SM_SILENT
			      ? CAUSE_PORT_SM_SILENT
			      : ev->cause;
	report_wait_over(rails->report, rail->name, now);
	/* Why IPoIB has no carrier, its port tells better. */
	if (rail->ipoib && ev->cause == CAUSE_NETDEV_NO_CARRIER)
		port = rail_blame_port(rails, rail, now);
	if (port != CAUSE_NONE)
		rail->cause = port;
	else
		report_cause(rails->report, rail->cause, rail->name, now, "%s", ev->text);
	if (to == RAIL_LOST && !rails->kept)
		say_lost(rails, rail, ev->text, now);
	rail_set_state(rails, rail, to, now);
	rails->port_check = now;
	spares_turn(rails, now);
	rails_step_back(rails, rail, now);
	rail_gone(rails, rail);
}

void rail_address_event(struct rails *rails, const struct address_event *ev, uint64_t now)
{
	struct rail *rail = rails_row(rails, ev->ifindex);

	if (ev->type == ADDRESS_RESOLVED) {
		struct rails_event *answer = rails_emit(rails, RAILS_RESOLVED, 0);

		answer->resolved = *ev;
		answer->asker = ev->id;
		return;
	}
	if (!rail)
		return;
	switch (ev->type) {
	case ADDRESS_CONFIGURED: configured(rails, rail, now); break;
	case ADDRESS_HINDRANCE:
		report_log(rails->report, REPORT_DEBUG, rail->name, now, "%s", ev->text);
		/* Why an InfiniBand rail has no carrier, its port tells better. */
		if (rail->ipoib && ev->cause == CAUSE_NETDEV_NO_CARRIER)
			rails->port_check = now;
		else
			rail_hindered(rails, rail, ev->cause, ev->text, now);
		break;
	case ADDRESS_LOST: unusable(rails, rail, RAIL_LOST, ev, now); break;
	case ADDRESS_FAILED: unusable(rails, rail, RAIL_FAILED, ev, now); break;
	case ADDRESS_RENEWED:
	case ADDRESS_RESOLVED: break;
	}
}
