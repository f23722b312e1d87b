// SPDX-License-Identifier: GPL-2.0
/*
 * main.c: module life, the two RDMA link types ("softib" makes an HCA, "softib-switch" adds a
 * port to a switch), and what becomes of them when netdevs change or go.
 *
 * sib_new_mutex serialises creation; it is taken before rtnl. The netdev notifier, which runs
 * under rtnl, only takes sib_registry_lock.
 */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>
#include <rdma/rdma_netlink.h>

#include "softib.h"

unsigned int sib_beat_ms = 1000;
module_param_named(beat_ms, sib_beat_ms, uint, 0644);
MODULE_PARM_DESC(
	beat_ms, "Milliseconds between link frames on a live link, 0 = none (default 1000)");

struct dentry *sib_debugfs;
static DEFINE_MUTEX(sib_new_mutex);
static DEFINE_SPINLOCK(sib_registry_lock);
static LIST_HEAD(sib_devs);
static DECLARE_WAIT_QUEUE_HEAD(sib_devs_wait);

void sib_registry_add(struct sib_dev *dev)
{
	spin_lock(&sib_registry_lock);
	list_add_tail(&dev->list, &sib_devs);
	spin_unlock(&sib_registry_lock);
}

void sib_registry_del(struct sib_dev *dev)
{
	spin_lock(&sib_registry_lock);
	list_del_init(&dev->list);
	spin_unlock(&sib_registry_lock);
	wake_up_all(&sib_devs_wait);
}

/* The HCA on a netdev (or any, for NULL) with a reference, or NULL. */
static struct sib_dev *sib_registry_get(const struct net_device *ndev)
{
	struct sib_dev *dev, *found = NULL;

	spin_lock(&sib_registry_lock);
	list_for_each_entry(dev, &sib_devs, list) {
		if (ndev && (!dev->wire || dev->wire->ndev != ndev))
			continue;
		if (!READ_ONCE(dev->registered) || !ib_device_try_get(&dev->ibdev))
			continue;
		found = dev;
		break;
	}
	spin_unlock(&sib_registry_lock);
	return found;
}

static bool sib_netdev_taken(const struct net_device *ndev)
{
	struct sib_dev *dev;
	bool taken = false;

	spin_lock(&sib_registry_lock);
	list_for_each_entry(dev, &sib_devs, list)
		taken |= dev->wire && dev->wire->ndev == ndev;
	spin_unlock(&sib_registry_lock);
	return taken || sib_switch_has_netdev(ndev);
}

static int sib_newlink(const char *name, struct net_device *ndev)
{
	int err = -EEXIST;

	mutex_lock(&sib_new_mutex);
	if (!sib_netdev_taken(ndev) && !sib_switch_name_taken(name))
		err = sib_dev_new(name, ndev);
	mutex_unlock(&sib_new_mutex);
	return err;
}

static int sib_new_switch_port(const char *name, struct net_device *ndev)
{
	int err = -EEXIST;

	mutex_lock(&sib_new_mutex);
	if (!sib_netdev_taken(ndev))
		err = sib_switch_add_port(name, ndev);
	mutex_unlock(&sib_new_mutex);
	return err;
}

static struct rdma_link_ops sib_link_ops = {
	.type = "softib",
	.newlink = sib_newlink,
};

static struct rdma_link_ops sib_switch_link_ops = {
	.type = "softib-switch",
	.newlink = sib_new_switch_port,
};

static void sib_wire_event(struct sib_wire *wire, unsigned long event)
{
	if (event == NETDEV_CHANGEMTU)
		sib_port_set_mtu(wire->port, wire->ndev->mtu);
	else
		sib_link_kick(wire);
}

static int sib_netdev_event(struct notifier_block *nb, unsigned long event, void *arg)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(arg);
	struct sib_dev *dev;

	if (event != NETDEV_UNREGISTER && event != NETDEV_UP && event != NETDEV_DOWN &&
	    event != NETDEV_CHANGE && event != NETDEV_CHANGEMTU)
		return NOTIFY_DONE;
	dev = sib_registry_get(ndev);
	if (dev) {
		if (event == NETDEV_UNREGISTER)
			ib_unregister_device_queued(&dev->ibdev);
		else
			sib_wire_event(dev->wire, event);
		ib_device_put(&dev->ibdev);
	} else {
		sib_switch_netdev_event(ndev, event, sib_wire_event);
	}
	return NOTIFY_DONE;
}

static struct notifier_block sib_netdev_notifier = {
	.notifier_call = sib_netdev_event,
};

static bool sib_devs_gone(void)
{
	bool gone;

	spin_lock(&sib_registry_lock);
	gone = list_empty(&sib_devs);
	spin_unlock(&sib_registry_lock);
	return gone;
}

static int __init sib_init(void)
{
	int err;

	sib_debugfs = debugfs_create_dir("softib", NULL);
	err = register_netdevice_notifier(&sib_netdev_notifier);
	if (err) {
		debugfs_remove_recursive(sib_debugfs);
		return err;
	}
	rdma_link_register(&sib_link_ops);
	rdma_link_register(&sib_switch_link_ops);
	return 0;
}

static void __exit sib_exit(void)
{
	struct sib_dev *dev;

	rdma_link_unregister(&sib_switch_link_ops);
	rdma_link_unregister(&sib_link_ops);
	while ((dev = sib_registry_get(NULL)))
		ib_unregister_device_and_put(&dev->ibdev);
	/* Whoever else is taking one away must be through before the code goes. */
	wait_event(sib_devs_wait, sib_devs_gone());
	unregister_netdevice_notifier(&sib_netdev_notifier);
	sib_switch_free_all();
	debugfs_remove_recursive(sib_debugfs);
}

module_init(sib_init);
module_exit(sib_exit);

MODULE_ALIAS_RDMA_LINK("softib");
MODULE_ALIAS_RDMA_LINK("softib-switch");
MODULE_DESCRIPTION("Software InfiniBand HCA and switch over Ethernet frames, for tests");
MODULE_LICENSE("GPL");
