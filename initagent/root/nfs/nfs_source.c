// SPDX-License-Identifier: GPL-2.0-or-later
/* nfs_source: an NFS root as a source of the target. */
#include "root/source/source.h"

#include "root/init/init_check.h"
#include "root/nfs/adopt.h"
#include "root/nfs/owner.h"
#include "root/nfs/root.h"

/* Where dracut and the kernel look when the path is left to a root=/dev/nfs default. */
#define LEGACY_PATH "/tftpboot/%s"

/* What root=dhcp leaves open. */
static const struct plan_nfs defaults = {.versions = PLAN_NFS_V4ANY | PLAN_NFS_V3, .options = ""};

struct nfs_root {
	struct root *room;	    /* NULL: adopted */
	struct root_result adopted;
	bool begun;		    /* SOURCE_STEP is still to be popped */
};

static const struct root_result *nfs_result(const struct nfs_root *s)
{
	return s->room ? root_result(s->room) : &s->adopted;
}

static size_t nfs_needs(const struct root_choice *c, bool overlay,
	struct need ret[static NEEDS_MAX])
{
	const struct plan_nfs *nfs = c->nfs ? c->nfs : &defaults;
	size_t n = 0;

	ret[n++] =
		(struct need){nfs->versions & PLAN_NFS_V4ANY ? "nfsv4" : "nfsv3", c->nfs,
		"the NFS root"};
	if (nfs->proto == PLAN_NFS_PROTO_RDMA)
		ret[n++] = (struct need){"rpcrdma", !nfs->fallback_tcp, "NFS over RDMA"};
	if (overlay)
		ret[n++] = (struct need){"overlay", c->nfs, "a writable layer over the root"};
	if (nfs->server_addr.family == AF_INET6)
		ret[n++] = (struct need){"ipv6", false, "IPv6"};
	return n;
}

static int take_path(const struct plan_nfs *nfs, const char *host, struct source_server *ret)
{
	const char *path = nfs && nfs->path ? nfs->path : LEGACY_PATH;
	const char *at = !nfs || !nfs->path || nfs->path_host ? strstr(path, "%s") : NULL;
	int n = at
		? snprintf(ret->path, sizeof(ret->path), "%.*s%s%s", (int)(at - path), path, host,
		at + 2)
		   : snprintf(ret->path, sizeof(ret->path), "%s", path);

	return n < 0 || (size_t)n >= sizeof(ret->path) ? -ENAMETOOLONG : 0;
}

static int nfs_server(const struct root_choice *c, unsigned turn, const struct source_hint *hint,
	struct source_server *ret)
{
	const struct plan_nfs *nfs = c->nfs;

	(void)turn;
	*ret = (struct source_server){.servers = 1, .neighbour = true};
	if (nfs && nfs->server) {
		ret->addr = nfs->server_addr;
		if (strscpy(ret->name, nfs->server, sizeof(ret->name)) < 0)
			return -ENAMETOOLONG;
	} else if (hint->server) {
		ret->addr = *hint->server;
		inet_text(hint->server, ret->name);
	} else {
		return -ENODATA;
	}
	return take_path(nfs, hint->host, ret);
}

static const char *nfs_rdma_module(const struct root_choice *c, unsigned turn)
{
	(void)turn;
	return c->nfs && c->nfs->proto == PLAN_NFS_PROTO_RDMA ? "rpcrdma" : NULL;
}

static const char *nfs_without_rdma(const struct root_choice *c, const struct source_refusals *r,
	unsigned *turn, bool *ret_no_rdma)
{
	(void)r;
	(void)turn;
	*ret_no_rdma = c->nfs->fallback_tcp;
	return c->nfs->fallback_tcp ? NULL : "so there can be no RDMA, and TCP is not allowed";
}

/* --- life ------------------------------------------------------------------------------------ */

static int nfs_adopt(void **ret, const struct env *env, const char *sysroot, const char *init)
{
	_cleanup_free_ struct nfs_root *s = calloc(1, sizeof(*s));
	char source[NFS_SOURCE_MAX];
	int r = s ? root_adopt(env, sysroot, &s->adopted) : -ENOMEM;

	if (r <= 0)
		return r;
	if (init_check_limited(sysroot, init, s->adopted.init, INIT_CHECK_LIMIT_MS) < 0)
		return 0;
	report_log(env->report, REPORT_INFO, "root", now_ns(), "%s is mounted already, adopted",
		nfs_source_text(source, sizeof(source), s->adopted.server, s->adopted.path)
		? source : "the root");
	*ret = s;
	s = NULL;
	return 1;
}

static void fill_versions(struct root_config *cfg, unsigned bits)
{
	static const struct {
		unsigned bit;
		enum nfs_version version;
	} order[] = {
		{PLAN_NFS_V42, NFS_VERSION_42},
		{PLAN_NFS_V41, NFS_VERSION_41},
		{PLAN_NFS_V40, NFS_VERSION_40},
		{PLAN_NFS_V3, NFS_VERSION_3},
	};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (bits & order[i].bit)
			cfg->versions[cfg->n_versions++] = order[i].version;
}

static int make_room(struct root **ret, const struct source_config *in)
{
	const struct plan_nfs *nfs = in->choice->nfs ? in->choice->nfs : &defaults;
	bool rdma = nfs->proto == PLAN_NFS_PROTO_RDMA && !in->no_rdma;
	struct root_config cfg = {
		.target = in->sysroot,
		.server = in->server->name,
		.address = in->address,
		.ipv6 = in->server->addr.family == AF_INET6,
		.path = in->server->path,
		.options = nfs->options,
		.proto = rdma ? NFS_PROTO_RDMA : NFS_PROTO_TCP,
		.fallback_tcp = nfs->fallback_tcp,
		.port = in->no_rdma ? 0 : nfs->port,
		.readonly = in->readonly,
		.overlay = in->overlay,
		.nolock = nfs->nolock,
		.mount_flags = nfs->mount_flags,
		.init = in->init,
		.rounds = in->rounds,
		.attempts = in->attempts,
		.ways = in->ways,
		.ops = in->nfs,
	};

	fill_versions(&cfg, nfs->versions);
	return root_new(ret, in->env, &cfg);
}

/* The server has to tell this node from the others before the first NFSv4 call. */
static void name_owner(const struct source_config *in, uint64_t now)
{
	const struct netdev *dev = links_by_index(rails_links(in->rails), in->rail->ifindex);
	int r = dev ? owner_set(in->env, &dev->hw) : 0;

	if (r < 0)
		report_log(in->env->report, REPORT_WARN, "root", now,
			"nfs4_unique_id cannot be set (%s): NFSv4 servers tell nodes by host name "
			"only", strerror(-r));
}

static int nfs_begin(void **ret, const struct source_config *cfg, uint64_t now)
{
	_cleanup_free_ struct nfs_root *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	name_owner(cfg, now);
	r = make_room(&s->room, cfg);
	if (r >= 0)
		r = root_start(s->room, now);
	if (r < 0) {
		s->room = root_free(s->room);
		return r;
	}
	s->begun = true;
	*ret = s;
	s = NULL;
	return 0;
}

static void nfs_end(void *p)
{
	struct nfs_root *s = p;

	root_free(s->room);
	free(s);
}

static int nfs_fd(const void *p)
{
	const struct nfs_root *s = p;

	return s->room ? root_fd(s->room) : -1;
}

static uint64_t nfs_deadline(const void *p)
{
	const struct nfs_root *s = p;

	return s->room ? root_deadline(s->room) : NSEC_NEVER;
}

static void nfs_dispatch(void *p, uint64_t now)
{
	struct nfs_root *s = p;

	root_dispatch(s->room, now);
}

static void mounted_text(const struct nfs_root *s, char *buf, size_t size)
{
	const struct root_result *r = nfs_result(s);
	char port[16] = "", source[NFS_SOURCE_MAX] = "";

	nfs_source_text(source, sizeof(source), r->server, r->path);
	if (r->port)
		snprintf(port, sizeof(port), " port %u", r->port);
	snprintf(buf, size, "%.200s mounted, NFS %s over %s%s%s%s", source,
		nfs_version_name(r->version),
		nfs_proto_name(r->proto), port, r->fell_back ? ", fallen back from RDMA" : "",
		r->overlay ? ", under a writable layer" : "");
}

static void nfs_pop_event(void *p, struct source_event *ret)
{
	static const enum source_event_type types[] = {
		[ROOT_EVENT_NONE] = SOURCE_NONE,
		[ROOT_EVENT_MOUNTED] = SOURCE_MOUNTED,
		[ROOT_EVENT_FAILED] = SOURCE_FAILED,
		[ROOT_EVENT_AGAIN] = SOURCE_AGAIN,
		[ROOT_EVENT_FATAL] = SOURCE_FATAL,
	};
	struct nfs_root *s = p;
	const char *text;

	*ret = (struct source_event){
		.type = s->begun ? SOURCE_STEP : types[root_pop_event(s->room)]};
	s->begun = false;
	ret->cause = root_failure(s->room, &text);
	if (ret->type == SOURCE_MOUNTED)
		mounted_text(s, ret->text, sizeof(ret->text));
	else
		strscpy(ret->text, text, sizeof(ret->text));
	ret->rounds = root_rounds(s->room);
	ret->attempts = root_result(s->room)->attempts;
}

static enum cause nfs_describe(const void *p, char *buf, size_t size)
{
	const struct nfs_root *s = p;
	char what[NFS_TEXT_MAX];

	root_describe(s->room, what, sizeof(what));
	snprintf(buf, size, "waiting for the mount of %s", what);
	return CAUSE_ROOT_UNREACHABLE;
}

static void nfs_result_fill(const void *p, struct source_result *ret)
{
	const struct root_result *r = nfs_result(p);

	*ret = (struct source_result){.init = r->init, .record = r};
	(void)value_inet(r->address, strlen(r->address), &ret->server);
}

#define F(key, member) JSON_FIELD(key, struct root_result, member)
#define F_NAME(key, member, name) JSON_FIELD_NAME(key, struct root_result, member, name)

static const struct json_field nfs_fields[] = {
	F("server", server), F("address", address), F("path", path),
	F_NAME("version", version, nfs_version_name), F_NAME("proto", proto, nfs_proto_name),
	F("port", port), F("options", options), F("fell_back", fell_back), F("overlay", overlay),
	F("attempts", attempts), F("init", init),
};

static const struct source_env nfs_env[] = {
	{"ROOT_SERVER", "address"}, {"ROOT_PATH", "path"}, {"ROOT_PROTO", "proto"},
		{"ROOT_VERSION", "version"}, {0},
};

const struct source_ops nfs_source = {
	.kind = PLAN_ROOT_NFS,
	.no_cleanup = true,
	.type = "nfs",
	.fields = nfs_fields,
	.n_fields = ARRAY_SIZE(nfs_fields),
	.env = nfs_env,
	.needs = nfs_needs,
	.server = nfs_server,
	.rdma_module = nfs_rdma_module,
	.without_rdma = nfs_without_rdma,
	.adopt = nfs_adopt,
	.begin = nfs_begin,
	.end = nfs_end,
	.fd = nfs_fd,
	.deadline = nfs_deadline,
	.dispatch = nfs_dispatch,
	.pop_event = nfs_pop_event,
	.describe = nfs_describe,
	.result = nfs_result_fill,
};
