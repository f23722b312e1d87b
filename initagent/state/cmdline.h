/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmdline: collects the texts the plan is made of, in dracut's order of increasing weight:
 * the .conf files of /etc/cmdline.d by name, /etc/cmdline, /proc/cmdline.
 */
#pragma once

#include "base/env.h"
#include "plan.h"

/* Longest text kept of one source; the kernel's own command line is shorter. */
/* One byte more than is looked at, so that what is too long is seen, and the end of the text. */
#define CMDLINE_TEXT_MAX (PLAN_SOURCE_MAX + 2)
#define CMDLINE_SOURCES	 16

/* The plan with the texts it was made from (for state.json). */
struct cmdline {
	struct boot_plan *plan;
	char *proc; /* /proc/cmdline as read */
	struct diag_list *diags;
};

/* cmdline_load: reads and parses them. 0, -ENOMEM, -errno: /proc/cmdline is unreadable. */
int cmdline_load(const struct env *env, struct cmdline *ret);

/* cmdline_report: diagnostics: errors as causes, warnings on the console, notes in the log. */
void cmdline_report(const struct cmdline *c, const struct env *env, uint64_t now);
void cmdline_done(struct cmdline *c);
