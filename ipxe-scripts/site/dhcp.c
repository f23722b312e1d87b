// SPDX-License-Identifier: GPL-2.0-or-later
#include "site/dhcp.h"

const struct boot_arch boot_arches[BOOT_ARCHES] = {
	{"bios", 0x00, false, LOADER_BIOS},
	{"efi-x64", 0x07, false, LOADER_EFI_X64},
	{"efi-bc", 0x09, false, LOADER_EFI_X64}, /* what some firmware of x64 says */
	{"efi-arm64", 0x0b, false, LOADER_EFI_ARM64},
	{"http-x64", 0x10, true, LOADER_EFI_X64},
	{"http-arm64", 0x13, true, LOADER_EFI_ARM64},
};

static bool lists_server(
	const struct reference_list *list, const struct site *s, const struct site_server *v)
{
	for (size_t i = 0; i < list->n; i++)
		if (&s->servers[list->items[i].index] == v)
			return true;
	return false;
}

bool serves_network(
	const struct site_network *n, const struct site *s, const struct site_server *me)
{
	return lists_server(&n->dhcp, s, me);
}

bool is_dhcp_server(const struct site *s, const struct site_server *v)
{
	for (size_t i = 0; i < s->n_networks; i++)
		if (serves_network(&s->networks[i], s, v))
			return true;
	return false;
}

bool serves_pool(const struct site *s, const struct site_network *n, const struct site_server *me)
{
	return n->pool_at.line && &s->servers[n->dhcp.items[0].index] == me;
}

const char *first_url(const struct site *s, const struct site_server *me)
{
	const struct reference_list *web = &s->boot.servers;

	return server_url(lists_server(web, s, me) ? me : &s->servers[web->items[0].index]);
}

void boot_file(struct text *t, const struct site *s, const struct site_server *me,
	const struct boot_arch *a)
{
	bool uki = a->http && s->http_boot != SITE_NONE && a->loader == s->http_boot_for;

	if (!uki && !s->loaders[a->loader].text)
		return;
	if (a->http)
		text_put(t, first_url(s, me));
	if (uki)
		text_printf(t, "/images/%s/%s.efi", s->images[s->http_boot].name,
			s->images[s->http_boot].name);
	else
		text_printf(t, "%s%s", a->http ? "/loaders/" : "", site_loader_files[a->loader]);
}

bool dhcp_next(struct dhcp_cursor *c, const struct site *s, const struct site_server *me)
{
	for (; c->next_node < s->n_nodes; c->next_node++, c->next_port = 0) {
		const struct site_node *n = &s->nodes[c->next_node];

		while (c->next_port < n->n_ports) {
			const struct site_port *p = &n->ports[c->next_port++];

			if (!p->address.at.line || !serves_network(&s->networks[p->network], s, me))
				continue;
			c->node = n;
			c->port = p;
			return true;
		}
	}
	return false;
}

size_t dhcp_matches(const struct site *s, const struct dhcp_cursor *c,
	struct dhcp_match list[static DHCP_MATCHES_MAX])
{
	const struct site_port *p = c->port;
	struct dhcp_match *m = list;

	if (p->has_mac) {
		*m = (struct dhcp_match){.form = "mac", .len = 6};
		memcpy(m++->bytes, p->mac, 6);
	}
	if (s->networks[p->network].fabric != FABRIC_INFINIBAND)
		return (size_t)(m - list);
	*m = (struct dhcp_match){.form = "lemac", .len = 6};
	identity_lemac(p->guid, m->bytes);
	if (!p->has_mac || memcmp(m->bytes, p->mac, 6) != 0)
		m++;
	for (size_t form = 0; form < IDENTITY_MAX; form++) {
		*m = (struct dhcp_match){.form = site_identity_names[form], .by_id = true};
		m->len = identity_bytes((enum site_identity)form, c->node, p, m->bytes);
		m += m->len != 0;
	}
	return (size_t)(m - list);
}
