// SPDX-License-Identifier: GPL-2.0-or-later
/* nfs_source: an NFS root as a source of the target: its row. root.c is what works. */
#include "root/source/source.h"

#include "root/nfs/owner.h"
#include "root/nfs/root.h"

/* Where dracut and the kernel look when the path is left to a root=/dev/nfs default. */
#define LEGACY_PATH "/tftpboot/%s"

static size_t nfs_needs(const struct root_choice *c, bool overlay,
	struct need ret[static NEEDS_MAX])
{
	const struct plan_nfs *nfs = root_plan(c);
	size_t n = 0;

	ret[n++] = (struct need){
		nfs->versions & PLAN_NFS_V4ANY ? "nfsv4" : "nfsv3", c->nfs, "the NFS root"};
	if (nfs->proto == PLAN_NFS_PROTO_RDMA)
		ret[n++] = (struct need){"rpcrdma", !nfs->fallback_tcp, "NFS over RDMA"};
	if (overlay)
		ret[n++] = (struct need){"overlay", c->nfs, "a writable layer over the root"};
	for (size_t i = 0; i < nfs->n_servers; i++)
		if (nfs->servers[i].addr.family == AF_INET6) {
			ret[n++] = (struct need){"ipv6", false, "IPv6"};
			break;
		}
	return n;
}

static int take_path(const struct plan_nfs *nfs, const char *host, struct source_server *ret)
{
	const char *path = nfs && nfs->path ? nfs->path : LEGACY_PATH;
	const char *at = !nfs || !nfs->path || nfs->path_host ? strstr(path, "%s") : NULL;
	int n = at ? snprintf(ret->path, sizeof(ret->path), "%.*s%s%s", (int)(at - path), path,
			     host, at + 2)
		   : snprintf(ret->path, sizeof(ret->path), "%s", path);

	return n < 0 || (size_t)n >= sizeof(ret->path) ? -ENAMETOOLONG : 0;
}

static int nfs_server(const struct root_choice *c, unsigned turn, const struct source_hint *hint,
	struct source_server *ret)
{
	const struct plan_nfs *nfs = c->nfs;

	*ret = (struct source_server){.servers = 1, .neighbour = true};
	if (nfs && nfs->n_servers) {
		const struct plan_server *server = &nfs->servers[turn % nfs->n_servers];

		ret->addr = server->addr;
		ret->zone = server->zone;
		ret->servers = (unsigned)nfs->n_servers;
		if (strscpy(ret->name, server->name, sizeof(ret->name)) < 0)
			return -ENAMETOOLONG;
	} else if (hint->server) {
		ret->addr = *hint->server;
		inet_text(hint->server, ret->name);
	} else {
		return -ENODATA;
	}
	return take_path(nfs, hint->host, ret);
}

static unsigned nfs_next_server(const struct root_choice *c, const struct source_refusals *r,
	unsigned turn)
{
	(void)r;
	return c->nfs && c->nfs->n_servers ? (turn + 1) % (unsigned)c->nfs->n_servers : 0;
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

/* The server has to tell this node from the others before the first NFSv4 call. */
static void name_owner(const struct source_config *in, uint64_t now)
{
	const struct netdev *dev = links_by_index(rails_links(in->rails), in->rail->ifindex);
	int r = dev ? owner_set(in->env, &dev->hw) : 0;

	if (r < 0)
		report_log(in->env->report, REPORT_WARN, "root", now,
			"nfs4_unique_id cannot be set (%s): NFSv4 servers identify nodes by host "
			"name only", strerror(-r));
}

static int nfs_begin(struct source **ret, const struct source_config *cfg, uint64_t now)
{
	name_owner(cfg, now);
	return root_begin(ret, cfg, now);
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
	.next = nfs_next_server,
	.rdma_module = nfs_rdma_module,
	.without_rdma = nfs_without_rdma,
	.adopt = root_take,
	.begin = nfs_begin,
	.end = root_end,
	.fd = source_worker_fd,
	.deadline = source_worker_deadline,
	.dispatch = root_dispatch,
	.describe = root_describe,
	.lookup = root_lookup,
	.resolved = root_resolved,
};
