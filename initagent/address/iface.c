// SPDX-License-Identifier: GPL-2.0-or-later
/* iface: states, link, conflicts; see iface.h. */
#include "address/iface.h"

#include <stdarg.h>
#include <sys/epoll.h>

#include "report/report.h"

/* While the module ipv6 is being loaded there is no event for it: look again after 20 ms,
 * doubling. */
#define STACK_LOOK_FIRST (20 * NSEC_PER_MSEC)
/* The last pause before an interface that cannot be set up is given up, after 10 s in all. */
#define UP_PAUSE_MAX	 (6 * NSEC_PER_SEC)

static const char *const state_names[IFACE_STATE_MAX] = {
	[IFACE_NO_CARRIER] = "no carrier",
	[IFACE_LINK_LOCAL] = "link-local address",
	[IFACE_ROUTERS] = "listening to routers",
	[IFACE_ASKING] = "asking",
	[IFACE_CHECKING] = "checking",
	[IFACE_CONFIGURED] = "configured",
	[IFACE_CONFLICT] = "conflict",
	[IFACE_FAILED] = "failed",
	[IFACE_GONE] = "gone",
};

void iface_set_state(struct iface *i, enum iface_state to, uint64_t now)
{
	const char *six = i->family == AF_INET6 ? "IPv6: " : "";
	char from_text[40], to_text[40];

	if (i->state != to) {
		snprintf(from_text, sizeof(from_text), "%s%s", six, state_names[i->state]);
		snprintf(to_text, sizeof(to_text), "%s%s", six, state_names[to]);
		report_state(iface_report(i), "address", i->dev.name, from_text, to_text, now);
	}
	i->state = to;
}

void iface_no_times(struct iface *i)
{
	i->retry = i->dhcp_end = NSEC_NEVER;
	i->dad_end = i->auto_end = i->settle_at = i->route_end = NSEC_NEVER;
}

int iface_new(struct iface **ret, const struct iface_room *room, int family,
	const struct address_config *cfg)
{
	_cleanup_(iface_freep) struct iface *i = calloc(1, sizeof(*i));
	int e;

	if (!i)
		return -ENOMEM;
	i->room = room;
	i->family = family;
	i->fd = i->renew_fd = i->probe.fd = -1;
	i->pause = STACK_LOOK_FIRST;
	iface_no_times(i);
	e = iface_config_copy(&i->config, cfg);
	if (e < 0)
		return e;
	i->way = cfg->method == ADDRESS_EITHER6 ? ADDRESS_AUTO6 : cfg->method;
	*ret = i;
	i = NULL;
	return 0;
}

/*
 * The room's fd is an epoll set: the events carry no data, since a dispatch asks every interface.
 */
void iface_watch(const struct iface_room *room, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN};

	if (fd >= 0)
		epoll_ctl(room->epoll, EPOLL_CTL_ADD, fd, &ev);
}

/* Explicitly out of the set: a child forked meanwhile may hold a copy, which would keep it in. */
void iface_unwatch(const struct iface_room *room, int *fd)
{
	if (*fd < 0)
		return;
	epoll_ctl(room->epoll, EPOLL_CTL_DEL, *fd, NULL);
	close(*fd);
	*fd = -1;
}

struct iface *iface_free(struct iface *i)
{
	if (!i)
		return NULL;
	if (i->prepared)
		inet6_restore(i->room->env, i->dev.name, &i->saved);
	iface4_end_probe(i);
	closep(&i->probe.fd);
	iface_unwatch(i->room, &i->fd);
	iface_unwatch(i->room, &i->renew_fd);
	dhcp4_free(i->dhcp4);
	dhcp6_free(i->dhcp6);
	free(i);
	return NULL;
}

/* --- events -------------------------------------------------------------------------------- */

/* The newest says it all: a loss that was made good, or a success that was lost, is old. */
void iface_event(struct iface *i, enum address_event_type type, enum cause cause, const char *text)
{
	i->outcome = (struct address_event){.type = type, .ifindex = i->config.cfg.ifindex,
		.cause = cause};
	strscpy(i->outcome.text, text, sizeof(i->outcome.text));
	i->has_outcome = true;
	/* The owner forgets what was in the way: the same hindrance again is to be told then. */
	if (!i->has_hint)
		i->hint = (struct address_event){0};
}

void iface_hint(struct iface *i, enum cause cause, const char *fmt, ...)
{
	struct address_event was = i->hint;
	va_list args;

	i->hint = (struct address_event){.type = ADDRESS_HINDRANCE,
		.ifindex = i->config.cfg.ifindex, .cause = cause};
	va_start(args, fmt);
	vsnprintf(i->hint.text, sizeof(i->hint.text), fmt, args);
	va_end(args);
	if (was.cause != cause || !streq(was.text, i->hint.text))
		i->has_hint = true;
}

bool iface_pop_event(struct iface *i, struct address_event *ret)
{
	bool *has = i->has_outcome ? &i->has_outcome : &i->has_hint;

	if (!*has)
		return false;
	*ret = i->has_outcome ? i->outcome : i->hint;
	*has = false;
	return true;
}

/* --- addresses ----------------------------------------------------------------------------- */

/* The default route of all IPv6 addresses but a static one is what routers say: set by the
 * kernel. */
static struct address_result own_part(const struct iface *i)
{
	struct address_result set = i->result;

	if (i->family == AF_INET6 && i->way != ADDRESS_STATIC)
		set.gateway = (struct inet_addr){0};
	return set;
}

/* Also the routes: those of a lease may lead to gateways the next lease does not know. */
void iface_release(struct iface *i)
{
	const struct address_result set = own_part(i);

	if (i->applied)
		apply_release(i->room->links, &set, i->config.cfg.metric);
	i->applied = false;
}

void iface_set_metric(struct iface *i, uint32_t metric)
{
	const struct address_result set = own_part(i);

	if (i->applied)
		apply_metric(i->room->links, &set, i->config.cfg.metric, metric);
	i->config.cfg.metric = metric;
}

/* Anything but the address itself may fail and is told: the root may still be reached. */
bool iface_set_address(struct iface *i, uint64_t now)
{
	const struct address_result set = own_part(i);
	struct apply_outcome o;

	if (apply_result(i->room->links, &set, i->config.cfg.metric, &o) < 0) {
		iface_fail(i, o.cause, o.text, now);
		return false;
	}
	if (o.cause)
		report_cause(iface_report(i), o.cause, i->dev.name, now, "%s", o.text);
	i->applied = i->stale = true;
	if (i->family == AF_INET6)
		i->result.adopted = i->result.adopted || o.adopted;
	return true;
}

void iface_configured(struct iface *i, uint64_t now)
{
	i->hindrance = CAUSE_NONE;
	i->has_hint = false;
	i->hint = (struct address_event){0};
	iface_no_times(i);
	iface_set_state(i, IFACE_CONFIGURED, now);
	iface_event(i, ADDRESS_CONFIGURED, CAUSE_NONE, "");
}

/* Under a mounted root the address stays: pulling it would only make it worse. */
void iface_lost(struct iface *i, enum cause cause, const char *text)
{
	iface4_end_probe(i);
	if (!i->room->keep)
		iface_release(i);
	iface_event(i, ADDRESS_LOST, cause, text);
}

/* For good; addresses_remove() and addresses_add() start over. */
void iface_fail(struct iface *i, enum cause cause, const char *text, uint64_t now)
{
	iface_dhcp_stop(i, now);
	iface4_end_probe(i);
	iface_no_times(i);
	iface_set_state(i, IFACE_FAILED, now);
	iface_event(i, ADDRESS_FAILED, cause, text);
}

void iface_conflict(struct iface *i, const char *text, bool had, uint64_t now)
{
	report_cause(iface_report(i), CAUSE_ADDRESS_DUPLICATE, i->dev.name, now, "%s", text);
	if (i->room->keep)
		return;
	i->careful = true;
	if (had)
		iface_lost(i, CAUSE_ADDRESS_DUPLICATE, text);
	else
		iface_hint(i, CAUSE_ADDRESS_DUPLICATE, "%s", text);
	if (iface_dhcp_decline(i, now))
		return;
	iface_dhcp_stop(i, now);
	iface_no_times(i);
	i->retry = now + IFACE_CONFLICT_REST;
	iface_set_state(i, IFACE_CONFLICT, now);
}

/* --- the link ------------------------------------------------------------------------------ */

/* The address stays on the interface: routes over it come back with the carrier. */
static void carrier_down(struct iface *i, enum iface_state to, enum cause cause, const char *text,
	uint64_t now)
{
	bool had = i->state == IFACE_CONFIGURED;

	iface4_end_probe(i);
	iface_dhcp_stop(i, now);
	iface_no_times(i);
	iface_set_state(i, to, now);
	if (had)
		iface_event(i, ADDRESS_LOST, cause, text);
	else
		iface_hint(i, cause, "%s", text);
}

/* What was set went with the interface; a new one under this index starts from nothing. */
static void interface_gone(struct iface *i, uint64_t now)
{
	if (i->state == IFACE_GONE)
		return;
	carrier_down(i, IFACE_GONE, CAUSE_NETDEV_MISSING, "the interface is gone", now);
	i->applied = i->prepared = false;
}

/* A driver that resets its device is busy for some seconds, and does not say when it is over. */
static void not_up(struct iface *i, uint64_t now)
{
	const char *why = links_error(i->room->links);

	if (links_gone(i->dev.ifindex)) {
		interface_gone(i, now);
	} else if (i->pause > UP_PAUSE_MAX) {
		iface_fail(i, CAUSE_NETDEV_CONFIG, why, now);
	} else if (i->retry == NSEC_NEVER) { /* else it waits already */
		if (i->state != IFACE_NO_CARRIER)
			carrier_down(i, IFACE_NO_CARRIER, CAUSE_NETDEV_CONFIG, why, now);
		iface_hint(i, CAUSE_NETDEV_CONFIG, "%s", why);
		i->retry = now + i->pause;
		i->pause *= 2;
	}
}

static bool may_begin(const struct iface *i)
{
	return (i->state == IFACE_NO_CARRIER || i->state == IFACE_GONE) && !i->room->hold;
}

/*
 * Told of any change, it compares the interface with the state we are in; so it does not matter how
 * many notifications there were, or that some were lost.
 */
void iface_link(struct iface *i, uint64_t now)
{
	const struct netdev *dev = links_by_index(i->room->links, i->config.cfg.ifindex);

	if (!dev) {
		interface_gone(i, now);
		return;
	}
	i->dev = *dev;
	/* it may have been renamed */
	memcpy(i->result.ifname, dev->name, sizeof(i->result.ifname));
	if (!i->applied || dev->mtu != i->result.mtu)
		i->link_mtu = dev->mtu;
	if (i->state == IFACE_FAILED || (i->family == AF_INET6 && !iface6_prepare(i, now)))
		return;
	if (!dev->up && links_set_up(i->room->links, dev->ifindex, true) < 0) {
		not_up(i, now);
		return;
	}
	i->pause = STACK_LOOK_FIRST;
	if (!dev->carrier && i->state != IFACE_NO_CARRIER) {
		carrier_down(i, IFACE_NO_CARRIER, CAUSE_NETDEV_NO_CARRIER, "carrier lost", now);
	} else if (dev->no_partner) {
		iface_hint(i, CAUSE_BOND_NO_PARTNER, "waiting for an LACP partner");
	} else if (!dev->carrier) {
		iface_hint(i, CAUSE_NETDEV_NO_CARRIER, "waiting for carrier");
	} else if (may_begin(i)) {
		i->began = now;
		i->hindrance = CAUSE_NONE;
		iface_method(i)->begin(i, now);
	}
}

/* --- packets and time ---------------------------------------------------------------------- */

void iface_read(struct iface *i, struct parser *parser, struct parse_request *scratch, uint64_t now)
{
	if (i->family == AF_INET6)
		iface_dhcp6_read(i, parser, scratch, now);
	else
		iface_dhcp4_read(i, parser, scratch);
}

void iface_take(struct iface *i, const struct parse_reply *reply, uint64_t now)
{
	if (reply->kind == PARSE_ND)
		iface6_take_options(i, &reply->options, now);
	else
		iface_dhcp_take(i, reply, now);
}

uint64_t iface_deadline(const struct iface *i)
{
	uint64_t at = min_u64(i->retry, iface_dhcp_deadline(i));

	if (i->has_outcome || i->has_hint)
		return 0;
	if (i->family == AF_INET6)
		return min_u64(at, iface6_deadline(i));
	return i->probing ? min_u64(at, arp_probe_deadline(&i->probe)) : at;
}

/* After the rest everything from the beginning; else what could not be looked at. */
static void try_again(struct iface *i, uint64_t now)
{
	i->retry = NSEC_NEVER;
	i->stale = true;
	if (i->state == IFACE_CONFLICT) {
		if (i->family == AF_INET6)
			iface6_rested(i);
		i->state = IFACE_NO_CARRIER;
	}
	iface_link(i, now);
}

/* Each timer looks at the time itself, so that a tick too many does no harm. */
void iface_tick(struct iface *i, uint64_t now)
{
	if (now >= i->retry)
		try_again(i, now);
	if (i->family == AF_INET6) {
		iface6_tick(i, now);
		return;
	}
	iface4_tick(i, now);
	iface_dhcp_tick(i, now);
}
