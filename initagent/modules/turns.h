/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns: which modules may be loaded beside which. When a module brings trace events, the kernel writes the numbers of
 * its enumerations into their formats (kernel/trace/trace_events.c, trace_event_update_all) under a lock that all others
 * with trace events want. nfsv4 has so many of both that a third of a boot's module time goes there. So it goes when
 * none of these is left to be held up, beside modules without trace events. Kernels that take event_mutex for it
 * (stable 6.1 of 2026) hold up those as well, but not before the lock: while nfsv4 is read, checked and linked, which is
 * a quarter of its time.
 */
#pragma once

#include "util.h"

enum turn {
	TURN_NORMAL, /* has trace events, or is not known */
	TURN_QUIET,  /* has none: goes beside the late one */
	TURN_LATE,   /* holds up all that are normal */
	TURN_MAX,
};

/* turn_of: name with '_'. */
enum turn turn_of(const char *module);
