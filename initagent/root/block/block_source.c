// SPDX-License-Identifier: GPL-2.0-or-later
/* block_source: a root on a block device of a server (NVMe, NBD, SRP) as a source of the target:
 * its row. block.c is what works. */
#include "root/source/source.h"

#include "root/block/block.h"

/* Which of NVMe's transports the servers are asked over. */
static size_t nvmf_needs(const struct plan_block *block, struct need *ret)
{
	bool rdma = false, tcp = false;
	size_t n = 0;

	for (size_t i = 0; i < block->n_portals; i++) {
		rdma |= block->portals[i].rdma;
		tcp |= !block->portals[i].rdma;
	}
	if (rdma)
		ret[n++] = (struct need){"nvme_rdma", !tcp,
			"an NVMe root over RDMA (DRIVERS=nvme_rdma when the image is built)"};
	if (tcp)
		ret[n++] = (struct need){"nvme_tcp", !rdma,
			"an NVMe root over TCP (DRIVERS=nvme_tcp when the image is built)"};
	return n;
}

static size_t block_needs(const struct root_choice *c, bool overlay,
	struct need ret[static NEEDS_MAX])
{
	const struct plan_block *block = c->block;
	size_t n = 0;

	switch (block->kind) {
	case PLAN_BLOCK_NVMF: n = nvmf_needs(block, ret); break;
	case PLAN_BLOCK_NBD:
		ret[n++] = (struct need){
			"nbd", true, "an NBD root (DRIVERS=nbd when the image is built)"};
		break;
	case PLAN_BLOCK_SRP:
		ret[n++] = (struct need){
			"ib_srp", true, "an SRP root (DRIVERS=ib_srp when the image is built)"};
		ret[n++] = (struct need){"sd_mod", true,
			"disks of an SRP root (DRIVERS=sd_mod when the image is built)"};
		break;
	case PLAN_BLOCK_LOCAL:
	case PLAN_BLOCK_KIND_MAX: break;
	}
	if (overlay)
		ret[n++] = (struct need){"overlay", false, "a writable layer over the root"};
	if (block->fstype)
		ret[n++] = (struct need){block->fstype, false, "the root's file system"};
	for (size_t i = 0; i < block->n_portals; i++)
		if (block->portals[i].addr.family == AF_INET6) {
			ret[n++] = (struct need){"ipv6", false, "IPv6"};
			break;
		}
	return n;
}

static int block_server(const struct root_choice *c, unsigned turn, const struct source_hint *hint,
	struct source_server *ret)
{
	const struct plan_portal *portal = block_portal_of(c, turn);
	const char *name = portal ? portal->server : c->block->name;

	(void)hint;
	*ret = (struct source_server){.servers = 1, .neighbour = portal};
	if (portal) {
		ret->addr = portal->addr;
		ret->zone = portal->zone;
		ret->servers = (unsigned)c->block->n_portals;
	}
	return strscpy(ret->name, name ? name : "root", sizeof(ret->name)) < 0 && portal
		? -ENAMETOOLONG : 0;
}

static const char *block_rdma_module(const struct root_choice *c, unsigned turn)
{
	const struct plan_portal *portal = block_portal_of(c, turn);

	if (!portal)
		return c->block->kind == PLAN_BLOCK_SRP ? "ib_srp" : NULL;
	return portal->rdma ? "nvme_rdma" : NULL;
}

/* The next server that is asked over TCP has its turn. */
static const char *block_without_rdma(const struct root_choice *c, const struct source_refusals *r,
	unsigned *turn, bool *ret_no_rdma)
{
	const struct plan_block *block = c->block;

	(void)ret_no_rdma;
	for (unsigned i = 1; i < block->n_portals; i++) {
		size_t next = (*turn + i) % block->n_portals;

		if (block->portals[next].rdma || source_refused(r, next))
			continue;
		*turn += i;
		return NULL;
	}
	return *r->text ? r->text : "so there can be no RDMA, and no server is named for TCP";
}

#define F(key, member) JSON_FIELD(key, struct block_result, member)
#define F_AS(key, member, kind) JSON_FIELD_AS(key, struct block_result, member, kind)

static const struct json_field block_fields[] = {
	F("type", kind), F("server", server), F("address", address), F("port", port),
		F("proto", proto),
	F("name", name), F("device", device), F("fstype", fstype), F("bytes", bytes),
	F_AS("readonly", readonly, JSON_FLAG), F_AS("overlay", overlay, JSON_FLAG),
	F_AS("adopted", adopted, JSON_FLAG), F("attempts", attempts), F("init", init),
};

static const struct source_env block_env[] = {
	{"ROOT_SERVER", "address"}, {"ROOT_PROTO", "proto"}, {"ROOT_DEVICE", "device"}, {0},
};

const struct source_ops block_source = {
	.kind = PLAN_ROOT_REMOTE,
	.phase = "connect",
	.fields = block_fields,
	.n_fields = ARRAY_SIZE(block_fields),
	.env = block_env,
	.note = "block-root",
	.needs = block_needs,
	.server = block_server,
	.next = block_next,
	.rdma_module = block_rdma_module,
	.without_rdma = block_without_rdma,
	.adopt = block_take,
	.begin = block_begin,
	.end = block_end,
	.fd = source_worker_fd,
	.deadline = source_worker_deadline,
	.dispatch = block_dispatch,
	.describe = block_describe,
	.module = block_module,
	.module_settled = block_module_settled,
	.progress = block_progress,
};
