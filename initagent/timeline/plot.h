/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot: the layout of a boot's picture: sections of rows of bars on a time axis. Pure. */
#pragma once

#include "axis.h"
#include "state/record.h"
#include "look.h"

/* Units (px) of the picture: the whole width, the column of labels, the margin at the right. */
#define PLOT_WIDTH  1120.0
#define PLOT_LEFT   176.0
#define PLOT_RIGHT  28.0
#define PLOT_INNER  (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT)
/* A bar is at least this wide, so that the shortest is seen. */
#define PLOT_BAR_MIN 2.0

struct plot_bar {
	double begin, end; /* s */
	double x, width;   /* units from the left of the plot's inner part */
	enum look look;
	const char *label; /* short; NULL for none */
	double label_x;	   /* where the label's text starts, or ends if label_before */
	bool label_inside, label_before;
	size_t label_max;  /* characters that there is room for; 0: the label is not shown */
	const char *title; /* the whole truth, for the pointer */
};

struct plot_row {
	const char *label;
	struct plot_bar *bars;
	size_t n;
};

struct plot_section {
	const char *title;
	struct plot_row *rows;
	size_t n, left_out; /* rows that are too many */
};

struct plot {
	struct axis axis;
	struct plot_section *sections; /* only such with rows */
	size_t n;
};

/* plot_make: the plot of a record, which has to outlive it. Returns 0 or -ENOMEM. */
int plot_make(struct plot **ret, const struct record *r);
struct plot *plot_free(struct plot *p);
DEFINE_FREEP(struct plot, plot_free)
