// SPDX-License-Identifier: GPL-2.0-or-later
/* page: one boot, its whole picture and the same in numbers. */
#include "chart.h"
#include "markup.h"
#include "page.h"
#include "report/causes.h"

static double since_begin(const struct record *r, double when)
{
	return when < r->start ? 0 : when - r->start;
}

static void write_phases(FILE *out, const struct record *r)
{
	static const struct table table = {"phase-table", "sort",
		"Phases overlap; each moment is counted as waited for the one that lasts longest "
		"(s after the agent's start)",
		{"Phase", "#From", "#Took", "#Waited for it"}};

	page_section(out, "phases", "Phases");
	table_open(out, &table);
	for (size_t i = 0; i < r->n_phases; i++) {
		const struct record_phase *p = &r->phases[i];

		ROW(out, HEAD(p->name), SECONDS(since_begin(r, p->begin)),
			SECONDS(p->end - p->begin), SECONDS(record_alone(r, i)));
	}
	ROW(out, HEAD("between"), SECONDS(-1), SECONDS(-1), SECONDS(record_between(r)));
	table_close(out);
	page_section_end(out);
}

static void write_causes(FILE *out, const struct record *r)
{
	static const struct table table = {"cause-table", "sort",
		"What delayed the boot or made it fail, including what was resolved "
		"(s after the agent's start)",
		{"Cause", "Where", "What", "What to check", "#First", "#Last", "#Times"}};

	page_section(out, "causes", "Causes met");
	if (!r->n_causes)
		fputs("<p>None.</p>\n", out);
	else
		table_open(out, &table);
	for (size_t i = 0; i < r->n_causes; i++) {
		const struct record_cause *c = &r->causes[i];
		enum cause cause = cause_from_code(c->code);
		const struct cause_info *known = cause == CAUSE_NONE ? NULL : cause_info(cause);

		CELLS(out, HEAD(c->code), TEXT(c->where));
		markup_printf(out, "<td>%s%s%s</td>", known ? known->text : "",
			known && *c->text ? ": " : "", c->text);
		ROW(out, TEXT(known ? known->check : c->check), SECONDS(since_begin(r, c->first)),
			SECONDS(since_begin(r, c->last)), COUNT(c->count));
	}
	if (r->n_causes)
		table_close(out);
	page_section_end(out);
}

static void write_rail(FILE *out, const struct record_rail *v)
{
	CELLS(out, HEAD(v->netdev), TEXT(v->state), TEXT(v->address), TEXT(v->method));
	if (*v->device)
		markup_printf(out, "<td>%s/%u</td>", v->device, v->port);
	else
		CELLS(out, TEXT(""));
	CELLS(out, TEXT(v->port_state));
	if (*v->far_name || *v->far_guid)
		markup_printf(out, "<td>%s port %u</td>", *v->far_name ? v->far_name : v->far_guid,
			v->far_port);
	else
		CELLS(out, TEXT(""));
	ROW(out, TEXT(v->carries_root ? "carries it" : ""));
}

static void write_rails(FILE *out, const struct record *r)
{
	static const struct table table = {"rail-table", "", "Interfaces that were brought up",
		{"Interface", "State", "Address", "By", "RDMA port", "Port state", "Cable ends at",
			"Root"}};

	page_section(out, "rails", "Paths to the root");
	table_open(out, &table);
	for (size_t i = 0; i < r->n_rails; i++)
		write_rail(out, &r->rails[i]);
	table_close(out);
	page_section_end(out);
}

static void write_modules(FILE *out, const struct record *r)
{
	static const struct table table = {"module-table", "sort",
		"Modules in load order (s since the kernel started)",
		{"Module", "State", "#From", "#Took"}};

	page_section(out, "modules", "Kernel modules");
	fprintf(out, "<details><summary>List of %zu modules</summary>\n", r->n_modules);
	table_open(out, &table);
	for (size_t i = 0; i < r->n_modules; i++) {
		const struct record_module *m = &r->modules[i];
		double took = m->end - m->begin;

		CELLS(out, HEAD(m->name), TEXT(m->state), SECONDS(m->end > 0 ? m->begin : -1));
		if (m->end > 0)
			fprintf(out, "<td class=\"n\" data-v=\"%.6f\">%.3f</td></tr>\n", took,
				took);
		else
			ROW(out, SECONDS(-1));
	}
	table_close(out);
	fputs("</details>\n", out);
	page_section_end(out);
}

int page_single(FILE *out, const struct record *r)
{
	_cleanup_free_ char *title = NULL;
	int q;

	if (asprintf(&title, "%s: %s after %.2f s", r->node, record_outcome_text(r->outcome),
		record_total(r)) < 0)
		return -ENOMEM;
	page_head(out, title);
	markup_printf(out, "<p>%s%s%s</p>\n</header>\n<main id=\"main\">\n", r->root,
		*r->now_at ? ", " : "", r->now_at);
	page_section(out, "picture", "The boot on a time axis");
	fputs("<div class=\"scroll\" role=\"region\" aria-labelledby=\"h-picture\" "
		"tabindex=\"0\">\n", out);
	q = chart_boot(out, r, false, 1);
	fputs("</div>\n", out);
	page_section_end(out);
	write_phases(out, r);
	write_causes(out, r);
	write_rails(out, r);
	write_modules(out, r);
	page_foot(out);
	return q;
}
