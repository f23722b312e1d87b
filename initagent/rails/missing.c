// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * missing: nothing is found yet that can be a rail: what the command line asks for that is not
 * there, and what is there instead.
 */
#include "rails/private.h"

#include <inttypes.h>
#include <net/if_arp.h>

/* Which RDMA port the plan asks for, in words; "" if it names none. */
static void asked_port(const struct rails *rails, char *buf, size_t size)
{
	const struct plan_ib *ib = &rails->plan->ib;
	char guid[HW_ADDR_TEXT];

	buf[0] = 0;
	if (ib->n_ports && ib->ports[0].port)
		snprintf(buf, size, "%s/%u", ib->ports[0].device, ib->ports[0].port);
	else if (ib->n_ports)
		snprintf(buf, size, "%s", ib->ports[0].device);
	else if (ib->n_guids)
		snprintf(buf, size, "with GUID %s", hw_text(&ib->guids[0], guid));
}

/* The first interface that the plan asks for, by name or address; "": any will do. */
static const char *asked_netdev(const struct plan_net *net, char buf[static HW_ADDR_TEXT])
{
	const struct plan_ip *ip = NULL;

	for (size_t i = 0; i < net->n_ips && !ip; i++)
		ip = plan_ip_is_open(&net->ips[i]) ? NULL : &net->ips[i];
	if (net->bootdev && !net->bootdev_hint)
		return net->bootdev;
	return ip && ip->ifname ? ip->ifname : hw_text(ip ? &ip->match : &net->bootif, buf);
}

static const struct plan_link *planned_link(const struct plan_net *net, const char *name)
{
	for (size_t i = 0; i < net->n_links; i++)
		if (streq(net->links[i].name, name))
			return &net->links[i];
	return NULL;
}

/* What has to appear by itself before this one can: of a bond, bridge or VLAN that is not made yet,
 * the first interface below that is not there. */
static const char *missing_below(const struct rails *rails, const char *name)
{
	const struct plan_net *net = &rails->plan->net;
	const struct plan_link *link = planned_link(net, name);

	for (size_t depth = 0; link && depth < net->n_links; depth++) {
		size_t i = 0;

		while (i < link->n_lower && links_by_name(rails->links, link->lower[i]))
			i++;
		if (i == link->n_lower)
			break;
		name = link->lower[i];
		link = planned_link(net, name);
	}
	return name;
}

/* ib0.ffff where that is the partition of ib0 itself: no such interface will come. */
static void say_own_partition(const struct rails *rails, const char *name, char *buf, size_t size)
{
	char child[IFNAMSIZ + 8];

	*buf = 0;
	for (const struct netdev *d = NULL; (d = links_next(rails->links, d));) {
		snprintf(child, sizeof(child), "%s.%04x", d->name, netdev_pkey(d) | 0x8000);
		if (d->hwtype == ARPHRD_INFINIBAND && streq(child, name))
			snprintf(buf, size, "%s itself is in that partition: write %s; ", d->name,
				d->name);
	}
}

/* The interfaces of the machine, in words: they tell a wrong name from a driver that is missing. */
static void list_netdevs(const struct rails *rails, const char *name, char *buf, size_t size)
{
	size_t begin;

	say_own_partition(rails, name, buf, size);
	begin = strlen(buf);
	for (const struct netdev *d = NULL; (d = links_next(rails->links, d));)
		if (d->hwtype != ARPHRD_LOOPBACK)
			str_add(buf, size, "%s%s (%s)", buf[begin] ? ", " : "there are: ", d->name,
				d->carrier ? "carrier" : d->up ? "no carrier" : "down");
	if (!buf[begin])
		str_add(buf, size, "no other interface found");
}

/* The same of the RDMA ports, behind what buf has. */
static void add_ports(const struct rails *rails, char *buf, size_t size)
{
	size_t n;
	const struct fabric_port *ports = fabric_ports(rails->fabric, &n);

	for (size_t i = 0; i < n; i++)
		str_add(buf, size, "%s%s (GUID %016" PRIx64 ")", i ? ", " : "; RDMA ports: ",
			ports[i].name, ports[i].guid);
}

/* What is waited for, its cause, and what there is; name: of what it is said. */
struct missing {
	enum cause cause;
	char what[160], name[96], there[240];
};

static void find_missing(const struct rails *rails, struct missing *ret)
{
	char port[sizeof(ret->name)], address[HW_ADDR_TEXT];
	const char *asked = asked_netdev(&rails->plan->net, address);
	const char *name = missing_below(rails, asked);
	bool unseen, below = !streq(name, asked);

	asked_port(rails, port, sizeof(port));
	unseen = *port && !rail_port_seen(rails);
	ret->cause = unseen ? CAUSE_PORT_NO_HCA : CAUSE_NETDEV_MISSING;
	list_netdevs(rails, name, ret->there, sizeof(ret->there));
	if (unseen)
		add_ports(rails, ret->there, sizeof(ret->there));
	/* A port whose own interface is there may lack that of a partition. */
	if (*port && (unseen || !*name))
		snprintf(ret->what, sizeof(ret->what), "%sRDMA port %s",
			unseen ? "" : "the interface of ", port);
	else
		snprintf(ret->what, sizeof(ret->what), "network interface %s%s%s",
			*name ? name : "(any)", below ? " of " : "", below ? asked : "");
	strscpy(ret->name, unseen || !*name ? port : name, sizeof(ret->name));
}

void rails_missing_step(struct rails *rails, uint64_t now)
{
	uint32_t limit = rails->plan->net.timeouts.iflink_s;
	struct missing m;

	if (rails->n) {
		report_wait_over(rails->report, "netdev", now);
		return;
	}
	find_missing(rails, &m);
	report_wait(rails->report, m.cause, "netdev", now, "waiting for %s to appear; %s", m.what,
		m.there);
	/* After rd.net.timeout.iflink it is called a cause. */
	if (limit && now >= rails->cfg.start + limit * NSEC_PER_SEC)
		report_cause(rails->report, m.cause, *m.name ? m.name : NULL, now,
			"not within %u s; %s", limit, m.there);
}
