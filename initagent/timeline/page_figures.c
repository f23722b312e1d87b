// SPDX-License-Identifier: GPL-2.0-or-later
/* page: the figures of many boots: how their times are spread, and where the time goes. */
#include "axis.h"
#include "chart.h"
#include "look.h"
#include "page.h"

#define WIDTH  1120.0
#define LEFT   56.0
#define RIGHT  56.0
#define INNER  (WIDTH - LEFT - RIGHT)
#define TOP    30.0
#define BARS   210.0 /* height of the histogram */
#define BOX    260.0 /* width of a phase's box */
#define STRIP  34.0  /* of the strip below it */
#define MARK_TEXT 90.0 /* "median 123.45 s" and its distance, at 11 px */

enum { BINS = 60, BINS_MAX = 80 };

static double larger(double a, double b)
{
	return a > b ? a : b;
}

struct histogram {
	struct axis axis;
	size_t bins[BINS_MAX], n, most, beyond;
};

/* What is beyond the limit has one bar of its own at the end. */
static struct histogram count_bins(const struct boots *b)
{
	double last = b->times[b->n_times - 1], limit = boots_tail(b);
	struct histogram h = {.axis = axis_round(b->times[0], last < limit ? last : limit, BINS)};

	h.n = h.axis.ticks > 1 ? h.axis.ticks - 1 : 1;
	h.n = h.n < BINS_MAX ? h.n : BINS_MAX;
	for (size_t i = 0; i < b->n_times; i++) {
		double place = (b->times[i] - h.axis.from) / h.axis.step;
		size_t bin = (size_t)(place + 1e-9);

		/* the last bar holds its right end, too */
		if (bin == h.n && b->times[i] <= h.axis.to + 1e-9)
			bin--;
		if (bin >= h.n)
			h.beyond++;
		else
			h.bins[bin]++;
	}
	for (size_t i = 0; i < h.n; i++)
		h.most = h.bins[i] > h.most ? h.bins[i] : h.most;
	h.most = h.beyond > h.most ? h.beyond : h.most;
	return h;
}

static void draw_bin(FILE *out, const struct histogram *h, size_t i, double x, double width)
{
	size_t count = i < h->n ? h->bins[i] : h->beyond;
	double height = count ? larger(BARS * (double)count / (double)h->most, 1.5) : 0,
		from = h->axis.from;

	if (!count)
		return;
	from += h->axis.step * (double)i;
	fprintf(out, "<g><title>%zu boots: ", count);
	if (i < h->n)
		fprintf(out, "%.*f s to %.*f s", (int)h->axis.digits, from, (int)h->axis.digits,
			from + h->axis.step);
	else
		fprintf(out, "longer than %.*f s", (int)h->axis.digits, from);
	fprintf(out,
		"</title><rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
		"height=\"%.1f\"/></g>\n",
		i < h->n ? "p-modules" : "s-wait", x, TOP + BARS - height, width, height);
}

/* Every boot as a thin line, so that no bar hides how its boots are spread. */
static void draw_strip(FILE *out, const struct boots *b, const struct axis *a, double width)
{
	double y = TOP + BARS + 10;

	fputs("<path class=\"ch-end\" stroke-opacity=\".45\" d=\"", out);
	for (size_t i = 0; i < b->n_times; i++)
		if (b->times[i] <= a->to + 1e-9)
			fprintf(out, "M%.1f %.0fv%.0f", LEFT + axis_at(a, b->times[i], width), y,
				STRIP - 12);
	fputs("\"/>\n", out);
}

static void draw_mark(FILE *out, const struct axis *a, double width, double value, const char *name,
	double y)
{
	double x = LEFT + axis_at(a, value, width);
	bool left = x + MARK_TEXT > WIDTH;

	if (value > a->to)
		return;
	fprintf(out,
		"<path class=\"ch-end\" stroke-dasharray=\"4 3\" d=\"M%.1f %.0fV%.0f\"/><text%s "
			"x=\"%.1f\" y=\"%.0f\">%s "
		"%.2f s</text>\n",
		x, y, TOP + BARS + STRIP, left ? " text-anchor=\"end\"" : "", x + (left ? -5 : 5),
			y + 10, name, value);
}

static void draw_scale(FILE *out, const struct histogram *h, double width)
{
	struct axis labels = axis_make(h->axis.from, h->axis.to, 10),
		counts = axis_counts(h->most, 5);
	double y = TOP + BARS + STRIP;

	fputs("<g class=\"ch-num\">", out);
	for (unsigned int i = 0; i < counts.ticks; i++) {
		double at = TOP + BARS - axis_at(&counts, axis_tick(&counts, i), BARS);

		fprintf(out,
			"<path class=\"ch-grid\" d=\"M%.0f %.1fH%.1f\"/><text class=\"ch-soft\" "
			"text-anchor=\"end\" "
			"x=\"%.0f\" y=\"%.1f\">%.0f</text>", LEFT, at, WIDTH - RIGHT, LEFT - 8,
				at + 4, axis_tick(&counts, i));
	}
	for (unsigned int i = 0; i < labels.ticks; i++)
		fprintf(out,
			"<text class=\"ch-soft\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%.*f "
			"s</text>",
			LEFT + axis_at(&labels, axis_tick(&labels, i), width), y + 18,
				(int)labels.digits, axis_tick(&labels, i));
	fputs("</g>\n", out);
}

static void bins_table(FILE *out, const struct histogram *h)
{
	static const struct table table = {"bins", "", "Boots by the time they took",
		{"From", "#To", "#Boots"}};
	int digits = (int)h->axis.digits;

	fputs("<details><summary>The figure in numbers</summary>\n", out);
	table_open(out, &table);
	for (unsigned int i = 0; i < h->n; i++)
		if (h->bins[i])
			fprintf(out, "<tr><th scope=\"row\">%.*f s</th><td class=\"n\">%.*f s</td>"
				"<td class=\"n\">%zu</td></tr>\n", digits, axis_tick(&h->axis, i),
				digits, axis_tick(&h->axis, i + 1), h->bins[i]);
	if (h->beyond)
		fprintf(out,
			"<tr><th scope=\"row\">%.*f s</th><td></td><td class=\"n\">%zu</td></tr>\n",
			digits, h->axis.to, h->beyond);
	table_close(out);
	fputs("</details>\n", out);
}

static void draw_histogram(FILE *out, const struct boots *b, const struct histogram *h)
{
	struct chart_frame frame = {.id = 1, .width = WIDTH, .height = TOP + BARS + STRIP + 28};
	double width = h->beyond ? INNER - 56 : INNER, bar = width / (double)h->n;
	char text[256];

	snprintf(text, sizeof(text),
		"Half of %zu boots took at most %.2f s, 95 %% at most %.2f s, the slowest %.2f s.",
		b->n_times, median(b->times, b->n_times), percentile(b->times, b->n_times, 95),
			b->times[b->n_times - 1]);
	chart_open(out, &frame, "Histogram of boot times", text);
	draw_scale(out, h, width);
	for (size_t i = 0; i < h->n; i++)
		draw_bin(out, h, i, LEFT + bar * (double)i + .5, larger(bar - 1, 1));
	draw_bin(out, h, h->n, LEFT + width + 20, 36);
	if (h->beyond)
		fprintf(out,
			"<text class=\"ch-soft\" text-anchor=\"middle\" x=\"%.0f\" "
			"y=\"%.0f\">longer</text>\n", LEFT + width + 38, TOP + BARS + STRIP + 18);
	draw_strip(out, b, &h->axis, width);
	draw_mark(out, &h->axis, width, median(b->times, b->n_times), "median", 4);
	draw_mark(out, &h->axis, width, percentile(b->times, b->n_times, 95), "95 %", 16);
	chart_close(out);
}

int page_histogram(FILE *out, const struct boots *b)
{
	struct histogram h;

	if (!b->n_times) {
		fputs("<p>No boot reached its root.</p>\n", out);
		return 0;
	}
	h = count_bins(b);
	fputs("<p class=\"soft\">How long the boots that reached their root took, from the "
		"agent's start. "
	      "Each thin line below the bars is one boot.</p>\n<div class=\"scroll\">\n", out);
	draw_histogram(out, b, &h);
	fputs("</div>\n", out);
	bins_table(out, &h);
	return 0;
}

/* 5th to 95th percentile a thin line, 25th to 75th a bar, the median a gap in it. */
static void draw_box(FILE *out, const struct phase_stats *row, const struct axis *a)
{
	static const unsigned int percents[] = {5, 25, 75, 95};
	const char *class = look_class(look_of_phase(row->name));
	double x[ARRAY_SIZE(percents)] = {0};

	for (size_t i = 0; i < ARRAY_SIZE(x); i++)
		x[i] = axis_at(a, percentile(row->alone, row->n, percents[i]), BOX);
	fprintf(out,
		"<td><svg class=\"ch mini\" width=\"%.0f\" height=\"14\" aria-hidden=\"true\">"
		"<rect class=\"%s\" x=\"%.1f\" y=\"6\" width=\"%.1f\" height=\"2\"/>"
		"<rect class=\"%s\" x=\"%.1f\" y=\"1\" width=\"%.1f\" height=\"12\"/>"
		"<path class=\"ch-end\" d=\"M%.1f 0V14\"/></svg></td>",
		BOX, class, x[0], larger(x[3] - x[0], 1), class, x[1], larger(x[2] - x[1], 1),
		axis_at(a, median(row->alone, row->n), BOX));
}

static void phase_rows(FILE *out, const struct phase_stats *rows, size_t n)
{
	struct axis a = {.from = 0, .to = 0.001};

	for (size_t i = 0; i < n; i++)
		a.to = larger(a.to, percentile(rows[i].alone, rows[i].n, 95));
	for (const struct phase_stats *row = rows; row < rows + n; row++) {
		CELLS(out, HEAD(row->name), COUNT(row->n), SECONDS(median(row->alone, row->n)),
			SECONDS(percentile(row->alone, row->n, 95)),
				SECONDS(row->alone[row->n - 1]));
		draw_box(out, row, &a);
		ROW(out, SECONDS(median(row->took, row->n)),
			SECONDS(percentile(row->took, row->n, 95)));
	}
}

int page_phases(FILE *out, const struct boots *b)
{
	static const struct table table = {"phase-table", "sort",
		"Phases of the boots that reached their root (s)",
		{"Phase", "#Boots", "#Waited, median", "#95 %", "#Most",
			"!5 % to 95 %, middle half thick", "#Whole, median", "#95 %"}};
	_cleanup_(phases_freep) struct phases *p = NULL;
	int r = phases_make(&p, b);

	if (r < 0)
		return r;
	fputs("<p class=\"soft\">Phases overlap: modules load while an address is asked for. "
		"\"Waited\" "
	      "attributes each moment to the longest phase in progress; \"between\" "
		"is the "
	      "rest: retries and waiting for servers.</p>\n", out);
	table_open(out, &table);
	phase_rows(out, p->list, p->n);
	table_close(out);
	return 0;
}
