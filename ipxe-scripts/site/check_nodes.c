// SPDX-License-Identifier: GPL-2.0-or-later
/* check_nodes: identities and addresses of nodes, each of which belongs to one of them. */
#include "site/private.h"

#include <ctype.h>

#include "site/names.h"

/* Who has an address or identifier; names has its place in the list of owners. */
struct owner {
	const struct site_node *node; /* NULL: see what */
	const char *what;
	struct place at;
};

struct check {
	struct site *s;
	struct faults *report;
	struct names *keys;
	struct arena_list owners;
};

/* Registers key for its owner; reports an earlier owner. */
static void claim(struct check *c, const char *kind, const char *key, const struct owner *mine)
{
	struct arena *arena = c->s->arena;
	size_t first = names_add(c->keys, must(arena_text(arena, key, strlen(key))), c->owners.n);
	const struct owner *other;

	*(struct owner *)must(arena_push(arena, &c->owners, sizeof(*mine))) = *mine;
	if (first == NAMES_NONE)
		return;
	other = (struct owner *)c->owners.items + first;
	/* Two servers may share a machine, by ports. */
	if (!other->node && !mine->node)
		return;
	error_at(c->report, mine->at, NULL, "%s %s of %s belongs to %s, see line %u", kind, key,
		mine->node ? mine->node->name : mine->what,
		other->node ? other->node->name : other->what, other->at.line);
}

static void claim_octets(
	struct check *c, const char *kind, const uint8_t *bytes, size_t n, const struct owner *mine)
{
	struct hw_addr hw = {.len = (uint8_t)n};
	char text[HW_ADDR_TEXT];

	memcpy(hw.bytes, bytes, n);
	claim(c, kind, hw_text(&hw, text), mine);
}

static void claim_infrastructure(struct check *c)
{
	for (size_t i = 0; i < c->s->n_servers; i++) {
		const struct site_server *v = &c->s->servers[i];

		if (v->address.at.line)
			claim(c, "address", addr_text(v->address.addr),
				&(struct owner){.what = v->name, .at = v->at});
	}
	for (size_t i = 0; i < c->s->n_networks; i++) {
		const struct site_network *n = &c->s->networks[i];

		if (!n->subnet_at.line)
			continue;
		claim(c, "address", addr_text(n->subnet),
			&(struct owner){.what = "the subnet itself", .at = n->subnet_at});
		claim(c, "address", addr_text(site_broadcast(n)),
			&(struct owner){.what = "broadcast", .at = n->subnet_at});
		/* A router that is a server as well has one address for both. */
		if (n->router.at.line && !site_server_at(c->s, n->router.addr))
			claim(c, "address", addr_text(n->router.addr),
				&(struct owner){.what = "the router", .at = n->router.at});
	}
}

static size_t network_of(const struct site *s, uint32_t addr)
{
	for (size_t i = 0; i < s->n_networks; i++)
		if (site_inside(&s->networks[i], addr))
			return i;
	return SITE_NONE;
}

/* False: a subnet is missing or was refused, which is reported there and not for each address. */
static bool subnets_known(const struct site *s)
{
	for (size_t i = 0; i < s->n_networks; i++)
		if (!s->networks[i].subnet_at.line)
			return false;
	return true;
}

/* Networks the node's kind of port could be on, for ports without an address. */
static size_t network_by_kind(const struct site *s, const struct site_port *p)
{
	size_t i, found = SITE_NONE;

	for (i = 0; i < s->n_networks; i++) {
		if ((s->networks[i].fabric == FABRIC_INFINIBAND) != p->has_guid)
			continue;
		if (found != SITE_NONE)
			return SITE_NONE;
		found = i;
	}
	return found;
}

static void check_fabric(struct check *c, const struct site_node *n, const struct site_port *p)
{
	const struct site_network *net = &c->s->networks[p->network];
	bool infiniband = net->fabric == FABRIC_INFINIBAND;

	if (infiniband && !p->has_guid && p->has_mac)
		error_at(c->report, p->mac_at, "guid: with eight octets",
			"%s: network %s is InfiniBand, where a port is known by its GUID", n->name,
			net->name);
	if (!infiniband && !p->has_mac && p->has_guid)
		error_at(c->report, p->guid_at,
			"mac: with six octets, or an address of an InfiniBand network",
			"%s: network %s is Ethernet, where a port is known by its MAC address",
			n->name, net->name);
	if (infiniband && net->identity == IDENTITY_UUID && !n->has_uuid)
		error_at(c->report, n->at, "uuid: as 'dmidecode -s system-uuid' prints it",
			"%s has no uuid:, which client-id: uuid of network %s needs", n->name,
			net->name);
}

static void check_address(struct check *c, const struct site_node *n, struct site_port *p)
{
	const struct site_network *net;

	p->network =
		p->address.at.line ? network_of(c->s, p->address.addr) : network_by_kind(c->s, p);
	if (p->address.at.line && p->network == SITE_NONE) {
		if (subnets_known(c->s))
			error_at(c->report, p->address.at,
				"correct the address, or the subnet of its network",
				"%s: address %s is in none of the networks", n->name,
				addr_text(p->address.addr));
		return;
	}
	if (p->network == SITE_NONE) {
		if (!p->faulty)
			error_at(c->report, p->at, "address:",
				"%s: without an address its network is ambiguous", n->name);
		return;
	}
	net = &c->s->networks[p->network];
	check_fabric(c, n, p);
	if (!p->address.at.line && !net->pool_at.line && !p->faulty)
		error_at(c->report, p->at, "address:, or a pool: in its network",
			"%s has no address, and network %s no pool", n->name, net->name);
	if (!p->address.at.line)
		return;
	if (site_in_pool(net, p->address.addr))
		error_at(c->report, p->address.at, "an address outside of the pool",
			"%s: address %s is in the pool of network %s", n->name,
			addr_text(p->address.addr), net->name);
	claim(c, "address", addr_text(p->address.addr),
		&(struct owner){.node = n, .at = p->address.at});
}

static void check_port(struct check *c, const struct site_node *n, struct site_port *p)
{
	uint8_t lemac[6];

	if (!p->has_guid && !p->has_mac && !p->faulty)
		error_at(c->report, p->at, "guid: of an InfiniBand port, mac: of an Ethernet port",
			"%s has neither guid nor mac, by which its port is recognized", n->name);
	check_address(c, n, p);
	if (p->has_mac)
		claim_octets(c, "MAC", p->mac, 6, &(struct owner){.node = n, .at = p->mac_at});
	if (!p->has_guid)
		return;
	claim_octets(c, "GUID", p->guid, 8, &(struct owner){.node = n, .at = p->guid_at});
	identity_lemac(p->guid, lemac);
	if (!p->has_mac || memcmp(lemac, p->mac, 6) != 0)
		claim_octets(c, "MAC (of the GUID)", lemac, 6,
			&(struct owner){.node = n, .at = p->guid_at});
}

/* DNS, and what a node calls itself, know no case. */
static void claim_name(struct check *c, const struct site_node *n)
{
	char *name = must(arena_text(c->s->arena, n->name, strlen(n->name)));

	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	claim(c, "name", name, &(struct owner){.node = n, .at = n->at});
}

static void check_node(struct check *c, const struct site_node *n)
{
	claim_name(c, n);
	if (!n->n_ports)
		error_at(c->report, n->at, "guid: or mac:", "node %s has no port", n->name);
	for (size_t i = 0; i < n->n_ports; i++)
		check_port(c, n, &n->ports[i]);
	if (n->has_uuid)
		claim_octets(c, "UUID", n->uuid, 16, &(struct owner){.node = n, .at = n->uuid_at});
}

void check_nodes(struct site *s, struct faults *report)
{
	struct check c = {.s = s, .report = report, .keys = names_new()};

	claim_infrastructure(&c);
	for (size_t i = 0; i < s->n_nodes; i++)
		check_node(&c, &s->nodes[i]);
	if (!s->n_nodes)
		faults_add(report, SEVERITY_WARNING, (struct place){0},
			"nodes: NAME: {guid: ..., address: ...}", "the file names no node");
	names_free(c.keys);
}
