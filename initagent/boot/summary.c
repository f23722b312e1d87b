// SPDX-License-Identifier: GPL-2.0-or-later
/* summary: what the boot knows, gathered for state.json, and the phase table for the console. */
#include "boot_private.h"
#include "link/netdev.h"
#include "report/report.h"

#define PHASES_MAX 8

static void fill_rail(struct boot *b, const struct rail *rail, int root_ifindex,
	struct state_rail *out)
{
	const struct netdev *dev = links_by_index(b->links, rail->ifindex), *parent;

	*out = (struct state_rail){
		.name = rail->name,
		.state = rail_state_name(rail->state),
		.ifindex = rail->ifindex,
		.metric = rail->metric,
		.carries_root = rail->ifindex == root_ifindex,
		.dev = dev,
		.address = addresses_result(b->addresses, rail->ifindex),
		.address6 = addresses_result_of(b->addresses, rail->ifindex, AF_INET6),
		.port = *rail->device ? fabric_find(b->fabric, rail->device, rail->port) : NULL,
	};
	/* alone it is the address */
	if (out->address6 == out->address)
		out->address6 = NULL;
	if (!dev || !netdev_pkey(dev))
		return;
	(void)env_read(&b->env, out->mode, sizeof(out->mode), "/sys/class/net/%s/mode", dev->name);
	parent = ipoib_is_child(dev) ? links_by_index(b->links, dev->parent_ifindex) : NULL;
	out->parent = parent ? parent->name : NULL;
}

/* The root's server; of an adopted root, as its record has it. */
static struct inet_addr server_address(const struct boot *b)
{
	const char *adopted = b->has_block ? b->adopted_block.address : b->adopted.address;
	struct inet_addr addr = b->target.addr;

	if (!addr.family && !b->has_image)
		(void)value_inet(adopted, strlen(adopted), &addr);
	return addr;
}

int boot_root_ifindex(struct boot *b)
{
	struct inet_addr addr = server_address(b);
	struct link_route way;

	if (b->outcome != BOOT_DONE || !addr.family || !b->links)
		return 0;
	return links_lookup(b->links, &addr, &way) < 0 ? 0 : way.ifindex;
}

static const struct rail *root_rail(struct boot *b)
{
	return rails_find(b, boot_root_ifindex(b));
}

/* First begin and last end of the modules that were loaded. */
static bool modules_phase(const struct boot *b, struct state_phase *ret)
{
	size_t n = 0;
	const struct module_entry *rows = b->modules ? modules_ledger(b->modules, &n) : NULL;

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

/* The phases overlap: modules load while the address is fetched. */
static size_t phases(struct boot *b, struct state_phase *list, uint64_t now)
{
	const struct rail *rail = root_rail(b);
	struct state_phase modules;
	size_t n = 0;

	if (modules_phase(b, &modules))
		list[n++] = modules;
	if (rail) {
		add_phase(list, &n, "link", b->run.start, rail->carrier);
		add_phase(list, &n, "address", rail->carrier, rail->address);
		add_phase(list, &n, "port", b->rdma_begin, b->rdma_end);
	}
	if (b->outcome == BOOT_DONE && b->web) {
		add_phase(list, &n, "fetch", b->target.began, web_result(b->web)->fetched);
		add_phase(list, &n, "mount", web_result(b->web)->fetched, b->root_up);
	} else if (b->outcome == BOOT_DONE && b->block) {
		add_phase(list, &n, "connect", b->target.began, block_connected(b->block));
		add_phase(list, &n, "mount", block_connected(b->block), b->root_up);
	} else if (b->outcome == BOOT_DONE) {
		add_phase(list, &n, "mount", b->target.began, b->root_up);
	}
	add_phase(list, &n, "total", b->run.start, now);
	return n;
}

void summary_phases(struct boot *b, uint64_t now)
{
	struct state_phase list[PHASES_MAX];
	size_t n = phases(b, list, now);
	char line[256] = "";
	size_t at = 0;

	for (size_t i = 0; i < n && at < sizeof(line); i++)
		at += (size_t)snprintf(line + at, sizeof(line) - at, "%s%s %.2f s", i ? ", " : "",
			list[i].name, (double)(list[i].end - list[i].begin) / 1e9);
	report_log(b->report, REPORT_INFO, NULL, now, "%s", line);
}

/* CPU time of this process alone, without its workers, in which modules start and mounts wait. */
static uint64_t cpu_ns(void)
{
	struct timespec ts = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* The root of one kind or the other, once it is mounted. */
static void fill_root(const struct boot *b, struct state_input *in)
{
	if (b->outcome != BOOT_DONE)
		return;
	if (b->web || b->has_image)
		in->web = b->web ? web_result(b->web) : &b->adopted_image;
	else if (b->block || b->has_block)
		in->block = b->block ? block_result(b->block) : &b->adopted_block;
	else
		in->root = b->root ? root_result(b->root) : &b->adopted;
}

int summary_write(struct boot *b, const char *outcome, uint64_t now)
{
	struct state_rail rails[RAILS_MAX];
	struct state_phase list[PHASES_MAX];
	struct state_input in = {
		.outcome = outcome,
		.cmdline = b->cmdline.proc,
		.now = now,
		.start = b->run.start,
		.wall = (int64_t)(wall_ns() / NSEC_PER_SEC),
		.plan = b->plan,
		.managers = b->handed_over ? &b->managers : NULL,
		.restarts = b->run.restarts,
		.cpu = cpu_ns(),
		.wakes = b->loop ? loop_wakes(b->loop) : (struct loop_wakes){0},
		.rails = rails,
		.n_rails = b->n_rails,
		.phases = list,
		.report = b->report,
	};
	int ifindex = boot_root_ifindex(b);
	struct web_progress fetch;

	for (size_t i = 0; i < b->n_rails; i++)
		fill_rail(b, &b->rails[i], ifindex, &rails[i]);
	if (b->fabric)
		in.ports = fabric_ports(b->fabric, &in.n_ports);
	in.n_phases = phases(b, list, now);
	if (b->modules)
		in.modules = modules_ledger(b->modules, &in.n_modules);
	fill_root(b, &in);
	if (b->web && b->outcome != BOOT_DONE) {
		web_progress(b->web, &fetch);
		in.fetch = &fetch;
	}
	return state_write(&b->env, &in);
}
