// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dnsmasq: dhcp/SERVER/dnsmasq.conf and the nodes beside it. dnsmasq works on InfiniBand itself. It
 * takes one client identifier for an address, and any number of MAC addresses; a request matches by
 * the identifier first.
 */
#include "site/dhcp.h"

/* dnsmasq itself takes fewer where its limit of open files is lower. */
#define TFTP_TRANSFERS 1000

/*
 * dnsmasq takes these names for a lease time (101, 2h: of 101 seconds, of two hours), or for an
 * order to leave the node without an address (ignore).
 */
static bool is_word_of_dnsmasq(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return streq(name, "infinite") || streq(name, "ignore") ||
	       (digits && (!name[digits] || (strchr("smhdwSMHDW", name[digits]) &&
						    !name[digits + 1])));
}

static void put_node(struct text *t, const struct site *s, const struct dhcp_cursor *c)
{
	const char *wanted = site_identity_names[s->networks[c->port->network].identity];
	struct dhcp_match list[DHCP_MATCHES_MAX];
	size_t n = dhcp_matches(s, c, list);

	/* The identifier, the address made of the GUID, the port's own. */
	for (size_t i = n; i-- > 0;) {
		if (list[i].by_id && !streq(list[i].form, wanted))
			continue;
		text_put(t, list[i].by_id ? "id:" : "");
		text_hex(t, list[i].bytes, list[i].len, ':');
		text_put(t, ",");
	}
	text_printf(t, "set:known,%s", addr_text(c->port->address.addr));
	/* The name is on the node's command line as well. */
	if (!is_word_of_dnsmasq(c->node->name))
		text_printf(t, ",%s", c->node->name);
	text_put(t, "\n");
}

static void put_network(struct text *t, const struct site *s, const struct site_network *n,
	const struct site_server *me)
{
	const char *mask = addr_text(site_netmask(n));

	text_printf(t, "\n# network %s: %s\n", n->name, site_fabric_names[n->fabric]);
	text_printf(t, "dhcp-range=set:%s,%s,static,%s,%us\n", n->name, addr_text(n->subnet), mask,
		n->lease.value);
	if (serves_pool(s, n, me))
		text_printf(t, "dhcp-range=set:%s,%s,%s,%s,%us\n", n->name,
			addr_text(n->pool_first), addr_text(n->pool_last), mask, n->lease.value);
	/* Without a value the option is not sent: otherwise dnsmasq offers itself. */
	text_printf(t, "dhcp-option=tag:%s,option:router%s%s\n", n->name,
		n->router.at.line ? "," : "", n->router.at.line ? addr_text(n->router.addr) : "");
	text_printf(t, "dhcp-option=tag:%s,option:dns-server", n->name);
	for (size_t i = 0; i < n->n_dns; i++)
		text_printf(t, ",%s", addr_text(n->dns[i].addr));
	text_put(t, "\n");
	if (n->mtu.at.line)
		text_printf(t, "dhcp-option=tag:%s,option:mtu,%u\n", n->name, n->mtu.value);
	if (n->interface.text)
		text_printf(t, "interface=%s\n", n->interface.text);
}

/* Who gets which file. The architectures are those of RFC 4578 and IANA's list after it. */
static void put_boot(struct text *t, const struct site *s, const struct site_server *me)
{
	text_put(t, "\n"
		    "# iPXE and FlexBoot get the script; the others a loader for their "
		    "architecture.\n"
		    "# FlexBoot is not always of user class iPXE, but has iPXE's own options.\n"
		    "dhcp-userclass=set:ipxe,iPXE\n"
		    "dhcp-match=set:ipxe,175\n");
	for (size_t i = 0; i < BOOT_ARCHES; i++)
		text_printf(t, "dhcp-match=set:%s,option:client-arch,%u\n", boot_arches[i].tag,
			boot_arches[i].number);
	text_printf(t, "dhcp-boot=tag:ipxe,%s/boot.ipxe,,%s\n", first_url(s, me),
		addr_text(me->address.addr));
	for (size_t i = 0; i < BOOT_ARCHES; i++) {
		const struct boot_arch *a = &boot_arches[i];
		_cleanup_text_ struct text file = {0};

		boot_file(&file, s, me, a);
		if (!file.len)
			continue;
		/* UEFI HTTP Boot ignores an offer that does not say HTTPClient itself. */
		if (a->http)
			text_printf(
				t, "dhcp-option-force=tag:%s,tag:!ipxe,60,HTTPClient\n", a->tag);
		text_printf(t, "dhcp-boot=tag:%s,tag:!ipxe,%s,,%s\n", a->tag, file.data,
			addr_text(me->address.addr));
	}
}

static void render_hosts(const struct site *s, const struct site_server *me, struct tree *t)
{
	_cleanup_text_ struct text out = {0};
	struct dhcp_cursor c = {0};

	put_head(&out, s, "#", "Nodes for dnsmasq");
	while (dhcp_next(&c, s, me))
		put_node(&out, s, &c);
	tree_text(t, &out, "dhcp/%s/dnsmasq.hosts", me->name);
}

void render_dnsmasq(const struct site *s, const struct site_server *me, struct tree *t)
{
	_cleanup_text_ struct text out = {0};

	put_head(&out, s, "#", "dnsmasq (DHCP and TFTP)");
	text_printf(&out,
		"# dnsmasq --conf-file=%s/dhcp/%s/dnsmasq.conf; SIGHUP is enough after a change "
		"of nodes.\n"
		"port=0\n"
		"bind-dynamic\n"
		"dhcp-authoritative\n"
		"log-dhcp\n"
		"# Half of a fabric powers on at once: no time to ping every address before it is "
		"given.\n"
		"no-ping\n"
		"dhcp-hostsfile=%s/dhcp/%s/dnsmasq.hosts\n"
		"dhcp-lease-max=%zu\n"
		"enable-tftp\n"
		"# Of these 50 only, by default: the others of a row would wait.\n"
		"tftp-max=%d\n"
		"tftp-root=%s/tftp\n",
		s->tree.text, me->name, s->tree.text, me->name, s->n_nodes * 4 + 1000,
		TFTP_TRANSFERS, s->tree.text);
	if (s->domain.text)
		text_printf(&out, "domain=%s\n", s->domain.text);
	for (size_t i = 0; i < s->n_networks; i++)
		if (serves_network(&s->networks[i], s, me))
			put_network(&out, s, &s->networks[i], me);
	put_boot(&out, s, me);
	tree_text(t, &out, "dhcp/%s/dnsmasq.conf", me->name);
	render_hosts(s, me, t);
}
