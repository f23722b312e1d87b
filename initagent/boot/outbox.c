// SPDX-License-Identifier: GPL-2.0-or-later
/* outbox: see outbox.h. report/ gathers, report/tell/ sends; this is the way from one to the
 * other. */
#include "outbox.h"

#include "base/file.h"
#include "base/loop.h"
#include "report/plymouth.h"
#include "report/record.h"
#include "report/report.h"
#include "report/tell/failure_store.h"
#include "report/tell/tell.h"
#include "state/state_read.h"

/* A boot that failed has this long for its messages, and for its state; nothing waits for it any
 * more. */
#define PATIENCE (2 * NSEC_PER_SEC)
/* Then the next sink has its turn. */
#define LOOKUP_LIMIT (5 * NSEC_PER_SEC)

struct outbox {
	const struct env *env;
	const struct boot_plan *plan;
	struct report *report;
	struct plymouth splash;
	struct tell *tell;	 /* NULL: no sink is named */
	struct failure_store *memory; /* of failures, over a reset; NULL: none is kept */
	bool asking;		 /* for the address of a sink */
	size_t causes;		 /* so many were sent */
	enum cause wait;	 /* the last one that was sent, and where */
	char where[REPORT_NAME_MAX];
};

int outbox_new(struct outbox **ret, const struct env *env, const struct boot_plan *plan,
	uint64_t now)
{
	struct outbox *o = calloc(1, sizeof(*o));
	int r;

	if (!o)
		return -ENOMEM;
	o->env = env;
	o->plan = plan;
	o->report = env->report;
	o->splash.fd = -1;
	r = plan->n_reports ? tell_new(&o->tell, env, plan->reports, plan->n_reports) : 0;
	if (r < 0)
		report_cause(o->report, CAUSE_REPORT_LOST, "rd.report", now, "%s", strerror(-r));
	*ret = o;
	return 0;
}

struct outbox *outbox_free(struct outbox *o)
{
	if (!o)
		return NULL;
	tell_freep(&o->tell);
	failure_store_freep(&o->memory);
	free(o);
	return NULL;
}

void outbox_fds(const struct outbox *o, int ret[static OUTBOX_FDS])
{
	ret[0] = o->tell ? tell_fd(o->tell) : -1;
	ret[1] = o->memory ? failure_store_fd(o->memory) : -1;
}

uint64_t outbox_deadline(const struct outbox *o)
{
	return o->tell ? tell_deadline(o->tell) : NSEC_NEVER;
}

bool outbox_is_empty(const struct outbox *o)
{
	return !o->tell && !o->memory;
}

/* --- messages -------------------------------------------------------------------------------- */

/* The name by which the admin knows the node, or else what no other node has. */
static void name_node(struct outbox *o, const struct rails *rails)
{
	const char *name = o->plan->net.hostname ? o->plan->net.hostname : "";
	size_t n;
	const struct rail *list = rails_list(rails, &n);
	char number[32];

	for (size_t i = 0; i < n && !*name; i++) {
		const struct address_result *a =
			addresses_result(rails_addresses(rails), list[i].ifindex);

		name = a ? a->hostname : "";
	}
	snprintf(number, sizeof(number), "%012llx", (unsigned long long)rails_node_number(rails));
	tell_node(o->tell, *name ? name : number);
}

void outbox_up(struct outbox *o, const struct rails *rails, uint64_t now)
{
	if (!o->tell)
		return;
	name_node(o, rails);
	tell_up(o->tell, now);
}

static const struct rail *rail_named(const struct rails *rails, const char *name)
{
	size_t n = 0;
	const struct rail *list = rails ? rails_list(rails, &n) : NULL;

	for (size_t i = 0; i < n; i++)
		if (streq(list[i].name, name))
			return &list[i];
	return NULL;
}

static void send_item(struct outbox *o, const struct rails *rails, struct tell_item item,
	uint64_t now)
{
	const struct rail *rail = rail_named(rails, item.where);
	char device[sizeof(rail->device) + 12] = "";

	if (rail && *rail->device)
		snprintf(device, sizeof(device), "%s/%u", rail->device, rail->port);
	item.device = device;
	item.guid = rail ? rail->guid : 0;
	tell_say(o->tell, &item, now);
}

/* The causes that came since the last look. */
static void send_causes(struct outbox *o, const struct rails *rails, uint64_t now)
{
	struct report_view v;

	report_view(o->report, &v);
	if (o->causes < v.lost_causes)
		o->causes = v.lost_causes;
	for (; o->causes < v.lost_causes + v.n_causes; o->causes++) {
		const struct report_met *met = &v.causes[o->causes - v.lost_causes];
		char text[REPORT_TEXT_MAX * 2];

		snprintf(text, sizeof(text), "%s%s%s", cause_info(met->cause)->text,
			*met->text ? ": " : "", met->text);
		send_item(o, rails,
			(struct tell_item){.kind = TELL_CAUSE,
				.cause = met->cause,
				.where = met->where,
				.text = text},
			now);
	}
}

/* Names of sinks take turns. */
static void look_up_sink(struct outbox *o, struct rails *rails, uint64_t now)
{
	const char *name = o->asking ? NULL : tell_lookup(o->tell, now);

	if (!name)
		return;
	o->asking = rails_resolve(rails, RAILS_ASKER_OUTBOX, name, LOOKUP_LIMIT, now) >= 0;
	if (!o->asking)
		tell_resolved(o->tell, NULL, now);
}

void outbox_step(struct outbox *o, struct rails *rails, uint64_t now)
{
	if (!o->tell)
		return;
	send_causes(o, rails, now);
	look_up_sink(o, rails, now);
}

void outbox_resolved(struct outbox *o, const struct address_event *ev, uint64_t now)
{
	o->asking = false;
	if (o->tell)
		tell_resolved(o->tell, ev->addr.family ? &ev->addr : NULL, now);
}

/* Sinks get each wait once, however long it lasts; one that comes and goes is sent as often. */
void outbox_wait(struct outbox *o, const struct rails *rails, const char *line, uint64_t now)
{
	const char *where = "", *text = "";
	enum cause cause = report_waiting(o->report, &where, &text);

	plymouth_show(&o->splash, line);
	if (!o->tell || (cause == o->wait && streq(where, o->where)))
		return;
	o->wait = cause;
	strscpy(o->where, where, sizeof(o->where));
	send_item(o, rails,
		(struct tell_item){.kind = TELL_WAIT, .cause = cause, .where = where, .text = text},
		now);
}

/* --- the record of a failure ----------------------------------------------------------------- */

static unsigned places(const struct boot_plan *plan)
{
	unsigned all = 0;

	for (size_t i = 0; i < plan->n_reports; i++) {
		all |= plan->reports[i].kind == PLAN_REPORT_EFI ? FAILURE_STORE_EFI : 0;
		all |= plan->reports[i].kind == PLAN_REPORT_PSTORE ? FAILURE_STORE_PSTORE : 0;
	}
	return all;
}

static void not_kept(struct outbox *o, int error, uint64_t now)
{
	report_cause(o->report, CAUSE_FAILURE_NOT_KEPT, "rd.report", now, "%s", strerror(error));
}

void outbox_look(struct outbox *o, uint64_t now)
{
	unsigned where = places(o->plan);
	int r = where ? failure_store_new(&o->memory, o->env, where) : 0;

	if (r < 0)
		not_kept(o, -r, now);
}

/* The file is for the real root, where the variable is gone once this boot has succeeded. */
static void pass_on(struct outbox *o, const struct rails *rails, const struct failure *f,
	uint64_t now)
{
	const struct cause_info *info = cause_info(f->cause);
	char text[FAILURE_RECORD_MAX];

	report_log(o->report, REPORT_WARN, NULL, now, "the last boot failed: %s %s%s%s",
		info->code, info->text,
		*f->where ? ": " : "", f->where);
	failure_write(text, f);
	if (file_write(o->env, STATE_DIR, "last-failure", text, sizeof(text), 0644) < 0)
		report_log(o->report, REPORT_WARN, NULL, now, "cannot hand over its record");
	if (o->tell)
		send_item(o, rails,
			(struct tell_item){.kind = TELL_BEFORE,
				.cause = f->cause,
				.where = f->where,
				.text = info->text},
			now);
}

static void take_record(struct outbox *o, const struct rails *rails, uint64_t now)
{
	struct failure f;

	if (o->memory && failure_store_pop(o->memory, &f))
		pass_on(o, rails, &f, now);
}

/* The text that was reported with the cause of the failure. */
static const char *text_of(const struct report_view *v, enum cause cause)
{
	const char *text = "";

	for (size_t i = 0; i < v->n_causes; i++)
		if (v->causes[i].cause == cause)
			text = v->causes[i].text;
	return text;
}

static void keep_record(struct outbox *o, const struct outbox_ending *end, uint64_t now)
{
	struct failure f = {.cause = end->cause,
		.uptime = now / NSEC_PER_SEC,
		.wall = wall_ns() / NSEC_PER_SEC};
	struct report_view v;
	int r;

	report_view(o->report, &v);
	strscpy(f.where, end->where, sizeof(f.where));
	strscpy(f.text, text_of(&v, end->cause), sizeof(f.text));
	r = end->done ? failure_store_clear(o->memory) : failure_store_keep(o->memory, &f);
	if (r < 0)
		not_kept(o, -r, now);
}

static bool record_is_kept(struct outbox *o, uint64_t now)
{
	int error = 0;

	if (!o->memory)
		return true;
	if (!failure_store_done(o->memory, &error))
		return false;
	if (error)
		not_kept(o, error, now);
	o->memory = failure_store_free(o->memory);
	return true;
}

void outbox_dispatch(struct outbox *o, const struct rails *rails, bool ready, uint64_t now)
{
	if (o->tell && (ready || now >= tell_deadline(o->tell)))
		tell_dispatch(o->tell, now);
	take_record(o, rails, now);
}

/* --- the end --------------------------------------------------------------------------------- */

/* Poll both, so that finished work is reaped. */
static bool is_idle(struct outbox *o, uint64_t now)
{
	bool kept = record_is_kept(o, now);

	return tell_idle(o->tell) && kept;
}

/* Until nothing is left to be sent or kept, or the time is up. Returns the present. */
static uint64_t wait_idle(struct outbox *o, uint64_t limit)
{
	_cleanup_(loop_freep) struct loop *loop = NULL;
	int fds[OUTBOX_FDS], tag, r = loop_new(&loop);
	uint64_t now = now_ns();

	outbox_fds(o, fds);
	for (size_t i = 0; r >= 0 && i < OUTBOX_FDS; i++)
		r = fds[i] >= 0 ? loop_add(loop, fds[i], 0) : 0;
	while (r >= 0 && now < limit && !is_idle(o, now)) {
		r = loop_wait(loop, min_u64(limit, tell_deadline(o->tell)), &tag, 1);
		now = now_ns();
		tell_dispatch(o->tell, now);
	}
	return now;
}

static void report_missed(struct outbox *o, uint64_t now)
{
	const char *server;
	char text[256];

	while (tell_missed(o->tell, &server, text, sizeof(text)))
		report_cause(o->report, CAUSE_REPORT_LOST, server, now, "%s", text);
}

void outbox_last(struct outbox *o, const struct rails *rails, const struct outbox_ending *end,
	uint64_t now)
{
	double seconds = (double)(now - end->start) / 1e9;
	char text[REPORT_TEXT_MAX];

	plymouth_show(&o->splash, "");
	plymouth_done(&o->splash);
	take_record(o, rails, now);
	if (o->memory)
		keep_record(o, end, now);
	if (!o->tell)
		return;
	send_causes(o, rails, now);
	if (end->done)
		snprintf(text, sizeof(text), "the root is mounted after %.2f s", seconds);
	else
		snprintf(text, sizeof(text), "giving up after %.2f s: %s", seconds,
			cause_info(end->cause)->text);
	send_item(o, rails, (struct tell_item){.kind = end->done ? TELL_DONE : TELL_FAILED,
		.cause = end->done ? CAUSE_NONE : end->cause, .where = end->done ? "" : end->where,
		.text = text}, now);
	tell_up(o->tell, now);
	if (!end->done)
		now = wait_idle(o, now + PATIENCE);
	report_missed(o, now);
}

void outbox_state(struct outbox *o, const struct outbox_ending *end, uint64_t now)
{
	_cleanup_free_ char *body = NULL;
	int len;

	if (!o->tell)
		return;
	len = state_read(o->env, &body);
	if (len > 0)
		tell_state(o->tell, &(struct tell_state){.body = body, .len = (size_t)len,
			.ca = o->plan->root.image.ca, .patient = !end->done});
	/* A server of messages that is dead must not have had the state's time. */
	if (!end->done)
		now = wait_idle(o, now_ns() + PATIENCE);
	report_missed(o, now);
	o->tell = tell_free(o->tell);
	o->memory = o->memory ? failure_store_free(o->memory) : NULL;
}
