// SPDX-License-Identifier: GPL-2.0-or-later
/* ipoib_child: IPoIB interfaces: their modules, the children of partitions, mode and umcast. */
#include "rails/private.h"

#include <net/if_arp.h>
#include <poll.h>

/* Is this partition's interface wanted on top of parent? */
static bool speaks_of(const struct plan_pkey *pkey, const struct netdev *parent)
{
	return !pkey->parent || streq(pkey->parent, parent->name);
}

bool ipoib_child_wanted(const struct rails *rails, const struct netdev *dev)
{
	const struct netdev *parent = links_by_index(rails->links, dev->parent_ifindex);
	const struct plan_ib *ib = &rails->plan->ib;

	for (size_t i = 0; parent && i < ib->n_pkeys; i++)
		if (speaks_of(&ib->pkeys[i], parent) &&
			(netdev_pkey(dev) | 0x8000) == ib->pkeys[i].pkey)
			return true;
	return false;
}

/* Does the plan have an interface of dev's own partition, which is dev, or of another one above
 * it? */
static bool plan_has(const struct rails *rails, const struct netdev *dev, bool own)
{
	const struct plan_ib *ib = &rails->plan->ib;

	for (size_t i = 0; i < ib->n_pkeys; i++)
		if (speaks_of(&ib->pkeys[i], dev) &&
			(ib->pkeys[i].pkey == (netdev_pkey(dev) | 0x8000)) == own)
			return true;
	return false;
}

bool ipoib_is_parent(const struct rails *rails, const struct netdev *dev)
{
	return dev->hwtype == ARPHRD_INFINIBAND && !ipoib_is_child(dev) &&
		plan_has(rails, dev, false);
}

bool ipoib_replaced(const struct rails *rails, const struct netdev *dev)
{
	return ipoib_is_parent(rails, dev) && !plan_has(rails, dev, true);
}

static void make_child(struct rails *rails, const struct netdev *parent, uint16_t pkey,
	uint64_t now)
{
	char name[IFNAMSIZ + 8];
	int r;

	snprintf(name, sizeof(name), "%s.%04x", parent->name, pkey);
	r = links_add_ipoib(rails->links, parent->ifindex, name, pkey);
	if (r < 0)
		rail_refused(rails, parent->name, now);
	else
		report_log(rails->report, REPORT_INFO, parent->name, now,
			"IPoIB interface of P_Key 0x%04x %s", pkey,
			r ? "is there already" : "made");
}

bool ipoib_has_children(const struct rails *rails, const struct netdev *parent)
{
	for (size_t i = 0; i < rails->n_parents; i++)
		if (rails->parents[i] == parent->ifindex)
			return true;
	return false;
}

void ipoib_make_children(struct rails *rails, const struct netdev *parent, uint64_t now)
{
	const struct plan_ib *ib = &rails->plan->ib;

	if (rails->n_parents == RAILS_LIMIT)
		return;
	rails->parents[rails->n_parents++] = parent->ifindex;
	/* mlx5's Enhanced IPoIB receives for the children by the queues of the parent, which it
	 * makes when that is up (mlx5i_pkey_init_rx() of the kernel). */
	stack_set_up(rails, parent->ifindex, parent->name, now);
	for (size_t i = 0; i < ib->n_pkeys; i++)
		if (speaks_of(&ib->pkeys[i], parent) &&
			ib->pkeys[i].pkey != (netdev_pkey(parent) | 0x8000))
			make_child(rails, parent, ib->pkeys[i].pkey, now);
}

/* A port's own interface whose first P_Key has become another than that of the plan, which was its
 * own: that partition has a child now. */
bool ipoib_moved(struct rails *rails, struct rail *rail, uint64_t now)
{
	const struct netdev *dev = links_by_index(rails->links, rail->ifindex);
	struct netdev as;

	if (!rails->plan->ib.n_pkeys || rails->kept || !dev || ipoib_has_children(rails, dev))
		return false;
	rail_refresh_pkey(rails, rail);
	/* a subnet manager that writes the table again may empty it before */
	if ((rail->pkey & 0x7fff) == 0)
		return false;
	as = *dev;
	as.broadcast.bytes[8] = (uint8_t)(rail->pkey >> 8);
	as.broadcast.bytes[9] = (uint8_t)rail->pkey;
	if (!ipoib_replaced(rails, &as))
		return false;
	ipoib_make_children(rails, &as, now);
	addresses_remove(rails->addresses, rail->ifindex, true, now);
	report_wait_over(rails->report, rail->name, now);
	rail->configured = false;
	rail_set_state(rails, rail, RAIL_FAILED, now);
	rail_gone(rails, rail);
	return true;
}

/*
 * ib_ipoib makes the files of a port's own interface a moment after it announced the interface, and
 * sends no event when they are there: look again after 1 ms, doubling, for a quarter of a second at
 * most. What rtnetlink does not do for such an interface on many kernels, and never at its very
 * begin, they do.
 */
static int set_by_file(struct rails *rails, const struct netdev *dev, const char *file,
	const char *value)
{
	int r = env_write(&rails->env, value, "/sys/class/net/%s/%s", dev->name, file);

	for (int ms = 1; r == -ENOENT && ms <= 128; ms *= 2) {
		poll(NULL, 0, ms);
		r = env_write(&rails->env, value, "/sys/class/net/%s/%s", dev->name, file);
	}
	return r;
}

/* The kernel compares the file's words with their newline (ipoib_set_mode). */
static int set_mode(struct rails *rails, const struct netdev *dev, bool connected)
{
	int r = links_set_ipoib_mode(rails->links, dev->ifindex, connected);

	return r == -EOPNOTSUPP
		? set_by_file(rails, dev, "mode", connected ? "connected\n" : "datagram\n") : r;
}

static int set_umcast(struct rails *rails, const struct netdev *dev)
{
	int r = links_set_ipoib_umcast(rails->links, dev->ifindex, true);

	return r == -EOPNOTSUPP ? set_by_file(rails, dev, "umcast", "1") : r;
}

/* A mode that is refused is said and lived without: datagram carries everything. */
void ipoib_prepare(struct rails *rails, const struct netdev *dev, uint64_t now)
{
	const struct plan_ib *ib = &rails->plan->ib;
	int r = 0;

	if (dev->hwtype != ARPHRD_INFINIBAND)
		return;
	if (ib->mode != PLAN_IB_MODE_UNSET)
		r = set_mode(rails, dev, ib->mode == PLAN_IB_MODE_CONNECTED);
	if (r < 0)
		report_cause(rails->report, CAUSE_IPOIB_MODE, dev->name, now,
			"%s; it stays as it is", strerror(-r));
	r = ib->umcast ? set_umcast(rails, dev) : 0;
	if (r < 0)
		report_cause(rails->report, CAUSE_NETDEV_CONFIG, dev->name, now, "umcast: %s",
			strerror(-r));
}

/* What sits on an InfiniBand port has no alias that a device would ask for. */
void ipoib_request_modules(struct rails *rails, uint64_t now)
{
	static const char *const names[] = {"ib_ipoib", "ib_umad", "ib_uverbs"};
	const struct fabric_port *ports;
	size_t n;

	if (rails->ulps_requested)
		return;
	ports = fabric_ports(rails->fabric, &n);
	for (size_t i = 0; i < n && !rails->ulps_requested; i++)
		rails->ulps_requested = ports[i].link_layer == LINK_LAYER_INFINIBAND;
	for (size_t i = 0; rails->ulps_requested && i < ARRAY_SIZE(names); i++)
		(void)modules_request_early(rails->cfg.modules, names[i], now);
}
