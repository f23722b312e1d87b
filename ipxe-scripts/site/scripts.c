// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scripts: the iPXE scripts.
 *
 *	http/boot.ipxe		the entry: link and lease, who am I, asks each server for
 *	http/node/ID.ipxe	a known port's script; ID: its GUID or MAC address in hex
 *	http/default.ipxe	of all other ports
 *	http/group/NAME.ipxe	"as one of the group", from the menu
 *
 * They run on iPXE from 2019 on. What newer builds only have is tried behind "||", since an unknown
 * command ends a script. Every step has a number and a name; docs/boot-stages.md explains them.
 */
#include "base/hex.h"
#include "site/line.h"
#include "site/private.h"
#include "site/tree.h"

/* iPXE's "dhcp" command waits so long for links; --link-wait becomes a number of attempts. */
#define IPXE_LINK_WAIT_S 15

/* Of the interface opened last, by which the script came; iPXE makes nothing of it without one. */
#define IPXE_ADDRESS	 "${netX/ip}"

static void put_network(struct text *t, const struct site_boot *b)
{
	uint32_t goes = b->link_wait_s.value / (IPXE_LINK_WAIT_S + b->wait_s.value) + 1;

	text_put(t, "set path:string default\n"
		    "set goes:int32 0\n"
		    "set round:int32 0\n"
		    "isset ${netX/ip} && goto identity ||\n"
		    "\n"
		    "# Loaded without a lease, for example from a disk. A link on InfiniBand is up "
		    "when the subnet manager\n"
		    "# has let the port into the broadcast group.\n"
		    ":network\n"
		    "echo initagent [2 network] waiting for a link (InfiniBand: for the subnet "
		    "manager) and a lease\n"
		    "dhcp && goto identity ||\n"
		    "inc goes\n");
	text_printf(t,
		"echo initagent [2 network] no lease, go ${goes} of %u\n"
		"ifstat ||\n"
		"ibstat ||\n"
		"set why no link or no lease: cable, subnet manager, DHCP server\n"
		"iseq ${goes} %u && goto give_up ||\n"
		"sleep %u\n"
		"goto network\n",
		goes, goes, b->wait_s.value);
}

static void put_identity(struct text *t, const struct site_boot *b)
{
	text_put(t, "\n"
		    "# On InfiniBand hwaddr is the port GUID and mac six octets of it; on Ethernet "
		    "both are the same.\n"
		    "# FlexBoot before 3.5.403 has no hwaddr.\n"
		    ":identity\n"
		    "set id ${netX/mac:hexraw}\n"
		    "set bootif 01-${netX/mac:hexhyp}\n"
		    "isset ${netX/hwaddr} && set id ${netX/hwaddr:hexraw} || goto identified\n"
		    "iseq ${netX/hwaddr} ${netX/mac} || set bootif 20-${netX/hwaddr:hexhyp}\n"
		    ":identified\n"
		    "set path node/${id}.ipxe\n"
		    "echo initagent [3 identity] ${id} has ${netX/ip}\n");
	/* To iPXE a timeout of 0 is none. */
	if (b->menu_wait_ms.value)
		text_printf(t,
			"prompt --key 0x%02x --timeout %u initagent [3 identity] key %c: menu && "
			"goto menu ||\n",
			b->menu_key.text[0], b->menu_wait_ms.value, b->menu_key.text[0]);
}

static void put_servers(struct text *t, const struct site *s)
{
	uint32_t ms = s->boot.script_timeout_s.value * 1000;
	size_t i, n = s->boot.servers.n;

	text_put(t, "\n:servers\n");
	for (i = 0; i < n; i++) {
		text_printf(t,
			":server_%zu\n"
			"set server %s\n"
			"echo initagent [4 script] ${server}/${path}\n"
			"imgfetch --timeout %u --name script ${server}/${path} || imgfetch "
			"--timeout %u --name script ${server}/default.ipxe || goto down_%zu\n"
			"set why servers answer, but none of them booted this node\n"
			"imgexec script ||\n"
			"imgfree script ||\n"
			"goto server_%zu\n"
			":down_%zu\n"
			"echo initagent [4 script] ${server} does not answer\n"
			"isset ${why} || set why no server answers: web server, route, address\n",
			i, server_url(&s->servers[s->boot.servers.items[i].index]), ms, ms, i,
			i + 1, i);
	}
	text_printf(t,
		":server_%zu\n"
		"inc round\n"
		"echo initagent [4 script] round ${round} of %u without success\n"
		"iseq ${round} %u && goto give_up ||\n"
		"sleep %u\n"
		"goto servers\n",
		n, s->boot.tries.value, s->boot.tries.value, s->boot.wait_s.value);
}

static void put_end(struct text *t, const struct site_boot *b)
{
	uint32_t s = b->reboot_after_s.value;
	char key = b->menu_key.text[0];

	text_put(t, "\n:give_up\necho initagent [9 give up] ${why}\n");
	if (s)
		text_printf(t,
			"prompt --key 0x%02x --timeout %u initagent [9 give up] reboot in %u s, "
			"key %c: menu && goto menu ||\n",
			key, s * 1000, s, key);
	text_put(t, ":reboot\necho initagent [9 give up] reboot\nreboot\nexit 1\n");
}

static void put_menu(struct text *t, const struct site *s)
{
	text_printf(t,
		"\n"
		"# A build without menus continues the boot.\n"
		":menu\n"
		"menu Site %s, port ${id}, address ${netX/ip} || goto choice_node\n"
		"item node Boot as this node\n",
		s->name.text);
	for (size_t i = 0; i < s->n_groups; i++)
		if (group_boots(s, &s->groups[i]))
			text_printf(t, "item group-%s Boot as one of group %s\n", s->groups[i].name,
				s->groups[i].name);
	text_put(t,
		"item network Ask for a lease again\n"
		"item shell Shell of iPXE\n"
		"item exit Next boot device\n"
		"item reboot Reboot\n"
		"choose --default node --timeout 120000 choice || goto choice_node\n"
		"goto choice_${choice} || goto menu\n");
	for (size_t i = 0; i < s->n_groups; i++)
		if (group_boots(s, &s->groups[i]))
			text_printf(t, ":choice_group-%s\nset path group/%s.ipxe\ngoto servers\n",
				s->groups[i].name, s->groups[i].name);
	text_put(t,
		":choice_node\n"
		"set path node/${id}.ipxe\n"
		"goto servers\n"
		":choice_network\n"
		"set goes:int32 0\n"
		"ifclose ||\n"
		"goto network\n"
		":choice_shell\n"
		"shell ||\n"
		"goto menu\n"
		":choice_exit\n"
		"exit 0\n"
		":choice_reboot\n"
		"goto reboot\n");
}

static void render_entry(const struct site *s, struct tree *t)
{
	_cleanup_text_ struct text out = {0};

	text_put(&out, "#!ipxe\n");
	put_head(&out, s, "#", "Entry script");
	text_printf(&out, "\necho\necho initagent [1 entry] site %s, iPXE ${version} ${platform}\n",
		s->name.text);
	put_network(&out, &s->boot);
	put_identity(&out, &s->boot);
	put_servers(&out, s);
	put_end(&out, &s->boot);
	put_menu(&out, s);
	tree_file(t, "http/boot.ipxe", out.data, out.len);
	tree_link(t, "tftp/boot.ipxe", "http/boot.ipxe");
	if (!site_any_loader(s))
		return;
	/* iPXE 2 looks for this name beside itself; then the script's wait for a lease applies. */
	tree_link(t, "tftp/autoexec.ipxe", "http/boot.ipxe");
	tree_link(t, "http/loaders/autoexec.ipxe", "http/boot.ipxe");
}

/* What a script boots: an image with a command line, for a name in messages. */
struct target {
	const struct site *site;
	const struct site_image *image;
	const char *name;
	const char *arguments;
};

static void put_verify(struct text *t, const struct target *g, size_t k)
{
	const struct site_image *m = g->image;
	char name[INITRD_NAME_SIZE];
	bool may = m->signing.text && streq(m->signing.text, "try");

	if (!image_is_signed(m))
		return;
	text_printf(t,
		"imgtrust --allow && goto verify_%zu ||\n"
		"echo initagent [6 verify] %sthis iPXE cannot verify signatures%s\n"
		"goto %s_%zu\n"
		":verify_%zu\n"
		"echo initagent [6 verify] %s\n"
		"imgverify kernel ${server}/images/%s/kernel.sig || goto bad_%zu\n",
		k, may ? "" : "REFUSED: ", may ? "; continuing "
			"without" : "", may ? "boot" : "failed",
		k, k, m->name, m->name, k);
	for (size_t i = 0; i < m->initrds.n; i++) {
		initrd_name(name, m, i);
		text_printf(t, "imgverify %s ${server}/images/%s/%s.sig || goto bad_%zu\n", name,
			m->name, name, k);
	}
	text_printf(t,
		"goto boot_%zu\n:bad_%zu\necho initagent [6 verify] WRONG SIGNATURE of %s from "
		"${server}\ngoto failed_%zu\n",
		k, k, m->name, k);
}

static void put_fetch(struct text *t, const struct target *g, size_t k)
{
	const struct site_image *m = g->image;
	uint32_t ms = g->site->boot.timeout_s.value * 1000;
	char name[INITRD_NAME_SIZE];

	text_printf(t, "kernel --timeout %u --name kernel ${server}/images/%s/kernel", ms, m->name);
	for (size_t i = 0; i < m->initrds.n; i++)
		text_printf(t, " initrd=%s", initrd_name(name, m, i));
	text_printf(t, " %s || goto no_file_%zu\n", g->arguments, k);
	for (size_t i = 0; i < m->initrds.n; i++) {
		initrd_name(name, m, i);
		text_printf(t,
			"initrd --timeout %u --name %s ${server}/images/%s/%s || goto "
			"no_file_%zu\n",
			ms, name, m->name, name, k);
	}
}

/* One server's go; label failed_K is what follows. */
static void put_attempt(struct text *t, const struct target *g, size_t k)
{
	const char *name = g->image->name;

	text_printf(t, "echo initagent [5 image] %s: %s from ${server}\n", g->name, name);
	put_fetch(t, g, k);
	put_verify(t, g, k);
	text_printf(t,
		":boot_%zu\n"
		"echo initagent [7 kernel] %s: starting %s\n"
		"boot ||\n"
		"echo initagent [7 kernel] %s: %s DID NOT START\n"
		"goto failed_%zu\n"
		":no_file_%zu\n"
		"echo initagent [5 image] %s: NO IMAGE %s from ${server}\n"
		":failed_%zu\n"
		"imgfree kernel ||\n",
		k, g->name, name, g->name, name, k, k, g->name, name, k);
}

static void put_free(struct text *t, const struct site_image *m)
{
	char name[INITRD_NAME_SIZE];

	for (size_t i = 0; i < m->initrds.n; i++)
		text_printf(t, "imgfree %s ||\n", initrd_name(name, m, i));
}

static void put_target(struct text *t, const struct target *g)
{
	const struct reference_list *servers = &g->image->servers;
	const struct site *s = g->site;

	text_printf(t, "isset ${server} || set server %s\n",
		server_url(&s->servers[s->boot.servers.items[0].index]));
	/* without servers of its own the image comes from the one that is set */
	for (size_t k = 0; k == 0 || k < servers->n; k++) {
		if (servers->n)
			text_printf(t, "set server %s\n",
				server_url(&s->servers[servers->items[k].index]));
		put_attempt(t, g, k);
		put_free(t, g->image);
	}
	text_put(t, "exit 1\n");
}

/* What a whole site's scripts share, so that ten thousand of them allocate nothing. */
struct scripts {
	struct site *s;
	struct tree *t;
	struct line line;
	struct text out;
};

static void begin_script(struct scripts *c, const char *what)
{
	text_clear(&c->out);
	text_put(&c->out, "#!ipxe\n");
	put_head(&c->out, c->s, "#", what);
}

static const char *port_path(char buf[static 64], const uint8_t *id, size_t n)
{
	char hex[2 * 8 + 1];

	snprintf(buf, 64, "http/node/%s.ipxe", hex_text(hex, sizeof(hex), id, n, ""));
	return buf;
}

/* The same script under each name by which a boot ROM may know the port. */
static void add_port(struct scripts *c, const struct site_port *p)
{
	char path[64], other[64];
	uint8_t lemac[6];

	port_path(path, p->has_guid ? p->guid : p->mac, p->has_guid ? 8 : 6);
	tree_file(c->t, path, c->out.data, c->out.len);
	if (!p->has_guid)
		return;
	identity_lemac(p->guid, lemac);
	tree_link(c->t, port_path(other, lemac, 6), path);
	if (p->has_mac && memcmp(lemac, p->mac, 6) != 0)
		tree_link(c->t, port_path(other, p->mac, 6), path);
	/* Of this vendor prefix FlexBoot makes a local address (ipoib_mlx_eth_addr()). */
	lemac[0] |= 2;
	if (!p->has_mac && memcmp(lemac, "\2\2\xc9", 3) == 0)
		tree_link(c->t, port_path(other, lemac, 6), path);
}

static void render_port(struct scripts *c, const struct site_node *n, const struct site_port *p)
{
	struct target g = {.site = c->s, .image = profile_image(c->s, n, NULL), .name = n->name};

	line_clear(&c->line);
	line_add_profile(&c->line, c->s, n, NULL);
	line_add_port(&c->line, c->s, n, p);
	line_put_request(&c->line.text, &c->line, IPXE_ADDRESS);
	g.arguments = c->line.text.data;
	begin_script(c, n->name);
	put_target(&c->out, &g);
	add_port(c, p);
}

static void put_group(struct scripts *c, const struct site_group *group)
{
	_cleanup_text_ struct text arguments = {0};
	struct target g = {
		.site = c->s, .image = profile_image(c->s, NULL, group), .name = group->name};

	line_clear(&c->line);
	line_add_profile(&c->line, c->s, NULL, group);
	text_put(&arguments, c->line.text.data);
	if (!line_has(&c->line, "BOOTIF"))
		text_put(&arguments, " BOOTIF=${bootif}");
	line_put_request(&arguments, &c->line, IPXE_ADDRESS);
	g.arguments = arguments.data;
	put_target(&c->out, &g);
}

static void render_group(struct scripts *c, const struct site_group *group)
{
	begin_script(c, group->name);
	put_group(c, group);
	tree_text(c->t, &c->out, "http/group/%s.ipxe", group->name);
}

static void render_default(struct scripts *c)
{
	size_t unknown = c->s->boot.unknown.index;

	begin_script(c, "Unknown nodes");
	text_put(&c->out, "echo initagent [4 script] ${id} IS NOT IN THE SITE FILE\n");
	if (unknown != SITE_NONE)
		put_group(c, &c->s->groups[unknown]);
	else
		text_put(&c->out, "set why ${id} is not in the site file; boot: unknown: GROUP "
				  "would boot it\nexit 1\n");
	tree_text(c->t, &c->out, "http/default.ipxe");
}

void render_scripts(struct site *s, struct tree *t)
{
	struct scripts c = {.s = s, .t = t};

	render_entry(s, t);
	render_default(&c);
	for (size_t i = 0; i < s->n_groups; i++)
		if (group_boots(s, &s->groups[i]))
			render_group(&c, &s->groups[i]);
	for (size_t i = 0; i < s->n_nodes; i++)
		for (size_t k = 0; k < s->nodes[i].n_ports; k++)
			render_port(&c, &s->nodes[i], &s->nodes[i].ports[k]);
	line_done(&c.line);
	text_done(&c.out);
}
