// SPDX-License-Identifier: GPL-2.0
/*
 * ipoib.c: IPoIB interfaces that refuse connected mode, as those of mlx5's Enhanced IPoIB do. An
 * address without the flag that says "connected mode" is what ib_ipoib goes by there, and here.
 */
#include <linux/moduleparam.h>
#include <linux/netdevice.h>

#include "softib.h"

static bool sib_datagram_only;
module_param_named(datagram_only, sib_datagram_only, bool, 0644);
MODULE_PARM_DESC(datagram_only, "IPoIB made from now on refuses connected mode (default N)");

/* ib_ipoib's own, and the same with another first step; every interface writes the same here. */
static const struct net_device_ops *sib_default_ops;
static struct net_device_ops sib_datagram_ops;

static int sib_datagram_init(struct net_device *ndev)
{
	u8 flags = 0;
	int err = sib_default_ops->ndo_init(ndev);

	if (!err)
		dev_addr_mod(ndev, 0, &flags, sizeof(flags));
	return err;
}

/* With this answer ib_ipoib goes on to send and receive by itself. */
static int sib_netdev_init(struct ib_device *ibdev, u32 port_num, struct net_device *ndev,
			   void *param)
{
	sib_default_ops = ndev->netdev_ops;
	sib_datagram_ops = *ndev->netdev_ops;
	sib_datagram_ops.ndo_init = sib_datagram_init;
	ndev->netdev_ops = &sib_datagram_ops;
	return -EOPNOTSUPP;
}

int sib_netdev_params(struct ib_device *ibdev, u32 port_num, enum rdma_netdev_t type,
		      struct rdma_netdev_alloc_params *params)
{
	if (!sib_datagram_only || type != RDMA_NETDEV_IPOIB)
		return -EOPNOTSUPP;
	*params = (struct rdma_netdev_alloc_params){
		.sizeof_priv = sizeof(struct rdma_netdev),
		.txqs = 1,
		.rxqs = 1,
		.initialize_rdma_netdev = sib_netdev_init,
	};
	return 0;
}
