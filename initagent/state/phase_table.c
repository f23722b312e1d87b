// SPDX-License-Identifier: GPL-2.0-or-later

#include "state/phase_table.h"

#include <sys/ioctl.h>

#include "report/causes.h"
#include "report/console.h"

/* Columns before the bars, least columns of a bar, columns of the widest table. */
enum { TEXT_COLUMNS = 37, BAR_COLUMNS_MIN = 16, COLUMNS_MAX = 120, COLUMNS_DEFAULT = 80 };
enum { SLOWEST_MODULES = 3 };

static bool locale_is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

struct phase_style phase_style_of(int fd)
{
	struct phase_style style = {.columns = COLUMNS_DEFAULT};
	struct winsize size = {0};

	if (!isatty(fd))
		return style;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		style.columns = size.ws_col;
	style.blocks = locale_is_utf8();
	return style;
}

static unsigned int bar_columns(const struct phase_style *style)
{
	unsigned int columns = style->columns < COLUMNS_MAX ? style->columns : COLUMNS_MAX;

	return columns < TEXT_COLUMNS + BAR_COLUMNS_MIN + 2 ? BAR_COLUMNS_MIN :
		columns - TEXT_COLUMNS - 2;
}

/* The column (0..width) of a moment. */
static unsigned int column(const struct record *r, double when, unsigned int width)
{
	double total = record_total(r), part = total > 0 ? (when - r->start) / total : 0;

	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return (unsigned int)(part * width + 0.5);
}

static void print_bar(FILE *out, const struct record *r, const struct record_phase *p,
	const struct phase_style *style)
{
	unsigned int width = bar_columns(style), from = column(r, p->begin, width),
		to = column(r, p->end, width);

	/* the shortest phase is still seen */
	if (to == from && from == width)
		from--;
	if (to == from)
		to++;
	fputc('|', out);
	for (unsigned int i = 0; i < width; i++)
		fputs(i < from || i >= to ? " " : style->blocks ? "\xe2\x96\x88" : "#", out);
	fputs("|\n", out);
}

static void print_phases(FILE *out, const struct record *r, const struct phase_style *style)
{
	if (!r->n_phases) {
		fputs("  no phases were recorded\n", out);
		return;
	}
	fprintf(out, "  %-9s %7s %7s %7s  |%-*s%*.2f s|\n", "phase", "from s", "took s", "alone s",
		(int)bar_columns(style) / 2, "0",
			(int)(bar_columns(style) - bar_columns(style) / 2) - 2, record_total(r));
	for (size_t i = 0; i < r->n_phases; i++) {
		const struct record_phase *p = &r->phases[i];
		char name[16];

		console_clean(name, sizeof(name), p->name);
		fprintf(out, "  %-9.9s %7.3f %7.3f %7.3f  ", name, p->begin - r->start,
			p->end - p->begin, record_alone(r, i));
		print_bar(out, r, p, style);
	}
	fprintf(out, "  %-9s %7s %7s %7.3f\n", "between", "", "", record_between(r));
}

/*
 * The longest module not longer than the one before (in time, then in order); n_modules for none.
 */
static size_t next_slowest(const struct record *r, size_t before)
{
	size_t best = r->n_modules;

	for (size_t i = 0; i < r->n_modules; i++) {
		double took = r->modules[i].end - r->modules[i].begin;

		if (before < r->n_modules) {
			double limit = r->modules[before].end - r->modules[before].begin;

			if (took > limit || (took >= limit && i <= before))
				continue;
		}
		if (best == r->n_modules || took > r->modules[best].end - r->modules[best].begin)
			best = i;
	}
	return best;
}

static void print_modules(FILE *out, const struct record *r)
{
	size_t m = r->n_modules, shown = 0;

	for (; shown < SLOWEST_MODULES; shown++) {
		char name[64];

		m = next_slowest(r, m);
		if (m == r->n_modules || r->modules[m].end <= r->modules[m].begin)
			break;
		console_clean(name, sizeof(name), r->modules[m].name);
		fprintf(out, "%s%s %.3f s", shown ? ", " : "  slowest modules: ", name,
			r->modules[m].end - r->modules[m].begin);
	}
	if (shown)
		fputc('\n', out);
}

/* Steps of at least a twentieth of the boot by name; the shorter ones between them as "other". */
static void print_critical(FILE *out, const struct record *r)
{
	const char *const first = "  critical: ", *before = first;
	double other = 0, total = record_total(r);

	for (size_t i = 0; i < r->n_steps; i++) {
		const struct record_phase *step = &r->steps[i];
		bool named = (step->end - step->begin) * 20 >= total;
		char name[128];

		if (!named)
			other += step->end - step->begin;
		if (other * 50 >= total && (named || i + 1 == r->n_steps)) {
			fprintf(out, "%sother %.2f s", before, other);
			before = " -> ";
		}
		if (!named)
			continue;
		other = 0;
		console_clean(name, sizeof(name), step->name);
		/* no arrow but those between steps */
		for (char *c = name; (c = strchr(c, '>'));)
			*c = '?';
		fprintf(out, "%s%s %.2f s", before, name, step->end - step->begin);
		before = " -> ";
	}
	if (before != first)
		fputc('\n', out);
}

static void print_causes(FILE *out, const struct record *r)
{
	for (size_t i = 0; i < r->n_causes; i++) {
		const struct record_cause *c = &r->causes[i];
		enum cause known = cause_from_code(c->code);
		char code[32], where[128];

		console_clean(code, sizeof(code), c->code);
		console_clean(where, sizeof(where), c->where);
		fprintf(out, "  %s %s: %s (at %.2f s", code, where,
			known == CAUSE_NONE ? "unknown to this version" : cause_info(known)->text,
			c->first - r->start);
		if (c->last > c->first)
			fprintf(out, " to %.2f s, %u times", c->last - r->start, c->count);
		fputs(")\n", out);
	}
}

void phase_table_print(FILE *out, const struct record *r, const struct phase_style *style)
{
	char clean[RECORD_TEXT_MAX * 4];

	console_clean(clean, sizeof(clean), r->node);
	fprintf(out, "%s: %s after %.3f s; the kernel had run %.3f s before\n", clean,
		record_outcome_text(r->outcome), record_total(r), r->start);
	if (*r->root) {
		console_clean(clean, sizeof(clean), r->root);
		fprintf(out, "  %s\n", clean);
	}
	print_phases(out, r, style);
	print_critical(out, r);
	print_modules(out, r);
	print_causes(out, r);
	if (r->left_out)
		fprintf(out, "  %zu invalid or excess rows of the file left out\n", r->left_out);
}
