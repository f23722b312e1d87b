/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switch_watch: while process 1 goes into the real root, it may wait for that root's server or disk
 * without end, and nothing can end that. A process beside it, which holds nothing of the root, says
 * what is waited for, and ends the machine when the time is over. When init has been executed it
 * frees the initramfs.
 */
#pragma once

#include "base/worker.h"
#include "plan.h"

struct switch_watch_config {
	int console_fd;
	char root[256];	     /* what is waited for, as the console names it: "10.0.0.1:/export" */
	/* CLOCK_BOOTTIME ns: of the time to be told, and after it action follows */
	uint64_t begin, end;
	/* PLAN_ACTION_NONE: it goes on waiting; a shell could not be left to anything */
	enum plan_action action;
};

struct switch_watch {
	struct worker *worker; /* NULL: none could be had; the switch goes on without */
};

/* switch_watch_begin: before the first touch of the root, from its "/" on the initramfs. */
void switch_watch_begin(struct switch_watch *w, const struct switch_watch_config *cfg);

/* switch_watch_step: what is about to be done ("execute /sbin/init"). */
void switch_watch_step(const struct switch_watch *w, const char *step);

/* switch_watch_work: the same of a work that waits for no server ("labelling"): without a limit. */
void switch_watch_work(const struct switch_watch *w, const char *work);

/* switch_watch_stop: the switch failed; nothing is freed. */
void switch_watch_stop(struct switch_watch *w);
