// SPDX-License-Identifier: GPL-2.0-or-later
#include "nfsroot.h"

#include "check.h"

struct nfsroot nfsroot;

void nfsroot_prepare(const struct root_ops *ops, const char *name, bool fallback, unsigned versions)
{
	static const struct root_choice choice = {.kind = PLAN_ROOT_NFS, .nfs = &nfsroot.plan};
	static const struct env no_env = {.prefix = "/nonexistent"};

	nfsroot.plan = (struct plan_nfs){.versions = versions, .proto = PLAN_NFS_PROTO_RDMA,
		.fallback_tcp = fallback, .options = "hard"};
	nfsroot.server = (struct source_server){.path = "/export", .servers = 1};
	strscpy(nfsroot.server.name, name, sizeof(nfsroot.server.name));
	nfsroot.config = (struct source_config){.env = &no_env, .choice = &choice,
		.server = &nfsroot.server, .address = "192.0.2.1", .sysroot = "/nonexistent",
		.ways = 1, .nfs = ops};
}

struct source *nfsroot_begin(uint64_t now)
{
	struct source *s = NULL;

	CHECK_INT(root_begin(&s, &nfsroot.config, now), 0);
	CHECK_INT(source_pop_event(s), SOURCE_STEP);
	return s;
}

void nfsroot_endp(struct source **s)
{
	root_end(*s);
}
