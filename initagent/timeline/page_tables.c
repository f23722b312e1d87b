// SPDX-License-Identifier: GPL-2.0-or-later
/* page: the tables of many boots. */
#include "chart.h"
#include "look.h"
#include "markup.h"
#include "page.h"
#include "report/causes.h"

#define MINI 220.0
/* Of the pictures; the histogram's is 1. */
#define SLOWEST_ID 2
#define FAILED_ID  (SLOWEST_ID + PAGE_SLOWEST)

static void draw_codes(FILE *out, const struct record *r)
{
	for (size_t i = 0; i < r->n_causes; i++)
		markup_printf(out, i ? ", %s" : "%s", r->causes[i].code);
}

/* Where the boot's cable ends: "leaf01 port 5". */
static void draw_switch(FILE *out, const struct record *r)
{
	if (*boot_switch(r))
		markup_printf(out, "%s port %u", boot_switch(r), boot_rail(r)->far_port);
}

/* What the boot waited longest for. */
static void draw_longest(FILE *out, const struct record *r)
{
	double most = record_between(r);
	const char *name = "between";

	for (size_t i = 0; i < r->n_phases; i++)
		if (record_alone(r, i) > most) {
			most = record_alone(r, i);
			name = r->phases[i].name;
		}
	markup_printf(out, "%s %.2f s", name, most);
}

static int chart_details(FILE *out, const struct record *r, size_t id)
{
	int q;

	markup_printf(out,
		"<details><summary>Picture of %s (%.2f s)</summary>\n<div class=\"scroll\">\n",
		r->node, record_total(r));
	q = chart_boot(out, r, false, (unsigned int)id);
	fputs("</div></details>\n", out);
	return q;
}

static void mini_key(FILE *out)
{
	fputs("<p>", out);
	for (int i = LOOK_MODULES; i <= LOOK_OTHER; i++)
		markup_printf(out,
			"<span class=\"key\"><svg class=\"ch mini\" width=\"22\" height=\"14\" "
				"aria-hidden="
			"\"true\"><rect class=\"%s\" width=\"22\" height=\"14\"/></svg>%s</span>",
			look_class((enum look)i), look_legend((enum look)i));
	fputs("</p>\n", out);
}

int page_slowest(FILE *out, const struct boots *b)
{
	static const struct table table = {"slow-table", "sort",
		"The slowest of the boots that reached their root",
		{"Node", "#Took", "!What it waited for", "Longest", "Switch", "Causes met"}};
	size_t n = b->n_times < PAGE_SLOWEST ? b->n_times : PAGE_SLOWEST;
	int r = 0;

	mini_key(out);
	table_open(out, &table);
	for (size_t i = 0; i < n; i++) {
		const struct record *rec = b->list[b->by_time[i]];

		CELLS(out, HEAD(rec->node), SECONDS(record_total(rec)));
		fputs("<td>", out);
		chart_mini(out, rec, b->times[b->n_times - 1], MINI);
		fputs("</td>", out);
		ROW(out, DRAWN(draw_longest, rec), DRAWN(draw_switch, rec), DRAWN(draw_codes, rec));
	}
	table_close(out);
	fputs("<details><summary>Pictures of these boots</summary>\n", out);
	for (size_t i = 0; i < n && r == 0; i++)
		r = chart_details(out, b->list[b->by_time[i]], SLOWEST_ID + i);
	fputs("</details>\n", out);
	return r;
}

static void failed_row(FILE *out, const struct record *r)
{
	const struct record_cause *c = boot_last_cause(r);

	CELLS(out, HEAD(r->node), SECONDS(record_total(r)), TEXT(c ? c->code : "none recorded"));
	if (c)
		markup_printf(out, "<td>%s%s%s</td>", c->where, *c->where ? ": " : "",
			*c->text ? c->text : cause_info(cause_from_code(c->code))->text);
	else
		fputs("<td></td>", out);
	ROW(out, DRAWN(draw_switch, r), TEXT(r->file));
}

int page_failed(FILE *out, const struct boots *b)
{
	static const struct table table = {"failed-table", "sort",
		"Boots without a root, with the last cause of each",
		{"Node", "#Gave up after", "Cause", "Where and what", "Switch", "File"}};
	size_t shown = 0, charts = 0;
	int r = 0;

	if (!b->outcomes[RECORD_FAILED]) {
		fputs("<p>None.</p>\n", out);
		return 0;
	}
	table_open(out, &table);
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
			r = chart_details(out, b->list[i], FAILED_ID + charts);
			charts++;
		}
	fputs("</details>\n", out);
	return r;
}

static void cause_row(FILE *out, const struct boots *b, const struct group *g)
{
	enum cause known = cause_from_code(g->key);
	const char *what = !*g->key ? "their states name no cause" :
		known == CAUSE_NONE ? "not known to this version" : cause_info(known)->text;

	CELLS(out, HEAD(*g->key ? g->key : "none recorded"), COUNT(g->failed_last), COUNT(g->n),
		COUNT(g->n - g->failed), TEXT(what),
		TEXT(known == CAUSE_NONE ? "" : cause_info(known)->check));
	markup_printf(out,
		"<td><details><summary>%zu<span class=\"hide\"> nodes with this cause</span>"
		"</summary>", g->n);
	for (size_t i = 0; i < g->n && i < PAGE_NODES; i++)
		markup_printf(out, i ? ", %s" : "%s", b->list[g->members[i]]->node);
	if (g->n > PAGE_NODES)
		fprintf(out, " and %zu more", g->n - PAGE_NODES);
	fputs("</details></td></tr>\n", out);
}

int page_causes(FILE *out, const struct boots *b)
{
	static const struct table table = {"cause-table", "sort",
		"A failed boot was ended by its last cause; boots that recovered reached their "
			"root or "
		"are still running",
		{"Cause", "#Ended by it", "#Seen in", "#Recovered", "What", "What to check",
			"#Nodes"}};
	_cleanup_(groups_freep) struct groups *g = NULL;
	int r = groups_make(&g, b, boot_cause_key);

	if (r < 0)
		return r;
	if (!g->n) {
		fputs("<p>No boot reported any.</p>\n", out);
		return 0;
	}
	table_open(out, &table);
	for (size_t i = 0; i < g->n; i++)
		cause_row(out, b, &g->list[i]);
	table_close(out);
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
	for (size_t i = 0; i < g->n; i++) {
		const struct record *r = b->list[g->members[i]];

		if (r->outcome == RECORD_FAILED && boot_rail(r))
			ports[n++] = boot_rail(r)->far_port;
	}
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

/* Times of a group none of whose boots reached its root are not known. */
static double known_time(double seconds)
{
	return seconds > 0 ? seconds : -1;
}

static int switch_row(FILE *out, const struct boots *b, const struct group *g)
{
	const struct record *first = b->list[g->members[0]];
	const struct record_rail *rail = boot_rail(first);
	int r;

	CELLS(out, HEAD(*g->key ? boot_switch(first) : "not known"),
		TEXT(*g->key && rail ? rail->far_guid :
			"Ethernet, or a boot that did not get so far"),
		COUNT(g->n), COUNT(g->failed));
	r = port_cell(out, b, g);
	ROW(out, SECONDS(known_time(g->median)), SECONDS(known_time(g->p95)));
	return r;
}

int page_switches(FILE *out, const struct boots *b)
{
	static const struct table table = {"switch-table", "sort",
		"Boots by the switch at the other end of their cable",
		{"Switch", "GUID", "#Boots", "#Failed", "Ports of failed boots", "#Median",
			"#95 %"}};
	_cleanup_(groups_freep) struct groups *g = NULL;
	int r = groups_make(&g, b, switch_key);

	if (r < 0)
		return r;
	table_open(out, &table);
	for (size_t i = 0; i < g->n && r == 0; i++)
		r = switch_row(out, b, &g->list[i]);
	table_close(out);
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

static int version_rows(FILE *out, const struct boots *b, const char *what,
	const char *(*key)(const struct record *, size_t))
{
	_cleanup_(groups_freep) struct groups *g = NULL;
	int r = groups_make(&g, b, key);

	for (size_t i = 0; r == 0 && i < g->n; i++) {
		const struct group *v = &g->list[i];

		ROW(out, HEAD(*v->key ? v->key : "not known"), TEXT(what), COUNT(v->n),
			COUNT(v->failed), SECONDS(known_time(v->median)),
				SECONDS(known_time(v->p95)));
	}
	return r;
}

int page_versions(FILE *out, const struct boots *b)
{
	static const struct table table = {"version-table", "sort",
		"Boots by the agent's version and by the kernel's",
		{"Version", "Of", "#Boots", "#Failed", "#Median", "#95 %"}};
	int r;

	table_open(out, &table);
	r = version_rows(out, b, "agent", version_key);
	if (r == 0)
		r = version_rows(out, b, "kernel", kernel_key);
	table_close(out);
	return r;
}

int page_broken(FILE *out, const struct boots *b)
{
	static const struct table table = {"broken-table", "sort",
		"Files that are not valid state files; they are not counted above",
		{"File", "What is wrong"}};

	table_open(out, &table);
	for (size_t i = 0; i < b->n_broken; i++)
		ROW(out, HEAD(b->broken[i].file), TEXT(b->broken[i].why));
	table_close(out);
	return 0;
}

int page_all(FILE *out, const struct boots *b)
{
	static const char *const classes[RECORD_OUTCOME_MAX] = {"warn", "good", "bad"};
	static const struct table table = {"all-table", "sort search", "Every boot, by name",
		{"Node", "Outcome", "#Took", "Switch", "Causes met", "Root", "File"}};

	fprintf(out, "<details><summary>List of %zu boots</summary>\n", b->n);
	table_open(out, &table);
	for (size_t i = 0; i < b->n && i < PAGE_ALL; i++) {
		const struct record *r = b->list[i];

		CELLS(out, HEAD(r->node));
		fprintf(out, "<td class=\"%s\">%s</td>", classes[r->outcome],
			record_outcome_text(r->outcome));
		ROW(out, SECONDS(record_total(r)), DRAWN(draw_switch, r), DRAWN(draw_codes, r),
			TEXT(r->root), TEXT(r->file));
	}
	table_close(out);
	if (b->n > PAGE_ALL)
		fprintf(out, "<p>%zu more are not listed.</p>\n", b->n - PAGE_ALL);
	fputs("</details>\n", out);
	return 0;
}
