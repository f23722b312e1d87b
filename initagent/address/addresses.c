// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * addresses: the room: interfaces, parser process, resolver; see address.h.
 *
 * A packet's way: packet socket -> iface_read() -> parser_submit() -> parser process ->
 * parser_pop() -> iface_take() -> dhcp4 or dhcp6 -> what to send, what to set, which event. The
 * process's reply comes in a later dispatch: nothing here waits for it.
 */
#include <netlink/socket.h>
#include <sys/epoll.h>

#include "address/iface.h"
#include "report/report.h"
#include "resolver/resolver.h"

#define REPLIES_PER_DISPATCH 64
#define NOTICES_PER_DISPATCH 16

enum { FOUR, SIX, FAMILIES };

struct addresses {
	struct iface_room room;
	unsigned repeats; /* room's */
	struct parser *parser;
	struct iface *ifaces[FAMILIES][ADDRESS_IFACES_MAX];
	size_t n_ifaces[FAMILIES];
	struct inet6_monitor monitor; /* open once an interface uses IPv6 */
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
	as->room.repeats = &as->repeats;
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

/* The interfaces by number, those of IPv4 first; NULL behind the last. */
static struct iface *iface_at(const struct addresses *as, size_t n)
{
	if (n < as->n_ifaces[FOUR])
		return as->ifaces[FOUR][n];
	n -= as->n_ifaces[FOUR];
	return n < as->n_ifaces[SIX] ? as->ifaces[SIX][n] : NULL;
}

struct addresses *addresses_free(struct addresses *as)
{
	struct iface *i;

	if (!as)
		return NULL;
	for (size_t n = 0; (i = iface_at(as, n)); n++)
		iface_free(i);
	nl_socket_free(as->monitor.sock);
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
	const struct iface *i;

	for (size_t n = 0; (i = iface_at(as, n)); n++)
		at = min_u64(at, iface_deadline(i));
	return at;
}

/* A handful of entries: a search is quicker than anything cleverer. */
static struct iface *find_iface(const struct addresses *as, int ifindex, int family)
{
	int which = family == AF_INET6 ? SIX : FOUR;

	for (size_t n = 0; n < as->n_ifaces[which]; n++)
		if (as->ifaces[which][n]->config.cfg.ifindex == ifindex)
			return as->ifaces[which][n];
	return NULL;
}

/* --- resolver ------------------------------------------------------------------------------ */

struct resolver *addresses_resolver(struct addresses *as)
{
	return as->resolver;
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
	bool has[FAMILIES] = {false};
	const struct iface *i;

	memset(ret, 0, sizeof(*ret));
	for (size_t n = 0; (i = iface_at(as, n)); n++)
		if (i->state == IFACE_CONFIGURED) {
			resolv_conf_add(ret, &i->result);
			has[i->family == AF_INET6 ? SIX : FOUR] = true;
		}
	ret->only_v6 = has[SIX] && !has[FOUR];
	return has[FOUR] || has[SIX];
}

/*
 * The file is also for the tools of the rescue shell. It follows the servers down to none, when
 * routers withdraw them; but while no rail is configured it stays as it is.
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

/* --- input --------------------------------------------------------------------------------- */

/* Lost for good: interfaces that need it cannot go on, those that come or ask again later
 * neither. */
static void tell_lost(struct addresses *as, uint64_t now)
{
	struct iface *i;

	for (size_t n = 0; parser_lost(as->parser) && (i = iface_at(as, n)); n++)
		iface_no_parser(i, now);
}

/*
 * Bounded, so that a flood of replies leaves the other rooms their turn. One for an interface that
 * was removed meanwhile is dropped.
 */
static void read_replies(struct addresses *as, uint64_t now)
{
	struct parse_reply reply;

	for (int n = 0; n < REPLIES_PER_DISPATCH; n++) {
		int r = parser_pop(as->parser, &reply, now);
		struct iface *i = NULL;

		if (r == 0)
			return;
		if (r > 0)
			i = find_iface(as, (int)reply.tag,
				reply.kind == PARSE_DHCP4 ? AF_INET : AF_INET6);
		if (i)
			iface_take(i, &reply, now);
	}
}

/* What a router sent goes to the parser process unseen; options longer than its packets are
 * dropped. */
static void submit_options(struct addresses *as, const struct inet6_notice *notice)
{
	struct iface *i = find_iface(as, notice->ifindex, AF_INET6);
	struct parse_request *r = &as->scratch;

	if (!i || notice->len > sizeof(r->packet))
		return;
	memcpy(r->packet, notice->options, notice->len);
	r->kind = PARSE_ND;
	r->tag = (uint32_t)notice->ifindex;
	r->len = (uint32_t)notice->len;
	parser_submit(as->parser, r);
	i->parsing = true;
}

/* A change makes the interface look again; which change it was does not matter. */
static void read_monitor(struct addresses *as)
{
	struct inet6_notice notice;

	for (int n = 0; n < NOTICES_PER_DISPATCH && as->monitor.sock; n++) {
		if (!inet6_monitor_next(&as->monitor, &notice))
			return;
		if (notice.options)
			submit_options(as, &notice);
		for (size_t k = 0; k < as->n_ifaces[SIX]; k++)
			if (!notice.ifindex ||
				as->ifaces[SIX][k]->config.cfg.ifindex == notice.ifindex)
				iface_notice(as->ifaces[SIX][k], &notice);
	}
}

/*
 * Which fd was ready is not asked: reading one that is not costs a system call, knowing which one
 * costs more code. Names are looked up after the interfaces, which may have brought new servers.
 */
void addresses_dispatch(struct addresses *as, uint64_t now)
{
	struct iface *i;

	for (size_t n = 0; (i = iface_at(as, n)); n++)
		iface_read(i, as->parser, &as->scratch, now);
	read_monitor(as);
	read_replies(as, now);
	parser_tick(as->parser, now);
	tell_lost(as, now);
	for (size_t n = 0; (i = iface_at(as, n)); n++)
		iface_tick(i, now);
	as->now = now;
	update_conf(as, now);
	resolver_dispatch(as->resolver, now);
}

/* --- events -------------------------------------------------------------------------------- */

static bool is_usable(const struct iface *i)
{
	return i && i->state == IFACE_CONFIGURED;
}

static bool is_trying(const struct iface *i)
{
	return i && i->state != IFACE_FAILED;
}

/*
 * What the event of one family means for the rail, which has two: with the other one usable a loss
 * or a wait is only reported, with the other one still trying a failure is only a hindrance. False:
 * not for the owner.
 */
static bool judge_event(const struct addresses *as, struct address_event *ev, const struct iface *i)
{
	const struct iface *other =
		find_iface(as, ev->ifindex, i->family == AF_INET6 ? AF_INET : AF_INET6);
	bool bad = ev->type == ADDRESS_LOST || ev->type == ADDRESS_FAILED;
	const struct netdev *dev = links_by_index(as->room.links, ev->ifindex);
	const char *where = dev ? dev->name : "address";

	if (!bad && ev->type != ADDRESS_HINDRANCE)
		return true;
	if (bad && (is_usable(other) || (ev->type == ADDRESS_FAILED && is_trying(other)))) {
		report_cause(as->room.env->report, ev->cause, where, as->now, "%s", ev->text);
		ev->type = ADDRESS_HINDRANCE;
	}
	return !is_usable(other);
}

bool addresses_pop_event(struct addresses *as, struct address_event *ret)
{
	struct iface *i;

	for (size_t n = 0; (i = iface_at(as, n)); n++)
		while (iface_pop_event(i, ret))
			if (judge_event(as, ret, i))
				return true;
	return pop_resolved(as, ret);
}

/* --- adding and removing ------------------------------------------------------------------- */

static void remove_iface(struct addresses *as, int ifindex, int which, bool release)
{
	for (size_t n = 0; n < as->n_ifaces[which]; n++) {
		struct iface **at = &as->ifaces[which][n];

		if ((*at)->config.cfg.ifindex != ifindex)
			continue;
		if (release)
			iface_release(*at);
		iface_free(*at);
		*at = as->ifaces[which][--as->n_ifaces[which]];
		return;
	}
}

/* The monitor comes first: nothing falls between a look and the first notice. */
static int begin_monitor(struct addresses *as)
{
	int e = inet6_monitor_open(&as->monitor);

	if (e == 0)
		iface_watch(&as->room, nl_socket_get_fd(as->monitor.sock));
	return e;
}

static int add_iface(struct addresses *as, int which, const struct address_config *cfg,
	uint64_t now)
{
	_cleanup_(iface_freep) struct iface *i = NULL;
	int e = which == SIX ? begin_monitor(as) : 0;

	e = e ? e : iface_new(&i, &as->room, which == SIX ? AF_INET6 : AF_INET, cfg);
	if (e < 0)
		return e;
	iface_link(i, now);
	as->ifaces[which][as->n_ifaces[which]++] = i;
	i = NULL;
	return 0;
}

/* The IPv6 part of a configuration, as one of its own; false: it has none. */
static bool config_six(struct address_config *ret, const struct address_config *cfg)
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

static bool has_four(const struct address_config *cfg)
{
	return cfg->method == ADDRESS_DHCP4 ||
		(cfg->method == ADDRESS_STATIC && cfg->addr.family != AF_INET6);
}

/*
 * The interface is looked at once here, since its LINK_ADDED event has been popped already. IPv6
 * goes first: its switches must be set before the interface is up.
 */
int addresses_add(struct addresses *as, const struct address_config *cfg, uint64_t now)
{
	struct address_config six;
	int e = 0;

	if (find_iface(as, cfg->ifindex, AF_INET) || find_iface(as, cfg->ifindex, AF_INET6))
		return -EEXIST;
	if (as->n_ifaces[FOUR] == ADDRESS_IFACES_MAX || as->n_ifaces[SIX] == ADDRESS_IFACES_MAX)
		return -ENOSPC;
	if (!links_by_index(as->room.links, cfg->ifindex))
		return -ENODEV;
	as->now = now;
	if (config_six(&six, cfg))
		e = add_iface(as, SIX, &six, now);
	if (e == 0 && has_four(cfg))
		e = add_iface(as, FOUR, cfg, now);
	if (e < 0)
		remove_iface(as, cfg->ifindex, SIX, false);
	tell_lost(as, now);
	update_conf(as, now);
	return e;
}

void addresses_remove(struct addresses *as, int ifindex, bool release, uint64_t now)
{
	remove_iface(as, ifindex, FOUR, release);
	remove_iface(as, ifindex, SIX, release);
	update_conf(as, now);
}

void addresses_set_metric(struct addresses *as, int ifindex, uint32_t metric)
{
	struct iface *i;

	for (size_t n = 0; (i = iface_at(as, n)); n++)
		if (i->config.cfg.ifindex == ifindex)
			iface_set_metric(i, metric);
}

void addresses_link(struct addresses *as, int ifindex, uint64_t now)
{
	struct iface *four = find_iface(as, ifindex, AF_INET);
	struct iface *six = find_iface(as, ifindex, AF_INET6);

	as->now = now;
	if (six)
		iface_link(six, now);
	if (four)
		iface_link(four, now);
	if (four || six)
		update_conf(as, now);
}

void addresses_hold(struct addresses *as, bool on, uint64_t now)
{
	struct iface *i;

	as->room.hold = on;
	for (size_t n = 0; (i = iface_at(as, n)); n++)
		iface_link(i, now);
}

void addresses_keep(struct addresses *as)
{
	as->room.keep = true;
}

/* A result that is being checked, or was lost, is not told. */
const struct address_result *addresses_result_of(const struct addresses *as, int ifindex,
	int family)
{
	const struct iface *four = find_iface(as, ifindex, AF_INET);
	const struct iface *six = find_iface(as, ifindex, AF_INET6);

	if (family != AF_INET6 && is_usable(four))
		return &four->result;
	return family != AF_INET && is_usable(six) ? &six->result : NULL;
}

const struct address_result *addresses_held(const struct addresses *as, int ifindex, int family)
{
	const struct iface *i = find_iface(as, ifindex, family);

	return is_usable(i) || (i && i->state == IFACE_NO_CARRIER && i->applied) ? &i->result
		: NULL;
}

const struct address_result *addresses_result(const struct addresses *as, int ifindex)
{
	return addresses_result_of(as, ifindex, 0);
}

bool addresses_awaited(const struct addresses *as, int ifindex, int family)
{
	const struct iface *i = find_iface(as, ifindex, family);

	return is_trying(i) && !is_usable(i);
}
