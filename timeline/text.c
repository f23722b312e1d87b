// SPDX-License-Identifier: GPL-2.0-or-later
/* text: see text.h. */
#include "text.h"

#include "report/causes.h"
#include "report/console.h"

enum { SLOWEST = 10, FAILED = 20, BROKEN = 20 };

static void print_clean(FILE *out, const char *format, const char *s)
{
	char clean[RECORD_TEXT_MAX];

	console_clean(clean, sizeof(clean), s);
	fprintf(out, format, clean);
}

static void print_summary(FILE *out, const struct boots *b)
{
	fprintf(out, "%zu boots: %zu reached their root, %zu failed, %zu still at work; %zu broken files\n", b->n,
		b->outcomes[RECORD_DONE], b->outcomes[RECORD_FAILED], b->outcomes[RECORD_RUNNING], b->n_broken);
	if (b->n_times)
		fprintf(out, "median %.2f s, 95 %% within %.2f s, 99 %% within %.2f s, slowest %.2f s\n",
			median(b->times, b->n_times), percentile(b->times, b->n_times, 95),
			percentile(b->times, b->n_times, 99), b->times[b->n_times - 1]);
}

static void print_slowest(FILE *out, const struct boots *b)
{
	if (b->n_times)
		fputs("\nslowest       took s  switch\n", out);
	for (size_t i = 0; i < b->n_times && i < SLOWEST; i++) {
		const struct record *r = b->list[b->by_time[i]];

		print_clean(out, "  %-10s", r->node);
		fprintf(out, " %7.2f", record_total(r));
		print_clean(out, *boot_switch(r) ? "  %s\n" : "%s\n", boot_switch(r));
	}
}

static void print_failed(FILE *out, const struct boots *b)
{
	size_t shown = 0;

	if (b->outcomes[RECORD_FAILED])
		fputs("\nfailed\n", out);
	for (size_t i = 0; i < b->n && shown < FAILED; i++) {
		const struct record *r = b->list[i];

		if (r->outcome != RECORD_FAILED)
			continue;
		shown++;
		print_clean(out, "  %-10s", r->node);
		for (size_t k = 0; k < r->n_causes; k++)
			print_clean(out, " %s", r->causes[k].code);
		fputc('\n', out);
	}
	if (b->outcomes[RECORD_FAILED] > shown)
		fprintf(out, "  and %zu more\n", b->outcomes[RECORD_FAILED] - shown);
}

static const char *cause_key(const struct record *r, size_t i)
{
	return i < r->n_causes ? r->causes[i].code : NULL;
}

static int print_causes(FILE *out, const struct boots *b)
{
	_cleanup_(groups_freep) struct groups *g = NULL;
	int r = groups_make(&g, b, cause_key);

	if (r < 0)
		return r;
	if (g->n)
		fputs("\ncause     failed  got over it\n", out);
	for (size_t i = 0; i < g->n; i++) {
		print_clean(out, "  %-9s", g->list[i].key);
		fprintf(out, " %4zu %12zu  %s\n", g->list[i].failed, g->list[i].n - g->list[i].failed,
			cause_from_code(g->list[i].key) ? cause_info(cause_from_code(g->list[i].key))->text : "");
	}
	return 0;
}

int text_report(FILE *out, const struct boots *b)
{
	int r;

	print_summary(out, b);
	print_slowest(out, b);
	print_failed(out, b);
	r = print_causes(out, b);
	for (size_t i = 0; i < b->n_broken && i < BROKEN; i++) {
		print_clean(out, i ? "  %s: " : "\nbroken files\n  %s: ", b->broken[i].file);
		fprintf(out, "%s\n", b->broken[i].why);
	}
	if (b->n_broken > BROKEN)
		fprintf(out, "  and %zu more\n", b->n_broken - BROKEN);
	return r;
}
