// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/result.h"

#include "address/dhcp_option.h"
#include "inet_text.h"

/* The first ones count most. */
static size_t copy_nameservers(struct inet_addr dst[static ADDRESS_LIST_MAX],
	const struct address_config *cfg)
{
	size_t n = min_u64(cfg->n_nameservers, ADDRESS_LIST_MAX);

	if (n)
		memcpy(dst, cfg->nameservers, n * sizeof(*dst));
	return n;
}

/* The names of a plan_route belong to the plan: they are copied beside it. */
static void copy_routes(struct iface_config *ret, const struct address_config *cfg)
{
	for (size_t i = 0; i < cfg->n_routes && ret->cfg.n_routes < ADDRESS_ROUTES_MAX; i++) {
		size_t n = ret->cfg.n_routes++;

		ret->routes[n] = cfg->routes[i];
		if (!cfg->routes[i].ifname)
			continue;
		strscpy(ret->route_ifnames[n], cfg->routes[i].ifname, IFNAMSIZ);
		ret->routes[n].ifname = ret->route_ifnames[n];
	}
}

/* Mistakes of a caller. */
static bool config_sane(const struct address_config *cfg)
{
	if (cfg->ifindex <= 0 || cfg->client_id_len > ADDRESS_CLIENT_ID_MAX ||
		cfg->n_servers > ADDRESS_SERVERS_MAX)
		return false;
	if (cfg->method != ADDRESS_STATIC)
		return cfg->method < ADDRESS_METHOD_MAX && cfg->second < ADDRESS_METHOD_MAX;
	return cfg->addr.family && cfg->prefix <= inet_addr_len(cfg->addr.family) * 8;
}

int iface_config_copy(struct iface_config *ret, const struct address_config *cfg)
{
	if (!config_sane(cfg))
		return -EINVAL;
	memset(ret, 0, sizeof(*ret));
	ret->cfg = *cfg;
	if (cfg->hostname && strscpy(ret->hostname, cfg->hostname, sizeof(ret->hostname)) < 0)
		return -EINVAL;
	ret->cfg.hostname = *ret->hostname ? ret->hostname : NULL;
	ret->cfg.n_routes = 0;
	copy_routes(ret, cfg);
	ret->cfg.routes = ret->routes;
	ret->cfg.n_nameservers = copy_nameservers(ret->nameservers, cfg);
	ret->cfg.nameservers = ret->nameservers;
	return 0;
}

void resolv_conf_add(struct resolv_conf *c, const struct address_result *r)
{
	const char *domains = *r->search ? r->search : r->domain;

	for (size_t i = 0; i < r->n_dns; i++)
		resolv_conf_add_server(c, &r->dns[i], r->ifindex, r->ifname);
	if (!*c->search && text_valid(TEXT_SEARCH, domains))
		strscpy(c->search, domains, sizeof(c->search));
}

/* IPv4 only: IPv6 gateways are link-local and always on-link. */
bool result_onlink(const struct address_result *r, const struct inet_addr *gateway)
{
	return gateway->family == AF_INET && !inet_in_subnet(gateway, &r->addr, r->prefix) &&
		!(r->peer.family && inet_equal(gateway, &r->peer));
}

/* More than we keep is left out; result_lease() cuts what servers send before. */
static void add_route(struct address_result *r, const struct inet_addr *dst, unsigned prefix,
	const struct inet_addr *gateway)
{
	if (r->n_routes < ADDRESS_ROUTES_MAX)
		r->routes[r->n_routes++] = (struct address_route){
			.dst = *dst, .prefix = (uint8_t)prefix, .gateway = *gateway};
}

/* A leased IPv6 address has no subnet: what is on the link with it, the kernel has from routers. */
static bool has_hop(const struct address_result *r, const struct inet_addr *hop,
	struct links *links)
{
	struct link_route way;

	return inet_in_subnet(hop, &r->addr, r->prefix) || (links && r->prefix == 128 &&
		links_lookup(links, hop, &way) == 0 && way.ifindex == r->ifindex &&
		!way.gateway.family);
}

/* rd.route= entries of the address's family that name this interface, or none and lie behind a
 * gateway on its link. */
void result_add_plan_routes(struct address_result *r, const struct address_config *cfg,
	struct links *links)
{
	for (size_t i = 0; i < cfg->n_routes; i++) {
		const struct plan_route *p = &cfg->routes[i];

		if (p->net.family != r->addr.family || (p->ifname ? !streq(p->ifname, r->ifname)
			      : p->gateway.family && !has_hop(r, &p->gateway, links)))
			continue;
		add_route(r, &p->net, (unsigned)p->prefix, &p->gateway);
	}
}

/* What the configuration says in both methods. */
void result_begin(struct address_result *r, const struct address_config *cfg,
	const struct netdev *dev)
{
	memset(r, 0, sizeof(*r));
	r->ifindex = dev->ifindex;
	memcpy(r->ifname, dev->name, sizeof(r->ifname));
	r->method = cfg->method;
	r->mtu = cfg->mtu;
	r->n_dns = copy_nameservers(r->dns, cfg);
	strscpy(r->hostname, cfg->hostname ? cfg->hostname : "", sizeof(r->hostname));
	r->renew = r->rebind = r->expires = NSEC_NEVER;
}

/* No end, no renewal: the times stay at NSEC_NEVER. */
void result_static(struct address_result *ret, const struct address_config *cfg,
	const struct netdev *dev)
{
	result_begin(ret, cfg, dev);
	ret->addr = cfg->addr;
	ret->prefix = cfg->prefix;
	ret->peer = cfg->peer;
	ret->probe = cfg->probe;
	if (!cfg->no_default_route)
		ret->gateway = cfg->gateway;
	result_add_plan_routes(ret, cfg, NULL);
}

static bool in_subnet(const struct dhcp_reply *ack, struct in_addr a)
{
	const struct inet_addr addr = inet_from(a), own = inet_from(ack->yiaddr);

	return inet_in_subnet(&addr, &own, dhcp4_lease_prefix(ack));
}

bool lease_router(const struct dhcp_reply *ack, struct in_addr router)
{
	if (router.s_addr == ack->yiaddr.s_addr)
		return false;
	return !in_subnet(ack, router) || inet4_is_host_of(router, dhcp4_lease_prefix(ack));
}

/* Can the interface reach this next hop without another one? */
static bool reachable(const struct dhcp_reply *ack, const struct inet_addr *hop)
{
	if (dhcp4_lease_prefix(ack) == 32 || in_subnet(ack, hop->v4))
		return true;
	for (uint32_t i = 0; i < ack->n_routes; i++) {
		const struct dhcp_route *o = &ack->routes[i];
		struct inet_addr dst = {.family = AF_INET, .v4 = o->dst};

		if (o->gateway.s_addr == 0 && inet_in_subnet(hop, &dst, o->prefix))
			return true;
	}
	return false;
}

/* Is the route one for a part of the interface's own subnet, and not for the whole of it? */
static bool is_part(const struct dhcp_reply *ack, const struct dhcp_route *o)
{
	return o->gateway.s_addr && o->prefix > dhcp4_lease_prefix(ack) && in_subnet(ack, o->dst);
}

/* Is it within another part, or given before? */
static bool is_within(const struct dhcp_reply *ack, uint32_t at)
{
	const struct inet_addr dst = inet_from(ack->routes[at].dst);

	for (uint32_t i = 0; i < ack->n_routes; i++) {
		const struct dhcp_route *o = &ack->routes[i];
		const struct inet_addr wide = {.family = AF_INET, .v4 = o->dst};

		if (i != at && is_part(ack, o) && inet_in_subnet(&dst, &wide, o->prefix) &&
			(o->prefix < ack->routes[at].prefix ||
				(o->prefix == ack->routes[at].prefix && i < at)))
			return true;
	}
	return false;
}

/* Do the parts together leave nothing of the subnet on the link? */
static bool parts_are_whole(const struct dhcp_reply *ack)
{
	uint64_t left = UINT64_C(1) << (32 - dhcp4_lease_prefix(ack));

	for (uint32_t i = 0; i < ack->n_routes; i++)
		if (is_part(ack, &ack->routes[i]) && !is_within(ack, i))
			left -= UINT64_C(1) << (32 - ack->routes[i].prefix);
	return left == 0;
}

/* A wider route than the subnet's does no harm: the connected one is more specific. */
enum lease_route lease_route(const struct dhcp_reply *ack, const struct dhcp_route *route)
{
	const struct inet_addr hop = inet_from(route->gateway);
	unsigned prefix = dhcp4_lease_prefix(ack);

	if (!hop.family)
		return LEASE_ROUTE_GOOD;
	if (!lease_router(ack, route->gateway))
		return LEASE_ROUTE_GATEWAY;
	if (!reachable(ack, &hop))
		return LEASE_ROUTE_FAR;
	if (route->prefix < prefix || !in_subnet(ack, route->dst))
		return LEASE_ROUTE_GOOD;
	return route->prefix == prefix || parts_are_whole(ack) ? LEASE_ROUTE_SUBNET
							       : LEASE_ROUTE_PART;
}

/* Options 121 and 33; the default route among them becomes the gateway. */
static void add_lease_routes(struct address_result *r, const struct dhcp_reply *ack)
{
	for (uint32_t i = 0; i < ack->n_routes; i++) {
		const struct dhcp_route *o = &ack->routes[i];
		struct inet_addr dst = {.family = AF_INET, .v4 = o->dst};
		struct inet_addr hop = inet_from(o->gateway);

		if (lease_route(ack, o) > LEASE_ROUTE_PART)
			continue;
		if (o->prefix || !hop.family)
			add_route(r, &dst, o->prefix, &hop);
		else if (!r->gateway.family)
			r->gateway = hop;
	}
}

/* Option 3: the first one that can be a router; the servers list them by preference. */
static void take_router(struct address_result *r, const struct dhcp_reply *ack)
{
	for (uint32_t i = 0; i < ack->n_routers && !r->gateway.family; i++)
		if (lease_router(ack, ack->routers[i]))
			r->gateway = inet_from(ack->routers[i]);
}

/*
 * A broadcast address other than the subnet's would be one of its hosts', a router's perhaps, which
 * the kernel could not send to any more: without one the kernel takes the subnet's. All zeroes is
 * 4.2BSD's.
 */
bool lease_broadcast(const struct dhcp_reply *ack)
{
	return ack->broadcast.s_addr == INADDR_BROADCAST ||
		(in_subnet(ack, ack->broadcast) &&
		!inet4_is_host_of(ack->broadcast, dhcp4_lease_prefix(ack)));
}

/* Name servers of the command line come first and are never pushed out by the lease's. The node
 * itself is none. */
static void take_servers(struct address_result *r, const struct address_config *cfg,
	const struct dhcp_reply *ack)
{
	for (uint32_t i = 0; i < ack->n_dns && r->n_dns < ADDRESS_LIST_MAX && !cfg->no_peerdns; i++)
		if (ack->dns[i].s_addr != ack->yiaddr.s_addr)
			r->dns[r->n_dns++] = inet_from(ack->dns[i]);
	for (uint32_t i = 0; i < ack->n_ntp; i++)
		r->ntp[r->n_ntp++] = inet_from(ack->ntp[i]);
	r->next_server = inet_from(ack->siaddr);
	r->server_id = inet_from(ack->server_id);
}

/* Fields of one size on both sides: a copy cannot cut. */
static void take_texts(struct address_result *r, const struct address_config *cfg,
	const struct dhcp_reply *ack)
{
	if (!*r->hostname)
		memcpy(r->hostname, ack->hostname, sizeof(r->hostname));
	if (!cfg->no_peerdns) {
		memcpy(r->domain, ack->domain, sizeof(r->domain));
		memcpy(r->search, ack->search, sizeof(r->search));
	}
	memcpy(r->root_path, ack->root_path, sizeof(r->root_path));
	memcpy(r->boot_file, ack->boot_file, sizeof(r->boot_file));
	memcpy(r->tftp_server, ack->tftp_server, sizeof(r->tftp_server));
}

void result_times(struct address_result *r, uint32_t lease_s, const struct lease_life *life)
{
	r->lease_s = lease_s;
	r->obtained = life->obtained;
	r->renew = life->renew;
	r->rebind = life->rebind;
	r->expires = life->expires;
}

/*
 * The gateway: the command line's, else option 121's default route, else option 3's first router,
 * unless another interface is to have the default route (bootdev=).
 */
void result_lease(struct address_result *ret, const struct address_config *cfg,
	const struct netdev *dev, const struct dhcp_identity *id, const struct dhcp4_lease *lease)
{
	const struct dhcp_reply *ack = &lease->ack;

	result_begin(ret, cfg, dev);
	ret->addr = inet_from(ack->yiaddr);
	ret->prefix = dhcp4_lease_prefix(ack);
	if (lease_broadcast(ack))
		ret->broadcast = inet_from(ack->broadcast);
	ret->gateway = cfg->gateway;
	if (!ret->mtu)
		ret->mtu = ack->mtu;
	result_add_plan_routes(ret, cfg, NULL);
	add_lease_routes(ret, ack);
	take_router(ret, ack);
	if (cfg->no_default_route)
		ret->gateway = (struct inet_addr){0};
	take_servers(ret, cfg, ack);
	take_texts(ret, cfg, ack);
	result_times(ret, ack->lease_s, &lease->life);
	memcpy(ret->client_id, id->client_id.bytes, id->client_id.len);
	ret->client_id_len = id->client_id.len;
}

/* --- IPv6 ------------------------------------------------------------------------------------ */

static const char *const method_names[ADDRESS_METHOD_MAX] = {
	[ADDRESS_STATIC] = "static", [ADDRESS_DHCP4] = "dhcp",	[ADDRESS_LINK6] = "link6",
	[ADDRESS_AUTO6] = "auto6",   [ADDRESS_DHCP6] = "dhcp6", [ADDRESS_EITHER6] = "either6",
};

const char *address_method_name(enum address_method m)
{
	return (unsigned)m < ADDRESS_METHOD_MAX ? method_names[m] : "?";
}

/*
 * Each once, and not the node itself: what answers on its own address is not what the name server's
 * admin meant.
 */
static void add_dns(struct address_result *r, struct inet_addr a)
{
	for (size_t i = 0; i < r->n_dns; i++)
		if (inet_equal(&r->dns[i], &a))
			return;
	if (r->n_dns < ADDRESS_LIST_MAX && !inet_equal(&a, &r->addr))
		r->dns[r->n_dns++] = a;
}

static void take_reply(struct address_result *r, const struct address_config *cfg,
	const struct dhcp6_reply *reply)
{
	for (uint32_t i = 0; i < reply->n_dns && !cfg->no_peerdns; i++)
		add_dns(r, inet_from6(&reply->dns[i]));
	for (uint32_t i = 0; i < reply->n_ntp; i++)
		r->ntp[r->n_ntp++] = inet_from6(&reply->ntp[i]);
	if (!cfg->no_peerdns)
		memcpy(r->search, reply->search, sizeof(r->search));
	memcpy(r->boot_file, reply->boot_file, sizeof(r->boot_file));
}

static void take_lease6(struct address_result *r, const struct result_inet6 *from)
{
	const struct dhcp6_lease *l = from->lease;

	result_times(r, l->reply.valid_s, &l->life);
	memcpy(r->server_duid, l->reply.server.bytes, l->reply.server.len);
	r->server_duid_len = l->reply.server.len;
	if (from->client->len <= sizeof(r->client_id)) {
		memcpy(r->client_id, from->client->bytes, from->client->len);
		r->client_id_len = from->client->len;
	}
}

void result_inet6(struct address_result *ret, const struct address_config *cfg,
	const struct netdev *dev, const struct result_inet6 *from)
{
	result_begin(ret, cfg, dev);
	ret->method = from->method;
	ret->addr = from->addr;
	ret->prefix = from->prefix;
	ret->gateway = from->gateway;
	ret->probe = cfg->probe;
	result_add_plan_routes(ret, cfg, from->links);
	if (from->lease)
		take_reply(ret, cfg, &from->lease->reply);
	if (from->lease && from->method == ADDRESS_DHCP6)
		take_lease6(ret, from);
	for (size_t i = 0; i < from->n_dns && !cfg->no_peerdns; i++)
		add_dns(ret, from->dns[i]);
	if (!*ret->search && from->search && !cfg->no_peerdns)
		strscpy(ret->search, from->search, sizeof(ret->search));
}
