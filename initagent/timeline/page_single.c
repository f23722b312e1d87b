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

static void phases(FILE *out, const struct record *r)
{
	static const char *const columns[] = {"Phase", "#From", "#Took", "#Waited for it"};

	page_section(out, "phases", "Phases");
	table_open(out, "phase-table", "sort", "Phases overlap; each moment is counted as waited for the one that lasts longest (s "
		"after the agent's begin)", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < r->n_phases; i++) {
		row_open(out, r->phases[i].name);
		cell_seconds(out, since_begin(r, r->phases[i].begin));
		cell_seconds(out, r->phases[i].end - r->phases[i].begin);
		cell_seconds(out, record_alone(r, i));
		fputs("</tr>\n", out);
	}
	row_open(out, "between");
	cell_seconds(out, -1);
	cell_seconds(out, -1);
	cell_seconds(out, record_between(r));
	fputs("</tr>\n", out);
	table_close(out);
	page_section_end(out);
}

static void causes(FILE *out, const struct record *r)
{
	static const char *const columns[] = {"Cause", "Where", "What", "What to check", "#First", "#Last", "#Times"};

	page_section(out, "causes", "Causes met");
	if (!r->n_causes)
		fputs("<p>None.</p>\n", out);
	else
		table_open(out, "cause-table", "sort",
			"What kept the boot waiting or made it fail, also what went away again (s after the agent's begin)",
			columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < r->n_causes; i++) {
		const struct record_cause *c = &r->causes[i];
		enum cause known = cause_from_code(c->code);

		row_open(out, c->code);
		cell_text(out, c->where);
		fputs("<td>", out);
		markup_text(out, known == CAUSE_NONE ? "" : cause_info(known)->text);
		fputs(known == CAUSE_NONE || !*c->text ? "" : ": ", out);
		markup_text(out, c->text);
		fputs("</td>", out);
		cell_text(out, known == CAUSE_NONE ? c->check : cause_info(known)->check);
		cell_seconds(out, since_begin(r, c->first));
		cell_seconds(out, since_begin(r, c->last));
		cell_count(out, c->count);
		fputs("</tr>\n", out);
	}
	if (r->n_causes)
		table_close(out);
	page_section_end(out);
}

static void rails(FILE *out, const struct record *r)
{
	static const char *const columns[] = {"Interface", "State", "Address", "By", "RDMA port", "Port state", "Cable ends at", "Root"};

	page_section(out, "rails", "Ways to the root");
	table_open(out, "rail-table", "", "Interfaces that were brought up", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < r->n_rails; i++) {
		const struct record_rail *v = &r->rails[i];

		row_open(out, v->netdev);
		cell_text(out, v->state);
		cell_text(out, v->address);
		cell_text(out, v->method);
		fputs("<td>", out);
		markup_text(out, v->device);
		if (*v->device)
			fprintf(out, "/%u", v->port);
		fputs("</td>", out);
		cell_text(out, v->port_state);
		fputs("<td>", out);
		markup_text(out, *v->far_name ? v->far_name : v->far_guid);
		if (*v->far_name || *v->far_guid)
			fprintf(out, " port %u", v->far_port);
		fprintf(out, "</td><td>%s</td></tr>\n", v->carries_root ? "carries it" : "");
	}
	table_close(out);
	page_section_end(out);
}

static void modules(FILE *out, const struct record *r)
{
	static const char *const columns[] = {"Module", "State", "#From", "#Took"};

	page_section(out, "modules", "Kernel modules");
	fprintf(out, "<details><summary>List of %zu modules</summary>\n", r->n_modules);
	table_open(out, "module-table", "sort", "Modules in the order of the ledger (s since the kernel started)", columns,
		ARRAY_SIZE(columns));
	for (size_t i = 0; i < r->n_modules; i++) {
		const struct record_module *m = &r->modules[i];

		row_open(out, m->name);
		cell_text(out, m->state);
		cell_seconds(out, m->end > 0 ? m->begin : -1);
		if (m->end > 0)
			fprintf(out, "<td class=\"n\" data-v=\"%.6f\">%.3f</td></tr>\n", m->end - m->begin, m->end - m->begin);
		else
			fputs("<td class=\"n\" data-v=\"-1\"></td></tr>\n", out);
	}
	table_close(out);
	fputs("</details>\n", out);
	page_section_end(out);
}

int page_single(FILE *out, const struct record *r)
{
	_cleanup_free_ char *title = NULL;
	int q;

	if (asprintf(&title, "%s: %s after %.2f s", r->node, record_outcome_text(r->outcome), record_total(r)) < 0)
		return -ENOMEM;
	page_head(out, title);
	fputs("<p>", out);
	markup_text(out, r->root);
	fputs("</p>\n</header>\n<main id=\"main\">\n", out);
	page_section(out, "picture", "The boot on a time axis");
	fputs("<div class=\"scroll\" role=\"region\" aria-labelledby=\"h-picture\" tabindex=\"0\">\n", out);
	q = chart_boot(out, r, false, 1);
	fputs("</div>\n", out);
	page_section_end(out);
	phases(out, r);
	causes(out, r);
	rails(out, r);
	modules(out, r);
	page_foot(out);
	return q;
}
