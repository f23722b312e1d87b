// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * telling: what of the report goes to those that rd.report= names. The report room gathers, the tell room sends; this is
 * the way from one to the other.
 */
#include "boot_private.h"
#include "report/report.h"
#include "state/state_read.h"

/* A boot that failed has this long to say so; nothing waits for it any more. */
#define PATIENCE (2 * NSEC_PER_SEC)
/* A name nobody knows shall not keep the resolver from the root's. */
#define LOOKUP_LIMIT (5 * NSEC_PER_SEC)

void telling_begin(struct boot *b, uint64_t now)
{
	int r = b->plan->n_reports ? tell_new(&b->telling.tell, &b->env, b->plan->reports, b->plan->n_reports) : 0;

	if (r < 0)
		report_cause(b->report, CAUSE_REPORT_LOST, "rd.report", now, "%s", strerror(-r));
}

/* The name by which the admin knows the node, or else what no other node has. */
static void name_node(struct boot *b)
{
	const char *name = b->plan->net.hostname ? b->plan->net.hostname : "";
	char number[32];

	for (size_t i = 0; i < b->n_rails && !*name; i++) {
		const struct address_result *a = addresses_result(b->addresses, b->rails[i].ifindex);

		name = a ? a->hostname : "";
	}
	snprintf(number, sizeof(number), "%012llx", (unsigned long long)target_node_number(b));
	tell_node(b->telling.tell, *name ? name : number);
}

void telling_up(struct boot *b, uint64_t now)
{
	if (!b->telling.tell)
		return;
	name_node(b);
	tell_up(b->telling.tell, now);
}

uint64_t telling_deadline(const struct boot *b)
{
	return b->telling.tell ? tell_deadline(b->telling.tell) : NSEC_NEVER;
}

void telling_dispatch(struct boot *b, bool ready, uint64_t now)
{
	if (b->telling.tell && (ready || now >= tell_deadline(b->telling.tell)))
		tell_dispatch(b->telling.tell, now);
}

static const struct rail *rail_named(const struct boot *b, const char *name)
{
	for (size_t i = 0; i < b->n_rails; i++)
		if (streq(b->rails[i].name, name))
			return &b->rails[i];
	return NULL;
}

static void say(struct boot *b, enum tell_kind kind, enum cause cause, const char *where, const char *text, uint64_t now)
{
	const struct rail *rail = rail_named(b, where);
	char device[sizeof(rail->device) + 12] = "";

	if (rail && *rail->device)
		snprintf(device, sizeof(device), "%s/%u", rail->device, rail->port);
	tell_say(b->telling.tell, &(struct tell_item){.kind = kind, .cause = cause, .where = where,
		.device = device, .guid = rail ? rail->guid : 0, .text = text}, now);
}

/* The causes that came since the last look. */
static void say_causes(struct boot *b, uint64_t now)
{
	struct report_view v;

	report_view(b->report, &v);
	if (b->telling.causes < v.lost_causes)
		b->telling.causes = v.lost_causes;
	for (; b->telling.causes < v.lost_causes + v.n_causes; b->telling.causes++) {
		const struct report_met *met = &v.causes[b->telling.causes - v.lost_causes];
		char text[REPORT_TEXT_MAX * 2];

		snprintf(text, sizeof(text), "%s%s%s", cause_info(met->cause)->text, *met->text ? ": " : "", met->text);
		say(b, TELL_CAUSE, met->cause, met->where, text, now);
	}
}

/* Names take turns: the resolver looks up one at a time, and the root's comes first. */
static void look_up(struct boot *b, uint64_t now)
{
	const char *name = b->lookup == LOOKUP_NONE ? tell_lookup(b->telling.tell, now) : NULL;

	if (!name)
		return;
	if (addresses_resolve(b->addresses, name, LOOKUP_LIMIT, now) < 0)
		tell_resolved(b->telling.tell, NULL, now);
	else
		b->lookup = LOOKUP_TELLING;
}

void telling_step(struct boot *b, uint64_t now)
{
	if (!b->telling.tell)
		return;
	say_causes(b, now);
	look_up(b, now);
}

void telling_resolved(struct boot *b, const struct address_event *ev, uint64_t now)
{
	if (b->telling.tell)
		tell_resolved(b->telling.tell, ev->addr.family ? &ev->addr : NULL, now);
}

/* Each wait once, however long it lasts; who flaps is told as often. */
void telling_wait(struct boot *b, uint64_t now)
{
	const char *where = "", *text = "";
	enum cause cause = report_waiting(b->report, &where, &text);

	if (!b->telling.tell || (cause == b->telling.wait && streq(where, b->telling.where)))
		return;
	b->telling.wait = cause;
	strscpy(b->telling.where, where, sizeof(b->telling.where));
	say(b, TELL_WAIT, cause, where, text, now);
}

void telling_before(struct boot *b, const struct failure *f, uint64_t now)
{
	if (b->telling.tell)
		say(b, TELL_BEFORE, f->cause, f->where, cause_info(f->cause)->text, now);
}

/* Both are asked each time: what has ended shall be heard. */
static bool idle(struct boot *b, uint64_t now)
{
	bool kept = last_failure_idle(b, now);

	return tell_idle(b->telling.tell) && kept;
}

/* Until nothing is left to be said or kept, or the time is up. Returns the present. */
static uint64_t wait_idle(struct boot *b, uint64_t limit)
{
	_cleanup_(loop_freep) struct loop *loop = NULL;
	int tag, r = loop_new(&loop);
	uint64_t now = now_ns();

	if (r >= 0)
		r = loop_add(loop, tell_fd(b->telling.tell), 0);
	if (r >= 0 && b->memory && remember_fd(b->memory) >= 0)
		r = loop_add(loop, remember_fd(b->memory), 0);
	while (r >= 0 && now < limit && !idle(b, now)) {
		r = loop_wait(loop, min_u64(limit, tell_deadline(b->telling.tell)), &tag, 1);
		now = now_ns();
		tell_dispatch(b->telling.tell, now);
	}
	return now;
}

static void complain(struct boot *b, uint64_t now)
{
	const char *server;
	char text[256];

	while (tell_missed(b->telling.tell, &server, text, sizeof(text)))
		report_cause(b->report, CAUSE_REPORT_LOST, server, now, "%s", text);
}

void telling_last(struct boot *b, uint64_t now)
{
	bool done = b->outcome == BOOT_DONE;
	char text[REPORT_TEXT_MAX];

	if (!b->telling.tell)
		return;
	say_causes(b, now);
	if (done)
		snprintf(text, sizeof(text), "the root is mounted after %.2f s", (double)(now - b->run.start) / 1e9);
	else
		snprintf(text, sizeof(text), "giving up after %.2f s: %s", (double)(now - b->run.start) / 1e9,
			cause_info(b->cause)->text);
	say(b, done ? TELL_DONE : TELL_FAILED, done ? CAUSE_NONE : b->cause, done ? "" : b->where, text, now);
	b->telling.end = now + PATIENCE;
	tell_up(b->telling.tell, now);
	if (!done)
		now = wait_idle(b, b->telling.end);
	complain(b, now);
}

void telling_state(struct boot *b, uint64_t now)
{
	_cleanup_free_ char *body = NULL;
	int len;

	if (!b->telling.tell)
		return;
	len = state_read(&b->env, &body);
	if (len > 0)
		tell_state(b->telling.tell, &(struct tell_state){.body = body, .len = (size_t)len,
			.ca = b->plan->root.image.ca, .patient = b->outcome != BOOT_DONE});
	if (b->outcome != BOOT_DONE)
		now = wait_idle(b, b->telling.end);
	complain(b, now);
	b->telling.tell = tell_free(b->telling.tell);
	b->memory = b->memory ? remember_free(b->memory) : NULL;
}
