// SPDX-License-Identifier: GPL-2.0-or-later
/* summary: what the boot knows, gathered for state.json, and the phase table for the console. */
#include "boot/private.h"
#include "report/report.h"

#define PHASES_MAX 8

static void fill_lower(const struct links *links, struct state_rail *out)
{
	const struct netdev *d = NULL;

	while (out->dev && out->n_lower < STATE_LOWER_MAX && (d = links_next(links, d)))
		if (netdev_is_upper(out->dev, d))
			out->lower[out->n_lower++] = d->name;
}

static void fill_rail(const struct boot *b, const struct rail *rail, int root_ifindex,
	struct state_rail *out)
{
	const struct addresses *addresses = rails_addresses(b->rails);
	const struct links *links = rails_links(b->rails);
	const struct netdev *dev = links_by_index(links, rail->ifindex), *parent;

	*out = (struct state_rail){
		.name = rail->name,
		.state = rail_state_name(rail->state),
		.ifindex = rail->ifindex,
		.metric = rail->metric,
		.carries_root = rail->ifindex == root_ifindex,
		.dev = dev,
		.address = addresses_result(addresses, rail->ifindex),
		.address6 = addresses_result_of(addresses, rail->ifindex, AF_INET6),
		.port = *rail->device
				? fabric_find(rails_fabric(b->rails), rail->device, rail->port)
				: NULL,
	};
	/* alone it is the address */
	if (out->address6 == out->address)
		out->address6 = NULL;
	fill_lower(links, out);
	if (!dev || !netdev_pkey(dev))
		return;
	(void)env_read(&b->env, out->mode, sizeof(out->mode), "/sys/class/net/%s/mode", dev->name);
	parent = ipoib_is_child(dev) ? links_by_index(links, dev->parent_ifindex) : NULL;
	out->parent = parent ? parent->name : NULL;
}

int boot_root_ifindex(const struct boot *b)
{
	return b->target && b->end.outcome == BOOT_DONE ? target_ifindex(b->target) : 0;
}

/* First begin and last end of the modules that were loaded. */
static bool modules_phase(const struct boot *b, struct state_phase *ret)
{
	size_t n = 0;
	const struct module_entry *rows =
		b->drivers ? modules_ledger(drivers_modules(b->drivers), &n) : NULL;

	*ret = (struct state_phase){.name = "modules", .begin = NSEC_NEVER};
	for (size_t i = 0; i < n; i++) {
		if (rows[i].state != MODULE_LOADED)
			continue;
		ret->begin = min_u64(ret->begin, rows[i].begin);
		ret->end = rows[i].end > ret->end ? rows[i].end : ret->end;
	}
	return ret->end != 0;
}

static void add_phase(struct state_phase *list, size_t *n, const char *name, uint64_t begin,
	uint64_t end)
{
	if (begin && end && end >= begin && *n < PHASES_MAX)
		list[(*n)++] = (struct state_phase){name, begin, end};
}

static size_t rail_phases(const struct boot *b, struct state_phase *list, size_t n)
{
	const struct rail *rail = b->rails ? rails_find(b->rails, boot_root_ifindex(b)) : NULL;
	uint64_t begin, end;

	if (!rail)
		return n;
	rails_rdma_span(b->rails, &begin, &end);
	add_phase(list, &n, "link", b->run.start, rail->carrier);
	add_phase(list, &n, "address", rail->carrier, rail->address);
	add_phase(list, &n, "port", begin, end);
	return n;
}

/* The phases overlap: modules load while the address is fetched. */
static size_t phases(const struct boot *b, struct state_phase *list, uint64_t now)
{
	const struct source *root;
	const struct source_ops *ops = b->target ? target_source(b->target, &root) : NULL;
	size_t n = 0;

	if (modules_phase(b, &list[0]))
		n++;
	n = rail_phases(b, list, n);
	if (b->end.outcome == BOOT_DONE && ops) {
		uint64_t began = target_began(b->target);

		if (ops->phase)
			add_phase(list, &n, ops->phase, began, root->phase_end);
		add_phase(list, &n, "mount", ops->phase ? root->phase_end : began,
			b->budgets.root_up);
	}
	add_phase(list, &n, "total", b->run.start, b->beside.up ? b->beside.up : now);
	return n;
}

/* CPU time of this process alone, without its workers, in which modules start and mounts wait. */
static uint64_t cpu_ns(void)
{
	struct timespec ts = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

void summary_phases(struct boot *b, uint64_t now)
{
	struct state_phase list[PHASES_MAX];
	size_t n = phases(b, list, now);
	char line[256] = "";

	for (size_t i = 0; i < n; i++)
		str_add(line, sizeof(line), "%s%s %.2f s", i ? ", " : "", list[i].name,
			(double)(list[i].end - list[i].begin) / 1e9);
	report_log(b->env.report, REPORT_INFO, NULL, now, "%s, CPU %.2f s", line,
		(double)cpu_ns() / 1e9);
}

/* The root once it is mounted; how far it is before that. */
static void fill_root(const struct boot *b, struct source_progress *fetch, struct state_input *in)
{
	const struct source *root;
	const struct source_ops *ops = b->target ? target_source(b->target, &root) : NULL;

	if (ops && b->end.outcome == BOOT_DONE) {
		in->root = ops;
		in->record = root->record;
	} else if (ops && ops->asks_alone) {
		ops->progress(root, fetch);
		in->fetch = fetch;
	}
}

int summary_write(struct boot *b, const char *outcome, uint64_t now)
{
	struct state_rail rails[RAILS_LIMIT];
	struct state_phase list[PHASES_MAX];
	struct source_progress fetch;
	struct state_input in = {
		.outcome = outcome,
		.cmdline = b->cmdline.proc,
		.now = now,
		.start = b->run.start,
		.wall = (int64_t)(wall_ns() / NSEC_PER_SEC),
		.plan = b->plan,
		.managers = b->reader.managers,
		.restarts = b->run.restarts,
		.cpu = cpu_ns(),
		.wakes = b->loop ? loop_wakes(b->loop) : (struct loop_wakes){0},
		.rails = rails,
		.phases = list,
		.report = b->env.report,
	};
	int ifindex = boot_root_ifindex(b);

	if (b->rails) {
		const struct rail *all = rails_list(b->rails, &in.n_rails);

		for (size_t i = 0; i < in.n_rails; i++)
			fill_rail(b, &all[i], ifindex, &rails[i]);
		in.ports = fabric_ports(rails_fabric(b->rails), &in.n_ports);
	}
	in.n_phases = phases(b, list, now);
	if (b->drivers)
		in.modules = modules_ledger(drivers_modules(b->drivers), &in.n_modules);
	fill_root(b, &fetch, &in);
	return state_write(&b->env, &in);
}
