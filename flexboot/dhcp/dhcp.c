// SPDX-License-Identifier: GPL-2.0-or-later
/* dhcp: see dhcp.h. */
#include "dhcp/dhcp.h"

const struct boot_arch boot_arches[] = {
	{"bios", 0x00, false, LOADER_BIOS},
	{"efi-x64", 0x07, false, LOADER_EFI_X64},
	{"efi-bc", 0x09, false, LOADER_EFI_X64}, /* what some firmware of x64 says */
	{"efi-arm64", 0x0b, false, LOADER_EFI_ARM64},
	{"http-x64", 0x10, true, LOADER_EFI_X64},
	{"http-arm64", 0x13, true, LOADER_EFI_ARM64},
};
const size_t n_boot_arches = ARRAY_SIZE(boot_arches);

bool serves_network(const struct site_network *n, const struct site *s, const struct site_server *me)
{
	size_t i;

	for (i = 0; i < n->dhcp.n; i++)
		if (&s->servers[n->dhcp.items[i].index] == me)
			return true;
	return false;
}

bool is_dhcp_server(const struct site *s, const struct site_server *v)
{
	size_t i;

	for (i = 0; i < s->n_networks; i++)
		if (serves_network(&s->networks[i], s, v))
			return true;
	return false;
}

bool serves_pool(const struct site *s, const struct site_network *n, const struct site_server *me)
{
	return n->pool_at.line && &s->servers[n->dhcp.items[0].index] == me;
}

void http_boot_url(struct text *t, const struct site *s, const struct site_server *me, enum site_loader loader)
{
	/* A UKI is of one architecture, and those of a site's images are for x64. */
	const struct site_image *uki = s->http_boot == SITE_NONE || loader != LOADER_EFI_X64 ? NULL : &s->images[s->http_boot];

	if (!uki && !s->loaders[loader].text)
		return;
	first_url(t, s, me);
	if (uki)
		text_printf(t, "/images/%s/%s.efi", uki->name, uki->name);
	else
		text_printf(t, "/loaders/%s", site_loader_files[loader]);
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
