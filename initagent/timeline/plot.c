// SPDX-License-Identifier: GPL-2.0-or-later
#include "plot.h"

#include "arena.h"
#include "markup.h"
#include "report/causes.h"

/* The mean width of a character of the font, 12 units high, rather too wide than too narrow. */
#define CHARACTER 6.6
/* Between a bar and its text; between a text and the next bar. */
#define GAP	  5.0
/* More rows of one kind are not readable. */
enum { ROWS_MAX = 24, LANES_MAX = 64, TICKS = 10 };

enum section { PHASES, CAUSES, MODULES, PORTS, LINKS, ADDRESSES, RAILS, ROOT, SECTIONS };

static const char *const titles[SECTIONS] = {
	[PHASES] = "Phases",
	[CAUSES] = "Waits and their causes",
	[MODULES] = "Kernel modules",
	[PORTS] = "RDMA ports",
	[LINKS] = "Interfaces",
	[ADDRESSES] = "Addresses",
	[RAILS] = "Paths to the root",
	[ROOT] = "Root",
};

/* Where a room of the agent is shown, and how its rows are called there. Others: with the root. */
static const struct room {
	const char *name;
	enum section section;
	const char *word, *work; /* before the name of what has states, of what is worked at */
} rooms[] = {
	{"fabric", PORTS, "", "set up "}, {"subnet manager", PORTS, "SM ", ""},
		{"link", LINKS, "", "set up "},
	{"address", ADDRESSES, "", ""}, {"rail", RAILS, "", ""}, {"target", ROOT, "server ", ""},
	{"root", ROOT, "mount ", "mount call, "}, {"web", ROOT, "web root ", ""},
		{"fetch", ROOT, "fetch ", "fetch: "},
	{"image", ROOT, "image ", "image, "}, {"block", ROOT, "device ", "connect, "},
		{"cache", ROOT, "cache ", "cache "},
};

static const struct room other_room = {"", ROOT, "", ""};

/* A state of something in a room, or a piece of work there. */
struct stretch {
	const char *room, *what;
	bool work;
	double begin, end;
	enum look look;
	const char *label, *title; /* title NULL: the name of its row */
};

struct whole {
	struct plot p;
	struct arena *arena;
	const struct record *r;
	struct stretch *stretches; /* states, then works */
	size_t n;
};

static double text_width(const char *text)
{
	return (double)markup_length(text) * CHARACTER;
}

static const struct room *room_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++)
		if (streq(rooms[i].name, name))
			return &rooms[i];
	return &other_room;
}

/* A row of the section, or NULL when it has enough (or memory has not). */
static struct plot_row *new_row(struct whole *w, struct plot_section *s, const char *label,
	size_t bars)
{
	struct plot_row *row;

	if (!s->rows)
		s->rows = arena_alloc(w->arena, LANES_MAX * sizeof(*s->rows));
	if (!s->rows || s->n == (s->title == titles[MODULES] ? LANES_MAX : ROWS_MAX)) {
		s->left_out++;
		return NULL;
	}
	row = &s->rows[s->n];
	row->label = label;
	row->bars = arena_alloc(w->arena, bars * sizeof(*row->bars));
	if (!row->bars)
		return NULL;
	s->n++;
	return row;
}

/* A bar where its time is, without label yet. title: what, then the times. */
static struct plot_bar *new_bar(struct whole *w, struct plot_row *row, double begin, double end,
	enum look look, const char *what)
{
	struct plot_bar *b = &row->bars[row->n++];

	b->begin = begin;
	b->end = end;
	b->look = look;
	b->x = axis_at(&w->p.axis, begin, PLOT_INNER);
	b->width = axis_at(&w->p.axis, end, PLOT_INNER) - b->x;
	if (b->width < PLOT_BAR_MIN)
		b->width = PLOT_BAR_MIN;
	if (b->x > PLOT_INNER - b->width)
		b->x = PLOT_INNER - b->width;
	if (end > begin)
		b->title = arena_printf(w->arena, "%s: %.3f s, from %.3f s to %.3f s", what,
			end - begin, begin, end);
	else
		b->title = arena_printf(w->arena, "%s: at %.3f s", what, begin);
	if (!b->title)
		b->title = what;
	return b;
}

/* The label goes into its bar, else behind it up to `right`, else before it down to `left`. */
static void place_label(struct plot_bar *b, const char *label, double left, double right)
{
	size_t length = markup_length(label);
	double need = text_width(label), behind = right - b->x - b->width - 2 * GAP,
	       before = b->x - left - 2 * GAP, room;

	b->label = label;
	b->label_max = length;
	if (need + 2 * GAP <= b->width) {
		b->label_inside = true;
		b->label_x = b->x + GAP;
		return;
	}
	b->label_before = behind < need && before > behind;
	b->label_x = b->label_before ? b->x - GAP : b->x + b->width + GAP;
	room = b->label_before ? before : behind;
	if (room < need)
		b->label_max = (size_t)(room > 0 ? room / CHARACTER : 0);
	/* three letters of a word are no label */
	if (b->label_max < length && b->label_max < 6)
		b->label_max = 0;
}

static void add_phases(struct whole *w, struct plot_section *s)
{
	for (size_t i = 0; i < w->r->n_phases; i++) {
		const struct record_phase *p = &w->r->phases[i];
		struct plot_row *row = new_row(w, s, p->name, 1);
		const char *label = arena_printf(w->arena, "%.3f s", p->end - p->begin);

		if (row && label)
			place_label(new_bar(w, row, p->begin, p->end, look_of_phase(p->name),
				p->name), label, 0, PLOT_INNER);
	}
}

static enum look look_of_step(const char *name)
{
	const char *kind = strrchr(name, ' ');

	if (streq(name, "between") || streq(name, "start") || streq(name, "earlier agent"))
		return LOOK_IDLE;
	return kind && streq(kind, " module") ? LOOK_MODULES : LOOK_WAIT;
}

/* One row: no two steps overlap. */
static void add_critical(struct whole *w, struct plot_section *s)
{
	const struct record_phase *steps = w->r->steps;
	size_t n = w->r->n_steps;
	struct plot_row *row = n ? new_row(w, s, "critical path", n) : NULL;

	for (size_t i = 0; row && i < n; i++) {
		struct plot_bar *b = new_bar(w, row, steps[i].begin, steps[i].end,
			look_of_step(steps[i].name), steps[i].name);

		/* in its bar or not at all: the next one begins where it ends */
		place_label(b, steps[i].name, b->x, b->x + b->width);
	}
}

static void add_causes(struct whole *w, struct plot_section *s)
{
	for (size_t i = 0; i < w->r->n_causes; i++) {
		const struct record_cause *c = &w->r->causes[i];
		enum cause known = cause_from_code(c->code);
		const char *text = known == CAUSE_NONE ? c->text : cause_info(known)->text;
		const char *label = arena_printf(w->arena, "%s%s%s", c->where,
			*c->where ? ": " : "", text);
		struct plot_row *row = new_row(w, s, c->code, 1);
		enum look look = w->r->outcome == RECORD_FAILED ? LOOK_BAD : LOOK_WAIT;

		if (row && label)
			place_label(new_bar(w, row, c->first, c->last, look, label), label, 0,
				PLOT_INNER);
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct record_module *x = *(const struct record_module *const *)a,
				   *y = *(const struct record_module *const *)b;

	if (x->begin < y->begin || x->begin > y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x > y) - (x < y);
}

/* Puts a module into the first lane in which it and its name have room. */
static void add_module(struct whole *w, struct plot_section *s, double *taken,
	const struct record_module *m, size_t most)
{
	enum look look = streq(m->state, "failed") ? LOOK_BAD : LOOK_MODULES;
	double x = axis_at(&w->p.axis, m->begin, PLOT_INNER),
		end = axis_at(&w->p.axis, m->end, PLOT_INNER);
	double need = text_width(m->name) + 2 * GAP;
	bool inside = need <= end - x, before = !inside && end + need > PLOT_INNER && x - need >= 0;
	double from = before ? x - need : x, to = (inside || before ? end : end + need) + GAP;
	struct plot_bar *b;
	size_t lane = 0;

	while (lane < s->n && taken[lane] > from)
		lane++;
	if (lane == s->n && !new_row(w, s, "", most))
		return;
	b = new_bar(w, &s->rows[lane], m->begin, m->end, look, m->name);
	place_label(b, m->name, before ? from - GAP : b->x, before ? b->x : to + GAP);
	taken[lane] = to;
}

static void add_modules(struct whole *w, struct plot_section *s)
{
	const struct record_module **order = arena_alloc(w->arena,
		(w->r->n_modules + 1) * sizeof(*order));
	double taken[LANES_MAX] = {0};
	size_t n = 0;

	for (size_t i = 0; order && i < w->r->n_modules; i++)
		if (w->r->modules[i].end > 0)
			order[n++] = &w->r->modules[i];
	if (n)
		qsort(order, n, sizeof(*order), by_begin);
	for (size_t i = 0; i < n; i++)
		add_module(w, s, taken, order[i], n);
}

/* Those of one row: the states of one thing, or the attempts at one piece of work. */
static bool together(const struct stretch *a, const struct stretch *b)
{
	return a->work == b->work && streq(a->what, b->what) && streq(a->room, b->room);
}

static bool is_first(const struct whole *w, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (together(&w->stretches[i], &w->stretches[at]))
			return false;
	return true;
}

static size_t next_of(const struct whole *w, size_t at)
{
	size_t i = at + 1;

	while (i < w->n && !together(&w->stretches[i], &w->stretches[at]))
		i++;
	return i;
}

/* A state lasts until the next one of the same thing. */
static void make_states(struct whole *w)
{
	for (size_t i = 0; i < w->r->n_changes; i++) {
		const struct record_change *c = &w->r->changes[i];

		w->stretches[w->n++] = (struct stretch){c->room, c->rail, false, c->when, w->r->end,
			look_of_state(c->to), c->to, c->to};
	}
	for (size_t i = 0; i < w->n; i++)
		if (next_of(w, i) < w->n)
			w->stretches[i].end = w->stretches[next_of(w, i)].begin;
}

static void make_works(struct whole *w)
{
	for (size_t i = 0; i < w->r->n_works; i++) {
		const struct record_work *k = &w->r->works[i];
		bool failed = k->result < 0;
		const char *label = failed ? arena_printf(w->arena, "%s", strerror(-k->result))
					   : arena_printf(w->arena, "%.3f s", k->end - k->begin);

		label = label ? label : "";
		w->stretches[w->n++] = (struct stretch){k->room, k->what, true, k->begin, k->end,
			failed ? LOOK_BAD : LOOK_OTHER, label, failed ? label : NULL};
	}
}

/* The row that begins with stretch `first`. Labels: each has room up to the next bar. */
static void add_stretches(struct whole *w, struct plot_section *s, const char *name, size_t first)
{
	struct plot_row *row;
	size_t n = 0;

	for (size_t i = first; i < w->n; i = next_of(w, i))
		n++;
	row = name ? new_row(w, s, name, n) : NULL;
	for (size_t i = first; row && i < w->n; i = next_of(w, i)) {
		const struct stretch *t = &w->stretches[i];

		new_bar(w, row, t->begin, t->end, t->look, t->title ? t->title : name)->label =
			t->label;
	}
	for (size_t i = 0; row && i < row->n; i++)
		place_label(&row->bars[i], row->bars[i].label, row->bars[i].x,
			i + 1 < row->n ? row->bars[i + 1].x : PLOT_INNER);
}

/* Modules have a section of their own. */
static void add_rooms(struct whole *w, struct plot_section *s, enum section section)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct stretch *t = &w->stretches[i];
		const struct room *room = room_of(t->room);

		if (!streq(t->room, "modules") && room->section == section && is_first(w, i))
			add_stretches(w, s, arena_printf(w->arena, "%s%s",
				t->work ? room->work : room->word,
				t->work || *t->what ? t->what : t->room), i);
	}
}

static void add_section(struct whole *w, enum section section)
{
	struct plot_section *s = &w->p.sections[w->p.n];

	memset(s, 0, sizeof(*s));
	s->title = titles[section];
	if (section == PHASES) {
		add_phases(w, s);
		add_critical(w, s);
	} else if (section == CAUSES) {
		add_causes(w, s);
	} else if (section == MODULES) {
		add_modules(w, s);
	} else {
		add_rooms(w, s, section);
	}
	w->p.n += s->n > 0;
}

int plot_make(struct plot **ret, const struct record *r)
{
	_cleanup_(plot_freep) struct plot *p = NULL;
	struct whole *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	p = &w->p;
	w->r = r;
	if (arena_new(&w->arena) < 0)
		return -ENOMEM;
	p->axis = axis_make(r->start, r->end, TICKS);
	p->sections = arena_alloc(w->arena, SECTIONS * sizeof(*p->sections));
	w->stretches = arena_alloc(w->arena,
		(r->n_changes + r->n_works + 1) * sizeof(*w->stretches));
	if (!p->sections || !w->stretches)
		return -ENOMEM;
	make_states(w);
	make_works(w);
	for (int i = 0; i < SECTIONS; i++)
		add_section(w, (enum section)i);
	*ret = p;
	p = NULL;
	return 0;
}

struct plot *plot_free(struct plot *p)
{
	struct whole *w = (struct whole *)p;

	if (w) {
		arena_free(w->arena);
		free(w);
	}
	return NULL;
}
