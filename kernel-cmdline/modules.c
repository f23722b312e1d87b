/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modules: the kernel modules that a command line insists on. */
#include "firmware.h"
#include "words.h"

/* ib_ipoib, rpcrdma, iscsi_ibft, efivarfs, nvme_tcp, two of a SRP root, four of file systems. */
#define OTHERS_MAX 11

struct list {
	struct plan_module *rows;
	size_t n;
};

/* Each once, with the first option that names it. */
static void add(struct list *l, const char *option, const char *name)
{
	for (size_t i = 0; i < l->n; i++)
		if (streq(l->rows[i].name, name))
			return;
	l->rows[l->n++] = (struct plan_module){option, name};
}

static bool is_ipoib(const struct boot_plan *p, const char *name)
{
	return name && plan_is_ipoib(p->net.ifnames, p->net.n_ifnames, name);
}

/* The option that asks for IPoIB; NULL: none does. */
static const char *asks_ipoib(const struct boot_plan *p)
{
	const struct plan_net *net = &p->net;

	if (is_ipoib(p, net->bootdev))
		return "ip= or bootdev=";
	if (net->bootif.len && net->bootif_type == 0x20)
		return "BOOTIF=";
	for (size_t i = 0; i < net->n_ips; i++)
		if (is_ipoib(p, net->ips[i].ifname) || net->ips[i].match.len > 6)
			return "ip=";
	for (size_t i = 0; i < net->n_links; i++)
		if (is_ipoib(p, net->links[i].lower[0]))
			return "bond=";
	return p->ib.n_pkeys || p->ib.mode ? "rd.ib." : NULL;
}

/* RDMA that the command line insists on, of a kernel that may not have it. */
static void add_rdma(struct list *l, const struct boot_plan *p)
{
	const struct plan_nfs *nfs = &p->root.nfs;
	const char *option = asks_ipoib(p);

	if (option)
		add(l, option, "ib_ipoib");
	if (nfs->proto == PLAN_NFS_PROTO_RDMA && !nfs->fallback_tcp)
		add(l, "root=", "rpcrdma");
}

/* What a root on a block device is reached by. */
static void add_block(struct list *l, const struct plan_block *block)
{
	if (block->kind == PLAN_BLOCK_NBD)
		add(l, "root=", "nbd");
	if (block->kind == PLAN_BLOCK_SRP) {
		add(l, "root=", "ib_srp");
		add(l, "root=", "sd_mod");
	}
	if (block->nbft)
		add(l, "root=", "nvme_tcp");
	for (size_t i = 0; block->kind == PLAN_BLOCK_NVMF && i < block->n_portals; i++)
		add(l, "root=", block->portals[i].rdma ? "nvme_rdma" : "nvme_tcp");
}

/* Names of file systems that another module has. */
static const char *fs_module(const char *fstype)
{
	static const char *const others[][2] = {
		{"ext2", "ext4"}, {"ext3", "ext4"}, {"iso9660", "isofs"}};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (streq(fstype, others[i][0]))
			return others[i][1];
	return fstype;
}

/* An image that is mounted, if its name tells: any other one is told by its content. */
static void add_image(struct list *l, const struct plan_image *image)
{
	static const char *const ends[][2] = {{".squashfs", "squashfs"}, {".sqfs", "squashfs"},
		{".sfs", "squashfs"}, {"squashfs.img", "squashfs"}, {".erofs", "erofs"}};
	const struct slice path = {image->url, image->url ? strcspn(image->url, "?#") : 0};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		if (!slice_ends(path, ends[i][0]))
			continue;
		add(l, "root=", ends[i][1]);
		add(l, "root=", "loop");
		if (!image->overlay.off)
			add(l, "root=", "overlay");
		return;
	}
}

static void add_fs(struct list *l, const struct boot_plan *p)
{
	const struct plan_root *root = &p->root;

	if (root->kind == PLAN_ROOT_LIVE)
		add_image(l, &root->image);
	if ((root->kind == PLAN_ROOT_REMOTE || root->kind == PLAN_ROOT_BLOCK) &&
		root->block.fstype)
		add(l, p->given[OPTION_ROOTFSTYPE] ? "rootfstype=" : "root=",
			fs_module(root->block.fstype));
}

/* For a variable of UEFI's. */
static bool asks_efi(const struct boot_plan *p)
{
	bool asks = firmware_wants_origin(p);

	for (size_t i = 0; i < p->n_reports; i++)
		asks |= p->reports[i].kind == PLAN_REPORT_EFI;
	return asks;
}

int plan_modules(const struct boot_plan *p, struct plan_module **ret, size_t *ret_n)
{
	const struct plan_drivers *d = &p->drivers;
	const struct plan_net *net = &p->net;
	const struct plan_block *block = &p->root.block;
	struct list l = {0};

	l.rows = calloc(d->n_pre + d->n_post + net->n_rdma_links + net->n_links + block->n_portals +
				OTHERS_MAX,
		sizeof(*l.rows));
	if (!l.rows)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_pre; i++)
		add(&l, "rd.driver.pre=", d->pre[i]);
	for (size_t i = 0; i < d->n_post; i++)
		add(&l, "rd.driver.post=", d->post[i]);
	for (size_t i = 0; i < net->n_rdma_links; i++)
		add(&l, "rd.rdma.link=",
			streq(net->rdma_links[i].type, "rxe") ? "rdma_rxe"
							      : net->rdma_links[i].type);
	for (size_t i = 0; i < net->n_links; i++)
		if (plan_link_module(net->links[i].kind))
			add(&l, "vlan=, bond= or bridge=", plan_link_module(net->links[i].kind));
	add_rdma(&l, p);
	if (firmware_wants_ibft(p))
		add(&l, "ip=", "iscsi_ibft");
	if (asks_efi(p))
		add(&l, "rd.report=efi or bootorigin", "efivarfs");
	if (p->root.kind == PLAN_ROOT_REMOTE)
		add_block(&l, block);
	add_fs(&l, p);
	*ret = l.rows;
	*ret_n = l.n;
	return 0;
}

int plan_print_modules(const struct boot_plan *p, FILE *out)
{
	_cleanup_free_ struct plan_module *rows = NULL;
	size_t n = 0;
	int r = plan_modules(p, &rows, &n);

	for (size_t i = 0; i < n; i++)
		fprintf(out, "asked %s %s\n", rows[i].name, rows[i].option);
	if (p->root.dracut_module)
		fprintf(out, "dracut %s\n", p->root.dracut_module);
	return r;
}
