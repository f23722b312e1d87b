// SPDX-License-Identifier: GPL-2.0-or-later
#include "state/critical.h"

/* Less than this between two steps is the agent's own work. */
#define BETWEEN_MIN (10 * NSEC_PER_MSEC)

struct span {
	const char *what, *state;
	uint64_t begin, end;
	bool link, port;
};

struct path {
	const struct report_view *v;
	struct span *spans;
	size_t n_spans;
	struct critical_step *steps;
	size_t n;
};

/* Rooms whose states are waited for; those of the others follow from these or from their works. */
static bool counts(const char *room)
{
	static const char *const rooms[] = {
		"link", "fabric", "address", "target", "root", "block", "web"};

	for (size_t i = 0; i < ARRAY_SIZE(rooms); i++)
		if (streq(rooms[i], room))
			return true;
	return false;
}

/* States in which nothing is in progress. */
static bool is_rest(const char *state)
{
	static const char *const states[] = {"absent", "unknown", "idle", "near", "carrier",
		"ACTIVE", "configured", "mounted", "failed"};

	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (streq(states[i], state))
			return true;
	return false;
}

static void add_span(struct path *p, struct span span)
{
	if (span.end > span.begin)
		p->spans[p->n_spans++] = span;
}

/* A state lasts from the previous change of the same object. */
static void add_state(struct path *p, size_t at)
{
	const struct report_change *to = &p->v->changes[at], *from = to;

	if (!counts(to->room) || is_rest(to->from))
		return;
	while (from-- > p->v->changes) {
		if (!streq(from->room, to->room) || !streq(from->rail, to->rail))
			continue;
		add_span(p, (struct span){to->rail, to->from, from->when, to->when,
				streq(to->room, "link"), streq(to->room, "fabric")});
		return;
	}
}

static void add_work(struct path *p, const struct report_work *w)
{
	bool module = streq(w->room, "modules");

	if (module || streq(w->room, "fabric"))
		add_span(p, (struct span){w->what, module ? "module" : "set up", w->begin, w->end,
				false, false});
}

/* The span that ended last of those that ended after `from` and no later than `to`; of several the
 * shortest. */
static const struct span *last_ended(const struct path *p, bool ports, uint64_t from, uint64_t to)
{
	const struct span *best = NULL;

	for (size_t i = 0; i < p->n_spans; i++) {
		const struct span *s = &p->spans[i];

		if (s->end > to || s->end <= from || (ports && !s->port))
			continue;
		if (!best || s->end > best->end || (s->end == best->end && s->begin > best->begin))
			best = s;
	}
	return best;
}

static void add_step(struct path *p, const char *what, const char *state, uint64_t begin,
	uint64_t end)
{
	struct critical_step *step = &p->steps[p->n];

	if (p->n == CRITICAL_STEPS_MAX || begin >= end)
		return;
	snprintf(step->name, sizeof(step->name), "%s%s%s", what, *state ? " " : "", state);
	step->begin = begin;
	step->end = end;
	p->n++;
}

/* Newest first. */
static void walk(struct path *p, uint64_t at)
{
	const struct span *s, *port;

	while (p->n < CRITICAL_STEPS_MAX && (s = last_ended(p, false, p->v->start, at))) {
		if (at - s->end >= BETWEEN_MIN)
			add_step(p, "between", "", s->end, at);
		port = s->link ? last_ended(p, true, s->begin, s->end) : NULL;
		at = port ? port->end : s->begin;
		add_step(p, s->what, s->state, at, s->end);
		if (port && port->end == s->end) {
			add_step(p, port->what, port->state, port->begin, port->end);
			at = port->begin;
		}
	}
	if (at > p->v->start + BETWEEN_MIN)
		add_step(p, "start", "", p->v->start, at);
}

size_t critical_path(const struct report_view *v, uint64_t end,
	struct critical_step ret[static CRITICAL_STEPS_MAX])
{
	struct path p = {.v = v, .steps = ret};

	p.spans = calloc(v->n_changes + v->n_works + 1, sizeof(*p.spans));
	if (!p.spans)
		return 0;
	for (size_t i = 0; i < v->n_changes; i++)
		add_state(&p, i);
	for (size_t i = 0; i < v->n_works; i++)
		add_work(&p, &v->works[i]);
	walk(&p, end);
	free(p.spans);
	for (size_t i = 0; i < p.n / 2; i++) {
		struct critical_step other = ret[i];

		ret[i] = ret[p.n - 1 - i];
		ret[p.n - 1 - i] = other;
	}
	return p.n;
}
