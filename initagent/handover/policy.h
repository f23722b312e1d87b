/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy: what process 1 of the stand-alone image does when it cannot go on. It holds rd.shell,
 * rd.emergency and rd.timeout, known before the first process is started, so that they count
 * however that one ends.
 * In: the command line's sources; why it cannot go on. Out: shell, another try, or the machine's
 * end.
 * Callers: boot/. Tests: tests/pid1.bats, tests-qemu/failure.bats.
 */
#pragma once

#include "base/env.h"
#include "plan.h"

struct policy {
	struct plan_failure failure;
	uint32_t timeout_s; /* rd.timeout; 0: none */
};

/*
 * policy_load: from the sources of the kernel command line (cmdline.h). Returns 0 or -errno; then
 * *ret is to reboot without a shell: it is unknown whether the node may show one, and what is
 * missing now (memory, /proc) may be there the next time.
 */
int policy_load(const struct env *env, struct policy *ret);

/*
 * policy_follow: what comes next, PLAN_ACTION_NONE: try again. Opens the shell first where the
 * policy has one; shell returns 0 when it was left, or -errno, as shell_run() does. Without a shell
 * a retry has no point: halt.
 */
enum plan_action policy_follow(const struct policy *p,
	int (*shell)(const char *why, const char *leaving), const char *why);

/*
 * policy_end: ends the machine; action is not PLAN_ACTION_NONE. What is dirty is written and the
 * console gets its last lines, but neither a dead disk or server nor a dead console is waited for.
 * Returns only if the kernel refuses.
 */
void policy_end(enum plan_action action, int console_fd);
