// SPDX-License-Identifier: GPL-2.0-or-later
/* chart: see chart.h: what all pictures have. */
#include "chart.h"

#include "axis.h"
#include "look.h"
#include "markup.h"

/*
 * Patterns, so that states differ without colour, too: stripes are under way, crosses are trouble.
 */
static void patterns(FILE *out, unsigned int id)
{
	fprintf(out,
		"<defs><pattern id=\"w%u\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\""
		" patternTransform=\"rotate(45)\"><path class=\"ch-stripe\" d=\"M1 "
			"0V8\"/></pattern>"
		"<pattern id=\"x%u\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
		"<path class=\"ch-cross\" d=\"M0 0L6 6M6 0L0 6\"/></pattern></defs>\n",
		id, id);
}

void chart_open(FILE *out, const struct chart_frame *f, const char *title, const char *description)
{
	if (f->file)
		fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	markup_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ch\" viewBox=\"0 0 %.0f %.0f\" "
		"width=\"%.0f\" height=\"%.0f\" role=\"img\" aria-labelledby=\"t%u d%u\">\n"
		"<title id=\"t%u\">%s</title>\n<desc id=\"d%u\">%s</desc>\n",
		f->width, f->height, f->width, f->height, f->id, f->id, f->id, title, f->id,
			description);
	if (f->file)
		fprintf(out,
			"<style>\n%s</style>\n<rect class=\"ch-bg\" width=\"%.0f\" "
			"height=\"%.0f\"/>\n", asset_chart_css, f->width, f->height);
	patterns(out, f->id);
}

void chart_close(FILE *out)
{
	fputs("</svg>\n", out);
}

void chart_axis(FILE *out, const struct axis *a, double x, double y, double width, double height)
{
	fputs("<path class=\"ch-grid\" d=\"", out);
	for (unsigned int i = 0; i < a->ticks; i++)
		fprintf(out, "M%.1f %.1fV%.1f", x + axis_at(a, axis_tick(a, i), width), y,
			y + height);
	fputs("\"/>\n<g class=\"ch-num\" text-anchor=\"middle\">", out);
	for (unsigned int i = 0; i < a->ticks; i++)
		fprintf(out, "<text class=\"ch-soft\" x=\"%.1f\" y=\"%.1f\">%.*f%s</text>",
			x + axis_at(a, axis_tick(a, i), width), y - 6, (int)a->digits,
				axis_tick(a, i),
			i == a->ticks - 1 ? " s" : "");
	fputs("</g>\n", out);
}

void chart_legend(FILE *out, double x, double y, int from, int to, unsigned int id)
{
	for (int i = from; i <= to; i++) {
		fprintf(out,
			"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"22\" height=\"11\" "
			"rx=\"2\"/>", look_class((enum look)i), x, y - 10);
		if (i == LOOK_WAIT || i == LOOK_BAD)
			fprintf(out,
				"<rect fill=\"url(#%c%u)\" x=\"%.1f\" y=\"%.1f\" width=\"22\" "
				"height=\"11\"/>", i == LOOK_WAIT ? 'w' : 'x', id, x, y - 10);
		fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + 28, y,
			look_legend((enum look)i));
		x += 28 + 7.0 * (double)strlen(look_legend((enum look)i)) + 18;
	}
}

static int look_at(const struct record *r, double when)
{
	size_t phase = record_waited_for(r, when);

	return phase < r->n_phases ? (int)look_of_phase(r->phases[phase].name) : LOOK_OTHER;
}

size_t chart_segments(const struct record *r, struct chart_segment *ret, size_t max)
{
	double at = r->start, next;
	size_t n = 0;

	for (; at < r->end; at = next) {
		int look = look_at(r, at);

		next = record_next_edge(r, at);
		if (next <= at || next > r->end)
			next = r->end;
		if (n && ret[n - 1].look == look)
			ret[n - 1].end = next - r->start;
		else if (n < max)
			ret[n++] = (struct chart_segment){look, at - r->start, next - r->start};
	}
	return n;
}

void chart_mini(FILE *out, const struct record *r, double longest, double width)
{
	struct chart_segment s[CHART_SEGMENTS];
	size_t n = chart_segments(r, s, CHART_SEGMENTS);
	struct axis a = {.from = 0, .to = longest > 0 ? longest : 1};

	fprintf(out, "<svg class=\"ch mini\" width=\"%.0f\" height=\"14\" aria-hidden=\"true\">",
		width);
	for (size_t i = 0; i < n; i++) {
		double x = axis_at(&a, s[i].begin, width);

		fprintf(out, "<rect class=\"%s\" x=\"%.1f\" width=\"%.1f\" height=\"14\"/>",
			look_class((enum look)s[i].look), x, axis_at(&a, s[i].end, width) - x);
	}
	fputs("</svg>", out);
}
