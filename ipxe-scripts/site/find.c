// SPDX-License-Identifier: GPL-2.0-or-later
/* find: a node by what people see of it: on a label, in a log, on its console. */
#include <arpa/inet.h>

#include "dhcp/identity.h"
#include "site/load.h"

static bool is_port(const struct site_port *p, const struct site_found *f)
{
	uint8_t lemac[6];

	if (f->id_len == 8)
		return p->has_guid && memcmp(p->guid, f->id, 8) == 0;
	if (p->has_mac && memcmp(p->mac, f->id, 6) == 0)
		return true;
	if (p->has_guid)
		identity_lemac(p->guid, lemac);
	return p->has_guid && memcmp(lemac, f->id, 6) == 0;
}

static bool has_address(const struct site_port *p, uint32_t addr)
{
	return p->address.at.line && p->address.addr == addr;
}

/* What is not an identity is looked for as an address. */
static void find_port(const struct site *s, uint32_t addr, struct site_found *f)
{
	size_t i, k;

	for (i = 0; i < s->n_nodes; i++)
		for (k = 0; k < s->nodes[i].n_ports; k++) {
			const struct site_port *p = &s->nodes[i].ports[k];

			if (f->id_len ? !is_port(p, f) : !has_address(p, addr))
				continue;
			f->node = &s->nodes[i];
			f->port = p;
			return;
		}
}

bool site_find(const struct site *s, const char *text, struct site_found *ret)
{
	struct site_found f = {.node = site_node_find(s, text)};
	struct in_addr addr = {0};

	if (f.node) {
		f.port = &f.node->ports[0];
	} else {
		f.id_len = read_octets(text, f.id, 8) ? 8 : read_octets(text, f.id, 6) ? 6 : 0;
		if (f.id_len || inet_pton(AF_INET, text, &addr) == 1)
			find_port(s, ntohl(addr.s_addr), &f);
	}
	*ret = f;
	return f.node || f.id_len;
}
