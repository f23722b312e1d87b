/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan-facts: what follows from a plan. */
#include "parser.h"
#include "url.h"

static uint64_t later_by(uint64_t start, uint32_t seconds)
{
	return seconds ? start + seconds * NSEC_PER_SEC : NSEC_NEVER;
}

uint64_t plan_deadline(const struct boot_plan *p, uint64_t start)
{
	return later_by(start, p->timeout_s);
}

uint64_t plan_network_deadline(const struct boot_plan *p, uint64_t start)
{
	return min_u64(later_by(start, p->retry_s), plan_deadline(p, start));
}

#define IPV4_METHODS (PLAN_IP_DHCP | PLAN_IP_SINGLE | PLAN_IP_IBFT)

static unsigned int family_of(const struct inet_addr *addr)
{
	return addr->family == AF_INET6 ? PLAN_FAMILY_6 : addr->family ? PLAN_FAMILY_4 : 0;
}

static unsigned int family_of_url(const char *text)
{
	struct url u = {0};

	return text && url_parse(&u, text, strlen(text)) == 0 ? family_of(&u.address) : 0;
}

/* A proxy is what this node talks to, in place of the servers. */
static unsigned int families_of_image(const struct plan_image *image)
{
	unsigned int families = family_of_url(image->url);

	if (image->proxy)
		return 0;
	for (size_t i = 0; i < image->n_mirrors; i++)
		families |= family_of_url(image->mirrors[i]);
	return families;
}

unsigned int plan_server_families(const struct boot_plan *p)
{
	const struct plan_root *root = &p->root;
	unsigned int families = 0;

	if (plan_is_fetched(root->kind))
		return families_of_image(&root->image);
	for (size_t i = 0; root->kind == PLAN_ROOT_NFS && i < root->nfs.n_servers; i++)
		families |= family_of(&root->nfs.servers[i].addr);
	for (size_t i = 0; root->kind == PLAN_ROOT_REMOTE && i < root->block.n_portals; i++)
		families |= family_of(&root->block.portals[i].addr);
	return families;
}

unsigned int plan_ip_families(const struct boot_plan *p)
{
	unsigned int families = 0;

	for (size_t i = 0; i < p->net.n_ips; i++) {
		const struct plan_ip *ip = &p->net.ips[i];

		families |= family_of(&ip->addr);
		families |= ip->methods & IPV4_METHODS ? PLAN_FAMILY_4 : 0;
		families |= ip->methods & IPV6_METHODS ? PLAN_FAMILY_6 : 0;
	}
	return p->net.n_ips ? families
		: PLAN_FAMILY_4 | (plan_server_families(p) & PLAN_FAMILY_6);
}

bool plan_is_ipoib(const struct plan_ifname *ifnames, size_t n, const char *name)
{
	const size_t parent = strcspn(name, ".");

	for (size_t i = 0; i < n; i++)
		if (streq(ifnames[i].name, name) || (strlen(ifnames[i].name) == parent &&
				strncmp(ifnames[i].name, name, parent) == 0))
			return ifnames[i].hwaddr.len > 6;
	return strncmp(name, "ib", 2) == 0 && strncmp(name, "ibft", 4) != 0;
}
