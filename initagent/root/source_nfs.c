// SPDX-License-Identifier: GPL-2.0-or-later
/* target_nfs: the same for an NFS root. Once the server answers and the port under the rail is ready the root room does the rest. */
#include "boot/boot_private.h"
#include "report/report.h"

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
		.rounds = t->rounds,
		.attempts = t->attempts,
		.ways = t->ways,
		.ops = b->args->seams.root,
	};

	fill_versions(&cfg, nfs->versions);
	return root_new(&b->root, &b->env, &cfg);
}

/* The server has to tell this node from the others before the first NFSv4 call. */
static void name_owner(struct boot *b, const struct rail *rail, uint64_t now)
{
	const struct netdev *dev = links_by_index(b->links, rail->ifindex);
	int r = dev ? owner_set(&b->env, &dev->hw) : 0;

	if (r < 0)
		report_log(b->report, REPORT_WARN, "root", now,
			"nfs4_unique_id cannot be set (%s): NFSv4 servers tell nodes by host name only", strerror(-r));
}

void target_nfs_begin(struct boot *b, const struct rail *rail, uint64_t now)
{
	struct target *t = &b->target;
	char what[NFS_TEXT_MAX];
	int r;

	rail_set_roce(b, rail, now);
	name_owner(b, rail, now);
	r = make_root(b);
	if (r >= 0)
		r = root_start(b->root, now);
	if (r < 0) {
		boot_fail(b, CAUSE_ROOT_MOUNT_FAILED, t->server, now, strerror(-r));
		return;
	}
	root_describe(b->root, what, sizeof(what));
	target_wait(b, CAUSE_ROOT_UNREACHABLE, now, "waiting for the mount of %s", what);
	target_mounting(b, rail, now);
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

static void failed(struct boot *b, uint64_t now)
{
	const char *text;
	enum cause cause = root_failure(b->root, &text);

	b->target.rounds = root_rounds(b->root);
	b->target.attempts = root_result(b->root)->attempts;
	target_failed(b, cause, text, now);
}

void target_nfs_step(struct boot *b, uint64_t now)
{
	const char *text;
	enum cause cause;

	switch (root_pop_event(b->root)) {
	case ROOT_EVENT_NONE: break;
	case ROOT_EVENT_MOUNTED: mounted(b, now); break;
	case ROOT_EVENT_FAILED: failed(b, now); break;
	case ROOT_EVENT_AGAIN: target_begin_again(b, now); break;
	case ROOT_EVENT_FATAL:
		cause = root_failure(b->root, &text);
		boot_fail(b, cause, b->target.server, now, text);
		break;
	}
}
