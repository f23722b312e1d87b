/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * private: struct boot, which boot/ alone sees, and the parts of the plan runner: start.c (the
 * process), open.c (its objects), boot.c (the order), ending.c (why it ended), summary.c (state),
 * profiles.c (hand-over).
 */
#pragma once

#include "base/loop.h"
#include "base/worker.h"
#include "boot/boot.h"
#include "boot/drivers.h"
#include "boot/outbox.h"
#include "root/extensions/extensions.h"
#include "root/target.h"
#include "state/cmdline.h"
#include "state/running.h"
#include "state/state.h"

/* Absolute; NSEC_NEVER: none. */
struct budgets {
	uint64_t network_end, total_end; /* rd.retry=, rd.timeout= */
	uint64_t root_up; /* when the root was mounted, and the network was up; 0: not yet */
};

struct ending {
	bool finished;
	enum boot_outcome outcome;
	enum cause cause; /* why it failed, and where */
	char where[REPORT_NAME_MAX];
};

/* Reads the mounted root's files for the hand-over. */
struct root_reader {
	struct worker_task task;
	struct worker *worker;	   /* does so since the mount; NULL: none */
	struct managers *managers; /* what it found; NULL: no profiles were written */
};

/* What goes beside a root: its extension images, and rd.neednet= where dracut mounts it. */
struct beside {
	struct extensions *extensions;
	bool only;   /* that is all there is to do */
	uint64_t up; /* since when it waits for that root; 0: not yet */
	int mounts;  /* announces mounts meanwhile */
};

/* What an fd of the loop belongs to. */
enum boot_tag {
	TAG_MODULES, TAG_RAILS, TAG_ROOT, TAG_EXTENSIONS, TAG_OUTBOX, TAG_CONSOLE, TAG_MOUNTS,
	TAG_MAX
};

/* The five objects, the plan, the clock's ends and the process; seen by boot/ alone. */
struct boot {
	const struct boot_args *args;
	struct env env; /* with the report */
	struct cmdline cmdline;
	const struct boot_plan *plan;
	struct running run;
	struct loop *loop;
	struct drivers *drivers;
	struct rails *rails;
	struct target *target;
	struct outbox *outbox;
	struct budgets budgets;
	struct ending end;
	struct root_reader reader;
	bool hurried;	   /* RCU's grace periods are expedited */
	struct beside beside;
};

/* open.c: makes the loop and all objects but the outbox. 0, or a negative errno. */
int boot_open(struct boot *b, uint64_t now);

/* boot.c: opens everything and runs the plan to its end; everything stays open. */
void boot_run(struct boot *b, uint64_t now);

/* ending.c. boot_fail: ends the boot with a cause; later calls do nothing. */
void boot_fail(struct boot *b, enum cause cause, const char *where, uint64_t now, const char *text);
/* boot_check_budgets: rd.timeout= for the whole, rd.retry= for the network. */
void boot_check_budgets(struct boot *b, uint64_t now);
/*
 * boot_renew_budget: rd.retry is for a network that does not work. While bytes come it does,
 * however long an image takes: new bytes put the end of the budget off, by as long as they may take
 * at the least rate (rd.net.min-rate=), and to the whole of it at most.
 */
void boot_renew_budget(struct boot *b, uint64_t bytes, uint64_t now);
/* boot_extensions_end: until when images beside the root may be fetched. */
uint64_t boot_extensions_end(const struct boot *b);

/* summary.c: state.json and the phase table. outcome is "running", "done" or "failed". */
int summary_write(struct boot *b, const char *outcome, uint64_t now);
void summary_phases(struct boot *b, uint64_t now);

/*
 * profiles.c: profiles in /run for the real root's network manager, rules for its udev; see
 * handover/profiles.h. false: the mounted root did not answer within rd.timeout, or 180 s.
 */
bool boot_write_profiles(struct boot *b, uint64_t now);
/* boot_online: the network is up: tells those who wait for that alone, and where args->net_conf
 * asks for it writes klibc's files of all rails that have an address. */
void boot_online(struct boot *b, uint64_t now);
/* boot_reader: the task of the process that reads the mounted root: b is borrowed. */
struct worker_task boot_reader(const struct boot *b);

/*
 * boot_await_root: beside.only: looks for mounts from now on. boot_root_mounted: has dracut
 * mounted the root, whose files decide what profiles are written?
 */
void boot_await_root(struct boot *b, uint64_t now);
bool boot_root_mounted(const struct boot *b);

/* boot_root_ifindex: the interface the mounted root is reached over; 0: none. */
int boot_root_ifindex(const struct boot *b);
