// SPDX-License-Identifier: GPL-2.0-or-later
/* soft_links: software RDMA devices of the plan (rd.rdma.link=), made as soon as they can be. */
#include "boot/boot_private.h"
#include "fabric/rdma_link.h"
#include "report/report.h"

/* A type we know has a need row. Any other one is asked for by the alias that its driver has for that (rdma_netlink.h). */
static const struct module_entry *driver_of(const struct boot *b, const char *type)
{
	const char *module = needs_link_driver(type);

	return module ? modules_find(b->modules, module) : NULL;
}

static bool driver_ready(const struct boot *b, const char *type)
{
	const struct module_entry *e = driver_of(b, type);

	/* By its alias the driver has a name we do not know: it is there when the queue is empty. */
	if (!needs_link_driver(type))
		return b->stage == STAGE_POST && modules_settled(b->modules);
	return e && (e->state == MODULE_LOADED || e->state == MODULE_PRESENT);
}

static bool driver_failed(const struct boot *b, const char *type)
{
	const struct module_entry *e = driver_of(b, type);

	return e && (e->state == MODULE_FAILED || e->state == MODULE_BLOCKED);
}

void soft_links_request(struct boot *b, uint64_t now)
{
	const struct plan_net *net = &b->plan->net;

	for (size_t i = 0; i < net->n_rdma_links; i++) {
		const char *type = net->rdma_links[i].type;
		char alias[96];

		if (needs_link_driver(type))
			continue;
		snprintf(alias, sizeof(alias), "rdma-link-%s", type);
		/* It may be built in, or come with rd.driver.post=: the kernel has the last word. */
		if (modules_request_alias(b->modules, alias, now) < 0)
			report_log(b->report, REPORT_INFO, net->rdma_links[i].name, now, "no module has the alias %s", alias);
	}
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
