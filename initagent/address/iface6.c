// SPDX-License-Identifier: GPL-2.0-or-later
/* iface6: see iface6.h. */
#include "address/iface6.h"

#include <stdarg.h>

#include "address/apply.h"
#include "report/report.h"


/* While the module ipv6 is being loaded there is no event for it: look again after 20 ms, doubling to 1 s. */
#define STACK_LOOK_FIRST (20 * NSEC_PER_MSEC)
#define STACK_LOOK_MAX	 NSEC_PER_SEC
#define MALFORMED_QUIET	 (60 * NSEC_PER_SEC)

static const char *const state_names[IFACE6_STATE_MAX] = {
	[IFACE6_NO_CARRIER] = "IPv6: no carrier",
	[IFACE6_LINK_LOCAL] = "IPv6: link-local address",
	[IFACE6_ROUTERS] = "IPv6: listening to routers",
	[IFACE6_ASKING] = "IPv6: asking",
	[IFACE6_CHECKING] = "IPv6: checking",
	[IFACE6_CONFIGURED] = "IPv6: configured",
	[IFACE6_CONFLICT] = "IPv6: conflict",
	[IFACE6_FAILED] = "IPv6: failed",
	[IFACE6_GONE] = "IPv6: gone",
};

static const enum inet6_routers listens_to[ADDRESS_METHOD_MAX] = {
	[ADDRESS_STATIC] = INET6_ROUTERS_AS_IS, [ADDRESS_LINK6] = INET6_ROUTERS_NONE,
	[ADDRESS_AUTO6] = INET6_ROUTERS_ALL,	[ADDRESS_DHCP6] = INET6_ROUTERS_ROUTES,
	[ADDRESS_EITHER6] = INET6_ROUTERS_ALL,
};

void iface6_set_state(struct iface6 *i, enum iface6_state to, uint64_t now)
{
	if (i->state != to)
		report_state(i->room->env->report, "address", i->dev.name, state_names[i->state],
			state_names[to], now);
	i->state = to;
}

static void no_times(struct iface6 *i)
{
	i->retry = i->dad_end = i->auto_end = i->settle_at = i->route_end = i->dhcp_end = NSEC_NEVER;
}

static enum address_method first_way(const struct iface6 *i)
{
	return i->config.cfg.method == ADDRESS_EITHER6 ? ADDRESS_AUTO6 : i->config.cfg.method;
}

int iface6_new(struct iface6 **ret, const struct iface_room *room, const struct address_config *cfg)
{
	_cleanup_(iface6_freep) struct iface6 *i = calloc(1, sizeof(*i));
	int e;

	if (!i)
		return -ENOMEM;
	i->room = room;
	i->fd = -1;
	i->pause = STACK_LOOK_FIRST;
	no_times(i);
	i->news.ifindex = cfg->ifindex;
	e = iface_config_copy(&i->config, cfg);
	if (e < 0)
		return e;
	i->way = first_way(i);
	*ret = i;
	i = NULL;
	return 0;
}

struct iface6 *iface6_free(struct iface6 *i)
{
	if (!i)
		return NULL;
	if (i->prepared)
		inet6_restore(i->room->env, i->dev.name, &i->saved);
	iface_unwatch(i->room, &i->fd);
	dhcp6_free(i->dhcp);
	free(i);
	return NULL;
}

/* --- events -------------------------------------------------------------------------------- */

void iface6_event(struct iface6 *i, enum address_event_type type, enum cause cause, const char *text)
{
	news_outcome(&i->news, type, cause, text);
}

void iface6_hint(struct iface6 *i, enum cause cause, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	news_hint(&i->news, cause, fmt, args);
	va_end(args);
}

bool iface6_pop_event(struct iface6 *i, struct address_event *ret)
{
	return news_pop(&i->news, ret);
}

/* What of the result we set ourselves. */
static struct address_result own_part(const struct iface6 *i)
{
	struct address_result set = i->result;

	if (i->way != ADDRESS_STATIC)
		set.gateway = (struct inet_addr){0};
	return set;
}

void iface6_release(struct iface6 *i)
{
	const struct address_result set = own_part(i);

	if (i->applied)
		apply_release(i->room->links, &set, i->config.cfg.metric);
	i->applied = false;
}

void iface6_set_metric(struct iface6 *i, uint32_t metric)
{
	const struct address_result set = own_part(i);

	if (i->applied)
		apply_metric(i->room->links, &set, i->config.cfg.metric, metric);
	i->config.cfg.metric = metric;
}

void iface6_lost(struct iface6 *i, enum cause cause, const char *text)
{
	if (!i->room->keep)
		iface6_release(i);
	iface6_event(i, ADDRESS_LOST, cause, text);
}

void iface6_fail(struct iface6 *i, enum cause cause, const char *text, uint64_t now)
{
	iface6_dhcp_stop(i, now);
	no_times(i);
	iface6_set_state(i, IFACE6_FAILED, now);
	iface6_event(i, ADDRESS_FAILED, cause, text);
}

/* --- the link ------------------------------------------------------------------------------ */

/* An address an earlier run left: then IPv6 must not be switched off in between. */
static bool in_use(const struct iface6 *i)
{
	struct inet6_view v = {0};

	return inet6_look(i->room->links, i->dev.ifindex, NULL, &v) == 0 && v.automatic != INET6_ABSENT;
}

/* The switches are set before the interface is up, so that the kernel's first steps are the right ones. */
static bool prepare(struct iface6 *i, uint64_t now)
{
	const struct inet6_wish wish = {
		.routers = listens_to[i->config.cfg.method],
		.optimistic = i->config.cfg.probe == ADDRESS_PROBE_PARALLEL,
		.in_use = !i->prepared && in_use(i),
		.no_default_route = i->config.cfg.no_default_route,
	};

	if (i->prepared)
		return true;
	if (!inet6_available()) {
		iface6_hint(i, CAUSE_IPV6_MISSING, "waiting for the kernel's IPv6");
		i->retry = now + i->pause;
		i->pause = min_u64(i->pause * 2, STACK_LOOK_MAX);
		return false;
	}
	i->retry = NSEC_NEVER;
	inet6_prepare(i->room->env, &i->dev, &wish, &i->saved);
	i->prepared = true;
	return true;
}

static uint64_t limit_from(uint64_t now, uint64_t span)
{
	return span ? now + span : NSEC_NEVER;
}

static void carrier_up(struct iface6 *i, uint64_t now)
{
	const struct address_config *cfg = &i->config.cfg;

	i->began = now;
	i->hindrance = CAUSE_NONE;
	i->servers.n = i->domains.n = 0;
	i->solicited = false;
	i->duplicate = (struct inet_addr){0};
	i->settled = false;
	i->way = i->applied ? i->way : first_way(i);
	i->dad_end = limit_from(now, cfg->dad_limit);
	i->auto_end = i->way == ADDRESS_AUTO6 ? limit_from(now, cfg->auto_limit) : NSEC_NEVER;
	iface6_set_state(i, IFACE6_LINK_LOCAL, now);
	links_settle(i->room->links, i->dev.ifindex);
	/* What an earlier run leased goes before what routers might give. */
	if (cfg->method == ADDRESS_EITHER6 && iface6_adopts(i, now))
		i->way = ADDRESS_DHCP6;
	i->stale = true;
	iface6_advance(i, now);
}

static void carrier_down(struct iface6 *i, enum iface6_state to, enum cause cause, const char *text, uint64_t now)
{
	bool had = i->state == IFACE6_CONFIGURED;

	iface6_dhcp_stop(i, now);
	no_times(i);
	iface6_set_state(i, to, now);
	if (had)
		iface6_event(i, ADDRESS_LOST, cause, text);
	else
		iface6_hint(i, cause, "%s", text);
}

static void gone(struct iface6 *i, uint64_t now)
{
	if (i->state == IFACE6_GONE)
		return;
	carrier_down(i, IFACE6_GONE, CAUSE_NETDEV_MISSING, "the interface is gone", now);
	i->applied = i->prepared = false;
}

void iface6_link(struct iface6 *i, uint64_t now)
{
	const struct netdev *dev = links_by_index(i->room->links, i->config.cfg.ifindex);

	if (!dev) {
		gone(i, now);
		return;
	}
	i->dev = *dev;
	if (i->state == IFACE6_FAILED || !prepare(i, now))
		return;
	if (!dev->up && links_set_up(i->room->links, dev->ifindex, true) < 0) {
		iface6_fail(i, CAUSE_NETDEV_CONFIG, links_error(i->room->links), now);
		return;
	}
	if (!dev->carrier && i->state != IFACE6_NO_CARRIER)
		carrier_down(i, IFACE6_NO_CARRIER, CAUSE_NETDEV_NO_CARRIER, "carrier lost", now);
	else if (!dev->carrier)
		iface6_hint(i, CAUSE_NETDEV_NO_CARRIER, "waiting for carrier");
	else if (i->state == IFACE6_NO_CARRIER || i->state == IFACE6_GONE)
		carrier_up(i, now);
}

/* --- what routers say beside addresses ----------------------------------------------------- */

void iface6_notice(struct iface6 *i, const struct inet6_notice *notice)
{
	i->stale = true;
	if (notice->duplicate.family && !IN6_IS_ADDR_LINKLOCAL(&notice->duplicate.v6))
		i->duplicate = notice->duplicate;
}

/* Any host can send these at line rate, and the console is slow: told at once, then counted. */
static void tell_malformed(struct iface6 *i, uint64_t now)
{
	i->malformed++;
	if (now < i->malformed_quiet)
		return;
	report_log(i->room->env->report, REPORT_WARN, i->dev.name, now,
		"%u router advertisement%s malformed in the DNS options; what could be read is used",
		i->malformed, i->malformed > 1 ? "s" : "");
	i->malformed = 0;
	i->malformed_quiet = now + MALFORMED_QUIET;
}

void iface6_take_options(struct iface6 *i, const struct nd_options *o, uint64_t now)
{
	char search[ADDRESS_SEARCH_MAX + 1], *rest = search, *domain;

	if (o->malformed)
		tell_malformed(i, now);
	for (size_t n = 0; n < o->n_dns; n++)
		router_list_put(&i->servers, o->router, o->dns[n], 16, o->lifetime_s, now);
	strscpy(search, o->search, sizeof(search));
	while ((domain = strsep(&rest, " ")))
		if (*domain)
			router_list_put(&i->domains, o->router, domain, strlen(domain), o->lifetime_s, now);
	i->stale = true;
}

/* --- time ---------------------------------------------------------------------------------- */

uint64_t iface6_deadline(const struct iface6 *i)
{
	uint64_t at = min_u64(i->retry, iface6_dhcp_deadline(i));

	if (news_pending(&i->news) || (i->stale && iface6_works(i)))
		return 0;
	at = min_u64(at, min_u64(i->dad_end, i->auto_end));
	at = min_u64(at, min_u64(router_list_deadline(&i->servers), router_list_deadline(&i->domains)));
	return min_u64(at, min_u64(i->settle_at, i->route_end));
}

/* Not yet, and it should have been: a cause, or either6's other half. */
static void auto_late(struct iface6 *i, uint64_t now)
{
	i->auto_end = NSEC_NEVER;
	if (i->config.cfg.method == ADDRESS_EITHER6) {
		iface6_turn_to_dhcp(i, "no automatic address in time", now);
		return;
	}
	iface6_say_routers(i);
	report_cause(i->room->env->report, i->news.hint.cause, i->dev.name, now, "no automatic address after %u s",
		(unsigned)((now - i->began) / NSEC_PER_SEC));
}

static void dad_late(struct iface6 *i, uint64_t now)
{
	i->dad_end = NSEC_NEVER;
	if (i->seen.link_local != INET6_USABLE)
		report_cause(i->room->env->report, CAUSE_ADDRESS_FAILED, i->dev.name, now,
			"no usable link-local address after %u s", (unsigned)((now - i->began) / NSEC_PER_SEC));
}

/* An automatic address may be there again, from an advertisement during the rest. */
static bool must_restart(struct iface6 *i)
{
	if (i->seen.link_local == INET6_DUPLICATE || i->way != ADDRESS_AUTO6)
		return i->seen.link_local == INET6_DUPLICATE;
	return inet6_look(i->room->links, i->dev.ifindex, NULL, &i->seen) == 0 &&
		(i->seen.automatic == INET6_ABSENT || i->seen.automatic == INET6_DUPLICATE);
}

/* After the rest everything from the beginning; a link-local address is made anew only with IPv6 off and on. */
static void retry(struct iface6 *i, uint64_t now)
{
	i->retry = NSEC_NEVER;
	if (i->state == IFACE6_CONFLICT) {
		if (must_restart(i))
			inet6_restart(i->room->env, i->dev.name);
		i->state = IFACE6_NO_CARRIER;
	}
	iface6_link(i, now);
}

void iface6_tick(struct iface6 *i, uint64_t now)
{
	if (now >= i->retry)
		retry(i, now);
	if (iface6_works(i) && now >= i->auto_end)
		auto_late(i, now);
	if (iface6_works(i) && now >= i->dad_end)
		dad_late(i, now);
	if (now >= i->settle_at) {
		i->settle_at = NSEC_NEVER;
		i->settled = i->stale = true;
	}
	i->stale = i->stale || now >= i->route_end;
	i->stale = router_list_expire(&i->servers, now) || i->stale;
	i->stale = router_list_expire(&i->domains, now) || i->stale;
	iface6_dhcp_tick(i, now);
	iface6_advance(i, now);
	/* Passed, and whoever waits for them has looked. */
	if (now >= i->route_end)
		i->route_end = NSEC_NEVER;
}
