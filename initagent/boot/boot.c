// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * boot: the order of things: drivers, rails, target; what happens in one is passed on to the next.
 * The process around it is in start.c, what is opened in open.c, who may wait how long in ending.c.
 */
#include "boot/private.h"

#include "report/notify.h"

/* How long a mounted root waits for modules that are still loading; the kernel cannot be
 * hurried. */
#define LOADS_LIMIT (20 * NSEC_PER_SEC)

/* --- the loop -------------------------------------------------------------------------------- */

static uint64_t next_deadline(const struct boot *b)
{
	uint64_t d = min_u64(drivers_deadline(b->drivers), rails_deadline(b->rails));

	d = min_u64(d, min_u64(target_deadline(b->target), outbox_deadline(b->outbox)));
	d = min_u64(d, report_deadline(b->env.report));
	d = min_u64(d, extensions_deadline(b->beside.extensions));
	if (extensions_busy(b->beside.extensions))
		return min_u64(d, boot_extensions_end(b));
	if (b->budgets.root_up)
		return min_u64(d, b->budgets.root_up + LOADS_LIMIT);
	return min_u64(d, min_u64(b->budgets.network_end, b->budgets.total_end));
}

/* Every object whose fd is ready or whose deadline has passed. An error here ends the agent. */
static int dispatch(struct boot *b, const bool ready[TAG_MAX], uint64_t now)
{
	struct modules *modules = drivers_modules(b->drivers);
	int r = 0;

	if (ready[TAG_MODULES] || now >= modules_deadline(modules))
		r = modules_dispatch(modules, now);
	if (r >= 0 && (ready[TAG_RAILS] || now >= rails_deadline(b->rails)))
		r = rails_dispatch(b->rails, now);
	if (r >= 0)
		target_dispatch(b->target, ready[TAG_ROOT], now);
	extensions_dispatch(b->beside.extensions, ready[TAG_EXTENSIONS], now);
	report_flush(b->env.report);
	outbox_dispatch(b->outbox, b->rails, ready[TAG_OUTBOX], now);
	return r;
}

/* --- what happens, and who is told ----------------------------------------------------------- */

static void step_drivers(struct boot *b, uint64_t now)
{
	char where[REPORT_NAME_MAX], text[REPORT_TEXT_MAX];
	enum cause cause;

	if (!drivers_step(b->drivers, now, &cause, where, text))
		boot_fail(b, cause, where, now, text);
	if (drivers_named(b->drivers))
		rails_drivers_named(b->rails, now);
}

static void rails_event(struct boot *b, const struct rails_event *ev, uint64_t now)
{
	switch (ev->type) {
	case RAILS_ADDRESS:
		if (!b->beside.only)
			target_network_changed(b->target, now);
		outbox_up(b->outbox, b->rails, now);
		break;
	case RAILS_LOST:
		target_rail_lost(b->target, ev->ifindex, now);
		extensions_way_lost(b->beside.extensions, now);
		break;
	case RAILS_NEIGHBOUR: target_neighbour(b->target, &ev->neighbour, now); break;
	case RAILS_RESOLVED:
		if (ev->asker == RAILS_ASKER_OUTBOX)
			outbox_resolved(b->outbox, &ev->resolved, now);
		else if (ev->asker == RAILS_ASKER_EXTENSIONS)
			extensions_resolved(b->beside.extensions, &ev->resolved, now);
		else
			target_resolved(b->target, &ev->resolved, now);
		break;
	case RAILS_FATAL:
		boot_fail(b, ev->fatal.cause, ev->fatal.where, now, ev->fatal.text);
		break;
	}
}

static void take_rails_events(struct boot *b, uint64_t now)
{
	struct rails_event ev;

	while (rails_pop_event(b->rails, &ev))
		rails_event(b, &ev, now);
}

static void step_rails(struct boot *b, uint64_t now)
{
	rails_want(b->rails, target_wants_rdma(b->target), target_family(b->target));
	rails_step(b->rails, now);
	take_rails_events(b, now);
}

/* It has to say nothing before it is asked: its end would wake the loop again and again. */
static void take_reader(struct boot *b)
{
	b->reader.worker = target_reader(b->target);
	if (b->reader.worker)
		loop_remove(b->loop, worker_fd(b->reader.worker));
}

static void target_event(struct boot *b, const struct target_event *ev, uint64_t now)
{
	struct need needs[NEEDS_MAX];

	switch (ev->type) {
	case TARGET_NAMED:
		drivers_need(b->drivers, needs, target_needs(b->target, needs), now);
		break;
	/* A mount may take long: state.json shows the boot up to here meanwhile. And what writes it
	 * has been run once. */
	case TARGET_MOUNTING: (void)summary_write(b, "running", now); break;
	case TARGET_MOUNTED:
		rails_keep(b->rails);
		boot_online(b, now);
		take_reader(b);
		b->end.outcome = BOOT_DONE;
		b->budgets.root_up = now;
		extensions_begin(b->beside.extensions, now);
		break;
	case TARGET_FAILED: boot_fail(b, ev->cause, ev->where, now, ev->text); break;
	}
}

static void step_target(struct boot *b, uint64_t now)
{
	struct target_modules modules;
	struct target_event ev;

	drivers_state(b->drivers, &modules);
	target_step(b->target, &modules, now);
	while (target_pop_event(b->target, &ev))
		target_event(b, &ev, now);
	boot_renew_budget(b, target_fresh_bytes(b->target), now);
}

/*
 * rd.neednet= beside a root of dracut's: once the network is up, nothing ends the boot but dracut's
 * mount, which may wait for a passphrase. Leases are renewed meanwhile. The root needs none of
 * them, so one that has expired goes with its address.
 */
static void step_network(struct boot *b, uint64_t now)
{
	if (!b->beside.up && rails_all_ready(b->rails, now)) {
		b->beside.up = now;
		b->end.outcome = BOOT_DONE;
		b->budgets.network_end = b->budgets.total_end = NSEC_NEVER;
		summary_phases(b, now);
		boot_online(b, now);
		boot_await_root(b, now);
		extensions_begin(b->beside.extensions, now);
	}
	if (b->beside.up && !b->budgets.root_up && boot_root_mounted(b))
		b->budgets.root_up = now;
}

static void show_status(struct boot *b, uint64_t now)
{
	uint64_t end = min_u64(b->budgets.network_end, b->budgets.total_end);
	const char *line = report_tick(b->env.report, now, end);

	if (!line)
		return;
	summary_write(b, "running", now);
	outbox_wait(b->outbox, b->rails, line, now);
	if (b->args->notify)
		notify_status(line);
}

/* Modules that were asked for but are still loading (rd.driver.post) get their time before the real
 * root takes over; so does an interface whose cable is just out: only its address has a profile. */
static void check_end(struct boot *b, uint64_t now)
{
	bool loaded = drivers_settled(b->drivers);

	if (!b->budgets.root_up || b->end.finished)
		return;
	if (extensions_busy(b->beside.extensions) && now < boot_extensions_end(b))
		return;
	extensions_stop(b->beside.extensions, now);
	b->end.finished = now >= b->budgets.root_up + LOADS_LIMIT ||
		(loaded && (!b->beside.only || rails_all_ready(b->rails, now)));
	if (!loaded && !b->end.finished)
		report_wait(b->env.report, CAUSE_MODULE_STUCK, "modules", now,
			"waiting for the last kernel modules to load");
}

static void step(struct boot *b, uint64_t now)
{
	int fd;

	step_drivers(b, now);
	step_rails(b, now);
	if (!b->end.finished && b->beside.only)
		step_network(b, now);
	else if (!b->end.finished)
		step_target(b, now);
	boot_check_budgets(b, now);
	check_end(b, now);
	/* A source has another fd with each attempt; one that is watched already is no error. */
	fd = target_fd(b->target);
	if (fd >= 0)
		(void)loop_add(b->loop, fd, TAG_ROOT);
	fd = extensions_fd(b->beside.extensions);
	if (fd >= 0)
		(void)loop_add(b->loop, fd, TAG_EXTENSIONS);
	outbox_step(b->outbox, b->rails, now);
	if (b->end.finished)
		return;
	modules_start(drivers_modules(b->drivers), now);
	show_status(b, now);
}

static void run(struct boot *b)
{
	uint64_t now = now_ns();

	step(b, now);
	while (!b->end.finished) {
		bool ready[TAG_MAX] = {false};
		int tags[TAG_MAX];
		int r = loop_wait(b->loop, next_deadline(b), tags, TAG_MAX);

		for (int i = 0; i < r; i++)
			ready[tags[i]] = true;
		now = now_ns();
		if (r >= 0)
			r = dispatch(b, ready, now);
		if (r < 0)
			boot_fail(b, CAUSE_INTERNAL, "loop", now, strerror(-r));
		step(b, now);
	}
}

/* --- from the first to the last step --------------------------------------------------------- */

/*
 * An earlier agent may have been killed after the mount: then everything is there already,
 * but perhaps not said. Its rails are found as at a start; nothing is taken off them any more.
 */
static bool adopt(struct boot *b, uint64_t now)
{
	int r = target_adopt(b->target, now);

	if (r < 0)
		boot_fail(b, CAUSE_ROOT_MOUNT_FAILED, b->args->sysroot, now,
			"another file system is already mounted there");
	if (r <= 0)
		return b->end.finished;
	rails_keep(b->rails);
	rails_drivers_named(b->rails, now);
	rails_step(b->rails, now);
	boot_online(b, now);
	extensions_begin(b->beside.extensions, now);
	b->budgets.root_up = now;
	b->end = (struct ending){.finished = !extensions_busy(b->beside.extensions),
		.outcome = BOOT_DONE};
	return true;
}

void boot_run(struct boot *b, uint64_t now)
{
	int r;

	b->reader.task = boot_reader(b);
	b->budgets.network_end = plan_network_deadline(b->plan, b->run.start);
	b->budgets.total_end = plan_deadline(b->plan, b->run.start);
	r = outbox_new(&b->outbox, &b->env, b->plan, now);
	if (r >= 0)
		r = boot_open(b, now_ns());
	if (r < 0) {
		boot_fail(b, CAUSE_INTERNAL, "start", now, strerror(-r));
		return;
	}
	if (b->beside.only || !adopt(b, now)) {
		rails_check_plan(b->rails, now);
		take_rails_events(b, now);
	}
	if (!b->end.finished)
		run(b);
}
