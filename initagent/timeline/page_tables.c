// SPDX-License-Identifier: GPL-2.0-or-later
/* page: the tables of many boots. */
#include "chart.h"
#include "look.h"
#include "markup.h"
#include "page.h"
#include "report/causes.h"

#define MINI 220.0

static void outcome_cell(FILE *out, const struct record *r)
{
	static const char *const classes[RECORD_OUTCOME_MAX] = {"warn", "good", "bad"};

	fprintf(out, "<td class=\"%s\">%s</td>", classes[r->outcome], record_outcome_text(r->outcome));
}

static void code_list(FILE *out, const struct record *r)
{
	fputs("<td>", out);
	for (size_t i = 0; i < r->n_causes; i++) {
		if (i)
			fputs(", ", out);
		markup_text(out, r->causes[i].code);
	}
	fputs("</td>", out);
}

/* Where the boot's cable ends: "leaf01 port 5". */
static void switch_cell(FILE *out, const struct record *r)
{
	const struct record_rail *rail = boot_rail(r);

	fputs("<td>", out);
	if (*boot_switch(r)) {
		markup_text(out, boot_switch(r));
		fprintf(out, " port %u", rail->far_port);
	}
	fputs("</td>", out);
}

/* What the boot waited longest for. */
static void longest_cell(FILE *out, const struct record *r)
{
	double most = record_between(r);
	const char *name = "between";

	for (size_t i = 0; i < r->n_phases; i++)
		if (record_alone(r, i) > most) {
			most = record_alone(r, i);
			name = r->phases[i].name;
		}
	fputs("<td>", out);
	markup_text(out, name);
	fprintf(out, " %.2f s</td>", most);
}

static int chart_details(FILE *out, const struct record *r, unsigned int *id)
{
	int q;

	fputs("<details><summary>Picture of ", out);
	markup_text(out, r->node);
	fprintf(out, " (%.2f s)</summary>\n<div class=\"scroll\">\n", record_total(r));
	q = chart_boot(out, r, false, ++*id);
	fputs("</div></details>\n", out);
	return q;
}

static void mini_key(FILE *out)
{
	fputs("<p>", out);
	for (int i = LOOK_MODULES; i <= LOOK_OTHER; i++)
		fprintf(out,
			"<span class=\"key\"><svg class=\"ch mini\" width=\"22\" height=\"14\" aria-hidden=\"true\"><rect "
			"class=\"%s\" width=\"22\" height=\"14\"/></svg>%s</span>", look_class((enum look)i),
			look_legend((enum look)i));
	fputs("</p>\n", out);
}

int page_slowest(FILE *out, const struct boots *b, unsigned int *id)
{
	static const char *const columns[] = {"Node", "#Took", "!What it waited for", "Longest", "Switch", "Causes met"};
	size_t n = b->n_times < PAGE_SLOWEST ? b->n_times : PAGE_SLOWEST;
	int r = 0;

	page_section(out, "slowest", "Slowest boots");
	mini_key(out);
	table_open(out, "slow-table", "sort", "The slowest of the boots that reached their root", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < n; i++) {
		const struct record *rec = b->list[b->by_time[i]];

		row_open(out, rec->node);
		cell_seconds(out, record_total(rec));
		fputs("<td>", out);
		chart_mini(out, rec, b->times[b->n_times - 1], MINI);
		fputs("</td>", out);
		longest_cell(out, rec);
		switch_cell(out, rec);
		code_list(out, rec);
		fputs("</tr>\n", out);
	}
	table_close(out);
	fputs("<details><summary>Pictures of these boots</summary>\n", out);
	for (size_t i = 0; i < n && r == 0; i++)
		r = chart_details(out, b->list[b->by_time[i]], id);
	fputs("</details>\n", out);
	page_section_end(out);
	return r;
}

static void failed_row(FILE *out, const struct record *r)
{
	const struct record_cause *c = boot_last_cause(r);

	row_open(out, r->node);
	cell_seconds(out, record_total(r));
	fputs("<td>", out);
	markup_text(out, c ? c->code : "none recorded");
	fputs("</td><td>", out);
	if (c) {
		markup_text(out, c->where);
		fputs(*c->where ? ": " : "", out);
		markup_text(out, *c->text ? c->text : cause_info(cause_from_code(c->code))->text);
	}
	fputs("</td>", out);
	switch_cell(out, r);
	cell_text(out, r->file);
	fputs("</tr>\n", out);
}

int page_failed(FILE *out, const struct boots *b, unsigned int *id)
{
	static const char *const columns[] = {"Node", "#Gave up after", "Cause", "Where and what", "Switch", "File"};
	size_t shown = 0, charts = 0;
	int r = 0;

	page_section(out, "failed", "Failed boots");
	if (!b->outcomes[RECORD_FAILED]) {
		fputs("<p>None.</p>\n", out);
		page_section_end(out);
		return 0;
	}
	table_open(out, "failed-table", "sort", "Boots without a root, with the cause each met last", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < b->n && shown < PAGE_FAILED; i++)
		if (b->list[i]->outcome == RECORD_FAILED) {
			failed_row(out, b->list[i]);
			shown++;
		}
	table_close(out);
	if (b->outcomes[RECORD_FAILED] > shown)
		fprintf(out, "<p class=\"soft\">%zu more are in the list of all boots.</p>\n",
			b->outcomes[RECORD_FAILED] - shown);
	fputs("<details><summary>Pictures of the first of them</summary>\n", out);
	for (size_t i = 0; i < b->n && charts < PAGE_FAILED_CHARTS && r == 0; i++)
		if (b->list[i]->outcome == RECORD_FAILED) {
			r = chart_details(out, b->list[i], id);
			charts++;
		}
	fputs("</details>\n", out);
	page_section_end(out);
	return r;
}

static void cause_row(FILE *out, const struct boots *b, const struct group *g)
{
	enum cause known = cause_from_code(g->key);

	row_open(out, *g->key ? g->key : "none recorded");
	cell_count(out, g->failed_last);
	cell_count(out, g->n);
	cell_count(out, g->n - g->failed);
	cell_text(out, !*g->key ? "their states name no cause" :
		known == CAUSE_NONE ? "not known to this version" : cause_info(known)->text);
	cell_text(out, known == CAUSE_NONE ? "" : cause_info(known)->check);
	fprintf(out, "<td><details><summary>%zu<span class=\"hide\"> nodes with this cause</span></summary>", g->n);
	page_nodes(out, b, g);
	fputs("</details></td></tr>\n", out);
}

int page_causes(FILE *out, const struct boots *b)
{
	static const char *const columns[] = {"Cause", "#Failed of it", "#Met it", "#Got over it", "What", "What to check", "#Nodes"};
	_cleanup_(groups_freep) struct groups *g = NULL;
	int r = groups_make(&g, b, boot_cause_key);

	if (r < 0)
		return r;
	page_section(out, "causes", "Causes");
	if (!g->n) {
		fputs("<p>No boot met any.</p>\n", out);
	} else {
		table_open(out, "cause-table", "sort",
			"A boot failed of the cause it met last; boots that got over a cause reached their root or are still at work",
			columns, ARRAY_SIZE(columns));
		for (size_t i = 0; i < g->n; i++)
			cause_row(out, b, &g->list[i]);
		table_close(out);
	}
	page_section_end(out);
	return 0;
}

static const char *switch_key(const struct record *r, size_t i)
{
	return i == 0 ? boot_switch_key(r) : NULL;
}

static int by_port(const void *a, const void *b)
{
	const unsigned int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The ports whose boots failed, rising, each once with its number of failures. */
static int port_cell(FILE *out, const struct boots *b, const struct group *g)
{
	_cleanup_free_ unsigned int *ports = calloc(g->failed + 1, sizeof(*ports));
	size_t n = 0, same = 1;

	if (!ports)
		return -ENOMEM;
	for (size_t i = 0; i < g->n; i++)
		if (b->list[g->members[i]]->outcome == RECORD_FAILED && boot_rail(b->list[g->members[i]]))
			ports[n++] = boot_rail(b->list[g->members[i]])->far_port;
	if (n)
		qsort(ports, n, sizeof(*ports), by_port);
	fputs("<td>", out);
	for (size_t i = 0; i < n && *g->key; i++, same++) {
		if (i + 1 < n && ports[i + 1] == ports[i])
			continue;
		fprintf(out, "%s%u", i + 1 > same ? ", " : "", ports[i]);
		if (same > 1)
			fprintf(out, " (%zu)", same);
		same = 0;
	}
	fputs("</td>", out);
	return 0;
}

static int switch_row(FILE *out, const struct boots *b, const struct group *g)
{
	const struct record_rail *rail = boot_rail(b->list[g->members[0]]);
	int r;

	row_open(out, *g->key ? boot_switch(b->list[g->members[0]]) : "not known");
	cell_text(out, *g->key && rail ? rail->far_guid : "Ethernet, or a boot that did not get so far");
	cell_count(out, g->n);
	cell_count(out, g->failed);
	r = port_cell(out, b, g);
	cell_seconds(out, g->median > 0 ? g->median : -1);
	cell_seconds(out, g->p95 > 0 ? g->p95 : -1);
	fputs("</tr>\n", out);
	return r;
}

int page_switches(FILE *out, const struct boots *b)
{
	static const char *const columns[] = {"Switch", "GUID", "#Boots", "#Failed", "Ports of failed boots", "#Median", "#95 %"};
	_cleanup_(groups_freep) struct groups *g = NULL;
	int r = groups_make(&g, b, switch_key);

	if (r < 0)
		return r;
	page_section(out, "switches", "By switch");
	table_open(out, "switch-table", "sort", "Boots by the switch at the other end of their cable", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < g->n && r == 0; i++)
		r = switch_row(out, b, &g->list[i]);
	table_close(out);
	page_section_end(out);
	return r;
}

static const char *version_key(const struct record *r, size_t i)
{
	return i == 0 ? r->version : NULL;
}

static const char *kernel_key(const struct record *r, size_t i)
{
	return i == 0 ? r->kernel : NULL;
}

static int version_rows(FILE *out, const struct boots *b, const char *what, const char *(*key)(const struct record *, size_t))
{
	_cleanup_(groups_freep) struct groups *g = NULL;
	int r = groups_make(&g, b, key);

	for (size_t i = 0; r == 0 && i < g->n; i++) {
		const struct group *v = &g->list[i];

		row_open(out, *v->key ? v->key : "not known");
		cell_text(out, what);
		cell_count(out, v->n);
		cell_count(out, v->failed);
		cell_seconds(out, v->median > 0 ? v->median : -1);
		cell_seconds(out, v->p95 > 0 ? v->p95 : -1);
		fputs("</tr>\n", out);
	}
	return r;
}

int page_versions(FILE *out, const struct boots *b)
{
	static const char *const columns[] = {"Version", "Of", "#Boots", "#Failed", "#Median", "#95 %"};
	int r;

	page_section(out, "versions", "By version");
	table_open(out, "version-table", "sort", "Boots by the agent's version and by the kernel's", columns, ARRAY_SIZE(columns));
	r = version_rows(out, b, "agent", version_key);
	if (r == 0)
		r = version_rows(out, b, "kernel", kernel_key);
	table_close(out);
	page_section_end(out);
	return r;
}

void page_broken(FILE *out, const struct boots *b)
{
	static const char *const columns[] = {"File", "What is wrong"};

	if (!b->n_broken)
		return;
	page_section(out, "broken", "Broken files");
	table_open(out, "broken-table", "sort", "Files that are no readable state file; nothing above counts them", columns,
		ARRAY_SIZE(columns));
	for (size_t i = 0; i < b->n_broken; i++) {
		row_open(out, b->broken[i].file);
		cell_text(out, b->broken[i].why);
		fputs("</tr>\n", out);
	}
	table_close(out);
	page_section_end(out);
}

void page_all(FILE *out, const struct boots *b)
{
	static const char *const columns[] = {"Node", "Outcome", "#Took", "Switch", "Causes met", "Root", "File"};

	page_section(out, "all", "All boots");
	fprintf(out, "<details><summary>List of %zu boots</summary>\n", b->n);
	table_open(out, "all-table", "sort search", "Every boot, by name", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < b->n && i < PAGE_ALL; i++) {
		const struct record *r = b->list[i];

		row_open(out, r->node);
		outcome_cell(out, r);
		cell_seconds(out, record_total(r));
		switch_cell(out, r);
		code_list(out, r);
		cell_text(out, r->root);
		cell_text(out, r->file);
		fputs("</tr>\n", out);
	}
	table_close(out);
	if (b->n > PAGE_ALL)
		fprintf(out, "<p>%zu more are not listed.</p>\n", b->n - PAGE_ALL);
	fputs("</details>\n", out);
	page_section_end(out);
}
