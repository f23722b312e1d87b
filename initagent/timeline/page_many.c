// SPDX-License-Identifier: GPL-2.0-or-later
/* page_many: the page of many boots: the summary, the figures, the sections. */
#include "page.h"

#include "markup.h"

static void write_fact(FILE *out, const char *name, const char *class, const char *value)
{
	fprintf(out, "<div><dt>%s</dt><dd%s%s%s>%s</dd></div>", name, *class ? " class=\"" : "",
		class, *class ? "\"" : "", value);
}

static void fact_count(FILE *out, const char *name, const char *class, size_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", n);
	write_fact(out, name, n ? class : "", text);
}

static void fact_seconds(FILE *out, const char *name, double s)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2f s", s);
	write_fact(out, name, "", text);
}

/* The first paragraph: what one would tell a colleague. */
static void write_summary(FILE *out, const struct boots *b)
{
	char dates[BOOTS_DATES];

	boots_dates(b, dates);
	fprintf(out, "<p>%s%s%zu of %zu boots reached their root", dates, *dates ? ": " : "",
		b->n_times, b->n);
	if (b->n_times)
		markup_printf(out,
			"; half of them within %.2f s, 95 %% within %.2f s. The slowest, %s, "
			"took %.2f s", median(b->times, b->n_times),
				percentile(b->times, b->n_times, 95),
			b->list[b->by_time[0]]->node, record_total(b->list[b->by_time[0]]));
	fprintf(out, ". %zu failed.</p>\n", b->outcomes[RECORD_FAILED]);
}

static void write_facts(FILE *out, const struct boots *b)
{
	fputs("<dl class=\"facts\">", out);
	fact_count(out, "boots", "", b->n);
	fact_count(out, "root reached", "good", b->outcomes[RECORD_DONE]);
	fact_count(out, "failed", "bad", b->outcomes[RECORD_FAILED]);
	if (b->outcomes[RECORD_RUNNING])
		fact_count(out, "still running", "warn", b->outcomes[RECORD_RUNNING]);
	if (b->n_times) {
		fact_seconds(out, "median", median(b->times, b->n_times));
		fact_seconds(out, "95 % within", percentile(b->times, b->n_times, 95));
		fact_seconds(out, "99 % within", percentile(b->times, b->n_times, 99));
		fact_seconds(out, "slowest", b->times[b->n_times - 1]);
	}
	if (b->n_broken)
		fact_count(out, "broken files", "warn", b->n_broken);
	fputs("</dl>\n", out);
}

static const struct section {
	const char *id, *link, *title;
	int (*write)(FILE *out, const struct boots *b);
	bool timed, broken; /* only there with boots that reached their root, with broken files */
} sections[] = {
	{"times", "Boot times", "Boot times", page_histogram, false, false},
	{"phases", "Phases", "Where the time goes", page_phases, true, false},
	{"slowest", "Slowest", "Slowest boots", page_slowest, true, false},
	{"failed", "Failed", "Failed boots", page_failed, false, false},
	{"causes", "Causes", "Causes", page_causes, false, false},
	{"switches", "Switches", "By switch", page_switches, false, false},
	{"versions", "Versions", "By version", page_versions, false, false},
	{"broken", "Broken files", "Broken files", page_broken, false, true},
	{"all", "All boots", "All boots", page_all, false, false},
};

static bool is_shown(const struct section *s, const struct boots *b)
{
	return (!s->timed || b->n_times) && (!s->broken || b->n_broken);
}

static int write_many(FILE *out, const struct boots *b)
{
	int r = 0;

	page_head(out, "Boot report");
	write_summary(out, b);
	fputs("</header>\n<nav aria-label=\"Sections\"><ul>", out);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (is_shown(&sections[i], b))
			fprintf(out, "<li><a href=\"#%s\">%s</a></li>", sections[i].id,
				sections[i].link);
	fputs("</ul></nav>\n<main id=\"main\">\n", out);
	write_facts(out, b);
	for (size_t i = 0; i < ARRAY_SIZE(sections) && r == 0; i++) {
		if (!is_shown(&sections[i], b))
			continue;
		page_section(out, sections[i].id, sections[i].title);
		r = sections[i].write(out, b);
		page_section_end(out);
	}
	page_foot(out);
	return r;
}

int page_write(FILE *out, const struct boots *b)
{
	return b->n == 1 && !b->n_broken ? page_single(out, b->list[0]) : write_many(out, b);
}
