// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * links: the list of interfaces, kept by the kernel's notifications; see link.h. Two sockets:
 * requests and their answers on one, notifications on the other, so that neither has to be picked
 * out of the other.
 */
#include "link/private.h"

#include <linux/neighbour.h>
#include <net/if_arp.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <sys/socket.h>

#include "link/netdev.h"
#include "report/report.h"

/* A node has a few interfaces; virtual functions may make it hundreds. */
#define ENTRIES_MAX 2048
/* Notifications read per dispatch, so that a storm does not starve the other rooms. */
#define MESSAGES_PER_DISPATCH 64
#define DISCARD_MAX 65536
/* When the list of interfaces is read again that kept changing while it was read. */
#define LIST_PERIOD (100 * NSEC_PER_MSEC)

/*
 * libnl asks for 32 KiB, room for about ten link messages: one driver that makes its virtual
 * functions would flood it. FORCE goes beyond net.core.rmem_max and needs CAP_NET_ADMIN, which we
 * have.
 */
static void widen(int fd)
{
	const int size = 1 << 20;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

/* Interfaces that are gone stay until their event is popped, but are not found any more. */
struct entry *links_entry(const struct links *l, int ifindex)
{
	for (size_t i = 0; i < l->n_entries; i++)
		if (l->entries[i].dev.ifindex == ifindex && l->entries[i].news != NEWS_GONE)
			return &l->entries[i];
	return NULL;
}

/* The loopback interface is nobody's rail. */
static void report_change(const struct links *l, const struct netdev *dev, const char *from,
	const char *to, uint64_t now)
{
	if (dev->hwtype != ARPHRD_LOOPBACK && !streq(from, to))
		report_state(l->env->report, "link", dev->name, from, to, now);
}

/* Grows by doubling, within a limit no node comes near. */
static struct entry *add_entry(struct links *l)
{
	if (l->n_entries == l->n_allocated) {
		size_t n = l->n_allocated ? l->n_allocated * 2 : 8;
		struct entry *grown;

		if (n > ENTRIES_MAX)
			return NULL;
		grown = realloc(l->entries, n * sizeof(*grown));
		if (!grown)
			return NULL;
		l->entries = grown;
		l->n_allocated = n;
	}
	l->entries[l->n_entries] = (struct entry){.news = NEWS_ADDED};
	return &l->entries[l->n_entries++];
}

/* What is on top of a bond without partner has no carrier either. */
static void mask_carrier(const struct links *l, struct netdev *dev)
{
	const struct entry *own = links_entry(l, dev->ifindex);

	dev->no_partner = dev->no_partner && !(own && own->waived);
	for (size_t i = 0; i < l->n_entries; i++)
		if (l->entries[i].dev.no_partner && netdev_is_upper(dev, &l->entries[i].dev))
			dev->no_partner = true;
	dev->carrier = dev->carrier && !dev->no_partner;
}

/* Added or changed; a notification that changes nothing we know of is no event. */
static void take_link(struct links *l, const struct netdev *said, uint64_t now)
{
	struct entry *e = links_entry(l, said->ifindex);
	struct netdev as = *said;
	const struct netdev *dev = &as;

	mask_carrier(l, &as);
	if (!e) {
		e = add_entry(l);
		if (!e) {
			report_log(l->env->report, REPORT_WARN, dev->name, now,
				"too many network interfaces, this one is ignored");
			return;
		}
		report_change(l, dev, "absent", netdev_state_name(dev), now);
	} else {
		report_change(l, dev, netdev_state_name(&e->dev), netdev_state_name(dev), now);
		if (e->news == NEWS_NONE && memcmp(&e->dev, dev, sizeof(*dev)))
			e->news = NEWS_CHANGED;
	}
	e->dev = *dev;
	e->seen = true;
}

static void take_change(struct links *l, const struct netdev *dev, uint64_t now);

/* Reads the state of one interface. */
static void read_link(struct links *l, int ifindex, uint64_t now)
{
	struct netdev dev;
	struct nlmsghdr *h;

	if (netlink_get(l->rtnl, link_msg(RTM_GETLINK, 0, ifindex), "read interface", &h) == 0 &&
		netdev_parse(h, &dev) == 0)
		take_change(l, &dev, now);
}

/*
 * The kernel notifies of a slave whose partner it has found, not of the bond; and of a bond, not of
 * what is on top of it.
 */
static void take_change(struct links *l, const struct netdev *dev, uint64_t now)
{
	const struct entry *e;

	take_link(l, dev, now);
	e = links_entry(l, dev->ifindex);
	for (size_t i = 0; e && !e->dev.no_partner && i < l->n_entries; i++) {
		const struct entry *upper = &l->entries[i];

		if (upper->dev.no_partner && upper->news != NEWS_GONE &&
			netdev_is_upper(&upper->dev, &e->dev))
			read_link(l, upper->dev.ifindex, now);
	}
}

void links_waive_partner(struct links *l, int ifindex, uint64_t now)
{
	struct entry *e = links_entry(l, ifindex);

	if (!e)
		return;
	e->waived = true;
	e->dev.no_partner = false;
	read_link(l, ifindex, now);
}

/* Gone, and seen as down until then. */
static void drop_link(struct links *l, struct entry *e, uint64_t now)
{
	report_change(l, &e->dev, netdev_state_name(&e->dev), "absent", now);
	e->dev.up = e->dev.carrier = false;
	e->news = NEWS_GONE;
}

/*
 * Reads the whole list; interfaces that are not in it any more are gone. -EINTR: it was not the
 * whole one.
 */
static int read_list_once(struct links *l, uint64_t now)
{
	struct netdev dev;
	struct nlmsghdr *h;
	int e = netlink_send(l->rtnl, link_msg(RTM_GETLINK, NLM_F_DUMP, 0), "list interfaces");

	if (e < 0)
		return e;
	for (size_t i = 0; i < l->n_entries; i++)
		l->entries[i].seen = false;
	while ((e = netlink_next(l->rtnl, &h)) > 0)
		if (h->nlmsg_type == RTM_NEWLINK && netdev_parse(h, &dev) == 0)
			take_link(l, &dev, now);
	for (size_t i = 0; e == 0 && i < l->n_entries; i++)
		if (!l->entries[i].seen && l->entries[i].news != NEWS_GONE)
			drop_link(l, &l->entries[i], now);
	return e;
}

/*
 * A list that changed while it was read drops nothing; where it never stands still, a later one
 * does.
 */
static int read_list(struct links *l, uint64_t now)
{
	int e = -EINTR;

	for (int i = 0; e == -EINTR && i < NETLINK_LIST_TRIES; i++)
		e = read_list_once(l, now);
	l->read_again = e == -EINTR ? now + LIST_PERIOD : NSEC_NEVER;
	return e == -EINTR ? 0 : e;
}

int links_new(struct links **ret, const struct env *env, uint64_t now)
{
	static const int groups[] = {RTNLGRP_LINK, 0};
	_cleanup_(links_freep) struct links *l = calloc(1, sizeof(*l));
	int e;

	if (!l)
		return -ENOMEM;
	l->env = env;
	e = netlink_new(&l->rtnl, NETLINK_ROUTE);
	/* First listen, then read: nothing falls between. */
	e = e < 0 ? e : netlink_listen(&l->monitor, groups);
	if (e < 0)
		return e;
	widen(links_fd(l));
	e = read_list(l, now);
	if (e < 0)
		return e;
	*ret = l;
	l = NULL;
	return 0;
}

struct links *links_free(struct links *l)
{
	if (!l)
		return NULL;
	netlink_free(l->rtnl);
	nl_socket_free(l->monitor);
	free(l->entries);
	free(l);
	return NULL;
}

int links_fd(const struct links *l)
{
	return nl_socket_get_fd(l->monitor);
}

uint64_t links_deadline(const struct links *l)
{
	uint64_t at = l->read_again;

	/* Events may come of a call (links_new, links_probe), not of input: no sleep over them. */
	for (size_t i = 0; i < l->n_entries; i++)
		if (l->entries[i].news != NEWS_NONE)
			return 0;
	for (size_t i = 0; i < NEIGH_PROBES_MAX; i++)
		at = min_u64(at, neigh_deadline(&l->probes[i]));
	return at;
}

/* Link messages come also from bridges and other address families, about other things. */
static void take_message(struct links *l, struct nlmsghdr *h, uint64_t now)
{
	const struct ifinfomsg *ifi = nlmsg_data(h);
	struct netdev dev;
	struct entry *e;

	switch (h->nlmsg_type) {
	case RTM_NEWLINK:
		if (ifi->ifi_family == AF_UNSPEC && netdev_parse(h, &dev) == 0)
			take_change(l, &dev, now);
		break;
	case RTM_DELLINK:
		/* A bridge tells with its own family that a port left it: the port itself stays. */
		e = nlmsg_valid_hdr(h, sizeof(*ifi)) && ifi->ifi_family == AF_UNSPEC
			    ? links_entry(l, ifi->ifi_index)
			    : NULL;
		if (e)
			drop_link(l, e, now);
		break;
	case RTM_NEWNEIGH:
	case RTM_DELNEIGH:
		for (size_t i = 0; i < NEIGH_PROBES_MAX; i++)
			neigh_notice(&l->probes[i], h, l->rtnl, now);
		break;
	}
}

/*
 * Drops what is queued; more than DISCARD_MAX messages at once means that the list is stale again
 * soon.
 */
static void discard(const struct links *l)
{
	char byte;

	for (int i = 0; i < DISCARD_MAX; i++)
		if (recv(links_fd(l), &byte, sizeof(byte), MSG_DONTWAIT) < 0 && errno == EAGAIN)
			return;
}

/*
 * The kernel dropped notifications. What is still queued is older than the loss and would bring
 * back interfaces that are gone: away with it, then read the list and ask the neighbours again.
 */
static int recover(struct links *l, uint64_t now)
{
	report_log(l->env->report, REPORT_DEBUG, "link", now, "notifications lost, reading again");
	discard(l);
	for (size_t i = 0; i < NEIGH_PROBES_MAX; i++)
		if (neigh_running(&l->probes[i]))
			neigh_ask(&l->probes[i], l->rtnl, now);
	return read_list(l, now);
}

/* ENOBUFS is the kernel's way to say that the socket's buffer has overrun. */
static int read_messages(struct links *l, uint64_t now)
{
	char buffer[16384] __attribute__((aligned(NLMSG_ALIGNTO)));

	for (int i = 0; i < MESSAGES_PER_DISPATCH; i++) {
		struct nlmsghdr *h = (struct nlmsghdr *)buffer;
		ssize_t n = recv(links_fd(l), buffer, sizeof(buffer), MSG_DONTWAIT);
		int left = (int)n;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n < 0)
			return errno == ENOBUFS ? recover(l, now) : -errno;
		for (; nlmsg_ok(h, left); h = nlmsg_next(h, &left))
			take_message(l, h, now);
	}
	return 0;
}

int links_dispatch(struct links *l, uint64_t now)
{
	int e = read_messages(l, now);
	bool running = false;

	if (e >= 0 && now >= l->read_again)
		e = read_list(l, now);

	for (size_t i = 0; i < NEIGH_PROBES_MAX; i++) {
		neigh_tick(&l->probes[i], l->rtnl, now);
		running = running || neigh_running(&l->probes[i]);
	}
	if (l->hears_neighbours && !running) {
		nl_socket_drop_memberships(l->monitor, RTNLGRP_NEIGH, 0);
		l->hears_neighbours = false;
	}
	return e;
}

/* In the order of the list; each interface at most once. */
static bool pop_link(struct links *l, struct link_event *ret)
{
	static const enum link_event_type types[] = {
		[NEWS_ADDED] = LINK_ADDED,
		[NEWS_CHANGED] = LINK_CHANGED,
		[NEWS_GONE] = LINK_GONE,
	};

	for (size_t i = 0; i < l->n_entries; i++) {
		struct entry *e = &l->entries[i];

		if (e->news == NEWS_NONE)
			continue;
		*ret = (struct link_event){.type = types[e->news], .dev = e->dev};
		if (e->news == NEWS_GONE)
			*e = l->entries[--l->n_entries];
		else
			e->news = NEWS_NONE;
		return true;
	}
	return false;
}

/* Interfaces first: a probe's result may concern one that is new. */
bool links_pop_event(struct links *l, struct link_event *ret)
{
	if (pop_link(l, ret))
		return true;
	for (size_t i = 0; i < NEIGH_PROBES_MAX; i++) {
		struct neigh_probe *p = &l->probes[i];
		const struct entry *e;

		if (p->state != NEIGH_REACHABLE && p->state != NEIGH_FAILED)
			continue;
		e = links_entry(l, p->ifindex);
		*ret = (struct link_event){
			.type = p->state == NEIGH_REACHABLE ? LINK_NEIGH_REACHABLE
							    : LINK_NEIGH_FAILED,
			.addr = p->addr,
		};
		if (e)
			ret->dev = e->dev;
		p->state = NEIGH_FREE;
		return true;
	}
	return false;
}

const struct netdev *links_next(const struct links *l, const struct netdev *prev)
{
	/* dev is the first member: its address is the entry's. */
	const struct entry *e = prev ? (const struct entry *)(const void *)prev + 1 : l->entries;

	for (; e && e < l->entries + l->n_entries; e++)
		if (e->news != NEWS_GONE)
			return &e->dev;
	return NULL;
}

const struct netdev *links_by_index(const struct links *l, int ifindex)
{
	const struct entry *e = links_entry(l, ifindex);

	return e ? &e->dev : NULL;
}

const struct netdev *links_by_name(const struct links *l, const char *name)
{
	const struct netdev *dev = NULL;

	while ((dev = links_next(l, dev)))
		if (streq(dev->name, name))
			return dev;
	return NULL;
}

const struct netdev *links_by_hw(const struct links *l, const struct hw_addr *hw)
{
	const struct netdev *dev = NULL, *made = NULL;

	while ((dev = links_next(l, dev))) {
		if (!netdev_matches(dev, hw))
			continue;
		if (!*dev->kind)
			return dev;
		made = made ? made : dev;
	}
	return made;
}

const char *links_error(const struct links *l)
{
	return l->error;
}
