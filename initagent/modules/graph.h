/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph: the modules that were ever needed, what each waits for, and how far it got. It decides
 * what may be loaded next and what can no longer be loaded; it loads nothing itself. Rows are never
 * removed, so an index stays valid for the life of the graph.
 */
#pragma once

#include "modules/catalog.h"
#include "modules/modules.h"
#include "modules/loader.h"
#include "report/causes.h"

#define GRAPH_MAX 1024 /* rows; the whole RDMA + network closure of a distribution is below 400 */

/* Why a module is in the graph: a set of bits. It decides the order and how loud a failure is. */
enum demand {
	DEMAND_NAMED = 1,  /* asked for by its own name */
	DEMAND_ALIAS = 2,  /* asked for by an alias, or needed by a module that was asked for */
	DEMAND_DEVICE = 4, /* driver of a device that is there: first in the queue, see graph.c */
	DEMAND_EARLY = 8,  /* an interface needs it: next to those */
};

struct graph {
	const struct env *env; /* borrowed, as is: */
	const struct catalog *catalog;
	struct node *nodes;
	struct module_entry *entries; /* parallel to nodes: this is the public ledger */
	size_t n, capacity;
	uint32_t last_event;
	bool several; /* more than one module is loaded at a time */
	bool unranked; /* rows or edges came since ranks were worked out */
};

void graph_done(struct graph *g);

/*
 * graph_need: adds what name or alias stands for, with all dependencies, or raises the demand if it
 * is there already. A failed module that is named again is queued again; a finished one gives its
 * event again. Returns enum catalog_answer (rows exist only for CATALOG_FOUND), or -ENOSPC,
 * -ENOMEM, -ELOOP.
 */
int graph_need(struct graph *g, const char *name, unsigned demand, uint64_t now);

/* graph_refuse: a row for a name that no module has, failed from the start. 0 or -errno. */
int graph_refuse(struct graph *g, const char *name, enum cause cause, int error, const char *text,
	uint64_t now);

/* graph_adopt: a row for a module that is live although the index does not know it. 0 or -errno. */
int graph_adopt(struct graph *g, const char *name, uint64_t now);

/*
 * graph_next: fills the job of the most urgent module that has all it needs; its state stays.
 * Modules whose dependency failed are failed on the way, and cycles of soft dependencies are cut
 * when idle says that nothing is being loaded. Returns its index or -1.
 */
int graph_next(struct graph *g, bool idle, struct load_job *job, uint64_t now);

/* graph_deadline: when a module is loaded again whose process died; NSEC_NEVER: none is. */
uint64_t graph_deadline(const struct graph *g);

void graph_started(struct graph *g, unsigned i, uint64_t now);
void graph_finished(struct graph *g, const struct load_result *result, uint64_t now);

/*
 * graph_unfinished: a row that is being loaded, else one that waits, NULL: none; devices: only of
 * the drivers of present devices and what these need.
 */
const struct module_entry *graph_unfinished(const struct graph *g, bool devices);

const struct module_entry *graph_entries(const struct graph *g, size_t *ret_n);
const struct module_entry *graph_find(const struct graph *g, const char *name);
bool graph_pop_event(struct graph *g, struct module_event *ret);
