// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target: which server, and whose turn. Knows the server's address, makes sure its neighbour entry is there (RDMA-CM may
 * stall 5 s without), and lets the room of the root's kind begin once modules, address and port are ready.
 *
 * An attempt that failed, of whatever kind, gives the next way its turn: the next of the plan's servers, the next address of
 * the server's name, which is looked up each time, and after a while another rail that is ready.
 */
#include "boot/boot_private.h"
#include "report/report.h"

#include <stdarg.h>

#define RESOLVE_LIMIT (10 * NSEC_PER_SEC)
#define PROBE_LIMIT   (4 * NSEC_PER_SEC)
#define RETRY_AFTER   NSEC_PER_SEC
/* A mount that fails for longer gives the next rail its turn; sooner, the server may only just be starting. */
#define WAY_PATIENCE  (2 * NSEC_PER_SEC)

static const char *const state_names[TARGET_STATE_MAX] = {
	[TARGET_UNKNOWN] = "unknown",
	[TARGET_RESOLVING] = "resolving",
	[TARGET_PROBING] = "probing",
	[TARGET_NEAR] = "near",
	[TARGET_MOUNTING] = "mounting",
	[TARGET_PAUSE] = "waiting to try again",
};

/* Nothing is due in the new state: one that looks again by the clock says so behind. */
static void set_state(struct boot *b, enum target_state to, uint64_t now)
{
	struct target *t = &b->target;

	if (t->state != to)
		report_state(b->report, "target", t->server, state_names[t->state], state_names[to], now);
	t->state = to;
	t->retry = NSEC_NEVER;
}

void target_done(struct target *t)
{
	root_spec_freep(&t->spec);
}

void target_forget(struct boot *b)
{
	target_done(&b->target);
	b->target.nfs = b->plan->root.kind == PLAN_ROOT_NFS ? &b->plan->root.nfs : NULL;
	b->target.image = b->plan->root.kind == PLAN_ROOT_LIVE ? &b->plan->root.image : NULL;
	b->target.block = b->plan->root.kind == PLAN_ROOT_REMOTE ? &b->plan->root.block : NULL;
}

static bool given(const struct inet_addr *a)
{
	return a->family != AF_UNSPEC;
}

/* Is the server's an IPv6 address, and any rail still to get one? IPv4's is often there long before. */
static bool ipv6_awaited(const struct boot *b)
{
	for (size_t i = 0; i < b->n_rails && b->target.addr.family == AF_INET6; i++)
		if (addresses_awaited(b->addresses, b->rails[i].ifindex, AF_INET6))
			return true;
	return false;
}

/* The rail a packet to the server would take; NULL while there is none. */
static struct rail *carrier_rail(struct boot *b)
{
	struct link_route way;

	if (links_lookup(b->links, &b->target.addr, &way) < 0)
		return NULL;
	return rails_find(b, way.ifindex);
}

/* What causes are about. */
static const char *where(const struct boot *b)
{
	const struct target *t = &b->target;

	return *t->server ? t->server : t->block && t->block->name ? t->block->name : "root";
}

/* Once something has failed, that is what is told of the root until it is there: the steps of each attempt are all alike. */
void target_wait(struct boot *b, enum cause cause, uint64_t now, const char *fmt, ...)
{
	char text[REPORT_TEXT_MAX];
	va_list ap;

	if (b->target.cause != CAUSE_NONE)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	report_wait(b->report, cause, "root", now, "%s", text);
}

/* Another reason than the root's keeps it from going on, and is told by who has it. */
static void wait_elsewhere(struct boot *b, uint64_t now)
{
	b->target.cause = CAUSE_NONE;
	report_wait(b->report, CAUSE_NONE, "root", now, "%s", "");
}

void target_note(struct boot *b, enum cause cause, const char *at, const char *text)
{
	struct target *t = &b->target;

	t->cause = cause;
	strscpy(t->where, at, sizeof(t->where));
	strscpy(t->why, text, sizeof(t->why));
}

/* Is it for want of an answer? Then the fabric may be the one to blame. */
static bool silent(enum cause cause)
{
	return cause == CAUSE_ROOT_UNREACHABLE || cause == CAUSE_ROOT_NO_RDMA || cause == CAUSE_FETCH_CONNECT ||
	       cause == CAUSE_FETCH_STALLED || cause == CAUSE_BLOCK_UNREACHABLE;
}

/* Server and path anew, from the rails in another order; a spare takes the static address. */
static void next_turn(struct boot *b, uint64_t now)
{
	b->target.turn++;
	b->target.turn_since = now;
	rails_next(b, now);
	/* What the command line names is the same over all rails, and bytes that are there are not fetched again. */
	if (!b->web || b->target.spec)
		target_begin_again(b, now);
}

void target_failed(struct boot *b, enum cause cause, const char *text, uint64_t now)
{
	struct target *t = &b->target;
	struct rail *rail = rails_find(b, t->ifindex);

	target_note(b, cause, where(b), text);
	if (silent(cause))
		rail_blame(b, rail, cause, t->where, now, text);
	else
		report_cause(b->report, cause, t->where, now, "%s", text);
	report_wait(b->report, cause, "root", now, "%s, trying %s", text,
		t->block && t->block->n_portals > 1 ? "the next server" : "again");
	target_block_next(b);
	if (!rail || now - t->turn_since < WAY_PATIENCE || !rails_other_ready(b, rail))
		return;
	rails_step_back(b, rail, now);
	next_turn(b, now);
}

static void pause_for(struct boot *b, uint64_t time, uint64_t now)
{
	set_state(b, TARGET_PAUSE, now);
	b->target.retry = now + time;
}

static void probe(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;
	int r = links_probe(b->links, &t->addr, PROBE_LIMIT, now);
	char addr[INET_ADDR_TEXT], text[REPORT_TEXT_MAX];

	inet_text(&t->addr, addr);
	set_state(b, TARGET_PROBING, now);
	t->ifindex = 0;
	if (r >= 0) {
		target_wait(b, CAUSE_ROOT_UNREACHABLE, now, "waiting for an answer of %s on the link", addr);
		return;
	}
	/* While the address is on its way, so is the route. */
	if (ipv6_awaited(b)) {
		target_wait(b, CAUSE_NO_ROUTE, now, "waiting for a route to %s", addr);
	} else if (r == -ENETUNREACH) {
		rail_no_route_text(b, text, sizeof(text));
		target_failed(b, CAUSE_NO_ROUTE, text, now);
	} else {
		target_failed(b, CAUSE_ROOT_UNREACHABLE, strerror(-r), now);
	}
	if (t->state == TARGET_PROBING)
		pause_for(b, RETRY_AFTER, now);
}

static void unresolved(struct boot *b, enum cause cause, const char *text, uint64_t now)
{
	target_failed(b, cause, text, now);
	if (b->target.state == TARGET_RESOLVING)
		pause_for(b, RETRY_AFTER, now);
}

static void resolve(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;
	int r = addresses_resolve(b->addresses, t->server, RESOLVE_LIMIT, now);

	/* Whoever's was under way before is dropped. */
	b->lookup = r < 0 ? LOOKUP_NONE : LOOKUP_TARGET;
	set_state(b, TARGET_RESOLVING, now);
	target_wait(b, CAUSE_ROOT_RESOLVE, now, "waiting for the address of %s", t->server);
	if (r < 0)
		unresolved(b, CAUSE_ROOT_RESOLVE, strerror(-r), now);
	else if (t->cause != CAUSE_NONE)
		addresses_resolve_all(b->addresses);
}

/* Rails have addresses: find out whom to mount from. If none of them says so, one that comes later may. */
static void identify(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;

	t->retry = NSEC_NEVER;
	if (!target_name(b, now))
		return;
	t->turn_since = t->turn_since ? t->turn_since : now;
	if (t->image || (t->block && !target_portal(b)))
		set_state(b, TARGET_NEAR, now);
	else if (given(&t->addr))
		probe(b, now);
	else
		resolve(b, now);
}

const struct inet_addr *target_next_address(struct boot *b, const char *name, const struct address_event *ev, uint64_t now)
{
	struct target *t = &b->target;
	const struct inet_addr *addr = walk_next(&t->walk, name, ev->addrs, ev->n_addrs);
	char text[INET_ADDR_TEXT];

	if (!inet_equal(addr, &t->told))
		report_log(b->report, REPORT_INFO, "root", now, "%s has the address %s", name, inet_text(addr, text));
	t->told = *addr;
	if (t->ways <= 1)
		t->ways = (unsigned)ev->n_addrs;
	return addr;
}

void target_resolved(struct boot *b, const struct address_event *ev, uint64_t now)
{
	struct target *t = &b->target;

	if (t->image)
		target_web_resolved(b, ev, now);
	if (t->state != TARGET_RESOLVING)
		return;
	if (!ev->n_addrs) {
		unresolved(b, ev->cause ? ev->cause : CAUSE_ROOT_RESOLVE, ev->text, now);
		return;
	}
	t->addr = *target_next_address(b, t->server, ev, now);
	probe(b, now);
}

void target_network_changed(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;

	if (t->state == TARGET_UNKNOWN || t->state == TARGET_PAUSE)
		t->retry = now;
}

/* On another rail they may be others. */
void target_begin_again(struct boot *b, uint64_t now)
{
	b->root = root_free(b->root);
	b->block = block_free(b->block);
	b->web = web_free(b->web);
	b->root_watched = -1;
	target_forget(b);
	b->target.ifindex = 0;
	set_state(b, TARGET_UNKNOWN, now);
	b->target.retry = now;
}

void target_rail_lost(struct boot *b, const struct rail *rail, uint64_t now)
{
	struct target *t = &b->target;
	bool mine = t->state == TARGET_MOUNTING && rail->ifindex == t->ifindex && rails_other_ready(b, rail);

	if (b->finished || b->root_up)
		return;
	if (mine && b->web)
		web_way_lost(b->web, now);
	else if (mine || t->state == TARGET_PROBING || t->state == TARGET_NEAR)
		target_begin_again(b, now);
}

void target_neighbour(struct boot *b, const struct link_event *ev, uint64_t now)
{
	struct target *t = &b->target;
	const struct rail *rail;
	char text[REPORT_TEXT_MAX];

	if (t->state != TARGET_PROBING || !inet_equal(&ev->addr, &t->addr))
		return;
	if (ev->type == LINK_NEIGH_REACHABLE) {
		if (t->cause == CAUSE_NONE)
			report_wait(b->report, CAUSE_NONE, "root", now, "%s", "");
		set_state(b, TARGET_NEAR, now);
		return;
	}
	rail = carrier_rail(b);
	t->ifindex = rail ? rail->ifindex : 0;
	rail_way_text(b, &t->addr, text, sizeof(text));
	target_failed(b, CAUSE_ROOT_UNREACHABLE, text, now);
	if (t->state == TARGET_PROBING)
		next_turn(b, now);
}

/* A link-local address with its interface (net/sunrpc/addr.c; inet_pton_with_scope() does the same for others). */
const char *target_address_text(struct boot *b, char text[static INET_ADDR_TEXT + IFNAMSIZ])
{
	const struct inet_addr *a = &b->target.addr;
	const struct rail *rail = carrier_rail(b);
	size_t len;

	inet_text(a, text);
	len = strlen(text);
	if (a->family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&a->v6) && rail)
		snprintf(text + len, INET_ADDR_TEXT + IFNAMSIZ - len, "%%%s", rail->name);
	return text;
}

/* A mount may take long: whoever looks meanwhile sees the boot up to here. And what writes it has been run once. */
void target_mounting(struct boot *b, const struct rail *rail, uint64_t now)
{
	struct target *t = &b->target;

	t->began = t->began ? t->began : now;
	t->ifindex = rail ? rail->ifindex : 0;
	set_state(b, TARGET_MOUNTING, now);
	(void)summary_write(b, "running", now);
}

void target_up(struct boot *b, uint64_t now)
{
	report_wait(b->report, CAUSE_NONE, "root", now, "%s", "");
	addresses_keep(b->addresses);
	b->outcome = BOOT_DONE;
	b->root_up = now;
}

enum cause target_failure(const struct boot *b, const char **ret_where, const char **ret_text)
{
	*ret_where = b->target.where;
	*ret_text = b->target.why;
	return b->target.cause;
}

bool target_modules_loaded(struct boot *b, uint64_t now)
{
	if (stage_vital_loaded(b))
		return true;
	report_wait(b->report, CAUSE_MODULE_STUCK, "root", now, "waiting for kernel modules to load");
	return false;
}

/* The rail with the way to the server, once it is ready for this kind of root. */
static void step_near(struct boot *b, uint64_t now)
{
	const struct rail *rail = carrier_rail(b);

	if (!rail)
		next_turn(b, now);
	else if (rail->state != RAIL_READY || addresses_awaited(b->addresses, rail->ifindex, b->target.addr.family))
		wait_elsewhere(b, now);
	else if (b->target.block)
		target_block_begin(b, rail, now);
	else
		target_nfs_begin(b, rail, now);
}

/* Without an address any rail that is ready will do: they have their turns. */
static const struct rail *any_ready(const struct boot *b)
{
	for (size_t i = 0; i < b->n_rails; i++) {
		const struct rail *rail = &b->rails[(b->target.turn + i) % b->n_rails];

		if (rail->state == RAIL_READY)
			return rail;
	}
	return NULL;
}

static void near(struct boot *b, uint64_t now)
{
	const struct rail *rail;

	if (!target_modules_loaded(b, now))
		return;
	if (!b->target.image && (!b->target.block || target_portal(b))) {
		step_near(b, now);
		return;
	}
	rail = any_ready(b);
	if (!rail)
		wait_elsewhere(b, now);
	else if (b->target.image)
		target_web_begin(b, now);
	else
		target_block_begin(b, rail, now);
}

static void mounting(struct boot *b, uint64_t now)
{
	if (b->web)
		target_web_step(b, now);
	else if (b->block)
		target_block_step(b, now);
	else
		target_nfs_step(b, now);
}

void target_step(struct boot *b, uint64_t now)
{
	struct target *t = &b->target;
	bool due;

	if (!b->root_up)
		target_judge_rdma(b, now);
	if (b->finished || b->root_up)
		return;
	if (t->state == TARGET_PAUSE && now >= t->retry)
		target_begin_again(b, now);
	due = now >= t->retry;
	switch (t->state) {
	case TARGET_UNKNOWN:
		if (due)
			identify(b, now);
		break;
	case TARGET_NEAR: near(b, now); break;
	case TARGET_MOUNTING: mounting(b, now); break;
	case TARGET_RESOLVING:
	case TARGET_PROBING:
	case TARGET_PAUSE:
	case TARGET_STATE_MAX: break;
	}
}
