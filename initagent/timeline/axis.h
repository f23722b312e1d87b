/* SPDX-License-Identifier: GPL-2.0-or-later */
/* axis: a scale with round ticks. */
#pragma once

#include "base/util.h"

/* From..to is what is shown, a tick every step from first on. */
struct axis {
	double from, to, step, first;
	unsigned int ticks;  /* how many there are */
	unsigned int digits; /* after the point, for their labels */
};

/*
 * axis_make: from..to (0 <= from <= to) with at most `ticks` (2 or more) steps of 1, 2 or 5 times a
 * power of ten. An empty range is widened to a millisecond.
 */
struct axis axis_make(double from, double to, unsigned int ticks);

/* axis_counts: 0..most of something that is counted: its ticks are whole numbers. */
struct axis axis_counts(size_t most, unsigned int ticks);

/* axis_round: the axis with its ends moved out to ticks. */
struct axis axis_round(double from, double to, unsigned int ticks);

/* axis_tick: the value of tick i, 0 ... ticks - 1. */
double axis_tick(const struct axis *a, unsigned int i);

/* axis_at: where a value is on `width` units; values outside are moved to the ends. */
double axis_at(const struct axis *a, double value, double width);
