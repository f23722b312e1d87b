// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/policy.h"

#include <sys/reboot.h>

#include "state/cmdline.h"
#include "base/worker.h"
#include "report/console.h"

/* A mounted root whose server is gone would be waited for without end. */
#define SYNC_MS	  5000
/* What a serial line of 9,600 baud has in its buffer takes 4.3 s. */
#define SETTLE_MS 6000

int policy_load(const struct env *env, struct policy *ret)
{
	struct cmdline c = {0};
	int r = cmdline_load(env, &c);

	*ret = (struct policy){.failure.action = PLAN_ACTION_REBOOT};
	if (r < 0)
		return r;
	ret->failure = c.plan->failure;
	ret->timeout_s = c.plan->timeout_s;
	cmdline_done(&c);
	return 0;
}

enum plan_action policy_follow(const struct policy *p,
	int (*shell)(const char *why, const char *leaving), const char *why)
{
	static const char *const leaving[] = {
		[PLAN_ACTION_NONE] = "tries the boot again",
		[PLAN_ACTION_REBOOT] = "restarts the machine (rd.emergency)",
		[PLAN_ACTION_POWEROFF] = "powers the machine off (rd.emergency)",
		[PLAN_ACTION_HALT] = "halts the machine (rd.emergency)",
	};
	bool shown = p->failure.shell && shell(why, leaving[p->failure.action]) == 0;

	if (p->failure.action != PLAN_ACTION_NONE)
		return p->failure.action;
	return shown ? PLAN_ACTION_NONE : PLAN_ACTION_HALT;
}

static int write_dirty(const void *arg)
{
	(void)arg;
	sync();
	return 0;
}

void policy_end(enum plan_action action, int console_fd)
{
	static const int commands[] = {
		[PLAN_ACTION_NONE] = RB_AUTOBOOT,
		[PLAN_ACTION_REBOOT] = RB_AUTOBOOT,
		[PLAN_ACTION_POWEROFF] = RB_POWER_OFF,
		[PLAN_ACTION_HALT] = RB_HALT_SYSTEM,
	};

	worker_try(write_dirty, NULL, -1, SYNC_MS * NSEC_PER_MSEC);
	console_settle(console_fd, SETTLE_MS);
	reboot(commands[action]);
}
