/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmdline: collects the texts the plan is made of, in dracut's order of increasing weight: the
 * .conf files of /etc/cmdline.d by name, /etc/cmdline (neither with rd.hostonly=0),
 * /proc/cmdline, those of /run/initramfs/cmdline.d; before them systemd's credential import.pull.
 * Then, for a boot, what they leave to the boot tables of the firmware. It owns the plan, its
 * remarks and the text of /proc/cmdline until cmdline_done().
 * In: these files, the firmware's tables in sysfs. Out: the plan; causes and lines for what is
 * wrong with it.
 * Callers: boot/, doctor/, handover/, main.c. Tests: test_cmdline_firmware.c, base/test_core.c.
 */
#pragma once

#include "base/env.h"
#include "plan.h"
#include "report/causes.h"

/* Longest text kept of one source; the kernel's own command line is shorter. */
/* One byte more than is looked at, so that what is too long is seen, and the end of the text. */
#define CMDLINE_TEXT_MAX (PLAN_SOURCE_MAX + 2)
#define CMDLINE_SOURCES	 256

/* The plan with the texts it was made from (for state.json). */
struct cmdline {
	struct boot_plan *plan;
	char *proc; /* /proc/cmdline as read */
	struct diag_list *diags;
};

/* cmdline_load: reads and parses them. 0, -ENOMEM, -errno: /proc/cmdline is unreadable. */
int cmdline_load(const struct env *env, struct cmdline *ret);

/* cmdline_load_firmware: the same with what firmware_options() wrote. */
int cmdline_load_firmware(const struct env *env, const char *options, struct cmdline *ret);

/*
 * cmdline_firmware: adds to the plan what NBFT and iBFT say, where it is left to them (firmware.h);
 * without root= only if alone, the stand-alone image. Loads the module that reads an iBFT. Reports
 * what is taken, and each table that is refused. Returns the cause, reported as well, for which the
 * boot cannot go on, or CAUSE_NONE.
 */
enum cause cmdline_firmware(struct cmdline *c, const struct env *env, bool alone, uint64_t now);

/* cmdline_report: diagnostics: errors as causes, warnings on the console, notes in the log. */
void cmdline_report(const struct cmdline *c, const struct env *env, uint64_t now);

/* cmdline_root_error: which option names a root that cannot be used, with cmdline_report()'s text
 * about it; NULL: none. */
const char *cmdline_root_error(const struct cmdline *c, char *buf, size_t size);

void cmdline_done(struct cmdline *c);
