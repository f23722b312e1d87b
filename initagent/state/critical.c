// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/critical.h"

/* Less than this between two steps is the agent's own work. */
#define BETWEEN_MIN (10 * NSEC_PER_MSEC)

/* In the order in which they come nearer to the root. */
enum kind {
	DRIVER,	   /* load of a module that only devices need */
	ASKED,	   /* of one that the agent asked for */
	APPEARING, /* of either, until an interface or port of it appeared */
	SET_UP,	   /* call of the agent that makes the kernel set something up */
	PORT,
	LINK,
	ADDRESS,
	RAIL,
	TARGET,
	FETCH,
	WEB,
	DISKS,
	SOURCE,
	END,
	KIND_MAX,
};

#define B(kind)	 (1U << (kind))
#define MODULE	 (B(DRIVER) | B(ASKED))
#define DEVICE	 (MODULE | B(APPEARING) | B(SET_UP) | B(PORT))
#define ROOT	 (B(FETCH) | B(WEB) | B(DISKS) | B(SOURCE))
#define LOAD	 (MODULE | B(SET_UP) | B(TARGET) | ROOT)
#define TO_MOUNT (B(ASKED) | B(ADDRESS) | B(RAIL) | B(TARGET) | ROOT)

/*
 * after: what can have been the reason that one begins; the last one to end before was it, as the
 * agent goes on at once. within: what is waited for inside of one.
 */
static const struct {
	uint16_t after, within;
} relations[KIND_MAX] = {
	/* a dependency, or the one that kept the worker busy */
	[DRIVER] = {LOAD, 0},
	[ASKED] = {LOAD, 0},
	[APPEARING] = {LOAD, 0},
	[SET_UP] = {DEVICE | B(LINK), 0},
	[PORT] = {DEVICE, 0},
	/* carrier on IPoIB is the group's join; before that the subnet manager is waited for */
	[LINK] = {DEVICE | B(LINK), B(PORT)},
	/* rd.driver.post= is loaded before; a spare has its turn when the server is not reached */
	[ADDRESS] = {B(ASKED) | B(SET_UP) | B(PORT) | B(LINK) | B(ADDRESS) | B(TARGET) | ROOT, 0},
	[RAIL] = {B(LINK) | B(ADDRESS) | B(RAIL), B(SET_UP) | B(PORT)},
	[TARGET] = {TO_MOUNT, 0},
	[FETCH] = {TO_MOUNT, 0},
	[WEB] = {TO_MOUNT, B(FETCH)},
	[DISKS] = {TO_MOUNT, B(ASKED)},
	[SOURCE] = {TO_MOUNT, 0},
};

/* Rooms with states. What image/ and cache/ work at are states of web/ as well. */
static const struct room {
	const char *name;
	enum kind kind;
} rooms[] = {
	{"fabric", PORT}, {"link", LINK}, {"address", ADDRESS}, {"rail", RAIL}, {"target", TARGET},
	{"fetch", FETCH}, {"web", WEB}, {"wwinit", DISKS}, {"root", SOURCE}, {"block", SOURCE},
};

/*
 * States of all rooms, or of one, in which nothing is waited for, or the agent itself ("down":
 * until it sets the interface up; "waiting to try again": by the clock), or that have others as
 * their parts ("module": that module; the target's "mounting": those of what it mounts).
 */
static const char rest[] =
	"|absent|gone|ACTIVE|down|carrier|configured|failed|addressing|spare|ready|lost|unknown|"
	"near|waiting to try again|idle|module|mounted|done|stopped|address no carrier|"
	"target mounting|";

/* One without length is a change at that time. */
struct span {
	const char *what, *state;
	uint64_t begin, end;
	enum kind kind;
	bool lost; /* carrier or port, for no reason that is in the report */
};

struct path {
	const struct state_input *in;
	const struct report_view *v;
	uint64_t from;
	struct span *spans;
	size_t n_spans;
	struct critical_step *steps;
	size_t n;
	/* where the walk is: what can be the reason for that kind to begin at that time */
	uint64_t at, shown; /* shown: where the earliest step so far begins */
	enum kind kind;
	unsigned kinds;
	const struct span *outer; /* the one inside of which others are waited for, or NULL */
};

static const struct room *room_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++)
		if (streq(rooms[i].name, name))
			return &rooms[i];
	return NULL;
}

static bool is_rest(const char *room, const char *state)
{
	char one[REPORT_NAME_MAX + 3], all[2 * REPORT_NAME_MAX + 3];

	state += strncmp(state, "IPv6: ", 6) == 0 ? 6 : 0;
	snprintf(one, sizeof(one), "|%s|", state);
	snprintf(all, sizeof(all), "|%s %s|", room, state);
	return strstr(rest, one) || strstr(rest, all);
}

static bool leads_over(const struct state_rail *r, const char *name)
{
	if (str_among(name, r->lower, r->n_lower))
		return true;
	if (r->port && (streq(r->port->name, name) || streq(r->port->device, name)))
		return true;
	return streq(r->name, name) || (r->parent && streq(r->parent, name));
}

/* Is an interface or port of the root's? Until a root is mounted, all are. */
static bool is_roots(const struct state_input *in, const char *name)
{
	bool known = false;

	for (size_t i = 0; i < in->n_rails; i++) {
		if (!in->rails[i].carries_root)
			continue;
		known = true;
		if (leads_over(&in->rails[i], name))
			return true;
	}
	return !known;
}

static void add_span(struct path *p, struct span span)
{
	if (span.kind < PORT || span.kind > RAIL || is_roots(p->in, span.what))
		p->spans[p->n_spans++] = span;
}

/* A server has one target, which has one source; a source ends without a word when the target gives
 * it up. */
static bool ends(const struct report_change *c, const struct report_change *of, enum kind kind)
{
	if (kind < TARGET)
		return streq(c->room, of->room) && streq(c->rail, of->rail) &&
			streq(c->from, of->to);
	return streq(c->room, of->room) ||
		(kind > TARGET && streq(c->room, "target") && streq(c->from, "mounting"));
}

/* The module whose load was under way when a device appeared: the last that had begun. */
static void add_appearing(struct path *p, uint64_t when)
{
	const struct module_entry *best = NULL;

	for (size_t i = 0; i < p->in->n_modules; i++) {
		const struct module_entry *m = &p->in->modules[i];

		if (m->begin <= when && m->end >= when && (!best || m->begin > best->begin))
			best = m;
	}
	if (best)
		add_span(p, (struct span){best->name, "module", best->begin, when, APPEARING,
				false});
}

static void add_change(struct path *p, const struct report_change *c)
{
	const struct report_change *next = c + 1, *last = p->v->changes + p->v->n_changes;
	const struct room *room = room_of(c->room);
	const char *what = *c->rail ? c->rail : c->room;
	bool failed = streq(p->in->outcome, "failed");
	uint64_t end;

	if (!room)
		return;
	if (room->kind <= TARGET && is_rest(c->room, c->from))
		add_span(p, (struct span){what, c->from, c->when, c->when, room->kind, false});
	if (streq(c->from, "absent") && is_roots(p->in, what))
		add_appearing(p, c->when);
	while (next < last && !ends(next, c, room->kind))
		next++;
	if (next == last && !failed)
		return;
	end = next < last ? next->when : p->in->now;
	if (c->when < end && !is_rest(c->room, c->to))
		add_span(p, (struct span){what, c->to, c->when, end, room->kind,
				streq(c->from, "carrier") || streq(c->from, "ACTIVE")});
}

static void add_module(struct path *p, const struct module_entry *m)
{
	uint64_t end = m->state == MODULE_LOADING && streq(p->in->outcome, "failed") ? p->in->now
		: m->end;

	if (m->begin < end)
		add_span(p, (struct span){m->name, "module", m->begin, end,
				m->asked ? ASKED : DRIVER, false});
}

static void add_all(struct path *p)
{
	for (size_t i = 0; i < p->v->n_changes; i++)
		add_change(p, &p->v->changes[i]);
	for (size_t i = 0; i < p->in->n_modules; i++)
		add_module(p, &p->in->modules[i]);
	for (size_t i = 0; i < p->v->n_works; i++) {
		const struct report_work *w = &p->v->works[i];

		if (streq(w->room, "fabric") || streq(w->room, "link"))
			add_span(p, (struct span){w->what, "set up", w->begin, w->end, SET_UP,
					false});
	}
}

/* Of two that end together, the one nearer to the root, then the one that began last. */
static bool is_later(const struct span *a, const struct span *b)
{
	if (a->end != b->end)
		return a->end > b->end;
	return a->kind != b->kind ? a->kind > b->kind : a->begin > b->begin;
}

/* What of the kinds ended last, no later than `at`. A change counts for what is nearer to the root
 * than it, and is not what a boot ends with. */
static const struct span *last_ended(const struct path *p, unsigned kinds, enum kind before,
	uint64_t at)
{
	const struct span *best = NULL;

	for (size_t i = 0; i < p->n_spans; i++) {
		const struct span *s = &p->spans[i];

		if (!(kinds & B(s->kind)) || s->end > at || s->end <= p->from ||
			(s->begin == s->end && (s->kind >= before || before == END)))
			continue;
		if (!best || is_later(s, best))
			best = s;
	}
	return best;
}

/* of: what is being transferred */
static void add_step(struct path *p, const struct span *s, const char *of, uint64_t begin,
	uint64_t end)
{
	struct critical_step *step = &p->steps[p->n];

	begin = begin < p->from ? p->from : begin;
	if (p->n == CRITICAL_STEPS_MAX || begin >= end)
		return;
	snprintf(step->name, sizeof(step->name), "%s%s%s%s%s", s->what, *of ? " " : "", of,
		*s->state ? " " : "", s->state);
	step->begin = begin;
	step->end = end;
	p->shown = begin;
	p->n++;
}

static void add_time(struct path *p, const char *name, uint64_t begin, uint64_t end)
{
	add_step(p, &(struct span){.what = name, .state = ""}, "", begin, end);
}

/* A mounted root ends the boot, but for modules that are being loaded still. */
static unsigned kinds_of_end(const struct path *p)
{
	unsigned all = 0;

	for (size_t i = 0; i < p->n_spans; i++)
		all |= B(p->spans[i].kind);
	return all & ROOT && !streq(p->in->outcome, "failed") ? ROOT | MODULE : all;
}

/* The one to go on to: of those that are waited for inside of another one, that one is the last;
 * else, without any that can have been the reason, what ended last at all. NULL: none. */
static const struct span *reason(const struct path *p)
{
	const struct span *s = last_ended(p, p->kinds, p->kind, p->at);

	if (p->outer)
		return s && s->end > p->outer->begin ? s : p->outer;
	return s ? s : last_ended(p, ~0U, END, p->at);
}

static void look_inside(struct path *p, const struct span *s, uint64_t end)
{
	p->outer = s;
	p->at = p->shown = end;
	p->kind = s->kind;
	p->kinds = relations[s->kind].within;
}

/* To its beginning, which something was the reason of. */
static void pass(struct path *p, const struct span *s, uint64_t end)
{
	add_step(p, s, p->outer && s->kind == FETCH ? p->outer->state : "", s->begin, end);
	p->at = s->begin;
	p->kind = s->lost ? END : s->kind;
	p->kinds = s->lost ? ~0U : relations[s->kind].after;
	if (p->outer && p->at <= p->outer->begin)
		p->outer = NULL;
}

/* The time up to where the walk is, is the outer one's own, or the agent's. */
static void go_to(struct path *p, const struct span *s)
{
	uint64_t end = min_u64(s->end, p->at);

	if (p->outer)
		add_step(p, p->outer, "", end, p->at);
	else if (s->begin < end && p->shown - end >= BETWEEN_MIN)
		add_time(p, "between", end, p->shown);
	if (!p->outer && relations[s->kind].within && s->begin < end)
		look_inside(p, s, end);
	else
		pass(p, s, end);
}

/* Newest first. */
static void walk(struct path *p)
{
	const struct span *s;

	p->kind = END;
	p->kinds = kinds_of_end(p);
	/* each one at most once to look inside of it and once as a step */
	for (size_t i = 0; p->at > p->from && i <= 2 * p->n_spans && (s = reason(p)); i++)
		go_to(p, s);
	if (p->shown >= p->from + BETWEEN_MIN)
		add_time(p, "start", p->from, p->shown);
}

size_t critical_path(const struct state_input *in, const struct report_view *v,
	struct critical_step ret[static CRITICAL_STEPS_MAX])
{
	struct path p = {.in = in, .v = v, .steps = ret, .at = in->now, .shown = in->now,
		.from = min_u64(v->start > in->start ? v->start : in->start, in->now)};
	uint64_t restarted = p.from;

	/* a change has at most three */
	p.spans = calloc(3 * v->n_changes + in->n_modules + v->n_works + 1, sizeof(*p.spans));
	if (!p.spans)
		return 0;
	add_all(&p);
	walk(&p);
	free(p.spans);
	p.from = in->start;
	add_time(&p, "earlier agent", in->start, restarted);
	for (size_t i = 0; i < p.n / 2; i++) {
		struct critical_step other = ret[i];

		ret[i] = ret[p.n - 1 - i];
		ret[p.n - 1 - i] = other;
	}
	return p.n;
}
