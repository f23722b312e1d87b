/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_rows: the graph's inside, shared by graph.c, graph_build.c and graph_rows.c only. */
#pragma once

#include "modules/graph.h"
#include "report/causes.h"

/*
 * A demand that comes over a soft dependency counts for the order but not for how loud a failure
 * is: the same bits, moved up.
 */
#define DEMAND_HARD_MASK  0x0fu
#define DEMAND_SOFT_SHIFT 4

/*
 * The place in the queue of modules whose dependencies do not tell it. When a module brings trace
 * events, the kernel writes the numbers of its enumerations into their formats
 * (kernel/trace/trace_events.c, trace_event_update_all). nfsv4 has so many of both that a third of
 * a boot's module time goes there, and kernels that take event_mutex for it (stable 6.1 of 2026)
 * let no other module start meanwhile. Reading, checking and linking, which come before that, go
 * on. So nfsv4 begins when so little else is left that it gets done before the lock; and what has
 * nearly all of its load before that point, and is not needed before the mount, goes beside it.
 */
enum turn {
	TURN_NORMAL, /* by its rank */
	TURN_LATE,   /* first when little is left, else after the normal ones */
	TURN_BESIDE, /* last */
};

/*
 * How much of its cost the late one spends before the lock, as a divisor: a fifth of its time was
 * measured, but for its size it takes twice as long as others, so it is two fifths in their
 * measure. A little less, to be early.
 */
#define TURN_LATE_FREE 3

/* An edge to row "on"; hard: its failure is ours. */
struct edge {
	uint16_t on;
	bool hard;
};

struct node {
	struct kmod_module *mod; /* NULL for refused and adopted rows */
	struct edge *edges;
	size_t n_edges;
	unsigned demand;
	uint32_t cost; /* how long its load takes, in no unit: the size of its file in KiB */
	uint32_t
		rank; /* cost of the longest chain from here to the last module that waits for it */
	enum turn turn;
	unsigned deaths; /* of the processes that loaded it */
	uint64_t after;	 /* not loaded again before: one died of it, or was killed */
	bool derived; /* failed only because something it needs did */
	uint32_t event; /* when to hand it out, in order; 0: nothing to hand out */
};

static inline bool row_is_finished(const struct module_entry *e)
{
	return e->state != MODULE_WAITING && e->state != MODULE_LOADING;
}

static inline bool row_is_there(const struct module_entry *e)
{
	return e->state == MODULE_LOADED || e->state == MODULE_PRESENT;
}

static inline bool row_has(const struct node *n, unsigned demand)
{
	return ((n->demand | n->demand >> DEMAND_SOFT_SHIFT) & demand) != 0;
}

static inline bool row_is_urgent(const struct node *n)
{
	return row_has(n, DEMAND_DEVICE | DEMAND_EARLY);
}

/* row_find: index by name, -1 when unknown. row_add: new waiting row; index or -errno. */
int row_find(const struct graph *g, const char *name);
int row_add(struct graph *g, const char *name, unsigned demand);

/* row_demand: the row is needed for these reasons as well. */
void row_demand(struct graph *g, size_t i, unsigned demand);

/* row_set_state: the one place where a state changes; from is what the log calls the old one. */
void row_set_state(struct graph *g, size_t i, const char *from, enum module_state to, uint64_t now);

/* row_fail: to is MODULE_FAILED or MODULE_BLOCKED. */
void row_fail(struct graph *g, size_t i, enum module_state to, enum cause cause, int error,
	const char *text, uint64_t now);

/* row_announce: hand out the row's event (again). */
void row_announce(struct graph *g, size_t i);
