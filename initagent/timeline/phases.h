/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phases: each phase over all boots that reached their root. */
#pragma once

#include "boots.h"

/* One phase: the times (s) waited for it alone, and that it took in all, each rising. */
struct phase_stats {
	const char *name;
	double *alone, *took;
	size_t n;
};

struct phases {
	struct phase_stats list[16];
		/* in the order of a boot, then "between" (the time of no phase) and unknown ones */
	size_t n;
	double *values; /* of all of them */
};

/* phases_make: returns 0 or -ENOMEM. Names are borrowed from the boots. */
int phases_make(struct phases **ret, const struct boots *b);
struct phases *phases_free(struct phases *p);
DEFINE_FREEP(struct phases, phases_free)
