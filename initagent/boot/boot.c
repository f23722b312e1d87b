// SPDX-License-Identifier: GPL-2.0-or-later
/* boot: see boot.h. Start, loop and end of the plan runner. */
#include "boot.h"

#include "boot_private.h"
#include "report/notify.h"
#include "base/rcu.h"
#include "report/report.h"
#include "shell.h"

/* How long a mounted root waits for modules that are still loading; the kernel cannot be hurried. */
#define LOADS_LIMIT (20 * NSEC_PER_SEC)

/* A budget that is over is the cause; the last line names what it was spent on, which is what has to be looked at. */
static void fail_for(struct boot *b, enum cause cause, enum cause spent_on, const char *where, uint64_t now, const char *text)
{
	const struct cause_info *last = cause_info(spent_on == CAUSE_NONE ? cause : spent_on);
	const char *at = where ? where : "";

	if (b->finished)
		return;
	report_cause(b->report, cause, where, now, "%s", text);
	report_log(b->report, REPORT_ERR, NULL, now, "giving up after %u s: %s %s%s%s", (unsigned)((now - b->run.start) / NSEC_PER_SEC),
		last->code, at, *at ? ": " : "", last->text);
	b->cause = cause;
	strscpy(b->where, at, sizeof(b->where));
	b->outcome = BOOT_FAILED;
	b->finished = true;
}

void boot_fail(struct boot *b, enum cause cause, const char *where, uint64_t now, const char *text)
{
	fail_for(b, cause, cause, where, now, text);
}

bool boot_claims(const struct boot_plan *plan)
{
	return plan->root.kind == PLAN_ROOT_NFS || plan->root.kind == PLAN_ROOT_DHCP ||
		(plan->root.kind == PLAN_ROOT_LIVE && web_available()) ||
		(plan->root.kind == PLAN_ROOT_REMOTE && block_available());
}

/* The console shows progress unless "quiet"; rd.info and rd.debug win over it. */
static int open_report(struct boot *b, bool quiet, bool debug, uint64_t start)
{
	struct report_config cfg = {
		.console_fd = b->args->console_fd,
		.kmsg_fd = b->kmsg,
		.quiet = quiet,
		.debug = debug,
		.start = start,
	};
	int r = report_new(&b->report, &cfg);

	b->env = (struct env){.prefix = b->args->prefix, .report = b->report};
	return r;
}

static int watch_rooms(struct boot *b)
{
	const struct {
		int fd; /* -1: it has none */
		enum tag tag;
	} rows[] = {
		{modules_fd(b->modules), TAG_MODULES},
		{fabric_fd(b->fabric), TAG_FABRIC},
		{links_fd(b->links), TAG_LINKS},
		{addresses_fd(b->addresses), TAG_ADDRESSES},
		{report_fd(b->report), TAG_CONSOLE},
		{b->telling.tell ? tell_fd(b->telling.tell) : -1, TAG_TELL},
	};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(rows); i++)
		r = rows[i].fd >= 0 ? loop_add(b->loop, rows[i].fd, rows[i].tag) : 0;
	return r;
}

/*
 * Each listens before it looks, so nothing that comes meanwhile is missed. The first modules load while the other rooms
 * look at what is there.
 */
static int open_rooms(struct boot *b, uint64_t now)
{
	int r = loop_new(&b->loop);

	if (r >= 0)
		r = stage_begin(b, now);
	if (r >= 0)
		r = links_new(&b->links, &b->env, now);
	if (r >= 0 && b->run.failed)
		addresses_forget(&b->env, b->links, now);
	if (r >= 0)
		r = addresses_new(&b->addresses, &b->env, b->links, now);
	if (r >= 0)
		r = fabric_new(&b->fabric, &b->env, NULL);
	if (r >= 0)
		r = watch_rooms(b);
	if (r < 0)
		return r;
	fabric_set_smprobe(b->fabric, b->plan->ib.smprobe, now);
	fabric_describe(b->fabric, b->plan->ib.nodedesc, b->plan->net.hostname ? b->plan->net.hostname : "", now);
	return fabric_rescan(b->fabric, now);
}

static void close_rooms(struct boot *b)
{
	unsigned busy = b->modules ? modules_stop(b->modules) : 0;

	if (busy)
		report_log(b->report, REPORT_WARN, "modules", now_ns(),
			"%u module loads are still in the kernel and end by themselves", busy);
	root_freep(&b->root);
	web_freep(&b->web);
	block_freep(&b->block);
	if (b->fabric)
		fabric_close_verbs(b->fabric);
	fabric_freep(&b->fabric);
	addresses_freep(&b->addresses);
	links_freep(&b->links);
	modules_freep(&b->modules);
	loop_freep(&b->loop);
	target_done(&b->target);
}

/* The root room opens a new fd for each attempt; keeps the loop's view of it right. */
static void watch_root(struct boot *b)
{
	int fd = b->web ? web_fd(b->web) : b->block ? block_fd(b->block) : b->root ? root_fd(b->root) : -1;
	int r = -EBADF;

	if (fd == b->root_watched)
		return;
	if (fd >= 0)
		r = loop_add(b->loop, fd, TAG_ROOT);
	b->root_watched = r >= 0 || r == -EEXIST ? fd : -1;
}

static uint64_t next_deadline(const struct boot *b)
{
	uint64_t d = min_u64(modules_deadline(b->modules), fabric_deadline(b->fabric));

	d = min_u64(d, min_u64(links_deadline(b->links), addresses_deadline(b->addresses)));
	d = min_u64(d, min_u64(b->port_check, report_deadline(b->report)));
	d = min_u64(d, b->root ? root_deadline(b->root) : NSEC_NEVER);
	d = min_u64(d, b->web ? web_deadline(b->web) : NSEC_NEVER);
	d = min_u64(d, b->block ? block_deadline(b->block) : NSEC_NEVER);
	d = min_u64(d, telling_deadline(b));
	d = min_u64(d, b->target.retry);
	if (b->root_up)
		return min_u64(d, b->root_up + LOADS_LIMIT);
	return min_u64(d, min_u64(b->network_end, b->total_end));
}

static int dispatch_root(struct boot *b, bool ready, uint64_t now)
{
	if (b->web && (ready || now >= web_deadline(b->web))) {
		b->root_watched = -1;
		web_dispatch(b->web, now);
		return 0;
	}
	if (b->block && (ready || now >= block_deadline(b->block))) {
		b->root_watched = -1;
		block_dispatch(b->block, now);
		return 0;
	}
	if (!b->root || (!ready && now < root_deadline(b->root)))
		return 0;
	/* The room may close its fd now; the loop forgets a closed one by itself. */
	b->root_watched = -1;
	return root_dispatch(b->root, now);
}

/* Rooms whose fd is ready or whose time has come. A room that fails here is beyond repair. */
static int dispatch(struct boot *b, const bool ready[TAG_MAX], uint64_t now)
{
	int r = 0;

	if (ready[TAG_MODULES] || now >= modules_deadline(b->modules))
		r = modules_dispatch(b->modules, now);
	if (r >= 0 && (ready[TAG_LINKS] || now >= links_deadline(b->links)))
		r = links_dispatch(b->links, now);
	if (r >= 0 && (ready[TAG_ADDRESSES] || now >= addresses_deadline(b->addresses)))
		r = addresses_dispatch(b->addresses, now);
	if (r >= 0 && (ready[TAG_FABRIC] || now >= fabric_deadline(b->fabric)))
		r = fabric_dispatch(b->fabric, now);
	return r < 0 ? r : dispatch_root(b, ready[TAG_ROOT], now);
}

/* No rail is ready, and the root needs one (SRP over InfiniBand has none): the server cannot be the one that failed. */
static bool no_way(const struct boot *b)
{
	return !rails_other_ready(b, NULL) && !(b->target.block && !target_portal(b));
}

/*
 * rd.retry is over. If the network stands, it is the root that failed; if a rail failed for good, that
 * is the cause; else it is the wait that never ended, and then the budget itself.
 */
static void retry_over(struct boot *b, uint64_t now)
{
	char where[REPORT_NAME_MAX] = "";
	const char *text = "", *at = "", *rail = "";
	enum cause cause;

	rail_blame_now(b, now);
	cause = no_way(b) ? rails_failure(b, &rail) : CAUSE_NONE;
	if (cause == CAUSE_NONE && (cause = target_failure(b, &at, &text)) != CAUSE_NONE) {
		boot_fail(b, cause, at, now, text);
		return;
	}
	if (cause == CAUSE_NONE)
		cause = rails_failure(b, &rail);
	if (cause != CAUSE_NONE) {
		boot_fail(b, cause, rail, now, "not resolved within rd.retry");
		return;
	}
	cause = report_waits_over(b->report, now, "not resolved within rd.retry", where, sizeof(where));
	fail_for(b, CAUSE_TIMEOUT_RETRY, cause, where, now, "");
}

static void timeout_over(struct boot *b, uint64_t now)
{
	char where[REPORT_NAME_MAX] = "";
	enum cause cause = report_waits_over(b->report, now, "not resolved within rd.timeout", where, sizeof(where));

	fail_for(b, CAUSE_TIMEOUT_TOTAL, cause, where, now, "");
}

/* The budgets: rd.timeout for the whole, rd.retry for the network. */
static void check_budgets(struct boot *b, uint64_t now)
{
	if (b->finished || b->root_up)
		return;
	if (now >= b->total_end)
		timeout_over(b, now);
	else if (now >= b->network_end)
		retry_over(b, now);
}

static void show_status(struct boot *b, uint64_t now)
{
	const char *line = report_tick(b->report, now, min_u64(b->network_end, b->total_end));

	if (!line)
		return;
	summary_write(b, "running", now);
	telling_wait(b, now);
	plymouth_show(&b->plymouth, line);
	if (b->args->notify)
		notify_status(line);
}

/*
 * The root is mounted; modules that were asked for but are still loading (rd.driver.post) get their
 * time before the real root takes over.
 */
static void check_end(struct boot *b, uint64_t now)
{
	if (!b->root_up || b->finished)
		return;
	b->finished = stage_settled(b) || now >= b->root_up + LOADS_LIMIT;
	if (!b->finished)
		report_wait(b->report, CAUSE_MODULE_STUCK, "modules", now,
			"waiting for the last kernel modules to load");
}

static void step(struct boot *b, uint64_t now)
{
	stage_step(b, now);
	rails_step(b, now);
	target_step(b, now);
	check_budgets(b, now);
	check_end(b, now);
	watch_root(b);
	telling_step(b, now);
	if (!b->finished)
		show_status(b, now);
}

static void run(struct boot *b)
{
	uint64_t now = now_ns();

	step(b, now);
	while (!b->finished) {
		bool ready[TAG_MAX] = {false};
		int tags[TAG_MAX];
		int r = loop_wait(b->loop, next_deadline(b), tags, TAG_MAX);

		for (int i = 0; i < r; i++)
			ready[tags[i]] = true;
		now = now_ns();
		if (r >= 0)
			r = dispatch(b, ready, now);
		report_flush(b->report);
		telling_dispatch(b, ready[TAG_TELL], now);
		last_failure_step(b, now);
		if (r < 0)
			boot_fail(b, CAUSE_INTERNAL, "loop", now, strerror(-r));
		step(b, now);
	}
}

static const struct {
	unsigned bits;
	const char *where;
} break_points[] = {
	{PLAN_BREAK_CMDLINE | PLAN_BREAK_PRE_UDEV | PLAN_BREAK_PRE_TRIGGER | PLAN_BREAK_INITQUEUE,
		"initagent: rd.break: before modules and network"},
	{PLAN_BREAK_PRE_MOUNT | PLAN_BREAK_MOUNT | PLAN_BREAK_PRE_PIVOT | PLAN_BREAK_CLEANUP |
			PLAN_BREAK_SWITCH_ROOT,
		"initagent: rd.break: the root is at /sysroot"},
};

/* rd.break is ours only in the stand-alone image; dracut has its own. after: the root is mounted. */
static void break_point(struct boot *b, bool after, uint64_t now)
{
	if (!b->args->standalone || !(b->plan->breaks & break_points[after].bits))
		return;
	/* 'initagent status' in that shell has something to read. */
	if (!after)
		(void)summary_write(b, "running", now);
	if (shell_run(break_points[after].where, "goes on with the boot") < 0 || after)
		return;
	/* The user's time is not the network's. */
	now = now_ns();
	running_renew(&b->env, &b->run, now);
	report_renew(b->report, now);
}

/* What the root's kind lets us do; false ends the boot. */
static bool plan_fits(struct boot *b, uint64_t now)
{
	if (boot_claims(b->plan))
		return true;
	b->outcome = BOOT_NOT_OURS;
	b->finished = true;
	if (!b->args->standalone)
		return false;
	report_cause(b->report,
		b->plan->root.kind == PLAN_ROOT_NONE ? CAUSE_CMDLINE_NO_ROOT : CAUSE_CMDLINE_ROOT_KIND, "root",
		now, "root=%s", b->plan->root.text ? b->plan->root.text : "");
	b->outcome = BOOT_FAILED;
	return false;
}

/* An earlier agent may have been killed after the mount: then everything is there already. */
static bool adopt_image(struct boot *b, uint64_t now)
{
	const char *init = b->plan->given[OPTION_INIT] ? b->plan->init : NULL;

	if (image_adopt(&b->env, b->args->sysroot, init, &b->adopted_image.image) <= 0)
		return false;
	web_adopt(&b->env, &b->adopted_image);
	report_log(b->report, REPORT_INFO, "root", now, "the root of the image is mounted already, adopted");
	b->has_image = true;
	b->outcome = BOOT_DONE;
	b->finished = true;
	return true;
}

static bool adopt_block(struct boot *b, uint64_t now)
{
	const char *init = b->plan->given[OPTION_INIT] ? b->plan->init : NULL;

	if (!block_available() || block_adopt(&b->env, b->args->sysroot, init, &b->adopted_block) <= 0)
		return false;
	report_log(b->report, REPORT_INFO, "root", now, "the root on %s is mounted already, adopted",
		b->adopted_block.device);
	b->has_block = true;
	b->outcome = BOOT_DONE;
	b->finished = true;
	return true;
}

/*
 * Something is mounted that is no NFS root. Where the root may be an image, it is what an agent left that was
 * killed before it was through: that one's work begins anew.
 */
static void judge_leftover(struct boot *b, uint64_t now)
{
	if (b->plan->root.kind == PLAN_ROOT_NFS) {
		boot_fail(b, CAUSE_ROOT_MOUNT_FAILED, b->args->sysroot, now,
			"something that is not NFS is mounted there already");
		return;
	}
	report_log(b->report, REPORT_INFO, "root", now, "half a root at %s is taken away", b->args->sysroot);
	image_drop(&b->env, b->args->sysroot);
	block_drop(&b->env, b->args->sysroot);
}

static bool adopt_root(struct boot *b, uint64_t now)
{
	char source[NFS_SOURCE_MAX];
	int r = adopt_image(b, now) || adopt_block(b, now) ? 0 : root_adopt(&b->env, b->args->sysroot, &b->adopted);

	if (b->finished)
		return true;
	if (r == 0)
		return false;
	if (r < 0) {
		judge_leftover(b, now);
		return b->finished;
	}
	if (init_check_limited(b->args->sysroot, b->plan->given[OPTION_INIT] ? b->plan->init : NULL, b->adopted.init,
		    INIT_CHECK_LIMIT_MS) < 0)
		return false;
	report_log(b->report, REPORT_INFO, "root", now, "%s is mounted already, adopted",
		nfs_source(source, sizeof(source), b->adopted.server, b->adopted.path) ? source : "the root");
	b->outcome = BOOT_DONE;
	b->finished = true;
	return true;
}

/* The rails of an agent before are found as at a start; nothing is taken off them any more. */
static void adopt_rails(struct boot *b, uint64_t now)
{
	if (b->outcome != BOOT_DONE)
		return;
	addresses_keep(b->addresses);
	rails_step(b, now);
}

static void begin(struct boot *b, uint64_t now)
{
	int r;

	b->port_check = NSEC_NEVER;
	b->root_watched = -1;
	target_forget(b);
	if (!plan_fits(b, now))
		return;
	report_log(b->report, REPORT_INFO, NULL, now, "version %s, root %s%s", INITAGENT_VERSION,
		b->plan->root.text, b->run.restarts ? ", started again" : "");
	break_point(b, false, now);
	b->network_end = plan_network_deadline(b->plan, b->run.start);
	b->total_end = plan_deadline(b->plan, b->run.start);
	telling_begin(b, now);
	r = open_rooms(b, now_ns());
	if (r >= 0)
		last_failure_begin(b, now);
	if (r < 0) {
		boot_fail(b, CAUSE_INTERNAL, "start", now, strerror(-r));
		return;
	}
	if (adopt_root(b, now)) {
		adopt_rails(b, now);
		return;
	}
	made_links_check(b, now);
	if (!b->finished)
		run(b);
}

static const char *init_of(const struct boot *b)
{
	if (b->block || b->has_block)
		return (b->block ? block_result(b->block) : &b->adopted_block)->init;
	if (b->web || b->has_image)
		return (b->web ? web_result(b->web) : &b->adopted_image)->image.init;
	return (b->root ? root_result(b->root) : &b->adopted)->init;
}

/* Which init it is, is a surprise only where it is another than the one everybody expects. */
static void take_init(struct boot *b, uint64_t now)
{
	const char *init = init_of(b);

	if (b->args->ret_init)
		strscpy(b->args->ret_init, init, BOOT_INIT_MAX);
	if (!b->plan->given[OPTION_INIT] && !streq(init, b->plan->init))
		report_log(b->report, REPORT_WARN, "root", now, "no usable %s; init is %s", b->plan->init, init);
}

static void finish(struct boot *b, uint64_t now)
{
	bool done;
	int r;

	if (b->outcome == BOOT_NOT_OURS)
		return;
	if (b->outcome == BOOT_DONE)
		take_init(b, now);
	summary_phases(b, now);
	if (b->outcome == BOOT_DONE && !rail_profiles_write(b, now)) {
		now = now_ns();
		b->finished = false;
		boot_fail(b, CAUSE_ROOT_SILENT, "root", now, "reading its network configuration");
	}
	done = b->outcome == BOOT_DONE;
	last_failure_end(b, now);
	telling_last(b, now);
	r = summary_write(b, done ? "done" : "failed", now);
	if (r < 0)
		report_cause(b->report, CAUSE_HANDOVER_WRITE, STATE_DIR, now, "%s", strerror(-r));
	if (done)
		break_point(b, true, now);
}

/* What others feel of this process. */
static void give_back(struct boot *b)
{
	report_flush(b->report);
	if (b->fabric)
		fabric_close_verbs(b->fabric);
	if (b->hurried)
		rcu_restore(&b->env);
	running_end(&b->env, &b->run, b->outcome == BOOT_DONE ? "done" : "failed");
}

/*
 * Once an NFS root stands, process 1 does not wait for what ends with this process anyway: idle workers, sockets, memory. Only
 * where something is still to be sent, kept or loaded it does.
 */
static bool lets_go(const struct boot *b)
{
	return b->outcome == BOOT_DONE && b->root && b->args->ret_init && b->args->words_fd >= 0 && !b->telling.tell &&
	       !b->memory && modules_settled(b->modules);
}

static void let_go(const struct boot *b)
{
	const uint64_t word = 1;

	(void)!write(b->args->words_fd, &word, sizeof(word));
}

/* The part between the lock and its release. */
static enum boot_outcome boot_locked(struct boot *b, uint64_t now)
{
	b->hurried = rcu_expedite(&b->env, b->run.restarts > 0);
	begin(b, now);
	finish(b, now_ns());
	plymouth_show(&b->plymouth, "");
	plymouth_done(&b->plymouth);
	b->let_go = lets_go(b);
	if (b->let_go) {
		give_back(b);
		let_go(b);
		return BOOT_DONE;
	}
	close_rooms(b);
	telling_state(b, now_ns());
	give_back(b);
	if (b->outcome == BOOT_DONE && b->args->notify)
		notify_send("READY=1\nSTATUS=root mounted");
	if (b->outcome == BOOT_FAILED)
		report_drain(b->report);
	return b->outcome;
}

enum boot_outcome boot_main(const struct boot_args *args)
{
	struct boot b = {.args = args, .plymouth.fd = -1, .kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC)};
	uint64_t now = now_ns();
	enum boot_outcome outcome = BOOT_FAILED;
	int r;

	/* The remarks on the command line need a report, the report's level needs the command line. */
	r = cmdline_load(&(struct env){.prefix = args->prefix}, &b.cmdline);
	if (r < 0 || open_report(&b, b.cmdline.plan->quiet && !b.cmdline.plan->info,
			     b.cmdline.plan->debug, now) < 0)
		return BOOT_FAILED;
	b.plan = b.cmdline.plan;
	cmdline_report(&b.cmdline, &b.env, now);
	r = running_begin(&b.env, now, &b.run);
	if (r < 0)
		report_cause(b.report, r == -EBUSY ? CAUSE_ALREADY_RUNNING : CAUSE_HANDOVER_WRITE, STATE_DIR, now,
			"%s", strerror(-r));
	else
		outcome = boot_locked(&b, now);
	if (b.let_go)
		return outcome;
	report_free(b.report);
	cmdline_done(&b.cmdline);
	closep(&b.kmsg);
	return outcome;
}
