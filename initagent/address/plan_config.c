// SPDX-License-Identifier: GPL-2.0-or-later
/* plan_config: address_config_from_plan(), see address.h. */
#include "address/address.h"

#define DHCP_METHODS (PLAN_IP_DHCP | PLAN_IP_SINGLE)

static void copy_dns(struct address_config *cfg, const struct boot_plan *plan, const struct plan_ip *ip)
{
	/* nameserver= lines come first, as they count for every interface. */
	cfg->nameservers = plan->net.nameservers;
	cfg->n_nameservers = plan->net.n_nameservers;
	if (cfg->n_nameservers == 0 && ip) {
		cfg->nameservers = ip->dns;
		cfg->n_nameservers = ip->n_dns;
	}
}

static void copy_dhcp(struct address_config *cfg, const struct plan_net *net)
{
	cfg->method = ADDRESS_DHCP4;
	cfg->no_peerdns = !net->peerdns;
	cfg->dhcp_limit = net->timeouts.dhcp_s * NSEC_PER_SEC;
	cfg->dhcp_rounds = cfg->dhcp_limit ? net->timeouts.dhcp_retry : 0;
}

/* Without a prefix the address class decides for IPv4 as in dracut, /64 for IPv6. */
static uint8_t prefix_of(const struct plan_ip *ip)
{
	uint32_t h = ntohl(ip->addr.v4.s_addr);

	if (ip->prefix >= 0)
		return (uint8_t)ip->prefix;
	if (ip->addr.family == AF_INET6)
		return 64;
	return h < 0x80000000 ? 8 : h < 0xc0000000 ? 16 : 24;
}

int address_config_from_plan(struct address_config *cfg, const struct boot_plan *plan,
	const struct plan_ip *ip, const struct netdev *dev)
{
	*cfg = (struct address_config){
		.ifindex = dev->ifindex,
		.hostname = plan->net.hostname,
		.routes = plan->net.routes,
		.n_routes = plan->net.n_routes,
		/* bootdev= names the interface of the default route. */
		.no_default_route = plan->net.bootdev && !streq(plan->net.bootdev, dev->name),
	};
	copy_dns(cfg, plan, ip);
	if (ip) {
		cfg->mtu = ip->mtu;
		cfg->gateway = ip->gateway;
		cfg->hostname = ip->hostname ? ip->hostname : cfg->hostname;
	}
	if (!ip || ip->methods & DHCP_METHODS) {
		copy_dhcp(cfg, &plan->net);
		return 0;
	}
	if (!(ip->methods & PLAN_IP_STATIC) || !ip->addr.family)
		return -EINVAL;
	cfg->method = ADDRESS_STATIC;
	cfg->addr = ip->addr;
	cfg->prefix = prefix_of(ip);
	cfg->peer = ip->peer;
	return 0;
}
