// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fabric: the room itself: keeps the port list true to sysfs and says what changed. Every source of
 * change (uevent, verbs event, timer) only says "look again"; the state is always what sysfs
 * shows, so a lost or doubled event does no harm.
 */
#include "fabric/private.h"

#include <sys/epoll.h>

#include "modules/uevent.h"
#include "report/report.h"

/* Per dispatch, so that a flapping port cannot keep the loop from its other work. */
#define EVENT_BUDGET 256

static int open_sources(struct fabric *f)
{
	struct epoll_event ev = {.events = EPOLLIN};

	f->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (f->epoll < 0)
		return -errno;
	f->uevent = f->ops->open_uevent(f->ops->data);
	if (f->uevent < 0)
		return f->uevent;
	if (epoll_ctl(f->epoll, EPOLL_CTL_ADD, f->uevent, &ev) < 0)
		return -errno;
	return 0;
}

int fabric_new(struct fabric **ret, const struct env *env, const struct fabric_ops *ops)
{
	_cleanup_(fabric_freep) struct fabric *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return -ENOMEM;
	f->env = *env;
	f->ops = ops ? ops : &fabric_real_ops;
	f->epoll = f->uevent = -1;
	f->next_look = NSEC_NEVER;
	f->period = FABRIC_POLL_MIN;
	r = open_sources(f);
	if (r < 0)
		return r;
	f->watches.ops = f->ops;
	f->watches.epoll = f->epoll;
	port_queries_init(&f->queries, &f->env, f->ops->mad, f->epoll);
	*ret = f;
	f = NULL;
	return 0;
}

struct fabric *fabric_free(struct fabric *f)
{
	if (!f)
		return NULL;
	watch_close(&f->watches, NULL);
	port_queries_done(&f->queries);
	closep(&f->uevent);
	closep(&f->epoll);
	free(f->ports);
	free(f->pending);
	free(f);
	return NULL;
}

int fabric_fd(const struct fabric *f)
{
	return f->epoll;
}

uint64_t fabric_deadline(const struct fabric *f)
{
	return f->closed ? NSEC_NEVER : min_u64(f->next_look, port_queries_deadline(&f->queries));
}

const struct fabric_port *fabric_ports(const struct fabric *f, size_t *ret_n)
{
	*ret_n = f->n;
	return f->ports;
}

const struct fabric_port *fabric_find(const struct fabric *f, const char *device, unsigned port)
{
	for (size_t i = 0; i < f->n; i++)
		if (streq(f->ports[i].device, device) && (!port || f->ports[i].port == port))
			return &f->ports[i];
	return NULL;
}

static bool passes_gate(const struct fabric_port *p)
{
	char text[128];

	return p && fabric_gate(p, text, sizeof(text)) == CAUSE_NONE;
}

static void tell_ready(struct fabric *f, const struct fabric_port *p, uint64_t now)
{
	if (p->link_layer == LINK_LAYER_ETHERNET)
		report_log(f->env.report, REPORT_INFO, p->name, now, "port ready on %s, %s",
			*p->netdev ? p->netdev : "no netdev", p->rate);
	else
		report_log(f->env.report, REPORT_INFO, p->name, now,
			"port ready, LID %u, SM LID %u, %s", p->lid, p->sm_lid, p->rate);
}

/* The one place where a port's state is told. was NULL: it is new; is NULL: it is gone. */
static void tell_state(
	struct fabric *f, const struct fabric_port *was, const struct fabric_port *is, uint64_t now)
{
	const struct fabric_port *p = is ? is : was;

	if (was && is && was->phys != is->phys)
		report_log(f->env.report, REPORT_DEBUG, p->name, now, "phys state %s -> %s",
			port_phys_name(was->phys), port_phys_name(is->phys));
	if (!was || !is || was->state != is->state)
		report_state(f->env.report, "fabric", p->name,
			was ? port_state_name(was->state) : "absent",
			is ? port_state_name(is->state) : "gone", now);
	if (passes_gate(is) && !passes_gate(was))
		tell_ready(f, is, now);
}

/*
 * Every port as it is now to the port queries, which ask what is to be asked. What it learned may
 * be the last thing the gate waited for.
 */
static void ask_about_ports(struct fabric *f, uint64_t now)
{
	for (size_t i = 0; i < f->n; i++) {
		bool passed = passes_gate(&f->ports[i]);

		port_queries_update(&f->queries, &f->ports[i], now);
		if (!passed && passes_gate(&f->ports[i]))
			tell_ready(f, &f->ports[i], now);
	}
}

/* Everything a caller may act on; text fields included, padding not. */
static bool same_port(const struct fabric_port *a, const struct fabric_port *b)
{
	return a->state == b->state && a->phys == b->phys && a->lid == b->lid &&
	       a->sm_lid == b->sm_lid && a->lmc == b->lmc && a->guid == b->guid &&
	       a->link_layer == b->link_layer && streq(a->netdev, b->netdev) &&
	       streq(a->rate, b->rate) && a->verbs_events == b->verbs_events;
}

static int find_index(const struct fabric_port *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (streq(list[i].name, name))
			return (int)i;
	return -1;
}

/* Carries a known port over into the new list, or marks it as added. */
static void match(
	struct fabric *f, const struct fabric_port *fresh, struct pending *mark, uint64_t now)
{
	int old = find_index(f->ports, f->n, fresh->name);

	if (old < 0) {
		mark->added = true;
		tell_state(f, NULL, fresh, now);
		return;
	}
	*mark = f->pending[old];
	if (same_port(&f->ports[old], fresh))
		return;
	mark->changed = true;
	tell_state(f, &f->ports[old], fresh, now);
}

/* Ports the new list lacks. One whose arrival was never an event goes without one. */
static void bury_missing(struct fabric *f, const struct fabric_port *list, size_t n, uint64_t now)
{
	for (size_t i = 0; i < f->n; i++) {
		if (find_index(list, n, f->ports[i].name) >= 0)
			continue;
		tell_state(f, &f->ports[i], NULL, now);
		port_queries_forget(&f->queries, f->ports[i].name);
		watch_close(&f->watches, f->ports[i].device);
		if (!f->pending[i].added && f->n_gone < PORTS_MAX)
			f->gone[f->n_gone++] = f->ports[i];
	}
}

/*
 * Whether the netdev under an Ethernet port is still there. Its removal waits for our context to be
 * closed, while sysfs has lost its folder already.
 */
static bool netdev_is_leaving(const struct fabric *f, const struct fabric_port *p)
{
	return p->link_layer == LINK_LAYER_ETHERNET && *p->netdev &&
	       !env_exists(&f->env, "/sys/class/net/%s", p->netdev);
}

/* Said once a port, which is polled from then on. */
static void look_for_provider(
	struct fabric *f, struct fabric_port *p, bool has_uverbs, uint64_t now)
{
	const struct fabric_port *old = fabric_find(f, p->device, p->port);
	char driver[64];

	p->no_provider = has_uverbs && f->ops->verbs_lacks &&
			 f->ops->verbs_lacks(f->ops->data, p->device);
	if (!p->no_provider || (old && old->no_provider))
		return;
	fabric_driver(&f->env, p->device, driver, sizeof(driver));
	report_log(f->env.report, REPORT_INFO, p->name, now,
		"no libibverbs provider for %s in this program: polling instead", driver);
}

static bool try_watch(struct fabric *f, struct fabric_port *p, uint64_t now)
{
	/* Before it is opened: a node that comes in between is not missed, but met again. */
	bool has_uverbs = ports_have_uverbs(&f->env, p->device);
	int r;

	if (netdev_is_leaving(f, p))
		watch_close(&f->watches, p->device);
	if (f->closed || netdev_is_leaving(f, p))
		return false;
	if (watch_has(&f->watches, p->device))
		return true;
	r = watch_open(&f->watches, p->device);
	if (r == -ENODEV)
		look_for_provider(f, p, has_uverbs, now);
	else if (r < 0)
		report_log(f->env.report, REPORT_DEBUG, p->name, now,
			"no verbs events (%s), polling instead", strerror(-r));
	return r == 0;
}

/* The timer runs only for ports without verbs events. */
static void set_timer(struct fabric *f, uint64_t now)
{
	bool needed = false;

	for (size_t i = 0; i < f->n; i++)
		needed |= !f->ports[i].verbs_events;
	f->next_look = needed ? now + f->period : NSEC_NEVER;
}

int fabric_rescan(struct fabric *f, uint64_t now)
{
	_cleanup_free_ struct fabric_port *list = NULL;
	struct pending *marks;
	int n = ports_scan(&f->env, &list);

	if (n < 0)
		return n;
	if (n == PORTS_MAX && !f->full)
		report_log(f->env.report, REPORT_WARN, "fabric", now,
			"only %d RDMA ports are looked at: further ones are ignored", n);
	f->full = n == PORTS_MAX;
	marks = calloc((size_t)n + 1, sizeof(*marks));
	if (!marks)
		return -ENOMEM;
	bury_missing(f, list, (size_t)n, now);
	for (int i = 0; i < n; i++) {
		list[i].verbs_events = try_watch(f, &list[i], now);
		/* What happened before the context was open is only in sysfs: read again. */
		if (list[i].verbs_events)
			(void)ports_read(&f->env, &list[i]);
		port_queries_fill(&f->queries, &list[i]);
		match(f, &list[i], &marks[i], now);
	}
	free(f->ports);
	free(f->pending);
	f->ports = list;
	f->pending = marks;
	f->n = (size_t)n;
	list = NULL;
	f->period = FABRIC_POLL_MIN;
	set_timer(f, now);
	fabric_describe_ports(f, now);
	ask_about_ports(f, now);
	return 0;
}

/* Looks at port i again. Returns true when something about it changed. */
static bool look_at(struct fabric *f, size_t i, uint64_t now)
{
	struct fabric_port fresh = f->ports[i];

	if (ports_read(&f->env, &fresh) < 0)
		return false; /* going: its uevent brings a rescan */
	if (netdev_is_leaving(f, &fresh)) {
		watch_close(&f->watches, fresh.device);
		fresh.verbs_events = false;
	}
	if (same_port(&f->ports[i], &fresh))
		return false;
	tell_state(f, &f->ports[i], &fresh, now);
	f->ports[i] = fresh;
	f->pending[i].changed = true;
	return true;
}

static void look_at_device(struct fabric *f, const char *device, bool tables, uint64_t now)
{
	for (size_t i = 0; i < f->n; i++) {
		if (!streq(f->ports[i].device, device))
			continue;
		look_at(f, i, now);
		f->pending[i].changed |= tables;
	}
}

/* Returns whether the list must be read again. */
static bool take_verbs_events(struct fabric *f, uint64_t now)
{
	struct verbs_event ev;
	const char *device;
	bool rescan = false;

	for (unsigned i = 0; i < EVENT_BUDGET && watch_next(&f->watches, &device, &ev); i++) {
		char name[64];

		(void)strscpy(name, device, sizeof(name));
		report_log(f->env.report, REPORT_DEBUG, name, now, "verbs event: %s", ev.name);
		if (ev.fatal) {
			watch_close(&f->watches, name);
			rescan = true;
		}
		look_at_device(f, name, ev.tables, now);
	}
	return rescan;
}

/*
 * "infiniband": the device; "infiniband_verbs" and "infiniband_mad": it can be opened now; a netdev
 * that comes (IPoIB), is renamed, or goes, perhaps the one under a port, and then our context is in
 * its way.
 */
static bool concerns_us(const struct uevent *ev)
{
	return strncmp(ev->subsystem, "infiniband", strlen("infiniband")) == 0 ||
	       (streq(ev->subsystem, "net") && !streq(ev->action, "change"));
}

#define RENAME " %s>%s "

/* udev gives an RDMA device a name of its own as soon as it sees it (rdma-core's
 * 60-rdma-persistent-naming.rules): the kernel's is kept, since options may have it. */
static void take_rename(struct fabric *f, const struct uevent *ev, uint64_t now)
{
	const char *from = strrchr(ev->old, '/'), *to = strrchr(ev->devpath, '/');
	size_t n = strlen(f->renames);

	if (!from || !to || !streq(ev->subsystem, "infiniband"))
		return;
	snprintf(f->renames + n, sizeof(f->renames) - n, RENAME, from + 1, to + 1);
	look_at_device(f, to + 1, true, now);
}

bool fabric_was(const struct fabric *f, const char *device, const char *name)
{
	char rename[160];

	snprintf(rename, sizeof(rename), RENAME, name, device);
	return strstr(f->renames, rename);
}

static bool take_uevents(struct fabric *f, uint64_t now)
{
	bool rescan = false;
	char buf[UEVENT_SIZE];
	struct uevent ev;

	for (unsigned i = 0; i < EVENT_BUDGET; i++) {
		int r = uevent_recv(f->uevent, buf, &ev);

		if (r <= 0)
			return rescan || r == -ENOBUFS;
		rescan |= concerns_us(&ev);
		take_rename(f, &ev, now);
	}
	return rescan;
}

static void timer_look(struct fabric *f, uint64_t now)
{
	bool changed = false;

	if (now < f->next_look)
		return;
	for (size_t i = 0; i < f->n; i++)
		if (!f->ports[i].verbs_events)
			changed |= look_at(f, i, now);
	f->period = changed ? FABRIC_POLL_MIN : min_u64(f->period * 3 / 2, FABRIC_POLL_MAX);
	set_timer(f, now);
}

int fabric_dispatch(struct fabric *f, uint64_t now)
{
	bool rescan;

	if (f->closed)
		return 0;
	rescan = take_verbs_events(f, now);
	rescan |= take_uevents(f, now);
	port_queries_dispatch(&f->queries, now);
	if (rescan)
		return fabric_rescan(f, now);
	timer_look(f, now);
	ask_about_ports(f, now);
	return 0;
}

/*
 * What the port queries have to tell. A port that is gone meanwhile has nothing to be told about.
 */
static bool pop_answer(struct fabric *f, struct fabric_event *ret)
{
	struct query_event ev;

	while (port_queries_pop(&f->queries, &ev)) {
		int i = find_index(f->ports, f->n, ev.name);

		if (i < 0)
			continue;
		port_queries_fill(&f->queries, &f->ports[i]);
		*ret = (struct fabric_event){
			.type = ev.type, .port = f->ports[i], .group = ev.group};
		return true;
	}
	return false;
}

bool fabric_pop_event(struct fabric *f, struct fabric_event *ret)
{
	if (f->n_gone) {
		*ret = (struct fabric_event){.type = FABRIC_PORT_GONE, .port = f->gone[0]};
		memmove(f->gone, f->gone + 1, --f->n_gone * sizeof(f->gone[0]));
		return true;
	}
	for (size_t i = 0; i < f->n; i++) {
		struct pending *p = &f->pending[i];

		if (!p->added && !p->changed)
			continue;
		*ret = (struct fabric_event){
			.type = p->added ? FABRIC_PORT_ADDED : FABRIC_PORT_CHANGED,
			.port = f->ports[i],
		};
		*p = (struct pending){0};
		return true;
	}
	return pop_answer(f, ret);
}

void fabric_close_verbs(struct fabric *f)
{
	watch_close(&f->watches, NULL);
	port_queries_close(&f->queries);
	f->closed = true;
	if (f->uevent >= 0)
		(void)epoll_ctl(f->epoll, EPOLL_CTL_DEL, f->uevent, NULL);
}

void fabric_set_smprobe(struct fabric *f, bool on, uint64_t now)
{
	f->queries.smprobe = on;
	for (size_t i = 0; i < f->n && !f->closed; i++)
		port_queries_update(&f->queries, &f->ports[i], now);
}

int fabric_ask_sm(struct fabric *f, const char *device, unsigned port, uint64_t now)
{
	const struct fabric_port *p = fabric_find(f, device, port);

	return p ? port_queries_ask(&f->queries, p, 0, now) : -ENOENT;
}

int fabric_ask_group(
	struct fabric *f, const char *device, unsigned port, uint16_t pkey, uint64_t now)
{
	const struct fabric_port *p = fabric_find(f, device, port);

	return p ? port_queries_ask(&f->queries, p, pkey | 0x8000, now) : -ENOENT;
}

bool fabric_asking(const struct fabric *f)
{
	return port_queries_busy(&f->queries);
}
