// SPDX-License-Identifier: GPL-2.0-or-later

#include "state/record.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <sys/utsname.h>

#include "arena.h"
#include "base/io.h"
#include "plan_nfs.h"
#include "state/state.h"

/* Rows kept of each kind, far more than the agent writes; a boot has at most a few phases. */
enum { PHASES_MAX = 16, STEPS_MAX = 64, MODULES_MAX = 512, WORKS_MAX = 512, CHANGES_MAX = 4096,
	CAUSES_MAX = 256, RAILS_MAX = 128 };

static const char *const fault_texts[RECORD_FAULT_MAX] = {
	[RECORD_OK] = "good",
	[RECORD_EMPTY] = "empty",
	[RECORD_LARGE] = "too large for a state file",
	[RECORD_SYNTAX] = "not JSON, or cut off",
	[RECORD_OBJECT] = "not a JSON object",
	[RECORD_SCHEMA] = "not a state file of schema 1",
	[RECORD_OUTCOME] = "its outcome is none of running, done, failed",
	[RECORD_TIMES] = "its start_s and now_s are not times of a boot",
	[RECORD_MEMORY] = "out of memory",
};

static const char *const outcome_names[RECORD_OUTCOME_MAX] = {"running", "done", "failed"};
static const char *const outcome_texts[RECORD_OUTCOME_MAX] = {
	"still running", "root reached", "failed"};

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
static const char *text(struct record *r, const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(field(o, key));
	const char *copy = s && *s ? arena_text(r->arena, s, strnlen(s, RECORD_TEXT_MAX)) : NULL;

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

static unsigned int count(const cJSON *n)
{
	double d = cJSON_IsNumber(n) && isfinite(n->valuedouble) ? n->valuedouble : 0;

	return d < 0 ? 0 : d > 1e9 ? 1000000000 : (unsigned int)d;
}

enum column_kind { TEXT, COUNT, FLAG, ERROR, WHEN, BEGIN, END, END_OR_NONE };

/* A member of a row's struct, and the member of the JSON object that it is read from. */
struct column {
	const char *object, *key; /* object: NULL, or an object of the row's object */
	enum column_kind kind;
	size_t offset;
};

#define C(kind, key, type, member) {NULL, key, kind, offsetof(struct record_##type, member)}
#define C_IN(object, kind, key, type, member) \
	{object, key, kind, offsetof(struct record_##type, member)}

static const struct column phase_columns[] = {
	C(TEXT, "name", phase, name), C(BEGIN, "begin_s", phase, begin),
		C(END, "end_s", phase, end),
};
static const struct column module_columns[] = {
	C(TEXT, "name", module, name), C(TEXT, "state", module, state),
	C(BEGIN, "begin_s", module, begin), C(END_OR_NONE, "end_s", module, end),
};
static const struct column work_columns[] = {
	C(TEXT, "room", work, room), C(TEXT, "what", work, what), C(ERROR, "result", work, result),
	C(BEGIN, "begin_s", work, begin), C(END, "end_s", work, end),
};
static const struct column change_columns[] = {
	C(TEXT, "room", change, room), C(TEXT, "rail", change, rail), C(TEXT, "from", change, from),
	C(TEXT, "to", change, to), C(WHEN, "s", change, when),
};
static const struct column cause_columns[] = {
	C(TEXT, "code", cause, code), C(TEXT, "where", cause, where), C(TEXT, "text", cause, text),
	C(TEXT, "check", cause, check), C(COUNT, "count", cause, count),
	C(BEGIN, "first_s", cause, first), C(END, "last_s", cause, last),
};
static const struct column rail_columns[] = {
	C(TEXT, "netdev", rail, netdev), C(TEXT, "state", rail, state),
		C(TEXT, "method", rail, method),
	C(TEXT, "address", rail, address), C(FLAG, "carries_root", rail, carries_root),
	C_IN("rdma", TEXT, "device", rail, device), C_IN("rdma", COUNT, "port", rail, port),
	C_IN("rdma", TEXT, "link_layer", rail, link_layer),
		C_IN("rdma", TEXT, "state", rail, port_state),
	C_IN("neighbour", TEXT, "name", rail, far_name),
		C_IN("neighbour", TEXT, "guid", rail, far_guid),
	C_IN("neighbour", COUNT, "port", rail, far_port),
};

/* An array of the file and the rows it becomes. */
static const struct table {
	const char *key;
	size_t size, max;
	const struct column *columns;
	size_t n_columns, rows, n; /* rows, n: offsets in struct record */
} tables[] = {
#define ROWS(what, type, max)                                                            \
	sizeof(struct record_##type), max, type##_columns, ARRAY_SIZE(type##_columns), \
		offsetof(struct record, what), offsetof(struct record, n_##what)
	{"phases", ROWS(phases, phase, PHASES_MAX)},
	{"critical", ROWS(steps, phase, STEPS_MAX)},
		{"modules", ROWS(modules, module, MODULES_MAX)},
	{"work", ROWS(works, work, WORKS_MAX)}, {"timeline", ROWS(changes, change, CHANGES_MAX)},
	{"causes", ROWS(causes, cause, CAUSES_MAX)}, {"rails", ROWS(rails, rail, RAILS_MAX)},
#undef ROWS
};

/* Reads one member; *begin is that of the row. False: the row has an impossible time. */
static bool read_column(struct record *r, const struct column *c, const cJSON *o, void *to,
	double *begin)
{
	const cJSON *v = field(o, c->key);

	if (c->kind == TEXT)
		*(const char **)to = text(r, o, c->key);
	else if (c->kind == COUNT)
		*(unsigned int *)to = count(v);
	else if (c->kind == FLAG)
		*(bool *)to = cJSON_IsTrue(v);
	else if (c->kind == ERROR)
		*(int *)to = cJSON_IsNumber(v) ? v->valueint : 0;
	else
		*(double *)to = seconds(o, c->key);
	if (c->kind == BEGIN)
		*begin = *(double *)to;
	if (c->kind == END || c->kind == END_OR_NONE)
		return *begin >= 0 && *(double *)to >= *begin;
	return c->kind != WHEN || *(double *)to >= 0;
}

static bool is_total(const cJSON *o)
{
	const char *name = cJSON_GetStringValue(field(o, "name"));

	return name && streq(name, "total");
}

/* Steps are of the boot itself, one after the other. */
static bool is_step(const struct record *r, const struct record_phase *step)
{
	return *step->name && step->begin >= r->start && step->end > step->begin &&
		step->end <= r->end;
}

/* Fills a zeroed row; false leaves it out. */
static bool read_row(struct record *r, const struct table *t, const cJSON *o, char *row)
{
	const cJSON *rdma = field(o, "rdma");
	double begin = -1;

	for (const struct column *c = t->columns; c < t->columns + t->n_columns; c++) {
		const cJSON *at = !c->object ? o : streq(c->object, "rdma") ? rdma :
			field(rdma, c->object);

		if (c->kind == BEGIN && c[1].kind == END_OR_NONE && !field(o, c->key) &&
			!field(o, c[1].key))
			return true;
		if (!read_column(r, c, at, row + c->offset, &begin))
			return false;
	}
	if (streq(t->key, "critical"))
		return is_step(r, (const void *)row);
	return t->columns != phase_columns || !is_total(o);
}

/* An array of the object, NULL when there is none of that name. */
static const cJSON *array(const cJSON *o, const char *key)
{
	const cJSON *list = field(o, key);

	return cJSON_IsArray(list) ? list : NULL;
}

static int take_rows(struct record *r, const cJSON *top, const struct table *t)
{
	const cJSON *list = array(top, t->key), *o;
	size_t n = (size_t)cJSON_GetArraySize(list), *kept = (void *)((char *)r + t->n);
	size_t cap = n < t->max ? n : t->max;
	char *rows = cap ? arena_alloc(r->arena, cap * t->size) : NULL;

	if (cap && !rows)
		return -ENOMEM;
	*(void **)((char *)r + t->rows) = rows;
	cJSON_ArrayForEach(o, list)
	{
		char *row = rows + *kept * t->size;

		if (*kept < cap && read_row(r, t, o, memset(row, 0, t->size)))
			++*kept;
		else if (!is_total(o))
			r->left_out++;
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
static const char *root_line(struct record *r, const cJSON *top)
{
	const cJSON *root = field(top, "root");
	const char *type = text(r, root, "type"), *path = text(r, root, "path"), *line;
	const char *server = text(r, root, "server");
	char source[NFS_SOURCE_MAX];

	if (streq(type, "image"))
		line = arena_printf(r->arena, "%s (%s image, proof: %s)", text(r, root, "url"),
			text(r, root, "format"), text(r, root, "proof"));
	else if (streq(type, "nfs"))
		line = arena_printf(r->arena, "%s (NFS %s over %s%s)",
			nfs_source_text(source, sizeof(source), server, path) ? source : path,
			text(r, root, "version"), text(r, root, "proto"),
			cJSON_IsTrue(field(root, "fell_back")) ? ", fell back from RDMA" : "");
	else if (streq(type, "wwinit"))
		line = arena_printf(r->arena, "Warewulf's layers from %s", server);
	else if (*type)
		line = arena_printf(r->arena, "%s %s on %s (%s)", type, text(r, root, "name"),
			server, text(r, root, "proto"));
	else
		line = "";
	return line ? line : "";
}

/* The state's own host name, else that of the root's rail, else of any rail. */
static const char *node_name(struct record *r, const cJSON *top, const char *name)
{
	const char *own = text(r, top, "hostname"), *any = "";
	const cJSON *rail;

	cJSON_ArrayForEach(rail, array(top, "rails"))
	{
		if (*own)
			break;
		if (cJSON_IsTrue(field(rail, "carries_root")))
			own = text(r, rail, "hostname");
		if (!*any)
			any = text(r, rail, "hostname");
	}
	if (!*own)
		own = *any ? any : name;
	return own;
}

static enum record_fault take_head(struct record *r, const cJSON *top)
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
	r->outcome = (enum record_outcome)i;
	r->start = seconds(top, "start_s");
	r->end = seconds(top, "now_s");
	return r->start < 0 || r->end < r->start ? RECORD_TIMES : RECORD_OK;
}

static enum record_fault take_all(struct record *r, const cJSON *top, const char *file,
	const char *name)
{
	const char *copy = arena_text(r->arena, name, strnlen(name, RECORD_TEXT_MAX));

	r->file = arena_text(r->arena, file, strlen(file));
	if (!copy || !r->file)
		return RECORD_MEMORY;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		if (take_rows(r, top, &tables[i]) < 0)
			return RECORD_MEMORY;
	sort_changes(r);
	r->node = node_name(r, top, copy);
	r->version = text(r, field(top, "agent"), "version");
	r->kernel = text(r, top, "kernel");
	r->now_at = text(r, top, "now_at");
	r->root = root_line(r, top);
	return RECORD_OK;
}

static enum record_fault parse(struct record **ret, const cJSON *top, const char *file,
	const char *name)
{
	_cleanup_(arena_freep) struct arena *arena = NULL;
	struct record *r = arena_new(&arena) < 0 ? NULL : arena_alloc(arena, sizeof(*r));
	enum record_fault fault;

	if (!r)
		return RECORD_MEMORY;
	r->arena = arena;
	fault = take_head(r, top);
	if (!fault)
		fault = take_all(r, top, file, name);
	if (!fault) {
		*ret = r;
		arena = NULL;
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
	if (r)
		arena_free(r->arena);
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

/* --- files ---------------------------------------------------------------------------------- */

static void host_name(char *buf, size_t size)
{
	struct utsname u;

	strscpy(buf, uname(&u) == 0 ? u.nodename : "this host", size);
}

/* The last part of path[0..len). */
static const char *last_part(const char *path, size_t len)
{
	while (len && path[len - 1] != '/')
		len--;
	return path + len;
}

void record_file_name(char *buf, size_t size, const char *path)
{
	const char *base = last_part(path, strlen(path));
	size_t len = strlen(base);

	if (streq(path, RECORD_OWN_FILE)) {
		host_name(buf, size);
		return;
	}
	if (streq(base, "state.json") && base - path > 1) {
		len = (size_t)(base - path) - 1;
		base = last_part(path, len);
		len -= (size_t)(base - path);
	} else if (str_ends(base, ".json")) {
		len -= strlen(".json");
	}
	snprintf(buf, size, "%.*s", len < size ? (int)len : (int)size, base);
	if (!len)
		strscpy(buf, path, size);
}

int record_read(struct record **ret, const char *path)
{
	_cleanup_free_ void *buf = NULL;
	char name[256];
	size_t len;
	int r = io_read_file(path, RECORD_BYTES_MAX, &buf, &len);

	if (r < 0)
		return r == -EFBIG ? (int)RECORD_LARGE : r;
	record_file_name(name, sizeof(name), streq(path, "-") ? "standard input" : path);
	return (int)record_parse(ret, path, name, buf, len);
}
