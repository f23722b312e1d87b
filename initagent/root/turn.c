// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * turn: what follows a failed attempt, of whatever kind: who is to blame, and whose turn comes: the
 * next of the plan's servers, the next address of the server's name, which is looked up each time,
 * and after a while another rail that is ready.
 */
#include "root/private.h"

/* A mount that fails for longer gives the next rail its turn; sooner, the server may only just be
 * starting. */
#define WAY_PATIENCE (2 * NSEC_PER_SEC)

/* Is it for want of an answer? Then the fabric may be the one to blame. */
static bool is_silence(enum cause cause)
{
	return cause == CAUSE_ROOT_UNREACHABLE || cause == CAUSE_ROOT_NO_RDMA ||
		cause == CAUSE_FETCH_CONNECT || cause == CAUSE_FETCH_STALLED ||
		cause == CAUSE_BLOCK_UNREACHABLE || cause == CAUSE_BLOCK_NO_RDMA ||
		cause == CAUSE_ROOT_RESOLVE;
}

/* The rail over which a DNS server is asked; NULL: none is. */
static const struct rail *dns_rail(const struct target *t)
{
	struct link_route way = {0};
	size_t n;
	const struct rail *rail = rails_list(t->cfg.rails, &n);

	for (; n && !way.ifindex; n--, rail++) {
		const struct address_result *a =
			addresses_result(rails_addresses(t->cfg.rails), rail->ifindex);

		if (a && a->n_dns)
			(void)links_lookup(rails_links(t->cfg.rails), &a->dns[0], &way);
	}
	return rails_find(t->cfg.rails, way.ifindex);
}

void target_next_turn(struct target *t, uint64_t now)
{
	t->rail_turn++;
	t->rail_since = now;
	t->rail_failures = 0;
	rails_next(t->cfg.rails, now);
	/* What the command line names is the same over all rails, and bytes that are there are not
	 * fetched again. */
	if (!t->source || !t->ops->way_lost || t->spec)
		target_begin_again(t, now);
	else
		t->ops->way_lost(t->source, now);
}

static void blame_server(struct target *t, const struct rail *rail, enum cause cause,
	const char *where, const char *text, uint64_t now)
{
	target_note(t, cause, where, text);
	if (is_silence(cause))
		rails_blame(t->cfg.rails, cause == CAUSE_ROOT_RESOLVE ? dns_rail(t) : rail, cause,
			t->failure.where, now, text);
	else
		report_cause(t->report, cause, t->failure.where, now, "%s", text);
	report_wait(t->report, cause, "root", now, "%s, trying %s", text,
		t->server.servers > 1 ? "the next server" : "again");
}

/* All servers, or addresses of one, have their turns over a rail before the next rail has its: if
 * both went on together, a server could be asked over the same rail each time. */
static bool servers_left(const struct target *t)
{
	return t->rail_failures < t->ways;
}

void target_silent(struct target *t, const char *text, uint64_t now)
{
	target_failed(t, CAUSE_ROOT_UNREACHABLE, text, now);
	if (t->state != TARGET_PROBING)
		return;
	if (servers_left(t))
		target_begin_again(t, now);
	else
		target_next_turn(t, now);
}

void target_failed(struct target *t, enum cause cause, const char *text, uint64_t now)
{
	const struct rail *rail = rails_find(t->cfg.rails, t->ifindex);
	const char *where = *t->server.name ? t->server.name : "root";

	if (rail && rail->state == RAIL_LOST)
		/* no fault of the server; the interface has its cause and its wait */
		report_log(t->report, REPORT_DEBUG, "root", now, "%s: %s", where, text);
	else
		blame_server(t, rail, cause, where, text, now);
	if (t->ops && t->ops->next)
		t->server_turn = t->ops->next(&t->choice, &t->refusals, t->server_turn);
	t->rail_failures++;
	if (!rail || servers_left(t) || now - t->rail_since < WAY_PATIENCE ||
		!rails_other_ready(t->cfg.rails, rail))
		return;
	rails_step_back(t->cfg.rails, rail, now);
	target_next_turn(t, now);
}

const struct inet_addr *target_next_address(struct target *t, const char *name,
	const struct address_event *ev, uint64_t now)
{
	const struct inet_addr *addr = walk_next(&t->walk, name, ev->addrs, ev->n_addrs);
	char text[INET_ADDR_TEXT];

	if (!inet_equal(addr, &t->shown))
		report_log(t->report, REPORT_INFO, "root", now, "%s has the address %s", name,
			inet_text(addr, text));
	t->shown = *addr;
	if (t->ways <= 1)
		t->ways = (unsigned)ev->n_addrs;
	return addr;
}

/* --- no RDMA on this node -------------------------------------------------------------------- */

static const struct module_entry *failed_module(const struct target *t, const char *name)
{
	const struct module_entry *e = modules_find(t->cfg.modules, name);

	return e && (e->state == MODULE_FAILED || e->state == MODULE_BLOCKED) ? e : NULL;
}

/* Why there can be no RDMA: the protocol's module that failed, else another needed one, else the
 * link. False: there may be. */
static bool rdma_impossible(const struct target *t, const struct target_modules *modules,
	const char *protocol, enum cause *ret, const char **ret_where)
{
	const struct module_entry *e = failed_module(t, protocol);

	if (!e && !(modules->settled && rails_rdma_impossible(t->cfg.rails)))
		return false;
	e = e ? e : modules->failed;
	*ret = e && e->cause ? e->cause : CAUSE_RDMA_LINK_FAILED;
	*ret_where = e ? e->name : t->cfg.plan->net.rdma_links[0].name;
	return true;
}

void target_judge_rdma(struct target *t, const struct target_modules *modules, uint64_t now)
{
	const char *protocol =
		target_wants_rdma(t) ? t->ops->rdma_module(&t->choice, t->server_turn) : NULL;
	const char *where, *why;
	enum cause cause;

	if (!protocol || !rdma_impossible(t, modules, protocol, &cause, &where))
		return;
	why = t->ops->without_rdma(&t->choice, &t->refusals, &t->server_turn, &t->no_rdma);
	if (why) {
		target_end(t, cause, where, why);
	} else if (t->no_rdma) {
		report_log(t->report, REPORT_WARN, "root", now,
			"no RDMA device is available, falling back to TCP as allowed");
		rails_retry_ports(t->cfg.rails, now);
	} else {
		target_begin_again(t, now);
	}
}
