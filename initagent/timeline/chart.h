/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chart: SVG pictures of boots. */
#pragma once

#include "boots.h"

/*
 * How a picture begins: a file of its own (with the XML head and chart.css inside), or inside of a
 * page that has chart.css. `id` (not 0) makes the names in it differ from those of the page's other
 * pictures.
 */
struct chart_frame {
	bool file;
	unsigned int id;
	double width, height;
};

/* chart_open: <svg> with title and description for screen readers. chart_close: its end. */
void chart_open(FILE *out, const struct chart_frame *frame, const char *title,
	const char *description);
void chart_close(FILE *out);

/* chart_boot: the whole picture of one boot. Returns 0 or -ENOMEM. */
int chart_boot(FILE *out, const struct record *r, bool file, unsigned int id);

/* chart_mini: what the boot waited for as one bar; `longest` (s) fills `width`. Decoration. */
void chart_mini(FILE *out, const struct record *r, double longest, double width);

/* chart_many: one picture of many boots, a thin row each, sorted by time, failed ones below. */
int chart_many(FILE *out, const struct boots *b);

/* chart_legend: the looks from..to in a row at x, y. Patterns are those of the picture `id`. */
void chart_legend(FILE *out, double x, double y, int from, int to, unsigned int id);

/* chart_axis: a grid from y to y + height with labels in seconds above it. */
struct axis;
void chart_axis(FILE *out, const struct axis *a, double x, double y, double width, double height);

/* A stretch of a boot that was spent on one thing (an enum look). */
struct chart_segment {
	int look;
	double begin, end; /* s after the boot's start */
};

/* Phases with begin and end each make at most two edges, and a stretch before the first. */
enum { CHART_SEGMENTS = 64 };

/* chart_segments: what the boot waited for, stretch by stretch; at most `max`. Returns how many. */
size_t chart_segments(const struct record *r, struct chart_segment *ret, size_t max);

extern const char asset_chart_css[], asset_page_css[], asset_page_js[];
