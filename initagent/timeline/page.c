// SPDX-License-Identifier: GPL-2.0-or-later
/* page: see page.h: its frame, and what its parts are written with. */
#include "page.h"

#include "assets.h"
#include "base/sha256.h"
#include "markup.h"

static void base64(FILE *out, const uint8_t *data, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		uint32_t v = (uint32_t)data[i] << 16 | (i + 1 < len ? (uint32_t)data[i + 1] << 8 : 0) |
			     (i + 2 < len ? data[i + 2] : 0);

		fprintf(out, "%c%c%c%c", digits[v >> 18], digits[v >> 12 & 63], i + 1 < len ? digits[v >> 6 & 63] : '=',
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
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
	      "form-action 'none'; style-src ", out);
	digest(out, asset_chart_css, asset_page_css);
	fputs("; script-src ", out);
	digest(out, asset_page_js, "");
	fputs("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", out);
	markup_text(out, title);
	fprintf(out, "</title>\n<style>%s%s</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the "
		"content</a>\n<header>\n<h1>", asset_chart_css, asset_page_css);
	markup_text(out, title);
	fputs("</h1>\n", out);
}

void page_foot(FILE *out)
{
	fprintf(out,
		"</main>\n<footer>Made by initagent timeline %s. Times are in seconds; a boot begins with the agent and "
		"ends with the mounted root. Percentiles are by nearest rank.</footer>\n"
		"<div id=\"live\" class=\"hide\" aria-live=\"polite\"></div>\n<script>%s</script>\n</body>\n</html>\n",
		INITAGENT_VERSION, asset_page_js);
}

void page_section(FILE *out, const char *id, const char *title)
{
	fprintf(out, "<section id=\"%s\" aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">%s</h2>\n", id, id, id, title);
}

void page_section_end(FILE *out)
{
	fputs("</section>\n", out);
}

void table_open(FILE *out, const char *id, const char *class, const char *caption, const char *const *columns,
	size_t n)
{
	fprintf(out,
		"<div class=\"scroll\" role=\"region\" aria-labelledby=\"c-%s\" tabindex=\"0\">\n<table id=\"%s\" class=\"%s\">\n"
		"<caption id=\"c-%s\">%s</caption>\n<thead><tr>", id, id, class, id, caption);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "<th scope=\"col\"%s>%s</th>",
			columns[i][0] == '#' ? " class=\"n\"" : columns[i][0] == '!' ? " class=\"still\"" : "",
			columns[i] + (columns[i][0] == '#' || columns[i][0] == '!'));
	fputs("</tr></thead>\n<tbody>\n", out);
}

void table_close(FILE *out)
{
	fputs("</tbody>\n</table>\n</div>\n", out);
}

void cell_seconds(FILE *out, double s)
{
	if (s < 0)
		fputs("<td class=\"n\" data-v=\"-1\"></td>", out);
	else
		fprintf(out, "<td class=\"n\" data-v=\"%.6f\">%.2f</td>", s, s);
}

void cell_count(FILE *out, size_t n)
{
	fprintf(out, "<td class=\"n\" data-v=\"%zu\">%zu</td>", n, n);
}

void cell_text(FILE *out, const char *s)
{
	fputs("<td>", out);
	markup_text(out, s);
	fputs("</td>", out);
}

void row_open(FILE *out, const char *s)
{
	fputs("<tr><th scope=\"row\">", out);
	markup_text(out, s);
	fputs("</th>", out);
}

void page_nodes(FILE *out, const struct boots *b, const struct group *g)
{
	for (size_t i = 0; i < g->n && i < PAGE_NODES; i++) {
		if (i)
			fputs(", ", out);
		markup_text(out, b->list[g->members[i]]->node);
	}
	if (g->n > PAGE_NODES)
		fprintf(out, " and %zu more", g->n - PAGE_NODES);
}

static void fact(FILE *out, const char *name, const char *class, const char *value)
{
	fprintf(out, "<div><dt>%s</dt><dd%s%s%s>%s</dd></div>", name, *class ? " class=\"" : "", class,
		*class ? "\"" : "", value);
}

static void fact_count(FILE *out, const char *name, const char *class, size_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%zu", n);
	fact(out, name, n ? class : "", text);
}

static void fact_seconds(FILE *out, const char *name, double s)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2f s", s);
	fact(out, name, "", text);
}

/* The first paragraph: what one would tell a colleague. */
static void summary(FILE *out, const struct boots *b)
{
	fprintf(out, "<p>%zu of %zu boots reached their root", b->n_times, b->n);
	if (b->n_times) {
		const struct record *slow = b->list[b->by_time[0]];

		fprintf(out, "; half of them within %.2f s, 95 %% within %.2f s. The slowest, ",
			median(b->times, b->n_times), percentile(b->times, b->n_times, 95));
		markup_text(out, slow->node);
		fprintf(out, ", took %.2f s", record_total(slow));
	}
	fprintf(out, ". %zu failed.</p>\n", b->outcomes[RECORD_FAILED]);
}

static void facts(FILE *out, const struct boots *b)
{
	fputs("<dl class=\"facts\">", out);
	fact_count(out, "boots", "", b->n);
	fact_count(out, "root reached", "good", b->outcomes[RECORD_DONE]);
	fact_count(out, "failed", "bad", b->outcomes[RECORD_FAILED]);
	if (b->outcomes[RECORD_RUNNING])
		fact_count(out, "still at work", "warn", b->outcomes[RECORD_RUNNING]);
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

static void navigation(FILE *out, const struct boots *b)
{
	static const char *const links[][2] = {
		{"times", "Boot times"}, {"phases", "Phases"}, {"slowest", "Slowest"}, {"failed", "Failed"},
		{"causes", "Causes"}, {"switches", "Switches"}, {"versions", "Versions"}, {"all", "All boots"},
	};

	fputs("<nav aria-label=\"Sections\"><ul>", out);
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		/* without times there is neither of these */
		if (b->n_times || !(streq(links[i][0], "phases") || streq(links[i][0], "slowest")))
			fprintf(out, "<li><a href=\"#%s\">%s</a></li>", links[i][0], links[i][1]);
	if (b->n_broken)
		fputs("<li><a href=\"#broken\">Broken files</a></li>", out);
	fputs("</ul></nav>\n", out);
}

static int many(FILE *out, const struct boots *b)
{
	unsigned int id = 1;
	int r;

	page_head(out, "Boot report");
	summary(out, b);
	fputs("</header>\n", out);
	navigation(out, b);
	fputs("<main id=\"main\">\n", out);
	facts(out, b);
	page_histogram(out, b);
	r = b->n_times ? page_phases(out, b) : 0;
	if (r == 0 && b->n_times)
		r = page_slowest(out, b, &id);
	r = r < 0 ? r : page_failed(out, b, &id);
	r = r < 0 ? r : page_causes(out, b);
	r = r < 0 ? r : page_switches(out, b);
	r = r < 0 ? r : page_versions(out, b);
	page_broken(out, b);
	page_all(out, b);
	page_foot(out);
	return r;
}

int page_write(FILE *out, const struct boots *b)
{
	return b->n == 1 && !b->n_broken ? page_single(out, b->list[0]) : many(out, b);
}
