// SPDX-License-Identifier: GPL-2.0-or-later
/* chart_many: many boots in one picture. */
#include "axis.h"
#include "chart.h"
#include "look.h"
#include "markup.h"

#define WIDTH	 1120.0
#define LEFT	 150.0
#define RIGHT	 28.0
#define INNER	 (WIDTH - LEFT - RIGHT)
#define TOP	 104.0
#define BOTTOM	 44.0
/* About the height of all rows together; least and greatest height of one row. */
#define ROWS	 900.0
#define ROW_MIN	 0.5
#define ROW_MAX	 18.0
/* From this height on a row has its node's name beside it. */
#define ROW_NAME 12.0
#define GAP	 26.0

/* All boots in the order they are drawn: quick ones first, then those without a root. */
struct sheet {
	const struct boots *b;
	size_t *order;
	struct axis axis;
	double row;
};

static double clamp(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

static double y_of(const struct sheet *s, size_t i)
{
	return TOP + s->row * (double)i + (i >= s->b->n_times && s->b->n_times ? GAP : 0);
}

static double axis_end(const struct boots *b)
{
	double most = 0, limit = boots_tail(b);

	for (size_t i = 0; i < b->n; i++)
		most = record_total(b->list[i]) > most ? record_total(b->list[i]) : most;
	return b->n_times && most > limit ? limit : most;
}

static int make_order(struct sheet *s)
{
	size_t n = 0;

	s->order = calloc(s->b->n + 1, sizeof(*s->order));
	if (!s->order)
		return -ENOMEM;
	for (size_t i = s->b->n_times; i > 0; i--)
		s->order[n++] = s->b->by_time[i - 1];
	for (size_t i = 0; i < s->b->n; i++)
		if (s->b->list[i]->outcome != RECORD_DONE)
			s->order[n++] = i;
	return 0;
}

/* One path a look: a thousand boots are a handful of elements. */
static void draw_look(FILE *out, const struct sheet *s, enum look look)
{
	double h = s->row > 3 ? s->row - 1 : s->row;
	bool open = false;

	for (size_t i = 0; i < s->b->n; i++) {
		struct chart_segment seg[CHART_SEGMENTS];
		size_t n = chart_segments(s->b->list[s->order[i]], seg, CHART_SEGMENTS);

		for (size_t k = 0; k < n; k++) {
			double x = axis_at(&s->axis, seg[k].begin, INNER),
				end = axis_at(&s->axis, seg[k].end, INNER);

			if (seg[k].look != (int)look || end <= x)
				continue;
			if (!open)
				fprintf(out, "<path class=\"%s\" d=\"", look_class(look));
			open = true;
			fprintf(out, "M%.1f %.1fh%.1fv%.1fh%.1fz", LEFT + x, y_of(s, i), end - x, h,
				x - end);
		}
	}
	if (open)
		fputs("\"/>\n", out);
}

/* An arrow head at the end of each row that goes on beyond it. */
static void draw_arrows(FILE *out, const struct sheet *s)
{
	double h = s->row < 6 ? 6 : s->row - 1, x = LEFT + INNER + 2, last = 0;

	fputs("<path class=\"ch-end\" d=\"", out);
	for (size_t i = 0; i < s->b->n; i++) {
		double y = y_of(s, i) + s->row / 2;

		/* of thin rows one side by side is enough */
		if (record_total(s->b->list[s->order[i]]) <= s->axis.to || y < last + h)
			continue;
		fprintf(out, "M%.1f %.1fl6 %.1fl-6 %.1f", x, y - h / 2, h / 2, h / 2);
		last = y;
	}
	fputs("\"/>\n", out);
}

static void draw_names(FILE *out, const struct sheet *s)
{
	if (s->row < ROW_NAME)
		return;
	for (size_t i = 0; i < s->b->n; i++)
		markup_printf(out, "<text text-anchor=\"end\" x=\"%.0f\" y=\"%.1f\">%.20s</text>\n",
			LEFT - 8, y_of(s, i) + s->row - 5, s->b->list[s->order[i]]->node);
}

/* Lines that say: so many boots took no longer. */
static void draw_marks(FILE *out, const struct sheet *s)
{
	static const struct {
		unsigned int percent;
		const char *name;
	} marks[] = {{50, "median"}, {95, "95 %"}, {99, "99 %"}, {100, "slowest"}};
	double below = 0;

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		double y = TOP + s->row * (double)s->b->n_times * marks[i].percent / 100;
		double value = i ? percentile(s->b->times, s->b->n_times, marks[i].percent) :
			median(s->b->times, s->b->n_times);

		if (s->row >= ROW_NAME || !s->b->n_times)
			continue;
		fprintf(out,
			"<path class=\"ch-end\" stroke-dasharray=\"2 3\" d=\"M%.0f %.1fH%.0f\"/>",
			LEFT - 6, y, WIDTH - RIGHT);
		/* names of lines that are close stand one below the other */
		below = y + 4 < below + 15 ? below + 15 : y + 4;
		fprintf(out, "<text text-anchor=\"end\" x=\"%.0f\" y=\"%.1f\">%s %.2f s</text>\n",
			LEFT - 10, below, marks[i].name, value);
	}
}

static void draw_head(FILE *out, const struct sheet *s, const char *title)
{
	fprintf(out, "<text class=\"ch-title\" x=\"14\" y=\"30\">%s</text>\n", title);
	fputs("<text class=\"ch-soft\" x=\"14\" y=\"50\">One row per boot, fastest first; colours "
		"show what it waited for, in seconds since the agent started.</text>\n", out);
	chart_legend(out, 14, 74, LOOK_MODULES, LOOK_OTHER, 1);
	if (s->b->n > s->b->n_times && s->b->n_times)
		fprintf(out, "<text class=\"ch-head\" x=\"%.0f\" y=\"%.1f\">no root: %zu</text>\n",
			LEFT, y_of(s, s->b->n_times) - 8, s->b->n - s->b->n_times);
}

int chart_many(FILE *out, const struct boots *b)
{
	struct sheet s = {.b = b, .row = clamp(ROWS / (double)(b->n ? b->n : 1), ROW_MIN, ROW_MAX)};
	struct chart_frame frame = {.file = true, .id = 1, .width = WIDTH};
	_cleanup_free_ size_t *order = NULL;
	char title[160];
	double height;

	if (make_order(&s) < 0)
		return -ENOMEM;
	order = s.order;
	s.axis = axis_make(0, axis_end(b), 10);
	height = y_of(&s, b->n) - TOP;
	frame.height = TOP + height + BOTTOM;
	snprintf(title, sizeof(title), b->n_times ?
		"%zu boots: %zu reached their root, median %.2f s, 95 %% within %.2f s"
						  : "%zu boots: %zu reached their root", b->n,
							b->n_times,
		median(b->times, b->n_times), percentile(b->times, b->n_times, 95));
	chart_open(out, &frame, title,
		"A thin row for each boot, fastest first, with a section for each phase it waited "
		"for; boots without a root below.");
	draw_head(out, &s, title);
	chart_axis(out, &s.axis, LEFT, TOP, INNER, height);
	for (int i = LOOK_MODULES; i <= LOOK_OTHER; i++)
		draw_look(out, &s, (enum look)i);
	draw_arrows(out, &s);
	draw_names(out, &s);
	draw_marks(out, &s);
	chart_close(out);
	return 0;
}
