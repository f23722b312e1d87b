// SPDX-License-Identifier: GPL-2.0-or-later
/* soft_links: software RDMA devices of the plan (rd.rdma.link=), made as soon as they can be. */
#include "boot_private.h"
#include "fabric/rdma_link.h"

/* The driver of this kind of soft link. A type of the plan always has a need row. */
static const struct module_entry *driver_of(const struct boot *b, const char *type)
{
	return modules_find(b->modules, streq(type, "rxe") ? "rdma_rxe" : type);
}

static bool driver_ready(const struct boot *b, const char *type)
{
	const struct module_entry *e = driver_of(b, type);

	return e && (e->state == MODULE_LOADED || e->state == MODULE_PRESENT);
}

static bool driver_failed(const struct boot *b, const char *type)
{
	const struct module_entry *e = driver_of(b, type);

	return e && (e->state == MODULE_FAILED || e->state == MODULE_BLOCKED);
}

static void make_link(struct boot *b, size_t i, uint64_t now)
{
	const struct plan_rdma_link *want = &b->plan->net.rdma_links[i];
	char text[160] = "";
	/* The call blocks while the kernel makes the device: its span needs the clock on both sides. */
	uint64_t began = now_ns();
	int r = rdma_link_add(want->name, want->type, want->netdev, text, sizeof(text));

	b->links_made |= UINT64_C(1) << i;
	b->rdma_begin = b->rdma_begin ? b->rdma_begin : began;
	report_span(b->report, "fabric", want->name, began, now_ns(), r < 0 ? r : 0);
	if (r < 0) {
		b->links_failed |= UINT64_C(1) << i;
		report_cause(b->report, CAUSE_RDMA_LINK_FAILED, want->name, now, "%s on %s: %s", want->type,
			want->netdev, text);
		return;
	}
	report_log(b->report, REPORT_INFO, want->name, now, "%s link on %s%s", want->type, want->netdev,
		r ? ", adopted" : "");
	fabric_rescan(b->fabric, now);
}

bool soft_links_step(struct boot *b, uint64_t now)
{
	uint64_t before = b->links_made;
	const struct plan_net *net = &b->plan->net;

	for (size_t i = 0; i < net->n_rdma_links; i++) {
		const struct plan_rdma_link *want = &net->rdma_links[i];

		if (b->links_made & UINT64_C(1) << i)
			continue;
		if (driver_failed(b, want->type))
			b->links_failed |= UINT64_C(1) << i;
		else if (driver_ready(b, want->type) && links_by_name(b->links, want->netdev))
			make_link(b, i, now);
	}
	return b->links_made != before;
}
