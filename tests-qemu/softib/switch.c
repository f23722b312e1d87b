// SPDX-License-Identifier: GPL-2.0
/*
 * switch.c: the switch as an object: ports, cables, traps. A switch has all its ports from the
 * beginning; giving it a netdev puts a cable into the first free one, and a netdev that goes
 * away pulls it out. Forwarding is in swrx.c, management in swsma.c.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <net/addrconf.h>

#include "softib.h"

static unsigned int switch_ports = 8;
module_param(switch_ports, uint, 0644);
MODULE_PARM_DESC(switch_ports, "Ports of a new switch, 1 to 36 (default 8)");

#define SIB_TRAP_PORT_STATE	128

static LIST_HEAD(sib_switches);		/* written under sib_new_mutex, read also under rtnl */
static DEFINE_SPINLOCK(sib_switches_lock);

static void sib_switch_event(struct sib_port *port, enum ib_event_type type)
{
}

/* A port of the switch went up or down: SwitchInfo says so, and trap 128 tells the SM. */
static void sib_switch_link_changed(struct sib_port *port)
{
	struct sib_switch *sw = port->owner;
	__be16 lid = READ_ONCE(sw->ports[0]->pi.lid);

	spin_lock_bh(&sw->lock);
	sw->info.life_psc |= SIB_SWITCH_PSC;
	spin_unlock_bh(&sw->lock);
	sib_trap_raise(&sw->trap, sw->wq, SIB_TRAP_PORT_STATE, &lid, sizeof(lid));
}

static const struct sib_port_ops sib_switch_port_ops = {
	.rx = sib_switch_rx,
	.event = sib_switch_event,
	.link_changed = sib_switch_link_changed,
};

static void sib_switch_trap_work(struct work_struct *work)
{
	struct sib_switch *sw = container_of(to_delayed_work(work), struct sib_switch, trap.work);
	struct sk_buff *skb = sib_trap_packet(&sw->trap, sw->ports[0], RDMA_NODE_IB_SWITCH);

	if (!skb)
		return;
	rcu_read_lock();
	sib_switch_send(sw, be16_to_cpu(((struct sib_lrh *)skb->data)->dlid), skb);
	rcu_read_unlock();
	sib_trap_rearm(&sw->trap, sw->wq);
}

static void sib_switch_free(struct sib_switch *sw)
{
	struct sib_wire *wires[SIB_SWITCH_PORTS + 1] = {};
	unsigned int i;

	for (i = 0; i <= sw->n_ports; i++) {
		struct sib_port *port = sw->ports[i];

		if (!port)
			continue;
		sib_port_cleanup(port);
		wires[i] = port->wire;
		WRITE_ONCE(port->wire, NULL);
	}
	synchronize_net();
	for (i = 0; i <= sw->n_ports; i++)
		sib_wire_free(wires[i]);
	if (sw->wq) {
		cancel_delayed_work_sync(&sw->trap.work);
		destroy_workqueue(sw->wq);
	}
	debugfs_remove_recursive(sw->dir);
	for (i = 0; i <= sw->n_ports; i++)
		kfree(sw->ports[i]);
	kvfree(sw);
}

static int sib_switch_build(struct sib_switch *sw)
{
	unsigned int i;

	sw->wq = alloc_workqueue("softib-%s", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0,
				 sw->name);
	if (!sw->wq)
		return -ENOMEM;
	sw->dir = debugfs_create_dir(sw->name, sib_debugfs);
	for (i = 0; i <= sw->n_ports; i++) {
		struct sib_port *port = kzalloc(sizeof(*port), GFP_KERNEL);

		if (!port)
			return -ENOMEM;
		sib_port_init(port, &sib_switch_port_ops, sw, sw->name, i, sw->guid, true);
		sw->ports[i] = port;
		if (i)
			sib_faultfs_add(port, sw->dir);
	}
	return 0;
}

static struct sib_switch *sib_switch_new(const char *name, const struct net_device *ndev)
{
	struct sib_switch *sw = kvzalloc(sizeof(*sw), GFP_KERNEL);
	int err;

	if (!sw)
		return ERR_PTR(-ENOMEM);
	strscpy(sw->name, name, sizeof(sw->name));
	spin_lock_init(&sw->lock);
	sib_trap_init(&sw->trap, sib_switch_trap_work);
	sw->n_ports = clamp(READ_ONCE(switch_ports), 1U, SIB_SWITCH_PORTS);
	addrconf_addr_eui48((u8 *)&sw->guid, ndev->dev_addr);
	/* An HCA on the same netdev's twin would have ff:fe here. */
	((u8 *)&sw->guid)[4] = 0xfd;
	memset(sw->lft, 0xff, sizeof(sw->lft));
	sw->info.lft_cap = cpu_to_be16(SIB_MCAST_LID - 1);
	sw->info.mft_cap = cpu_to_be16(SIB_MFT_MLIDS);
	sw->info.def_mcast_primary = 0xff;
	sw->info.def_mcast_other = 0xff;
	err = sib_switch_build(sw);
	if (err) {
		sib_switch_free(sw);
		return ERR_PTR(err);
	}
	return sw;
}

static struct sib_switch *sib_switch_find(const char *name)
{
	struct sib_switch *sw;

	list_for_each_entry(sw, &sib_switches, list) {
		if (!strcmp(sw->name, name))
			return sw;
	}
	return NULL;
}

/* Caller is the only one who adds (sib_new_mutex). */
bool sib_switch_name_taken(const char *name)
{
	return sib_switch_find(name);
}

static struct sib_port *sib_switch_free_port(struct sib_switch *sw)
{
	unsigned int i;

	for (i = 1; i <= sw->n_ports; i++) {
		if (!READ_ONCE(sw->ports[i]->wire))
			return sw->ports[i];
	}
	return NULL;
}

/**
 * sib_switch_add_port - plug a netdev into a switch
 * @name: the switch; made if there is none of that name
 * @ndev: the cable
 *
 * Under sib_new_mutex. Return: 0, -ENOSPC without a free port, or another negative errno.
 */
int sib_switch_add_port(const char *name, struct net_device *ndev)
{
	struct sib_switch *sw = sib_switch_find(name);
	bool fresh = !sw;
	struct sib_wire *wire;
	struct sib_port *port;
	int err;

	if (fresh) {
		sw = sib_switch_new(name, ndev);
		if (IS_ERR(sw))
			return PTR_ERR(sw);
	}
	port = sib_switch_free_port(sw);
	err = port ? sib_wire_new(&wire, ndev, port, sw->wq) : -ENOSPC;
	if (err) {
		if (fresh)
			sib_switch_free(sw);
		return err;
	}
	spin_lock_bh(&sib_switches_lock);
	WRITE_ONCE(port->wire, wire);
	if (fresh)
		list_add_tail(&sw->list, &sib_switches);
	spin_unlock_bh(&sib_switches_lock);
	sib_wire_start(wire);
	return 0;
}

/* The port a netdev is plugged into. Caller holds sib_switches_lock. */
static struct sib_port *sib_switch_port_of(const struct net_device *ndev)
{
	struct sib_switch *sw;
	unsigned int i;

	list_for_each_entry(sw, &sib_switches, list) {
		for (i = 1; i <= sw->n_ports; i++) {
			struct sib_wire *wire = sw->ports[i]->wire;

			if (wire && wire->ndev == ndev)
				return sw->ports[i];
		}
	}
	return NULL;
}

bool sib_switch_has_netdev(const struct net_device *ndev)
{
	bool has;

	spin_lock_bh(&sib_switches_lock);
	has = sib_switch_port_of(ndev);
	spin_unlock_bh(&sib_switches_lock);
	return has;
}

/* Pulls the cable: readers of port->wire run in softirq or under RCU. */
static void sib_switch_unplug(struct sib_port *port, struct sib_wire *wire)
{
	synchronize_net();
	sib_wire_free(wire);
	sib_port_link(port, false, IB_PORT_PHYS_STATE_POLLING);
}

/**
 * sib_switch_netdev_event - a netdev changed or goes away
 * @ndev: the netdev
 * @event: NETDEV_*
 * @fn: what to do with its wire unless it goes away
 *
 * Under rtnl.
 */
void sib_switch_netdev_event(struct net_device *ndev, unsigned long event,
			     void (*fn)(struct sib_wire *wire, unsigned long event))
{
	struct sib_wire *wire = NULL;
	struct sib_port *port;

	spin_lock_bh(&sib_switches_lock);
	port = sib_switch_port_of(ndev);
	if (port) {
		wire = port->wire;
		if (event == NETDEV_UNREGISTER)
			WRITE_ONCE(port->wire, NULL);
	}
	spin_unlock_bh(&sib_switches_lock);
	if (!port)
		return;
	if (event == NETDEV_UNREGISTER)
		sib_switch_unplug(port, wire);
	else
		fn(wire, event);
}

void sib_switch_free_all(void)
{
	struct sib_switch *sw, *next;

	list_for_each_entry_safe(sw, next, &sib_switches, list) {
		list_del(&sw->list);
		sib_switch_free(sw);
	}
}
