// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kea: dhcp/SERVER/kea-dhcp4.json. Kea reads comments. Every form of identity has a reservation of
 * the same address; but a lease belongs to the identity that took it, until it ends. So firmware
 * and iPXE, which look at no lease's end, get one of a second.
 */
#include "site/dhcp.h"

static void put_node(
	struct text *t, const struct site *s, const struct dhcp_cursor *c, const char **comma)
{
	struct dhcp_match list[DHCP_MATCHES_MAX];
	size_t n = dhcp_matches(s, c, list);

	for (size_t i = 0; i < n; i++) {
		text_printf(t, "%s\n        { \"%s\": \"", *comma,
			list[i].by_id ? "client-id" : "hw-address");
		text_hex(t, list[i].bytes, list[i].len, ':');
		text_printf(t, "\", \"ip-address\": \"%s\", \"hostname\": \"%s\" }",
			addr_text(c->port->address.addr), c->node->name);
		*comma = ",";
	}
}

static void put_option(struct text *t, const char *name, const char *data, const char **comma)
{
	text_printf(t, "%s\n        { \"name\": \"%s\", \"data\": \"%s\" }", *comma, name, data);
	*comma = ",";
}

static void put_options(struct text *t, const struct site *s, const struct site_network *n)
{
	_cleanup_text_ struct text dns = {0};
	const char *comma = "";
	char mtu[16];

	text_put(t, "      \"option-data\": [");
	if (n->router.at.line)
		put_option(t, "routers", addr_text(n->router.addr), &comma);
	for (size_t i = 0; i < n->n_dns; i++)
		text_printf(&dns, "%s%s", i ? ", " : "", addr_text(n->dns[i].addr));
	if (dns.len)
		put_option(t, "domain-name-servers", dns.data, &comma);
	snprintf(mtu, sizeof(mtu), "%u", n->mtu.value);
	if (n->mtu.at.line)
		put_option(t, "interface-mtu", mtu, &comma);
	if (s->domain.text)
		put_option(t, "domain-name", s->domain.text, &comma);
	text_put(t, " ],\n");
}

static void put_subnet(
	struct text *t, const struct site *s, size_t index, const struct site_server *me)
{
	const struct site_network *n = &s->networks[index];
	struct dhcp_cursor c = {0};
	const char *comma = "";

	text_printf(t,
		"    { // network %s: %s\n      \"id\": %zu, \"subnet\": \"%s/%d\", "
		"\"valid-lifetime\": %u,\n",
		n->name, site_fabric_names[n->fabric], index + 1, addr_text(n->subnet), n->prefix,
		n->lease.value);
	/* A MAC is one client, whatever identifier its stages make of it. */
	if (n->fabric != FABRIC_INFINIBAND)
		text_put(t, "      \"match-client-id\": false,\n");
	if (n->interface.text)
		text_printf(t, "      \"interface\": \"%s\",\n", n->interface.text);
	if (serves_pool(s, n, me))
		text_printf(t, "      \"pools\": [ { \"pool\": \"%s - %s\" } ],\n",
			addr_text(n->pool_first), addr_text(n->pool_last));
	put_options(t, s, n);
	text_put(t, "      \"reservations\": [");
	while (dhcp_next(&c, s, me))
		if (&s->networks[c.port->network] == n)
			put_node(t, s, &c, &comma);
	text_put(t, " ] }");
}

/* A class for a kind of client: which file, in the header and as option 67. */
static void put_class(struct text *t, const char *name, const char *test, const char *file,
	bool http, const char **comma)
{
	text_printf(t,
		"%s\n    { \"name\": \"%s\", \"test\": \"%s\",\n      \"boot-file-name\": "
		"\"%s\",\n      \"option-data\": [ ",
		*comma, name, test, file);
	if (http)
		text_put(
			t, "{ \"name\": \"vendor-class-identifier\", \"data\": \"HTTPClient\" }, ");
	text_printf(t, "{ \"name\": \"boot-file-name\", \"data\": \"%s\" } ] }", file);
	*comma = ",";
}

static void put_classes(struct text *t, const struct site *s, const struct site_server *me)
{
	_cleanup_text_ struct text file = {0}, test = {0};
	const char *comma = "";

	text_put(t, "  // iPXE and FlexBoot get the script; the others a loader for their "
		    "architecture.\n"
		    "  // FlexBoot is not always of user class iPXE, but has iPXE's own options.\n"
		    "  \"client-classes\": [");
	text_printf(&file, "%s/boot.ipxe", first_url(s, me));
	put_class(t, "ipxe", "option[77].hex == 'iPXE' or option[175].exists", file.data, false,
		&comma);
	for (size_t i = 0; i < BOOT_ARCHES; i++) {
		const struct boot_arch *a = &boot_arches[i];

		text_clear(&file);
		text_clear(&test);
		boot_file(&file, s, me, a);
		text_printf(&test, "not member('ipxe') and option[93].hex == 0x%04x",
			a->number);
		if (file.len)
			put_class(t, a->tag, test.data, file.data, a->http, &comma);
	}
	text_put(t, ",\n"
		    "    // The next stage is another client to Kea, and gets the address when the "
		    "lease of this one has ended.\n"
		    "    // No other node does: it is reserved.\n"
		    "    { \"name\": \"stage\", \"valid-lifetime\": 1,\n"
		    "      \"test\": \"member('KNOWN') and (substring(option[60].hex, 0, 9) == "
		    "'PXEClient' or substring(option[60].hex, 0, 10) == 'HTTPClient')\" }");
	text_put(t, " ],\n");
}

static void put_interfaces(struct text *t, const struct site *s, const struct site_server *me)
{
	const char *comma = "";

	text_put(t, "  \"interfaces-config\": { \"interfaces\": [ ");
	for (size_t i = 0; i < s->n_networks; i++) {
		if (!serves_network(&s->networks[i], s, me) || !s->networks[i].interface.text)
			continue;
		text_printf(t, "%s\"%s\"", comma, s->networks[i].interface.text);
		comma = ", ";
	}
	text_printf(t, "%s ] },\n", *comma ? "" : "\"*\"");
}

void render_kea(const struct site *s, const struct site_server *me, struct tree *t)
{
	_cleanup_text_ struct text out = {0};
	const char *comma = "";

	put_head(&out, s, "//", "Kea");
	text_printf(&out,
		"// kea-dhcp4 -c %s/dhcp/%s/kea-dhcp4.json\n"
		"// InfiniBand: Kea reads Ethernet frames only, so there it works behind a DHCP "
		"relay. And a lease belongs to\n"
		"// the client identifier that took it. Firmware and iPXE get one of a second, so "
		"that the agent gets the same\n"
		"// address; its own lease must be of the ROM's form (client-id:), or "
		"the ROM of the next boot\n"
		"// gets none while it lasts. TFTP is another server's.\n"
		"{ \"Dhcp4\": {\n",
		s->tree.text, me->name);
	put_interfaces(&out, s, me);
	text_printf(&out,
		"  \"authoritative\": true,\n"
		"  \"lease-database\": { \"type\": \"memfile\", \"persist\": true },\n"
		"  \"host-reservation-identifiers\": [ \"client-id\", \"hw-address\" ],\n"
		"  \"ip-reservations-unique\": false,\n"
		"  \"next-server\": \"%s\",\n",
		addr_text(me->address.addr));
	put_classes(&out, s, me);
	text_put(&out, "  \"subnet4\": [\n");
	for (size_t i = 0; i < s->n_networks; i++) {
		if (!serves_network(&s->networks[i], s, me))
			continue;
		text_put(&out, comma);
		put_subnet(&out, s, i, me);
		comma = ",\n";
	}
	text_put(&out, "\n  ]\n} }\n");
	tree_text(t, &out, "dhcp/%s/kea-dhcp4.json", me->name);
}
