// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * modules: the room itself. It joins its parts: catalog (what exists), graph (what is needed and in
 * what order), pool (who loads), coldplug and uevent (for which hardware).
 */
#include "modules/modules.h"

#include <sched.h>
#include <sys/epoll.h>

#include "modules/catalog.h"
#include "modules/coldplug.h"
#include "modules/graph.h"
#include "modules/kmsg.h"
#include "modules/pool.h"
#include "modules/uevent.h"
#include "modules/loader.h"
#include "report/report.h"

/* Announcements taken per dispatch, so that a storm cannot keep the loop from its other work. */
#define UEVENT_BUDGET 256

struct modules {
	struct env env;
	struct catalog *catalog;
	struct graph graph;
	struct pool pool;
	struct modules_ops ops;
	int epoll;
	int uevent;
	int kmsg; /* in_process only: workers have their own */
	bool in_process;
	bool disks;
	bool backlog; /* something could be loaded, but no worker was free */
	bool rescan;  /* announcements were lost */
	bool stopped;
};

/* The product's way to load: libkmod unpacks where the kernel cannot, and calls finit_module. */
static int insert_file(void *data, const char *path, const char *options)
{
	struct kmod_ctx *kmod = data;
	struct kmod_module *mod;
	int r = kmod_module_new_from_path(kmod, path, &mod);

	if (r < 0)
		return r;
	r = kmod_module_insert_module(mod, 0, options);
	kmod_module_unref(mod);
	return r;
}

static int open_netlink(void *data)
{
	(void)data;
	return uevent_open();
}

/* One worker a CPU: loading is CPU work, and the pool grows by itself when a driver sleeps. */
static unsigned default_workers(void)
{
	cpu_set_t set;
	int n = 1;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
	return n < 1 ? 1 : n > 4 ? 4 : (unsigned)n;
}

static int open_parts(struct modules *m, const struct modules_config *cfg)
{
	unsigned workers = cfg->workers ? cfg->workers : default_workers();
	int r = catalog_new(&m->catalog, &m->env, cfg);

	if (r < 0)
		return r;
	if (cfg->ops)
		m->ops = *cfg->ops;
	else
		m->ops = (struct modules_ops){insert_file, open_netlink, catalog_kmod(m->catalog)};
	m->graph = (struct graph){.env = &m->env, .catalog = m->catalog,
		.several = workers > 1 && !m->in_process};
	m->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (m->epoll < 0)
		return -errno;
	if (m->in_process)
		m->kmsg = kmsg_open(&m->env);
	pool_init(&m->pool, &m->env, &m->ops, m->epoll, workers);
	return 0;
}

int modules_new(struct modules **ret, const struct env *env, const struct modules_config *cfg)
{
	_cleanup_(modules_freep) struct modules *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return -ENOMEM;
	m->env = *env;
	m->epoll = m->uevent = m->kmsg = -1;
	m->in_process = cfg->in_process;
	m->disks = cfg->disks;
	r = open_parts(m, cfg);
	if (r < 0)
		return r;
	*ret = m;
	m = NULL;
	return 0;
}

struct modules *modules_free(struct modules *m)
{
	if (!m)
		return NULL;
	pool_stop(&m->pool);
	graph_done(&m->graph);
	m->catalog = catalog_free(m->catalog);
	closep(&m->uevent);
	closep(&m->kmsg);
	closep(&m->epoll);
	free(m);
	return NULL;
}

/* A request by name that led to nothing: what the ledger says about it. */
static int refuse(struct modules *m, const char *name, enum catalog_answer answer, uint64_t now)
{
	char text[MODULE_TEXT_SIZE];

	if (answer == CATALOG_BARRED)
		return graph_refuse(&m->graph, name, CAUSE_MODULE_BLACKLISTED, -EPERM,
			"a blacklist line in modprobe.d forbids every module with this alias", now);
	if (answer == CATALOG_NO_INDEX) {
		snprintf(text, sizeof(text), "/lib/modules/%s/modules.dep.bin is not there",
			catalog_kver(m->catalog));
		return graph_refuse(&m->graph, name, CAUSE_MODULE_NO_INDEX, -ENOENT, text, now);
	}
	snprintf(text, sizeof(text), "no such module or alias in /lib/modules/%s",
		catalog_kver(m->catalog));
	return graph_refuse(&m->graph, name, CAUSE_MODULE_MISSING, -ENOENT, text, now);
}

static int request(struct modules *m, const char *name_or_alias, unsigned demand, uint64_t now)
{
	char plain[MODULE_NAME_SIZE];
	int r = catalog_plain_name(plain, name_or_alias);

	if (r < 0 || m->stopped)
		return r < 0 ? r : -ESHUTDOWN;
	r = graph_need(&m->graph, name_or_alias, demand, now);
	if (r < 0)
		return r;
	m->backlog = true;
	if (r == CATALOG_FOUND)
		return 0;
	if (catalog_live(m->catalog, plain))
		return graph_adopt(&m->graph, plain, now);
	return refuse(m, plain, (enum catalog_answer)r, now);
}

int modules_request(struct modules *m, const char *name_or_alias, uint64_t now)
{
	return request(m, name_or_alias, DEMAND_NAMED, now);
}

int modules_request_early(struct modules *m, const char *name_or_alias, uint64_t now)
{
	return request(m, name_or_alias, DEMAND_NAMED | DEMAND_EARLY, now);
}

int modules_request_alias(struct modules *m, const char *alias, uint64_t now)
{
	int r;

	if (!catalog_valid_alias(alias) || m->stopped)
		return m->stopped ? -ESHUTDOWN : -EINVAL;
	r = graph_need(&m->graph, alias, DEMAND_ALIAS | DEMAND_EARLY, now);
	if (r < 0)
		return r;
	m->backlog = true;
	return r == CATALOG_FOUND ? 0 : -ENOENT;
}

/* The index has nothing for it, or there is none. */
static void report_undriven(struct modules *m, const struct coldplug_device *dev, bool indexed,
	uint64_t now)
{
	char made[COLDPLUG_MADE_SIZE] = "";

	report_cause(m->env.report,
		indexed ? coldplug_no_driver(&m->env, made) : CAUSE_MODULE_NO_INDEX, dev->where,
		now, "%s%s", dev->modalias, made);
}

static void serve_device(struct modules *m, const struct coldplug_device *dev, uint64_t now)
{
	int r = graph_need(&m->graph, dev->modalias, DEMAND_DEVICE, now);

	if (r == CATALOG_FOUND) {
		report_log(m->env.report, REPORT_DEBUG, "modules", now, "device %s: %s", dev->where,
			dev->modalias);
		m->backlog = true;
	} else if (r == CATALOG_BARRED) {
		report_log(m->env.report, REPORT_INFO, "modules", now,
			"device %s: its drivers are blacklisted", dev->where);
	} else if (r < 0) {
		report_cause(m->env.report, CAUSE_INTERNAL, dev->where, now, "%s: %s",
			dev->modalias, strerror(-r));
	} else if (coldplug_must_have(dev) && !coldplug_has_driver(&m->env, dev)) {
		report_undriven(m, dev, r != CATALOG_NO_INDEX, now);
	}
}

static int scan_devices(struct modules *m, uint64_t now)
{
	_cleanup_free_ struct coldplug_device *list = NULL;
	int n = coldplug_scan(&m->env, m->disks, &list);

	for (int i = 0; i < n; i++)
		serve_device(m, &list[i], now);
	return n < 0 ? n : 0;
}

int modules_coldplug(struct modules *m, uint64_t now)
{
	struct epoll_event ev = {.events = EPOLLIN};
	const char *bare = catalog_bare(m->catalog);
	int r = 0, scanned;

	if (bare)
		report_log(m->env.report, REPORT_WARN, "modules", now,
			"%s: drivers are taken as built in", bare);
	/* The workers start while we look. */
	if (!m->in_process)
		pool_warm(&m->pool);
	/* Listen first, scan after: a device that appears in between is seen twice, not never. */
	if (m->uevent < 0) {
		m->uevent = m->ops.open_uevent(m->ops.data);
		if (m->uevent < 0)
			r = m->uevent;
		else if (epoll_ctl(m->epoll, EPOLL_CTL_ADD, m->uevent, &ev) < 0)
			r = -errno;
	}
	scanned = scan_devices(m, now);
	return r < 0 ? r : scanned;
}

int modules_fd(const struct modules *m)
{
	return m->epoll;
}

uint64_t modules_deadline(const struct modules *m)
{
	uint64_t again = m->stopped ? NSEC_NEVER : graph_deadline(&m->graph);

	if (m->stopped || !m->backlog)
		return m->rescan ? 0 : again;
	return m->in_process ? 0 : min_u64(again, pool_look_at(&m->pool));
}

static void take_results(struct modules *m, uint64_t now)
{
	struct load_result result;

	while (pool_next(&m->pool, &result)) {
		graph_finished(&m->graph, &result, now);
		m->backlog = true;
	}
}

static void take_uevents(struct modules *m, uint64_t now)
{
	struct coldplug_device dev;
	char buf[UEVENT_SIZE];
	struct uevent ev;

	for (unsigned i = 0; m->uevent >= 0 && i < UEVENT_BUDGET; i++) {
		int r = uevent_recv(m->uevent, buf, &ev);

		if (r == 0)
			return;
		if (r < 0) {
			/* ENOBUFS: some were lost; sysfs knows them all. */
			m->rescan = r == -ENOBUFS;
			return;
		}
		if (coldplug_from_uevent(&ev, m->disks, &dev))
			serve_device(m, &dev, now);
	}
}

/* Loads here and now; also the last resort when no process can be created. */
static void load_here(struct modules *m, const struct load_job *job, uint64_t now)
{
	struct load_result result;

	graph_started(&m->graph, job->id, now);
	loader_run(job, &m->ops, m->kmsg, &result);
	graph_finished(&m->graph, &result, now);
}

/* in_process: one module a call. */
void modules_start(struct modules *m, uint64_t now)
{
	struct load_job job;

	if (now < modules_deadline(m) || m->stopped)
		return;
	m->backlog = false;
	while (graph_next(&m->graph, pool_busy(&m->pool) == 0, &job, now) >= 0) {
		int r = m->in_process ? -ECHILD : pool_submit(&m->pool, &job, now);

		if (r == 0) {
			graph_started(&m->graph, job.id, now);
			continue;
		}
		m->backlog = true;
		if (r != -EAGAIN)
			load_here(m, &job, now);
		break;
	}
	pool_look(&m->pool, m->backlog && !m->in_process, now);
}

int modules_dispatch(struct modules *m, uint64_t now)
{
	int r = 0;

	/*
	 * Results before uevents: a driver's devices are announced before its load returns, so
	 * modules_settled() after this includes the devices.
	 */
	take_results(m, now);
	if (m->stopped)
		return 0;
	take_uevents(m, now);
	if (m->rescan) {
		m->rescan = false;
		r = scan_devices(m, now);
	}
	return r;
}

bool modules_pop_event(struct modules *m, struct module_event *ret)
{
	return graph_pop_event(&m->graph, ret);
}

bool modules_settled(const struct modules *m)
{
	return !m->rescan && !graph_unfinished(&m->graph, false);
}

const struct module_entry *modules_device_driver(const struct modules *m)
{
	return graph_unfinished(&m->graph, true);
}

const struct module_entry *modules_ledger(const struct modules *m, size_t *ret_n)
{
	return graph_entries(&m->graph, ret_n);
}

const struct module_entry *modules_find(const struct modules *m, const char *name)
{
	return graph_find(&m->graph, name);
}

unsigned modules_stop(struct modules *m)
{
	m->stopped = true;
	return pool_stop(&m->pool);
}

unsigned modules_processes(const struct modules *m)
{
	return m->pool.created;
}
