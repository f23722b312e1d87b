// SPDX-License-Identifier: GPL-2.0-or-later
/* check_nets: subnets, pools and servers against each other. */
#include "site/private.h"

static void report_outside(struct faults *r, const struct site_network *n, struct place at,
	const char *what, uint32_t addr)
{
	char remedy[80];

	snprintf(remedy, sizeof(remedy), "an address of %s/%d", addr_text(n->subnet), n->prefix);
	error_at(
		r, at, remedy, "%s %s is outside of network %.64s", what, addr_text(addr), n->name);
}

/* The first and the last address of a subnet are not those of hosts. */
static bool report_edge(struct faults *r, const struct site_network *n, struct place at,
	const char *what, uint32_t addr)
{
	char remedy[80];

	if (!site_inside(n, addr) || (addr != n->subnet && addr != site_broadcast(n)))
		return false;
	snprintf(remedy, sizeof(remedy), "an address from %s to %s", addr_text(n->subnet + 1),
		addr_text(site_broadcast(n) - 1));
	error_at(r, at, remedy, "%s %s is the %s of network %.64s", what, addr_text(addr),
		addr == n->subnet ? "subnet number" : "broadcast address", n->name);
	return true;
}

/* An address that a host has whatever DHCP says; what: with its owner. */
static void check_fixed(const struct site *s, struct faults *r, const struct said_addr *a,
	const char *what)
{
	const struct site_network *n = s->networks;
	char remedy[80];

	for (size_t i = 0; i < s->n_networks && a->at.line; i++, n++) {
		if (report_edge(r, n, a->at, what, a->addr) || !site_in_pool(n, a->addr))
			continue;
		snprintf(remedy, sizeof(remedy),
			"an address outside of the pool, or a smaller pool in line %u",
			n->pool_at.line);
		error_at(r, a->at, remedy, "%s %s is in the pool of network %.64s", what,
			addr_text(a->addr), n->name);
	}
}

/* Router and DNS servers; those in servers: are judged there. */
static void check_leased(const struct site *s, const struct site_network *n, struct faults *r)
{
	if (!site_server_at(s, n->router.addr))
		check_fixed(s, r, &n->router, "router");
	for (size_t i = 0; i < n->n_dns; i++)
		if (!site_server_at(s, n->dns[i].addr) &&
			(!n->router.at.line || n->dns[i].addr != n->router.addr))
			check_fixed(s, r, &n->dns[i], "DNS server");
}

static void check_pool(const struct site_network *n, struct faults *r)
{
	if (!n->pool_at.line)
		return;
	if (n->subnet_at.line &&
		(!site_inside(n, n->pool_first) || !site_inside(n, n->pool_last)))
		report_outside(r, n, n->pool_at, "the pool with",
			site_inside(n, n->pool_first) ? n->pool_last : n->pool_first);
	report_edge(r, n, n->pool_at, "the pool's first address", n->pool_first);
	report_edge(r, n, n->pool_at, "the pool's last address", n->pool_last);
	if (n->dhcp.n > 1)
		faults_add(r, SEVERITY_NOTE, n->pool_at,
			"two servers must not hand out the same addresses",
			"the pool is served by the first of %zu DHCP servers only", n->dhcp.n);
}

/* A DHCP server elsewhere needs a relay, which only the admin knows of. */
static void check_dhcp(const struct site *s, const struct site_network *n, struct faults *r)
{
	if (!n->dhcp.n)
		error_at(r, n->at, "dhcp: [SERVER]", "network %s has no DHCP server", n->name);
	for (size_t i = 0; i < n->dhcp.n; i++) {
		size_t k = n->dhcp.items[i].index;

		if (k == SITE_NONE || !n->subnet_at.line || !s->servers[k].address.at.line ||
			site_inside(n, s->servers[k].address.addr))
			continue;
		faults_add(r, SEVERITY_WARNING, n->at,
			"name a server inside the network in dhcp:, or run a DHCP relay there",
			"DHCP server %s (%s) is not inside network %s", s->servers[k].name,
			addr_text(s->servers[k].address.addr), n->name);
	}
}

static bool share_server(const struct site_network *a, const struct site_network *b)
{
	for (size_t i = 0; i < a->dhcp.n; i++)
		for (size_t k = 0; k < b->dhcp.n; k++)
			if (a->dhcp.items[i].index != SITE_NONE &&
				a->dhcp.items[i].index == b->dhcp.items[k].index)
				return true;
	return false;
}

/* dnsmasq and Kea listen on the interfaces that are named, or on all of them if none is. */
static void check_interface(const struct site *s, const struct site_network *n, struct faults *r)
{
	for (size_t i = 0; i < s->n_networks && !n->interface.text; i++) {
		const struct site_network *other = &s->networks[i];

		if (!other->interface.text || !share_server(n, other))
			continue;
		faults_add(r, SEVERITY_WARNING, n->at,
			"interface:, the one on which its requests come in, also from a relay",
			"network %s has no interface:, but %s of the same DHCP server has: dnsmasq "
			"and Kea listen on the named ones only", n->name, other->name);
		return;
	}
}

/* Which servers bind every stage of a node to one address: see docs/dhcp-infiniband.md. */
static void check_identity(const struct site *s, const struct site_network *n, struct faults *r)
{
	if (n->fabric != FABRIC_INFINIBAND && n->identity_at.line)
		faults_add(r, SEVERITY_WARNING, n->identity_at,
			"leave it out: Ethernet nodes are known by their MAC address",
			"client-id: has an effect on InfiniBand only");
	if (n->fabric == FABRIC_INFINIBAND && site_any_loader(s))
		faults_add(r, n->pool_at.line ? SEVERITY_NOTE : SEVERITY_WARNING, n->at,
			n->pool_at.line ? "harmless: scripts are found by the port, and the agent "
					  "gets the node's address"
					: "a pool: for them, or dhcpd, which gives all of them the "
					  "node's address",
			"network %s: while the agent's lease lasts, dnsmasq and Kea give UEFI and "
			"the iPXE of loaders:, which have other "
			"client identifiers, %s",
			n->name, n->pool_at.line ? "an address from the pool" : "no address");
}

static void check_overlap(const struct site *s, size_t i, struct faults *r)
{
	const struct site_network *n = &s->networks[i], *other;

	for (size_t k = 0; k < i; k++) {
		other = &s->networks[k];
		if (n->subnet_at.line && other->subnet_at.line &&
			(site_inside(n, other->subnet) || site_inside(other, n->subnet)))
			error_at(r, n->subnet_at,
				"subnets must not overlap, or a node's network is ambiguous",
				"network %s overlaps network %s of line %u", n->name, other->name,
				other->at.line);
	}
}

static void check_mtu(const struct site_network *n, struct faults *r)
{
	if (n->mtu.at.line && (n->mtu.value < 576 || n->mtu.value > 65520))
		error_at(r, n->mtu.at, "2044 or 4092 on InfiniBand, 1500 or 9000 on Ethernet",
			"%u is not a valid MTU", n->mtu.value);
}

static void check_servers(const struct site *s, struct faults *r)
{
	char what[96];

	for (size_t i = 0; i < s->n_servers; i++) {
		snprintf(what, sizeof(what), "server %.64s: address", s->servers[i].name);
		if (site_server_at(s, s->servers[i].address.addr) == &s->servers[i])
			check_fixed(s, r, &s->servers[i].address, what);
		for (size_t k = 0; k < i; k++)
			if (s->servers[i].address.at.line &&
				s->servers[i].address.addr == s->servers[k].address.addr &&
				s->servers[i].port.value == s->servers[k].port.value)
				error_at(r, s->servers[i].address.at, "one entry for each server",
					"server %s has the address of %s in line %u",
					s->servers[i].name, s->servers[k].name,
					s->servers[k].at.line);
	}
}

void check_networks(const struct site *s, struct faults *report)
{
	check_servers(s, report);
	for (size_t i = 0; i < s->n_networks; i++) {
		const struct site_network *n = &s->networks[i];

		check_overlap(s, i, report);
		check_pool(n, report);
		check_leased(s, n, report);
		check_dhcp(s, n, report);
		check_interface(s, n, report);
		check_identity(s, n, report);
		check_mtu(n, report);
		if (n->router.at.line && n->subnet_at.line && !site_inside(n, n->router.addr))
			report_outside(report, n, n->router.at, "router", n->router.addr);
		if (n->lease.at.line && n->lease.value < 120)
			error_at(report, n->lease.at, "seconds, at least 120",
				"a lease of %u s ends before the boot", n->lease.value);
	}
}
