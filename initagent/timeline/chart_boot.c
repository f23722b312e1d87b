// SPDX-License-Identifier: GPL-2.0-or-later
/* chart_boot: the picture of one boot, drawn from its plot. */
#include "chart.h"
#include "look.h"
#include "markup.h"
#include "plot.h"

/* Heights (px): a row and its bar, a section's title, what stands above the plot and below it. */
#define ROW	 20.0
#define BAR	 14.0
#define TITLE	 26.0
#define TOP	 98.0
#define BOTTOM	 44.0
#define LABEL_MAX 25

struct pen {
	FILE *out;
	double y;
	unsigned int id;
};

static double plot_height(const struct plot *p)
{
	double h = 0;

	for (size_t i = 0; i < p->n; i++)
		h += TITLE + ROW * (double)p->sections[i].n + (p->sections[i].left_out ? ROW : 0);
	return h;
}

static void draw_label(struct pen *pen, const struct plot_bar *b)
{
	if (!b->label_max)
		return;
	fputs("<text", pen->out);
	if (b->label_inside)
		fprintf(pen->out, " class=\"on on-%s\"", look_class(b->look));
	if (b->label_before)
		fputs(" text-anchor=\"end\"", pen->out);
	markup_printf(pen->out, " x=\"%.1f\" y=\"%.1f\">%.*s</text>", PLOT_LEFT + b->label_x,
		pen->y + 11, (int)b->label_max, b->label);
}

static void draw_rect(struct pen *pen, const struct plot_bar *b, const char *paint)
{
	fprintf(pen->out, "<rect %s x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\"%s/>",
		paint, PLOT_LEFT + b->x, pen->y, b->width, BAR, b->width > 6 ? " rx=\"2\"" : "");
}

static void draw_bar(struct pen *pen, const struct plot_bar *b)
{
	char paint[48];

	markup_printf(pen->out, "<g><title>%s</title>", b->title);
	snprintf(paint, sizeof(paint), "class=\"%s\"", look_class(b->look));
	draw_rect(pen, b, paint);
	/* stripes would make a text on them hard to read */
	if ((b->look == LOOK_WAIT || b->look == LOOK_BAD) && !(b->label_inside && b->label_max)) {
		snprintf(paint, sizeof(paint), "fill=\"url(#%c%u)\"",
			b->look == LOOK_WAIT ? 'w' : 'x', pen->id);
		draw_rect(pen, b, paint);
	}
	draw_label(pen, b);
	fputs("</g>\n", pen->out);
}

static void draw_row(struct pen *pen, const struct plot_row *row)
{
	if (*row->label)
		markup_printf(pen->out,
			"<text text-anchor=\"end\" x=\"%.0f\" y=\"%.1f\">%.*s</text>\n",
			PLOT_LEFT - 10, pen->y + 11, LABEL_MAX, row->label);
	for (size_t i = 0; i < row->n; i++)
		draw_bar(pen, &row->bars[i]);
	pen->y += ROW;
}

static void draw_section(struct pen *pen, const struct plot_section *s)
{
	fprintf(pen->out, "<text class=\"ch-head\" x=\"14\" y=\"%.1f\">%s</text>\n", pen->y + 18,
		s->title);
	pen->y += TITLE;
	for (size_t i = 0; i < s->n; i++)
		draw_row(pen, &s->rows[i]);
	if (s->left_out) {
		fprintf(pen->out,
			"<text class=\"ch-soft\" x=\"%.0f\" y=\"%.1f\">and %zu more</text>\n",
			PLOT_LEFT, pen->y + 11, s->left_out);
		pen->y += ROW;
	}
}

/* Every other section stands on a band, across all of the picture. */
static void draw_bands(FILE *out, const struct plot *p)
{
	double y = TOP;

	for (size_t i = 0; i < p->n; i++) {
		double h = TITLE + ROW * (double)p->sections[i].n + (p->sections[i].left_out ? ROW :
			0);

		if (i % 2 == 0)
			fprintf(out,
				"<rect class=\"ch-band\" x=\"0\" y=\"%.1f\" width=\"%.0f\" "
				"height=\"%.1f\"/>\n", y, PLOT_WIDTH, h);
		y += h;
	}
}

static void draw_head(FILE *out, const struct record *r, const char *title)
{
	char line[RECORD_TEXT_MAX * 3];

	markup_printf(out, "<text class=\"ch-title\" x=\"14\" y=\"30\">%.100s</text>\n", title);
	snprintf(line, sizeof(line), "root %s", r->root);
	if (*r->root)
		markup_printf(out, "<text class=\"ch-soft\" x=\"14\" y=\"49\">%.160s</text>\n",
			line);
	snprintf(line, sizeof(line),
		"initagent %.100s, Linux %.100s; seconds since the kernel started, which ran %.2f "
			"s before",
		*r->version ? r->version : "?", *r->kernel ? r->kernel : "?", r->start);
	markup_printf(out, "<text class=\"ch-soft\" x=\"14\" y=\"%u\">%.160s</text>\n",
		*r->root ? 67U : 49U, line);
}

static void draw(FILE *out, const struct record *r, const struct plot *p, unsigned int id,
	const char *title)
{
	double height = plot_height(p), end = PLOT_LEFT + axis_at(&p->axis, r->end, PLOT_INNER);
	struct pen pen = {.out = out, .y = TOP, .id = id};

	draw_bands(out, p);
	draw_head(out, r, title);
	chart_axis(out, &p->axis, PLOT_LEFT, TOP, PLOT_INNER, height);
	fprintf(out, "<path class=\"ch-end\" d=\"M%.1f %.1fV%.1f\"/>\n", end, TOP, TOP + height);
	for (size_t i = 0; i < p->n; i++)
		draw_section(&pen, &p->sections[i]);
	chart_legend(out, PLOT_LEFT, TOP + height + 27, LOOK_GOOD, LOOK_IDLE, id);
}

int chart_boot(FILE *out, const struct record *r, bool file, unsigned int id)
{
	_cleanup_(plot_freep) struct plot *p = NULL;
	_cleanup_free_ char *title = NULL;
	const char *description =
		"Bars on a time axis: phases, waits with their causes, kernel modules loading side "
		"by side, the "
		"states of ports, interfaces, addresses and the root.";
	struct chart_frame frame = {.file = file, .id = id, .width = PLOT_WIDTH};
	int q = plot_make(&p, r);

	if (q < 0)
		return q;
	if (asprintf(&title, "%s: %s after %.2f s", r->node, record_outcome_text(r->outcome),
		record_total(r)) < 0)
		return -ENOMEM;
	frame.height = TOP + plot_height(p) + BOTTOM;
	chart_open(out, &frame, title, description);
	draw(out, r, p, id, title);
	chart_close(out);
	return 0;
}
