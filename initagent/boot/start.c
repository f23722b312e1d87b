// SPDX-License-Identifier: GPL-2.0-or-later
/* start: see boot.h. What is around a boot: report, lock, break points, and what is given back at
 * its end. */
#include "boot/private.h"

#include "base/rcu.h"
#include "boot/shell.h"
#include "report/record.h"
#include "report/notify.h"

bool boot_claims(const struct boot_plan *plan)
{
	return sources_claim(plan);
}

static const struct {
	unsigned bits;
	const char *where;
} break_points[] = {
	{PLAN_BREAK_CMDLINE | PLAN_BREAK_PRE_UDEV | PLAN_BREAK_PRE_TRIGGER | PLAN_BREAK_INITQUEUE,
		"initagent: rd.break: before modules and network"},
	{PLAN_BREAK_PRE_MOUNT | PLAN_BREAK_MOUNT | PLAN_BREAK_PRE_PIVOT | PLAN_BREAK_CLEANUP
	| PLAN_BREAK_SWITCH_ROOT,
		"initagent: rd.break: the root is at /sysroot"},
};

/* rd.break is ours only in the stand-alone image; dracut has its own. after: the root is
 * mounted. */
static void break_point(struct boot *b, bool after, uint64_t now)
{
	if (!b->args->standalone || !(b->plan->breaks & break_points[after].bits))
		return;
	/* 'initagent status' in that shell has something to read. */
	if (!after)
		(void)summary_write(b, "running", now);
	if (shell_run(break_points[after].where, "continues the boot") < 0 || after)
		return;
	/* The user's time is not the network's. */
	now = now_ns();
	running_renew(&b->env, &b->run, now);
	report_renew(b->env.report, now);
}

/* There is no other who could mount it. */
static void no_plan(struct boot *b, uint64_t now)
{
	const struct plan_root *root = &b->plan->root;
	char text[REPORT_TEXT_MAX] = "";
	const char *malformed = cmdline_root_error(&b->cmdline, text, sizeof(text));

	if (root->kind != PLAN_ROOT_NONE) {
		snprintf(text, sizeof(text), "root=%s", root->text ? root->text : "");
		boot_fail(b, CAUSE_CMDLINE_ROOT_KIND, "root", now, text);
	} else if (malformed) {
		boot_fail(b, CAUSE_CMDLINE_MALFORMED, malformed, now, text);
	} else {
		boot_fail(b, CAUSE_CMDLINE_NO_ROOT, "root", now, "");
	}
}

/* What the root's kind lets us do, if it is known; false ends the boot. */
static bool plan_fits(struct boot *b, uint64_t now)
{
	const struct plan_root *root = &b->plan->root;

	if (b->end.finished)
		return false;
	b->beside.only = !boot_claims(b->plan) && b->plan->net.alone && !b->args->standalone;
	if (boot_claims(b->plan) || b->beside.only ||
		(b->plan->net.alone && root->kind == PLAN_ROOT_BLOCK))
		return true;
	if (b->args->standalone)
		no_plan(b, now);
	else
		b->end = (struct ending){.finished = true, .outcome = BOOT_NOT_OURS};
	return false;
}

/* Which init it is, is a surprise only where it is another than the one that is expected. */
static void take_init(struct boot *b, uint64_t now)
{
	const struct source *root;

	(void)target_source(b->target, &root);
	if (b->args->ret_init)
		strscpy(b->args->ret_init, root->init, BOOT_INIT_MAX);
	if (!b->plan->given[OPTION_INIT] && !streq(root->init, b->plan->init))
		report_log(b->env.report, REPORT_WARN, "root", now, "no usable %s; init is %s",
			b->plan->init, root->init);
}

static struct outbox_ending outbox_ending(const struct boot *b)
{
	return (struct outbox_ending){.done = b->end.outcome == BOOT_DONE, .cause = b->end.cause,
		.where = b->end.where,
		.start = b->run.start};
}

static void finish(struct boot *b, uint64_t now)
{
	struct outbox_ending end;
	int r;

	if (b->end.outcome == BOOT_NOT_OURS)
		return;
	if (b->end.outcome == BOOT_DONE && !b->beside.only)
		take_init(b, now);
	if (!b->beside.up)
		summary_phases(b, now);
	if (b->end.outcome == BOOT_DONE && !boot_write_profiles(b, now)) {
		now = now_ns();
		b->end.finished = false;
		boot_fail(b, CAUSE_ROOT_SILENT, "root", now, "reading its network configuration");
	}
	end = outbox_ending(b);
	if (b->outbox)
		outbox_last(b->outbox, b->rails, &end, now);
	r = summary_write(b, end.done ? "done" : "failed", now);
	if (r < 0)
		report_cause(b->env.report, CAUSE_HANDOVER_WRITE, STATE_DIR, now, "%s",
			strerror(-r));
	if (end.done)
		break_point(b, true, now);
}

/* Undo system-wide effects. */
static void give_back(struct boot *b)
{
	report_flush(b->env.report);
	if (b->rails)
		rails_close_verbs(b->rails);
	if (b->hurried)
		rcu_restore(&b->env);
	running_end(&b->env, &b->run, b->end.outcome == BOOT_DONE ? "done" : "failed");
}

/*
 * Once a root is mounted that needs no clean-up, process 1 does not wait for what ends with this
 * process anyway: idle workers, sockets, memory. Only where something is still to be sent, kept or
 * loaded it does.
 */
static bool can_detach(const struct boot *b)
{
	const struct source_ops *ops;
	const struct source *root;

	if (b->end.outcome != BOOT_DONE || !b->args->ret_init || b->args->words_fd < 0)
		return false;
	ops = target_source(b->target, &root);
	return ops->no_cleanup && outbox_is_empty(b->outbox) &&
		modules_settled(drivers_modules(b->drivers));
}

static void close_all(struct boot *b)
{
	b->reader.worker = worker_free(b->reader.worker);
	extensions_freep(&b->beside.extensions);
	target_freep(&b->target);
	rails_freep(&b->rails);
	drivers_freep(&b->drivers);
	loop_freep(&b->loop);
	closep(&b->beside.mounts);
}

/* The part between the lock and its release. *ret_detached: the process is left to its end as it
 * is. */
static enum boot_outcome boot_locked(struct boot *b, bool *ret_detached, uint64_t now)
{
	struct outbox_ending end;

	b->hurried = rcu_expedite(&b->env, b->run.restarts > 0);
	if (plan_fits(b, now)) {
		report_log(b->env.report, REPORT_INFO, NULL, now, "version %s, root %s%s",
			INITAGENT_VERSION,
			b->plan->root.text, b->run.restarts ? ", started again" : "");
		break_point(b, false, now);
		boot_run(b, now);
	}
	finish(b, now_ns());
	*ret_detached = can_detach(b);
	if (*ret_detached) {
		give_back(b);
		(void)!write(b->args->words_fd, "", 1);
		return BOOT_DONE;
	}
	close_all(b);
	end = outbox_ending(b);
	if (b->outbox)
		outbox_state(b->outbox, &end, now_ns());
	give_back(b);
	if (b->end.outcome == BOOT_DONE && b->args->notify)
		notify_send("READY=1\nSTATUS=root mounted");
	if (b->end.outcome == BOOT_FAILED)
		report_drain(b->env.report);
	return b->end.outcome;
}

/* The console shows progress unless "quiet"; rd.info and rd.debug win over it. */
static int open_report(struct boot *b, int kmsg, uint64_t start)
{
	const struct report_config cfg = {
		.console_fd = b->args->console_fd,
		.kmsg_fd = kmsg,
		.journal_fd = b->args->journal_fd,
		.quiet = b->plan->quiet && !b->plan->info,
		.debug = b->plan->debug,
		.start = start,
	};

	b->env.prefix = b->args->prefix;
	return report_new(&b->env.report, &cfg);
}

static void close_boot(struct boot *b)
{
	outbox_freep(&b->outbox);
	free(b->reader.managers);
	report_free(b->env.report);
	cmdline_done(&b->cmdline);
}

/* What dracut's module-setup.sh leaves in an image for one machine alone. */
static void judge_image(struct boot *b, uint64_t now)
{
	char machine[256] = "", made_for[64], here[64];

	if (env_read(&b->env, made_for, sizeof(made_for), "/etc/initagent/machine") <= 0 ||
		env_read(&b->env, here, sizeof(here), "/sys/class/dmi/id/product_uuid") <= 0 ||
		strcasecmp(made_for, here) == 0)
		return;
	(void)env_read(&b->env, machine, sizeof(machine), "/etc/initagent/hostonly");
	report_cause(b->env.report, CAUSE_IMAGE_FOREIGN, "image", now, "made on %s", machine);
}

enum boot_outcome boot_main(const struct boot_args *args)
{
	struct boot b = {.args = args, .end.outcome = BOOT_FAILED, .beside.mounts = -1};
	_cleanup_close_ int kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	bool detached = false;
	uint64_t now = now_ns();
	enum boot_outcome outcome = BOOT_FAILED;
	int r;

	/* The remarks on the command line need a report, the report's level needs the command
	 * line. */
	r = cmdline_load(&(struct env){.prefix = args->prefix}, &b.cmdline);
	if (r < 0)
		return BOOT_FAILED;
	b.plan = b.cmdline.plan;
	if (open_report(&b, kmsg, now) < 0)
		return BOOT_FAILED;
	if (args->standalone || boot_claims(b.plan) || b.plan->net.alone)
		b.end.cause = cmdline_firmware(&b.cmdline, &b.env, args->standalone, now);
	b.end.finished = b.end.cause != CAUSE_NONE;
	b.plan = b.cmdline.plan;
	cmdline_report(&b.cmdline, &b.env, now);
	judge_image(&b, now);
	r = running_begin(&b.env, now, &b.run);
	if (r < 0)
		report_cause(b.env.report, r == -EBUSY ? CAUSE_ALREADY_RUNNING
			: CAUSE_HANDOVER_WRITE, STATE_DIR, now, "%s", strerror(-r));
	else
		outcome = boot_locked(&b, &detached, now);
	if (!detached)
		close_boot(&b);
	return outcome;
}
