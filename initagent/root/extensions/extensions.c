// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/extensions/extensions.h"

#include <limits.h>
#include <sys/stat.h>

#include "report/report.h"
#include "root/image/image.h"
#include "root/source/source.h"

/* So long without a byte that is new: a node that waits for nothing else has a root already. */
#define PATIENCE      (60 * NSEC_PER_SEC)
#define RESOLVE_LIMIT (10 * NSEC_PER_SEC)

struct extensions {
	const struct env *env;
	const struct boot_plan *plan;
	struct rails *rails;
	const struct source_ops *ops; /* of a root image; NULL: this build has none */
	bool begun;
	size_t at;	      /* the one at hand; all of them: it has ended */
	struct source *source; /* its fetch */
	unsigned turn;	       /* of the addresses of its server's name */
	/* what the fetch borrows */
	struct plan_image image;
	struct image_layer layer;
	char target[PATH_MAX];
	/* how far each step has come, and when the patience with it ends */
	const char *step;
	uint64_t best, began, until;
};

static const struct plan_extension *at_hand(const struct extensions *x)
{
	return &x->plan->extensions[x->at];
}

static const char *name_of(const struct extensions *x, char buf[static REPORT_NAME_MAX])
{
	snprintf(buf, REPORT_NAME_MAX, "%s %s", at_hand(x)->kind, at_hand(x)->name);
	return buf;
}

static uint64_t patience(const struct extensions *x)
{
	uint64_t half = x->plan->retry_s * NSEC_PER_SEC / 2;

	return half ? min_u64(PATIENCE, half) : PATIENCE;
}

static void end_source(struct extensions *x, int result, uint64_t now)
{
	char name[REPORT_NAME_MAX];

	if (!x->source)
		return;
	report_span(x->env->report, "extension", name_of(x, name), x->began, now, result);
	x->ops->end(x->source);
	x->source = NULL;
}

/* --- what is said ---------------------------------------------------------------------------- */

static void leave_out(struct extensions *x, enum cause why, const char *text, uint64_t now)
{
	const struct cause_info *info = cause_info(why);
	char name[REPORT_NAME_MAX];

	report_cause(x->env->report, CAUSE_EXTENSION_LEFT, name_of(x, name), now, "%s%s%s%s%s",
		why ? info->text : "", why ? " (" : "", why ? info->code : "", why ? "): " : "",
		text);
	end_source(x, -EIO, now);
}

static void show_step(struct extensions *x, uint64_t now)
{
	char name[REPORT_NAME_MAX], text[REPORT_TEXT_MAX];
	enum cause cause = x->ops->describe(x->source, text, sizeof(text));

	report_wait(x->env->report, cause, "extensions", now, "%s: %.200s", name_of(x, name), text);
}

/* --- the one at hand ------------------------------------------------------------------------- */

/* An earlier agent's work, which is a mount; another program's is not touched. */
static bool is_there(struct extensions *x, uint64_t now)
{
	char folder[PATH_MAX], name[REPORT_NAME_MAX];
	struct stat st, above;

	if (lstat(x->target, &st) < 0)
		return false;
	if (env_path(x->env, folder, sizeof(folder), "%s", at_hand(x)->folder) >= 0 &&
		stat(folder, &above) == 0 && above.st_dev != st.st_dev)
		report_log(x->env->report, REPORT_INFO, "extensions", now, "%s is there already",
			name_of(x, name));
	else
		leave_out(x, CAUSE_NONE, "something of that name is there already", now);
	return true;
}

/* Proved as the root would be, but for what is the root's alone: its digest, mirrors, cache. */
static void set_image(struct extensions *x)
{
	const struct plan_extension *e = at_hand(x);
	const struct plan_image *root = &x->plan->root.image;

	x->image = (struct plan_image){
		.url = e->url,
		.keys = root->keys,
		.n_keys = root->n_keys,
		.must_prove = e->must_prove || root->has_digest,
		.sums = e->sums,
		.unprovable = root->unprovable,
		.ca = root->ca,
		.insecure = root->insecure && root->n_keys,
		.proxy = root->proxy,
		.minmem_mib = root->minmem_mib,
	};
	x->layer = (struct image_layer){.part = true, .beside = true, .file = e->raw};
}

/* False: it is over before it has begun. */
static bool begin(struct extensions *x, uint64_t now)
{
	const struct plan_extension *e = at_hand(x);
	const struct root_choice choice = {.kind = PLAN_ROOT_LIVE, .image = &x->image};
	const struct source_config cfg = {.env = x->env, .plan = x->plan, .choice = &choice,
		.rails = x->rails, .sysroot = x->target, .layer = &x->layer};
	int r = env_path(x->env, x->target, sizeof(x->target), "%s/%s%s", e->folder, e->name,
		e->raw ? ".raw" : "");

	if (r >= 0 && is_there(x, now))
		return false;
	if (!x->ops || !e->url) {
		leave_out(x, CAUSE_NONE, x->ops ? "it is not known where the boot came from"
			: "this build fetches nothing", now);
		return false;
	}
	set_image(x);
	x->step = NULL;
	x->began = now;
	x->until = now + patience(x);
	r = r < 0 ? r : x->ops->begin(&x->source, &cfg, now);
	if (r < 0)
		leave_out(x, CAUSE_INTERNAL, strerror(-r), now);
	return r >= 0;
}

static void next(struct extensions *x, uint64_t now)
{
	do
		x->at++;
	while (x->at < x->plan->n_extensions && !begin(x, now));
	if (x->at == x->plan->n_extensions)
		report_wait_over(x->env->report, "extensions", now);
}

static void look_up(struct extensions *x, uint64_t now)
{
	const char *name = x->ops->lookup(x->source);
	int r = name ? rails_resolve(x->rails, RAILS_ASKER_EXTENSIONS, name, RESOLVE_LIMIT, now)
		: 0;

	if (r < 0)
		x->ops->resolved(x->source, NULL, strerror(-r), now);
	else if (name && x->source->cause != CAUSE_NONE)
		rails_resolve_all(x->rails, RAILS_ASKER_EXTENSIONS);
}

/* A server's refusal is final, as for systemd; what may be the network's is tried again. */
static void attempt_failed(struct extensions *x, uint64_t now)
{
	const struct source *s = x->source;
	char name[REPORT_NAME_MAX];

	if (s->cause == CAUSE_FETCH_STATUS || s->cause == CAUSE_SIGNATURE_MISSING) {
		leave_out(x, s->cause, s->text, now);
		next(x, now);
		return;
	}
	report_wait(x->env->report, s->cause, "extensions", now, "%s: %.200s, trying again",
		name_of(x, name), s->text);
}

static void there(struct extensions *x, uint64_t now)
{
	char name[REPORT_NAME_MAX];

	report_log(x->env->report, REPORT_INFO, "extensions", now, "%s: %s", name_of(x, name),
		x->source->text);
	end_source(x, 0, now);
	next(x, now);
}

static void take_event(struct extensions *x, enum source_event event, uint64_t now)
{
	switch (event) {
	case SOURCE_LOOKUP: look_up(x, now); break;
	case SOURCE_STEP: show_step(x, now); break;
	case SOURCE_FAILED: attempt_failed(x, now); break;
	case SOURCE_MOUNTED: there(x, now); break;
	case SOURCE_FATAL:
		leave_out(x, x->source->cause, x->source->text, now);
		next(x, now);
		break;
	default: break;
	}
}

static void take_events(struct extensions *x, uint64_t now)
{
	enum source_event event;

	while (x->source && (event = source_pop_event(x->source)) != SOURCE_NONE)
		take_event(x, event, now);
}

static void judge_patience(struct extensions *x, uint64_t now)
{
	struct source_progress p;
	enum cause cause = x->source->cause;

	x->ops->progress(x->source, &p);
	if (p.step != x->step || p.bytes > x->best) {
		x->step = p.step;
		x->best = p.bytes;
		x->until = now + patience(x);
	}
	if (now < x->until)
		return;
	leave_out(x, cause ? cause : CAUSE_FETCH_STALLED, *x->source->text ? x->source->text
		: "no answer", now);
	next(x, now);
}

/* --- the whole ------------------------------------------------------------------------------- */

int extensions_new(struct extensions **ret, const struct env *env, const struct boot_plan *plan,
	struct rails *rails)
{
	struct extensions *x = calloc(1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	*x = (struct extensions){.env = env, .plan = plan, .rails = rails,
		.ops = source_of(PLAN_ROOT_LIVE)};
	*ret = x;
	return 0;
}

struct extensions *extensions_free(struct extensions *x)
{
	if (x && x->source)
		x->ops->end(x->source);
	free(x);
	return NULL;
}

void extensions_begin(struct extensions *x, uint64_t now)
{
	if (x->begun || !x->plan->n_extensions)
		return;
	x->begun = true;
	if (!begin(x, now))
		next(x, now);
	take_events(x, now);
}

bool extensions_busy(const struct extensions *x)
{
	return x->source;
}

void extensions_stop(struct extensions *x, uint64_t now)
{
	for (; x->at < x->plan->n_extensions; x->at++)
		leave_out(x, CAUSE_TIMEOUT_TOTAL, "not there within rd.timeout", now);
}

int extensions_fd(const struct extensions *x)
{
	return x->source ? x->ops->fd(x->source) : -1;
}

uint64_t extensions_deadline(const struct extensions *x)
{
	return x->source ? min_u64(x->until, x->ops->deadline(x->source)) : NSEC_NEVER;
}

void extensions_dispatch(struct extensions *x, bool ready, uint64_t now)
{
	if (!x->source)
		return;
	if (ready || now >= x->ops->deadline(x->source))
		x->ops->dispatch(x->source, now);
	take_events(x, now);
	if (x->source)
		judge_patience(x, now);
	take_events(x, now);
}

void extensions_resolved(struct extensions *x, const struct address_event *ev, uint64_t now)
{
	const char *name = x->source ? x->ops->lookup(x->source) : NULL;
	const struct inet_addr *addr = name && ev->n_addrs
		? &ev->addrs[x->turn++ % ev->n_addrs] : NULL;

	if (!name)
		return;
	x->source->addresses = (unsigned)ev->n_addrs;
	x->ops->resolved(x->source, addr, ev->text, now);
	take_events(x, now);
}

void extensions_way_lost(struct extensions *x, uint64_t now)
{
	if (x->source)
		x->ops->way_lost(x->source, now);
}
