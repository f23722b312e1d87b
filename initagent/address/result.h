/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result: what a rail shall have. It owns a copy of the configuration (struct iface_config). Pure,
 * but for the reports of lease_warn().
 * In: the configuration, an interface, a lease or what routers said. Out: struct address_result, in
 * which the command line wins over the lease; what of a lease is left out.
 * Callers: handover/. Tests: test_result.c, test_dhcp_bugs.c.
 */
#pragma once

#include "address/address.h"
#include "address/dhcp4.h"
#include "address/dhcp6.h"
#include "resolver/resolv_conf.h"

/* An address_config that owns what its pointers lead to; must not be moved. */
struct iface_config {
	struct address_config cfg;
	char hostname[ADDRESS_HOSTNAME_MAX + 1];
	struct plan_route routes[ADDRESS_ROUTES_MAX];
	char route_ifnames[ADDRESS_ROUTES_MAX][IFNAMSIZ];
	struct inet_addr nameservers[ADDRESS_LIST_MAX];
};

/*
 * iface_config_copy: surplus routes and name servers are left out. -EINVAL when the method and the
 * fields do not go together or something is too long.
 */
int iface_config_copy(struct iface_config *ret, const struct address_config *cfg);

/* result_static: from the configuration alone. */
void result_static(struct address_result *ret, const struct address_config *cfg,
	const struct netdev *dev);

/* What a route of a lease is good for. */
enum lease_route {
	LEASE_ROUTE_GOOD,
	/* taken, but sends part of the interface's own subnet through a gateway */
	LEASE_ROUTE_PART,
	LEASE_ROUTE_FAR,     /* its gateway cannot be reached directly */
	/* leads the interface's own subnet, its gateways and servers included, elsewhere */
	LEASE_ROUTE_SUBNET,
	LEASE_ROUTE_GATEWAY, /* its gateway is the client itself, or not a host of the subnet */
};

/* lease_route: judges one route of a lease (options 121 and 33) that dhcp4_lease_fault() finds no
 * fault with. */
enum lease_route lease_route(const struct dhcp_reply *ack, const struct dhcp_route *route);

/* lease_router: can it be a router: not the client itself, nor its subnet's own number or
 * broadcast address? */
bool lease_router(const struct dhcp_reply *ack, struct in_addr router);

/* lease_broadcast: is its broadcast address (option 28) the subnet's, or that of all networks? */
bool lease_broadcast(const struct dhcp_reply *ack);

/*
 * result_lease: from a lease. Routes, routers and a broadcast address that the functions above find
 * fault with are left out; lease_warn() says which.
 */
void result_lease(struct address_result *ret, const struct address_config *cfg,
	const struct netdev *dev, const struct dhcp_identity *id, const struct dhcp4_lease *lease);

/* A lease below this, in seconds, is named: the RFC's pause between two renewals (RFC 2131
 * section 4.4.5). */
#define LEASE_SHORT_S 60

/*
 * lease_warn: one line each for invalid fields, ignored routes and routers, values the server left
 * out, and a lease of seconds. Once a lease: the admin of the server can correct it. r may be NULL.
 */
void lease_warn(struct report *r, const char *ifname, const struct dhcp_reply *ack, uint64_t now);

/* result_times: what a lease says of its life. */
void result_times(struct address_result *r, uint32_t lease_s, const struct lease_life *life);

/* What has been learnt about an IPv6 rail; result_inet6() makes the result of it. */
struct result_inet6 {
	enum address_method method; /* not EITHER6 */
	struct inet_addr addr;
	uint8_t prefix;
	struct inet_addr gateway; /* of the default route; family 0: none */
	const struct inet_addr *dns; /* from router advertisements */
	size_t n_dns;
	const char *search;
	const struct dhcp6_lease *lease; /* the lease or, without address, the rest; NULL: none */
	const struct duid *client;
	struct links *links; /* knows what is on the link; NULL: the address alone does */
};

/* result_inet6: as for IPv4 the command line wins, then DHCPv6, then the router. */
void result_inet6(struct address_result *ret, const struct address_config *cfg,
	const struct netdev *dev, const struct result_inet6 *from);

/* result_begin, result_add_plan_routes: what is the same for every result. */
void result_begin(struct address_result *r, const struct address_config *cfg,
	const struct netdev *dev);
void result_add_plan_routes(struct address_result *r, const struct address_config *cfg,
	struct links *links);

/* result_onlink: must this gateway be called on-link, because no subnet of the rail holds it? */
bool result_onlink(const struct address_result *r, const struct inet_addr *gateway);

/* resolv_conf_add: servers not yet known, and domains if there are none yet, from a rail's
 * result. */
void resolv_conf_add(struct resolv_conf *c, const struct address_result *r);

