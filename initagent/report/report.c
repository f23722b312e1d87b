// SPDX-License-Identifier: GPL-2.0-or-later
/* report: see report.h. Every list has a fixed limit; what does not fit is counted. */
#include "report/report.h"

#include <stdarg.h>

#include "report/console.h"
#include "report/record.h"
#include "report/wait.h"

#define MAX_CHANGES 512
#define MAX_WORKS   256
#define MAX_CAUSES  256 /* a few for each interface */
/* With "quiet" a wait is shown after this time. */
#define QUIET_PATIENCE (5 * NSEC_PER_SEC)
/* The whole queue at 9,600 baud takes 8.5 s. */
#define DRAIN_MS 10000

/* The text log. When it is full the oldest third is dropped and a line says so. */
#define RING_SIZE 65536

struct ring {
	char *text; /* RING_SIZE bytes, allocated on first use */
	size_t len;
};

struct report {
	struct report_config cfg;
	struct console *console, *journal;
	struct ring log;
	struct wait_line wait;
	uint64_t budget; /* since when it runs */
	struct report_change *changes;
	struct report_work *works;
	struct report_met *causes;
	/* without memory for a list, the newest cause is printed from here */
	struct report_met spare;
	size_t n_changes, n_works, n_causes;
	size_t lost_causes; /* rows that made room for newer ones */
	unsigned dropped;
	bool waits_full; /* and it was said */
};

int report_new(struct report **ret, const struct report_config *cfg)
{
	struct report *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->cfg = *cfg;
	r->budget = cfg->start;
	if (console_new(&r->console, cfg->console_fd) < 0 ||
		console_new(&r->journal, cfg->journal_fd ? cfg->journal_fd : -1) < 0) {
		report_free(r);
		return -ENOMEM;
	}
	*ret = r;
	return 0;
}

struct report *report_free(struct report *r)
{
	if (!r)
		return NULL;
	console_free(r->console);
	console_free(r->journal);
	free(r->log.text);
	free(r->changes);
	free(r->works);
	free(r->causes);
	free(r);
	return NULL;
}

void report_view(const struct report *r, struct report_view *ret)
{
	*ret = (struct report_view){
		.changes = r->changes,
		.n_changes = r->n_changes,
		.works = r->works,
		.n_works = r->n_works,
		.causes = r->causes,
		.n_causes = r->n_causes,
		.lost_causes = r->lost_causes,
		.log = r->log.text,
		.log_len = r->log.len,
		.start = r->cfg.start,
		.dropped = r->dropped,
	};
}

/* One more, zeroed row, by doubling up to limit. NULL: no room, counted as dropped. */
static void *add_row(struct report *r, void **rows, size_t *n, size_t row, size_t limit)
{
	/* Full at 0, 16, 32, 64, ...: a power of two means "grow". */
	bool full = *n == 0 || (*n >= 16 && (*n & (*n - 1)) == 0);
	void *grown;

	if (*n >= limit) {
		r->dropped++;
		return NULL;
	}
	if (full) {
		grown = realloc(*rows, (*n ? *n * 2 : 16) * row);
		if (!grown) {
			r->dropped++;
			return NULL;
		}
		*rows = grown;
	}
	grown = (char *)*rows + *n * row;
	memset(grown, 0, row);
	(*n)++;
	return grown;
}

static bool shown(const struct report *r, enum report_level level)
{
	if (level <= REPORT_WARN)
		return true;
	if (level == REPORT_INFO)
		return r->cfg.debug || !r->cfg.quiet;
	return r->cfg.debug;
}

/*
 * What comes in is made printable here, once: console, kernel log, sd_notify, plymouth, collectors
 * and state file get nothing else. Texts come from servers, from the fabric, and from workers that
 * a server may have taken over.
 */
static void clean_name(char dst[REPORT_NAME_MAX], const char *src)
{
	console_clean(dst, REPORT_NAME_MAX, src ? src : "");
}

static void clean_text(char dst[REPORT_TEXT_MAX], const char *fmt, va_list ap)
{
	char raw[REPORT_TEXT_MAX];

	vsnprintf(raw, sizeof(raw), fmt, ap);
	console_clean(dst, REPORT_TEXT_MAX, raw);
}

/* Drops whole lines from the front until at least a third is free. */
static void ring_trim(struct ring *ring)
{
	static const char note[] = "... earlier lines dropped ...\n";
	size_t cut = RING_SIZE / 3;
	char *end = memchr(ring->text + cut, '\n', ring->len - cut);

	cut = end ? (size_t)(end - ring->text) + 1 : ring->len;
	ring->len -= cut;
	memmove(ring->text + sizeof(note) - 1, ring->text + cut, ring->len);
	memcpy(ring->text, note, sizeof(note) - 1);
	ring->len += sizeof(note) - 1;
}

static void ring_add(struct ring *ring, const char *line)
{
	size_t len = strlen(line);

	if (!ring->text)
		ring->text = malloc(RING_SIZE);
	if (!ring->text)
		return;
	if (ring->len + len + 1 > RING_SIZE)
		ring_trim(ring);
	memcpy(ring->text + ring->len, line, len);
	ring->len += len;
	ring->text[ring->len++] = '\n';
}

/* One finished line of clean text to the log (with time) and, by level, to console and journal. */
static void emit(struct report *r, enum report_level level, const char *rail, uint64_t now,
	const char *text)
{
	static const unsigned char priority[] = {
		[REPORT_ERR] = 3, [REPORT_WARN] = 4, [REPORT_INFO] = 6, [REPORT_DEBUG] = 7};
	const char *colon = *rail ? ": " : "";
	char line[REPORT_TEXT_MAX * 2 + 96];

	snprintf(line, sizeof(line), "[%5u.%03u] %s%s%s", (unsigned)(now / NSEC_PER_SEC),
		(unsigned)(now / NSEC_PER_MSEC % 1000), rail, colon, text);
	ring_add(&r->log, line);
	if (!shown(r, level))
		return;
	snprintf(line, sizeof(line), "initagent: %s%s%s", rail, colon, text);
	console_put(r->console, line, level == REPORT_ERR);
	snprintf(line, sizeof(line), "<%u>%s%s%s", priority[level], rail, colon, text);
	console_put(r->journal, line, level == REPORT_ERR);
}

void report_log(struct report *r, enum report_level level, const char *rail, uint64_t now,
	const char *fmt, ...)
{
	char text[REPORT_TEXT_MAX], name[REPORT_NAME_MAX];
	va_list ap;

	if (!r)
		return;
	va_start(ap, fmt);
	clean_text(text, fmt, ap);
	va_end(ap);
	clean_name(name, rail);
	emit(r, level, name, now, text);
}

void report_state(struct report *r, const char *room, const char *rail, const char *from,
	const char *to, uint64_t now)
{
	struct report_change *c;

	if (!r)
		return;
	report_log(r, REPORT_DEBUG, rail, now, "%s: %s -> %s", room, from, to);
	c = add_row(r, (void **)&r->changes, &r->n_changes, sizeof(*c), MAX_CHANGES);
	if (!c)
		return;
	c->when = now;
	clean_name(c->room, room);
	clean_name(c->rail, rail);
	clean_name(c->from, from);
	clean_name(c->to, to);
}

void report_span(struct report *r, const char *room, const char *what, uint64_t begin,
	uint64_t end, int result)
{
	struct report_work *w;

	if (!r)
		return;
	w = add_row(r, (void **)&r->works, &r->n_works, sizeof(*w), MAX_WORKS);
	if (!w)
		return;
	w->begin = begin;
	w->end = end;
	w->result = result;
	clean_name(w->room, room);
	clean_name(w->what, what);
}

static struct report_met *find_met(struct report *r, enum cause cause, const char *where)
{
	for (size_t i = 0; i < r->n_causes; i++)
		if (r->causes[i].cause == cause && streq(r->causes[i].where, where))
			return &r->causes[i];
	return NULL;
}

/*
 * The cause line, once on the console and once in the kernel log (level 7: kept, not shown), which
 * takes it at once and never says so to poll(2).
 */
static void print_cause(struct report *r, const struct report_met *met, uint64_t now)
{
	const struct cause_info *info = cause_info(met->cause);
	char text[REPORT_TEXT_MAX * 2], line[sizeof(text) + 32];

	snprintf(text, sizeof(text), "%s %s%s%s", info->code, info->text, *met->text ? ": " : "",
		met->text);
	emit(r, REPORT_ERR, met->where, now, text);
	snprintf(text, sizeof(text), "%s check: %s", info->code, info->check);
	emit(r, REPORT_ERR, met->where, now, text);
	snprintf(line, sizeof(line), "<7>initagent: %s %s: %s\n", info->code, met->where,
		met->text);
	(void)!write(r->cfg.kmsg_fd, line, strlen(line));
}

/* A row for a new cause, which may end the boot: without room the oldest is dropped. */
static struct report_met *add_cause(struct report *r, uint64_t now)
{
	struct report_met *met = add_row(r, (void **)&r->causes, &r->n_causes, sizeof(*met),
		MAX_CAUSES);

	if (met)
		return met;
	if (!r->lost_causes++)
		report_log(r, REPORT_WARN, "report", now,
			"more than %zu causes: the oldest are not kept for the state file",
			r->n_causes);
	met = r->n_causes ? &r->causes[r->n_causes - 1] : &r->spare;
	if (r->n_causes)
		memmove(r->causes, r->causes + 1, (r->n_causes - 1) * sizeof(*met));
	*met = (struct report_met){0};
	return met;
}

void report_cause(struct report *r, enum cause cause, const char *where, uint64_t now,
	const char *fmt, ...)
{
	char text[REPORT_TEXT_MAX], name[REPORT_NAME_MAX];
	struct report_met *met;
	bool fresh;
	va_list ap;

	if (!r)
		return;
	va_start(ap, fmt);
	clean_text(text, fmt, ap);
	va_end(ap);
	clean_name(name, where);
	met = find_met(r, cause, name);
	fresh = !met || !streq(met->text, text);
	if (!met)
		met = add_cause(r, now);
	if (!met->count)
		met->first = now;
	met->cause = cause;
	met->count++;
	met->last = now;
	strscpy(met->where, name, sizeof(met->where));
	strscpy(met->text, text, sizeof(met->text));
	if (fresh)
		print_cause(r, met, now);
}

void report_wait(struct report *r, enum cause cause, const char *rail, uint64_t now,
	const char *fmt, ...)
{
	char text[REPORT_TEXT_MAX], name[REPORT_NAME_MAX];
	va_list ap;

	if (!r)
		return;
	va_start(ap, fmt);
	clean_text(text, fmt, ap);
	va_end(ap);
	clean_name(name, rail);
	if (wait_line_set(&r->wait, cause, name, text, now) || r->waits_full)
		return;
	r->waits_full = true;
	report_log(r, REPORT_WARN, name, now,
		"more than %d waits at one time: those of further interfaces are not shown",
		WAIT_SLOTS - 1);
}

void report_wait_over(struct report *r, const char *rail, uint64_t now)
{
	report_wait(r, CAUSE_NONE, rail, now, "%s", "");
}

uint64_t report_deadline(const struct report *r)
{
	return wait_line_deadline(&r->wait);
}

/* "quiet" asks for silence unless something is wrong: a wait is so after a while. */
static bool quiet_yet(const struct report *r, uint64_t now)
{
	const struct wait_slot *slot = wait_line_oldest(&r->wait);

	return r->cfg.quiet && slot && now - slot->since < QUIET_PATIENCE;
}

void report_renew(struct report *r, uint64_t now)
{
	r->budget = now;
}

const char *report_tick(struct report *r, uint64_t now, uint64_t budget_end)
{
	const char *text = wait_line_tick(&r->wait, now, r->budget, budget_end);

	if (text)
		emit(r, quiet_yet(r, now) ? REPORT_INFO : REPORT_WARN, "", now, text);
	return text;
}

int report_fd(const struct report *r)
{
	return console_fd(r->console);
}

void report_flush(struct report *r)
{
	console_flush(r->console);
}

void report_drain(struct report *r)
{
	console_drain(r->console, DRAIN_MS);
}

enum cause report_waiting(const struct report *r, const char **ret_rail, const char **ret_text)
{
	const struct wait_slot *slot = wait_line_oldest(&r->wait);

	*ret_rail = slot ? slot->rail : "";
	*ret_text = slot ? slot->text : "";
	return slot ? slot->cause : CAUSE_NONE;
}

enum cause report_waits_over(struct report *r, uint64_t now, const char *text, char *where,
	size_t size)
{
	const struct wait_slot *slot = wait_line_oldest(&r->wait);
	enum cause oldest = slot ? slot->cause : CAUSE_NONE;

	if (oldest == CAUSE_NONE)
		return oldest;
	strscpy(where, slot->rail, size);
	for (int last = 0; last <= 1; last++)
		for (size_t i = 0; i < r->wait.n; i++) {
			const struct wait_slot *s = &r->wait.slots[i];

			if (s->cause && streq(s->rail, where) == last)
				report_cause(r, s->cause, s->rail, now, "%s (%s)", s->text, text);
		}
	return oldest;
}
