// SPDX-License-Identifier: GPL-2.0-or-later
/* needs: see needs.h. */
#include "needs.h"

#include "root/image/kind.h"

static const struct {
	const char *type;
	struct need need;
} link_drivers[] = {
	{"rxe", {"rdma_rxe", false, "Soft-RoCE (rd.rdma.link)"}},
	{"siw", {"siw", false, "Soft-iWARP (rd.rdma.link)"}},
};

const char *needs_link_driver(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(link_drivers); i++)
		if (streq(type, link_drivers[i].type))
			return link_drivers[i].need.module;
	return NULL;
}

struct list {
	struct need *rows;
	size_t n;
};

static void add(struct list *l, struct need need)
{
	for (size_t i = 0; i < l->n; i++)
		if (streq(l->rows[i].module, need.module))
			return;
	if (l->n < NEEDS_MAX)
		l->rows[l->n++] = need;
}

/* The driver of a software RDMA link; a type we do not know is asked for by its alias, in soft_links.c. */
static void add_link(struct list *l, const struct plan_rdma_link *link)
{
	for (size_t i = 0; i < ARRAY_SIZE(link_drivers); i++)
		if (streq(link->type, link_drivers[i].type))
			add(l, link_drivers[i].need);
}

/* Most kernels have it built in; without it there is still IPv4. */
static void add_ipv6(struct list *l, const struct boot_plan *plan)
{
	const unsigned six = PLAN_IP_DHCP6 | PLAN_IP_AUTO6 | PLAN_IP_EITHER6 | PLAN_IP_LINK6;
	bool wanted = plan->root.nfs.server_addr.family == AF_INET6;

	for (size_t i = 0; i < plan->root.block.n_portals; i++)
		wanted |= plan->root.block.portals[i].addr.family == AF_INET6;
	for (size_t i = 0; i < plan->net.n_ips; i++)
		wanted |= plan->net.ips[i].methods & six || plan->net.ips[i].addr.family == AF_INET6;
	if (wanted)
		add(l, (struct need){"ipv6", false, "IPv6"});
}

static void add_nfs(struct list *l, const struct plan_nfs *nfs)
{
	bool v4 = nfs->versions & PLAN_NFS_V4ANY;

	add(l, (struct need){v4 ? "nfsv4" : "nfsv3", true, "the NFS root"});
	if (nfs->proto == PLAN_NFS_PROTO_RDMA)
		add(l, (struct need){"rpcrdma", !nfs->fallback_tcp, "NFS over RDMA"});
}

/* Any of them may be built in, and an archive wants none. */
static void add_image(struct list *l)
{
	const char *name;

	for (size_t i = 0; (name = image_modules(i)); i++)
		add(l, (struct need){name, false, "a root image"});
}

/* Which of NVMe's transports the servers are asked over. */
static void add_nvmf(struct list *l, const struct plan_block *block)
{
	bool rdma = false, tcp = false;

	for (size_t i = 0; i < block->n_portals; i++) {
		rdma |= block->portals[i].rdma;
		tcp |= !block->portals[i].rdma;
	}
	if (rdma)
		add(l, (struct need){"nvme_rdma", !tcp, "an NVMe root over RDMA (DRIVERS=nvme_rdma when the image is built)"});
	if (tcp)
		add(l, (struct need){"nvme_tcp", !rdma, "an NVMe root over TCP (DRIVERS=nvme_tcp when the image is built)"});
}

static void add_block(struct list *l, const struct plan_block *block, bool overlay)
{
	switch (block->kind) {
	case PLAN_BLOCK_NVMF: add_nvmf(l, block); break;
	case PLAN_BLOCK_NBD:
		add(l, (struct need){"nbd", true, "an NBD root (DRIVERS=nbd when the image is built)"});
		break;
	case PLAN_BLOCK_SRP:
		add(l, (struct need){"ib_srp", true, "an SRP root (DRIVERS=ib_srp when the image is built)"});
		add(l, (struct need){"sd_mod", true, "disks of an SRP root (DRIVERS=sd_mod when the image is built)"});
		break;
	case PLAN_BLOCK_KIND_MAX: break;
	}
	if (overlay)
		add(l, (struct need){"overlay", false, "a writable layer over the root"});
	if (block->fstype)
		add(l, (struct need){block->fstype, false, "the root's file system"});
}

size_t needs_of_block(const struct plan_block *block, bool overlay, struct need ret[static NEEDS_MAX])
{
	struct list l = {.rows = ret};

	add_block(&l, block, overlay);
	return l.n;
}

size_t needs_of_plan(const struct boot_plan *plan, struct need ret[static NEEDS_MAX])
{
	struct list l = {.rows = ret};

	/* In the order in which they are looked up: the root's have the longest way to go. */
	if (plan->root.kind == PLAN_ROOT_NFS)
		add_nfs(&l, &plan->root.nfs);
	else if (plan->root.kind == PLAN_ROOT_LIVE)
		add_image(&l);
	else if (plan->root.kind == PLAN_ROOT_REMOTE)
		add_block(&l, &plan->root.block, plan->root.image.overlay.asked);
	else if (plan->root.kind == PLAN_ROOT_DHCP)
		add(&l, (struct need){"nfsv4", false, "an NFS root named by DHCP"});
	if ((plan->root.kind == PLAN_ROOT_NFS || plan->root.kind == PLAN_ROOT_DHCP) && plan->root.image.overlay.asked)
		add(&l, (struct need){"overlay", plan->root.kind == PLAN_ROOT_NFS, "a writable layer over the root"});
	for (size_t i = 0; i < plan->net.n_rdma_links; i++)
		add_link(&l, &plan->net.rdma_links[i]);
	add_ipv6(&l, plan);
	return l.n;
}
