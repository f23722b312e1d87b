// SPDX-License-Identifier: GPL-2.0-or-later
/* rails: see rails.h. Life of the object, what is read of it, its events; and what no rail was
 * found for yet. */
#include "rails/private.h"

#include "base/cursor.h"
#include "resolver/resolver.h"

#include <net/if_arp.h>

/* --- life ------------------------------------------------------------------------------------ */

/* Each listens before it looks, so nothing that comes meanwhile is missed. */
int rails_new(struct rails **ret, const struct rails_config *cfg, uint64_t now)
{
	_cleanup_(rails_freep) struct rails *rails = calloc(1, sizeof(*rails));
	const struct boot_plan *plan = cfg->plan;
	int r;

	if (!rails)
		return -ENOMEM;
	rails->cfg = *cfg;
	rails->env = *cfg->env;
	rails->report = cfg->env->report;
	rails->plan = plan;
	rails->port_check = NSEC_NEVER;
	r = links_new(&rails->links, &rails->env, now);
	if (r >= 0 && cfg->forget)
		addresses_forget(&rails->env, rails->links, now);
	if (r >= 0)
		r = addresses_new(&rails->addresses, &rails->env, rails->links, now);
	if (r >= 0)
		r = fabric_new(&rails->fabric, &rails->env, NULL);
	if (r < 0)
		return r;
	addresses_hold(rails->addresses, plan->drivers.n_post, now);
	fabric_set_smprobe(rails->fabric, plan->ib.smprobe, now);
	fabric_describe(rails->fabric, plan->ib.nodedesc, plan->net.hostname ? plan->net.hostname
		: "", now);
	r = fabric_rescan(rails->fabric, now);
	if (r < 0)
		return r;
	*ret = rails;
	rails = NULL;
	return 0;
}

struct rails *rails_free(struct rails *rails)
{
	if (!rails)
		return NULL;
	rails_close_verbs(rails);
	fabric_freep(&rails->fabric);
	addresses_freep(&rails->addresses);
	links_freep(&rails->links);
	free(rails);
	return NULL;
}

void rails_close_verbs(struct rails *rails)
{
	if (rails->fabric)
		fabric_close_verbs(rails->fabric);
}

void rails_fds(const struct rails *rails, int ret[static RAILS_FDS])
{
	ret[0] = links_fd(rails->links);
	ret[1] = addresses_fd(rails->addresses);
	ret[2] = fabric_fd(rails->fabric);
}

uint64_t rails_deadline(const struct rails *rails)
{
	uint64_t d = min_u64(links_deadline(rails->links), addresses_deadline(rails->addresses));

	d = min_u64(d, stack_deadline(rails));
	return min_u64(min_u64(d, fabric_deadline(rails->fabric)), rails->port_check);
}

int rails_dispatch(struct rails *rails, uint64_t now)
{
	struct pollfd fds[RAILS_FDS] = {{.events = POLLIN}, {.events = POLLIN}, {.events = POLLIN}};
	int which[RAILS_FDS], r = 0;

	rails_fds(rails, which);
	for (size_t i = 0; i < RAILS_FDS; i++)
		fds[i].fd = which[i];
	if (poll(fds, RAILS_FDS, 0) < 0)
		return errno == EINTR ? 0 : -errno;
	if (fds[0].revents || now >= links_deadline(rails->links))
		r = links_dispatch(rails->links, now);
	if (r >= 0 && (fds[1].revents || now >= addresses_deadline(rails->addresses)))
		addresses_dispatch(rails->addresses, now);
	if (r >= 0 && (fds[2].revents || now >= fabric_deadline(rails->fabric)))
		r = fabric_dispatch(rails->fabric, now);
	return r;
}

/* --- events ---------------------------------------------------------------------------------- */

bool rails_pop_event(struct rails *rails, struct rails_event *ret)
{
	if (!rails->n_events)
		return false;
	*ret = rails->events[rails->first];
	rails->first = (rails->first + 1) % RAILS_EVENTS;
	rails->n_events--;
	return true;
}

static void rails_fatal(struct rails *rails, enum cause cause, const char *where, const char *text)
{
	struct rails_event *ev = rails_emit(rails, RAILS_FATAL, 0);

	ev->fatal.cause = cause;
	strscpy(ev->fatal.where, where, sizeof(ev->fatal.where));
	strscpy(ev->fatal.text, text, sizeof(ev->fatal.text));
}

/* --- reading --------------------------------------------------------------------------------- */

const struct rail *rails_list(const struct rails *rails, size_t *ret_n)
{
	*ret_n = rails->n;
	return rails->rows;
}

/* The rail of ip=, or (NULL) of BOOTIF=. Two ip= for one interface, of one family each, are one
 * rail; an interface that went away and came back is two. */
static const struct rail *rail_by(const struct rails *rails, const struct plan_ip *ip)
{
	const struct hw_addr *hw = ip ? &ip->match : &rails->plan->net.bootif;
	const struct rail *found = NULL;

	for (size_t i = 0; i < rails->n; i++) {
		const struct rail *rail = &rails->rows[i];
		const struct netdev *dev = links_by_index(rails->links, rail->ifindex);
		bool named = ip && ip->ifname && streq(ip->ifname, rail->name);

		if (!(ip && rail->ip == ip) && !named &&
			!(hw->len && dev && stack_matches(rails, dev, hw)))
			continue;
		if (!found || rail->state == RAIL_READY)
			found = rail;
	}
	return found;
}

bool rails_all_ready(const struct rails *rails, uint64_t now)
{
	const struct plan_net *net = &rails->plan->net;
	bool all = rails_other_ready(rails, NULL);
	const char *missing = "";

	for (size_t i = 0; i <= net->n_ips && !*missing; i++) {
		const struct plan_ip *ip = i < net->n_ips ? &net->ips[i] : NULL;
		const struct rail *rail = rail_by(rails, ip);

		if (ip ? plan_ip_is_open(ip) : !net->bootif.len)
			continue;
		missing = rail ? "" : ip && ip->ifname ? ip->ifname : "by its address";
		all &= rail && rail->state == RAIL_READY;
	}
	report_wait(rails->report, *missing ? CAUSE_NETDEV_MISSING : CAUSE_NONE, "network", now,
		"%s%s", *missing ? "waiting for network interface " : "", missing);
	return all;
}

enum cause rails_failure(const struct rails *rails, const char **ret_where)
{
	for (size_t i = 0; i < rails->n; i++) {
		const struct rail *rail = &rails->rows[i];
		enum cause cause = rail->sm == FABRIC_SM_SILENT ? CAUSE_PORT_SM_SILENT
			: rail->cause;

		if (cause == CAUSE_NONE)
			continue;
		*ret_where = rail->name;
		return cause;
	}
	return CAUSE_NONE;
}

void rails_rdma_span(const struct rails *rails, uint64_t *ret_begin, uint64_t *ret_end)
{
	*ret_begin = rails->rdma_begin;
	*ret_end = rails->rdma_end;
}

bool rails_rdma_impossible(const struct rails *rails)
{
	size_t n_ports, n_links = rails->plan->net.n_rdma_links;
	uint64_t all = n_links < 64 ? (UINT64_C(1) << n_links) - 1 : UINT64_MAX;

	fabric_ports(rails->fabric, &n_ports);
	return !n_ports && n_links && (rails->links_failed & all) == all;
}

uint64_t rails_node_number(const struct rails *rails)
{
	for (size_t i = 0; i < rails->n; i++) {
		const struct netdev *dev = links_by_index(rails->links, rails->rows[i].ifindex);
		const size_t n = dev ? min_u64(dev->hw.len, 8) : 0;

		if (rails->rows[i].guid)
			return rails->rows[i].guid;
		/* An Ethernet address, or the GUID in that of IPoIB. */
		if (n)
			return get_be(dev->hw.bytes + dev->hw.len - n, n);
	}
	return 0;
}

struct links *rails_links(const struct rails *rails)
{
	return rails->links;
}

struct addresses *rails_addresses(const struct rails *rails)
{
	return rails->addresses;
}

struct fabric *rails_fabric(const struct rails *rails)
{
	return rails->fabric;
}

/* --- what boot/ and root/ say ---------------------------------------------------------------- */

int rails_resolve(struct rails *rails, enum rails_asker asker, const char *name, uint64_t limit,
	uint64_t now)
{
	return resolver_ask(addresses_resolver(rails->addresses), asker, name, limit, now);
}

void rails_resolve_all(struct rails *rails, enum rails_asker asker)
{
	resolver_want_all(addresses_resolver(rails->addresses), asker);
}

void rails_want(struct rails *rails, bool rdma, int family)
{
	rails->wants_rdma = rdma;
	rails->family = family;
}

void rails_retry_ports(struct rails *rails, uint64_t now)
{
	rails->port_check = now;
}

void rails_drivers_named(struct rails *rails, uint64_t now)
{
	if (!rails->drivers_named)
		addresses_hold(rails->addresses, false, now);
	rails->drivers_named = true;
}

void rails_keep(struct rails *rails)
{
	addresses_keep(rails->addresses);
	rails->kept = true;
}

/* --- the plan's interfaces that are not there ------------------------------------------------ */

/* NULL: the interface is no team's, or is there already. */
static const struct plan_link *missing_team(const struct rails *rails, const char *ifname)
{
	const struct plan_net *net = &rails->plan->net;

	for (size_t i = 0; ifname && i < net->n_links; i++)
		if (net->links[i].kind == PLAN_LINK_TEAM && streq(net->links[i].name, ifname) &&
			!links_by_name(rails->links, ifname))
			return &net->links[i];
	return NULL;
}

void rails_check_plan(struct rails *rails, uint64_t now)
{
	const struct plan_net *net = &rails->plan->net;
	const struct plan_link *link, *last = NULL;
	bool other = false;
	char text[96];

	for (size_t i = 0; i < net->n_ips; i++) {
		link = missing_team(rails, net->ips[i].ifname);
		last = link ? link : last;
		other |= !link;
	}
	if (!net->n_ips)
		last = missing_team(rails, net->bootdev);
	if (!last)
		return;
	snprintf(text, sizeof(text), "no team is created; write %s", last->instead);
	/* The root may still be reached through another ip=. */
	if (other)
		report_cause(rails->report, CAUSE_CMDLINE_LINK, last->name, now, "%s", text);
	else
		rails_fatal(rails, CAUSE_CMDLINE_LINK, last->name, text);
}

/* --- the step -------------------------------------------------------------------------------- */

static void take_fabric_events(struct rails *rails, uint64_t now)
{
	struct fabric_event fe;
	bool changed = false;

	while (fabric_pop_event(rails->fabric, &fe)) {
		changed = true;
		rails->port_check = now;
		if (fe.type == FABRIC_GROUP)
			rail_take_group(rails, &fe, now);
		if (fe.type == FABRIC_SM)
			rail_take_sm(rails, &fe, now);
		if (!rails->rdma_begin)
			rails->rdma_begin = now;
	}
	if (changed) {
		ipoib_request_modules(rails, now);
		rail_reconsider(rails, now);
	}
}

static void take_events(struct rails *rails, uint64_t now)
{
	struct link_event le;
	struct address_event ae;

	while (rails_room(rails) && links_pop_event(rails->links, &le))
		rail_link_event(rails, &le, now);
	while (rails_room(rails) && addresses_pop_event(rails->addresses, &ae))
		rail_address_event(rails, &ae, now);
	take_fabric_events(rails, now);
}

void rails_step(struct rails *rails, uint64_t now)
{
	take_events(rails, now);
	stack_step(rails, now);
	rails_missing_step(rails, now);
	if (soft_links_step(rails, now))
		now = now_ns();
	take_events(rails, now);
	rail_ports_step(rails, now);
}
