/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns: modules whose place in the queue their dependencies do not tell. When a module brings trace events, the kernel
 * writes the numbers of its enumerations into their formats (kernel/trace/trace_events.c, trace_event_update_all).
 * nfsv4 has so many of both that a third of a boot's module time goes there, and kernels that take event_mutex for it
 * (stable 6.1 of 2026) let no other module come to life meanwhile. What comes before that, reading, checking and
 * linking, goes on. So nfsv4 begins when so little else is left that it gets done before the lock; and what has nearly
 * all of its load before that point, and is not needed before the mount, goes beside it.
 */
#pragma once

#include "base/util.h"

enum turn {
	TURN_NORMAL, /* by its rank */
	TURN_LATE,   /* first when little is left, else after the normal ones */
	TURN_BESIDE, /* last */
};

/*
 * How much of its cost the late one spends before the lock, as a divisor: a fifth of its time was measured, but for its
 * size it takes twice as long as others, so it is two fifths in their measure. A little less, to be early.
 */
#define TURN_LATE_FREE 3

/* turn_of: name with '_'. */
enum turn turn_of(const char *module);
