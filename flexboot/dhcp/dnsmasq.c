// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dnsmasq: dhcp/SERVER/dnsmasq.conf and the nodes beside it. dnsmasq works on InfiniBand itself. It takes one
 * client identifier for an address, and any number of MAC addresses; a request matches by the identifier first.
 */
#include "dhcp/dhcp.h"
#include "dhcp/identity.h"
#include "site/checks.h"

static void put_node(struct text *t, const struct site *s, const struct site_node *n, const struct site_port *p)
{
	const struct site_network *net = &s->networks[p->network];
	uint8_t id[IDENTITY_BYTES], lemac[6];
	size_t len;

	if (net->fabric == FABRIC_INFINIBAND) {
		len = identity_bytes(net->identity, n, p, id);
		text_put(t, "id:");
		text_hex(t, id, len, ':');
		text_put(t, ",");
		identity_lemac(p->guid, lemac);
		text_hex(t, lemac, 6, ':');
		if (p->has_mac && memcmp(lemac, p->mac, 6) != 0) {
			text_put(t, ",");
			text_hex(t, p->mac, 6, ':');
		}
	} else {
		text_hex(t, p->mac, 6, ':');
	}
	text_printf(t, ",set:known,%s,%s\n", addr_text(p->address.addr), n->name);
}

static void put_network(struct text *t, const struct site *s, const struct site_network *n, const struct site_server *me)
{
	size_t i;

	text_printf(t, "\n# network %s: %s\n", n->name, site_fabric_names[n->fabric]);
	text_printf(t, "dhcp-range=set:%s,%s,static,%s,%us\n", n->name, addr_text(n->subnet), addr_text(site_netmask(n)), n->lease.value);
	if (serves_pool(s, n, me))
		text_printf(t, "dhcp-range=set:%s,%s,%s,%s,%us\n", n->name, addr_text(n->pool_first), addr_text(n->pool_last),
			addr_text(site_netmask(n)), n->lease.value);
	/* Without a value the option is not sent: otherwise dnsmasq offers itself. */
	text_printf(t, "dhcp-option=tag:%s,option:router%s%s\n", n->name, n->router.at.line ? "," : "",
		n->router.at.line ? addr_text(n->router.addr) : "");
	text_printf(t, "dhcp-option=tag:%s,option:dns-server", n->name);
	for (i = 0; i < n->n_dns; i++)
		text_printf(t, ",%s", addr_text(n->dns[i]));
	text_put(t, "\n");
	if (n->mtu.at.line)
		text_printf(t, "dhcp-option=tag:%s,option:mtu,%u\n", n->name, n->mtu.value);
	if (n->interface.text)
		text_printf(t, "interface=%s\n", n->interface.text);
}

/* Who gets which file. The architectures are those of RFC 4578 and IANA's list after it. */
static void put_boot(struct text *t, const struct site *s, const struct site_server *me)
{
	_cleanup_text_ struct text url = {0}, http = {0};
	size_t i;

	first_url(&url, s, me);
	text_put(t, "\n# iPXE and FlexBoot (user class iPXE) get the script; the others a loader for their architecture.\n"
		    "dhcp-userclass=set:ipxe,iPXE\n");
	for (i = 0; i < n_boot_arches; i++) {
		const struct boot_arch *a = &boot_arches[i];

		text_printf(t, "dhcp-match=set:%s,option:client-arch,%u\n", a->tag, a->number);
	}
	text_printf(t, "dhcp-boot=tag:ipxe,%s/boot.ipxe,,%s\n", url.data, addr_text(me->address.addr));
	for (i = 0; i < n_boot_arches; i++) {
		const struct boot_arch *a = &boot_arches[i];

		text_clear(&http);
		if (a->http)
			http_boot_url(&http, s, me, a->loader);
		else if (s->loaders[a->loader].text)
			text_put(&http, site_loader_files[a->loader]);
		/* UEFI HTTP Boot ignores an offer that does not say HTTPClient itself. */
		if (http.len && a->http)
			text_printf(t, "dhcp-option-force=tag:%s,tag:!ipxe,60,HTTPClient\n", a->tag);
		if (http.len)
			text_printf(t, "dhcp-boot=tag:%s,tag:!ipxe,%s,,%s\n", a->tag, http.data, addr_text(me->address.addr));
	}
}

static void render_server(const struct site *s, const struct site_server *me, struct tree *t)
{
	_cleanup_text_ struct text out = {0}, path = {0};
	size_t i;

	put_head(&out, s, "#", "dnsmasq (DHCP and TFTP)");
	text_printf(&out,
		"# dnsmasq --conf-file=%s/dhcp/%s/dnsmasq.conf; after a change of nodes alone SIGHUP will do.\n"
		"port=0\n"
		"bind-dynamic\n"
		"dhcp-authoritative\n"
		"log-dhcp\n"
		"# Half of a fabric powers on at once: no time to ping every address before it is given.\n"
		"no-ping\n"
		"dhcp-hostsfile=%s/dhcp/%s/dnsmasq.hosts\n"
		"dhcp-lease-max=%zu\n"
		"enable-tftp\n"
		"tftp-root=%s/tftp\n",
		s->tree.text, me->name, s->tree.text, me->name, s->n_nodes * 4 + 1000, s->tree.text);
	if (s->domain.text)
		text_printf(&out, "domain=%s\n", s->domain.text);
	for (i = 0; i < s->n_networks; i++)
		if (serves_network(&s->networks[i], s, me))
			put_network(&out, s, &s->networks[i], me);
	put_boot(&out, s, me);
	text_printf(&path, "dhcp/%s/dnsmasq.conf", me->name);
	tree_file(t, path.data, out.data, out.len);
}

static void render_hosts(const struct site *s, const struct site_server *me, struct tree *t)
{
	_cleanup_text_ struct text out = {0}, path = {0};
	struct dhcp_cursor c = {0};

	put_head(&out, s, "#", "Nodes for dnsmasq");
	while (dhcp_next(&c, s, me))
		put_node(&out, s, c.node, c.port);
	text_printf(&path, "dhcp/%s/dnsmasq.hosts", me->name);
	tree_file(t, path.data, out.data, out.len);
}

void render_dnsmasq(const struct site *s, struct tree *t)
{
	size_t i;

	for (i = 0; i < s->n_servers; i++) {
		if (!is_dhcp_server(s, &s->servers[i]))
			continue;
		render_server(s, &s->servers[i], t);
		render_hosts(s, &s->servers[i], t);
	}
}
