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

/* Of the interfaces with one GUID only the first is meant; its children are named after it. What is
 * made of others has the address of one of them, a slave the bond's. */
static bool has_own_name(const struct rails *rails, const struct netdev *dev)
{
	return dev->master_ifindex || ipoib_is_child(dev) || stack_link(rails, dev->name);
}

/* Is name, of an option, what udev calls dev? */
static bool is_udevs(const struct rails *rails, const struct netdev *dev, const char *name)
{
	return name && !links_by_name(rails->links, name) && !named(rails, name) &&
	       udev_name_is(&rails->env, dev, name);
}

/* The member of an option's rows that names an interface. */
struct names {
	const void *rows;
	size_t n, size, at;
};

#define NAMES(rows, n, type, member) {rows, n, sizeof(type), offsetof(type, member)}

static const char *name_of(const struct names *l, size_t i)
{
	const char *name;

	memcpy(&name, (const char *)l->rows + i * l->size + l->at, sizeof(name));
	return name;
}

/* The first of the options' names that is udev's for dev. */
static const char *udevs(const struct rails *rails, const struct netdev *dev)
{
	const struct plan_net *net = &rails->plan->net;
	const struct names lists[] = {
		NAMES(net->ips, net->n_ips, struct plan_ip, ifname),
		NAMES(net->routes, net->n_routes, struct plan_route, ifname),
		NAMES(net->rdma_links, net->n_rdma_links, struct plan_rdma_link, netdev),
		NAMES(net->client_ids, net->n_client_ids, struct plan_client_id, ifname),
		NAMES(net->dhcp_requests, net->n_dhcp_requests, struct plan_dhcp_request, ifname),
		NAMES(rails->plan->ib.pkeys, rails->plan->ib.n_pkeys, struct plan_pkey, parent),
	};

	for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
		for (size_t i = 0; i < lists[l].n; i++)
			if (is_udevs(rails, dev, name_of(&lists[l], i)))
				return name_of(&lists[l], i);
	for (size_t i = 0; i < net->n_links; i++)
		for (size_t k = 0; k < net->links[i].n_lower; k++)
			if (is_udevs(rails, dev, net->links[i].lower[k]))
				return net->links[i].lower[k];
	return is_udevs(rails, dev, net->bootdev) ? net->bootdev : NULL;
}

const char *naming_wanted(const struct rails *rails, const struct netdev *dev)
{
	const struct plan_net *net = &rails->plan->net;

	if (has_own_name(rails, dev))
		return NULL;
	for (size_t i = 0; i < net->n_ifnames; i++)
		if (netdev_matches(dev, &net->ifnames[i].hwaddr))
			return streq(net->ifnames[i].name, dev->name) ? NULL : net->ifnames[i].name;
	return udevs(rails, dev);
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
		report_cause(rails->report, CAUSE_NETDEV_CONFIG, dev->name, now, "%s",
			links_error(rails->links));
	else
		report_log(rails->report, REPORT_INFO, dev->name, now,
			"renamed to %s: ifname= reserves this name for another address", name);
}
