// SPDX-License-Identifier: GPL-2.0-or-later
/* page: see page.h: its frame and its tables. */
#include "page.h"

#include "chart.h"
#include "base/sha256.h"
#include "markup.h"

static void base64(FILE *out, const uint8_t *data, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		uint32_t v = (uint32_t)data[i] << 16 |
			(i + 1 < len ? (uint32_t)data[i + 1] << 8 : 0) |
			     (i + 2 < len ? data[i + 2] : 0);

		fprintf(out, "%c%c%c%c", digits[v >> 18], digits[v >> 12 & 63],
			i + 1 < len ? digits[v >> 6 & 63] : '=',
			i + 2 < len ? digits[v & 63] : '=');
	}
}

/* The digest of what stands between two tags, as a Content-Security-Policy names it. */
static void digest(FILE *out, const char *first, const char *second)
{
	uint8_t sum[SHA256_SIZE];
	struct sha256 state;

	sha256_init(&state);
	sha256_update(&state, first, strlen(first));
	sha256_update(&state, second, strlen(second));
	sha256_final(&state, sum);
	fputs("'sha256-", out);
	base64(out, sum, sizeof(sum));
	fputs("'", out);
}

void page_head(FILE *out, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "base-uri 'none'; form-action 'none'; style-src ", out);
	digest(out, asset_chart_css, asset_page_css);
	fputs("; script-src ", out);
	digest(out, asset_page_js, "");
	markup_printf(out,
		"\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<title>%s</title>\n<style>", title);
	fputs(asset_chart_css, out);
	fputs(asset_page_css, out);
	markup_printf(out,
		"</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the "
			"content</a>\n"
		"<header>\n<h1>%s</h1>\n", title);
}

void page_foot(FILE *out)
{
	fprintf(out,
		"</main>\n<footer>Made by initagent timeline %s. Times are in seconds; a boot "
		"starts with the agent and ends with the mounted root. Percentiles are by nearest "
			"rank.</footer>\n"
		"<div id=\"live\" class=\"hide\" aria-live=\"polite\"></div>\n"
		"<script>%s</script>\n</body>\n</html>\n", INITAGENT_VERSION, asset_page_js);
}

void page_section(FILE *out, const char *id, const char *title)
{
	markup_printf(out,
		"<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n",
		id, id, id, title);
}

void page_section_end(FILE *out)
{
	fputs("</section>\n", out);
}

void table_open(FILE *out, const struct table *t)
{
	markup_printf(out,
		"<div class=\"scroll\" role=\"region\" aria-labelledby=\"c-%s\" tabindex=\"0\">\n"
		"<table id=\"%s\" class=\"%s\">\n<caption id=\"c-%s\">%s</caption>\n<thead><tr>",
		t->id, t->id, t->class, t->id, t->caption);
	for (size_t i = 0; i < PAGE_COLUMNS && t->columns[i]; i++) {
		char first = t->columns[i][0];

		fprintf(out, "<th scope=\"col\"%s>%s</th>",
			first == '#' ? " class=\"n\"" : first == '!' ? " class=\"still\"" : "",
			t->columns[i] + (first == '#' || first == '!'));
	}
	fputs("</tr></thead>\n<tbody>\n", out);
}

void table_close(FILE *out)
{
	fputs("</tbody>\n</table>\n</div>\n", out);
}

static void write_cell(FILE *out, const struct cell *c)
{
	if (c->kind == CELL_HEAD) {
		markup_printf(out, "<tr><th scope=\"row\">%s</th>", c->text);
	} else if (c->kind == CELL_TEXT) {
		markup_printf(out, "<td>%s</td>", c->text);
	} else if (c->kind == CELL_COUNT) {
		fprintf(out, "<td class=\"n\" data-v=\"%zu\">%zu</td>", c->count, c->count);
	} else if (c->kind == CELL_DRAWN) {
		fputs("<td>", out);
		c->draw(out, c->r);
		fputs("</td>", out);
	} else if (c->seconds < 0) {
		fputs("<td class=\"n\" data-v=\"-1\"></td>", out);
	} else {
		fprintf(out, "<td class=\"n\" data-v=\"%.6f\">%.2f</td>", c->seconds, c->seconds);
	}
}

void cells_write(FILE *out, const struct cell *cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
		write_cell(out, &cells[i]);
}

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
	int (*write)(FILE *out, const struct boots *b, unsigned int *id);
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
	unsigned int id = 1;
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
		r = sections[i].write(out, b, &id);
		page_section_end(out);
	}
	page_foot(out);
	return r;
}

int page_write(FILE *out, const struct boots *b)
{
	return b->n == 1 && !b->n_broken ? page_single(out, b->list[0]) : write_many(out, b);
}
