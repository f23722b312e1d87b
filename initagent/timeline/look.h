/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look: the class of chart.css for each thing; patterns and labels repeat what colours say. */
#pragma once

#include "base/util.h"

enum look {
	/* phases */
	LOOK_MODULES, LOOK_LINK, LOOK_ADDRESS, LOOK_PORT, LOOK_FETCH, LOOK_MOUNT, LOOK_OTHER,
	LOOK_GOOD, LOOK_WAIT, LOOK_BAD, LOOK_IDLE, /* states */
	LOOK_MAX,
};

/* look_class: its class, "p-modules" ... "s-idle". */
const char *look_class(enum look look);
/* look_legend: what it stands for, in a word or two. */
const char *look_legend(enum look look);
/* look_of_phase: of a phase's name; LOOK_OTHER for one that is not known. */
enum look look_of_phase(const char *name);
/* look_of_state: of a state's name in the timeline; LOOK_WAIT (under way) if unknown. */
enum look look_of_state(const char *state);
