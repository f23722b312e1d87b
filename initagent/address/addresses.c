// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * addresses: the room: interfaces, parser process, resolver; see address.h.
 *
 * A packet's way: packet socket -> iface_read() -> parser_submit() -> parser process -> parser_pop() ->
 * take_answer() -> dhcp4 -> what to send, what to set, which event. The process's reply comes in a
 * later dispatch: nothing here waits for it.
 */
#include <sys/epoll.h>

#include "address/address.h"
#include "address/iface6.h"
#include "report/report.h"
#include "resolver/resolver.h"

#define ANSWERS_PER_DISPATCH 64
#define NOTICES_PER_DISPATCH 16

struct addresses {
	struct iface_room room;
	struct parser *parser;
	struct iface *ifaces[ADDRESS_IFACES_MAX];
	size_t n_ifaces;
	struct iface6 *ifaces6[ADDRESS_IFACES_MAX];
	size_t n_ifaces6;
	struct inet6_monitor *monitor; /* NULL: no interface wants IPv6 */
	struct resolver *resolver;
	struct resolv_conf conf;
	struct parse_request scratch;
	uint64_t now; /* of the last dispatch, for what an event is told with */
};

/* The fork comes before anything that would have to be kept from the child. */
int addresses_new(struct addresses **ret, const struct env *env, struct links *links, uint64_t now)
{
	_cleanup_(addresses_freep) struct addresses *as = calloc(1, sizeof(*as));
	int e;

	if (!as)
		return -ENOMEM;
	as->room.env = env;
	as->room.links = links;
	as->room.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (as->room.epoll < 0)
		return -errno;
	e = parser_new(&as->parser, env, &parse_job, as->room.epoll, now);
	e = e ? e : resolver_new(&as->resolver, env);
	if (e < 0)
		return e;
	iface_watch(&as->room, resolver_fd(as->resolver));
	*ret = as;
	as = NULL;
	return 0;
}

struct addresses *addresses_free(struct addresses *as)
{
	if (!as)
		return NULL;
	for (size_t n = 0; n < as->n_ifaces; n++)
		iface_free(as->ifaces[n]);
	for (size_t n = 0; n < as->n_ifaces6; n++)
		iface6_free(as->ifaces6[n]);
	inet6_monitor_free(as->monitor);
	resolver_free(as->resolver);
	parser_free(as->parser);
	closep(&as->room.epoll);
	free(as);
	return NULL;
}

int addresses_fd(const struct addresses *as)
{
	return as->room.epoll;
}

uint64_t addresses_deadline(const struct addresses *as)
{
	uint64_t at = min_u64(resolver_deadline(as->resolver), parser_deadline(as->parser));

	for (size_t n = 0; n < as->n_ifaces; n++)
		at = min_u64(at, iface_deadline(as->ifaces[n]));
	for (size_t n = 0; n < as->n_ifaces6; n++)
		at = min_u64(at, iface6_deadline(as->ifaces6[n]));
	return at;
}

/* A handful of entries: a search is quicker than anything cleverer. */
static struct iface *find(const struct addresses *as, int ifindex)
{
	for (size_t n = 0; n < as->n_ifaces; n++)
		if (as->ifaces[n]->config.cfg.ifindex == ifindex)
			return as->ifaces[n];
	return NULL;
}

static struct iface6 *find6(const struct addresses *as, int ifindex)
{
	for (size_t n = 0; n < as->n_ifaces6; n++)
		if (as->ifaces6[n]->config.cfg.ifindex == ifindex)
			return as->ifaces6[n];
	return NULL;
}

/* --- resolver ------------------------------------------------------------------------------ */

struct resolver *addresses_resolver(struct addresses *as)
{
	return as->resolver;
}

int addresses_resolve(struct addresses *as, const char *name, uint64_t limit_ns, uint64_t now)
{
	return resolver_ask(as->resolver, 0, name, limit_ns, now);
}

void addresses_resolve_all(struct addresses *as)
{
	resolver_want_all(as->resolver, 0);
}

static bool pop_resolved(struct addresses *as, struct address_event *ret)
{
	struct resolver_event ev;

	if (!resolver_pop_event(as->resolver, &ev))
		return false;
	*ret = (struct address_event){.type = ADDRESS_RESOLVED, .id = ev.id, .n_addrs = ev.n_addrs,
		.addr = ev.addrs[0], .cause = ev.n_addrs ? CAUSE_NONE : CAUSE_ROOT_RESOLVE};
	memcpy(ret->addrs, ev.addrs, sizeof(ret->addrs));
	strscpy(ret->text, ev.text, sizeof(ret->text));
	return true;
}

/* The servers of all configured rails; false: there is no such rail. */
static bool list_servers(const struct addresses *as, struct resolv_conf *ret)
{
	bool four = false, six = false;

	memset(ret, 0, sizeof(*ret));
	for (size_t n = 0; n < as->n_ifaces; n++)
		if (as->ifaces[n]->state == IFACE_CONFIGURED) {
			resolv_conf_add(ret, &as->ifaces[n]->result);
			four = true;
		}
	for (size_t n = 0; n < as->n_ifaces6; n++)
		if (as->ifaces6[n]->state == IFACE6_CONFIGURED) {
			resolv_conf_add(ret, &as->ifaces6[n]->result);
			six = true;
		}
	ret->only_v6 = six && !four;
	return four || six;
}

/*
 * The file is also for the tools of the rescue shell. It follows the servers down to none, when routers withdraw them;
 * but while no rail is configured it stays as it is.
 */
static void update_conf(struct addresses *as, uint64_t now)
{
	bool had = as->conf.n_servers > 0;
	struct resolv_conf conf;
	int e;

	if (!list_servers(as, &conf) || !memcmp(&conf, &as->conf, sizeof(conf)))
		return;
	as->conf = conf;
	e = conf.n_servers || had ? resolv_conf_write(&conf, as->room.env) : 0;
	if (e < 0)
		report_log(as->room.env->report, REPORT_WARN, "address", now,
			"writing /etc/resolv.conf: %s", strerror(-e));
	resolver_servers(as->resolver, &conf, now);
}

/* --- the parser process -------------------------------------------------------------------- */

/* Lost for good: interfaces that need it cannot go on, those that come or ask again later neither. */
static void tell_lost(struct addresses *as, uint64_t now)
{
	if (!parser_lost(as->parser))
		return;
	for (size_t n = 0; n < as->n_ifaces; n++)
		iface_no_parser(as->ifaces[n], now);
	for (size_t n = 0; n < as->n_ifaces6; n++)
		iface6_no_parser(as->ifaces6[n], now);
}

/* An answer for an interface that was removed meanwhile is dropped. */
static void take_answer(struct addresses *as, const struct parse_reply *a, uint64_t now)
{
	struct iface *i = find(as, (int)a->tag);
	struct iface6 *i6 = find6(as, (int)a->tag);

	if (a->kind == PARSE_DHCP4 && i)
		iface_take(i, &a->dhcp, now);
	else if (a->kind == PARSE_DHCP6 && i6)
		iface6_take(i6, &a->dhcp6, now);
	else if (a->kind == PARSE_ND && i6)
		iface6_take_options(i6, &a->options, now);
}

/* Bounded, so that a flood of replies leaves the other rooms their turn. */
static void read_answers(struct addresses *as, uint64_t now)
{
	struct parse_reply answer;

	for (int n = 0; n < ANSWERS_PER_DISPATCH; n++) {
		int r = parser_pop(as->parser, &answer, now);

		if (r == 0)
			return;
		if (r > 0)
			take_answer(as, &answer, now);
	}
}

/* --- IPv6 ---------------------------------------------------------------------------------- */

/* What a router sent goes to the parser process unseen; options longer than a packet of ours are nobody's. */
static void submit_options(struct addresses *as, const struct inet6_notice *notice)
{
	struct parse_request *r = &as->scratch;

	if (!find6(as, notice->ifindex) || notice->len > sizeof(r->packet))
		return;
	memcpy(r->packet, notice->options, notice->len);
	r->kind = PARSE_ND;
	r->tag = (uint32_t)notice->ifindex;
	r->len = (uint32_t)notice->len;
	parser_submit(as->parser, r);
}

/* A change makes the interface look again; which change it was does not matter. */
static void read_monitor(struct addresses *as)
{
	struct inet6_notice notice;

	for (int n = 0; n < NOTICES_PER_DISPATCH && as->monitor; n++) {
		if (!inet6_monitor_next(as->monitor, &notice))
			return;
		if (notice.options)
			submit_options(as, &notice);
		for (size_t k = 0; k < as->n_ifaces6; k++)
			if (!notice.ifindex || as->ifaces6[k]->config.cfg.ifindex == notice.ifindex)
				iface6_notice(as->ifaces6[k], &notice);
	}
}

/* The IPv6 side of a rail. The monitor comes first: nothing falls between a look and the first notice. */
static int add6(struct addresses *as, const struct address_config *cfg, uint64_t now)
{
	_cleanup_(iface6_freep) struct iface6 *i = NULL;
	int e;

	if (!as->monitor) {
		e = inet6_monitor_new(&as->monitor);
		if (e < 0)
			return e;
		iface_watch(&as->room, inet6_monitor_fd(as->monitor));
	}
	e = iface6_new(&i, &as->room, cfg);
	if (e < 0)
		return e;
	iface6_link(i, now);
	as->ifaces6[as->n_ifaces6++] = i;
	i = NULL;
	return 0;
}

static bool usable(const struct addresses *as, int ifindex, bool six)
{
	const struct iface *i = find(as, ifindex);
	const struct iface6 *i6 = find6(as, ifindex);

	return six ? i6 && i6->state == IFACE6_CONFIGURED : i && i->state == IFACE_CONFIGURED;
}

static bool trying(const struct addresses *as, int ifindex, bool six)
{
	const struct iface *i = find(as, ifindex);
	const struct iface6 *i6 = find6(as, ifindex);

	return six ? i6 && i6->state != IFACE6_FAILED : i && i->state != IFACE_FAILED;
}

/*
 * What the event of one family means for the rail, which has two: with the other one usable a loss or a wait is only
 * reported, with the other one still trying a failure is only a hindrance. False: nothing for the owner.
 */
static bool judge(const struct addresses *as, struct address_event *ev, bool six, uint64_t now)
{
	bool bad = ev->type == ADDRESS_LOST || ev->type == ADDRESS_FAILED;
	const struct netdev *dev = links_by_index(as->room.links, ev->ifindex);
	const char *where = dev ? dev->name : "address";

	if (!bad && ev->type != ADDRESS_HINDRANCE)
		return true;
	if (usable(as, ev->ifindex, !six)) {
		if (bad)
			report_cause(as->room.env->report, ev->cause, where, now, "%s", ev->text);
		return false;
	}
	if (ev->type == ADDRESS_FAILED && trying(as, ev->ifindex, !six)) {
		report_cause(as->room.env->report, ev->cause, where, now, "%s", ev->text);
		ev->type = ADDRESS_HINDRANCE;
	}
	return true;
}

/* --- the room ------------------------------------------------------------------------------ */

/*
 * Which fd was ready is not asked: reading one that is not costs a system call, knowing which one costs more
 * code. Names are looked up after the interfaces, which may have brought new servers.
 */
int addresses_dispatch(struct addresses *as, uint64_t now)
{
	for (size_t n = 0; n < as->n_ifaces; n++)
		iface_read(as->ifaces[n], as->parser, &as->scratch);
	for (size_t n = 0; n < as->n_ifaces6; n++)
		iface6_read(as->ifaces6[n], as->parser, &as->scratch, now);
	read_monitor(as);
	read_answers(as, now);
	parser_tick(as->parser, now);
	tell_lost(as, now);
	for (size_t n = 0; n < as->n_ifaces; n++)
		iface_tick(as->ifaces[n], now);
	for (size_t n = 0; n < as->n_ifaces6; n++)
		iface6_tick(as->ifaces6[n], now);
	as->now = now;
	update_conf(as, now);
	resolver_dispatch(as->resolver, now);
	return 0;
}

bool addresses_pop_event(struct addresses *as, struct address_event *ret)
{
	for (size_t n = 0; n < as->n_ifaces; n++)
		while (iface_pop_event(as->ifaces[n], ret))
			if (judge(as, ret, false, as->now))
				return true;
	for (size_t n = 0; n < as->n_ifaces6; n++)
		while (iface6_pop_event(as->ifaces6[n], ret))
			if (judge(as, ret, true, as->now))
				return true;
	return pop_resolved(as, ret);
}

static void remove4(struct addresses *as, int ifindex, bool release)
{
	for (size_t n = 0; n < as->n_ifaces; n++) {
		struct iface *i = as->ifaces[n];

		if (i->config.cfg.ifindex != ifindex)
			continue;
		if (release)
			iface_release(i);
		iface_free(i);
		as->ifaces[n] = as->ifaces[--as->n_ifaces];
		return;
	}
}

static void remove6(struct addresses *as, int ifindex, bool release)
{
	for (size_t n = 0; n < as->n_ifaces6; n++) {
		struct iface6 *i = as->ifaces6[n];

		if (i->config.cfg.ifindex != ifindex)
			continue;
		if (release)
			iface6_release(i);
		iface6_free(i);
		as->ifaces6[n] = as->ifaces6[--as->n_ifaces6];
		return;
	}
}

static int add4(struct addresses *as, const struct address_config *cfg, uint64_t now)
{
	_cleanup_(iface_freep) struct iface *i = NULL;
	int e = iface_new(&i, &as->room, cfg);

	if (e < 0)
		return e;
	iface_link(i, now);
	as->ifaces[as->n_ifaces++] = i;
	i = NULL;
	return 0;
}

/* The IPv6 part of a configuration, as one of its own; false: it has none. */
static bool config6(struct address_config *ret, const struct address_config *cfg)
{
	*ret = *cfg;
	if (cfg->method >= ADDRESS_LINK6 || cfg->addr.family == AF_INET6)
		return true;
	ret->method = cfg->second;
	ret->addr = cfg->addr6;
	ret->prefix = cfg->prefix6;
	ret->gateway = cfg->gateway6;
	ret->peer = (struct inet_addr){0};
	return cfg->second >= ADDRESS_LINK6 || cfg->addr6.family == AF_INET6;
}

static bool has4(const struct address_config *cfg)
{
	return cfg->method == ADDRESS_DHCP4 || (cfg->method == ADDRESS_STATIC && cfg->addr.family != AF_INET6);
}

/*
 * The interface is looked at once here, since its LINK_ADDED event has been popped already. IPv6 goes first: its
 * switches want to be set before the interface is up.
 */
int addresses_add(struct addresses *as, const struct address_config *cfg, uint64_t now)
{
	struct address_config six;
	int e = 0;

	if (find(as, cfg->ifindex) || find6(as, cfg->ifindex))
		return -EEXIST;
	if (as->n_ifaces == ADDRESS_IFACES_MAX || as->n_ifaces6 == ADDRESS_IFACES_MAX)
		return -ENOSPC;
	if (!links_by_index(as->room.links, cfg->ifindex))
		return -ENODEV;
	as->now = now;
	if (config6(&six, cfg))
		e = add6(as, &six, now);
	if (e == 0 && has4(cfg))
		e = add4(as, cfg, now);
	if (e < 0)
		remove6(as, cfg->ifindex, false);
	tell_lost(as, now);
	update_conf(as, now);
	return e;
}

void addresses_remove(struct addresses *as, int ifindex, bool release, uint64_t now)
{
	remove4(as, ifindex, release);
	remove6(as, ifindex, release);
	update_conf(as, now);
}

void addresses_set_metric(struct addresses *as, int ifindex, uint32_t metric)
{
	struct iface *i = find(as, ifindex);
	struct iface6 *i6 = find6(as, ifindex);

	if (i)
		iface_set_metric(i, metric);
	if (i6)
		iface6_set_metric(i6, metric);
}

void addresses_link(struct addresses *as, int ifindex, uint64_t now)
{
	struct iface *i = find(as, ifindex);
	struct iface6 *i6 = find6(as, ifindex);

	as->now = now;
	if (i6)
		iface6_link(i6, now);
	if (i)
		iface_link(i, now);
	if (i || i6)
		update_conf(as, now);
}

void addresses_keep(struct addresses *as)
{
	as->room.keep = true;
}

/* A result that is being probed for, or was lost, is nobody's business. */
const struct address_result *addresses_result_of(const struct addresses *as, int ifindex, int family)
{
	const struct iface *i = find(as, ifindex);
	const struct iface6 *i6 = find6(as, ifindex);

	if (family != AF_INET6 && i && i->state == IFACE_CONFIGURED)
		return &i->result;
	return family != AF_INET && i6 && i6->state == IFACE6_CONFIGURED ? &i6->result : NULL;
}

const struct address_result *addresses_result(const struct addresses *as, int ifindex)
{
	return addresses_result_of(as, ifindex, 0);
}

bool addresses_awaited(const struct addresses *as, int ifindex, int family)
{
	bool six = family == AF_INET6;

	return trying(as, ifindex, six) && !usable(as, ifindex, six);
}
