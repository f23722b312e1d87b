// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target: see target.h. Finds the server's address, makes sure its neighbour entry is there
 * (RDMA-CM may stall 5 s without), and lets the source of the root's kind begin once modules,
 * address and port are ready.
 */
#include "root/private.h"

#include "root/image/layers.h"
#include "root/source/note.h"

#define PROBE_LIMIT   (4 * NSEC_PER_SEC)
/* The kernel asks for no neighbour before the link-local address has passed its check: up to a
 * second until that begins, and one of listening (RFC 4862 sections 5.4.2 and 5.1). */
#define DAD_LIMIT     (2 * NSEC_PER_SEC)
#define RETRY_AFTER   NSEC_PER_SEC

bool target_pop_event(struct target *t, struct target_event *ret)
{
	if (!t->n_events)
		return false;
	*ret = t->events[0];
	memmove(t->events, t->events + 1, --t->n_events * sizeof(t->events[0]));
	return true;
}

/* --- life ------------------------------------------------------------------------------------ */

int target_new(struct target **ret, const struct target_config *cfg)
{
	struct target *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	t->cfg = *cfg;
	t->report = cfg->env->report;
	t->retry = NSEC_NEVER;
	target_forget(t);
	*ret = t;
	return 0;
}

struct target *target_free(struct target *t)
{
	if (!t)
		return NULL;
	target_end_source(t);
	root_spec_freep(&t->spec);
	free(t);
	return NULL;
}

/*
 * Something is mounted that is no complete root. Where roots of the plan's kind can be incomplete,
 * it is what an agent left that was killed during its work, which begins again.
 */
static int drop_leftover(struct target *t, uint64_t now)
{
	const struct source_ops *ops = source_of(t->cfg.plan->root.kind);

	if (ops && !ops->note)
		return -EBUSY;
	report_log(t->report, REPORT_INFO, "root", now, "removing incomplete root at %s",
		t->cfg.sysroot);
	for (size_t i = 0; (ops = source_at(i)); i++)
		if (ops->note) {
			layers_drop_limited(t->cfg.env, t->cfg.sysroot);
			note_drop(t->cfg.env, ops);
		}
	return 0;
}

int target_adopt(struct target *t, uint64_t now)
{
	const struct boot_plan *plan = t->cfg.plan;
	const char *init = plan->given[OPTION_INIT] ? plan->init : NULL;
	const struct source_ops *ops;
	int r = 0;

	for (size_t i = 0; (ops = source_at(i)); i++) {
		r = ops->adopt(&t->source, t->cfg.env, t->cfg.sysroot, init);
		if (r <= 0)
			continue;
		t->ops = ops;
		t->ended = true;
		return 1;
	}
	/* The last row is asked after all others: what is mounted is none of theirs. */
	return r < 0 ? drop_leftover(t, now) : 0;
}

int target_fd(const struct target *t)
{
	return t->source && t->state == TARGET_AT_WORK ? t->ops->fd(t->source) : -1;
}

uint64_t target_deadline(const struct target *t)
{
	if (t->source && t->state == TARGET_AT_WORK)
		return min_u64(t->retry, t->ops->deadline(t->source));
	return t->retry;
}

void target_dispatch(struct target *t, bool ready, uint64_t now)
{
	if (t->source && t->state == TARGET_AT_WORK &&
		(ready || now >= t->ops->deadline(t->source)))
		t->ops->dispatch(t->source, now);
}

/* --- what is waited for ---------------------------------------------------------------------- */

/* Another reason than the root's keeps it from going on, and is reported where it is known. */
static void wait_elsewhere(struct target *t, uint64_t now)
{
	t->failure.cause = CAUSE_NONE;
	report_wait_over(t->report, "root", now);
}

enum cause target_failure(const struct target *t, const char **ret_where, const char **ret_text)
{
	*ret_where = t->failure.where;
	*ret_text = t->failure.text;
	return t->failure.cause;
}

/* --- the server ------------------------------------------------------------------------------ */

static void pause_target(struct target *t, uint64_t now)
{
	target_set_state(t, TARGET_PAUSE, now);
	t->retry = now + RETRY_AFTER;
}

/* Is the server's an IPv6 address, and any rail still to get one? IPv4's is often there long
 * before. */
static bool ipv6_awaited(const struct target *t)
{
	size_t n;
	const struct rail *rails = rails_list(t->cfg.rails, &n);

	for (size_t i = 0; i < n && t->server.addr.family == AF_INET6; i++)
		if (addresses_awaited(rails_addresses(t->cfg.rails), rails[i].ifindex, AF_INET6))
			return true;
	return false;
}

static void probe_failed(struct target *t, int error, const char *addr, uint64_t now)
{
	char text[REPORT_TEXT_MAX];

	/* While the address is on its way, so is the route. */
	if (ipv6_awaited(t)) {
		target_wait(t, CAUSE_NO_ROUTE, now, "waiting for a route to %s", addr);
	} else if (error == -ENETUNREACH) {
		rails_no_route_text(t->cfg.rails, text, sizeof(text));
		target_failed(t, CAUSE_NO_ROUTE, text, now);
	} else {
		target_failed(t, CAUSE_ROOT_UNREACHABLE, strerror(-error), now);
	}
	if (t->state == TARGET_PROBING)
		pause_target(t, now);
}

static void probe(struct target *t, uint64_t now)
{
	struct links *links = rails_links(t->cfg.rails);
	char addr[INET_ADDR_TEXT];
	int r;

	links_pin(links, &t->server.addr, t->server.zone);
	r = links_probe(links, &t->server.addr,
		PROBE_LIMIT + (t->server.addr.family == AF_INET6 ? DAD_LIMIT : 0), now);
	inet_text(&t->server.addr, addr);
	target_set_state(t, TARGET_PROBING, now);
	t->ifindex = 0;
	if (r < 0)
		probe_failed(t, r, addr, now);
	else
		target_wait(t, CAUSE_ROOT_UNREACHABLE, now,
			"waiting for an answer of %s on the link", addr);
}

static void unresolved(struct target *t, enum cause cause, const char *text, uint64_t now)
{
	target_failed(t, cause, text, now);
	if (t->state == TARGET_RESOLVING)
		pause_target(t, now);
}

static void resolve(struct target *t, uint64_t now)
{
	int r = target_look_up(t, t->server.name, now);

	target_set_state(t, TARGET_RESOLVING, now);
	target_wait(t, CAUSE_ROOT_RESOLVE, now, "waiting for the address of %s", t->server.name);
	if (r < 0)
		unresolved(t, CAUSE_ROOT_RESOLVE, strerror(-r), now);
}

/* Rails have addresses: find out what to mount, and from where. If none of them says so, one that
 * comes later may. */
static void identify(struct target *t, uint64_t now)
{
	t->retry = NSEC_NEVER;
	if (!target_name(t, now))
		return;
	target_emit(t, TARGET_NAMED);
	t->rail_since = t->rail_since ? t->rail_since : now;
	if (!t->server.neighbour)
		target_set_state(t, TARGET_NEAR, now);
	else if (t->server.addr.family)
		probe(t, now);
	else
		resolve(t, now);
}

void target_resolved(struct target *t, const struct address_event *ev, uint64_t now)
{
	const char *name = t->source && t->ops->lookup ? t->ops->lookup(t->source) : NULL;
	struct inet_addr found = t->server.addr;

	if (name && ev->n_addrs)
		found = *target_next_address(t, name, ev, now);
	/* Else the name is that of another server beside. */
	if (t->ops->asks_alone)
		t->server.addr = found;
	if (t->source)
		t->source->addresses = (unsigned)ev->n_addrs;
	if (t->source && t->ops->resolved)
		t->ops->resolved(t->source, ev->n_addrs ? &found : NULL, ev->text, now);
	if (t->state != TARGET_RESOLVING)
		return;
	if (!ev->n_addrs) {
		unresolved(t, ev->cause ? ev->cause : CAUSE_ROOT_RESOLVE, ev->text, now);
		return;
	}
	t->server.addr = *target_next_address(t, t->server.name, ev, now);
	probe(t, now);
}

void target_network_changed(struct target *t, uint64_t now)
{
	if (!t->ended && (t->state == TARGET_UNKNOWN || t->state == TARGET_PAUSE))
		t->retry = now;
}

void target_rail_lost(struct target *t, int ifindex, uint64_t now)
{
	const struct rail *rail = rails_find(t->cfg.rails, ifindex);
	bool mine = t->state == TARGET_AT_WORK && ifindex == t->ifindex &&
		rails_other_ready(t->cfg.rails, rail);

	if (t->ended)
		return;
	if (mine && t->ops->way_lost)
		t->ops->way_lost(t->source, now);
	else if (mine || t->state == TARGET_PROBING || t->state == TARGET_NEAR)
		target_begin_again(t, now);
}

void target_neighbour(struct target *t, const struct link_event *ev, uint64_t now)
{
	const struct rail *rail;
	char text[REPORT_TEXT_MAX];

	if (t->state != TARGET_PROBING || !inet_equal(&ev->addr, &t->server.addr))
		return;
	if (ev->type == LINK_NEIGH_REACHABLE) {
		if (t->failure.cause == CAUSE_NONE)
			report_wait_over(t->report, "root", now);
		target_set_state(t, TARGET_NEAR, now);
		return;
	}
	rail = target_carrier_rail(t);
	t->ifindex = rail ? rail->ifindex : 0;
	rails_way_text(t->cfg.rails, &t->server.addr, text, sizeof(text));
	target_add_address(t, text);
	target_silent(t, text, now);
}

/* --- the step -------------------------------------------------------------------------------- */

/* The server answers, but the route to it is gone, or leads over an interface that is no rail. */
static void no_rail(struct target *t, uint64_t now)
{
	char text[REPORT_TEXT_MAX], addr[INET_ADDR_TEXT];
	struct link_route way;

	if (links_lookup(rails_links(t->cfg.rails), &t->server.addr, &way) < 0)
		rails_no_route_text(t->cfg.rails, text, sizeof(text));
	else
		snprintf(text, sizeof(text),
			"the route to %s goes over an interface that is not used for the boot",
			inet_text(&t->server.addr, addr));
	target_failed(t, CAUSE_NO_ROUTE, text, now);
	target_next_turn(t, now);
	pause_target(t, now);
}

/* The rail with the way to the server, once it is ready for this kind of root. */
static void step_near(struct target *t, uint64_t now)
{
	const struct rail *rail = target_carrier_rail(t);

	if (!rail)
		no_rail(t, now);
	else if (rail->state != RAIL_READY ||
		 addresses_awaited(rails_addresses(t->cfg.rails), rail->ifindex,
		 t->server.addr.family))
		wait_elsewhere(t, now);
	else
		target_begin_source(t, rail, now);
}

/* Without an address any rail that is ready will do: they have their turns. */
static const struct rail *any_ready(const struct target *t)
{
	size_t n;
	const struct rail *rails = rails_list(t->cfg.rails, &n);

	for (size_t i = 0; i < n; i++) {
		const struct rail *rail = &rails[(t->rail_turn + i) % n];

		if (rail->state == RAIL_READY)
			return rail;
	}
	return NULL;
}

static void near(struct target *t, const struct target_modules *modules, uint64_t now)
{
	const struct rail *rail;

	if (!modules->vital_loaded) {
		report_wait(t->report, CAUSE_MODULE_STUCK, "root", now,
			"waiting for kernel modules to load");
		return;
	}
	if (t->server.neighbour) {
		step_near(t, now);
		return;
	}
	/* A disk of this machine needs none: with rd.neednet= it waits for all that are named. */
	rail = t->cfg.plan->root.kind != PLAN_ROOT_BLOCK || rails_all_ready(t->cfg.rails, now)
		? any_ready(t) : NULL;
	if (rail)
		target_begin_source(t, rail, now);
	else
		wait_elsewhere(t, now);
}

void target_step(struct target *t, const struct target_modules *modules, uint64_t now)
{
	if (!t->ended)
		target_judge_rdma(t, modules, now);
	if (t->ended)
		return;
	if (t->state == TARGET_PAUSE && now >= t->retry)
		target_begin_again(t, now);
	if (t->state == TARGET_UNKNOWN && now >= t->retry)
		identify(t, now);
	else if (t->state == TARGET_NEAR)
		near(t, modules, now);
	else if (t->state == TARGET_AT_WORK)
		target_step_source(t, now);
}

/* --- what is read of it ---------------------------------------------------------------------- */

size_t target_needs(const struct target *t, struct need ret[static NEEDS_MAX])
{
	return t->ops && t->ops->needs
		? t->ops->needs(&t->choice, t->cfg.plan->root.image.overlay.asked, ret) : 0;
}

int target_family(const struct target *t)
{
	return t->server.addr.family;
}

bool target_needs_rail(const struct target *t)
{
	return t->server.neighbour || !*t->server.name || !t->ops || t->ops->asks_alone;
}

uint64_t target_began(const struct target *t)
{
	return t->began;
}

const struct source_ops *target_source(const struct target *t, const struct source **ret)
{
	*ret = t->source;
	return t->source ? t->ops : NULL;
}

struct worker *target_reader(struct target *t)
{
	struct worker *w = t->source ? t->source->reader : NULL;

	if (w)
		t->source->reader = NULL;
	return w;
}

int target_ifindex(const struct target *t)
{
	struct inet_addr addr = t->server.addr;
	struct link_route way;

	if (!addr.family && t->source)
		addr = t->source->server;
	if (!addr.family || links_lookup(rails_links(t->cfg.rails), &addr, &way) < 0)
		return 0;
	return way.ifindex;
}
