// SPDX-License-Identifier: GPL-2.0-or-later
/* iface6: IPv6: what each method does with what the kernel has come to; see iface.h. */
#include <linux/if_addr.h>

#include "address/iface.h"
#include "report/report.h"

#define STACK_LOOK_MAX NSEC_PER_SEC
/*
 * The kernel works an advertisement off option by option: it tells of the flags before the
 * addresses are made, and of the DNS servers after that.
 */
#define SETTLE	   (20 * NSEC_PER_MSEC)
/* The parser may have to wait for a processor, or may have died. */
#define PARSE_WAIT NSEC_PER_SEC
/* How long a DHCPv6 address waits for the advertisement that says what is on the link. */
#define ROUTE_WAIT (3 * NSEC_PER_SEC)
/* Any host can send malformed options, or deprecate an address and not, at line rate. */
#define QUIET	   (60 * NSEC_PER_SEC)

/* Neither stopped nor resting. */
static bool is_working(const struct iface *i)
{
	return i->state >= IFACE_LINK_LOCAL && i->state <= IFACE_CONFIGURED;
}

/* --- the kernel's switches ----------------------------------------------------------------- */

/* An address an earlier run left: then IPv6 must not be switched off in between. */
static bool is_in_use(const struct iface *i)
{
	struct inet6_view v = {0};

	return inet6_look(i->room->links, i->dev.ifindex, NULL, &v) == 0 &&
		v.automatic != INET6_ABSENT;
}

/* Before the interface is up, so that the kernel's first steps are the right ones. */
bool iface6_prepare(struct iface *i, uint64_t now)
{
	const struct inet6_wish wish = {
		.routers = iface6_methods[i->config.cfg.method].routers,
		.optimistic = i->config.cfg.probe == ADDRESS_PROBE_PARALLEL,
		.in_use = !i->prepared && is_in_use(i),
		.no_default_route = i->config.cfg.no_default_route,
	};

	if (i->prepared)
		return true;
	if (!inet6_available()) {
		iface_hint(i, CAUSE_IPV6_MISSING, "waiting for the kernel's IPv6");
		i->retry = now + i->pause;
		i->pause = min_u64(i->pause * 2, STACK_LOOK_MAX);
		return false;
	}
	i->retry = NSEC_NEVER;
	inet6_prepare(i->room->env, &i->dev, &wish, &i->saved);
	i->prepared = true;
	return true;
}

/* An automatic address may be there again, from an advertisement during the rest. */
static bool must_restart(struct iface *i)
{
	if (i->seen.link_local == INET6_DUPLICATE || i->way != ADDRESS_AUTO6)
		return i->seen.link_local == INET6_DUPLICATE;
	return inet6_look(i->room->links, i->dev.ifindex, NULL, &i->seen) == 0 &&
		(i->seen.automatic == INET6_ABSENT || i->seen.automatic == INET6_DUPLICATE);
}

/* A link-local address is made again only with IPv6 off and on. */
void iface6_rested(struct iface *i)
{
	if (must_restart(i))
		inet6_restart(i->room->env, i->dev.name);
}

/* --- results ------------------------------------------------------------------------------- */

void iface6_result(const struct iface *i, struct address_result *ret, const struct inet_addr *addr,
	unsigned prefix)
{
	struct inet_addr dns[ADDRESS_LIST_MAX];
	char search[ADDRESS_SEARCH_MAX + 1];
	const struct result_inet6 from = {
		.method = i->way,
		.addr = *addr,
		.prefix = (uint8_t)prefix,
		.gateway = i->seen.routers.gateway,
		.dns = dns,
		.n_dns = router_list_servers(&i->servers, dns),
		.search = search,
		.lease = i->dhcp6 ? dhcp6_lease(i->dhcp6) : NULL,
		.client = &i->client,
		.links = i->room->links,
	};

	router_list_domains(&i->domains, search);
	if (i->way == ADDRESS_STATIC)
		result_static(ret, &i->config.cfg, &i->dev);
	else
		result_inet6(ret, &i->config.cfg, &i->dev, &from);
	if (i->careful && ret->probe == ADDRESS_PROBE_PARALLEL)
		ret->probe = ADDRESS_PROBE_FIRST;
}

/* What the kernel made by itself still needs MTU and routes. */
static void set_around(struct iface *i, uint64_t now)
{
	struct apply_outcome o;

	apply_around(i->room->links, &i->result, i->config.cfg.metric, &o);
	if (o.cause)
		report_cause(iface_report(i), o.cause, i->dev.name, now, "%s", o.text);
}

/* want is there and usable. */
static void use_result(struct iface *i, const struct address_result *want, uint64_t now)
{
	bool same = i->state == IFACE_CONFIGURED && inet_equal(&i->result.addr, &want->addr);
	bool more = !same || want->n_routes > i->result.n_routes;

	i->result = *want;
	iface_no_times(i);
	if (more && i->way != ADDRESS_STATIC)
		set_around(i, now);
	if (!same) /* else only what belongs to it has changed */
		iface_configured(i, now);
}

static void address_conflict(struct iface *i, const struct inet_addr *addr, uint64_t now)
{
	char text[128], name[INET_ADDR_TEXT];

	snprintf(text, sizeof(text), "%s is in use by another host", inet_text(addr, name));
	iface_conflict(i, text, i->applied || i->state == IFACE_CONFIGURED, now);
}

/* The address that made the rail usable is not there any more. */
static void address_vanished(struct iface *i, uint64_t now)
{
	char text[128], name[INET_ADDR_TEXT];

	snprintf(text, sizeof(text), "%s is gone", inet_text(&i->result.addr, name));
	i->applied = false;
	iface_event(i, ADDRESS_LOST, CAUSE_ADDRESS_VANISHED, text);
	iface_set_state(i, IFACE_LINK_LOCAL, now);
}

static void say_checking(struct iface *i)
{
	iface_hint(i, CAUSE_ADDRESS_DUPLICATE, "checking whether the address is free");
}

/* --- the steps of each method -------------------------------------------------------------- */

/* True when the link-local address is usable; otherwise says what is in the way. */
static bool has_link_local(struct iface *i, uint64_t now)
{
	switch (i->seen.link_local) {
	case INET6_USABLE: i->dad_end = NSEC_NEVER; return true;
	case INET6_DUPLICATE: address_conflict(i, &i->seen.link_local_addr, now); return false;
	case INET6_TENTATIVE:
		iface_hint(i, CAUSE_ADDRESS_DUPLICATE,
			"checking whether the link-local address is free");
		break;
	case INET6_ABSENT:
		iface_hint(i, CAUSE_ADDRESS_FAILED, "waiting for the link-local address");
		break;
	}
	if (i->state == IFACE_CONFIGURED)
		address_vanished(i, now);
	return false;
}

static void step_link(struct iface *i, uint64_t now)
{
	struct address_result want;

	if (!has_link_local(i, now))
		return;
	iface6_result(i, &want, &i->seen.link_local_addr, 64);
	use_result(i, &want, now);
}

/* Set at once, used when the kernel has found no other host with it. */
static void step_static(struct iface *i, uint64_t now)
{
	struct address_result want;

	iface6_result(i, &want, &i->config.cfg.addr, i->config.cfg.prefix);
	if (i->applied && i->seen.wanted == INET6_ABSENT && i->state == IFACE_CONFIGURED)
		address_vanished(i, now);
	if (!i->applied || i->seen.wanted == INET6_ABSENT) {
		i->result = want;
		iface_set_state(i, IFACE_CHECKING, now);
		iface_set_address(i, now);
	} else if (i->seen.wanted == INET6_DUPLICATE) {
		address_conflict(i, &i->config.cfg.addr, now);
	} else if (i->seen.wanted == INET6_TENTATIVE) {
		say_checking(i);
	} else {
		want.adopted = i->result.adopted;
		use_result(i, &want, now);
	}
}

/* either6 goes on with DHCPv6; the router's flags or its silence say why. */
static void turn_to_dhcp(struct iface *i, const char *why, uint64_t now)
{
	report_log(iface_report(i), REPORT_INFO, i->dev.name, now, "%s, asking DHCPv6", why);
	i->way = ADDRESS_DHCP6;
	i->auto_end = i->settle_at = NSEC_NEVER;
	iface_dhcp_stop(i, now);
	i->stale = true;
}

/* What routers have said so far, as the cause it would be if nothing else came. */
static void say_routers(struct iface *i)
{
	const struct link_routers *r = &i->seen.routers;

	if (!r->heard)
		iface_hint(i, CAUSE_RA_NONE, "waiting for a router advertisement");
	else if (r->managed)
		iface_hint(i, CAUSE_RA_MANAGED,
			"the router offers addresses by DHCPv6 only (M flag)");
	else
		iface_hint(i, CAUSE_RA_NO_PREFIX,
			"the router advertises no autonomous prefix");
}

/* From now on one is waited for. */
static void limit_automatic(struct iface *i, uint64_t now)
{
	i->began = now;
	i->auto_end = i->config.cfg.auto_limit ? now + i->config.cfg.auto_limit : NSEC_NEVER;
}

/* No automatic address yet. The managed flag counts once the advertisement has been worked off. */
static void await_automatic(struct iface *i, uint64_t now)
{
	bool either = i->config.cfg.method == ADDRESS_EITHER6;

	if (i->state == IFACE_CONFIGURED) {
		address_vanished(i, now);
		limit_automatic(i, now);
	}
	iface_set_state(i, IFACE_ROUTERS, now);
	if (i->seen.routers.managed && !i->settled)
		i->settle_at = min_u64(i->settle_at, now + SETTLE);
	else if (i->seen.routers.managed && either)
		turn_to_dhcp(i, "the router says that addresses come by DHCPv6", now);
	else
		say_routers(i);
}

/* One advertisement of any host does that: no reason to give the address up, but one to say so. */
static void tell_deprecated(struct iface *i, const struct link_address *a, uint64_t now)
{
	bool is = a->flags & IFA_F_DEPRECATED;
	char name[INET_ADDR_TEXT], left[24] = "for ever";

	if (a->valid_s != LINK_FOREVER)
		snprintf(left, sizeof(left), "for %u s", a->valid_s);
	if (is && !i->deprecated && now >= i->deprecated_quiet) {
		i->deprecated_quiet = now + QUIET;
		report_log(iface_report(i), REPORT_WARN, i->dev.name, now,
			"a router deprecated %s (preferred lifetime 0); there is no other, used "
			"while it "
			"is valid, %s", inet_text(&a->addr, name), left);
	}
	i->deprecated = is;
}

/* DHCPv6 is asked for what the router leaves to it, unless the router itself told the DNS
 * servers. */
static void use_automatic(struct iface *i, uint64_t now)
{
	const struct link_address *a = &i->seen.automatic_addr;
	struct address_result want;

	tell_deprecated(i, a, now);
	iface6_result(i, &want, &a->addr, a->prefix);
	use_result(i, &want, now);
	if (i->seen.routers.other && !want.n_dns && i->seen.link_local == INET6_USABLE)
		iface_dhcp6_start(i, true, now);
}

/* The kernel has removed an automatic address that another host has; true: there is no further
 * one. */
static bool take_duplicate(struct iface *i, uint64_t now)
{
	const struct inet_addr addr = i->duplicate;
	char name[INET_ADDR_TEXT];

	i->duplicate = (struct inet_addr){0};
	if (!addr.family)
		return false;
	if (i->seen.automatic == INET6_ABSENT)
		address_conflict(i, &addr, now);
	else
		report_log(iface_report(i), REPORT_WARN, i->dev.name, now,
			"%s is in use by another host", inet_text(&addr, name));
	return i->seen.automatic == INET6_ABSENT;
}

static void step_auto(struct iface *i, uint64_t now)
{
	/* Without a link-local address there is nothing to hear; its loss alone is no loss of the
	 * other. */
	if (i->seen.automatic == INET6_ABSENT && !has_link_local(i, now))
		return;
	if (take_duplicate(i, now))
		return;
	switch (i->seen.automatic) {
	case INET6_ABSENT: await_automatic(i, now); break;
	case INET6_TENTATIVE:
		iface_set_state(i, IFACE_CHECKING, now);
		say_checking(i);
		break;
	case INET6_DUPLICATE: address_conflict(i, &i->seen.automatic_addr.addr, now); break;
	case INET6_USABLE:
		if (i->settled || i->state == IFACE_CONFIGURED)
			use_automatic(i, now);
		else
			i->settle_at = min_u64(i->settle_at, now + SETTLE);
		break;
	}
}

/* What routers say of DNS changes beside a lease, too, and which gateways are on the link. */
static void renew_learnt(const struct iface *i, struct address_result *want)
{
	struct address_result fresh;

	if (!i->dhcp6 || !dhcp6_lease(i->dhcp6))
		return;
	iface6_result(i, &fresh, &want->addr, want->prefix);
	memcpy(want->dns, fresh.dns, sizeof(want->dns));
	want->n_dns = fresh.n_dns;
	memcpy(want->routes, fresh.routes, sizeof(want->routes));
	want->n_routes = fresh.n_routes;
	memcpy(want->search, fresh.search, sizeof(want->search));
}

/* A leased address is /128: which of its neighbours are on the link only an advertisement tells
 * (RFC 5942). */
static void await_route(struct iface *i, uint64_t now)
{
	bool heard = i->seen.routers.heard || i->state == IFACE_CONFIGURED;
	struct address_result want = i->result;

	if (!heard && i->route_end == NSEC_NEVER)
		i->route_end = now + ROUTE_WAIT;
	if (!heard && now < i->route_end) {
		iface_hint(i, CAUSE_RA_NONE, "address set, waiting for a router advertisement");
		return;
	}
	if (!heard)
		report_cause(iface_report(i), CAUSE_RA_NONE, i->dev.name, now,
			"nothing says what else is on this link; only routes of the command line "
			"are set");
	want.gateway = i->seen.routers.gateway;
	renew_learnt(i, &want);
	use_result(i, &want, now);
}

/* Of either6: a router that was not heard in time, behind a port that did not forward yet. */
static void turn_to_auto(struct iface *i, uint64_t now)
{
	report_log(iface_report(i), REPORT_INFO, i->dev.name, now,
		"an automatic address came before one of DHCPv6");
	i->way = ADDRESS_AUTO6;
	iface_dhcp_stop(i, now);
	i->stale = true;
}

static void step_dhcp(struct iface *i, uint64_t now)
{
	if (!i->applied && i->config.cfg.method == ADDRESS_EITHER6 &&
		i->seen.automatic == INET6_USABLE) {
		turn_to_auto(i, now);
		return;
	}
	if (!i->applied) {
		if (i->state != IFACE_ASKING && has_link_local(i, now) &&
			!iface_dhcp6_adopts(i, now))
			iface_dhcp6_start(i, false, now);
		return;
	}
	/* After a loss of carrier the lease is confirmed; without one this changes nothing. */
	if (i->seen.link_local == INET6_USABLE)
		iface_dhcp6_start(i, false, now);
	switch (i->seen.wanted) {
	case INET6_ABSENT:
		if (i->state == IFACE_CONFIGURED)
			address_vanished(i, now);
		iface_set_state(i, IFACE_CHECKING, now);
		iface_set_address(i, now);
		break;
	case INET6_DUPLICATE: address_conflict(i, &i->result.addr, now); break;
	case INET6_TENTATIVE: say_checking(i); break;
	case INET6_USABLE: await_route(i, now); break;
	}
}

/* --- looking ------------------------------------------------------------------------------- */

/* The address we set or want to set; none for those the kernel makes. */
static const struct inet_addr *wanted_address(const struct iface *i)
{
	if (i->way == ADDRESS_STATIC)
		return &i->config.cfg.addr;
	return i->way == ADDRESS_DHCP6 && i->result.addr.family ? &i->result.addr : NULL;
}

/* The router's answer takes as long as the kernel's check of the link-local address: both at
 * once. */
static void solicit_routers(struct iface *i)
{
	if (i->solicited || iface_method(i)->routers < INET6_ROUTERS_ROUTES ||
		i->seen.link_local != INET6_USABLE)
		return;
	i->solicited = true;
	inet6_solicit(i->dev.ifindex);
}

/* Takes the next step. A step may ask for another look; three are the most any needs. */
static void advance(struct iface *i, uint64_t now)
{
	for (int n = 0; n < 4 && i->stale && is_working(i); n++) {
		i->stale = false;
		if (inet6_look(i->room->links, i->dev.ifindex, wanted_address(i), &i->seen) < 0) {
			i->retry = now + SETTLE; /* others changed their addresses all the time */
			continue;
		}
		solicit_routers(i);
		iface_method(i)->step(i, now);
	}
}

void iface_notice(struct iface *i, const struct inet6_notice *notice)
{
	i->stale = true;
	if (notice->duplicate.family && !IN6_IS_ADDR_LINKLOCAL(&notice->duplicate.v6))
		i->duplicate = notice->duplicate;
}

static void begin(struct iface *i, uint64_t now)
{
	const struct address_config *cfg = &i->config.cfg;
	bool either = cfg->method == ADDRESS_EITHER6;

	i->servers.n = i->domains.n = 0;
	i->solicited = i->settled = false;
	i->duplicate = (struct inet_addr){0};
	if (either && !i->applied)
		i->way = ADDRESS_AUTO6;
	i->dad_end = cfg->dad_limit ? now + cfg->dad_limit : NSEC_NEVER;
	if (i->way == ADDRESS_AUTO6)
		limit_automatic(i, now);
	iface_set_state(i, IFACE_LINK_LOCAL, now);
	links_settle(i->room->links, i->dev.ifindex);
	/* What an earlier run leased goes before what routers might give. */
	if (either && iface_dhcp6_adopts(i, now))
		i->way = ADDRESS_DHCP6;
	i->stale = true;
	advance(i, now);
}

const struct iface_method iface6_methods[ADDRESS_METHOD_MAX] = {
	[ADDRESS_STATIC] = {INET6_ROUTERS_AS_IS, begin, step_static},
	[ADDRESS_LINK6] = {INET6_ROUTERS_NONE, begin, step_link},
	[ADDRESS_AUTO6] = {INET6_ROUTERS_ALL, begin, step_auto},
	[ADDRESS_DHCP6] = {INET6_ROUTERS_ROUTES, begin, step_dhcp},
	[ADDRESS_EITHER6] = {.routers = INET6_ROUTERS_ALL}, /* AUTO6, then DHCP6 */
};

/* --- what routers say beside addresses ----------------------------------------------------- */

/* The console is slow: told at once, then counted. */
static void tell_malformed(struct iface *i, uint64_t now)
{
	i->malformed++;
	if (now < i->malformed_quiet)
		return;
	report_log(iface_report(i), REPORT_WARN, i->dev.name, now,
		"%u router advertisement%s with malformed DNS options; the valid ones are used",
		i->malformed, i->malformed > 1 ? "s" : "");
	i->malformed = 0;
	i->malformed_quiet = now + QUIET;
}

void iface6_take_options(struct iface *i, const struct nd_options *o, uint64_t now)
{
	char search[ADDRESS_SEARCH_MAX + 1], *rest = search, *domain;

	i->parsing = false;
	if (o->malformed)
		tell_malformed(i, now);
	for (size_t n = 0; n < o->n_dns; n++)
		router_list_put(&i->servers, o->router, &o->dns[n], 16, o->lifetime_s, now);
	strscpy(search, o->search, sizeof(search));
	while ((domain = strsep(&rest, " ")))
		if (*domain)
			router_list_put(&i->domains, o->router, domain, strlen(domain),
				o->lifetime_s, now);
	i->stale = true;
}

/* --- time ---------------------------------------------------------------------------------- */

static uint64_t settle_end(const struct iface *i)
{
	return i->parsing && i->settle_at != NSEC_NEVER ? i->settle_at + PARSE_WAIT : i->settle_at;
}

uint64_t iface6_deadline(const struct iface *i)
{
	uint64_t at =
		min_u64(min_u64(i->dad_end, i->auto_end), min_u64(settle_end(i), i->route_end));

	if (i->stale && is_working(i))
		return 0;
	at = min_u64(at, router_list_deadline(&i->servers));
	return min_u64(at, router_list_deadline(&i->domains));
}

/* Not yet, and it should have been: a cause, or either6's other half. */
static void auto_late(struct iface *i, uint64_t now)
{
	/* One that is being checked is as good as there. */
	i->auto_end = i->seen.automatic == INET6_TENTATIVE ? now + NSEC_PER_SEC : NSEC_NEVER;
	if (i->seen.automatic == INET6_TENTATIVE)
		return;
	if (i->config.cfg.method == ADDRESS_EITHER6) {
		turn_to_dhcp(i, "no automatic address in time", now);
		return;
	}
	if (i->seen.link_local == INET6_USABLE)
		say_routers(i);
	report_cause(iface_report(i), i->hint.cause, i->dev.name, now,
		"no automatic address after %u s", (unsigned)((now - i->began) / NSEC_PER_SEC));
}

static void dad_late(struct iface *i, uint64_t now)
{
	i->dad_end = NSEC_NEVER;
	if (i->seen.link_local != INET6_USABLE)
		report_cause(iface_report(i), CAUSE_ADDRESS_FAILED, i->dev.name, now,
			"no usable link-local address after %u s",
			(unsigned)((now - i->began) / NSEC_PER_SEC));
}

void iface6_tick(struct iface *i, uint64_t now)
{
	if (is_working(i) && now >= i->auto_end)
		auto_late(i, now);
	if (is_working(i) && now >= i->dad_end)
		dad_late(i, now);
	if (now >= settle_end(i)) {
		i->settle_at = NSEC_NEVER;
		i->settled = i->stale = true;
	}
	i->stale = i->stale || now >= i->route_end;
	i->stale = router_list_expire(&i->servers, now) || i->stale;
	i->stale = router_list_expire(&i->domains, now) || i->stale;
	iface_dhcp_tick(i, now);
	advance(i, now);
	/* Passed, and await_route() has looked. */
	if (now >= i->route_end)
		i->route_end = NSEC_NEVER;
}
