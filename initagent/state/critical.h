/* SPDX-License-Identifier: GPL-2.0-or-later */
/* critical: what the end of a boot waited for, what that waited for, and so on to the start. */
#pragma once

#include "report/record.h"

#define CRITICAL_STEPS_MAX 64

struct critical_step {
	char name[2 * REPORT_NAME_MAX]; /* "nfsv4 module", "ib0 asking", "between", "start" */
	uint64_t begin, end;		/* CLOCK_BOOTTIME ns */
};

/*
 * critical_path: the steps from v->start to end, oldest first, none overlapping; returns their
 * number. Each is the work or state that ended last before the next one began: the agent continues
 * at once when what it waits for is there. An interface without carrier is split where a state of a
 * port ended meanwhile. Of a path with more steps the first ones are left out.
 */
size_t critical_path(const struct report_view *v, uint64_t end,
	struct critical_step ret[static CRITICAL_STEPS_MAX]);
