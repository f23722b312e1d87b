// SPDX-License-Identifier: GPL-2.0-or-later
/* record: see record.h. */
#include "state/record.h"

#include <cjson/cJSON.h>
#include <math.h>

#include "arena.h"
#include "state/state.h"

/* Rows kept of each kind, far more than the agent writes; a boot has at most a few phases. */
enum { PHASES_MAX = 16, MODULES_MAX = 512, WORKS_MAX = 512, CHANGES_MAX = 4096, CAUSES_MAX = 256,
	RAILS_MAX = 128 };

struct whole {
	struct record r;
	struct arena *arena;
};

static const char *const fault_texts[RECORD_FAULT_MAX] = {
	[RECORD_OK] = "good",
	[RECORD_EMPTY] = "empty",
	[RECORD_LARGE] = "too large for a state file",
	[RECORD_SYNTAX] = "not JSON, or cut off",
	[RECORD_OBJECT] = "not a JSON object",
	[RECORD_SCHEMA] = "not a state file of schema 1",
	[RECORD_OUTCOME] = "its outcome is none of running, done, failed",
	[RECORD_TIMES] = "its start_s and now_s are no times of a boot",
	[RECORD_MEMORY] = "out of memory",
};

static const char *const outcome_names[RECORD_OUTCOME_MAX] = {"running", "done", "failed"};
static const char *const outcome_texts[RECORD_OUTCOME_MAX] =
	{"still at work", "root reached", "failed"};

const char *record_fault_text(enum record_fault fault)
{
	return fault_texts[fault];
}

const char *record_outcome_text(enum record_outcome outcome)
{
	return outcome_texts[outcome];
}

static const cJSON *field(const cJSON *o, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(o, key);
}

/* A text of the object, or one of an arena that is always there. */
static const char *text(struct whole *w, const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(field(o, key));
	const char *copy = s && *s ? arena_text(w->arena, s, strnlen(s, RECORD_TEXT_MAX)) : NULL;

	return copy ? copy : "";
}

/* A time, or -1 where there is none that a boot can have. */
static double seconds(const cJSON *o, const char *key)
{
	const cJSON *n = field(o, key);

	if (!cJSON_IsNumber(n) || !isfinite(n->valuedouble) || n->valuedouble < 0 ||
		n->valuedouble > RECORD_TIME_MAX)
		return -1;
	return n->valuedouble;
}

static unsigned int count(const cJSON *o, const char *key)
{
	const cJSON *n = field(o, key);
	double d = cJSON_IsNumber(n) && isfinite(n->valuedouble) ? n->valuedouble : 0;

	return d < 0 ? 0 : d > 1e9 ? 1000000000 : (unsigned int)d;
}

/* Both times of a row; false when it cannot have been so. */
static bool span(const cJSON *o, const char *begin, const char *end, double *ret_begin,
	double *ret_end)
{
	*ret_begin = seconds(o, begin);
	*ret_end = seconds(o, end);
	return *ret_begin >= 0 && *ret_end >= *ret_begin;
}

/* Each take_ function reads one row; false leaves the row out. */
static bool take_phase(struct whole *w, const cJSON *o, void *row)
{
	struct record_phase *p = row;

	p->name = text(w, o, "name");
	return !streq(p->name, "total") && span(o, "begin_s", "end_s", &p->begin, &p->end);
}

static bool take_module(struct whole *w, const cJSON *o, void *row)
{
	struct record_module *m = row;

	m->name = text(w, o, "name");
	m->state = text(w, o, "state");
	if (!field(o, "begin_s") && !field(o, "end_s"))
		return true;
	return span(o, "begin_s", "end_s", &m->begin, &m->end);
}

static bool take_work(struct whole *w, const cJSON *o, void *row)
{
	struct record_work *k = row;
	const cJSON *result = field(o, "result");

	k->room = text(w, o, "room");
	k->what = text(w, o, "what");
	k->result = cJSON_IsNumber(result) ? result->valueint : 0;
	return span(o, "begin_s", "end_s", &k->begin, &k->end);
}

static bool take_change(struct whole *w, const cJSON *o, void *row)
{
	struct record_change *c = row;

	c->room = text(w, o, "room");
	c->rail = text(w, o, "rail");
	c->from = text(w, o, "from");
	c->to = text(w, o, "to");
	c->when = seconds(o, "s");
	return c->when >= 0;
}

static bool take_cause(struct whole *w, const cJSON *o, void *row)
{
	struct record_cause *c = row;

	c->code = text(w, o, "code");
	c->where = text(w, o, "where");
	c->text = text(w, o, "text");
	c->check = text(w, o, "check");
	c->count = count(o, "count");
	return span(o, "first_s", "last_s", &c->first, &c->last);
}

static bool take_rail(struct whole *w, const cJSON *o, void *row)
{
	const cJSON *rdma = field(o, "rdma"), *far = field(rdma, "neighbour");
	struct record_rail *r = row;

	r->netdev = text(w, o, "netdev");
	r->state = text(w, o, "state");
	r->method = text(w, o, "method");
	r->address = text(w, o, "address");
	r->carries_root = cJSON_IsTrue(field(o, "carries_root"));
	r->device = text(w, rdma, "device");
	r->port = count(rdma, "port");
	r->link_layer = text(w, rdma, "link_layer");
	r->port_state = text(w, rdma, "state");
	r->far_name = text(w, far, "name");
	r->far_guid = text(w, far, "guid");
	r->far_port = count(far, "port");
	return true;
}

/* What an array of the file becomes. */
static const struct table {
	const char *key;
	size_t size, max;
	bool (*take)(struct whole *w, const cJSON *o, void *row);
	size_t rows, n; /* offsets in struct record */
} tables[] = {
#define ROWS(what) offsetof(struct record, what), offsetof(struct record, n_##what)
	{"phases", sizeof(struct record_phase), PHASES_MAX, take_phase, ROWS(phases)},
	{"modules", sizeof(struct record_module), MODULES_MAX, take_module, ROWS(modules)},
	{"work", sizeof(struct record_work), WORKS_MAX, take_work, ROWS(works)},
	{"timeline", sizeof(struct record_change), CHANGES_MAX, take_change, ROWS(changes)},
	{"causes", sizeof(struct record_cause), CAUSES_MAX, take_cause, ROWS(causes)},
	{"rails", sizeof(struct record_rail), RAILS_MAX, take_rail, ROWS(rails)},
#undef ROWS
};

static bool is_total(const cJSON *o)
{
	const char *name = cJSON_GetStringValue(field(o, "name"));

	return name && streq(name, "total");
}

/* An array of the object, NULL when there is none of that name. */
static const cJSON *array(const cJSON *o, const char *key)
{
	const cJSON *list = field(o, key);

	return cJSON_IsArray(list) ? list : NULL;
}

static int take_rows(struct whole *w, const cJSON *top, const struct table *t)
{
	const cJSON *list = array(top, t->key), *o;
	size_t n = (size_t)cJSON_GetArraySize(list), *kept = (void *)((char *)&w->r + t->n);
	size_t cap = n < t->max ? n : t->max;
	char *rows = cap ? arena_alloc(w->arena, cap * t->size) : NULL;

	if (cap && !rows)
		return -ENOMEM;
	*(void **)((char *)&w->r + t->rows) = rows;
	cJSON_ArrayForEach(o, list)
	{
		char *row = rows + *kept * t->size;

		if (*kept < cap && t->take(w, o, memset(row, 0, t->size)))
			++*kept;
		else if (!is_total(o))
			w->r.left_out++;
	}
	return 0;
}

static int earlier(const void *a, const void *b)
{
	const struct record_change *x = a, *y = b;

	return (x->when > y->when) - (x->when < y->when);
}

/* The agent writes them in order; a stable order for a file that someone mixed. */
static void sort_changes(struct record *r)
{
	for (size_t i = 1; i < r->n_changes; i++)
		if (r->changes[i].when < r->changes[i - 1].when) {
			qsort(r->changes, r->n_changes, sizeof(*r->changes), earlier);
			return;
		}
}

/* One line that tells which root it was. */
static const char *root_line(struct whole *w, const cJSON *top)
{
	const cJSON *root = field(top, "root");
	const char *type = text(w, root, "type"), *path = text(w, root, "path"), *line;

	if (streq(type, "image"))
		line = arena_printf(w->arena, "%s (%s image, proof: %s)", text(w, root, "url"),
			text(w, root, "format"), text(w, root, "proof"));
	else if (streq(type, "nfs"))
		line = arena_printf(w->arena, "%s:%s (NFS %s over %s%s)", text(w, root, "server"),
			path, text(w, root, "version"), text(w, root, "proto"),
			cJSON_IsTrue(field(root, "fell_back")) ? ", fell back from RDMA" : "");
	else if (*type)
		line = arena_printf(w->arena, "%s %s on %s (%s)", type, text(w, root, "name"),
			text(w, root, "server"), text(w, root, "proto"));
	else
		line = "";
	return line ? line : "";
}

/* The state's own host name, else that of the root's rail, else of any rail. */
static const char *node_name(struct whole *w, const cJSON *top, const char *name)
{
	const char *own = text(w, top, "hostname"), *any = "";
	const cJSON *rail;

	cJSON_ArrayForEach(rail, array(top, "rails"))
	{
		if (*own)
			break;
		if (cJSON_IsTrue(field(rail, "carries_root")))
			own = text(w, rail, "hostname");
		if (!*any)
			any = text(w, rail, "hostname");
	}
	if (!*own)
		own = *any ? any : name;
	return own;
}

static enum record_fault take_head(struct whole *w, const cJSON *top)
{
	const cJSON *schema = field(top, "schema");
	const char *outcome = cJSON_GetStringValue(field(top, "outcome"));
	size_t i;

	if (!cJSON_IsObject(top))
		return RECORD_OBJECT;
	if (!cJSON_IsNumber(schema) || schema->valuedouble != STATE_SCHEMA)
		return RECORD_SCHEMA;
	for (i = 0; i < RECORD_OUTCOME_MAX; i++)
		if (outcome && streq(outcome, outcome_names[i]))
			break;
	if (i == RECORD_OUTCOME_MAX)
		return RECORD_OUTCOME;
	w->r.outcome = (enum record_outcome)i;
	if (!span(top, "start_s", "now_s", &w->r.start, &w->r.end))
		return RECORD_TIMES;
	return RECORD_OK;
}

static enum record_fault take_all(struct whole *w, const cJSON *top, const char *file,
	const char *name)
{
	const char *copy = arena_text(w->arena, name, strnlen(name, RECORD_TEXT_MAX));

	w->r.file = arena_text(w->arena, file, strlen(file));
	if (!copy || !w->r.file)
		return RECORD_MEMORY;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		if (take_rows(w, top, &tables[i]) < 0)
			return RECORD_MEMORY;
	sort_changes(&w->r);
	w->r.node = node_name(w, top, copy);
	w->r.version = text(w, field(top, "agent"), "version");
	w->r.kernel = text(w, top, "kernel");
	w->r.root = root_line(w, top);
	return RECORD_OK;
}

static enum record_fault parse(struct record **ret, const cJSON *top, const char *file,
	const char *name)
{
	_cleanup_(record_freep) struct record *r = NULL;
	struct whole *w = calloc(1, sizeof(*w));
	enum record_fault fault;

	if (!w)
		return RECORD_MEMORY;
	r = &w->r;
	if (arena_new(&w->arena) < 0)
		return RECORD_MEMORY;
	fault = take_head(w, top);
	if (!fault)
		fault = take_all(w, top, file, name);
	if (!fault) {
		*ret = r;
		r = NULL;
	}
	return fault;
}

enum record_fault record_parse(struct record **ret, const char *file, const char *name,
	const char *text_, size_t len)
{
	enum record_fault fault;
	cJSON *top;

	if (!len)
		return RECORD_EMPTY;
	if (len > RECORD_BYTES_MAX)
		return RECORD_LARGE;
	top = cJSON_ParseWithLength(text_, len);
	if (!top)
		return RECORD_SYNTAX;
	fault = parse(ret, top, file, name);
	cJSON_Delete(top);
	return fault;
}

struct record *record_free(struct record *r)
{
	struct whole *w = (struct whole *)r;

	if (w) {
		arena_free(w->arena);
		free(w);
	}
	return NULL;
}

double record_total(const struct record *r)
{
	return r->end - r->start;
}

size_t record_waited_for(const struct record *r, double when)
{
	size_t best = r->n_phases;

	for (size_t i = 0; i < r->n_phases; i++)
		if (r->phases[i].begin <= when && r->phases[i].end > when &&
			(best == r->n_phases || r->phases[i].end > r->phases[best].end))
			best = i;
	return best;
}

double record_next_edge(const struct record *r, double when)
{
	double best = RECORD_TIME_MAX + 1;

	for (size_t i = 0; i < r->n_phases; i++) {
		if (r->phases[i].begin > when && r->phases[i].begin < best)
			best = r->phases[i].begin;
		if (r->phases[i].end > when && r->phases[i].end < best)
			best = r->phases[i].end;
	}
	return best > RECORD_TIME_MAX ? when : best;
}

double record_alone(const struct record *r, size_t i)
{
	double at = r->phases[i].begin, sum = 0, next;

	for (; at < r->phases[i].end; at = next) {
		next = record_next_edge(r, at);
		if (record_waited_for(r, at) == i)
			sum += next - at;
	}
	return sum;
}

double record_between(const struct record *r)
{
	double left = record_total(r);

	for (size_t i = 0; i < r->n_phases; i++)
		left -= record_alone(r, i);
	/* a rest of rounding is none */
	return left < 1e-6 ? 0 : left;
}
