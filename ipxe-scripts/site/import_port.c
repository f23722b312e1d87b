// SPDX-License-Identifier: GPL-2.0-or-later
/* import_port: who a port is, and which network it is in. See imported.h. */
#include "base/hex.h"
#include "site/imported.h"

#define NETWORKS_MAX 1000 /* the network of a port is searched for one by one */

int imported_prefix(const char *mask)
{
	int prefix;

	/* A number alone is none there. */
	return mask && strchr(mask, '.') && value_netmask(mask, strlen(mask), 32, &prefix) == 0
		? prefix : -1;
}

static uint32_t subnet_of(uint32_t addr, int prefix)
{
	return prefix > 0 ? addr & UINT32_MAX << (32 - prefix) : 0;
}

struct imported_network *imported_network(
	struct imported *im, const char *name, uint32_t addr, int prefix, struct place at)
{
	struct imported_network *net = im->networks.items;
	bool is_new;

	if (im->networks.n == NETWORKS_MAX) {
		error_at(im->report, at, NULL, "more than %d networks", NETWORKS_MAX);
		return net;
	}
	if (!imported_name(im, "network", name, at, &is_new) || !is_new)
		return NULL;
	net = must(arena_push(im->arena, &im->networks, sizeof(*net)));
	*net = (struct imported_network){
		.name = name, .at = at, .subnet = subnet_of(addr, prefix), .prefix = prefix};
	return net;
}

/* The network that holds an address, added if none does. */
static struct imported_network *network_of(
	struct imported *im, uint32_t addr, enum site_fabric fabric, const struct imported_port *p)
{
	int prefix = imported_prefix(p->mask);
	struct imported_network *net = im->networks.items;
	size_t n = im->networks.n;

	for (size_t i = 0; i < n; i++, net++)
		if (net->prefix < 0 ? prefix < 0 && net->fabric == fabric
				    : net->subnet == subnet_of(addr, net->prefix) &&
					      (prefix < 0 || prefix == net->prefix))
			return net;
	do {
		const char *name = site_fabric_names[fabric];

		name = must(arena_printf(im->arena, "%s%zu", name, ++n));
		net = imported_network(im, name, addr, prefix, p->at);
	} while (!net);
	return net;
}

/* What all ports of a network have: the first one counts. */
static void share(struct imported *im, const char **member, const char *value, const char *what,
	struct place at)
{
	if (value && *member && !streq(value, *member))
		imported_left_out(im, at, "an earlier port there has another", what, value);
	*member = *member ? *member : value;
}

static void add_network(struct imported *im, const struct imported_port *p, bool infiniband)
{
	enum site_fabric fabric = infiniband ? FABRIC_INFINIBAND : FABRIC_ETHERNET;
	struct imported_network *net;
	uint32_t addr;

	if (!p->address || !read_addr(p->address, strlen(p->address), &addr))
		return;
	net = network_of(im, addr, fabric, p);
	net->fabric = net->used ? net->fabric : fabric;
	net->used = true;
	share(im, &net->router, p->router, "gateway", p->at);
	share(im, &net->mtu, p->mtu, "mtu", p->at);
}

/*
 * identity: a GUID, alone or as the end of an IPoIB address, or a MAC, as a site file has them. Of
 * six octets of a GUID the placeholder. NULL: neither.
 */
static const char *identity(struct imported *im, struct imported_node *n,
	const struct imported_port *p, bool *infiniband)
{
	const char *s = p->hardware ? p->hardware : "";
	char text[3 * OCTETS_MAX];
	uint8_t hw[OCTETS_MAX];

	if (read_octets(s, hw, 20) || read_octets(s, hw + 12, 8)) {
		*infiniband = true;
		return must(arena_printf(im->arena, "0x%s",
			hex_text(text, sizeof(text), hw + 12, 8, "")));
	}
	if (read_octets(s, hw, 6)) {
		if (!*infiniband)
			return must(arena_printf(im->arena, "%s",
				hex_text(text, sizeof(text), hw, 6, ":")));
		text_printf(&n->hints, "  # <GUID>: as 'ibstat -p' prints it there; six of its "
			"octets are %s\n", s);
		return "<GUID>";
	}
	if (*s)
		faults_add(im->report, SEVERITY_WARNING, p->at, "6, 8 or 20 octets",
			"%s is left out: no hardware address", s);
	return NULL;
}

bool imported_port(struct imported *im, struct imported_node *n, const struct imported_port *p)
{
	bool infiniband = p->infiniband;
	const char *id = identity(im, n, p, &infiniband);

	text_printf(&n->ports, "%s%s: %s", n->n_ports++ ? "}, {" : "", infiniband ? "guid" : "mac",
		id ? id : infiniband ? "<GUID>" : "<MAC>");
	imported_put(&n->ports, ", address: ", p->address, "");
	if (p->address && p->address[0] == '<')
		imported_put(&n->hints, "  # <ADDRESS>: in /etc/hosts, of ", p->alias, "\n");
	add_network(im, p, infiniband);
	return id;
}
