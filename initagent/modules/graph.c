// SPDX-License-Identifier: GPL-2.0-or-later
/* graph: what may be loaded next, and what no longer can. See graph.h. */
#include "modules/graph.h"

#include "modules/graph_rows.h"
#include "report/report.h"

/* Longer chains than this do not exist; see DEPTH_MAX in graph_build.c. */
#define RANK_ROUNDS 40

/* The first hard dependency that failed, or NULL. */
static const struct module_entry *failed_need(const struct graph *g, size_t i)
{
	for (size_t k = 0; k < g->nodes[i].n_edges; k++) {
		const struct edge *e = &g->nodes[i].edges[k];
		const struct module_entry *on = &g->entries[e->on];

		if (e->hard && row_is_finished(on) && !row_is_there(on))
			return on;
	}
	return NULL;
}

static bool is_ready(const struct graph *g, size_t i)
{
	for (size_t k = 0; k < g->nodes[i].n_edges; k++)
		if (!row_is_finished(&g->entries[g->nodes[i].edges[k].on]))
			return false;
	return true;
}

static void fail_for(struct graph *g, size_t i, const struct module_entry *on, uint64_t now)
{
	/* A dependency may have failed quietly (no such hardware); for its dependents it is news.
	 */
	enum cause cause = on->cause != CAUSE_NONE ? on->cause : CAUSE_MODULE_FAILED;
	char text[MODULE_TEXT_SIZE];

	/* "needs A: needs B: words" says no more than "needs B: words". */
	if (strncmp(on->text, "needs ", 6) == 0)
		(void)strscpy(text, on->text, sizeof(text));
	else
		snprintf(text, sizeof(text), "needs %s: %.120s", on->name, on->text);
	g->nodes[i].derived = true;
	row_fail(g, i, MODULE_FAILED, cause, on->error, text, now);
}

/* Fails every waiting module that lost a dependency; repeats until nothing changes any more. */
static void sweep_failures(struct graph *g, uint64_t now)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < g->n; i++) {
			const struct module_entry *on;

			if (g->entries[i].state != MODULE_WAITING)
				continue;
			on = failed_need(g, i);
			if (!on)
				continue;
			fail_for(g, i, on, now);
			changed = true;
		}
	}
}

/*
 * Hands the rank of row i down to what it waits for. Returns whether any grew. One that goes beside
 * the late one makes nothing more urgent: its time is there in any case.
 */
static bool hand_down_rank(struct graph *g, size_t i)
{
	uint32_t own = g->nodes[i].turn == TURN_BESIDE ? 0 : g->nodes[i].rank;
	bool changed = false;

	for (size_t k = 0; k < g->nodes[i].n_edges; k++) {
		struct node *on = &g->nodes[g->nodes[i].edges[k].on];
		uint32_t rank = on->cost + own;

		changed |= rank > on->rank;
		on->rank = rank > on->rank ? rank : on->rank;
	}
	return changed;
}

/*
 * With several workers the longest chain decides when all is done (sunrpc - lockd - nfs - nfsv4),
 * so its beginning must not wait behind short ones. A soft cycle would raise its ranks for ever:
 * bounded.
 */
static void rank_rows(struct graph *g)
{
	bool changed = g->unranked;

	for (size_t i = 0; changed && i < g->n; i++)
		g->nodes[i].rank = g->nodes[i].cost;
	for (unsigned round = 0; changed && round < RANK_ROUNDS; round++) {
		changed = false;
		for (size_t i = 0; i < g->n; i++)
			changed |= hand_down_rank(g, i);
	}
	g->unranked = false;
}

/* What is not finished yet, but for the late one and what goes beside it. */
static uint32_t rest(const struct graph *g)
{
	uint32_t cost = 0;

	for (size_t i = 0; i < g->n; i++)
		if (g->nodes[i].turn == TURN_NORMAL && !row_is_finished(&g->entries[i]))
			cost += g->nodes[i].cost;
	return cost;
}

/* Lower goes first. */
static unsigned place(const struct graph *g, const struct node *n)
{
	if (row_is_urgent(n))
		return row_has(n, DEMAND_DEVICE) ? 0 : 1;
	if (n->turn == TURN_LATE)
		return rest(g) <= n->cost / TURN_LATE_FREE ? 0 : 2;
	return n->turn == TURN_BESIDE ? 3 : 1;
}

static bool goes_before(const struct graph *g, const struct node *a, const struct node *b)
{
	unsigned first = place(g, a), second = place(g, b);

	return first != second ? first < second : a->rank > b->rank;
}

/* Is one being loaded that no device and no interface waits for? */
static bool chain_runs(const struct graph *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->entries[i].state == MODULE_LOADING && !row_is_urgent(&g->nodes[i]))
			return true;
	return false;
}

/*
 * Drivers of devices that are there come first, then what else an interface needs, since an address
 * and a port that trains take longer than any module. But of several workers one is kept for the
 * longest chain, which decides when the root can be mounted.
 */
static int most_urgent(struct graph *g, uint64_t now)
{
	int device = -1, other = -1;

	rank_rows(g);
	for (size_t i = 0; i < g->n; i++) {
		int *best = row_is_urgent(&g->nodes[i]) ? &device : &other;

		if (now >= g->nodes[i].after)
			g->nodes[i].after = 0;
		if (g->entries[i].state != MODULE_WAITING || g->nodes[i].after || !is_ready(g, i))
			continue;
		if (*best < 0 || goes_before(g, &g->nodes[i], &g->nodes[*best]))
			*best = (int)i;
	}
	if (device < 0 || other < 0)
		return device < 0 ? other : device;
	return g->several && !chain_runs(g) ? other : device;
}

/* Soft edges are wishes: takes those of one row away. */
static bool drop_soft_edges(struct node *n)
{
	size_t kept = 0, had = n->n_edges;

	for (size_t k = 0; k < had; k++)
		if (n->edges[k].hard)
			n->edges[kept++] = n->edges[k];
	n->n_edges = kept;
	return kept < had;
}

/*
 * Nothing runs and nothing is ready, yet rows wait: a cycle. Soft edges give way, one row at a
 * time; a cycle of hard ones cannot come from depmod and fails. Returns whether it is worth another
 * look.
 */
static bool cut_cycle(struct graph *g, uint64_t now)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->entries[i].state == MODULE_WAITING && drop_soft_edges(&g->nodes[i]))
			return true;
	for (size_t i = 0; i < g->n; i++)
		if (g->entries[i].state == MODULE_WAITING)
			row_fail(g, i, MODULE_FAILED, CAUSE_MODULE_FAILED, -ELOOP,
				"its dependencies form a cycle", now);
	return false;
}

/* Writes the job; what cannot be put into one fails here. */
static bool fill_job(struct graph *g, size_t i, struct load_job *job, uint64_t now)
{
	const char *path = kmod_module_get_path(g->nodes[i].mod);
	int r;

	memset(job, 0, sizeof(*job));
	job->id = (uint32_t)i;
	job->nice = row_is_urgent(&g->nodes[i]) ? 0 : LOADER_NICE;
	(void)strscpy(job->name, g->entries[i].name, sizeof(job->name));
	if (!path || strscpy(job->path, path, sizeof(job->path)) < 0) {
		row_fail(g, i, MODULE_FAILED, CAUSE_MODULE_MISSING, -ENOENT,
			"the module index gives no usable path", now);
		return false;
	}
	r = catalog_options(g->catalog, g->nodes[i].mod, job->options, sizeof(job->options));
	if (r < 0) {
		row_fail(g, i, MODULE_FAILED, CAUSE_MODULE_OPTION, r,
			r == -E2BIG ? "its options are too long"
				    : "an option cannot be passed on to the kernel", now);
		return false;
	}
	return true;
}

uint64_t graph_deadline(const struct graph *g)
{
	uint64_t at = NSEC_NEVER;

	for (size_t i = 0; i < g->n; i++)
		if (g->entries[i].state == MODULE_WAITING && g->nodes[i].after)
			at = min_u64(at, g->nodes[i].after);
	return at;
}

int graph_next(struct graph *g, bool idle, struct load_job *job, uint64_t now)
{
	/* Each round fails a row, cuts a row's soft edges or ends: twice the rows bounds it. */
	for (size_t round = 0; round <= 2 * g->n; round++) {
		int i;

		sweep_failures(g, now);
		i = most_urgent(g, now);
		if (i >= 0 && fill_job(g, (size_t)i, job, now))
			return i;
		if (i < 0 && (!idle || graph_deadline(g) != NSEC_NEVER || !cut_cycle(g, now)))
			return -1;
	}
	return -1;
}

void graph_started(struct graph *g, unsigned i, uint64_t now)
{
	g->entries[i].begin = now;
	row_set_state(g, i, NULL, MODULE_LOADING, now);
}

static enum module_state state_after(int error)
{
	if (error == -EEXIST)
		return MODULE_PRESENT; /* udev, or the kernel's own helper, was faster */
	return error ? MODULE_FAILED : MODULE_LOADED;
}

/* "Unknown symbol" because the module that has it never made it into the image. */
static void name_lost_need(struct graph *g, size_t i)
{
	struct module_entry *e = &g->entries[i];
	char path[128];

	if (e->cause != CAUSE_MODULE_SYMBOLS ||
		catalog_lost_need(g->catalog, e->name, path, sizeof(path)) != 1)
		return;
	e->cause = CAUSE_MODULE_MISSING;
	snprintf(e->text, sizeof(e->text),
		"needs %s: in the module index, but its file is not there", path);
}

/*
 * Says nothing of the module: it is loaded again, after 1, 2, 4 and then 8 s each time. The boot's
 * budgets end that.
 */
static void loader_died(struct graph *g, size_t i, const char *text, uint64_t now)
{
	struct node *n = &g->nodes[i];

	n->after = now + (NSEC_PER_SEC << (n->deaths < 3 ? n->deaths : 3));
	n->deaths++;
	report_cause(g->env->report, CAUSE_MODULE_FAILED, g->entries[i].name, now,
		"%s; it is loaded again", text);
	row_set_state(g, i, NULL, MODULE_WAITING, now);
}

void graph_finished(struct graph *g, const struct load_result *result, uint64_t now)
{
	enum module_state state = state_after(result->error);
	struct module_entry *e;

	if (result->id >= g->n || g->entries[result->id].state != MODULE_LOADING)
		return;
	if (result->error == LOADER_DIED) {
		loader_died(g, result->id, result->text, now);
		return;
	}
	e = &g->entries[result->id];
	e->begin = result->begin;
	e->end = result->end;
	e->error = state == MODULE_FAILED ? result->error : 0;
	e->cause = result->cause < CAUSE_MAX ? (enum cause)result->cause : CAUSE_INTERNAL;
	(void)strscpy(e->text, result->text, sizeof(e->text));
	/* crc32-pclmul on a CPU without it, a driver without its card: not a fault. */
	if (e->error == -ENODEV && !(g->nodes[result->id].demand & DEMAND_NAMED))
		e->cause = CAUSE_NONE;
	name_lost_need(g, result->id);
	row_set_state(g, result->id, NULL, state, now);
}
