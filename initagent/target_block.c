// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target_block: a root on a block device of a server. Once the server is near and the port under the rail is ready the
 * block room does the rest; with several servers each failed attempt gives the next one its turn.
 */
#include "boot_private.h"

void target_block_named(struct boot *b)
{
	stage_need_block(b, b->target.block);
}

/* What causes are about. */
static const char *where(const struct boot *b)
{
	return *b->target.server ? b->target.server : b->target.block->name;
}

static void say_wait(struct boot *b, uint64_t now)
{
	char text[REPORT_TEXT_MAX];

	block_describe(b->block, text, sizeof(text));
	report_wait(b->report, block_waits_for(b->block), "root", now, "%s", text);
}

/* The ledger has a row for what was asked for; a file system that is built in needs none. */
static void look_at_module(struct boot *b, uint64_t now)
{
	const char *name = b->block && !b->finished ? block_module(b->block) : NULL;
	const struct module_entry *e = name ? modules_find(b->modules, name) : NULL;

	if (e && e->state > MODULE_LOADING)
		block_module_settled(b->block, now);
}

static void ask_module(struct boot *b, uint64_t now)
{
	if (modules_request(b->modules, block_module(b->block), now) < 0)
		block_module_settled(b->block, now);
}

static void mounted(struct boot *b, uint64_t now)
{
	const struct block_result *r = block_result(b->block);

	report_log(b->report, REPORT_INFO, "root", now, "%s on %s (%.0f MiB, %s%s%s) of %s %s%s%s over %s", r->fstype, r->device,
		(double)r->bytes / (1 << 20), r->readonly ? "read-only" : "read-write",
		r->overlay ? " under a writable layer" : "", r->adopted ? ", connected before" : "",
		r->kind, *r->server ? r->server : "target", *r->name ? ", " : "", r->name, r->proto);
	target_up(b, now);
}

static void failed(struct boot *b, uint64_t now)
{
	const char *text;
	enum cause cause = block_failure(b->block, &text);

	report_cause(b->report, cause, where(b), now, "%s", text);
	report_wait(b->report, cause, "root", now, "%s, trying %s", text,
		b->target.block->n_portals > 1 ? "the next server" : "again");
}

/* The same server again, or the next one, which may be known by name only and must be near. */
static void again(struct boot *b, uint64_t now)
{
	if (b->target.block->n_portals > 1) {
		b->target.portal = block_next(b->block);
		b->target.rounds = block_rounds(b->block);
		target_begin_again(b, now);
	} else if (block_start(b->block, now) < 0) {
		boot_fail(b, CAUSE_INTERNAL, where(b), now, "no process for the connection");
	}
}

static void block_event(struct boot *b, enum block_event event, uint64_t now)
{
	const char *text;
	enum cause cause = block_failure(b->block, &text);

	switch (event) {
	case BLOCK_EVENT_STEP: say_wait(b, now); break;
	case BLOCK_EVENT_MODULE: ask_module(b, now); break;
	case BLOCK_EVENT_MOUNTED: mounted(b, now); break;
	case BLOCK_EVENT_FAILED: failed(b, now); break;
	case BLOCK_EVENT_AGAIN: again(b, now); break;
	case BLOCK_EVENT_FATAL:
		boot_fail(b, cause, b->target.block->n_portals > 1 ? "all servers" : where(b), now, text);
		break;
	default: break;
	}
}

void target_block_step(struct boot *b, uint64_t now)
{
	enum block_event event;

	while (b->block && !b->finished && (event = block_pop_event(b->block)) != BLOCK_EVENT_NONE)
		block_event(b, event, now);
	look_at_module(b, now);
}

static bool readonly(const struct boot *b)
{
	return !(b->target.spec ? b->target.spec->rw : b->plan->root.rw);
}

void target_block_begin(struct boot *b, const struct rail *rail, uint64_t now)
{
	struct target *t = &b->target;
	struct block_config cfg = {
		.plan = t->block,
		.portal = target_portal(b),
		.address = "",
		.device = rail->device,
		.port = rail->port,
		.target = b->args->sysroot,
		.init = b->plan->given[OPTION_INIT] ? b->plan->init : NULL,
		.readonly = readonly(b),
		.overlay = b->plan->root.image.overlay.asked ? &b->plan->root.image.overlay : NULL,
		.node = target_node_number(b),
		.rounds = t->rounds,
		.refusals = &t->refusals,
	};
	int r;

	if (cfg.portal)
		cfg.address = target_address_text(b, t->address);
	rail_set_roce(b, rail, now);
	r = block_new(&b->block, &b->env, &cfg);
	if (r >= 0)
		r = block_start(b->block, now);
	if (r < 0) {
		boot_fail(b, r == -EOPNOTSUPP ? CAUSE_CMDLINE_ROOT_KIND : CAUSE_INTERNAL, where(b), now,
			r == -EOPNOTSUPP ? "this build has no block roots" : strerror(-r));
		return;
	}
	if (!t->began)
		t->began = now;
	t->ifindex = rail->ifindex;
	target_mounting(b, now);
	target_block_step(b, now);
}

/* SRP over InfiniBand knows its target by GUIDs: any port that is ready will do. */
void target_block_near(struct boot *b, uint64_t now)
{
	if (!stage_vital_loaded(b)) {
		report_wait(b->report, CAUSE_MODULE_FAILED, "root", now, "waiting for kernel modules to load");
		return;
	}
	for (size_t i = 0; i < b->n_rails; i++) {
		if (b->rails[i].state != RAIL_READY)
			continue;
		target_block_begin(b, &b->rails[i], now);
		return;
	}
	report_wait(b->report, CAUSE_NONE, "root", now, "%s", "");
}
