// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stack: the interfaces of vlan=, bond= and bridge=, made as soon as what is below them is there: a
 * VLAN's parent, the first slave or port; further ones join as they appear. What is below is no
 * rail of its own, unless ip= names a VLAN's parent; what is made is one as any other netdev.
 */
#include "rails/private.h"

#include <net/if_arp.h>

/* The kernel announces no change of a churn state; a VLAN may be slow to carry its first frame. */
#define PARTNER_PERIOD (5 * NSEC_PER_SEC)
#define VLAN_PATIENCE  (3 * NSEC_PER_SEC)
/* A driver that resets its device is busy for some seconds, and does not say when it is over. */
#define BUSY_PERIOD    (500 * NSEC_PER_MSEC)
#define BUSY_LIMIT     (10 * NSEC_PER_SEC)

bool stack_carries(const struct rails *rails, const char *name)
{
	const struct plan_net *net = &rails->plan->net;

	for (size_t i = 0; i < net->n_links; i++)
		for (size_t k = 0; k < net->links[i].n_lower; k++)
			if (plan_link_module(net->links[i].kind) &&
				streq(net->links[i].lower[k], name))
				return true;
	return false;
}

static size_t add_below(const struct rails *rails, const char *name, const struct netdev **ret,
	size_t n, int depth)
{
	const struct plan_link *link = naming_link(rails, name);

	/* The kernel nests no deeper (MAX_NEST_DEV). */
	for (size_t i = 0; link && depth < 8 && i < link->n_lower && n < STACK_BELOW_MAX; i++) {
		const struct netdev *dev = naming_find(rails, link->lower[i]);

		if (!dev)
			continue;
		ret[n] = dev;
		n = add_below(rails, dev->name, ret, n + 1, depth + 1);
	}
	return n;
}

size_t stack_below(const struct rails *rails, const char *name,
	const struct netdev *ret[static STACK_BELOW_MAX])
{
	return add_below(rails, name, ret, 0, 0);
}

/* RoCE of a VLAN is its parent's, that of a bond the slaves' on some adapters. */
bool rail_is_port(const struct rails *rails, const struct fabric_port *port,
	const struct rail *rail)
{
	const struct netdev *list[STACK_BELOW_MAX];
	size_t n;

	if (rail->guid)
		return port->link_layer == LINK_LAYER_INFINIBAND && port->guid == rail->guid;
	n = stack_below(rails, rail->name, list);
	for (size_t i = 0; i < n; i++)
		if (streq(port->netdev, list[i]->name))
			return true;
	return streq(port->netdev, rail->name);
}

/* Of the slaves of an active-backup bond the active one's port alone gets the bond's GIDs, and is
 * the one that RDMA uses (is_eth_port_of_netdev_filter() of the kernel). */
static bool is_better(const struct rails *rails, const struct fabric_port *port,
	const struct fabric_port *than, const struct inet_addr *addr)
{
	if (!than || than->state != PORT_ACTIVE)
		return true;
	return addr && port->state == PORT_ACTIVE && !fabric_has_gid(&rails->env, than, addr) &&
		fabric_has_gid(&rails->env, port, addr);
}

const struct fabric_port *rail_port_of(const struct rails *rails, const struct rail *rail,
	const struct inet_addr *addr)
{
	const struct fabric_port *best = NULL;
	size_t n;
	const struct fabric_port *ports = fabric_ports(rails->fabric, &n);

	for (size_t i = 0; i < n; i++)
		if (rail_is_port(rails, &ports[i], rail) &&
			is_better(rails, &ports[i], best, addr))
			best = &ports[i];
	return best;
}

bool stack_matches(const struct rails *rails, const struct netdev *dev, const struct hw_addr *hw)
{
	const struct netdev *list[STACK_BELOW_MAX];
	size_t n = stack_below(rails, dev->name, list);

	if (stack_carries(rails, dev->name))
		return false;
	for (size_t i = 0; i < n; i++)
		if (netdev_matches(list[i], hw))
			return true;
	return netdev_matches(dev, hw);
}

/* A bond has neither its type nor its address before its first slave. */
bool stack_ready(const struct rails *rails, const struct netdev *dev)
{
	const struct plan_link *link = naming_link(rails, dev->name);
	const struct netdev *part = NULL;

	if (!link || link->kind == PLAN_LINK_VLAN)
		return true;
	while ((part = links_next(rails->links, part)))
		if (part->master_ifindex == dev->ifindex)
			return true;
	return false;
}

static const struct netdev *lower_of(const struct rails *rails, const struct plan_link *link,
	size_t i)
{
	const struct netdev *dev = naming_find(rails, link->lower[i]);

	return dev && stack_ready(rails, dev) ? dev : NULL;
}

static void fail(struct rails *rails, const char *name, uint64_t now)
{
	report_cause(rails->report, CAUSE_NETDEV_NOT_MADE, name, now, "%s",
		links_error(rails->links));
}

static bool is_loading(const struct rails *rails, const struct plan_link *link)
{
	const struct module_entry *e =
		rails->cfg.modules ? modules_find(rails->cfg.modules, plan_link_module(link->kind))
				   : NULL;

	return e && e->state <= MODULE_LOADING;
}

static struct busy *busy_of(struct rails *rails, int ifindex)
{
	for (size_t i = 0; i < rails->n_busy; i++)
		if (rails->busy[i].ifindex == ifindex)
			return &rails->busy[i];
	return NULL;
}

/* Was it busy a moment ago? */
static bool rests(struct rails *rails, int ifindex)
{
	const struct busy *e = busy_of(rails, ifindex);

	return e && e->again;
}

static bool is_busy(struct rails *rails, int ifindex, int error, uint64_t now)
{
	struct busy *e = busy_of(rails, ifindex);

	if (error != -EBUSY || (!e && rails->n_busy == RAILS_LIMIT))
		return false;
	if (!e) {
		e = &rails->busy[rails->n_busy++];
		*e = (struct busy){.ifindex = ifindex, .since = now};
	}
	e->again = now - e->since < BUSY_LIMIT ? now + BUSY_PERIOD : 0;
	return e->again;
}

/* Is what failed with this error worth another try, or news of it on its way? */
static bool comes_again(struct rails *rails, int ifindex, int error, uint64_t now)
{
	return error < 0 && (links_gone(ifindex) || is_busy(rails, ifindex, error, now));
}

uint64_t stack_deadline(const struct rails *rails)
{
	uint64_t at = NSEC_NEVER;

	for (size_t i = 0; i < rails->n_busy; i++)
		at = min_u64(at, rails->busy[i].again ? rails->busy[i].again : NSEC_NEVER);
	return at;
}

static bool make(struct rails *rails, const struct plan_link *link, uint64_t now)
{
	const struct netdev *lower = NULL;
	int r;

	for (size_t i = 0; !lower && i < link->n_lower; i++)
		lower = lower_of(rails, link, i);
	if (!lower || is_loading(rails, link) || rests(rails, lower->ifindex))
		return false;
	/* On top of what is down the kernel takes no VLAN up. */
	r = link->kind == PLAN_LINK_VLAN ? links_set_up(rails->links, lower->ifindex, true) : 0;
	if (r >= 0)
		r = links_add_made(rails->links, link,
			link->kind == PLAN_LINK_VLAN ? lower->ifindex : 0);
	if (comes_again(rails, lower->ifindex, r, now))
		return false;
	if (r < 0)
		fail(rails, link->name, now);
	else
		report_log(rails->report, REPORT_INFO, link->name, now, "%s%s%s %s",
			plan_link_kind_name(link->kind),
			link->kind == PLAN_LINK_VLAN ? " of " : "",
			link->kind == PLAN_LINK_VLAN ? lower->name : "", r ? "adopted" : "created");
	return true;
}

/* Each is tried once: the kernel would refuse it again. */
static bool was_refused(const struct rails *rails, int ifindex)
{
	for (size_t i = 0; i < rails->n_refused; i++)
		if (rails->refused[i] == ifindex)
			return true;
	return false;
}

static bool has_given_address(const struct rails *rails, int ifindex)
{
	const struct rail *rail = rails_find(rails, ifindex);

	return rail && rail->ip && rail->ip->hwaddr.len;
}

/*
 * The address of a bond is that of its first slave, whichever driver was faster: DHCP servers know
 * the node by it. Once the bond has carrier it may be in use. One that ip= gives it counts more.
 */
static int take_address(struct rails *rails, const struct plan_link *link,
	const struct netdev *made, const struct netdev *lower)
{
	struct hw_addr hw = {.len = 6};

	if (link->kind != PLAN_LINK_BOND || !streq(link->lower[0], lower->name) || made->carrier ||
		lower->hwtype != ARPHRD_ETHER || lower->permanent.len != hw.len ||
		has_given_address(rails, made->ifindex))
		return 0;
	memcpy(hw.bytes, lower->permanent.bytes, hw.len);
	return links_set_hw(rails->links, made->ifindex, &hw);
}

/* What two of them claim stays with the first: the kernel would move it each time. */
static bool is_attached(const struct plan_link *link, const struct netdev *made,
	const struct netdev *lower)
{
	return link->kind == PLAN_LINK_VLAN || lower->master_ifindex == made->ifindex
		? lower->up : lower->master_ifindex != 0;
}

static int join(struct rails *rails, const struct plan_link *link, const struct netdev *made,
	const struct netdev *lower, uint64_t now)
{
	int r;

	ipoib_prepare(rails, lower, now);
	r = links_enslave(rails->links, link, made->ifindex, lower->ifindex);
	return r < 0 ? r : take_address(rails, link, made, lower);
}

static void attach(struct rails *rails, const struct plan_link *link, const struct netdev *made,
	const struct netdev *lower, uint64_t now)
{
	bool joins = link->kind != PLAN_LINK_VLAN && !lower->master_ifindex;
	int r;

	if (is_attached(link, made, lower) || was_refused(rails, lower->ifindex) ||
		rests(rails, lower->ifindex))
		return;
	r = joins ? join(rails, link, made, lower, now)
		: links_set_up(rails->links, lower->ifindex, true);
	if (comes_again(rails, lower->ifindex, r, now))
		return;
	if (r < 0 && rails->n_refused < RAILS_LIMIT)
		rails->refused[rails->n_refused++] = lower->ifindex;
	if (r < 0)
		fail(rails, lower->name, now);
	else if (joins)
		report_log(rails->report, REPORT_INFO, lower->name, now, "part of %s", made->name);
}

/* Once; the bond's view of a slave's carrier may come later than ours. */
static void activate(struct rails *rails, const struct plan_link *link, const struct netdev *made,
	const struct netdev *lower, uint64_t bit, uint64_t now)
{
	int r;

	if (link->kind != PLAN_LINK_BOND || rails->stack_active & bit || !lower->carrier ||
		lower->master_ifindex != made->ifindex)
		return;
	r = links_activate(rails->links, link, lower);
	if (r == 0 || r == -EINVAL || (r < 0 && links_gone(lower->ifindex)))
		return;
	rails->stack_active |= bit;
	if (r < 0)
		rail_refused(rails, link->name, now);
}

/* An interface that is there, or was asked for, and is not in the list yet. */
static void step(struct rails *rails, const struct plan_link *link, uint64_t bit, uint64_t now)
{
	const struct netdev *made = links_by_name(rails->links, link->name), *lower;

	if (!(rails->stack_tried & bit) && make(rails, link, now))
		rails->stack_tried |= bit;
	if (!made || !(rails->stack_tried & bit))
		return;
	for (size_t i = 0; i < link->n_lower; i++) {
		lower = lower_of(rails, link, i);
		if (!lower)
			continue;
		attach(rails, link, made, lower, now);
		activate(rails, link, made, lower, bit, now);
	}
}

/* A VLAN goes with its parent, and is made again with it. */
void stack_gone(struct rails *rails, const char *name)
{
	const struct plan_link *link = naming_link(rails, name);
	uint64_t bit = link ? UINT64_C(1) << (link - rails->plan->net.links) : 0;

	rails->stack_tried &= ~bit;
	rails->stack_active &= ~bit;
}

void stack_set_up(struct rails *rails, int ifindex, const char *name, uint64_t now)
{
	int r = links_set_up(rails->links, ifindex, true);
	struct busy *e;

	if (r < 0 && !comes_again(rails, ifindex, r, now))
		rail_refused(rails, name, now);
	e = busy_of(rails, ifindex);
	if (e)
		e->alone = true;
}

/* The rest of one whose driver was busy ends. */
static void awake(struct rails *rails, struct busy *e, uint64_t now)
{
	const struct netdev *dev = links_by_index(rails->links, e->ifindex);

	if (!e->again || now < e->again)
		return;
	e->again = 0;
	if (dev && e->alone)
		stack_set_up(rails, dev->ifindex, dev->name, now);
}

void stack_step(struct rails *rails, uint64_t now)
{
	const struct plan_net *net = &rails->plan->net;

	for (size_t i = 0; i < rails->n_busy; i++)
		awake(rails, &rails->busy[i], now);
	for (size_t i = 0; i < net->n_links; i++)
		if (plan_link_module(net->links[i].kind))
			step(rails, &net->links[i], UINT64_C(1) << i, now);
}

/* --- causes ----------------------------------------------------------------------------------- */

/* The value of the first such line of /proc/net/bonding/NAME; "?": there is none. */
static const char *bonding_value(const char *text, const char *key, char buf[static 32])
{
	const char *at = strstr(text, key);

	at = at ? at + strlen(key) : "?";
	snprintf(buf, 32, "%.*s", (int)strcspn(at, "\n"), at);
	return buf;
}

static void partner_text(const struct rails *rails, const char *bond, char *buf, size_t size)
{
	char text[4096], mac[32], actor[32], partner[32];

	if (env_read(&rails->env, text, sizeof(text), "/proc/net/bonding/%s", bond) < 0)
		*text = 0;
	snprintf(buf, size, "%s has seen no LACP partner: its MAC is %s; churn state: actor %s, "
		"partner %s", bond, bonding_value(text, "Partner Mac Address: ", mac),
		bonding_value(text, "Actor Churn State: ", actor),
		bonding_value(text, "Partner Churn State: ", partner));
}

/* A rail's interface and all below it. */
static size_t whole_stack(const struct rails *rails, const struct rail *rail,
	const struct netdev *ret[static STACK_BELOW_MAX + 1])
{
	size_t n = stack_below(rails, rail->name, ret);

	ret[n] = links_by_index(rails->links, rail->ifindex);
	return ret[n] ? n + 1 : n;
}

/* The bond of a stack that has no LACP partner; NULL: none. */
static const struct netdev *partnerless(const struct rails *rails, const struct rail *rail)
{
	const struct netdev *list[STACK_BELOW_MAX + 1];
	size_t n = whole_stack(rails, rail, list);

	for (size_t i = 0; i < n; i++)
		if (list[i]->no_partner && streq(list[i]->kind, "bond"))
			return list[i];
	return NULL;
}

/* Carrier or not of each part of a bond or bridge. */
static void parts_text(const struct rails *rails, const struct plan_link *link, char *buf,
	size_t size)
{
	strscpy(buf, "waiting for carrier;", size);
	for (size_t i = 0; i < link->n_lower; i++) {
		const struct netdev *dev = naming_find(rails, link->lower[i]);

		str_add(buf, size, "%s %s: %s", i ? "," : "", link->lower[i],
			!dev ? "not there" : dev->carrier ? "carrier" : "no carrier");
	}
}

static bool is_silent(const struct rails *rails, const char *name)
{
	return env_is(&rails->env, "0", "/sys/class/net/%s/statistics/rx_packets", name);
}

enum cause stack_silence(const struct rails *rails, const struct rail *rail, char *buf,
	size_t size, uint64_t now)
{
	const struct netdev *list[STACK_BELOW_MAX + 1];
	size_t n = whole_stack(rails, rail, list);

	for (size_t i = 0; i < n && rail->carrier && now >= rail->carrier + VLAN_PATIENCE; i++) {
		const struct plan_link *link = naming_link(rails, list[i]->name);

		if (!link || link->kind != PLAN_LINK_VLAN || !is_silent(rails, link->name))
			continue;
		snprintf(buf, size, "no frame received on VLAN %u of %s", link->vlan_id,
			link->lower[0]);
		return CAUSE_VLAN_SILENT;
	}
	return CAUSE_NONE;
}

enum cause stack_hindrance(const struct rails *rails, const struct rail *rail, enum cause cause,
	char *buf, size_t size, uint64_t now)
{
	const struct plan_link *link = naming_link(rails, rail->name);
	enum cause silence = CAUSE_NONE;
	const struct netdev *bond;

	if (!link)
		return cause;
	bond = partnerless(rails, rail);
	if (cause == CAUSE_BOND_NO_PARTNER && bond) {
		partner_text(rails, bond->name, buf, size);
	} else if (cause == CAUSE_NETDEV_NO_CARRIER && link->kind != PLAN_LINK_VLAN) {
		parts_text(rails, link, buf, size);
	} else if (cause == CAUSE_DHCP_NO_OFFER || cause == CAUSE_RA_NONE) {
		silence = stack_silence(rails, rail, buf, size, now);
	}
	return silence ? silence : cause;
}

/* A switch port without LACP forwards frames all the same; one that blocks them until it has LACP
 * will do so later, and DHCP repeats its requests. */
static void use_without_partner(struct rails *rails, const struct rail *rail, uint64_t now)
{
	const struct netdev *bond;
	char text[REPORT_TEXT_MAX];

	while ((bond = partnerless(rails, rail))) {
		partner_text(rails, bond->name, text, sizeof(text));
		report_cause(rails->report, CAUSE_BOND_NO_PARTNER, bond->name, now,
			"used without one after %u s; %s",
			rails->plan->net.timeouts.carrier_s, text);
		links_waive_partner(rails->links, bond->ifindex, now);
	}
}

uint64_t stack_partner_wait(struct rails *rails, struct rail *rail, uint64_t now)
{
	if (!rail->partner)
		rail->partner = now + rails->plan->net.timeouts.carrier_s * NSEC_PER_SEC;
	if (now >= rail->partner) {
		use_without_partner(rails, rail, now);
		return NSEC_NEVER;
	}
	return min_u64(rail->partner, now + PARTNER_PERIOD);
}
