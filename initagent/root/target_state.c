// SPDX-License-Identifier: GPL-2.0-or-later
/* target_state: what the parts of the target stand on: its state, its name, the source at work,
 * what it says to the boot and to the console. */
#include "root/private.h"

#include <stdarg.h>

static const char *const state_names[TARGET_STATE_MAX] = {
	[TARGET_UNKNOWN] = "unknown",
	[TARGET_RESOLVING] = "resolving",
	[TARGET_PROBING] = "probing",
	[TARGET_NEAR] = "near",
	[TARGET_AT_WORK] = "mounting",
	[TARGET_PAUSE] = "waiting to try again",
};

/* Nothing is due in the new state: one that looks again by the clock sets retry afterwards. */
void target_set_state(struct target *t, enum target_state to, uint64_t now)
{
	if (t->state != to)
		report_state(t->report, "target", t->server.name, state_names[t->state],
			state_names[to], now);
	t->state = to;
	t->retry = NSEC_NEVER;
}

void target_emit(struct target *t, enum target_event_type type)
{
	if (t->n_events < TARGET_EVENTS)
		t->events[t->n_events++] = (struct target_event){.type = type};
}

void target_end(struct target *t, enum cause cause, const char *where, const char *text)
{
	struct target_event *ev;

	if (t->ended)
		return;
	t->ended = true;
	target_emit(t, TARGET_FAILED);
	/* Where there was no room, the last one gives its place. */
	ev = &t->events[t->n_events - 1];
	ev->type = TARGET_FAILED;
	ev->cause = cause;
	strscpy(ev->where, where, sizeof(ev->where));
	strscpy(ev->text, text, sizeof(ev->text));
}

void target_note(struct target *t, enum cause cause, const char *where, const char *text)
{
	t->failure.cause = cause;
	strscpy(t->failure.where, where, sizeof(t->failure.where));
	strscpy(t->failure.text, text, sizeof(t->failure.text));
}

/* Once something has failed, that is what the console shows until the root is there: the steps of
 * each attempt are all alike. */
void target_wait(struct target *t, enum cause cause, uint64_t now, const char *fmt, ...)
{
	char text[REPORT_TEXT_MAX];
	va_list ap;

	if (t->failure.cause != CAUSE_NONE)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	report_wait(t->report, cause, "root", now, "%s", text);
}

void target_choose(struct target *t, enum plan_root_kind kind, const struct plan_nfs *nfs,
	const struct plan_image *image, const struct plan_block *block)
{
	t->choice = (struct root_choice){
		.kind = kind,
		.nfs = kind == PLAN_ROOT_NFS ? nfs : NULL,
		.image = plan_is_fetched(kind) ? image : NULL,
		.wwinit = kind == PLAN_ROOT_WWINIT ? &t->cfg.plan->root.wwinit : NULL,
		.block = kind == PLAN_ROOT_REMOTE || kind == PLAN_ROOT_BLOCK ? block : NULL,
	};
	t->ops = source_of(kind);
}

void target_forget(struct target *t)
{
	const struct plan_root *root = &t->cfg.plan->root;

	root_spec_freep(&t->spec);
	t->spec = NULL;
	target_choose(t, root->kind, &root->nfs, &root->image, &root->block);
}

void target_end_source(struct target *t)
{
	if (t->source)
		t->ops->end(t->source);
	t->source = NULL;
	t->asked = 0;
}

/* What it is called may be different on another rail. */
void target_begin_again(struct target *t, uint64_t now)
{
	target_end_source(t);
	target_forget(t);
	t->ifindex = 0;
	target_set_state(t, TARGET_UNKNOWN, now);
	t->retry = now;
}

bool target_wants_rdma(const struct target *t)
{
	return t->ops && t->ops->rdma_module && t->ops->rdma_module(&t->choice, t->server_turn) &&
		!t->no_rdma;
}

const struct rail *target_carrier_rail(const struct target *t)
{
	struct link_route way;

	if (links_lookup(rails_links(t->cfg.rails), &t->server.addr, &way) < 0)
		return NULL;
	return rails_find(t->cfg.rails, way.ifindex);
}
