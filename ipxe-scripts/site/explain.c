// SPDX-License-Identifier: GPL-2.0-or-later
/* explain: The stages bear the numbers that the scripts print. */
#include "site/dhcp.h"

#include <sys/stat.h>

#include "base/hex.h"
#include "lint.h"
#include "site/line.h"

struct explain {
	struct site *s;
	const struct site_node *n; /* NULL: none of the file */
	const struct site_port *p;
	FILE *out;
};

static void put_octets(FILE *out, const uint8_t *bytes, size_t len)
{
	char hex[3 * IDENTITY_BYTES + 1];

	fputs(hex_text(hex, sizeof(hex), bytes, len, ":"), out);
}

static void explain_port(const struct explain *e, const struct site_port *p)
{
	const struct site_network *net = &e->s->networks[p->network];

	fprintf(e->out, "  port");
	if (p->has_guid) {
		fputs(" GUID ", e->out);
		put_octets(e->out, p->guid, 8);
	}
	if (p->has_mac) {
		fputs(" MAC ", e->out);
		put_octets(e->out, p->mac, 6);
	}
	fprintf(e->out, " in network %s (%s), address %s\n", net->name,
		site_fabric_names[net->fabric],
		p->address.at.line ? addr_text(p->address.addr) : "from its pool");
}

static void explain_identity(const struct explain *e)
{
	fprintf(e->out, "%s: ", e->n->name);
	for (size_t i = 0; i < e->n->groups.n; i++)
		fprintf(e->out, "%s%s", i ? ", " : "group ", e->n->groups.items[i].name.text);
	fprintf(e->out, "%s\n", e->n->groups.n ? "" : "no group");
	for (size_t i = 0; i < e->n->n_ports; i++)
		explain_port(e, &e->n->ports[i]);
	if (e->n->n_ports > 1) {
		fputs("What follows is for a boot through\n", e->out);
		explain_port(e, e->p);
		fputs("Where that port has no link the ROM boots through another one: explain it "
		      "by its GUID or MAC\n",
			e->out);
	}
}

/* Which server binds which form to the address. */
static void explain_forms(const struct explain *e, const struct site_port *p)
{
	const struct site_network *net = &e->s->networks[p->network];
	uint8_t id[IDENTITY_BYTES];
	size_t len;

	for (size_t form = 0; form < IDENTITY_MAX; form++) {
		len = identity_bytes((enum site_identity)form, e->n, p, id);
		if (!len)
			continue;
		fprintf(e->out, "    %-9s", site_identity_names[form]);
		put_octets(e->out, id, len);
		fprintf(e->out, "  %s\n",
			form == net->identity	? "dnsmasq, dhcpd, Kea; what this network uses"
			: form == IDENTITY_IPXE ? "dnsmasq (by MAC, while no other form holds the "
						  "lease), dhcpd, Kea"
						: "dhcpd, Kea");
	}
}

static const struct boot_arch *http_arch(void)
{
	size_t i = 0;

	while (!boot_arches[i].http || boot_arches[i].loader != LOADER_EFI_X64)
		i++;
	return &boot_arches[i];
}

static void explain_rom(const struct explain *e, const struct site_port *p)
{
	const struct site_network *net = &e->s->networks[p->network];
	_cleanup_text_ struct text url = {0};

	fputs("\nROM\n", e->out);
	fprintf(e->out, "  asks for a lease in network %s; DHCP servers:", net->name);
	for (size_t i = 0; i < net->dhcp.n; i++)
		fprintf(e->out, " %s", net->dhcp.items[i].name.text);
	fputc('\n', e->out);
	if (net->fabric == FABRIC_INFINIBAND) {
		fprintf(e->out, "  is known by its DHCP client identifier:\n");
		explain_forms(e, p);
	} else {
		fputs("  is known by its MAC address\n", e->out);
	}
	for (size_t i = 0; i < LOADER_MAX; i++)
		if (e->s->loaders[i].text)
			fprintf(e->out, "  a ROM without iPXE (%s) fetches %s by TFTP\n",
				site_loader_names[i], site_loader_files[i]);
	boot_file(&url, e->s, &e->s->servers[net->dhcp.items[0].index], http_arch());
	fprintf(e->out, "  UEFI HTTP Boot: %s\n",
		url.len ? url.data : "not served (loaders: efi-x64, or http-boot:)");
}

static void explain_ipxe(const struct explain *e, const uint8_t *id, size_t id_len)
{
	const struct site_boot *b = &e->s->boot;
	char hex[2 * 8 + 1];

	fputs("\niPXE (FlexBoot, or one that was chained)\n", e->out);
	fprintf(e->out, "  [1-3] boot.ipxe: without a lease tries again for %u s, then gives up",
		b->link_wait_s.value);
	if (b->menu_wait_ms.value)
		fprintf(e->out, "; key %c opens the menu", b->menu_key.text[0]);
	fprintf(e->out, "\n  [4] node/%s.ipxe%s from", hex_text(hex, sizeof(hex), id, id_len, ""),
		e->n ? "" : ", which is not there, so default.ipxe,");
	for (size_t i = 0; i < b->servers.n; i++)
		fprintf(e->out, "%s %s", i ? ", then" : "",
			server_url(&e->s->servers[b->servers.items[i].index]));
	fprintf(e->out, "; %u rounds, %u s between them\n", b->tries.value, b->wait_s.value);
	if (b->reboot_after_s.value)
		fprintf(e->out, "  [9] if all attempts fail: reboot after %u s\n",
			b->reboot_after_s.value);
	else
		fputs("  [9] if all attempts fail: reboot at once\n", e->out);
}

static void put_size(const struct explain *e, const char *what, const struct said *path)
{
	const char *full = site_path(e->s, path->text);
	struct stat st;

	fprintf(e->out, "  %s %s", what, full);
	if (stat(full, &st) == 0)
		fprintf(e->out, " (%.1f MiB)\n", (double)st.st_size / (1 << 20));
	else
		fprintf(e->out, " (%s)\n", strerror(errno));
}

static void explain_kernel(
	const struct explain *e, const struct site_image *m, const struct line *l)
{
	_cleanup_text_ struct text added = {0};
	char name[INITRD_NAME_SIZE];

	fprintf(e->out, "\nKernel\n  [5] image %s", m->name);
	for (size_t i = 0; i < m->servers.n; i++)
		fprintf(e->out, "%s %s", i ? ", then" : " from", m->servers.items[i].name.text);
	fputc('\n', e->out);
	put_size(e, "kernel", &m->kernel);
	for (size_t i = 0; i < m->initrds.n; i++) {
		put_size(e, "initrd", &m->initrds.items[i]);
		text_printf(&added, "initrd=%s ", initrd_name(name, m, i));
	}
	fprintf(e->out, "  [6] signatures: %s\n", !image_is_signed(m) ? "not checked" :
		streq(m->signing.text, "try") ? "checked where iPXE can" : "required");
	fprintf(e->out, "  [7] command line, %zu of %d bytes:\n    %s%s\n", added.len + l->text.len,
		LINE_MAX_BYTES, added.data ? added.data : "", l->text.data);
}

static int explain_settings(
	const struct explain *e, const struct site_port *p, const struct line *l)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	int r = plan_parse(&plan, l->text.data, l->text.len, NULL);

	if (r >= 0)
		explain_adapter(e->s, p, plan, e->out);
	return r;
}

static int explain_agent(const struct explain *e, const struct line *l)
{
	int r;

	fputs("\nAgent and root: what each option will do\n", e->out);
	r = cmdline_lint(l->text.data, l->text.len, e->out, 0);
	return r < 0 ? r : 0;
}

static int explain_node(const struct explain *e, struct line *l)
{
	const struct site_port *p = e->p;
	int r;

	line_add_profile(l, e->s, e->n, NULL);
	line_add_port(l, e->s, e->n, p);
	explain_identity(e);
	r = explain_settings(e, p, l);
	if (r < 0)
		return r;
	explain_rom(e, p);
	line_put_request(&l->text, l, p->address.at.line ? addr_text(p->address.addr) : "");
	explain_ipxe(e, p->has_guid ? p->guid : p->mac, p->has_guid ? 8 : 6);
	explain_kernel(e, profile_image(e->s, e->n, NULL), l);
	return explain_agent(e, l);
}

/* As the entry script sets ${bootif}: the type of hardware, then the address. */
static void add_bootif(struct line *l, const struct site_found *found)
{
	text_printf(&l->text, " BOOTIF=%s", found->id_len == 8 ? "20-" : "01-");
	text_hex(&l->text, found->id, found->id_len, '-');
}

static int explain_stranger(const struct explain *e, const struct site_found *found, struct line *l)
{
	size_t unknown = e->s->boot.unknown.index;
	const struct site_group *g = unknown == SITE_NONE ? NULL : &e->s->groups[unknown];

	put_octets(e->out, found->id, found->id_len);
	fputs(": no port of the site file\n"
	      "  gets an address from the pool of its network, if that has one\n", e->out);
	explain_ipxe(e, found->id, found->id_len);
	if (!g) {
		fputs("  reports that it is not in the site file, and gives up; boot: unknown: "
		      "GROUP would boot it\n",
			e->out);
		return 0;
	}
	fprintf(e->out, "  boots as one of group %s (boot: unknown:)\n", g->name);
	line_add_profile(l, e->s, NULL, g);
	if (!line_has(l, "BOOTIF"))
		add_bootif(l, found);
	line_put_request(&l->text, l, ""); /* which address is not known */
	explain_kernel(e, profile_image(e->s, NULL, g), l);
	return explain_agent(e, l);
}

bool explain_address(const struct site *s, const char *text, FILE *out)
{
	const struct site_server *server;
	uint32_t addr;

	if (!read_addr(text, strlen(text), &addr))
		return false;
	server = site_server_at(s, addr);
	if (server) {
		fprintf(out, "%s: server %s\n", text, server->name);
		return true;
	}
	for (size_t i = 0; i < s->n_networks; i++) {
		const struct site_network *n = &s->networks[i];

		if (!site_in_pool(n, addr))
			continue;
		fprintf(out,
			"%s: an address of the pool of network %s\n"
			"  for ports that are not in the site file, and for boot stages with "
			"another client identifier\n"
			"  the leases of %s show the port's GUID or MAC, which explain takes\n",
			text, n->name, n->dhcp.items[0].name.text);
		return true;
	}
	return false;
}

int explain(struct site *s, const struct site_found *found, FILE *out)
{
	const struct explain e = {s, found->node, found->port, out};
	struct line l = {0};
	int r;

	r = e.n ? explain_node(&e, &l) : explain_stranger(&e, found, &l);
	line_done(&l);
	return r;
}
