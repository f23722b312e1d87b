// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dhcpd: dhcp/SERVER/dhcpd.conf for ISC dhcpd. Several hosts may have one fixed address, so every form of a
 * node's identity is bound to it, whichever stage asks.
 */
#include "dhcp/dhcp.h"
#include "dhcp/identity.h"
#include "site/checks.h"

/* Host names of dhcpd are never seen outside; they only have to be different. */
static void put_host(struct text *t, const struct site_node *n, const struct site_port *p, const char *form, const char *match,
	const uint8_t *bytes, size_t len)
{
	text_printf(t, "host %s-%s-%s { %s ", n->name, addr_text(p->address.addr), form, match);
	text_hex(t, bytes, len, ':');
	text_printf(t, "; fixed-address %s; option host-name \"%s\"; }\n", addr_text(p->address.addr), n->name);
}

static void put_node(struct text *t, const struct site *s, const struct site_node *n, const struct site_port *p)
{
	const char *by_id = "option dhcp-client-identifier";
	uint8_t id[IDENTITY_BYTES], lemac[6];
	size_t form, len;

	if (p->has_mac)
		put_host(t, n, p, "mac", "hardware ethernet", p->mac, 6);
	if (s->networks[p->network].fabric != FABRIC_INFINIBAND)
		return;
	identity_lemac(p->guid, lemac);
	if (!p->has_mac || memcmp(lemac, p->mac, 6) != 0)
		put_host(t, n, p, "lemac", "hardware ethernet", lemac, 6);
	for (form = 0; form < IDENTITY_MAX; form++) {
		len = identity_bytes((enum site_identity)form, n, p, id);
		if (len)
			put_host(t, n, p, site_identity_names[form], by_id, id, len);
	}
}

static void put_network(struct text *t, const struct site *s, const struct site_network *n, const struct site_server *me)
{
	size_t i;

	text_printf(t, "\n# network %s: %s\nsubnet %s netmask %s {\n", n->name, site_fabric_names[n->fabric], addr_text(n->subnet),
		addr_text(site_netmask(n)));
	text_printf(t, "\tdefault-lease-time %u;\n\tmax-lease-time %u;\n", n->lease.value, n->lease.value);
	if (serves_pool(s, n, me))
		text_printf(t, "\trange %s %s;\n", addr_text(n->pool_first), addr_text(n->pool_last));
	if (n->router.at.line)
		text_printf(t, "\toption routers %s;\n", addr_text(n->router.addr));
	for (i = 0; i < n->n_dns; i++)
		text_printf(t, "%s%s%s", i ? ", " : "\toption domain-name-servers ", addr_text(n->dns[i]), i + 1 == n->n_dns ? ";\n" : "");
	if (n->mtu.at.line)
		text_printf(t, "\toption interface-mtu %u;\n", n->mtu.value);
	text_put(t, "}\n");
}

static void put_arch(struct text *t, const struct site *s, const struct site_server *me, const struct boot_arch *a)
{
	_cleanup_text_ struct text file = {0};

	if (a->http)
		http_boot_url(&file, s, me, a->loader);
	else if (s->loaders[a->loader].text)
		text_put(&file, site_loader_files[a->loader]);
	if (file.len)
		text_printf(t, "elsif option client-arch = %02x:%02x { # %s\n%s\tfilename \"%s\";\n}\n", a->number >> 8, a->number & 255, a->tag,
			a->http ? "\toption vendor-class-identifier \"HTTPClient\";\n" : "", file.data);
}

static void put_boot(struct text *t, const struct site *s, const struct site_server *me)
{
	size_t i;

	text_printf(t, "\n# iPXE and FlexBoot (user class iPXE) get the script; the others a loader for their architecture.\n"
		"option client-arch code 93 = unsigned integer 16;\n"
		"next-server %s;\n"
		"if exists user-class and option user-class = \"iPXE\" {\n\tfilename \"", addr_text(me->address.addr));
	first_url(t, s, me);
	text_put(t, "/boot.ipxe\";\n}\n");
	for (i = 0; i < n_boot_arches; i++)
		put_arch(t, s, me, &boot_arches[i]);
}

static void render_server(const struct site *s, const struct site_server *me, struct tree *t)
{
	_cleanup_text_ struct text out = {0}, path = {0};
	struct dhcp_cursor c = {0};
	size_t i;

	put_head(&out, s, "#", "ISC dhcpd");
	text_printf(&out,
		"# dhcpd -cf %s/dhcp/%s/dhcpd.conf. On InfiniBand it needs the patch of the RHEL family, or a relay: as\n"
		"# Debian and its authors build it, it refuses such interfaces. TFTP is another server's.\n"
		"authoritative;\n"
		"ddns-update-style none;\n"
		"ping-check false;\n",
		s->tree.text, me->name);
	if (s->domain.text)
		text_printf(&out, "option domain-name \"%s\";\n", s->domain.text);
	put_boot(&out, s, me);
	for (i = 0; i < s->n_networks; i++)
		if (serves_network(&s->networks[i], s, me))
			put_network(&out, s, &s->networks[i], me);
	text_put(&out, "\n# nodes\n");
	while (dhcp_next(&c, s, me))
		put_node(&out, s, c.node, c.port);
	text_printf(&path, "dhcp/%s/dhcpd.conf", me->name);
	tree_file(t, path.data, out.data, out.len);
}

void render_dhcpd(const struct site *s, struct tree *t)
{
	size_t i;

	for (i = 0; i < s->n_servers; i++)
		if (is_dhcp_server(s, &s->servers[i]))
			render_server(s, &s->servers[i], t);
}
