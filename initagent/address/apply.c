// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apply: addresses and routes through the link room; see iface.h, and address.h for
 * addresses_forget().
 */
#include <linux/rtnetlink.h>

#include "address/iface.h"
#include "address/lease_file.h"
#include "report/report.h"

static void fault(struct links *links, struct apply_outcome *o, enum cause cause)
{
	if (o->cause)
		return;
	o->cause = cause;
	strscpy(o->text, links_error(links), sizeof(o->text));
}

static void route_fault(struct links *links, struct apply_outcome *o, const struct link_route *r)
{
	char dst[INET_ADDR_TEXT], gateway[INET_ADDR_TEXT];

	if (o->cause)
		return;
	o->cause = CAUSE_ROUTE_FAILED;
	snprintf(o->text, sizeof(o->text), "%s/%u%s%s: %s", inet_text(&r->dst, dst), r->prefix,
		r->gateway.family ? " by " : "", inet_text(&r->gateway, gateway),
		links_error(links));
}

/*
 * The kernel keeps the address for ever, whatever the lease says: its end is watched by us, later
 * by the real root's client. An address that vanishes under a mounted root takes the root with it.
 */
static struct link_address address_of(const struct address_result *r, uint32_t metric)
{
	return (struct link_address){
		.addr = r->addr,
		.prefix = r->prefix,
		.broadcast = r->broadcast,
		.peer = r->peer,
		.valid_s = LINK_FOREVER,
		.metric = metric,
		.no_dad = r->probe == ADDRESS_PROBE_NONE,
		.optimistic = r->addr.family == AF_INET6 && r->probe == ADDRESS_PROBE_PARALLEL,
	};
}

static struct link_route route_of(const struct address_result *r, const struct inet_addr *dst,
	uint8_t prefix, const struct inet_addr *gateway, uint32_t metric)
{
	return (struct link_route){
		.ifindex = r->ifindex,
		.dst = *dst,
		.prefix = prefix,
		.gateway = *gateway,
		.metric = metric,
		.protocol = r->method == ADDRESS_DHCP4 ? RTPROT_DHCP : RTPROT_BOOT,
		/* Only with DHCP: on the command line such a gateway is rather a typing error. */
		.onlink = gateway->family && r->method == ADDRESS_DHCP4 && r->prefix == 32 &&
			result_onlink(r, gateway),
	};
}

static struct link_route default_route(const struct address_result *r, uint32_t metric)
{
	const struct inet_addr all = {.family = r->gateway.family};

	return route_of(r, &all, 0, &r->gateway, metric);
}

/* On-link routes first: gateways of the others may lie behind them. */
static void add_routes(struct links *links, const struct address_result *r, uint32_t metric,
	struct apply_outcome *o)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < r->n_routes; i++) {
			const struct address_route *a = &r->routes[i];
			struct link_route route =
				route_of(r, &a->dst, a->prefix, &a->gateway, metric);

			if ((a->gateway.family != 0) == pass && links_add_route(links, &route) < 0)
				route_fault(links, o, &route);
		}
}

/* The MTU comes first: IPv6 takes itself off an interface with less than 1,280. */
static void set_mtu(struct links *links, const struct address_result *r, struct apply_outcome *o)
{
	const struct netdev *dev = links_by_index(links, r->ifindex);

	if (r->mtu && dev && dev->mtu != r->mtu && links_set_mtu(links, r->ifindex, r->mtu) < 0)
		fault(links, o, CAUSE_NETDEV_CONFIG);
}

void apply_around(struct links *links, const struct address_result *r, uint32_t metric,
	struct apply_outcome *ret)
{
	*ret = (struct apply_outcome){0};
	set_mtu(links, r, ret);
	add_routes(links, r, metric, ret);
}

int apply_result(struct links *links, const struct address_result *r, uint32_t metric,
	struct apply_outcome *ret)
{
	const struct link_address address = address_of(r, metric);
	int e;

	*ret = (struct apply_outcome){0};
	set_mtu(links, r, ret);
	e = links_add_address(links, r->ifindex, &address);
	if (e < 0) {
		ret->cause = CAUSE_NONE;
		fault(links, ret, CAUSE_ADDRESS_FAILED);
		return e;
	}
	ret->adopted = e > 0;
	add_routes(links, r, metric, ret);
	if (r->gateway.family) {
		const struct link_route route = default_route(r, metric);

		if (links_add_route(links, &route) < 0)
			route_fault(links, ret, &route);
	}
	return 0;
}

void apply_remove_routes(struct links *links, const struct address_result *r, uint32_t metric)
{
	if (r->gateway.family) {
		const struct link_route route = default_route(r, metric);

		links_del_route(links, &route);
	}
	for (size_t i = r->n_routes; i-- > 0;) {
		const struct address_route *a = &r->routes[i];
		const struct link_route route =
			route_of(r, &a->dst, a->prefix, &a->gateway, metric);

		links_del_route(links, &route);
	}
}

void apply_release(struct links *links, const struct address_result *r, uint32_t metric)
{
	const struct link_address address = address_of(r, metric);

	apply_remove_routes(links, r, metric);
	links_del_address(links, r->ifindex, &address);
}

void apply_metric(struct links *links, const struct address_result *r, uint32_t from, uint32_t to)
{
	struct apply_outcome ignored;

	if (from == to)
		return;
	apply_result(links, r, to, &ignored);
	apply_remove_routes(links, r, from);
}

static void take_off(const struct env *env, struct links *links, int family,
	const struct netdev *dev, uint64_t now)
{
	struct address_result lease;
	char address[INET_ADDR_TEXT];

	if (lease_file_load(env, family, dev, &lease) == 0) {
		report_log(env->report, REPORT_INFO, dev->name, now,
			"ignoring the failed boot's lease of %s",
			inet_text(&lease.addr, address));
		apply_release(links, &lease, 0); /* routes of any metric */
	}
	lease_file_remove(env, family, dev->ifindex);
}

void addresses_forget(const struct env *env, struct links *links, uint64_t now)
{
	const struct netdev *dev = NULL;

	while ((dev = links_next(links, dev))) {
		take_off(env, links, AF_INET, dev, now);
		take_off(env, links, AF_INET6, dev, now);
	}
}
