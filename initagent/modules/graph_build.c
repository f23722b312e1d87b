// SPDX-License-Identifier: GPL-2.0-or-later
/* graph_build: how rows and edges come about: dependencies, soft dependencies, companions. */
#include <sys/stat.h>

#include "modules/companions.h"
#include "modules/graph_rows.h"
#include "report/report.h"

/* Chains in real module trees are below 12; deeper means a damaged index. */
#define DEPTH_MAX 40

/* Only modules that a boot waits for are worth a row. */
static const struct {
	const char *module;
	enum turn turn;
} turns[] = {
	{"nfsv4", TURN_LATE},
	{"rpcrdma", TURN_BESIDE},
};

static enum turn turn_of(const char *module)
{
	for (size_t i = 0; i < ARRAY_SIZE(turns); i++)
		if (streq(turns[i].module, module))
			return turns[i].turn;
	return TURN_NORMAL;
}

enum relation {
	NEEDS,	   /* hard: without it the module cannot be loaded */
	AFTER_IT,  /* soft: the module is loaded after it */
	BEFORE_IT, /* soft: the module is loaded before it */
};

/* Where a walk through the tree stands: handed down by value. */
struct walk {
	unsigned demand;
	unsigned depth;
	uint64_t now;
};

/* What a module's demand means for the modules it needs: they were not named themselves. */
static unsigned demand_of_needs(unsigned demand)
{
	return demand & DEMAND_NAMED ? (demand & ~(unsigned)DEMAND_NAMED) | DEMAND_ALIAS : demand;
}

/* The same over a soft relation: the urgency goes on, the wish does not. */
static unsigned demand_softened(unsigned demand)
{
	demand = demand_of_needs(demand);
	return (demand | demand << DEMAND_SOFT_SHIFT) & DEMAND_HARD_MASK << DEMAND_SOFT_SHIFT;
}

static int add_edge(struct graph *g, int from, int on, bool hard)
{
	struct node *n = &g->nodes[from];
	struct edge *edges;

	if (from == on)
		return 0;
	for (size_t i = 0; i < n->n_edges; i++) {
		if (n->edges[i].on == on) {
			n->edges[i].hard |= hard;
			return 0;
		}
	}
	edges = realloc(n->edges, (n->n_edges + 1) * sizeof(*edges));
	if (!edges)
		return -ENOMEM;
	edges[n->n_edges++] = (struct edge){.on = (uint16_t)on, .hard = hard};
	n->edges = edges;
	g->unranked = true;
	return 0;
}

/* Row i is needed for one more reason: passes that on. Ends because bits are only ever added. */
static void raise_demand(struct graph *g, int i, struct walk w)
{
	struct node *n = &g->nodes[i];
	unsigned added = w.demand & ~n->demand;

	if (!added || w.depth > DEPTH_MAX)
		return;
	row_demand(g, (size_t)i, added);
	for (size_t k = 0; k < n->n_edges; k++) {
		struct walk next = {.depth = w.depth + 1, .now = w.now};

		next.demand = n->edges[k].hard ? demand_of_needs(added) : demand_softened(added);
		raise_demand(g, n->edges[k].on, next);
	}
}

/* A module that failed is asked for again: it and what failed beneath it get a new chance. */
static void retry(struct graph *g, int i, unsigned depth, uint64_t now)
{
	struct module_entry *e = &g->entries[i];
	struct node *n = &g->nodes[i];

	if (depth > DEPTH_MAX || e->state != MODULE_FAILED || !n->mod)
		return;
	e->cause = CAUSE_NONE;
	e->error = 0;
	e->begin = e->end = 0;
	e->text[0] = 0;
	n->derived = false;
	row_set_state(g, (size_t)i, NULL, MODULE_WAITING, now);
	for (size_t k = 0; k < n->n_edges; k++)
		retry(g, n->edges[k].on, depth + 1, now);
}

static int add_module(struct graph *g, struct kmod_module *mod, struct walk w);

/* Adds every module of a list as neighbour of row i. */
static int link_list(
	struct graph *g, int i, const struct kmod_list *list, enum relation relation, struct walk w)
{
	const struct kmod_list *item;

	kmod_list_foreach(item, list)
	{
		struct kmod_module *mod = kmod_module_get_module(item);
		int other = add_module(g, mod, w);
		int r;

		kmod_module_unref(mod);
		if (other < 0)
			return other;
		if (relation == BEFORE_IT)
			r = add_edge(g, other, i, false);
		else
			r = add_edge(g, i, other, relation == NEEDS);
		if (r < 0)
			return r;
	}
	return 0;
}

static int link_needs(struct graph *g, int i, struct walk w)
{
	struct kmod_list *deps = kmod_module_get_dependencies(g->nodes[i].mod);
	int r;

	w.demand = demand_of_needs(w.demand);
	r = link_list(g, i, deps, NEEDS, w);
	kmod_module_unref_list(deps);
	return r;
}

static int link_soft(struct graph *g, int i, struct walk w)
{
	struct kmod_list *pre = NULL, *post = NULL;
	int r;

	/* An unreadable softdep line has no effect. */
	if (kmod_module_get_softdeps(g->nodes[i].mod, &pre, &post) < 0)
		return 0;
	w.demand = demand_softened(w.demand);
	r = link_list(g, i, pre, AFTER_IT, w);
	if (r == 0)
		r = link_list(g, i, post, BEFORE_IT, w);
	kmod_module_unref_list(pre);
	kmod_module_unref_list(post);
	return r;
}

static int link_companion(struct graph *g, int i, const struct companion *c, struct walk w)
{
	struct kmod_list *list = NULL;
	int r;

	if (catalog_lookup(g->catalog, c->name, &list) != CATALOG_FOUND) {
		report_log(g->env->report, c->wanted ? REPORT_WARN : REPORT_DEBUG,
			g->entries[i].name, w.now, "%s is not in the image (%s)", c->name, c->why);
		return 0;
	}
	if (!c->by_kernel && !catalog_allows(g->catalog, list)) {
		report_log(g->env->report, REPORT_INFO, g->entries[i].name, w.now,
			"%s is blacklisted in modprobe.d (%s)", c->name, c->why);
		kmod_module_unref_list(list);
		return 0;
	}
	w.demand = c->wanted ? demand_of_needs(w.demand) : demand_softened(w.demand);
	r = link_list(g, i, list, c->order == COMPANION_BEFORE ? AFTER_IT : BEFORE_IT, w);
	kmod_module_unref_list(list);
	return r;
}

/*
 * A fresh row: settles at once what needs no loading, else finds out what it waits for. A module
 * that is there already may still lack its companions (agent restarted, or built into the kernel).
 */
static int explore(struct graph *g, int i, struct walk w)
{
	struct kmod_module *mod = g->nodes[i].mod;
	const char *refusal = catalog_forbids(g->catalog, mod);
	const struct companion *c = NULL;
	int r = 0;

	if (catalog_present(g->catalog, mod)) {
		row_set_state(g, (size_t)i, "absent", MODULE_PRESENT, w.now);
	} else if (refusal) {
		row_fail(g, (size_t)i, MODULE_BLOCKED, CAUSE_MODULE_BLACKLISTED, -EPERM, refusal,
			w.now);
		return 0;
	} else {
		r = link_needs(g, i, w);
		if (r == 0)
			r = link_soft(g, i, w);
	}
	while (r == 0 && (c = companion_next(kmod_module_get_name(mod), c)))
		r = link_companion(g, i, c, w);
	return r;
}

/*
 * Relocation, signature and unwind tables make up most of a load, and all of them grow with the
 * file. Drivers that wait for hardware take longer, but they are urgent anyway.
 */
static uint32_t file_cost(const char *path)
{
	struct stat st;

	if (!path || stat(path, &st) < 0)
		return 1;
	return (uint32_t)min_u64((uint64_t)st.st_size / 1024 + 1, UINT16_MAX);
}

static int add_module(struct graph *g, struct kmod_module *mod, struct walk w)
{
	int i = row_find(g, kmod_module_get_name(mod));
	int r;

	if (w.depth++ > DEPTH_MAX)
		return -ELOOP;
	if (i >= 0) {
		raise_demand(g, i, w);
		return i;
	}
	i = row_add(g, kmod_module_get_name(mod), w.demand);
	if (i < 0)
		return i;
	g->nodes[i].mod = kmod_module_ref(mod);
	g->nodes[i].cost = file_cost(kmod_module_get_path(mod));
	g->nodes[i].turn = turn_of(kmod_module_get_name(mod));
	r = explore(g, i, w);
	return r < 0 ? r : i;
}

/* One candidate of a look-up. */
static int need_module(struct graph *g, struct kmod_module *mod, const char *name,
	unsigned demand, uint64_t now)
{
	struct walk w = {.demand = demand, .now = now};
	int i;

	if (!catalog_same_name(kmod_module_get_name(mod), name))
		w.demand = demand_of_needs(demand);
	i = add_module(g, mod, w);
	if (i < 0 || demand == DEMAND_DEVICE)
		return i;
	retry(g, i, 0, now);
	if (row_is_finished(&g->entries[i]))
		row_announce(g, (size_t)i);
	return i;
}

int graph_need(struct graph *g, const char *name, unsigned demand, uint64_t now)
{
	struct kmod_list *list = NULL, *item;
	enum catalog_answer answer = catalog_lookup(g->catalog, name, &list);
	int r = 0;

	if (answer != CATALOG_FOUND)
		return (int)answer;
	kmod_list_foreach(item, list)
	{
		struct kmod_module *mod = kmod_module_get_module(item);

		if (r >= 0 && (demand & DEMAND_NAMED || !catalog_no_alias(g->catalog, mod)))
			r = need_module(g, mod, name, demand, now);
		kmod_module_unref(mod);
	}
	kmod_module_unref_list(list);
	return r < 0 ? r : (int)CATALOG_FOUND;
}

/* The row of a name without module, new or there already. */
static int plain_row(struct graph *g, const char *name)
{
	int i = row_find(g, name);

	return i >= 0 ? i : row_add(g, name, DEMAND_NAMED);
}

int graph_refuse(struct graph *g, const char *name, enum cause cause, int error, const char *text,
	uint64_t now)
{
	int i = plain_row(g, name);

	if (i < 0)
		return i;
	row_fail(g, (size_t)i, cause == CAUSE_MODULE_BLACKLISTED ? MODULE_BLOCKED : MODULE_FAILED,
		cause, error, text, now);
	return 0;
}

int graph_adopt(struct graph *g, const char *name, uint64_t now)
{
	int i = plain_row(g, name);

	if (i < 0)
		return i;
	g->entries[i].cause = CAUSE_NONE;
	row_set_state(g, (size_t)i, "absent", MODULE_PRESENT, now);
	return 0;
}
