// SPDX-License-Identifier: GPL-2.0-or-later
/* profiles: the rails that are kept, gathered for the network profiles of the real root. */
#include <poll.h>

#include "base/mountpoint.h"
#include "boot/private.h"
#include "handover/profiles.h"
#include "handover/root_facts.h"
#include "handover/udev.h"
#include "handover/xcat_root.h"
#include "report/report.h"

static void fill_parent(const struct boot *b, const struct netdev *dev, struct profile_rail *out)
{
	const struct netdev *parent = links_by_index(rails_links(b->rails), dev->parent_ifindex);

	if (!ipoib_is_child(dev) || !parent)
		return;
	strscpy(out->parent, parent->name, sizeof(out->parent));
	out->parent_ifindex = parent->ifindex;
}

/* An adapter that ip= names: it is to be brought up later, if not now. */
static bool is_asked_for(const struct rail *rail, const struct netdev *dev)
{
	return rail->ip && !plan_ip_is_open(rail->ip) && !netdev_is_made(dev) &&
	       !dev->master_ifindex;
}

/* Of a rail that has an address (to be kept), or of one that has none and is awaited; false: it is
 * none of these. */
static bool fill_rail(const struct boot *b, const struct rail *rail, int root, bool awaited,
	struct profile_rail *out)
{
	const struct netdev *dev = links_by_index(rails_links(b->rails), rail->ifindex);

	*out = (struct profile_rail){
		.four = addresses_held(rails_addresses(b->rails), rail->ifindex, AF_INET),
		.six = addresses_held(rails_addresses(b->rails), rail->ifindex, AF_INET6),
		.carries_root = rail->ifindex == root || b->beside.only,
	};
	out->awaited = !out->four && !out->six;
	if (!dev || out->awaited != awaited || (awaited && !is_asked_for(rail, dev)) ||
		address_config_from_plan(&out->cfg, b->plan, rail->ip, dev) < 0)
		return false;
	out->dev = *dev;
	out->cfg.metric = rail->metric;
	out->connected = env_is(&b->env, "connected", "/sys/class/net/%s/mode", dev->name);
	fill_parent(b, dev, out);
	return true;
}

/* What the rails are made of, below them in the list: they keep their state, too. */
static size_t add_parts(const struct boot *b, struct profile_rail *rails, size_t n)
{
	const struct links *links = rails_links(b->rails);

	for (size_t i = 0; i < n; i++)
		for (const struct netdev *d = NULL; (d = links_next(links, d));) {
			size_t k = 0;

			while (k < n && rails[k].dev.ifindex != d->ifindex)
				k++;
			if (k == n && n < RAILS_LIMIT && netdev_is_upper(&rails[i].dev, d))
				rails[n++] = (struct profile_rail){.dev = *d, .part = true};
		}
	return n;
}

static void fill_made(const struct boot *b, struct profile_rail *rail)
{
	const struct plan_net *net = &b->plan->net;
	const struct netdev *master =
		links_by_index(rails_links(b->rails), rail->dev.master_ifindex);

	for (size_t i = 0; i < net->n_links && netdev_is_made(&rail->dev); i++)
		if (streq(net->links[i].name, rail->dev.name))
			rail->made = &net->links[i];
	for (size_t i = 0; master && i < net->n_links; i++)
		if (streq(net->links[i].name, master->name)) {
			strscpy(rail->master, master->name, sizeof(rail->master));
			rail->master_kind = plan_link_kind_name(net->links[i].kind);
		}
}

/* How long the mounted root may take where rd.timeout= does not say: a server that is restarted is
 * back by then. */
#define ROOT_LIMIT (180 * NSEC_PER_SEC)

/* Begins while the agent still works on what follows from the mount; its rails decide the rest. */
static int read_root(const void *arg)
{
	const struct boot *b = arg;
	struct root_facts facts;
	struct root_facts_rails rails;

	root_facts_begin(b->args->sysroot, &facts);
	if (!worker_next(&rails, sizeof(rails)))
		return 1;
	root_facts_end(b->args->sysroot, &rails, b->plan, &facts);
	return worker_reply(&facts, sizeof(facts)) < 0;
}

struct worker_task boot_reader(const struct boot *b)
{
	return (struct worker_task){.run = read_root, .arg = b,
		.request_size = sizeof(struct root_facts_rails),
		.reply_size = sizeof(struct root_facts)};
}

/* The answer of the process that reads the root; meanwhile the console says what is waited for. */
static bool await_facts(struct boot *b, struct worker *w, struct root_facts *ret)
{
	uint64_t now = now_ns(), end = b->budgets.total_end == NSEC_NEVER ? now + ROOT_LIMIT
		: b->budgets.total_end;
	struct pollfd pfd = {.fd = worker_fd(w), .events = POLLIN};
	int r;

	report_wait(b->env.report, CAUSE_ROOT_SILENT, "root", now,
		"waiting for the mounted root to answer: reading its network configuration");
	while ((r = worker_receive(w, ret, now)) == 0 && now < end) {
		uint64_t next = min_u64(end, report_deadline(b->env.report));

		poll(&pfd, 1, next > now ? (int)((next - now) / NSEC_PER_MSEC + 1) : 0);
		now = now_ns();
		if (report_tick(b->env.report, now, end))
			summary_write(b, "running", now);
		report_flush(b->env.report);
	}
	report_wait_over(b->env.report, "root", now);
	if (r < 0)
		report_cause(b->env.report, CAUSE_HANDOVER_WRITE, "root", now,
			"the process that reads it died");
	return r != 0;
}

/* What cannot be handed over is said, and the boot goes on. */
static void judge_write(struct boot *b, const char *what, int r, uint64_t now)
{
	if (r < 0)
		report_cause(b->env.report, CAUSE_HANDOVER_WRITE, what, now, "%s", strerror(-r));
}

/* A root that was not mounted by a process that goes on to read it. */
static int start_reader(struct boot *b)
{
	const struct worker_spec spec = {
		.run = b->reader.task.run,
		.arg = b->reader.task.arg,
		.request_size = b->reader.task.request_size,
		.reply_size = b->reader.task.reply_size,
	};

	return b->reader.worker ? 0 : worker_start(&b->reader.worker, &spec, 0);
}

/* Not by this process: a mounted root whose server is gone answers no look, and nothing but the
 * process's end ends it. */
static bool read_facts(struct boot *b, const struct profile_set *set, struct root_facts *ret)
{
	struct root_facts_rails rails = {.n = (uint32_t)set->n_rails};
	int r = start_reader(b);
	bool there;

	*ret = (struct root_facts){0};
	judge_write(b, "root", r, now_ns());
	if (r < 0)
		return true;
	for (size_t i = 0; i < set->n_rails; i++) {
		strscpy(rails.names[i], set->rails[i].dev.name, IFNAMSIZ);
		rails.hw[i] = set->rails[i].dev.hw;
	}
	(void)worker_send(b->reader.worker, &rails);
	there = await_facts(b, b->reader.worker, ret);
	b->reader.worker = worker_free(b->reader.worker);
	return there;
}

/* The kernel announces each change of the mounts by POLLPRI (fs/proc_namespace.c). */
void boot_await_root(struct boot *b, uint64_t now)
{
	b->beside.mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (b->beside.mounts >= 0)
		(void)loop_add_changes(b->loop, b->beside.mounts, TAG_MOUNTS);
	report_log(b->env.report, REPORT_INFO, NULL, now,
		"the network is up (rd.neednet); the root is left to dracut");
	report_flush(b->env.report);
}

bool boot_root_mounted(const struct boot *b)
{
	return b->beside.mounts < 0 || mount_is_point(b->args->sysroot);
}

static void write_net_conf(struct boot *b, uint64_t now)
{
	const struct profile_set set = {.env = &b->env, .now = now};
	struct profile_rail rail;
	size_t n;
	const struct rail *all = rails_list(b->rails, &n);

	for (size_t i = 0; i < n && b->args->net_conf; i++) {
		int r = fill_rail(b, &all[i], 0, false, &rail) ? klibc_write(&set, &rail) : 0;

		if (r < 0)
			report_cause(b->env.report, CAUSE_HANDOVER_WRITE, all[i].name, now,
				"/run/net-*.conf: %s", strerror(-r));
	}
}

void boot_online(struct boot *b, uint64_t now)
{
	char names[RAILS_LIMIT * IFNAMSIZ] = "";
	size_t n;
	const struct rail *all = rails_list(b->rails, &n);

	for (size_t i = 0; i < n; i++)
		if (all[i].state == RAIL_READY)
			str_add(names, sizeof(names), "%s\n", all[i].name);
	write_net_conf(b, now);
	judge_write(b, STATE_DIR "/online", running_online(&b->env, names), now);
}

bool boot_write_profiles(struct boot *b, uint64_t now)
{
	struct profile_rail rails[RAILS_LIMIT];
	struct root_facts facts;
	struct profile_set set = {
		.env = &b->env, .facts = &facts, .now = now, .wall = time(NULL), .rails = rails};
	size_t n;
	const struct rail *all = rails_list(b->rails, &n);
	char text[64];
	int r, root = boot_root_ifindex(b);
	bool any = false;

	write_net_conf(b, now);
	for (size_t i = 0; i < n; i++)
		set.n_rails += fill_rail(b, &all[i], root, false, &rails[set.n_rails]);
	set.n_rails = add_parts(b, rails, set.n_rails);
	for (size_t i = 0; i < set.n_rails; i++)
		fill_made(b, &rails[i]);
	set.awaited = rails + set.n_rails;
	for (size_t i = 0; i < n && set.n_rails + set.n_awaited < RAILS_LIMIT; i++)
		set.n_awaited += fill_rail(
			b, &all[i], root, true, &rails[set.n_rails + set.n_awaited]);
	if (!read_facts(b, &set, &facts))
		return false;
	profiles_write(&set, b->plan);
	if (b->plan->root.image.xcat)
		judge_write(b, "resolv.conf of the root",
			xcat_root_fill(&b->env, b->args->sysroot), now);
	for (size_t i = 0; i < set.n_rails; i++)
		any |= !facts.own[i];
	if (!any)
		facts.managers.chosen = 0;
	b->reader.managers = malloc(sizeof(*b->reader.managers));
	if (b->reader.managers)
		*b->reader.managers = facts.managers;
	report_log(b->env.report, REPORT_INFO, "handover", now, "network profiles for: %s",
		managers_text(facts.managers.chosen, text, sizeof(text)));
	r = udev_write(&set, b->plan);
	report_span(b->env.report, "handover", "profiles", now, now_ns(), r);
	judge_write(b, UDEV_RULES_FILE, r, now);
	return true;
}
