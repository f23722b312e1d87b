// SPDX-License-Identifier: GPL-2.0-or-later
#include "page.h"

#include "report/causes.h"
#include "report/console.h"

enum { SLOWEST = 10, FAILED = 20, BROKEN = 20, NAME_WIDTH = 32 };

static void print_clean(FILE *out, const char *format, const char *s)
{
	char clean[RECORD_TEXT_MAX];

	console_clean(clean, sizeof(clean), s);
	fprintf(out, format, clean);
}

static void print_summary(FILE *out, const struct boots *b)
{
	char dates[BOOTS_DATES];

	fprintf(out,
		"%zu boot%s: %zu reached their root, %zu failed, %zu still running; %zu broken "
		"file%s\n", b->n,
		b->n == 1 ? "" : "s", b->outcomes[RECORD_DONE], b->outcomes[RECORD_FAILED],
			b->outcomes[RECORD_RUNNING],
		b->n_broken, b->n_broken == 1 ? "" : "s");
	if (b->n_times)
		fprintf(out,
			"median %.2f s, 95 %% within %.2f s, 99 %% within %.2f s, slowest %.2f s\n",
			median(b->times, b->n_times), percentile(b->times, b->n_times, 95),
			percentile(b->times, b->n_times, 99), b->times[b->n_times - 1]);
	boots_dates(b, dates);
	if (*dates)
		fprintf(out, "%s\n", dates);
}

static void print_codes(FILE *out, const struct record *r)
{
	for (size_t i = 0; i < r->n_causes; i++)
		print_clean(out, i ? " %s" : "  %s", r->causes[i].code);
	fputc('\n', out);
}

/* A node's name, as wide as the names are, up to a limit. */
static void print_node(FILE *out, const struct boots *b, const struct record *r)
{
	char clean[RECORD_TEXT_MAX];
	int width = 10;

	for (size_t i = 0; i < b->n; i++) {
		int n = (int)strnlen(b->list[i]->node, NAME_WIDTH);

		width = n > width ? n : width;
	}
	console_clean(clean, sizeof(clean), r->node);
	fprintf(out, "  %-*s", width, clean);
}

static void print_slowest(FILE *out, const struct boots *b)
{
	if (b->n_times)
		fputs("\nslowest: took s, switch, causes\n", out);
	for (size_t i = 0; i < b->n_times && i < SLOWEST; i++) {
		const struct record *r = b->list[b->by_time[i]];

		print_node(out, b, r);
		fprintf(out, " %7.2f", record_total(r));
		print_clean(out, *boot_switch(r) ? "  %s" : "%s", boot_switch(r));
		print_codes(out, r);
	}
}

static void print_failed(FILE *out, const struct boots *b)
{
	size_t shown = 0;

	if (b->outcomes[RECORD_FAILED])
		fputs("\nfailed: last cause and where, switch\n", out);
	for (size_t i = 0; i < b->n && shown < FAILED; i++) {
		const struct record *r = b->list[i];

		if (r->outcome != RECORD_FAILED)
			continue;
		shown++;
		print_node(out, b, r);
		if (boot_last_cause(r)) {
			print_clean(out, "  %s", boot_last_cause(r)->code);
			print_clean(out, " %s", boot_last_cause(r)->where);
		}
		print_clean(out, *boot_switch(r) ? "  %s\n" : "%s\n", boot_switch(r));
	}
	if (b->outcomes[RECORD_FAILED] > shown)
		fprintf(out, "  and %zu more\n", b->outcomes[RECORD_FAILED] - shown);
}

static int print_causes(FILE *out, const struct boots *b)
{
	_cleanup_(groups_freep) struct groups *g = NULL;
	int r = groups_make(&g, b, boot_cause_key);

	if (r < 0)
		return r;
	if (g->n)
		fputs("\ncause       ended by it seen in\n", out);
	for (size_t i = 0; i < g->n; i++) {
		print_clean(out, "  %-9s", *g->list[i].key ? g->list[i].key : "none");
		fprintf(out, " %11zu %7zu  %s\n", g->list[i].failed_last, g->list[i].n,
			cause_from_code(g->list[i].key) ?
				cause_info(cause_from_code(g->list[i].key))->text : "");
	}
	return 0;
}

static int print_phases(FILE *out, const struct boots *b)
{
	_cleanup_(phases_freep) struct phases *p = NULL;
	int r = phases_make(&p, b);

	if (r < 0)
		return r;
	if (p->n)
		fputs("\nwaited for   median s   95 % s   most s\n", out);
	for (size_t i = 0; i < p->n; i++) {
		const struct phase_stats *s = &p->list[i];

		print_clean(out, "  %-10s", s->name);
		fprintf(out, " %8.2f %8.2f %8.2f\n", median(s->alone, s->n),
			percentile(s->alone, s->n, 95), s->alone[s->n - 1]);
	}
	if (p->n)
		fputs("  phases overlap: a moment counts for the one that lasts longest\n", out);
	return 0;
}

int text_report(FILE *out, const struct boots *b)
{
	int r;

	print_summary(out, b);
	r = print_phases(out, b);
	print_slowest(out, b);
	print_failed(out, b);
	r = r < 0 ? r : print_causes(out, b);
	for (size_t i = 0; i < b->n_broken && i < BROKEN; i++) {
		print_clean(out, i ? "  %s: " : "\nbroken files\n  %s: ", b->broken[i].file);
		fprintf(out, "%s\n", b->broken[i].why);
	}
	if (b->n_broken > BROKEN)
		fprintf(out, "  and %zu more\n", b->n_broken - BROKEN);
	return r;
}
