/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns: which modules may be loaded beside which. A module that brings trace events holds a lock of the kernel's
 * (trace_event_sem) that all others with trace events want: the more enumerations its events name, the longer
 * (kernel/trace/trace_events.c, trace_event_eval_update). nfsv4 has so many that half of a boot's module time goes
 * there. So it goes when nobody is left to be held up, beside modules without trace events.
 */
#pragma once

#include "util.h"

enum turn {
	TURN_NORMAL, /* has trace events, or is not known */
	TURN_QUIET,  /* has none: goes beside anything */
	TURN_LATE,   /* holds up all that are normal */
	TURN_MAX,
};

/* turn_of: name with '_'. */
enum turn turn_of(const char *module);
