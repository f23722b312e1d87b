// SPDX-License-Identifier: GPL-2.0-or-later
/* iface6_steps: what each method does with what the kernel has come to; see iface6.h. */
#include <linux/if_addr.h>

#include "address/apply.h"
#include "address/iface6.h"
#include "report/report.h"

/*
 * The kernel works an advertisement off option by option: it tells of the flags before the addresses are made, and of
 * the DNS servers after that.
 */
#define SETTLE	    (20 * NSEC_PER_MSEC)
/* How long a DHCPv6 address waits for the advertisement that says what is on the link. */
#define ROUTE_WAIT  (3 * NSEC_PER_SEC)
/* Any host can have an address deprecated and not deprecated in turns, at line rate. */
#define DEPRECATED_QUIET (60 * NSEC_PER_SEC)

/* --- results ------------------------------------------------------------------------------- */

void iface6_result(const struct iface6 *i, struct address_result *ret, const struct inet_addr *addr, unsigned prefix)
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
		.lease = i->dhcp ? dhcp6_lease(i->dhcp) : NULL,
		.client = &i->client,
	};

	router_list_domains(&i->domains, search);
	if (i->way == ADDRESS_STATIC)
		result_static(ret, &i->config.cfg, &i->dev);
	else
		result_inet6(ret, &i->config.cfg, &i->dev, &from);
	if (i->careful && ret->probe == ADDRESS_PROBE_PARALLEL)
		ret->probe = ADDRESS_PROBE_FIRST;
}

/* The default route of all but a static address is what routers say: the kernel's business. */
bool iface6_set_address(struct iface6 *i, uint64_t now)
{
	struct address_result set = i->result;
	struct apply_outcome o;

	if (i->way != ADDRESS_STATIC)
		set.gateway = (struct inet_addr){0};
	if (apply_result(i->room->links, &set, i->config.cfg.metric, &o) < 0) {
		iface6_fail(i, o.cause, o.text, now);
		return false;
	}
	if (o.cause)
		report_cause(i->room->env->report, o.cause, i->dev.name, now, "%s", o.text);
	i->applied = true;
	i->result.adopted = i->result.adopted || o.adopted;
	i->stale = true;
	return true;
}

/* What the kernel made by itself still wants MTU and routes. */
static void set_around(struct iface6 *i, uint64_t now)
{
	struct apply_outcome o;

	apply_around(i->room->links, &i->result, i->config.cfg.metric, &o);
	if (o.cause)
		report_cause(i->room->env->report, o.cause, i->dev.name, now, "%s", o.text);
}

void iface6_done(struct iface6 *i, const struct address_result *want, uint64_t now)
{
	bool same = i->state == IFACE6_CONFIGURED && inet_equal(&i->result.addr, &want->addr);

	i->result = *want;
	i->retry = i->dad_end = i->auto_end = i->settle_at = i->route_end = i->dhcp_end = NSEC_NEVER;
	if (same)
		return; /* only what belongs to it has changed */
	i->hindrance = CAUSE_NONE;
	news_clear(&i->news);
	if (i->way == ADDRESS_AUTO6 || i->way == ADDRESS_LINK6)
		set_around(i, now);
	iface6_set_state(i, IFACE6_CONFIGURED, now);
	iface6_event(i, ADDRESS_CONFIGURED, CAUSE_NONE, "");
}

/* --- the steps of each method -------------------------------------------------------------- */

/* Another host has the address: what we can, we do over after a rest. */
static void conflict(struct iface6 *i, const struct inet_addr *addr, uint64_t now)
{
	char text[128], name[INET_ADDR_TEXT];

	snprintf(text, sizeof(text), "%s is in use by another host", inet_text(addr, name));
	report_cause(i->room->env->report, CAUSE_ADDRESS_DUPLICATE, i->dev.name, now, "%s", text);
	if (i->room->keep)
		return;
	i->careful = true;
	if (i->applied || i->state == IFACE6_CONFIGURED)
		iface6_lost(i, CAUSE_ADDRESS_DUPLICATE, text);
	else
		iface6_hint(i, CAUSE_ADDRESS_DUPLICATE, "%s", text);
	if (i->way == ADDRESS_DHCP6 && i->dhcp && dhcp6_lease(i->dhcp) && !i->informs) {
		iface6_dhcp_decline(i, now);
		return;
	}
	iface6_dhcp_stop(i, now);
	i->retry = now + IFACE_CONFLICT_REST;
	iface6_set_state(i, IFACE6_CONFLICT, now);
}

/* The address that made the rail usable is not there any more. */
static void vanished(struct iface6 *i, uint64_t now)
{
	char text[128], name[INET_ADDR_TEXT];

	snprintf(text, sizeof(text), "%s is gone", inet_text(&i->result.addr, name));
	i->applied = false;
	iface6_event(i, ADDRESS_LOST, CAUSE_ADDRESS_VANISHED, text);
	iface6_set_state(i, IFACE6_LINK_LOCAL, now);
}

/* True when the link-local address is usable; otherwise says what is in the way. */
static bool has_link_local(struct iface6 *i, uint64_t now)
{
	switch (i->seen.link_local) {
	case INET6_USABLE: i->dad_end = NSEC_NEVER; return true;
	case INET6_DUPLICATE: conflict(i, &i->seen.link_local_addr, now); return false;
	case INET6_TENTATIVE:
		iface6_hint(i, CAUSE_ADDRESS_DUPLICATE, "checking whether the link-local address is free");
		break;
	case INET6_ABSENT: iface6_hint(i, CAUSE_ADDRESS_FAILED, "waiting for the link-local address"); break;
	}
	if (i->state == IFACE6_CONFIGURED)
		vanished(i, now);
	return false;
}

static void step_link(struct iface6 *i, uint64_t now)
{
	struct address_result want;

	if (!has_link_local(i, now))
		return;
	iface6_result(i, &want, &i->seen.link_local_addr, 64);
	iface6_done(i, &want, now);
}

/* Set at once, used when the kernel has found nobody else with it. */
static void step_static(struct iface6 *i, uint64_t now)
{
	struct address_result want;

	iface6_result(i, &want, &i->config.cfg.addr, i->config.cfg.prefix);
	if (i->applied && i->seen.wanted == INET6_ABSENT && i->state == IFACE6_CONFIGURED)
		vanished(i, now);
	if (!i->applied || i->seen.wanted == INET6_ABSENT) {
		i->result = want;
		iface6_set_state(i, IFACE6_CHECKING, now);
		iface6_set_address(i, now);
	} else if (i->seen.wanted == INET6_DUPLICATE) {
		conflict(i, &i->config.cfg.addr, now);
	} else if (i->seen.wanted == INET6_TENTATIVE) {
		iface6_hint(i, CAUSE_ADDRESS_DUPLICATE, "checking whether the address is free");
	} else {
		want.adopted = i->result.adopted;
		iface6_done(i, &want, now);
	}
}

/* either6: on to DHCPv6, and the router's flags or its silence say why. */
void iface6_turn_to_dhcp(struct iface6 *i, const char *why, uint64_t now)
{
	report_log(i->room->env->report, REPORT_INFO, i->dev.name, now, "%s, asking DHCPv6", why);
	i->way = ADDRESS_DHCP6;
	i->auto_end = i->settle_at = NSEC_NEVER;
	iface6_dhcp_stop(i, now);
	i->stale = true;
}

/* What routers have said so far, as the cause it would be if nothing else came. */
void iface6_say_routers(struct iface6 *i)
{
	const struct link_routers *r = &i->seen.routers;

	if (!r->heard)
		iface6_hint(i, CAUSE_RA_NONE, "waiting for a router advertisement");
	else if (r->managed)
		iface6_hint(i, CAUSE_RA_MANAGED, "the router says that addresses come by DHCPv6 only");
	else
		iface6_hint(i, CAUSE_RA_NO_PREFIX, "the router advertises no prefix to make an address of");
}

/* No automatic address yet. The managed flag counts once the advertisement has been worked off. */
static void await_automatic(struct iface6 *i, uint64_t now)
{
	bool either = i->config.cfg.method == ADDRESS_EITHER6;

	if (i->state == IFACE6_CONFIGURED)
		vanished(i, now);
	iface6_set_state(i, IFACE6_ROUTERS, now);
	if (i->seen.routers.managed && !i->settled)
		i->settle_at = min_u64(i->settle_at, now + SETTLE);
	else if (i->seen.routers.managed && either)
		iface6_turn_to_dhcp(i, "the router says that addresses come by DHCPv6", now);
	else
		iface6_say_routers(i);
}

/* One advertisement of any host does that: no reason to give the address up, but one to say so. */
static void tell_deprecated(struct iface6 *i, const struct link_address *a, uint64_t now)
{
	bool is = a->flags & IFA_F_DEPRECATED;
	char name[INET_ADDR_TEXT], left[24] = "for ever";

	if (a->valid_s != LINK_FOREVER)
		snprintf(left, sizeof(left), "for %u s", a->valid_s);
	if (is && !i->deprecated && now >= i->deprecated_quiet) {
		i->deprecated_quiet = now + DEPRECATED_QUIET;
		report_log(i->room->env->report, REPORT_WARN, i->dev.name, now,
			"a router deprecated %s (preferred lifetime 0); there is no other, used while it is valid, %s",
			inet_text(&a->addr, name), left);
	}
	i->deprecated = is;
}

/* DHCPv6 is asked for what the router leaves to it, unless the router itself told the DNS servers. */
static void use_automatic(struct iface6 *i, uint64_t now)
{
	const struct link_address *a = &i->seen.automatic_addr;
	struct address_result want;

	tell_deprecated(i, a, now);
	iface6_result(i, &want, &a->addr, a->prefix);
	iface6_done(i, &want, now);
	if (i->seen.routers.other && !want.n_dns && i->seen.link_local == INET6_USABLE && !i->dhcp)
		iface6_dhcp_start(i, true, now);
}

/* The kernel has removed an automatic address that another host has; a further one may be left. True: none is. */
static bool take_duplicate(struct iface6 *i, uint64_t now)
{
	const struct inet_addr addr = i->duplicate;
	char name[INET_ADDR_TEXT];

	i->duplicate = (struct inet_addr){0};
	if (!addr.family)
		return false;
	if (i->seen.automatic == INET6_ABSENT)
		conflict(i, &addr, now);
	else
		report_log(i->room->env->report, REPORT_WARN, i->dev.name, now, "%s is in use by another host",
			inet_text(&addr, name));
	return i->seen.automatic == INET6_ABSENT;
}

static void step_auto(struct iface6 *i, uint64_t now)
{
	const struct link_address *a = &i->seen.automatic_addr;

	/* Without a link-local address there is nothing to hear; a loss of it alone is no loss of the other. */
	if (i->seen.automatic == INET6_ABSENT && !has_link_local(i, now))
		return;
	if (take_duplicate(i, now))
		return;
	switch (i->seen.automatic) {
	case INET6_ABSENT: await_automatic(i, now); break;
	case INET6_TENTATIVE:
		iface6_set_state(i, IFACE6_CHECKING, now);
		iface6_hint(i, CAUSE_ADDRESS_DUPLICATE, "checking whether the address is free");
		break;
	case INET6_DUPLICATE: conflict(i, &a->addr, now); break;
	case INET6_USABLE:
		if (i->settled || i->state == IFACE6_CONFIGURED)
			use_automatic(i, now);
		else
			i->settle_at = min_u64(i->settle_at, now + SETTLE);
		break;
	}
}

/* What routers say of DNS changes beside a lease, too. */
static void renew_dns(const struct iface6 *i, struct address_result *want)
{
	struct address_result fresh;

	if (!i->dhcp || !dhcp6_lease(i->dhcp))
		return;
	iface6_result(i, &fresh, &want->addr, want->prefix);
	memcpy(want->dns, fresh.dns, sizeof(want->dns));
	want->n_dns = fresh.n_dns;
	memcpy(want->search, fresh.search, sizeof(want->search));
}

/* A leased address is /128: which of its neighbours are on the link only an advertisement tells (RFC 5942). */
static void await_route(struct iface6 *i, uint64_t now)
{
	struct address_result want = i->result;

	bool heard = i->seen.routers.heard || i->state == IFACE6_CONFIGURED;

	if (!heard && i->route_end == NSEC_NEVER)
		i->route_end = now + ROUTE_WAIT;
	if (!heard && now < i->route_end) {
		iface6_hint(i, CAUSE_RA_NONE, "has its address, waiting for a router advertisement");
		return;
	}
	if (!heard)
		report_cause(i->room->env->report, CAUSE_RA_NONE, i->dev.name, now,
			"nothing says what else is on this link; only routes of the command line are set");
	want.gateway = i->seen.routers.gateway;
	renew_dns(i, &want);
	iface6_done(i, &want, now);
}

static void step_dhcp(struct iface6 *i, uint64_t now)
{
	if (!i->applied) {
		if (i->state != IFACE6_ASKING && has_link_local(i, now) && !iface6_adopts(i, now))
			iface6_dhcp_start(i, false, now);
		return;
	}
	/* After a loss of carrier the lease is confirmed; without one this changes nothing. */
	if (i->seen.link_local == INET6_USABLE)
		iface6_dhcp_start(i, false, now);
	switch (i->seen.wanted) {
	case INET6_ABSENT:
		if (i->state == IFACE6_CONFIGURED)
			vanished(i, now);
		iface6_set_state(i, IFACE6_CHECKING, now);
		iface6_set_address(i, now);
		break;
	case INET6_DUPLICATE: conflict(i, &i->result.addr, now); break;
	case INET6_TENTATIVE:
		iface6_hint(i, CAUSE_ADDRESS_DUPLICATE, "checking whether the address is free");
		break;
	case INET6_USABLE: await_route(i, now); break;
	}
}

static void (*const steps[ADDRESS_METHOD_MAX])(struct iface6 *i, uint64_t now) = {
	[ADDRESS_STATIC] = step_static,
	[ADDRESS_LINK6] = step_link,
	[ADDRESS_AUTO6] = step_auto,
	[ADDRESS_DHCP6] = step_dhcp,
};

/* The address we set or want to set; none for those the kernel makes. */
static const struct inet_addr *wanted(const struct iface6 *i)
{
	if (i->way == ADDRESS_STATIC)
		return &i->config.cfg.addr;
	return i->way == ADDRESS_DHCP6 && i->result.addr.family ? &i->result.addr : NULL;
}

/* The router's answer takes as long as the kernel's check of the link-local address: both at the same time. */
static void solicit(struct iface6 *i)
{
	if (i->solicited || i->way == ADDRESS_STATIC || i->way == ADDRESS_LINK6 || i->seen.routers.heard ||
		i->seen.link_local != INET6_USABLE)
		return;
	i->solicited = true;
	inet6_solicit(i->dev.ifindex);
}

/* Takes the next step. A step may ask for another look; three are the most any needs. */
void iface6_advance(struct iface6 *i, uint64_t now)
{
	for (int n = 0; n < 4 && i->stale && iface6_works(i); n++) {
		i->stale = false;
		if (inet6_look(i->room->links, i->dev.ifindex, wanted(i), &i->seen) < 0)
			continue;
		solicit(i);
		steps[i->way](i, now);
	}
}
