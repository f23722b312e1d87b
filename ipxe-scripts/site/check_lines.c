// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check_lines: every command line is read by the agent's own parser, as the node will read it.
 * Nodes that share their words share the verdict: a site of 10,000 nodes has a handful of different
 * lines.
 */
#include "plan.h"
#include "site/private.h"
#include "site/line.h"
#include "site/names.h"

struct check {
	const struct site *s;
	struct faults *report;
	struct names *seen;
	struct arena *arena;
	struct line line;
	struct text key;
};

/* Who boots with the line: a node, or a group on behalf of unknown nodes and the menu. */
struct subject {
	const struct site_node *node;
	const struct site_group *group;
	const char *name;
	struct place at;
};

static bool has_fabric(const struct check *c, const struct site_node *n, unsigned int fabrics)
{
	for (size_t i = 0; i < n->n_ports; i++)
		/* which is reported where it cannot be known */
		if (n->ports[i].network == SITE_NONE ||
			fabrics & 1U << c->s->networks[n->ports[i].network].fabric)
			return true;
	return false;
}

static bool has_guid(const struct site_node *n, const struct hw_addr *guid)
{
	for (size_t i = 0; i < n->n_ports; i++)
		if (n->ports[i].has_guid && guid->len >= 8 &&
			memcmp(n->ports[i].guid, guid->bytes + guid->len - 8, 8) == 0)
			return true;
	return false;
}

/* Can the node reach this address: its network, or through a router? */
static bool reaches(const struct check *c, const struct site_node *n, uint32_t addr)
{
	for (size_t i = 0; i < n->n_ports; i++) {
		const struct site_network *net;

		if (n->ports[i].network == SITE_NONE)
			return true;
		net = &c->s->networks[n->ports[i].network];
		if (net->router.at.line || site_inside(net, addr))
			return true;
	}
	return false;
}

static struct place option_place(
	const struct check *c, const struct boot_plan *p, enum option_id id, struct place otherwise)
{
	for (size_t i = 0; i < p->n_words; i++)
		if (p->words[i].row && p->words[i].row->id == id) {
			struct place at = line_place(&c->line, p->words[i].pos);

			return at.line ? at : otherwise;
		}
	return otherwise;
}

/* The IPv4 address in http://ADDRESS[:PORT]/...; 0 if there is a name. */
static uint32_t url_addr(const char *url)
{
	const char *host = strstr(url, "://");
	uint32_t addr = 0;

	if (host)
		read_addr(host + 3, strcspn(host + 3, ":/"), &addr);
	return addr;
}

static uint32_t root_addr(const struct boot_plan *p)
{
	const struct plan_nfs *nfs = &p->root.nfs;

	if (p->root.kind == PLAN_ROOT_NFS && nfs->n_servers &&
		nfs->servers[0].addr.family == AF_INET)
		return ntohl(nfs->servers[0].addr.v4.s_addr);
	if (p->root.kind == PLAN_ROOT_LIVE && p->root.image.url)
		return url_addr(p->root.image.url);
	return 0;
}

static void check_root(const struct check *c, const struct subject *who, const struct boot_plan *p)
{
	struct place at = option_place(c, p, OPTION_ROOT, who->at);
	uint32_t addr = root_addr(p);

	if (addr && !reaches(c, who->node, addr))
		error_at(c->report, at,
			"give the network a router:, the node a port there, or the server an "
			"address here",
			"%s cannot reach the root's server %s: it is in none of its networks, and "
			"they have no router",
			who->name, addr_text(addr));
	if (p->root.kind == PLAN_ROOT_NFS && p->root.nfs.proto == PLAN_NFS_PROTO_RDMA &&
		!p->net.n_rdma_links &&
		!has_fabric(c, who->node, 1U << FABRIC_INFINIBAND | 1U << FABRIC_ROCE))
		error_at(c->report, at,
			"fabric: roce for its network if its adapter does RoCE, a port with guid:, "
			"rd.rdma.link= for Soft-RoCE, or a root without proto=rdma",
			"%s has no RDMA port for its root over RDMA", who->name);
}

static void check_infiniband(
	const struct check *c, const struct subject *who, const struct boot_plan *p)
{
	for (size_t i = 0; i < p->ib.n_guids; i++)
		if (!has_guid(who->node, &p->ib.guids[i]))
			error_at(c->report, option_place(c, p, OPTION_RD_IB_GUID, who->at),
				"leave rd.ib.guid= to BOOTIF=, or say it for the node alone",
				"%s has no port with that GUID, and would use none", who->name);
	if (has_fabric(c, who->node, 1U << FABRIC_INFINIBAND))
		return;
	for (size_t i = 0; i < p->net.n_ips; i++)
		if (p->net.ips[i].ifname &&
			plan_is_ipoib(p->net.ifnames, p->net.n_ifnames, p->net.ips[i].ifname))
			error_at(c->report, option_place(c, p, OPTION_IP, who->at),
				"give the node a port with guid:, or name another interface",
				"%s waits for %s, but has no InfiniBand port", who->name,
				p->net.ips[i].ifname);
	if (p->ib.n_pkeys)
		error_at(c->report, option_place(c, p, OPTION_RD_IB_PKEY, who->at),
			"give the node a port with guid:",
			"%s is to use a partition, but has no InfiniBand port", who->name);
}

/* A later profile may replace an option: what is said about the earlier one is not meant here. */
static bool is_replaced(const struct check *c, const struct boot_plan *p, const struct diag *d)
{
	for (size_t i = 0; d->option && i < p->n_words; i++) {
		const struct plan_word *w = &p->words[i];

		if (w->pos == d->word)
			return w->by && !line_same_owner(&c->line, w->pos, w->by->pos);
	}
	return false;
}

static void report_diag(const struct check *c, const struct subject *who,
	const struct boot_plan *p, const struct diag *d)
{
	struct place at = d->option ? line_place(&c->line, d->pos) : (struct place){0};

	if (d->severity != DIAG_NOTE && !(d->severity == DIAG_WARN && is_replaced(c, p, d)))
		faults_add(c->report, d->severity == DIAG_WARN ? SEVERITY_WARNING : SEVERITY_ERROR,
			at.line ? at : who->at, d->remedy, "%s%s: %s",
			d->option ? "" : "command line of ", d->option ? d->option : who->name,
			d->text);
}

static bool image_refused(const struct site_profile *p)
{
	return p->image.name.at.line && p->image.index == SITE_NONE;
}

static bool root_refused(const struct site_profile *p)
{
	return p->root.at.line && !p->root.text;
}

/* It, or a group, was given but not understood: reported there, not for each node. */
static bool unclear(const struct site *s, const struct subject *who,
	bool (*refused)(const struct site_profile *p))
{
	const struct reference_list *groups =
		who->node ? &who->node->groups : &(struct reference_list){0};

	for (size_t i = 0; i < groups->n; i++)
		if (groups->items[i].index == SITE_NONE ||
			refused(&s->groups[groups->items[i].index].profile))
			return true;
	return refused(&s->defaults) || (who->group && refused(&who->group->profile)) ||
	       (who->node && refused(&who->node->profile));
}

static void check_plan(const struct check *c, const struct subject *who)
{
	_cleanup_(diag_list_freep) struct diag_list *diags = NULL;
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;

	if (diag_list_new(&diags) < 0 ||
		plan_parse(&plan, c->line.text.data ? c->line.text.data : "", c->line.text.len,
			diags) < 0)
		must(NULL);
	for (size_t i = 0; i < diag_list_count(diags); i++)
		report_diag(c, who, plan, diag_list_at(diags, i));
	/* a note for a fragment, but what is rendered here is a whole line */
	if (plan->fatal && diag_list_worst(diags) < DIAG_FATAL &&
		!unclear(c->s, who, root_refused))
		error_at(c->report, who->at,
			"root: in its entry, its group or in defaults:", "%s has no root",
			who->name);
	if (!who->node)
		return;
	check_root(c, who, plan);
	check_infiniband(c, who, plan);
}

/* The verdict depends on the words, the ports' networks, and which ports are InfiniBand's. */
static bool seen_before(struct check *c, const struct subject *who)
{
	const struct site_node *n = who->node;

	text_clear(&c->key);
	text_put(&c->key, c->line.text.data ? c->line.text.data : "");
	for (size_t i = 0; n && i < n->n_ports; i++)
		text_printf(
			&c->key, " %zu%c", n->ports[i].network, n->ports[i].has_guid ? 'g' : 'm');
	/* rd.ib.guid= is right for one node only. */
	if (n && line_has(&c->line, "rd.ib.guid"))
		text_put(&c->key, n->name);
	return names_add(c->seen, must(arena_text(c->arena, c->key.data, c->key.len)), 0) !=
	       NAMES_NONE;
}

/* With what the script adds, the longest that it may be; iPXE under UEFI begins the line with the
 * kernel's name. */
static void check_length(
	const struct check *c, const struct subject *who, const struct site_image *image)
{
	size_t len = c->line.text.len + strlen("kernel  rd.net.dhcp.request=255.255.255.255");
	char name[INITRD_NAME_SIZE];

	for (size_t i = 0; image && i < image->initrds.n; i++)
		len += strlen("initrd= ") + strlen(initrd_name(name, image, i));
	if (!who->node)
		len += strlen(" BOOTIF=20-00-00-00-00-00-00-00-00");
	if (len > LINE_MAX_BYTES)
		error_at(c->report, who->at, "the kernel cuts the rest off; shorten the options",
			"the command line of %s has %zu bytes, at most %d", who->name, len,
			LINE_MAX_BYTES);
}

static void check_subject(struct check *c, const struct subject *who)
{
	const struct site_image *image = profile_image(c->s, who->node, who->group);
	bool seen;

	if (!image && !unclear(c->s, who, image_refused))
		error_at(c->report, who->at,
			"image: in its entry, its group or in defaults:", "%s has no image",
			who->name);
	/* for each of its nodes the same text at the same place, which is printed once */
	if (image && !image->kernel.at.line && image->uki.at.line)
		error_at(c->report, image->at, "kernel: and initrd: beside the UKI, for iPXE",
			"image %s has no kernel, which the nodes that boot it need", image->name);
	line_clear(&c->line);
	line_add_profile(&c->line, c->s, who->node, who->group);
	seen = seen_before(c, who);
	if (who->node && who->node->n_ports)
		line_add_port(&c->line, c->s, who->node, &who->node->ports[0]);
	check_length(c, who, image);
	if (!seen)
		check_plan(c, who);
}

/* A group may give only a part of what its nodes need; then no node boots as the group. */
static void check_group(struct check *c, size_t i)
{
	const struct site_group *g = &c->s->groups[i];

	if (group_boots(c->s, g))
		check_subject(c, &(struct subject){NULL, g, g->name, g->at});
	else if (c->s->boot.unknown.index == i &&
		 !unclear(c->s, &(struct subject){.group = g}, image_refused) &&
		 !unclear(c->s, &(struct subject){.group = g}, root_refused))
		error_at(c->report, c->s->boot.unknown.name.at,
			"image: and root: in the group or in defaults:",
			"unknown nodes cannot boot as group %s: it lacks image or root", g->name);
}

void check_lines(const struct site *s, struct faults *report)
{
	struct check c = {.s = s, .report = report, .seen = names_new(), .arena = must_arena()};

	for (size_t i = 0; i < s->n_groups; i++)
		check_group(&c, i);
	for (size_t i = 0; i < s->n_nodes; i++)
		check_subject(&c,
			&(struct subject){&s->nodes[i], NULL, s->nodes[i].name, s->nodes[i].at});
	line_done(&c.line);
	text_done(&c.key);
	names_free(c.seen);
	arena_free(c.arena);
}
