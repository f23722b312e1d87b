// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iface: see iface.h.
 *
 *	no carrier --+--> asking ------> (probing) --> configured <--+
 *	             |      ^  DHCP        free?           |         |
 *	             |      +---- NAK, expired, conflict --+         |
 *	             +--> (probing) ------- static ------------------+
 *	                      conflict: rest, then probing
 *
 * From everywhere: carrier lost -> no carrier; interface gone -> gone; nothing helps -> failed.
 */
#include "address/iface.h"

#include <stdarg.h>
#include <sys/epoll.h>

#include "address/apply.h"
#include "report/report.h"

static const char *const state_names[IFACE_STATE_MAX] = {
	[IFACE_NO_CARRIER] = "no carrier",
	[IFACE_ASKING] = "asking",
	[IFACE_PROBING] = "probing",
	[IFACE_CONFIGURED] = "configured",
	[IFACE_CONFLICT] = "conflict",
	[IFACE_FAILED] = "failed",
	[IFACE_GONE] = "gone",
};

void iface_set_state(struct iface *i, enum iface_state to, uint64_t now)
{
	if (i->state != to)
		report_state(i->room->env->report, "address", i->dev.name, state_names[i->state],
			state_names[to], now);
	i->state = to;
}

/* A calloc'ed interface has no fds and no deadline; whatever is not set here begins as zero. */
int iface_new(struct iface **ret, const struct iface_room *room, const struct address_config *cfg)
{
	_cleanup_(iface_freep) struct iface *i = calloc(1, sizeof(*i));
	int e;

	if (!i)
		return -ENOMEM;
	i->room = room;
	i->fd = i->renew_fd = -1;
	i->retry = i->round_end = NSEC_NEVER;
	i->news.ifindex = cfg->ifindex;
	e = iface_config_copy(&i->config, cfg);
	if (e < 0)
		return e;
	*ret = i;
	i = NULL;
	return 0;
}

/* The room's fd is an epoll set: the events carry no data, since a dispatch asks every interface anyway. */
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

/* Silences the probe; it is closed when the next one begins, or at the end. */
static void end_probe(struct iface *i)
{
	if (!i->probe || !i->probing)
		return;
	epoll_ctl(i->room->epoll, EPOLL_CTL_DEL, arp_probe_fd(i->probe), NULL);
	arp_probe_mute(i->probe);
	i->probing = false;
}

struct iface *iface_free(struct iface *i)
{
	if (!i)
		return NULL;
	end_probe(i);
	arp_probe_free(i->probe);
	iface_unwatch(i->room, &i->fd);
	iface_unwatch(i->room, &i->renew_fd);
	dhcp4_free(i->dhcp);
	free(i);
	return NULL;
}

void iface_event(struct iface *i, enum address_event_type type, enum cause cause, const char *text)
{
	news_outcome(&i->news, type, cause, text);
}

void iface_hint(struct iface *i, enum cause cause, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	news_hint(&i->news, cause, fmt, args);
	va_end(args);
}

bool iface_pop_event(struct iface *i, struct address_event *ret)
{
	return news_pop(&i->news, ret);
}

/* Also the routes: those of a lease may lead to gateways the next lease does not know. */
void iface_release(struct iface *i)
{
	if (i->applied)
		apply_release(i->room->links, &i->result, i->config.cfg.metric);
	i->applied = false;
}

void iface_set_metric(struct iface *i, uint32_t metric)
{
	if (i->applied)
		apply_metric(i->room->links, &i->result, i->config.cfg.metric, metric);
	i->config.cfg.metric = metric;
}

/* A rail that lost its address. Under a mounted root the address stays: pulling it would only make it worse. */
void iface_lost(struct iface *i, enum cause cause, const char *text)
{
	end_probe(i);
	if (!i->room->keep)
		iface_release(i);
	iface_event(i, ADDRESS_LOST, cause, text);
}

/* The end of the road for this interface; addresses_remove() and a new addresses_add() begin anew. */
void iface_fail(struct iface *i, enum cause cause, const char *text, uint64_t now)
{
	iface_dhcp_stop(i, now);
	end_probe(i);
	iface_set_state(i, IFACE_FAILED, now);
	iface_event(i, ADDRESS_FAILED, cause, text);
}

/* --- using an address ---------------------------------------------------------------------- */

/* A link without ARP, or a socket that cannot be had, is no reason not to use the address. */
static bool begin_probe(struct iface *i, uint64_t now)
{
	end_probe(i);
	i->probe = arp_probe_free(i->probe);
	if (i->verified || i->result.addr.family != AF_INET ||
		i->config.cfg.probe == ADDRESS_PROBE_NONE ||
		arp_probe_new(&i->probe, &i->dev, i->result.addr.v4, now) < 0) {
		i->verified = true;
		return false;
	}
	iface_watch(i->room, arp_probe_fd(i->probe));
	i->probing = true;
	return true;
}

/* Sets the result. Anything but the address itself may fail and is told: the root may still be reached. */
static void apply(struct iface *i, uint64_t now)
{
	struct apply_outcome o;

	if (apply_result(i->room->links, &i->result, i->config.cfg.metric, &o) < 0) {
		iface_fail(i, o.cause, o.text, now);
		return;
	}
	if (o.cause)
		report_cause(i->room->env->report, o.cause, i->dev.name, now, "%s", o.text);
	i->applied = true;
	i->hindrance = CAUSE_NONE;
	news_clear(&i->news);
	i->round_end = NSEC_NEVER;
	iface_set_state(i, IFACE_CONFIGURED, now);
	iface_event(i, ADDRESS_CONFIGURED, CAUSE_NONE, "");
}

/*
 * A new address replaces the old one; the same address again (renewed with other options, after a loss
 * of carrier) is set over itself, which costs nothing and is not probed for again.
 */
void iface_use(struct iface *i, const struct address_result *want, uint64_t now)
{
	bool first = i->config.cfg.probe == ADDRESS_PROBE_FIRST || i->careful;

	if (!inet_equal(&i->result.addr, &want->addr)) {
		if (!i->room->keep)
			iface_release(i);
		i->verified = want->adopted;
	}
	i->result = *want;
	if (first && begin_probe(i, now)) {
		iface_set_state(i, IFACE_PROBING, now);
		return;
	}
	apply(i, now);
	if (!first && i->state == IFACE_CONFIGURED)
		begin_probe(i, now);
}

/*
 * Another host answers for our address. A lease is declined, which makes the server offer another one; a
 * static address is let go and tried again later, for there is no other.
 */
static void conflict(struct iface *i, uint64_t now)
{
	const struct link_hw *other = arp_probe_other(i->probe);
	struct hw_addr hw = {.len = other->len < HW_ADDR_MAX ? other->len : HW_ADDR_MAX};
	char text[128], addr[INET_ADDR_TEXT], by[HW_ADDR_TEXT];

	memcpy(hw.bytes, other->bytes, hw.len);
	snprintf(text, sizeof(text), "%s is in use by %s", inet_text(&i->result.addr, addr),
		hw_text(&hw, by));
	report_cause(i->room->env->report, CAUSE_ADDRESS_DUPLICATE, i->dev.name, now, "%s", text);
	end_probe(i);
	if (i->room->keep) {
		i->verified = true; /* said once; the root stands on it */
		return;
	}
	i->careful = true;
	iface_lost(i, CAUSE_ADDRESS_DUPLICATE, text);
	if (i->config.cfg.method == ADDRESS_DHCP4) {
		iface_dhcp_decline(i, now);
		return;
	}
	i->retry = now + IFACE_CONFLICT_REST;
	iface_set_state(i, IFACE_CONFLICT, now);
}

/*
 * A node with two rails in one subnet answers its own probe: the kernel speaks for each of its addresses on
 * every interface (arp_ignore 0). That is no other host.
 */
static bool answered_by_us(const struct iface *i)
{
	const struct link_hw *other = arp_probe_other(i->probe);
	struct hw_addr hw = {.len = other->len < HW_ADDR_MAX ? other->len : HW_ADDR_MAX};

	memcpy(hw.bytes, other->bytes, hw.len);
	return links_by_hw(i->room->links, &hw) != NULL;
}

/* The verdict of a probe under way, if there is one by now. */
static void tick_probe(struct iface *i, uint64_t now)
{
	enum arp_verdict v = i->probing ? arp_probe_dispatch(i->probe, now) : ARP_PROBING;

	if (v == ARP_CONFLICT && answered_by_us(i))
		v = ARP_CLEAR;
	if (v == ARP_CONFLICT) {
		conflict(i, now);
	} else if (v == ARP_CLEAR) {
		end_probe(i);
		i->verified = true;
		if (i->state == IFACE_PROBING)
			apply(i, now);
	}
}

/* Worked out anew each time: the interface may have been renamed meanwhile. */
static void use_static(struct iface *i, uint64_t now)
{
	struct address_result want;

	result_static(&want, &i->config.cfg, &i->dev);
	iface_use(i, &want, now);
}

/* --- the link ------------------------------------------------------------------------------ */

/* Everything begins here: an exchange's time is counted from the carrier on. */
static void carrier_up(struct iface *i, uint64_t now)
{
	i->began = now;
	i->spoke = false;
	i->rounds = 0;
	i->hindrance = CAUSE_NONE;
	if (i->config.cfg.method == ADDRESS_STATIC)
		use_static(i, now);
	else
		iface_dhcp_start(i, now);
}

/* The address stays on the interface: routes over it come back with the carrier. */
static void carrier_down(struct iface *i, enum iface_state to, enum cause cause, const char *text,
	uint64_t now)
{
	bool had = i->state == IFACE_CONFIGURED;

	end_probe(i);
	iface_dhcp_stop(i, now);
	iface_set_state(i, to, now);
	i->retry = i->round_end = NSEC_NEVER;
	if (had)
		iface_event(i, ADDRESS_LOST, cause, text);
	else
		iface_hint(i, cause, "%s", text);
}

/* What was set went with the interface; a new one under this index starts from nothing. */
static void gone(struct iface *i, uint64_t now)
{
	if (i->state == IFACE_GONE)
		return;
	carrier_down(i, IFACE_GONE, CAUSE_NETDEV_MISSING, "the interface is gone", now);
	i->applied = false;
}

/*
 * Told of any change, it compares the interface with the state we are in; so it does not matter how many
 * notifications there were, or that some were lost.
 */
void iface_link(struct iface *i, uint64_t now)
{
	const struct netdev *dev = links_by_index(i->room->links, i->config.cfg.ifindex);

	if (!dev) {
		gone(i, now);
		return;
	}
	i->dev = *dev;
	if (!i->applied || dev->mtu != i->result.mtu)
		i->link_mtu = dev->mtu;
	if (i->state == IFACE_FAILED)
		return;
	if (!dev->up && links_set_up(i->room->links, dev->ifindex, true) < 0) {
		iface_fail(i, CAUSE_NETDEV_CONFIG, links_error(i->room->links), now);
		return;
	}
	if (!dev->carrier && i->state != IFACE_NO_CARRIER)
		carrier_down(i, IFACE_NO_CARRIER, CAUSE_NETDEV_NO_CARRIER, "carrier lost", now);
	else if (!dev->carrier)
		iface_hint(i, CAUSE_NETDEV_NO_CARRIER, "waiting for carrier");
	else if (i->state == IFACE_NO_CARRIER || i->state == IFACE_GONE)
		carrier_up(i, now);
}

uint64_t iface_deadline(const struct iface *i)
{
	uint64_t at = min_u64(i->retry, iface_dhcp_deadline(i));

	if (news_pending(&i->news))
		return 0;
	return i->probing ? min_u64(at, arp_probe_deadline(i->probe)) : at;
}

/* Runs all timers; each looks at the time itself, so that a tick too many does no harm. */
void iface_tick(struct iface *i, uint64_t now)
{
	tick_probe(i, now);
	iface_dhcp_tick(i, now);
	if (i->state == IFACE_CONFLICT && now >= i->retry) {
		i->retry = NSEC_NEVER;
		use_static(i, now);
	}
}
