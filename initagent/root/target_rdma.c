// SPDX-License-Identifier: GPL-2.0-or-later
/* target_rdma: when there can be no RDMA on this node at all, and what follows for a root that wants it. */
#include "boot/boot_private.h"
#include "report/report.h"

static const struct module_entry *failed_module(const struct boot *b, const char *name)
{
	const struct module_entry *e = modules_find(b->modules, name);

	return e && (e->state == MODULE_FAILED || e->state == MODULE_BLOCKED) ? e : NULL;
}

/* Every way to an RDMA port is closed: no device, and none of the links the plan wants can be made. */
static bool no_device_possible(const struct boot *b)
{
	size_t n_ports, n_links = b->plan->net.n_rdma_links;
	uint64_t all = n_links < 64 ? (UINT64_C(1) << n_links) - 1 : UINT64_MAX;

	fabric_ports(b->fabric, &n_ports);
	return stage_settled(b) && !n_ports && n_links && (b->links_failed & all) == all;
}

/* Why there can be no RDMA: the protocol's module that failed, else the link. False: there may be. */
static bool impossible(const struct boot *b, const char *protocol, enum cause *ret, const char **ret_where)
{
	const struct module_entry *e = failed_module(b, protocol);

	if (!e && !no_device_possible(b))
		return false;
	for (size_t i = 0; i < b->n_needs && !e; i++)
		e = failed_module(b, b->needs[i].module);
	*ret = e && e->cause ? e->cause : CAUSE_RDMA_LINK_FAILED;
	*ret_where = e ? e->name : b->plan->net.rdma_links[0].name;
	return true;
}

/* The next server that is asked over TCP has its turn; false: there is none. */
static bool next_without(struct boot *b, uint64_t now)
{
	const struct plan_block *block = b->target.block;

	for (size_t i = 1; i < block->n_portals; i++) {
		size_t next = (b->target.portal + i) % block->n_portals;

		if (block->portals[next].rdma || block_refused(&b->target.refusals, next))
			continue;
		b->target.portal += (unsigned)i;
		target_begin_again(b, now);
		return true;
	}
	return false;
}

static void judge_block(struct boot *b, uint64_t now)
{
	bool srp = b->target.block->kind == PLAN_BLOCK_SRP;
	const char *where;
	enum cause cause;

	if (!rail_wants_rdma(b) || !impossible(b, srp ? "ib_srp" : "nvme_rdma", &cause, &where))
		return;
	if (!next_without(b, now))
		boot_fail(b, cause, where, now, *b->target.refusals.text ? b->target.refusals.text
			: "so there can be no RDMA, and no server is named for TCP");
}

static void judge_nfs(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;
	const char *where;
	enum cause cause;

	if (t->nfs->proto != PLAN_NFS_PROTO_RDMA || t->no_rdma || !impossible(b, "rpcrdma", &cause, &where))
		return;
	if (!t->nfs->fallback_tcp) {
		boot_fail(b, cause, where, now, "so there can be no RDMA, and TCP is not allowed");
		return;
	}
	report_log(b->report, REPORT_WARN, "root", now,
		"no RDMA device can be had, falling back to TCP as allowed");
	t->no_rdma = true;
	b->port_check = now;
}

void target_judge_rdma(struct boot *b, uint64_t now)
{
	if (b->target.block)
		judge_block(b, now);
	else if (b->target.nfs)
		judge_nfs(b, now);
}
