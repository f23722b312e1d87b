// SPDX-License-Identifier: GPL-2.0-or-later
/* soft_links: software RDMA devices of the plan (rd.rdma.link=), made as soon as they can be. */
#include "rails/private.h"
#include "fabric/rdma_link.h"

/* The modules of the types that have no alias (rdma_netlink.h) in older kernels. */
const char *soft_link_module(const char *type)
{
	static const char *const types[][2] = {{"rxe", "rdma_rxe"}, {"siw", "siw"}};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (streq(type, types[i][0]))
			return types[i][1];
	return NULL;
}

/* Most drivers have their type's name. One that has another is there when the queue is empty. */
static bool driver_ready(const struct rails *rails, const char *type)
{
	const char *module = soft_link_module(type);
	const struct module_entry *e = modules_find(rails->cfg.modules, module ? module : type);

	if (e && (e->state == MODULE_LOADED || e->state == MODULE_PRESENT))
		return true;
	return !module && rails->drivers_named && modules_settled(rails->cfg.modules);
}

static bool driver_failed(const struct rails *rails, const char *type)
{
	const char *module = soft_link_module(type);
	const struct module_entry *e = module ? modules_find(rails->cfg.modules, module) : NULL;

	return e && (e->state == MODULE_FAILED || e->state == MODULE_BLOCKED);
}

static void make_link(struct rails *rails, size_t i, uint64_t now)
{
	const struct plan_rdma_link *want = &rails->plan->net.rdma_links[i];
	char text[160] = "";
	/* The call blocks while the kernel makes the device: its span needs the clock on both
	 * sides. */
	uint64_t began = now_ns();
	int r = rdma_link_add(want->name, want->type, want->netdev, text, sizeof(text));

	rails->links_made |= UINT64_C(1) << i;
	rails->rdma_begin = rails->rdma_begin ? rails->rdma_begin : began;
	report_span(rails->report, "fabric", want->name, began, now_ns(), r < 0 ? r : 0);
	if (r < 0) {
		rails->links_failed |= UINT64_C(1) << i;
		report_cause(rails->report, CAUSE_RDMA_LINK_FAILED, want->name, now,
			"%s on %s: %s", want->type,
			want->netdev, text);
		return;
	}
	report_log(rails->report, REPORT_INFO, want->name, now, "%s link on %s%s", want->type,
		want->netdev,
		r ? ", adopted" : "");
	fabric_rescan(rails->fabric, now);
}

bool soft_links_step(struct rails *rails, uint64_t now)
{
	uint64_t before = rails->links_made;
	const struct plan_net *net = &rails->plan->net;

	for (size_t i = 0; i < net->n_rdma_links; i++) {
		const struct plan_rdma_link *want = &net->rdma_links[i];
		const struct netdev *dev = naming_find(rails, want->netdev);
		const uint64_t bit = UINT64_C(1) << i;

		/* The kernel takes the device away with the interface: its next one has another. */
		if (!dev) {
			rails->links_made &= ~bit;
			rails->links_failed &= ~bit;
		}
		if (rails->links_made & bit)
			continue;
		if (driver_failed(rails, want->type))
			rails->links_failed |= bit;
		else if (driver_ready(rails, want->type) && dev && stack_ready(rails, dev))
			make_link(rails, i, now);
	}
	return rails->links_made != before;
}
