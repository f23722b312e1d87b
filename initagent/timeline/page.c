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
