// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stage: asks the modules room for what the plan needs, in dracut's order (pre, hardware, post), and
 * says when something vital will never come.
 */
#include "boot_private.h"
#include "modules/helper.h"
#include "report/report.h"

/*
 * The blacklist without the modules that rd.driver.pre and post name: as with modprobe, a
 * module asked for by name is loaded all the same.
 */
static size_t effective_blacklist(const struct plan_drivers *d, const char **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_blacklist; i++) {
		bool named = false;

		for (size_t k = 0; k < d->n_pre; k++)
			named |= streq(d->pre[k], d->blacklist[i]);
		for (size_t k = 0; k < d->n_post; k++)
			named |= streq(d->post[k], d->blacklist[i]);
		if (!named)
			ret[n++] = d->blacklist[i];
	}
	return n;
}

static int make_room(struct boot *b)
{
	const struct plan_drivers *d = &b->plan->drivers;
	const char *blacklist[PLAN_LIST_MAX];
	struct module_param params[PLAN_LIST_MAX];
	struct modules_config cfg = {
		.blacklist = blacklist,
		.params = params,
		.kver = b->args->seams.kver,
		.disks = b->plan->root.image.cache,
		.ops = b->args->seams.modules,
	};

	cfg.n_blacklist = effective_blacklist(d, blacklist);
	cfg.n_params = d->n_params;
	for (size_t i = 0; i < d->n_params; i++)
		params[i] = (struct module_param){
			d->params[i].module, d->params[i].param, d->params[i].value};
	if (b->args->standalone && cfg.n_blacklist)
		modules_publish_blacklist(&b->env, blacklist, cfg.n_blacklist);
	return modules_new(&b->modules, &b->env, &cfg);
}

static void request(struct boot *b, const char *name, uint64_t now)
{
	if (modules_request(b->modules, name, now) < 0)
		report_cause(b->report, CAUSE_MODULE_MISSING, name, now, "not a module name");
}

/* What is known to be needed is on its way while more is looked up. After an agent before, all may be there. */
static int hurry(struct boot *b, uint64_t now)
{
	return b->run.restarts ? 0 : modules_dispatch(b->modules, now);
}

static void begin_hardware(struct boot *b, uint64_t now)
{
	int r = modules_coldplug(b->modules, now);

	b->stage = STAGE_HARDWARE;
	if (r >= 0)
		r = hurry(b, now);
	for (size_t i = 0; i < b->n_needs; i++) {
		request(b, b->needs[i].module, now);
		r = r < 0 ? r : hurry(b, now);
	}
	soft_links_request(b, now);
	if (r < 0)
		report_cause(b->report, CAUSE_INTERNAL, "modules", now, "uevents: %s", strerror(-r));
}

int stage_begin(struct boot *b, uint64_t now)
{
	int r = make_room(b);

	if (r < 0)
		return r;
	b->n_needs = needs_of_plan(b->plan, b->needs);
	b->stage = STAGE_PRE;
	for (size_t i = 0; i < b->plan->drivers.n_pre; i++)
		request(b, b->plan->drivers.pre[i], now);
	stage_step(b, now);
	return hurry(b, now);
}

static const struct need *find_need(const struct boot *b, const char *module)
{
	for (size_t i = 0; i < b->n_needs; i++)
		if (streq(b->needs[i].module, module))
			return &b->needs[i];
	return NULL;
}

/*
 * A module that failed. The room has reported it; what is left is to end the boot when it is a vital
 * one, since waiting cannot bring it.
 */
static void module_failed(struct boot *b, const struct module_entry *e, uint64_t now)
{
	const struct need *need = find_need(b, e->name);
	char text[MODULE_TEXT_SIZE + 64];

	if (!need || !need->vital)
		return;
	snprintf(text, sizeof(text), "%s, needed for %s", e->text, need->why);
	boot_fail(b, e->cause ? e->cause : CAUSE_MODULE_FAILED, e->name, now, text);
}

static void take_events(struct boot *b, uint64_t now)
{
	struct module_event ev;

	while (modules_pop_event(b->modules, &ev))
		if (ev.type == MODULE_EVENT_FAILED)
			module_failed(b, &ev.entry, now);
}

void stage_step(struct boot *b, uint64_t now)
{
	take_events(b, now);
	if (b->stage == STAGE_PRE && modules_settled(b->modules))
		begin_hardware(b, now);
	if (b->stage == STAGE_HARDWARE && modules_devices_settled(b->modules)) {
		b->stage = STAGE_POST;
		for (size_t i = 0; i < b->plan->drivers.n_post; i++)
			request(b, b->plan->drivers.post[i], now);
	}
}

void stage_need_image(struct boot *b)
{
	const char *name;

	for (size_t i = 0; (name = image_modules(i)) && b->n_needs < NEEDS_MAX; i++) {
		if (find_need(b, name))
			continue;
		b->needs[b->n_needs++] = (struct need){name, false, "a root image"};
		request(b, name, now_ns());
	}
}

void stage_need_block(struct boot *b, const struct plan_block *block)
{
	struct need needs[NEEDS_MAX];
	size_t n = needs_of_block(block, b->plan->root.image.overlay.asked, needs);

	for (size_t i = 0; i < n && b->n_needs < NEEDS_MAX; i++) {
		if (find_need(b, needs[i].module))
			continue;
		b->needs[b->n_needs++] = needs[i];
		request(b, needs[i].module, now_ns());
	}
}

bool stage_settled(const struct boot *b)
{
	return b->stage == STAGE_POST && modules_settled(b->modules);
}

bool stage_vital_loaded(const struct boot *b)
{
	for (size_t i = 0; i < b->n_needs; i++) {
		const struct module_entry *e = modules_find(b->modules, b->needs[i].module);

		if (e && e->state <= MODULE_LOADING)
			return false;
	}
	return true;
}
