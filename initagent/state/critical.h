/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * critical: what the end of a boot waited for, what that waited for, and so on to the start. It is
 * found from the end backwards, with two tables in critical.c: which kinds of waits can have been
 * the reason for a step of each kind, and inside which ones others are waited for.
 */
#pragma once

#include "report/record.h"
#include "state/state.h"

#define CRITICAL_STEPS_MAX 64

struct critical_step {
	char name[2 * REPORT_NAME_MAX]; /* "nfsv4 module", "ib0 asking", "between", "start" */
	uint64_t begin, end;		/* CLOCK_BOOTTIME ns */
};

/*
 * critical_path: the steps of an ended boot from in->start to in->now, oldest first, none
 * overlapping; returns their number. v: the report of in. Of a boot that failed, states that had
 * not ended were waited for until in->now; of another one they were not waited for. Interfaces and
 * ports that the root is not reached over do not count, once it is known which these are. Of a
 * boot with several agents (in->restarts), those before this one are one step. Of a path with more
 * steps the first ones are left out.
 */
size_t critical_path(const struct state_input *in, const struct report_view *v,
	struct critical_step ret[static CRITICAL_STEPS_MAX]);
