// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target: the root and its server. Knows the server's address, makes sure its neighbour entry is
 * there (RDMA-CM may stall 5 s without), and lets the root room mount once modules, address and port
 * are ready.
 */
#include "boot_private.h"

#define RESOLVE_LIMIT (10 * NSEC_PER_SEC)
#define PROBE_LIMIT   (4 * NSEC_PER_SEC)
#define RETRY_AFTER   NSEC_PER_SEC
/* A mount that fails for longer gives the next rail its turn; sooner, the server may only just be starting. */
#define WAY_PATIENCE  (2 * NSEC_PER_SEC)
/* Where dracut and the kernel look when the path is left to a root=/dev/nfs default. */
#define LEGACY_PATH "/tftpboot/%s"

static const char *const state_names[TARGET_STATE_MAX] = {
	[TARGET_UNKNOWN] = "unknown",
	[TARGET_RESOLVING] = "resolving",
	[TARGET_PROBING] = "probing",
	[TARGET_NEAR] = "near",
	[TARGET_MOUNTING] = "mounting",
};

/* Nothing is due in the new state: one that looks again by the clock says so behind. */
static void set_state(struct boot *b, enum target_state to, uint64_t now)
{
	struct target *t = &b->target;

	if (t->state != to)
		report_state(b->report, "target", t->server, state_names[t->state], state_names[to], now);
	t->state = to;
	t->retry = NSEC_NEVER;
}

void target_done(struct target *t)
{
	root_spec_freep(&t->spec);
}

void target_forget(struct boot *b)
{
	target_done(&b->target);
	b->target.nfs = b->plan->root.kind == PLAN_ROOT_NFS ? &b->plan->root.nfs : NULL;
	b->target.image = b->plan->root.kind == PLAN_ROOT_LIVE ? &b->plan->root.image : NULL;
	b->target.block = b->plan->root.kind == PLAN_ROOT_REMOTE ? &b->plan->root.block : NULL;
}

/* The rail's lease, if it has an address. */
static const struct address_result *result_of(const struct boot *b, const struct rail *rail)
{
	return rail->configured ? addresses_result(b->addresses, rail->ifindex) : NULL;
}

/* Is rail the one that is asked first? */
static bool preferred(const struct boot *b, const struct rail *rail)
{
	return b->plan->net.bootdev && streq(rail->name, b->plan->net.bootdev);
}

/*
 * The rail whose lease names server and path: bootdev= if it has an address, then the others in
 * turn, each time one of them has led nowhere.
 */
static const struct address_result *turn_result(const struct boot *b, const struct rail **ret)
{
	const struct rail *order[RAILS_MAX];
	size_t n = 0;

	for (int first = 1; first >= 0; first--)
		for (size_t i = 0; i < b->n_rails; i++)
			if (preferred(b, &b->rails[i]) == first && result_of(b, &b->rails[i]))
				order[n++] = &b->rails[i];
	if (!n)
		return NULL;
	*ret = order[b->target.turn % n];
	return result_of(b, *ret);
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/*
 * The boot file may stand for a root-path, which DHCPv6 does not have: a URL of an NFS root (nfs://SERVER/PATH) or of
 * an image. A boot loader's own file (a script) is told by its content later.
 */
static const char *root_path(const struct address_result *a)
{
	const char *file = a->boot_file;

	if (*a->root_path)
		return a->root_path;
	if (begins(file, "http://") || begins(file, "https://") || begins(file, "live:"))
		return file;
	return a->method == ADDRESS_DHCP6 && begins(file, "nfs:") ? file : "";
}

/* What DHCP's root-path says, where the command line leaves it open. */
static int take_root_path(struct boot *b, const struct address_result *a, uint64_t now)
{
	const char *text = root_path(a);
	struct target *t = &b->target;
	int r;

	if (t->image || t->block || (t->nfs && t->nfs->path))
		return 0;
	if (!*text)
		return b->plan->root.legacy_nfs ? 0 : -ENODATA;
	root_spec_freep(&t->spec);
	r = root_spec_parse(&t->spec, b->plan, text, strlen(text), NULL);
	if (r < 0)
		return r;
	t->nfs = t->spec->kind == PLAN_ROOT_NFS ? &t->spec->nfs : NULL;
	t->image = t->spec->kind == PLAN_ROOT_LIVE ? &t->spec->image : NULL;
	t->block = t->spec->kind == PLAN_ROOT_REMOTE ? &t->spec->block : NULL;
	report_log(b->report, REPORT_INFO, "root", now, "root-path from DHCP: %s", text);
	return 0;
}

static bool given(const struct inet_addr *a)
{
	return a->family != AF_UNSPEC;
}

/* dracut's order: ip= peer, next-server, server-id. */
static const struct inet_addr *implied_server(const struct rail *rail, const struct address_result *a)
{
	if (rail->ip && given(&rail->ip->peer))
		return &rail->ip->peer;
	if (given(&a->next_server))
		return &a->next_server;
	return given(&a->server_id) ? &a->server_id : NULL;
}

/* "%s" in the path is the host name, or the address where there is no name. */
static int expand_path(struct boot *b, const struct address_result *a)
{
	struct target *t = &b->target;
	const char *path = t->nfs && t->nfs->path ? t->nfs->path : LEGACY_PATH;
	const char *name = b->plan->net.hostname ? b->plan->net.hostname : a->hostname;
	bool host = !t->nfs || !t->nfs->path || t->nfs->path_host;
	const char *at = host ? strstr(path, "%s") : NULL;
	char addr[INET_ADDR_TEXT];
	int n;

	if (!*name)
		name = inet_text(&a->addr, addr);
	if (at)
		n = snprintf(t->path, sizeof(t->path), "%.*s%s%s", (int)(at - path), path, name, at + 2);
	else
		n = snprintf(t->path, sizeof(t->path), "%s", path);
	return n < 0 || (size_t)n >= sizeof(t->path) ? -ENAMETOOLONG : 0;
}

const struct plan_portal *target_portal(const struct boot *b)
{
	const struct plan_block *block = b->target.block;

	return block && block->n_portals ? &block->portals[b->target.portal % block->n_portals] : NULL;
}

static int take_server(struct boot *b, const struct rail *rail, const struct address_result *a)
{
	const struct plan_portal *portal = target_portal(b);
	struct target *t = &b->target;
	const struct inet_addr *implied;

	t->addr = (struct inet_addr){0};
	if (portal) {
		t->addr = portal->addr;
		return strscpy(t->server, portal->server, sizeof(t->server)) < 0 ? -ENAMETOOLONG : 0;
	}
	if (t->nfs && t->nfs->server) {
		t->addr = t->nfs->server_addr;
		return strscpy(t->server, t->nfs->server, sizeof(t->server)) < 0 ? -ENAMETOOLONG : 0;
	}
	implied = implied_server(rail, a);
	if (!implied)
		return -ENODATA;
	t->addr = *implied;
	inet_text(implied, t->server);
	return 0;
}

/* Is the server's an IPv6 address, and any rail still to get one? IPv4's is often there long before. */
static bool ipv6_awaited(const struct boot *b)
{
	for (size_t i = 0; i < b->n_rails && b->target.addr.family == AF_INET6; i++)
		if (addresses_awaited(b->addresses, b->rails[i].ifindex, AF_INET6))
			return true;
	return false;
}

/* The rail a packet to the server would take; NULL while there is none. */
static struct rail *carrier_rail(struct boot *b)
{
	struct link_route way;

	if (links_lookup(b->links, &b->target.addr, &way) < 0)
		return NULL;
	return rails_find(b, way.ifindex);
}

static void probe(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;
	int r = links_probe(b->links, &t->addr, PROBE_LIMIT, now);
	enum cause cause = r == -ENETUNREACH ? CAUSE_NO_ROUTE : CAUSE_ROOT_UNREACHABLE;
	char text[REPORT_TEXT_MAX];

	set_state(b, TARGET_PROBING, now);
	if (r >= 0) {
		report_wait(b->report, CAUSE_ROOT_UNREACHABLE, "root", now, "waiting for an answer of %s on the link", t->server);
		return;
	}
	t->retry = now + RETRY_AFTER;
	/* While the address is on its way, so is the way. */
	if (cause == CAUSE_NO_ROUTE)
		rail_no_route_text(b, text, sizeof(text));
	if (!ipv6_awaited(b))
		report_cause(b->report, cause, t->server, now, "%s", cause == CAUSE_NO_ROUTE ? text : strerror(-r));
	report_wait(b->report, cause, "root", now, "waiting for a route to %s", t->server);
}

static void resolve(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;
	int r = addresses_resolve(b->addresses, t->server, RESOLVE_LIMIT, now);

	/* Whoever's was under way before is dropped. */
	b->lookup = r < 0 ? LOOKUP_NONE : LOOKUP_TARGET;
	set_state(b, TARGET_RESOLVING, now);
	report_wait(b->report, CAUSE_ROOT_RESOLVE, "root", now, "waiting for the address of %s", t->server);
	if (r < 0) {
		t->retry = now + RETRY_AFTER;
		report_cause(b->report, CAUSE_ROOT_RESOLVE, t->server, now, "%s", strerror(-r));
	}
}

/* A rail has its address: find out whom to mount from. */
static void identify(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;
	const struct rail *rail = NULL;
	const struct address_result *a = turn_result(b, &rail);
	int r;

	t->retry = NSEC_NEVER;
	if (!a)
		return;
	r = take_root_path(b, a, now);
	if (!target_may_be(b, r, rail->name, now))
		return;
	if (r >= 0 && t->image) {
		target_web_named(b);
		set_state(b, TARGET_NEAR, now);
		return;
	}
	if (r >= 0 && t->block)
		target_block_named(b);
	if (r >= 0 && t->block && !target_portal(b)) {
		set_state(b, TARGET_NEAR, now);
		return;
	}
	if (r >= 0)
		r = take_server(b, rail, a);
	if (r >= 0 && !t->block)
		r = expand_path(b, a);
	if (r < 0) {
		boot_fail(b, CAUSE_CMDLINE_NO_ROOT, rail->name, now,
			"neither the command line nor DHCP names the root: an NFS server and path, a URL or a block device");
		return;
	}
	if (given(&t->addr))
		probe(b, now);
	else
		resolve(b, now);
}

void target_resolved(struct boot *b, const struct address_event *ev, uint64_t now)
{
	struct target *t = &b->target;

	if (t->image)
		target_web_resolved(b, ev, now);
	if (t->state != TARGET_RESOLVING)
		return;
	if (given(&ev->addr)) {
		t->addr = ev->addr;
		probe(b, now);
		return;
	}
	report_cause(b->report, ev->cause ? ev->cause : CAUSE_ROOT_RESOLVE, t->server, now, "%s", ev->text);
	t->retry = now + RETRY_AFTER;
}

void target_network_changed(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;

	if (t->retry != NSEC_NEVER && (t->state == TARGET_PROBING || t->state == TARGET_RESOLVING))
		t->retry = now;
}

/* On another rail they may be others. */
void target_begin_again(struct boot *b, uint64_t now)
{
	b->root = root_free(b->root);
	b->block = block_free(b->block);
	b->root_watched = -1;
	target_forget(b);
	b->target.ifindex = 0;
	set_state(b, TARGET_UNKNOWN, now);
	b->target.retry = now;
}

/* The way over this rail, NULL: no rail's, led nowhere: the next one's turn. */
static void next_way(struct boot *b, struct rail *rail, uint64_t now)
{
	if (rail && rails_other_ready(b, rail))
		rails_step_back(b, rail, now);
	b->target.turn++;
	rails_next(b, now);
	target_begin_again(b, now);
}

void target_rail_lost(struct boot *b, const struct rail *rail, uint64_t now)
{
	struct target *t = &b->target;

	if (b->finished || b->root_up)
		return;
	if (t->state == TARGET_PROBING || t->state == TARGET_NEAR)
		target_begin_again(b, now);
	else if (t->state == TARGET_MOUNTING && rail->ifindex == t->ifindex && rails_other_ready(b, rail))
		target_begin_again(b, now);
}

void target_neighbour(struct boot *b, const struct link_event *ev, uint64_t now)
{
	struct target *t = &b->target;
	char text[REPORT_TEXT_MAX];

	if (t->state != TARGET_PROBING || !inet_equal(&ev->addr, &t->addr))
		return;
	if (ev->type == LINK_NEIGH_REACHABLE) {
		report_wait(b->report, CAUSE_NONE, "root", now, "%s", "");
		set_state(b, TARGET_NEAR, now);
		return;
	}
	rail_way_text(b, &t->addr, text, sizeof(text));
	rail_blame(b, carrier_rail(b), CAUSE_ROOT_UNREACHABLE, t->server, now, text);
	next_way(b, carrier_rail(b), now);
}

static const struct {
	unsigned bit;
	enum nfs_version version;
} version_order[] = {
	{PLAN_NFS_V42, NFS_VERSION_42},
	{PLAN_NFS_V41, NFS_VERSION_41},
	{PLAN_NFS_V40, NFS_VERSION_40},
	{PLAN_NFS_V3, NFS_VERSION_3},
};

static void fill_versions(struct root_config *cfg, unsigned bits)
{
	for (size_t i = 0; i < ARRAY_SIZE(version_order); i++)
		if (bits & version_order[i].bit)
			cfg->versions[cfg->n_versions++] = version_order[i].version;
}

/* A link-local address with its interface (net/sunrpc/addr.c; inet_pton_with_scope() does the same for others). */
const char *target_address_text(struct boot *b, char text[static INET_ADDR_TEXT + IFNAMSIZ])
{
	const struct inet_addr *a = &b->target.addr;
	const struct rail *rail = carrier_rail(b);
	size_t len;

	inet_text(a, text);
	len = strlen(text);
	if (a->family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&a->v6) && rail)
		snprintf(text + len, INET_ADDR_TEXT + IFNAMSIZ - len, "%%%s", rail->name);
	return text;
}

static int make_root(struct boot *b)
{
	static const struct plan_nfs defaults = {.versions = PLAN_NFS_V4ANY | PLAN_NFS_V3, .options = ""};
	const struct target *t = &b->target;
	const struct plan_nfs *nfs = t->nfs ? t->nfs : &defaults;
	bool rdma = nfs->proto == PLAN_NFS_PROTO_RDMA && !t->no_rdma;
	char addr[INET_ADDR_TEXT + IFNAMSIZ];
	struct root_config cfg = {
		.target = b->args->sysroot,
		.server = t->server,
		.address = target_address_text(b, addr),
		.ipv6 = t->addr.family == AF_INET6,
		.path = t->path,
		.options = nfs->options,
		.proto = rdma ? NFS_PROTO_RDMA : NFS_PROTO_TCP,
		.fallback_tcp = nfs->fallback_tcp,
		.port = t->no_rdma ? 0 : nfs->port,
		.readonly = !(t->spec ? t->spec->rw : b->plan->root.rw),
		.overlay = b->plan->root.image.overlay.asked ? &b->plan->root.image.overlay : NULL,
		.nolock = nfs->nolock,
		.mount_flags = nfs->mount_flags,
		.init = b->plan->given[OPTION_INIT] ? b->plan->init : NULL,
		.ops = b->args->seams.root,
	};

	fill_versions(&cfg, nfs->versions);
	return root_new(&b->root, &b->env, &cfg);
}

/* The server has to tell this node from the others before the first NFSv4 call. */
static void name_owner(struct boot *b, const struct rail *rail, uint64_t now)
{
	const struct netdev *dev = rail ? links_by_index(b->links, rail->ifindex) : NULL;
	int r = dev ? owner_set(&b->env, &dev->hw) : 0;

	if (r < 0)
		report_log(b->report, REPORT_WARN, "root", now,
			"nfs4_unique_id cannot be set (%s): NFSv4 servers tell nodes by host name only", strerror(-r));
}

static void mount_begin(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;
	char what[NFS_TEXT_MAX];
	const struct rail *rail = carrier_rail(b);
	int r;

	if (rail)
		rail_set_roce(b, rail, now);
	name_owner(b, rail, now);
	r = make_root(b);
	if (r >= 0)
		r = root_start(b->root, now);
	if (r < 0) {
		boot_fail(b, CAUSE_ROOT_MOUNT_FAILED, t->server, now, strerror(-r));
		return;
	}
	t->began = now;
	t->ifindex = rail ? rail->ifindex : 0;
	root_describe(b->root, what, sizeof(what));
	report_wait(b->report, CAUSE_ROOT_UNREACHABLE, "root", now, "waiting for the mount of %s", what);
	target_mounting(b, now);
}

/* A mount may take long: whoever looks meanwhile sees the boot up to here. And what writes it has been run once. */
void target_mounting(struct boot *b, uint64_t now)
{
	set_state(b, TARGET_MOUNTING, now);
	(void)summary_write(b, "running", now);
}

void target_up(struct boot *b, uint64_t now)
{
	report_wait(b->report, CAUSE_NONE, "root", now, "%s", "");
	addresses_keep(b->addresses);
	b->outcome = BOOT_DONE;
	b->root_up = now;
}

static void mounted(struct boot *b, uint64_t now)
{
	const struct root_result *r = root_result(b->root);
	char port[16] = "", source[NFS_SOURCE_MAX] = "";

	nfs_source(source, sizeof(source), r->server, r->path);
	if (r->port)
		snprintf(port, sizeof(port), " port %u", r->port);
	report_log(b->report, REPORT_INFO, "root", now, "%s mounted, NFS %s over %s%s%s%s", source,
		nfs_version_name(r->version), nfs_proto_name(r->proto), port,
		r->fell_back ? ", fallen back from RDMA" : "", r->overlay ? ", under a writable layer" : "");
	target_up(b, now);
}

enum cause target_failure(struct boot *b, const char **ret_text)
{
	if (b->target.state != TARGET_MOUNTING)
		return CAUSE_NONE;
	if (b->block)
		return block_failure(b->block, ret_text);
	return b->web ? target_web_failure(b, ret_text) : b->root ? root_failure(b->root, ret_text) : CAUSE_NONE;
}

/* The root room tries again by itself; after a while another rail, if one is ready, may do better. */
static void attempt_failed(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;
	struct rail *rail = rails_find(b, t->ifindex);
	const char *text;
	enum cause cause = root_failure(b->root, &text);

	if (cause == CAUSE_ROOT_UNREACHABLE || cause == CAUSE_ROOT_NO_RDMA)
		rail_blame(b, rail, cause, t->server, now, text);
	else
		report_cause(b->report, cause, t->server, now, "%s", text);
	report_wait(b->report, cause, "root", now, "%s, trying again", text);
	if (rail && now - t->began >= WAY_PATIENCE && rails_other_ready(b, rail))
		next_way(b, rail, now);
}

static void root_step(struct boot *b, uint64_t now)
{
	const char *text;
	enum cause cause;

	switch (root_pop_event(b->root)) {
	case ROOT_EVENT_NONE: break;
	case ROOT_EVENT_MOUNTED: mounted(b, now); break;
	case ROOT_EVENT_FAILED: attempt_failed(b, now); break;
	case ROOT_EVENT_FATAL:
		cause = root_failure(b->root, &text);
		boot_fail(b, cause, b->target.server, now, text);
		break;
	}
}

static void begin_over(struct boot *b, const struct rail *rail, uint64_t now)
{
	if (b->target.block)
		target_block_begin(b, rail, now);
	else
		mount_begin(b, now);
}

static void step_near(struct boot *b, uint64_t now)
{
	const struct rail *rail;

	if (!stage_vital_loaded(b)) {
		report_wait(b->report, CAUSE_MODULE_FAILED, "root", now, "waiting for kernel modules to load");
		return;
	}
	rail = carrier_rail(b);
	if (!rail)
		next_way(b, NULL, now);
	else if (rail->state == RAIL_READY && !addresses_awaited(b->addresses, rail->ifindex, b->target.addr.family))
		begin_over(b, rail, now);
	else
		report_wait(b->report, CAUSE_NONE, "root", now, "%s", "");
}

static void near(struct boot *b, uint64_t now)
{
	if (b->target.image)
		target_web_near(b, now);
	else if (b->target.block && !target_portal(b))
		target_block_near(b, now);
	else
		step_near(b, now);
}

static void mounting(struct boot *b, uint64_t now)
{
	if (b->web)
		target_web_step(b, now);
	else if (b->block)
		target_block_step(b, now);
	else
		root_step(b, now);
}

void target_step(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;
	bool due = now >= t->retry;

	if (!b->root_up)
		target_judge_rdma(b, now);
	if (b->finished || b->root_up)
		return;
	switch (t->state) {
	case TARGET_UNKNOWN: identify(b, now); break;
	case TARGET_RESOLVING:
		if (due)
			resolve(b, now);
		break;
	case TARGET_PROBING:
		if (due)
			probe(b, now);
		break;
	case TARGET_NEAR: near(b, now); break;
	case TARGET_MOUNTING: mounting(b, now); break;
	case TARGET_STATE_MAX: break;
	}
}
