// SPDX-License-Identifier: GPL-2.0-or-later
/* work: the source at work: its start, what it asks for and reports, and its end. */
#include "root/private.h"

/* The first family that has an address will do, until one has failed. */
int target_look_up(const struct target *t, const char *name, uint64_t now)
{
	int r = rails_resolve(
		t->cfg.rails, RAILS_ASKER_TARGET, name, TARGET_RESOLVE_LIMIT, now);

	if (r >= 0 && t->failure.cause != CAUSE_NONE)
		rails_resolve_all(t->cfg.rails, RAILS_ASKER_TARGET);
	return r;
}

static void look_up_name(struct target *t, uint64_t now)
{
	const char *name = t->ops->lookup(t->source);
	int r = name ? target_look_up(t, name, now) : 0;

	if (r < 0)
		t->ops->resolved(t->source, NULL, strerror(-r), now);
}

/* The modules room has a row for what was asked for, and for each module an alias stands for; what
 * is built in needs none. */
static void look_at_module(struct target *t, uint64_t now)
{
	const char *name = t->ops->module ? t->ops->module(t->source) : NULL;
	const struct module_entry *e = name ? modules_find(t->cfg.modules, name) : NULL;

	if (e && e->state > MODULE_LOADING)
		t->ops->module_settled(t->source, now);
}

/* What was asked for before may be there, and have been looked at, before the event is popped. */
static void ask_for_module(struct target *t, uint64_t now)
{
	const char *name = t->ops->module(t->source);

	if (name && modules_request(t->cfg.modules, name, now) < 0)
		t->ops->module_settled(t->source, now);
}

static void show_step(struct target *t, uint64_t now)
{
	struct source_progress p = {0};
	char text[REPORT_TEXT_MAX];
	enum cause cause = t->ops->describe(t->source, text, sizeof(text));

	if (t->ops->progress)
		t->ops->progress(t->source, &p);
	if (p.bytes)
		report_wait(t->report, cause, "root", now, "%s", text);
	else
		target_wait(t, cause, now, "%s", text);
}

/* The way to the server at hand, as links_lookup(): its own address, or what a name was last found
 * to have. */
static int look_up_way(struct target *t, struct link_route *way)
{
	struct source_progress p;
	int r;

	t->ops->progress(t->source, &p);
	if (p.asked.family)
		t->server.addr = p.asked;
	r = t->server.addr.family ? links_lookup(rails_links(t->cfg.rails), &t->server.addr, way)
		: -ENODATA;
	t->ifindex = r < 0 ? 0 : way->ifindex;
	return r;
}

void target_add_address(const struct target *t, char text[static REPORT_TEXT_MAX])
{
	char addr[INET_ADDR_TEXT], asked[REPORT_TEXT_MAX];

	inet_text(&t->server.addr, addr);
	strscpy(asked, text, sizeof(asked));
	if (t->server.addr.family && !streq(t->server.name, addr) && !strstr(text, addr))
		snprintf(text, REPORT_TEXT_MAX, "%.250s (asked at %s)", asked, addr);
}

/* Is there no answer, or no end of it? The path may be the reason, or its MTU. */
static bool path_matters(enum cause cause)
{
	return cause == CAUSE_FETCH_CONNECT || cause == CAUSE_FETCH_STALLED ||
		cause == CAUSE_BLOCK_UNREACHABLE || cause == CAUSE_BLOCK_LOST ||
		cause == CAUSE_ROOT_UNREAD;
}

/* The source knows the connection; the way it takes, or that there is none, is known here. */
static void tell_way(struct target *t, enum cause *cause, char text[static REPORT_TEXT_MAX])
{
	bool alone = t->ops->asks_alone;
	char asked[REPORT_TEXT_MAX];
	struct link_route way;
	int r = -ENODATA;

	if (alone)
		r = look_up_way(t, &way);
	else if (t->server.addr.family)
		r = links_lookup(rails_links(t->cfg.rails), &t->server.addr, &way);
	target_add_address(t, text);
	strscpy(asked, text, sizeof(asked));
	if (path_matters(*cause) && alone && r == -ENETUNREACH) {
		*cause = CAUSE_NO_ROUTE;
		rails_no_route_text(t->cfg.rails, text, REPORT_TEXT_MAX);
	} else if (path_matters(*cause) && r >= 0) {
		rails_path_text(t->cfg.rails, &way, asked, text, REPORT_TEXT_MAX);
	}
}

/* What follows may end the source. */
static void source_failed(struct target *t, uint64_t now)
{
	enum cause cause = t->source->cause;
	char text[REPORT_TEXT_MAX];

	t->rounds = t->source->rounds;
	t->attempts = t->source->attempts;
	t->unread = t->source->unread;
	strscpy(text, t->source->text, sizeof(text));
	/* Of a disk of this machine, which the source goes on without: no server's fault, no
	 * rail's. */
	if (cause == CAUSE_CACHE || cause == CAUSE_CACHE_DAMAGED) {
		report_cause(t->report, cause, "root", now, "%s", text);
		return;
	}
	tell_way(t, &cause, text);
	target_failed(t, cause, text, now);
}

static void source_mounted(struct target *t, uint64_t now)
{
	if (t->ops->asks_alone && t->source->server.family)
		t->server.addr = t->source->server;
	report_log(t->report, REPORT_INFO, "root", now, "%s", t->source->text);
	report_wait_over(t->report, "root", now);
	t->ended = true;
	target_emit(t, TARGET_MOUNTED);
}

static void source_event(struct target *t, enum source_event event, uint64_t now)
{
	switch (event) {
	case SOURCE_NONE:
	case SOURCE_EVENT_MAX: break;
	case SOURCE_LOOKUP: look_up_name(t, now); break;
	case SOURCE_MODULE: ask_for_module(t, now); break;
	case SOURCE_STEP: show_step(t, now); break;
	case SOURCE_FAILED: source_failed(t, now); break;
	case SOURCE_MOUNTED: source_mounted(t, now); break;
	case SOURCE_AGAIN: target_begin_again(t, now); break;
	case SOURCE_FATAL:
		target_end(t, t->source->cause,
			t->server.servers > 1 ? "all servers" : t->server.name, t->source->text);
		break;
	}
}

/* So often bytes that are fetched again count again. */
#define FRESH_STARTS 3
/* More than any rd.net.min.rate= asks for in any rd.retry=. */
#define BUSY_BYTES   (UINT64_C(1) << 60)

/*
 * How many bytes of this step were never there before. A source that changes makes the transfer
 * begin from nothing, which is allowed a few times: one that does so again and again must not keep
 * the boot from its end.
 */
static uint64_t fresh_bytes(struct progress *all, const struct source_progress *p)
{
	uint64_t more;
	size_t i;

	for (i = 0; i < all->n && all->rows[i].step != p->step; i++)
		;
	if (i == PROGRESS_STEPS || !p->bytes)
		return 0;
	if (i == all->n)
		all->rows[all->n++].step = p->step;
	if (p->bytes < all->rows[i].best / 2 && all->restarts < FRESH_STARTS) {
		all->restarts++;
		all->rows[i].best = 0;
	}
	more = p->bytes > all->rows[i].best ? p->bytes - all->rows[i].best : 0;
	all->rows[i].best += more;
	return more;
}

static void look_at_progress(struct target *t)
{
	struct source_progress p;
	struct link_route way;

	t->ops->progress(t->source, &p);
	if (p.attempts != t->asked)
		(void)look_up_way(t, &way);
	t->asked = p.attempts;
	t->progress.fresh = p.busy ? BUSY_BYTES : t->progress.fresh + fresh_bytes(&t->progress, &p);
}

uint64_t target_fresh_bytes(struct target *t)
{
	uint64_t fresh = t->progress.fresh;

	t->progress.fresh = 0;
	return fresh;
}

void target_step_source(struct target *t, uint64_t now)
{
	enum source_event event;

	do {
		look_at_module(t, now);
		event = source_pop_event(t->source);
		source_event(t, event, now);
	} while (t->source && !t->ended && event != SOURCE_NONE);
	if (t->source && t->ops->progress)
		look_at_progress(t);
}

/* --- its start ------------------------------------------------------------------------------- */

/* A link-local address with its interface (net/sunrpc/addr.c; inet_pton_with_scope() does the same
 * for others). */
static void fill_address(struct target *t)
{
	const struct inet_addr *a = &t->server.addr;
	const struct rail *rail = target_carrier_rail(t);
	char text[INET_ADDR_TEXT];
	bool zone = a->family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&a->v6) && rail;

	snprintf(t->address, sizeof(t->address), "%s%s%s",
		t->server.neighbour ? inet_text(a, text) : "", zone ? "%" : "",
		zone ? rail->name : "");
}

void target_begin_source(struct target *t, const struct rail *rail, uint64_t now)
{
	const struct boot_plan *plan = t->cfg.plan;
	const struct plan_overlay *overlay = &plan->root.image.overlay;
	const struct source_config cfg = {
		.env = t->cfg.env,
		.plan = plan,
		.choice = &t->choice,
		.rails = t->cfg.rails,
		.rail = t->ops->asks_alone ? NULL : rail,
		.sysroot = t->cfg.sysroot,
		.init = plan->given[OPTION_INIT] ? plan->init : NULL,
		.readonly = !(t->spec ? t->spec->rw : plan->root.rw),
		.overlay = overlay->asked ? overlay : NULL,
		.server = &t->server,
		.address = t->address,
		.turn = t->server_turn,
		.rounds = t->rounds,
		.attempts = t->attempts,
		.ways = t->ways,
		.unread = t->unread,
		.no_rdma = t->no_rdma,
		.refusals = &t->refusals,
		.reader = t->cfg.reader,
		.nfs = t->cfg.nfs,
	};
	int r;

	/* The time that modules take to load is none of the server's. */
	if (!t->rail_failures)
		t->rail_since = now;
	fill_address(t);
	if (cfg.rail)
		rails_set_roce(t->cfg.rails, rail, now);
	r = t->ops->begin(&t->source, &cfg, now);
	if (r < 0) {
		target_end(t, r == -EINVAL ? CAUSE_ROOT_MOUNT_FAILED : CAUSE_INTERNAL,
			t->server.name, strerror(-r));
		return;
	}
	t->began = t->began ? t->began : now;
	t->ifindex = cfg.rail ? rail->ifindex : 0;
	target_set_state(t, TARGET_AT_WORK, now);
	target_emit(t, TARGET_MOUNTING);
	target_step_source(t, now);
}
