// SPDX-License-Identifier: GPL-2.0-or-later
/* plan_config: address_config_from_plan(), see address.h. */
#include "address/address.h"
#include "base/host.h"

#define DHCP_METHODS (PLAN_IP_DHCP | PLAN_IP_SINGLE)

static void copy_dns(struct address_config *cfg, const struct boot_plan *plan,
	const struct plan_ip *ip)
{
	/* nameserver= lines come first, as they count for every interface. */
	cfg->nameservers = plan->net.nameservers;
	cfg->n_nameservers = plan->net.n_nameservers;
	if (cfg->n_nameservers == 0 && ip) {
		cfg->nameservers = ip->dns;
		cfg->n_nameservers = ip->n_dns;
	}
}

/* rd.net.dhcp.client-id= says it for one interface, whatever kind of link that is; the last one
 * counts. */
static void copy_client_id(struct address_config *cfg, const struct plan_net *net,
	const char *ifname)
{
	for (size_t i = 0; i < net->n_client_ids; i++) {
		const struct plan_client_id *id = &net->client_ids[i];

		if (!streq(id->ifname, ifname) || id->len > sizeof(cfg->client_id))
			continue;
		memcpy(cfg->client_id, id->bytes, id->len);
		cfg->client_id_len = id->len;
	}
}

/* What was leased before the kernel; the last one counts. */
static void copy_request(struct address_config *cfg, const struct plan_net *net,
	const struct netdev *dev)
{
	for (size_t i = 0; i < net->n_dhcp_requests; i++) {
		const struct plan_dhcp_request *r = &net->dhcp_requests[i];

		if (r->ifname ? streq(r->ifname, dev->name)
			      : net->bootif.len && netdev_matches(dev, &net->bootif))
			cfg->request = r->addr.v4;
	}
}

static void copy_dhcp(struct address_config *cfg, const struct plan_net *net)
{
	cfg->method = ADDRESS_DHCP4;
	cfg->no_peerdns = !net->peerdns;
	cfg->dhcp_limit = net->timeouts.dhcp_s * NSEC_PER_SEC;
	cfg->dhcp_rounds = cfg->dhcp_limit ? net->timeouts.dhcp_retry : 0;
	for (size_t i = 0; i < net->n_dhcp_servers && cfg->n_servers < ADDRESS_SERVERS_MAX; i++)
		cfg->servers[cfg->n_servers++] = net->dhcp_servers[i];
}

/*
 * The IPv6 method of a list: with several of them auto6 goes first, as with either6, since it costs
 * the server nothing; link6 is what all the others have anyway.
 */
static enum address_method method6(unsigned methods)
{
	if (methods & PLAN_IP_EITHER6 || (methods & PLAN_IP_AUTO6 && methods & PLAN_IP_DHCP6))
		return ADDRESS_EITHER6;
	if (methods & PLAN_IP_AUTO6)
		return ADDRESS_AUTO6;
	if (methods & PLAN_IP_DHCP6)
		return ADDRESS_DHCP6;
	return methods & PLAN_IP_LINK6 ? ADDRESS_LINK6 : ADDRESS_STATIC;
}

/* Without a prefix the address class decides for IPv4 as in dracut, /64 for IPv6. */
static uint8_t prefix_of(const struct plan_ip *ip)
{
	if (ip->prefix >= 0)
		return (uint8_t)ip->prefix;
	return ip->addr.family == AF_INET6 ? 64 : inet4_class_prefix(ip->addr.v4);
}

/* --- two ip= options of one interface ------------------------------------------------------ */

static bool is_six(const struct plan_ip *ip)
{
	return ip->addr.family == AF_INET6 || method6(ip->methods) != ADDRESS_STATIC;
}

static bool is_four(const struct plan_ip *ip)
{
	return ip->methods & DHCP_METHODS || ip->addr.family == AF_INET;
}

static bool names(const struct plan_ip *ip, const struct netdev *dev)
{
	if (ip->ifname)
		return streq(ip->ifname, dev->name);
	return ip->match.len && netdev_matches(dev, &ip->match);
}

/* The option that has what ip lacks for the same interface; NULL: none has. */
static const struct plan_ip *other_family(const struct plan_net *net, const struct plan_ip *ip,
	const struct netdev *dev, bool (*has)(const struct plan_ip *))
{
	for (size_t i = 0; i < net->n_ips; i++)
		if (&net->ips[i] != ip && names(&net->ips[i], dev) && has(&net->ips[i]))
			return &net->ips[i];
	return NULL;
}

/* The IPv6 part of an option, beside an IPv4 one. */
static void copy_second(struct address_config *cfg, const struct plan_ip *ip)
{
	cfg->second = method6(ip->methods);
	if (ip->addr.family != AF_INET6)
		return;
	cfg->addr6 = ip->addr;
	cfg->prefix6 = prefix_of(ip);
	cfg->gateway6 = ip->gateway;
}

/* The method that goes first: IPv4 if there is one. */
static int copy_first(struct address_config *cfg, const struct boot_plan *plan,
	const struct plan_ip *ip, const struct netdev *dev)
{
	copy_dhcp(cfg, &plan->net);
	if (!ip || ip->methods & DHCP_METHODS) {
		/* an IPv6 one would keep the lease's routers out */
		if (cfg->gateway.family != AF_INET)
			cfg->gateway = (struct inet_addr){0};
		/* whatever the link is now: a bond is Ethernet's before it has IPoIB ports */
		cfg->ib_client_id = plan->ib.clientid;
		copy_client_id(cfg, &plan->net, dev->name);
		copy_request(cfg, &plan->net, dev);
		return 0;
	}
	cfg->method = ip->methods & PLAN_IP_STATIC ? ADDRESS_STATIC : method6(ip->methods);
	if (cfg->method != ADDRESS_STATIC)
		return 0;
	if (!(ip->methods & PLAN_IP_STATIC) || !ip->addr.family)
		return -EINVAL;
	cfg->addr = ip->addr;
	cfg->prefix = prefix_of(ip);
	cfg->peer = ip->peer;
	return 0;
}

int address_config_from_plan(struct address_config *cfg, const struct boot_plan *plan,
	const struct plan_ip *ip, const struct netdev *dev)
{
	const struct plan_ip *six = ip, *four = ip;

	if (ip && !is_six(ip))
		six = other_family(&plan->net, ip, dev, is_six);
	if (ip && !is_four(ip))
		four = other_family(&plan->net, ip, dev, is_four);
	ip = four ? four : ip;
	*cfg = (struct address_config){
		.ifindex = dev->ifindex,
		.hostname = plan->net.hostname,
		.routes = plan->net.routes,
		.n_routes = plan->net.n_routes,
		/* bootdev= names the interface of the default route. */
		.no_default_route = plan->net.bootdev && !plan->net.bootdev_hint &&
			!streq(plan->net.bootdev, dev->name),
		.auto_limit = plan->net.timeouts.ipv6auto_s * NSEC_PER_SEC,
		.dad_limit = plan->net.timeouts.ipv6dad_s * NSEC_PER_SEC,
	};
	copy_dns(cfg, plan, ip);
	if (ip) {
		cfg->mtu = ip->mtu;
		cfg->gateway = ip->gateway;
		cfg->hostname = ip->hostname ? ip->hostname : cfg->hostname;
	}
	if (six && (!ip || is_four(ip)))
		copy_second(cfg, six);
	else if (!ip && plan_ip_families(plan) & PLAN_FAMILY_6)
		cfg->second = ADDRESS_EITHER6;
	return copy_first(cfg, plan, ip, dev);
}
