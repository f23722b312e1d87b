// SPDX-License-Identifier: GPL-2.0-or-later

#include "drivers.h"

#include "modules/modprobe.h"

/* How long one module may keep the named ones after it, and the addresses, waiting. */
#define NAMED_LIMIT    (20 * NSEC_PER_SEC)
/* How long rd.driver.post= waits for one driver of an adapter: where the hardware is not slow, all
 * of them together are loaded within 1 s. What the named ones need has the limit above. */
#define HARDWARE_LIMIT (3 * NSEC_PER_SEC)

enum stage {
	STAGE_PRE,	/* rd.driver.pre, one after the other, before hardware is looked at */
	STAGE_HARDWARE, /* cold plug and the protocols */
	STAGE_POST,	/* rd.driver.post, one after the other */
	STAGE_DONE,
};

struct drivers {
	struct drivers_config cfg;
	struct modules *modules;
	enum stage stage;
	size_t asked;	/* so many of the stage's names were asked for */
	uint64_t limit; /* when what is waited for no longer is; NSEC_NEVER: nothing is */
	const struct module_entry *driver; /* STAGE_HARDWARE: the limit is this one's */
	struct need needs[NEEDS_MAX];
	size_t n_root, n_needs; /* the root's own come first */
	char names[NEEDS_MAX][MODULE_NAME_SIZE]; /* of needs that a lease named, whose text goes */
};

/* --- what is needed -------------------------------------------------------------------------- */

static size_t add_need(struct need *needs, size_t n, struct need need)
{
	for (size_t i = 0; i < n; i++)
		if (streq(needs[i].module, need.module))
			return n;
	if (n < NEEDS_MAX)
		needs[n++] = need;
	return n;
}

/* Most kernels have it built in; without it there is still IPv4. */
static bool wants_ipv6(const struct plan_net *net)
{
	const unsigned six = PLAN_IP_DHCP6 | PLAN_IP_AUTO6 | PLAN_IP_EITHER6 | PLAN_IP_LINK6;

	for (size_t i = 0; i < net->n_ips; i++)
		if (net->ips[i].methods & six || net->ips[i].addr.family == AF_INET6)
			return true;
	return false;
}

/* Does every ip= name an interface that is made of others? Then the boot needs their drivers. */
static bool only_made(const struct plan_net *net)
{
	size_t n = 0;

	for (size_t i = 0; i < net->n_ips; i++)
		for (size_t k = 0; net->ips[i].ifname && k < net->n_links; k++)
			n += streq(net->links[k].name, net->ips[i].ifname);
	return n && n == net->n_ips;
}

size_t needs_of_plan(const struct boot_plan *plan, struct need ret[static NEEDS_MAX])
{
	const struct plan_net *net = &plan->net;
	size_t n = sources_needs(&plan->root, ret);

	/* A type that is not known is asked for by its alias, see request_links(). */
	for (size_t i = 0; i < net->n_rdma_links; i++) {
		const char *module = soft_link_module(net->rdma_links[i].type);

		if (module)
			n = add_need(ret, n,
				(struct need){module, false, "software RDMA (rd.rdma.link)"});
	}
	for (size_t i = 0; i < net->n_links; i++)
		if (plan_link_module(net->links[i].kind))
			n = add_need(ret, n, (struct need){plan_link_module(net->links[i].kind),
				only_made(net), "vlan=, bond= or bridge="});
	if (wants_ipv6(net))
		n = add_need(ret, n, (struct need){"ipv6", false, "IPv6"});
	return n;
}

/* --- life ------------------------------------------------------------------------------------ */

/*
 * The blacklist, last the modules that rd.driver.pre= and post= name: as with modprobe, one that is
 * asked for by name is loaded all the same, in its turn. Returns how many are before those.
 */
static size_t sort_blacklist(const struct plan_drivers *d, const char **ret)
{
	size_t n = 0, named = d->n_blacklist;

	for (size_t i = 0; i < d->n_blacklist; i++) {
		const char *name = d->blacklist[i];
		bool own = str_among(name, d->pre, d->n_pre) ||
			str_among(name, d->post, d->n_post);

		ret[own ? --named : n++] = name;
	}
	return n;
}

/* A Warewulf overlay may have scripts for them; udev may come later than this agent. */
static bool needs_disks(const struct drivers_config *cfg)
{
	const struct plan_root *root = &cfg->plan->root;

	return root->image.cache || root->kind == PLAN_ROOT_WWINIT ||
		(cfg->standalone && root->kind == PLAN_ROOT_BLOCK);
}

static int make_room(struct drivers *d)
{
	const struct plan_drivers *plan = &d->cfg.plan->drivers;
	_cleanup_free_ const char **blacklist = calloc(plan->n_blacklist + 1, sizeof(*blacklist));
	_cleanup_free_ struct module_param *params = calloc(plan->n_params + 2, sizeof(*params));
	struct modules_config cfg = {
		.blacklist = blacklist,
		.n_blacklist = plan->n_blacklist,
		.params = params,
		.n_params = plan->n_params + 1,
		.kver = d->cfg.kver,
		.disks = needs_disks(&d->cfg),
		.ops = d->cfg.ops,
	};

	if (!blacklist || !params)
		return -ENOMEM;
	cfg.n_barred = sort_blacklist(plan, blacklist);
	/* Without it bonding creates bond0 by itself. */
	params[0] = (struct module_param){"bonding", "max_bonds", "0", .fallback = true};
	for (size_t i = 0; i < plan->n_params; i++)
		params[i + 1] = (struct module_param){
			plan->params[i].module, plan->params[i].param, plan->params[i].value,
			false};
	if (d->cfg.standalone)
		modules_publish_blacklist(d->cfg.env, blacklist, cfg.n_blacklist);
	return modules_new(&d->modules, d->cfg.env, &cfg);
}

static void request(struct drivers *d, const char *name, bool early, uint64_t now)
{
	if ((early ? modules_request_early : modules_request)(d->modules, name, now) < 0)
		report_cause(d->cfg.env->report, CAUSE_MODULE_MISSING, name, now,
			"not a module name");
}

/* What is known to be needed is on its way while more is looked up. After an agent before, all may
 * be there. */
static void send_off(struct drivers *d, uint64_t now)
{
	if (!d->cfg.again)
		modules_start(d->modules, now);
}

/* Drivers of software RDMA links whose type only an alias names. */
static void request_links(struct drivers *d, uint64_t now)
{
	const struct plan_net *net = &d->cfg.plan->net;

	for (size_t i = 0; i < net->n_rdma_links; i++) {
		char alias[96];

		if (soft_link_module(net->rdma_links[i].type))
			continue;
		snprintf(alias, sizeof(alias), "rdma-link-%s", net->rdma_links[i].type);
		/* It may be built in, or come with rd.driver.post=: the kernel has the last
		 * word. */
		if (modules_request_alias(d->modules, alias, now) < 0)
			report_log(d->cfg.env->report, REPORT_INFO, net->rdma_links[i].name, now,
				"no module has the alias %s", alias);
	}
}

static void request_needs(struct drivers *d, bool early, uint64_t now)
{
	for (size_t i = early ? d->n_root : 0; i < (early ? d->n_needs : d->n_root); i++) {
		request(d, d->needs[i].module, early, now);
		send_off(d, now);
	}
}

static void begin_hardware(struct drivers *d, uint64_t now)
{
	int r = modules_coldplug(d->modules, now);

	d->stage = STAGE_HARDWARE;
	send_off(d, now);
	request_needs(d, true, now);
	request_links(d, now);
	request_needs(d, false, now);
	if (r < 0)
		report_cause(d->cfg.env->report, CAUSE_INTERNAL, "modules", now, "uevents: %s",
			strerror(-r));
}

/* Has its load ended, one way or the other? An alias has the names of its modules. */
static bool has_ended(const struct drivers *d, const char *name)
{
	const struct module_entry *e = modules_find(d->modules, name);

	return e ? e->state > MODULE_LOADING : modules_settled(d->modules);
}

/* Is the wait for a module over, because it has ended or for its limit? */
static bool wait_over(struct drivers *d, const char *name, bool ended, uint64_t now)
{
	if (!ended && now < d->limit) {
		report_wait(d->cfg.env->report, CAUSE_MODULE_STUCK, "modules", now,
			"waiting for kernel module %s to load", name);
		return false;
	}
	report_wait_over(d->cfg.env->report, "modules", now);
	d->limit = NSEC_NEVER;
	return true;
}

/* Whether the last name that was asked for may be left behind. */
static bool may_go_on(struct drivers *d, const char *name, uint64_t now)
{
	bool ended = has_ended(d, name);

	if (!wait_over(d, name, ended, now))
		return false;
	if (!ended)
		report_cause(d->cfg.env->report, CAUSE_MODULE_STUCK, name, now,
			"the boot continues without it");
	return true;
}

/* Whether the drivers of adapters may be: one that is slow is not stuck. */
static bool may_begin_post(struct drivers *d, uint64_t now)
{
	const struct module_entry *e =
		d->cfg.plan->drivers.n_post ? modules_device_driver(d->modules) : NULL;

	if (e != d->driver)
		d->limit = now + HARDWARE_LIMIT;
	d->driver = e;
	if (!wait_over(d, e ? e->name : "", !e, now))
		return false;
	if (e)
		report_log(d->cfg.env->report, REPORT_INFO, e->name, now,
			"still loading; rd.driver.post= does not wait for it");
	return true;
}

/* Loads the names in their order, each when the one before has ended. True: all have. */
static bool load_in_order(struct drivers *d, const char *const *names, size_t n, uint64_t now)
{
	while (!d->asked || may_go_on(d, names[d->asked - 1], now)) {
		if (d->asked == n) {
			d->asked = 0;
			return true;
		}
		d->limit = now + NAMED_LIMIT;
		request(d, names[d->asked++], true, now);
	}
	return false;
}

static void advance(struct drivers *d, uint64_t now)
{
	const struct plan_drivers *plan = &d->cfg.plan->drivers;

	if (d->stage == STAGE_PRE && load_in_order(d, plan->pre, plan->n_pre, now))
		begin_hardware(d, now);
	if (d->stage == STAGE_HARDWARE && may_begin_post(d, now))
		d->stage = STAGE_POST;
	if (d->stage == STAGE_POST && load_in_order(d, plan->post, plan->n_post, now))
		d->stage = STAGE_DONE;
}

int drivers_new(struct drivers **ret, const struct drivers_config *cfg, uint64_t now)
{
	_cleanup_(drivers_freep) struct drivers *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return -ENOMEM;
	d->cfg = *cfg;
	r = make_room(d);
	if (r < 0)
		return r;
	d->n_root = sources_needs(&cfg->plan->root, d->needs);
	d->n_needs = needs_of_plan(cfg->plan, d->needs);
	d->limit = NSEC_NEVER;
	advance(d, now);
	send_off(d, now);
	*ret = d;
	d = NULL;
	return 0;
}

struct drivers *drivers_free(struct drivers *d)
{
	unsigned busy;

	if (!d)
		return NULL;
	busy = d->modules ? modules_stop(d->modules) : 0;
	if (busy)
		report_log(d->cfg.env->report, REPORT_WARN, "modules", now_ns(),
			"kernel module loads still running: %u", busy);
	modules_freep(&d->modules);
	free(d);
	return NULL;
}

struct modules *drivers_modules(const struct drivers *d)
{
	return d->modules;
}

void drivers_need(struct drivers *d, const struct need *needs, size_t n, uint64_t now)
{
	for (size_t i = 0; i < n; i++) {
		size_t before = d->n_needs;

		d->n_needs = add_need(d->needs, before, needs[i]);
		if (d->n_needs == before)
			continue;
		strscpy(d->names[before], needs[i].module, sizeof(d->names[before]));
		d->needs[before].module = d->names[before];
		request(d, needs[i].module, false, now);
	}
}

/* Is it a vital one? Waiting cannot bring what failed. */
static const struct need *vital_need(const struct drivers *d, const char *module)
{
	for (size_t i = 0; i < d->n_needs; i++)
		if (streq(d->needs[i].module, module) && d->needs[i].vital)
			return &d->needs[i];
	return NULL;
}

bool drivers_step(struct drivers *d, uint64_t now, enum cause *ret_cause,
	char where[static REPORT_NAME_MAX], char text[static REPORT_TEXT_MAX])
{
	const struct need *need;
	struct module_event ev;

	while (modules_pop_event(d->modules, &ev)) {
		/* The modules room has reported it. */
		need = ev.type == MODULE_EVENT_FAILED ? vital_need(d, ev.entry.name) : NULL;
		if (!need)
			continue;
		*ret_cause = ev.entry.cause ? ev.entry.cause : CAUSE_MODULE_FAILED;
		strscpy(where, ev.entry.name, REPORT_NAME_MAX);
		snprintf(text, REPORT_TEXT_MAX, "%s, needed for %s", ev.entry.text, need->why);
		return false;
	}
	advance(d, now);
	return true;
}

uint64_t drivers_deadline(const struct drivers *d)
{
	return min_u64(modules_deadline(d->modules), d->limit);
}

bool drivers_named(const struct drivers *d)
{
	return d->stage == STAGE_DONE;
}

bool drivers_settled(const struct drivers *d)
{
	return d->stage == STAGE_DONE && modules_settled(d->modules);
}

void drivers_state(const struct drivers *d, struct target_modules *ret)
{
	*ret = (struct target_modules){.vital_loaded = true, .settled = drivers_settled(d)};
	for (size_t i = 0; i < d->n_needs; i++) {
		const struct module_entry *e = modules_find(d->modules, d->needs[i].module);

		if (e && e->state <= MODULE_LOADING)
			ret->vital_loaded = false;
		if (e && !ret->failed && (e->state == MODULE_FAILED || e->state == MODULE_BLOCKED))
			ret->failed = e;
	}
}
