// SPDX-License-Identifier: GPL-2.0-or-later
/* graph_rows: the ledger inside the graph: rows, their states, their events. */
#include "modules/graph_rows.h"

#include "report/report.h"

static const char *const state_names[MODULE_STATE_MAX] = {
	[MODULE_WAITING] = "waiting",
	[MODULE_LOADING] = "loading",
	[MODULE_LOADED] = "loaded",
	[MODULE_PRESENT] = "present",
	[MODULE_FAILED] = "failed",
	[MODULE_BLOCKED] = "blocked",
};

const char *module_state_name(enum module_state state)
{
	return (unsigned)state < MODULE_STATE_MAX ? state_names[state] : "?";
}

void graph_done(struct graph *g)
{
	for (size_t i = 0; i < g->n; i++) {
		if (g->nodes[i].mod)
			kmod_module_unref(g->nodes[i].mod);
		free(g->nodes[i].edges);
	}
	free(g->nodes);
	free(g->entries);
}

int row_find(const struct graph *g, const char *name)
{
	for (size_t i = 0; i < g->n; i++)
		if (catalog_same_name(g->entries[i].name, name))
			return (int)i;
	return -1;
}

static int grow(struct graph *g)
{
	size_t capacity = g->capacity ? g->capacity * 2 : 64;
	struct node *nodes = realloc(g->nodes, capacity * sizeof(*nodes));
	struct module_entry *entries;

	if (!nodes)
		return -ENOMEM;
	g->nodes = nodes;
	entries = realloc(g->entries, capacity * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	g->entries = entries;
	g->capacity = capacity;
	return 0;
}

void row_demand(struct graph *g, size_t i, unsigned demand)
{
	struct module_entry *e = &g->entries[i];

	g->nodes[i].demand |= demand;
	e->wanted |= (demand & DEMAND_HARD_MASK) != 0;
	e->asked |= ((demand | demand >> DEMAND_SOFT_SHIFT) & (DEMAND_NAMED | DEMAND_ALIAS)) != 0;
}

int row_add(struct graph *g, const char *name, unsigned demand)
{
	struct module_entry *e;

	if (g->n >= GRAPH_MAX)
		return -ENOSPC;
	if (g->n == g->capacity) {
		int r = grow(g);

		if (r < 0)
			return r;
	}
	e = &g->entries[g->n];
	memset(e, 0, sizeof(*e));
	memset(&g->nodes[g->n], 0, sizeof(g->nodes[0]));
	(void)strscpy(e->name, name, sizeof(e->name));
	for (char *p = e->name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	row_demand(g, g->n, demand);
	g->unranked = true;
	return (int)g->n++;
}

/*
 * How a failure is reported: as a cause when the module was asked for, as a warning when its own
 * dependency has been told already, else as a note.
 */
static void report_trouble(struct graph *g, size_t i, uint64_t now)
{
	const struct module_entry *e = &g->entries[i];
	const struct node *n = &g->nodes[i];
	struct report *r = g->env->report;

	if (!e->wanted || (e->state == MODULE_BLOCKED && !(n->demand & DEMAND_NAMED)))
		report_log(r, REPORT_INFO, e->name, now, "not loaded: %s", e->text);
	else if (n->derived && !(n->demand & DEMAND_NAMED))
		report_log(r, REPORT_WARN, e->name, now, "not loaded: %s", e->text);
	else
		report_cause(r, e->cause, e->name, now, "%s", e->text);
}

void row_announce(struct graph *g, size_t i)
{
	g->nodes[i].event = ++g->last_event;
}

void row_set_state(struct graph *g, size_t i, const char *from, enum module_state to, uint64_t now)
{
	struct module_entry *e = &g->entries[i];

	from = from ? from : state_names[e->state];
	e->state = to;
	report_state(g->env->report, "modules", e->name, from, state_names[to], now);
	if (!row_is_finished(e))
		return;
	row_announce(g, i);
	if (e->end)
		report_span(g->env->report, "modules", e->name, e->begin, e->end, e->error);
	if (e->cause != CAUSE_NONE)
		report_trouble(g, i, now);
}

void row_fail(struct graph *g, size_t i, enum module_state to, enum cause cause, int error,
	const char *text, uint64_t now)
{
	struct module_entry *e = &g->entries[i];

	e->cause = cause;
	e->error = error;
	(void)strscpy(e->text, text, sizeof(e->text));
	row_set_state(g, i, NULL, to, now);
}

const struct module_entry *graph_unfinished(const struct graph *g, bool devices)
{
	const struct module_entry *found = NULL;

	for (size_t i = 0; i < g->n; i++)
		if (!row_is_finished(&g->entries[i]) &&
			(!devices || row_has(&g->nodes[i], DEMAND_DEVICE)) &&
			(!found || g->entries[i].state == MODULE_LOADING))
			found = &g->entries[i];
	return found;
}

const struct module_entry *graph_entries(const struct graph *g, size_t *ret_n)
{
	*ret_n = g->n;
	return g->entries;
}

const struct module_entry *graph_find(const struct graph *g, const char *name)
{
	int i = row_find(g, name);

	return i < 0 ? NULL : &g->entries[i];
}

bool graph_pop_event(struct graph *g, struct module_event *ret)
{
	struct node *next = NULL;

	for (size_t i = 0; i < g->n; i++) {
		struct node *n = &g->nodes[i];

		if (n->event && (!next || n->event < next->event))
			next = n;
	}
	if (!next)
		return false;
	next->event = 0;
	ret->entry = g->entries[next - g->nodes];
	ret->type = row_is_there(&ret->entry) ? MODULE_EVENT_LOADED : MODULE_EVENT_FAILED;
	return true;
}
