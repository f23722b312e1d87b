// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dhcpd: dhcp/SERVER/dhcpd.conf for ISC dhcpd. Several hosts may have one fixed address, so every
 * form of a node's identity is bound to it, whichever stage asks.
 */
#include "site/dhcp.h"

/* Host names of dhcpd are never seen outside; they only have to be different. */
static void put_node(struct text *t, const struct site *s, const struct dhcp_cursor *c)
{
	const char *addr = addr_text(c->port->address.addr);
	struct dhcp_match list[DHCP_MATCHES_MAX];
	size_t n = dhcp_matches(s, c, list);

	for (size_t i = 0; i < n; i++) {
		text_printf(t, "host %s-%s-%s { %s ", c->node->name, addr, list[i].form,
			list[i].by_id ? "option dhcp-client-identifier" : "hardware ethernet");
		text_hex(t, list[i].bytes, list[i].len, ':');
		text_printf(
			t, "; fixed-address %s; option host-name \"%s\"; }\n", addr, c->node->name);
	}
}

static void put_network(struct text *t, const struct site *s, const struct site_network *n,
	const struct site_server *me)
{
	text_printf(t, "\n# network %s: %s\nsubnet %s netmask %s {\n", n->name,
		site_fabric_names[n->fabric], addr_text(n->subnet), addr_text(site_netmask(n)));
	text_printf(t, "\tdefault-lease-time %u;\n\tmax-lease-time %u;\n", n->lease.value,
		n->lease.value);
	if (serves_pool(s, n, me))
		text_printf(
			t, "\trange %s %s;\n", addr_text(n->pool_first), addr_text(n->pool_last));
	if (n->router.at.line)
		text_printf(t, "\toption routers %s;\n", addr_text(n->router.addr));
	for (size_t i = 0; i < n->n_dns; i++)
		text_printf(t, "%s%s%s", i ? ", " : "\toption domain-name-servers ",
			addr_text(n->dns[i].addr), i + 1 == n->n_dns ? ";\n" : "");
	if (n->mtu.at.line)
		text_printf(t, "\toption interface-mtu %u;\n", n->mtu.value);
	text_put(t, "}\n");
}

static void put_boot(struct text *t, const struct site *s, const struct site_server *me)
{
	text_printf(t,
		"\n"
		"# iPXE and FlexBoot get the script; the others a loader for their architecture.\n"
		"# FlexBoot is not always of user class iPXE, but has iPXE's own options.\n"
		"option client-arch code 93 = unsigned integer 16;\n"
		"option ipxe-options code 175 = string;\n"
		"next-server %s;\n"
		"if exists ipxe-options or option user-class = \"iPXE\" {\n"
		"\tfilename \"%s/boot.ipxe\";\n"
		"}\n",
		addr_text(me->address.addr), first_url(s, me));
	for (size_t i = 0; i < BOOT_ARCHES; i++) {
		const struct boot_arch *a = &boot_arches[i];
		_cleanup_text_ struct text file = {0};

		boot_file(&file, s, me, a);
		if (file.len)
			text_printf(t,
				"elsif option client-arch = %02x:%02x { # %s\n%s\tfilename "
				"\"%s\";\n}\n",
				a->number >> 8, a->number & 255, a->tag,
				a->http ? "\toption vendor-class-identifier \"HTTPClient\";\n" : "",
				file.data);
	}
}

void render_dhcpd(const struct site *s, const struct site_server *me, struct tree *t)
{
	_cleanup_text_ struct text out = {0};
	struct dhcp_cursor c = {0};

	put_head(&out, s, "#", "ISC dhcpd");
	text_printf(&out,
		"# dhcpd -cf %s/dhcp/%s/dhcpd.conf. On InfiniBand it needs the patch of the RHEL "
		"family, or a relay: as\n"
		"# Debian and its authors build it, it refuses such interfaces. TFTP is another "
		"server's.\n"
		"authoritative;\n"
		"ddns-update-style none;\n"
		"ping-check false;\n",
		s->tree.text, me->name);
	if (s->domain.text)
		text_printf(&out, "option domain-name \"%s\";\n", s->domain.text);
	put_boot(&out, s, me);
	for (size_t i = 0; i < s->n_networks; i++)
		if (serves_network(&s->networks[i], s, me))
			put_network(&out, s, &s->networks[i], me);
	text_put(&out, "\n# nodes\n");
	while (dhcp_next(&c, s, me))
		put_node(&out, s, &c);
	tree_text(t, &out, "dhcp/%s/dhcpd.conf", me->name);
}
