// SPDX-License-Identifier: GPL-2.0-or-later
#include "netwatch.h"

#include "guest.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <unistd.h>

/* What is set again so soon is the same answer of a server: half of the time until a lease is
 * renewed (guest/handover/dhcpd.conf). */
#define SAME_ANSWER_NS 5000000000ULL

/* NetworkManager writes a lease there with each answer; an address it keeps is not set anew. */
#define LEASES "/var/lib/NetworkManager"

static void event(struct netwatch *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void event(struct netwatch *w, const char *fmt, ...)
{
	unsigned long long ms = guest_now() / 1000000;
	va_list ap;

	fprintf(w->events, "%llu.%03llu ", ms / 1000, ms % 1000);
	va_start(ap, fmt);
	vfprintf(w->events, fmt, ap);
	va_end(ap);
	fputc('\n', w->events);
	fflush(w->events);
}

static const void *attribute(const struct rtattr *a, size_t len, unsigned short type)
{
	for (; RTA_OK(a, len); a = RTA_NEXT(a, len))
		if (a->rta_type == type)
			return RTA_DATA(a);
	return NULL;
}

static struct netwatch_link *link_find(struct netwatch *w, int index)
{
	for (size_t i = 0; i < NETWATCH_LINKS; i++)
		if (w->links[i].index == index)
			return &w->links[i];
	return NULL;
}

static void link_changed(
	struct netwatch *w, struct netwatch_link *l, const char *name, unsigned flags)
{
	unsigned lost = l->flags & ~flags;

	if (strcmp(l->name, name) != 0) {
		event(w, "link %s renamed %s", l->name, name);
		w->renamed++;
	}
	if (lost & IFF_UP)
		w->link_down++;
	if (lost & IFF_LOWER_UP)
		w->carrier_lost++;
	if ((l->flags ^ flags) & IFF_LOWER_UP) {
		atomic_store(&w->carrier_ns, guest_now());
		atomic_fetch_add(&w->carriers, 1);
	}
	if (l->flags != flags)
		event(w, "link %s flags %x -> %x", name, l->flags, flags);
}

static void on_link(struct netwatch *w, const struct nlmsghdr *h)
{
	const struct ifinfomsg *i = NLMSG_DATA(h);
	const char *name = attribute(IFLA_RTA(i), IFLA_PAYLOAD(h), IFLA_IFNAME);
	struct netwatch_link *l = link_find(w, i->ifi_index);

	if (!name || (i->ifi_flags & IFF_LOOPBACK))
		return;
	if (h->nlmsg_type == RTM_DELLINK) {
		event(w, "link %s gone", name);
		w->link_gone += l != NULL;
		if (l)
			l->index = 0;
		return;
	}
	if (l)
		link_changed(w, l, name, i->ifi_flags);
	else
		event(w, "link %s flags %x", name, i->ifi_flags);
	l = l ? l : link_find(w, 0);
	if (!l)
		return;
	l->index = i->ifi_index;
	l->flags = i->ifi_flags;
	snprintf(l->name, sizeof(l->name), "%s", name);
}

static const char *address_text(const void *a, char buf[INET_ADDRSTRLEN])
{
	return a ? inet_ntop(AF_INET, a, buf, INET_ADDRSTRLEN) : "0.0.0.0";
}

static const char *link_name(struct netwatch *w, int index)
{
	const struct netwatch_link *l = link_find(w, index);

	return l ? l->name : "lo";
}

/* A manager may set the same address several times, a moment apart: the answer it got is one. Its
 * life says nothing, as networkd leaves out the end of it (KeepConfiguration=yes). */
static void take_answer(struct netwatch *w)
{
	uint64_t now = guest_now();

	if (w->first)
		return;
	w->refreshed += now > w->answered + SAME_ANSWER_NS;
	if (w->answered && now - w->answered > w->unanswered)
		w->unanswered = now - w->answered;
	w->answered = now;
	w->first_answered = w->first_answered ? w->first_answered : now;
}

static void leases_look(struct netwatch *w)
{
	char buf[4096];
	struct inotify_event e;
	ssize_t n;

	while ((n = read(w->leases, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < n; at += (ssize_t)(sizeof(e) + e.len)) {
			const char *name = buf + at + sizeof(e);
			const char *end;

			memcpy(&e, buf + at, sizeof(e));
			end = e.len ? strrchr(name, '.') : NULL;
			if (!end || strcmp(end, ".lease") != 0)
				continue;
			event(w, "%s written", name);
			take_answer(w);
		}
}

static void on_address(struct netwatch *w, const struct nlmsghdr *h)
{
	const struct ifaddrmsg *a = NLMSG_DATA(h);
	const struct ifa_cacheinfo *life = attribute(IFA_RTA(a), IFA_PAYLOAD(h), IFA_CACHEINFO);
	const char *dev = link_name(w, (int)a->ifa_index);
	bool gone = h->nlmsg_type == RTM_DELADDR;
	char buf[INET_ADDRSTRLEN];

	if (a->ifa_family != AF_INET)
		return;
	event(w, "address %s/%u %s %s, valid for %d s",
		address_text(attribute(IFA_RTA(a), IFA_PAYLOAD(h), IFA_LOCAL), buf),
		a->ifa_prefixlen, dev, gone ? "gone" : "set", life ? (int)life->ifa_valid : -1);
	if (strcmp(dev, "lo") == 0)
		return;
	w->address_gone += gone;
	if (!gone)
		take_answer(w);
}

static void on_route(struct netwatch *w, const struct nlmsghdr *h)
{
	const struct rtmsg *r = NLMSG_DATA(h);
	const int *out = attribute(RTM_RTA(r), RTM_PAYLOAD(h), RTA_OIF);
	const unsigned *metric = attribute(RTM_RTA(r), RTM_PAYLOAD(h), RTA_PRIORITY);
	char dst[INET_ADDRSTRLEN];
	char via[INET_ADDRSTRLEN];

	if (r->rtm_family != AF_INET || r->rtm_table != RT_TABLE_MAIN)
		return;
	event(w, "route %s/%u via %s dev %s proto %u metric %u %s",
		address_text(attribute(RTM_RTA(r), RTM_PAYLOAD(h), RTA_DST), dst), r->rtm_dst_len,
		address_text(attribute(RTM_RTA(r), RTM_PAYLOAD(h), RTA_GATEWAY), via),
		out ? link_name(w, *out) : "-", r->rtm_protocol, metric ? *metric : 0,
		h->nlmsg_type == RTM_DELROUTE ? "gone" : "set");
	w->route_gone += h->nlmsg_type == RTM_DELROUTE;
}

static const struct {
	unsigned short type;
	void (*take)(struct netwatch *w, const struct nlmsghdr *h);
} kinds[] = {
	{RTM_NEWLINK, on_link},
	{RTM_DELLINK, on_link},
	{RTM_NEWADDR, on_address},
	{RTM_DELADDR, on_address},
	{RTM_NEWROUTE, on_route},
	{RTM_DELROUTE, on_route},
};

/* One datagram of messages. Returns 1: it ends a dump; 0: it does not; -errno. */
static int receive(struct netwatch *w, int flags)
{
	static _Alignas(8) char buf[65536];
	ssize_t n = recv(w->fd, buf, sizeof(buf), flags);
	size_t len = n > 0 ? (size_t)n : 0;

	if (n < 0)
		return -errno;
	for (const struct nlmsghdr *h = (void *)buf; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len)) {
		if (h->nlmsg_type == NLMSG_DONE)
			return 1;
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (kinds[i].type == h->nlmsg_type)
				kinds[i].take(w, h);
	}
	return 0;
}

static int dump(struct netwatch *w, unsigned short type)
{
	struct {
		struct nlmsghdr h;
		struct rtgenmsg g;
	} req = {
		.h = {.nlmsg_len = sizeof(req),
			.nlmsg_type = type,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.g = {.rtgen_family = type == RTM_GETLINK ? AF_UNSPEC : AF_INET},
	};
	int r;

	if (send(w->fd, &req, sizeof(req), 0) < 0)
		return -errno;
	do
		r = receive(w, 0);
	while (r == 0);
	return r < 0 ? r : 0;
}

static void port_add(struct netwatch *w, const char *device)
{
	struct netwatch_port *p = &w->ports[w->n_ports];

	snprintf(p->path, sizeof(p->path), "/sys/class/infiniband/%s/ports/1/state", device);
	for (size_t i = 0; i < w->n_ports; i++)
		if (strcmp(w->ports[i].path, p->path) == 0)
			return;
	if (guest_read(p->path, p->state, sizeof(p->state)) <= 0)
		return;
	p->state[strcspn(p->state, "\n")] = 0;
	event(w, "port %s is %s", device, p->state);
	w->n_ports++;
}

/* Not with every event: an Ethernet port's state takes the kernel a question to the driver, with
 * the lock of all links. */
#define PORTS_NS 500000000

/* Devices may be renamed, and be new under that name: the old one is only left alone, as it is not
 * down. */
static void ports_look(struct netwatch *w)
{
	struct dirent *entry;
	DIR *dir;

	if (guest_now() < w->ports_due)
		return;
	w->ports_due = guest_now() + PORTS_NS;
	dir = opendir("/sys/class/infiniband");
	while (dir && (entry = readdir(dir)) && w->n_ports < NETWATCH_PORTS)
		if (entry->d_name[0] != '.')
			port_add(w, entry->d_name);
	if (dir)
		closedir(dir);
	for (size_t i = 0; i < w->n_ports; i++) {
		struct netwatch_port *p = &w->ports[i];
		char state[sizeof(p->state)];

		if (guest_read(p->path, state, sizeof(state)) <= 0)
			continue;
		state[strcspn(state, "\n")] = 0;
		if (strcmp(state, p->state) == 0)
			continue;
		event(w, "port %s: %s -> %s", p->path, p->state, state);
		memcpy(p->state, state, sizeof(p->state));
		w->port_changes++;
	}
}

int netwatch_open(struct netwatch *w, FILE *events)
{
	const struct sockaddr_nl addr = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE,
	};
	const int room = 4 * 1024 * 1024;
	int r;

	w->events = events;
	w->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (w->fd < 0 || bind(w->fd, (const void *)&addr, sizeof(addr)) < 0)
		return -errno;
	setsockopt(w->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	w->leases = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	inotify_add_watch(w->leases, LEASES, IN_CLOSE_WRITE | IN_MOVED_TO);
	w->first = true;
	r = dump(w, RTM_GETLINK);
	if (r == 0)
		r = dump(w, RTM_GETADDR);
	if (r == 0)
		r = dump(w, RTM_GETROUTE);
	w->first = false;
	ports_look(w);
	return r;
}

void netwatch_dispatch(struct netwatch *w)
{
	int r;

	do {
		r = receive(w, MSG_DONTWAIT);
		w->overruns += r == -ENOBUFS;
	} while (r >= 0 || r == -ENOBUFS);
	leases_look(w);
	ports_look(w);
}
