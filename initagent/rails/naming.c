// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * naming: the kernel numbers interfaces as their drivers come. One that bears a name which ifname=
 * gives to another address is not what the command line means by it, and has to give it up: the
 * kernel allows no name twice. One that an option calls by udev's name gets that, as udev would
 * give it.
 */
#include "rails/private.h"

#include "link/udev_name.h"

#include <ctype.h>
#include <net/if_arp.h>
#include <stddef.h>

/* What is left of a name for its prefix beside a number of four digits. */
#define PREFIX_MAX (IFNAMSIZ - 1 - 4)
#define NUMBERS	   10000

static const struct plan_ifname *named(const struct rails *rails, const char *name)
{
	const struct plan_net *net = &rails->plan->net;

	for (size_t i = 0; i < net->n_ifnames; i++)
		if (streq(net->ifnames[i].name, name))
			return &net->ifnames[i];
	return NULL;
}

const struct plan_link *naming_link(const struct rails *rails, const char *name)
{
	const struct plan_net *net = &rails->plan->net;

	for (size_t i = 0; i < net->n_links; i++)
		if (streq(net->links[i].name, name) && plan_link_module(net->links[i].kind))
			return &net->links[i];
	return NULL;
}

/* Of the interfaces with one GUID only the first is meant; its children are named after it. What is
 * made of others has the address of one of them, a slave the bond's. */
static bool has_own_name(const struct rails *rails, const struct netdev *dev)
{
	return dev->master_ifindex || ipoib_is_child(dev) || naming_link(rails, dev->name);
}

/* Is name, of an option, what udev calls dev? */
static bool is_udevs(const struct rails *rails, const struct netdev *dev, const char *name)
{
	return !links_by_name(rails->links, name) && !named(rails, name) &&
	       udev_name_is(&rails->env, dev, name);
}

/* The member of an option's rows that names an interface. */
struct names {
	const void *rows;
	size_t n, size, at;
};

#define NAMES(rows, n, type, member) {rows, n, sizeof(type), offsetof(type, member)}

/* The name of a partition's interface, ibp65s0.8001, has its parent's in it. */
static void cut_pkey(char name[static IFNAMSIZ])
{
	char *dot = strrchr(name, '.');

	if (dot && strlen(dot) == 5 && strspn(dot + 1, "0123456789abcdefABCDEF") == 4)
		*dot = 0;
}

/* Finds the first one that is udev's for dev, unless found already; false: one is dev's as it is,
 * which it keeps. */
static bool look(const struct rails *rails, const struct netdev *dev, const struct names *l,
	char found[static IFNAMSIZ])
{
	for (size_t i = 0; i < l->n; i++) {
		const char *option;
		char name[IFNAMSIZ];

		memcpy(&option, (const char *)l->rows + i * l->size + l->at, sizeof(option));
		if (!option)
			continue;
		strscpy(name, option, sizeof(name));
		if (dev->hwtype == ARPHRD_INFINIBAND)
			cut_pkey(name);
		if (streq(name, dev->name))
			return false;
		if (!*found && is_udevs(rails, dev, name))
			strscpy(found, name, IFNAMSIZ);
	}
	return true;
}

/* By which an option calls dev, as udev would; false: none, or an option has the name it has. */
static bool find_udevs(const struct rails *rails, const struct netdev *dev,
	char found[static IFNAMSIZ])
{
	const struct plan_net *net = &rails->plan->net;
	const struct plan_ib *ib = &rails->plan->ib;
	const struct names lists[] = {
		NAMES(net->ips, net->n_ips, struct plan_ip, ifname),
		NAMES(net->routes, net->n_routes, struct plan_route, ifname),
		NAMES(net->rdma_links, net->n_rdma_links, struct plan_rdma_link, netdev),
		NAMES(net->client_ids, net->n_client_ids, struct plan_client_id, ifname),
		NAMES(net->dhcp_requests, net->n_dhcp_requests, struct plan_dhcp_request, ifname),
		NAMES(ib->pkeys, ib->n_pkeys, struct plan_pkey, parent),
		NAMES(net, 1, struct plan_net, bootdev),
	};

	found[0] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (!look(rails, dev, &lists[i], found))
			return false;
	for (size_t i = 0; i < net->n_links; i++)
		if (!look(rails, dev, &(struct names){net->links[i].lower, net->links[i].n_lower,
				sizeof(net->links[i].lower[0]), 0}, found))
			return false;
	return found[0];
}

bool naming_wanted(const struct rails *rails, const struct netdev *dev, char ret[static IFNAMSIZ])
{
	const struct plan_net *net = &rails->plan->net;

	if (has_own_name(rails, dev))
		return false;
	for (size_t i = 0; i < net->n_ifnames; i++)
		if (netdev_matches(dev, &net->ifnames[i].hwaddr)) {
			strscpy(ret, net->ifnames[i].name, IFNAMSIZ);
			return !streq(ret, dev->name);
		}
	return find_udevs(rails, dev, ret);
}

bool naming_is_others(const struct rails *rails, const struct netdev *dev)
{
	const struct plan_ifname *meant = named(rails, dev->name);

	return meant && !has_own_name(rails, dev) && !netdev_matches(dev, &meant->hwaddr);
}

const struct netdev *naming_find(const struct rails *rails, const char *name)
{
	const struct netdev *dev = links_by_name(rails->links, name);

	return dev && !naming_is_others(rails, dev) ? dev : NULL;
}

void naming_give_up(struct rails *rails, const struct netdev *dev, uint64_t now)
{
	size_t prefix = strlen(dev->name);
	char name[IFNAMSIZ];
	int r = -EEXIST;

	while (prefix > 0 && isdigit((unsigned char)dev->name[prefix - 1]))
		prefix--;
	if (prefix > PREFIX_MAX)
		prefix = PREFIX_MAX;
	for (int i = 0; i < NUMBERS && r == -EEXIST; i++) {
		snprintf(name, sizeof(name), "%.*s%d", (int)prefix, dev->name, i);
		if (!named(rails, name) && !links_by_name(rails->links, name))
			r = links_rename(rails->links, dev->ifindex, name);
	}
	if (r < 0)
		rail_refused(rails, dev->name, now);
	else
		report_log(rails->report, REPORT_INFO, dev->name, now,
			"renamed to %s: ifname= reserves this name for another address", name);
}
