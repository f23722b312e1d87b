// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * target_block: a root on a block device of a server. Once the server is near and the port under the rail is ready the
 * block room does the rest; with several servers each failed attempt gives the next one its turn.
 */
#include "boot/boot_private.h"
#include "report/report.h"

void target_block_named(struct boot *b)
{
	stage_need_block(b, b->target.block);
}

void target_block_next(struct boot *b)
{
	struct target *t = &b->target;
	size_t n = t->block ? t->block->n_portals : 0, i = 1;

	while (i < n && block_refused(&t->refusals, (t->portal + i) % n))
		i++;
	t->portal = n ? (unsigned)((t->portal + i) % n) : 0;
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
	target_wait(b, block_waits_for(b->block), now, "%s", text);
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

	b->target.rounds = block_rounds(b->block);
	target_failed(b, cause, text, now);
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
	case BLOCK_EVENT_AGAIN: target_begin_again(b, now); break;
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
		.ways = t->ways,
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
	target_mounting(b, rail, now);
	target_block_step(b, now);
}
