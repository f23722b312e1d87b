// SPDX-License-Identifier: GPL-2.0-or-later
/* block_source: a root on a block device of a server (NVMe, NBD, SRP) as a source of the target. */
#include "root/source/source.h"

#include "root/block/block.h"

struct block_root {
	struct block *room; /* NULL: adopted */
	struct block_result adopted;
};

static const struct plan_portal *portal_of(const struct root_choice *c, unsigned turn)
{
	return c->block->n_portals ? &c->block->portals[turn % c->block->n_portals] : NULL;
}

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
		ret[n++] =
			(struct need){"nbd", true,
			"an NBD root (DRIVERS=nbd when the image is built)"};
		break;
	case PLAN_BLOCK_SRP:
		ret[n++] =
			(struct need){"ib_srp", true,
			"an SRP root (DRIVERS=ib_srp when the image is built)"};
		ret[n++] =
			(struct need){"sd_mod", true,
			"disks of an SRP root (DRIVERS=sd_mod when the image is built)"};
		break;
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
	const struct plan_portal *portal = portal_of(c, turn);
	const char *name = portal ? portal->server : c->block->name;

	(void)hint;
	*ret = (struct source_server){.servers = 1, .neighbour = portal};
	if (portal) {
		ret->addr = portal->addr;
		ret->servers = (unsigned)c->block->n_portals;
	}
	return strscpy(ret->name, name ? name : "root", sizeof(ret->name)) < 0 && portal
		? -ENAMETOOLONG : 0;
}

static unsigned block_next_server(const struct root_choice *c, const struct source_refusals *r,
	unsigned turn)
{
	size_t n = c->block->n_portals, i = 1;

	while (i < n && source_refused(r, (turn + i) % n))
		i++;
	return n ? (unsigned)((turn + i) % n) : 0;
}

static const char *block_rdma_module(const struct root_choice *c, unsigned turn)
{
	const struct plan_portal *portal = portal_of(c, turn);

	if (!portal)
		return "ib_srp";
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

static int block_root_adopt(void **ret, const struct env *env, const char *sysroot,
	const char *init)
{
	_cleanup_free_ struct block_root *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	if (block_adopt(env, sysroot, init, &s->adopted) <= 0)
		return 0;
	report_log(env->report, REPORT_INFO, "root", now_ns(),
		"the root on %s is mounted already, adopted",
		s->adopted.device);
	*ret = s;
	s = NULL;
	return 1;
}

static int block_begin(void **ret, const struct source_config *in, uint64_t now)
{
	struct block_config cfg = {
		.plan = in->choice->block,
		.portal = portal_of(in->choice, in->turn),
		.address = in->address,
		.device = in->rail->device,
		.port = in->rail->port,
		.target = in->sysroot,
		.init = in->init,
		.readonly = in->readonly,
		.overlay = in->overlay,
		.node = rails_node_number(in->rails),
		.rounds = in->rounds,
		.refusals = in->refusals,
		.ways = in->ways,
	};
	_cleanup_free_ struct block_root *s = calloc(1, sizeof(*s));
	int r = s ? block_new(&s->room, in->env, &cfg) : -ENOMEM;

	if (r >= 0)
		r = block_start(s->room, now);
	if (r < 0) {
		if (s)
			block_free(s->room);
		return r;
	}
	*ret = s;
	s = NULL;
	return 0;
}

static void block_end(void *p)
{
	struct block_root *s = p;

	block_free(s->room);
	free(s);
}

static int block_root_fd(const void *p)
{
	const struct block_root *s = p;

	return s->room ? block_fd(s->room) : -1;
}

static uint64_t block_root_deadline(const void *p)
{
	const struct block_root *s = p;

	return s->room ? block_deadline(s->room) : NSEC_NEVER;
}

static void block_root_dispatch(void *p, uint64_t now)
{
	struct block_root *s = p;

	block_dispatch(s->room, now);
}

static void mounted_text(const struct block_result *r, char *buf, size_t size)
{
	snprintf(buf, size, "%s on %s (%.0f MiB, %s%s%s) of %s %.80s%s%.80s over %s", r->fstype,
		r->device,
		(double)r->bytes / (1 << 20), r->readonly ? "read-only" : "read-write",
		r->overlay ? " under a writable layer" : "", r->adopted ? ", connected before"
		: "", r->kind,
		*r->server ? r->server : "target", *r->name ? ", " : "", r->name, r->proto);
}

static void block_root_pop_event(void *p, struct source_event *ret)
{
	static const enum source_event_type types[] = {
		[BLOCK_EVENT_NONE] = SOURCE_NONE,
		[BLOCK_EVENT_STEP] = SOURCE_STEP,
		[BLOCK_EVENT_MODULE] = SOURCE_MODULE,
		[BLOCK_EVENT_MOUNTED] = SOURCE_MOUNTED,
		[BLOCK_EVENT_FAILED] = SOURCE_FAILED,
		[BLOCK_EVENT_AGAIN] = SOURCE_AGAIN,
		[BLOCK_EVENT_FATAL] = SOURCE_FATAL,
	};
	struct block_root *s = p;
	const char *text;

	*ret = (struct source_event){.type = types[block_pop_event(s->room)]};
	ret->cause = block_failure(s->room, &text);
	if (ret->type == SOURCE_MOUNTED)
		mounted_text(block_result(s->room), ret->text, sizeof(ret->text));
	else
		strscpy(ret->text, text, sizeof(ret->text));
	ret->rounds = block_rounds(s->room);
}

static enum cause block_root_describe(const void *p, char *buf, size_t size)
{
	const struct block_root *s = p;

	block_describe(s->room, buf, size);
	return block_waits_for(s->room);
}

static void block_root_result(const void *p, struct source_result *ret)
{
	const struct block_root *s = p;
	const struct block_result *r = s->room ? block_result(s->room) : &s->adopted;

	*ret = (struct source_result){.init = r->init, .phase = "connect", .record = r,
		.phase_end = s->room ? block_connected(s->room) : 0};
	(void)value_inet(r->address, strlen(r->address), &ret->server);
}

static const char *block_root_module(const void *p)
{
	const struct block_root *s = p;

	return block_module(s->room);
}

static void block_root_module_settled(void *p, uint64_t now)
{
	struct block_root *s = p;

	block_module_settled(s->room, now);
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
	.fields = block_fields,
	.n_fields = ARRAY_SIZE(block_fields),
	.env = block_env,
	.needs = block_needs,
	.server = block_server,
	.next = block_next_server,
	.rdma_module = block_rdma_module,
	.without_rdma = block_without_rdma,
	.adopt = block_root_adopt,
	.drop = block_drop,
	.begin = block_begin,
	.end = block_end,
	.fd = block_root_fd,
	.deadline = block_root_deadline,
	.dispatch = block_root_dispatch,
	.pop_event = block_root_pop_event,
	.describe = block_root_describe,
	.result = block_root_result,
	.module = block_root_module,
	.module_settled = block_root_module_settled,
};
