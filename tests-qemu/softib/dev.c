// SPDX-License-Identifier: GPL-2.0
/*
 * dev.c: the HCA as an ib_device: birth, death, attributes, and where its packets go.
 */
#include <linux/if_arp.h>
#include <linux/moduleparam.h>
#include <linux/utsname.h>
#include <net/addrconf.h>
#include <rdma/ib_cache.h>

#include "softib.h"

#define SIB_TRAP_LOCAL_CHANGES	144
/* Set in the LIDs that the core is told, as Omni-Path has them; AHs and the wire take 16 bits. */
#define SIB_LID_EXTENDED	0x10000
/* librxe's ABI: its provider opens the device for queries and asynchronous events. */
#define SIB_UVERBS_ABI		2

static bool sib_omni_path;
module_param_named(omni_path, sib_omni_path, bool, 0644);
MODULE_PARM_DESC(omni_path, "HCAs made from now on look like Omni-Path's (default N)");

/* Details of trap 144, table 144 of volume 1. */
struct sib_trap_144 {
	__be16 resv0;
	__be16 lid;
	u8 resv1;
	u8 other_changes;
	__be32 cap_mask;
	__be16 changes;
} __packed;

static ssize_t hca_type_show(struct device *d, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "softib\n");
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t hw_rev_show(struct device *d, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%x\n", SIB_WIRE_VERSION);
}
static DEVICE_ATTR_RO(hw_rev);

static ssize_t board_id_show(struct device *d, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "softib\n");
}
static DEVICE_ATTR_RO(board_id);

static struct attribute *sib_dev_attrs[] = {
	&dev_attr_hca_type.attr,
	&dev_attr_hw_rev.attr,
	&dev_attr_board_id.attr,
	NULL
};

static const struct attribute_group sib_dev_group = { .attrs = sib_dev_attrs };

static int sib_query_device(struct ib_device *ibdev, struct ib_device_attr *a,
			    struct ib_udata *udata)
{
	struct sib_dev *dev = to_sdev(ibdev);

	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;
	memset(a, 0, sizeof(*a));
	a->fw_ver = 1;
	a->sys_image_guid = dev->guid;
	a->max_mr_size = ~0ULL;
	a->page_size_cap = PAGE_SIZE;
	a->vendor_id = 0xffffff;
	a->vendor_part_id = SIB_DEVICE_ID;
	a->hw_ver = SIB_WIRE_VERSION;
	a->max_qp = 1 << 16;
	a->max_qp_wr = SIB_MAX_QP_WR;
	a->device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS | IB_DEVICE_SYS_IMAGE_GUID |
			      IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_BAD_PKEY_CNTR |
			      IB_DEVICE_BAD_QKEY_CNTR;
	a->kernel_cap_flags = IBK_LOCAL_DMA_LKEY | IBK_ALLOW_USER_UNREG;
	a->max_send_sge = SIB_MAX_SGE;
	a->max_recv_sge = SIB_MAX_SGE;
	a->max_sge_rd = SIB_MAX_SGE;
	a->max_cq = 1 << 16;
	a->max_cqe = SIB_MAX_CQE;
	a->max_mr = 1 << 20;
	a->max_pd = 1 << 16;
	a->max_qp_rd_atom = SIB_MAX_RD_ATOMIC;
	a->max_res_rd_atom = SIB_MAX_RD_ATOMIC << 10;
	a->max_qp_init_rd_atom = SIB_MAX_RD_ATOMIC;
	a->atomic_cap = IB_ATOMIC_NONE;
	a->max_mcast_grp = 8192;
	a->max_mcast_qp_attach = 64;
	a->max_total_mcast_qp_attach = 8192;
	a->max_ah = 1 << 20;
	a->max_fast_reg_page_list_len = SIB_MAX_PAGES;
	a->max_pkeys = SIB_PKEYS;
	a->local_ca_ack_delay = 15;
	return 0;
}

static u32 sib_told_lid(const struct sib_dev *dev, __be16 lid)
{
	return lid && dev->omni_path ? SIB_LID_EXTENDED | be16_to_cpu(lid) : be16_to_cpu(lid);
}

static int sib_query_port(struct ib_device *ibdev, u32 port_num, struct ib_port_attr *attr)
{
	struct sib_dev *dev = to_sdev(ibdev);
	struct sib_port *port = &dev->port;
	struct ib_port_info *pi = &port->pi;
	unsigned long flags;

	sib_news_wait(&dev->news);
	spin_lock_irqsave(&port->lock, flags);
	attr->subnet_prefix = be64_to_cpu(pi->gid_prefix);
	attr->state = sib_pi_state(pi);
	attr->phys_state = sib_pi_phys(pi);
	attr->max_mtu = pi->inittypereply_mtucap & 0xf;
	attr->active_mtu = pi->neighbormtu_mastersmsl >> 4;
	attr->phys_mtu = ib_mtu_enum_to_int(attr->active_mtu);
	attr->gid_tbl_len = SIB_GUIDS;
	attr->pkey_tbl_len = SIB_PKEYS;
	attr->port_cap_flags = be32_to_cpu(pi->cap_mask);
	attr->max_msg_sz = SIB_MAX_MSG;
	attr->bad_pkey_cntr = be16_to_cpu(pi->pkey_violations);
	attr->qkey_viol_cntr = be16_to_cpu(pi->qkey_violations);
	attr->sm_lid = sib_told_lid(dev, pi->sm_lid);
	attr->lid = sib_told_lid(dev, pi->lid);
	attr->lmc = sib_pi_lmc(pi);
	attr->max_vl_num = pi->vlcap_inittype >> 4;
	attr->sm_sl = pi->neighbormtu_mastersmsl & 0xf;
	attr->subnet_timeout = pi->clientrereg_resv_subnetto & 0x1f;
	attr->init_type_reply = pi->inittypereply_mtucap >> 4;
	attr->active_width = pi->link_width_active;
	attr->active_speed = pi->linkspeedactive_enabled >> 4;
	spin_unlock_irqrestore(&port->lock, flags);
	return 0;
}

/* Tells the SM with trap 144 that a capability or the node description changed. */
static void sib_dev_raise_144(struct sib_dev *dev, u8 other_changes)
{
	struct sib_trap_144 t = {
		.lid = dev->port.pi.lid,
		.other_changes = !!other_changes,
		.cap_mask = dev->port.pi.cap_mask,
		.changes = cpu_to_be16(other_changes),
	};

	sib_trap_raise(&dev->trap, dev->wq, SIB_TRAP_LOCAL_CHANGES, &t, sizeof(t));
}

static int sib_modify_device(struct ib_device *ibdev, int mask, struct ib_device_modify *m)
{
	struct sib_dev *dev = to_sdev(ibdev);
	unsigned long flags;

	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (!(mask & IB_DEVICE_MODIFY_NODE_DESC))
		return 0;
	spin_lock_irqsave(&dev->desc_lock, flags);
	memcpy(ibdev->node_desc, m->node_desc, IB_DEVICE_NODE_DESC_MAX);
	spin_unlock_irqrestore(&dev->desc_lock, flags);
	sib_dev_raise_144(dev, IB_NOTICE_TRAP_NODE_DESC_CHG);
	return 0;
}

static int sib_modify_port(struct ib_device *ibdev, u32 port_num, int mask,
			   struct ib_port_modify *m)
{
	struct sib_dev *dev = to_sdev(ibdev);
	struct sib_port *port = &dev->port;
	unsigned long flags;
	__be32 cap;

	if (mask & ~(IB_PORT_RESET_QKEY_CNTR))
		return -EOPNOTSUPP;
	spin_lock_irqsave(&port->lock, flags);
	cap = port->pi.cap_mask;
	port->pi.cap_mask = (cap & ~cpu_to_be32(m->clr_port_cap_mask)) |
			    cpu_to_be32(m->set_port_cap_mask);
	cap ^= port->pi.cap_mask;
	if (mask & IB_PORT_RESET_QKEY_CNTR)
		port->pi.qkey_violations = 0;
	spin_unlock_irqrestore(&port->lock, flags);
	if (cap)
		sib_dev_raise_144(dev, 0);
	return 0;
}

static int sib_port_immutable(struct ib_device *ibdev, u32 port_num,
			      struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = SIB_PKEYS;
	immutable->gid_tbl_len = SIB_GUIDS;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static int sib_query_gid(struct ib_device *ibdev, u32 port_num, int index, union ib_gid *gid)
{
	if (index < 0 || index >= SIB_GUIDS)
		return -EINVAL;
	sib_port_gid(&to_sdev(ibdev)->port, index, gid);
	return 0;
}

static int sib_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index, u16 *pkey)
{
	if (index >= SIB_PKEYS)
		return -EINVAL;
	*pkey = sib_port_pkey(&to_sdev(ibdev)->port, index);
	return 0;
}

static enum rdma_link_layer sib_link_layer(struct ib_device *ibdev, u32 port_num)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static void sib_fw_str(struct ib_device *ibdev, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u.0", SIB_WIRE_VERSION);
}

static int sib_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int sib_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int sib_alloc_ucontext(struct ib_ucontext *uc, struct ib_udata *udata)
{
	return 0;
}

/* A user context owns nothing here: queries and events are all there is. */
static void sib_no_ucontext(struct ib_ucontext *uc)
{
}

static int sib_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
			 struct ib_udata *udata)
{
	struct sib_ah *ah = to_sah(ibah);

	if (udata)
		return -EOPNOTSUPP;
	ah->attr = *init->ah_attr;
	ah->attr.grh.sgid_attr = NULL;
	sib_av_from_attr(&ah->av, init->ah_attr);
	return 0;
}

static int sib_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_sah(ibah)->attr;
	return 0;
}

static int sib_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	return 0;
}

/* Frees everything but the ib_device itself. Also called for a device that was never born. */
static void sib_dev_dealloc(struct ib_device *ibdev)
{
	struct sib_dev *dev = to_sdev(ibdev);

	sib_registry_del(dev);
	sib_news_stop(&dev->news);
	if (dev->port.ops)
		sib_port_cleanup(&dev->port);
	if (dev->wq)
		cancel_delayed_work_sync(&dev->trap.work);
	WRITE_ONCE(dev->port.wire, NULL);
	synchronize_net();
	dev->wire = sib_wire_free(dev->wire);
	if (dev->wq)
		destroy_workqueue(dev->wq);
	if (dev->pdev)
		platform_device_unregister(dev->pdev);
	xa_destroy(&dev->qps);
	xa_destroy(&dev->mrs);
}

static const struct ib_device_ops sib_dev_ops = {
	.owner = THIS_MODULE,
	.uverbs_abi_ver = SIB_UVERBS_ABI,
	.device_group = &sib_dev_group,

	.alloc_mr = sib_alloc_mr,
	.alloc_pd = sib_alloc_pd,
	.alloc_ucontext = sib_alloc_ucontext,
	.attach_mcast = sib_attach_mcast,
	.create_ah = sib_create_ah,
	.create_cq = sib_create_cq,
	.create_qp = sib_create_qp,
	.dealloc_driver = sib_dev_dealloc,
	.dealloc_pd = sib_dealloc_pd,
	.dealloc_ucontext = sib_no_ucontext,
	.dereg_mr = sib_dereg_mr,
	.destroy_ah = sib_destroy_ah,
	.destroy_cq = sib_destroy_cq,
	.destroy_qp = sib_destroy_qp,
	.detach_mcast = sib_detach_mcast,
	.disassociate_ucontext = sib_no_ucontext,
	.get_dev_fw_str = sib_fw_str,
	.get_dma_mr = sib_get_dma_mr,
	.get_link_layer = sib_link_layer,
	.get_port_immutable = sib_port_immutable,
	.map_mr_sg = sib_map_mr_sg,
	.modify_device = sib_modify_device,
	.modify_port = sib_modify_port,
	.modify_qp = sib_modify_qp,
	.poll_cq = sib_poll_cq,
	.post_recv = sib_post_recv,
	.post_send = sib_post_send,
	.process_mad = sib_process_mad,
	.query_ah = sib_query_ah,
	.query_device = sib_query_device,
	.query_gid = sib_query_gid,
	.query_pkey = sib_query_pkey,
	.query_port = sib_query_port,
	.query_qp = sib_query_qp,
	.rdma_netdev_get_params = sib_netdev_params,
	.reg_user_mr = sib_reg_user_mr,
	.req_notify_cq = sib_req_notify_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, sib_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, sib_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, sib_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, sib_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, sib_ucontext, ibuc),
};

/* By these user space chooses its provider. */
static const struct ib_device_ops sib_rxe_ops = { .driver_id = RDMA_DRIVER_RXE };
static const struct ib_device_ops sib_hfi1_ops = { .driver_id = RDMA_DRIVER_HFI1 };

/*
 * True while the core takes the device away from its clients. Nobody waits for answers of the
 * SM any more then, but ULPs leave their groups with long retries: failing these sends at once is
 * what makes removal quick when no SM is there. The core has no callback at this point, and
 * holds this mutex exactly then.
 */
bool sib_dev_leaving(struct sib_dev *dev)
{
	return mutex_is_locked(&dev->ibdev.unregistration_lock);
}

static void sib_dev_event(struct sib_port *port, enum ib_event_type type)
{
	struct sib_dev *dev = port->owner;
	struct ib_event event = {
		.device = &dev->ibdev,
		.element.port_num = port->num,
		.event = type,
	};

	if (READ_ONCE(dev->registered) && !sib_dev_leaving(dev))
		ib_dispatch_event(&event);
}

static void sib_dev_link_changed(struct sib_port *port)
{
}

static const struct sib_port_ops sib_dev_port_ops = {
	.rx = sib_dev_rx,
	.event = sib_dev_event,
	.link_changed = sib_dev_link_changed,
};

static void sib_dev_trap_work(struct work_struct *work)
{
	struct sib_dev *dev = container_of(to_delayed_work(work), struct sib_dev, trap.work);
	struct sk_buff *skb = sib_trap_packet(&dev->trap, &dev->port, RDMA_NODE_IB_CA);
	const struct sib_lrh *lrh;

	if (!skb)
		return;
	lrh = (const struct sib_lrh *)skb->data;
	if (lrh->dlid == lrh->slid)
		sib_packet_loop(&dev->port, skb);
	else
		sib_wire_xmit(&dev->port, skb);
	sib_trap_rearm(&dev->trap, dev->wq);
}

static bool sib_lid_is_ours(const struct sib_port *port, u16 dlid)
{
	u16 mask = (1 << sib_pi_lmc(&port->pi)) - 1;

	return (dlid & ~mask) == sib_port_lid(port);
}

/* Which link state lets this packet in, and is it for us? Counts if not. */
static bool sib_dev_admit(struct sib_port *port, struct sk_buff *skb)
{
	enum ib_port_state state = sib_port_state(port);
	struct sib_cb *cb = sib_cb(skb);
	bool smp = !cb->qpn && cb->vl == SIB_VL_MGMT;

	if (state < (smp ? IB_PORT_INIT : IB_PORT_ARMED)) {
		sib_count(port, smp ? SIB_STAT_VL15_DROPPED : SIB_STAT_DROP_STATE);
		return false;
	}
	if ((cb->flags & SIB_CB_MCAST) || sib_lid_is_ours(port, cb->dlid) ||
	    (smp && cb->dlid == SIB_LID_PERMISSIVE))
		return true;
	sib_count(port, SIB_STAT_DROP_LID);
	return false;
}

/**
 * sib_dev_rx - a packet for the HCA, from the wire or from itself
 * @port: the HCA's port
 * @skb: parsed packet; consumed
 */
void sib_dev_rx(struct sib_port *port, struct sk_buff *skb)
{
	struct sib_dev *dev = port->owner;
	struct sib_cb *cb = sib_cb(skb);
	struct sib_qp *qp;

	if (!sib_dev_admit(port, skb)) {
		kfree_skb(skb);
		return;
	}
	if (cb->flags & SIB_CB_MCAST) {
		sib_mcast_rx(dev, skb, SIB_MCAST_QPN);
		return;
	}
	qp = sib_qp_get(dev, cb->qpn);
	if (!qp) {
		sib_count(port, SIB_STAT_DROP_QP);
		kfree_skb(skb);
		return;
	}
	sib_qp_rx(qp, skb);
	sib_qp_put(qp);
}

static atomic_t made = ATOMIC_INIT(0);

static void sib_dev_init(struct sib_dev *dev, const char *name, struct net_device *ndev)
{
	struct ib_device *ibdev = &dev->ibdev;

	INIT_LIST_HEAD(&dev->list);
	INIT_LIST_HEAD(&dev->mcasts);
	spin_lock_init(&dev->desc_lock);
	spin_lock_init(&dev->mcast_lock);
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	/* As with hardware, numbers of the device that had this name before are not met again. */
	dev->next_qpn = 0x100 + 0x1000 * (atomic_inc_return(&made) & 0xff);
	xa_init_flags(&dev->mrs, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	strscpy(dev->name, name, sizeof(dev->name));
	addrconf_addr_eui48((u8 *)&dev->guid, ndev->dev_addr);
	sib_trap_init(&dev->trap, sib_dev_trap_work);
	sib_news_init(&dev->news, ibdev);
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->node_guid = dev->guid;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_possible_cpus();
	snprintf(ibdev->node_desc, sizeof(ibdev->node_desc), "%.32s %.30s",
		 init_utsname()->nodename, name);
	dev->omni_path = sib_omni_path;
	ib_set_device_ops(ibdev, &sib_dev_ops);
	ib_set_device_ops(ibdev, dev->omni_path ? &sib_hfi1_ops : &sib_rxe_ops);
}

/* Everything that can fail before registration. */
static int sib_dev_build(struct sib_dev *dev, struct net_device *ndev)
{
	struct platform_device *pdev;
	int err;

	dev->wq = alloc_workqueue("softib-%s", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0,
				  dev->name);
	if (!dev->wq)
		return -ENOMEM;
	err = sib_port_init(&dev->port, &sib_dev_port_ops, dev, dev->name, 1, dev->guid, false);
	if (err)
		return err;
	err = sib_wire_new(&dev->wire, ndev, &dev->port, dev->wq);
	if (err)
		return err;
	dev->port.wire = dev->wire;
	pdev = platform_device_register_simple("softib", PLATFORM_DEVID_AUTO, NULL, 0);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	dev->pdev = pdev;
	dev->ibdev.dev.parent = &pdev->dev;
	return 0;
}

/**
 * sib_dev_new - make an HCA on a netdev
 * @name: name of the ib_device
 * @ndev: the cable
 *
 * The caller has made sure that the netdev is not in use. Return: 0 or a negative errno.
 */
int sib_dev_new(const char *name, struct net_device *ndev)
{
	struct sib_dev *dev;
	int err;

	dev = ib_alloc_device(sib_dev, ibdev);
	if (!dev)
		return -ENOMEM;
	sib_dev_init(dev, name, ndev);
	err = sib_dev_build(dev, ndev);
	if (!err) {
		sib_registry_add(dev);
		sib_news_start(&dev->news);
		/* The core may free the device as soon as it is registered. */
		get_device(&dev->ibdev.dev);
		err = ib_register_device(&dev->ibdev, name, NULL);
	}
	if (err) {
		ib_dealloc_device(&dev->ibdev);
		return err;
	}
	if (ib_device_try_get(&dev->ibdev)) {
		sib_faultfs_add(&dev->port, NULL);
		WRITE_ONCE(dev->registered, true);
		sib_wire_start(dev->wire);
		ib_device_put(&dev->ibdev);
	}
	put_device(&dev->ibdev.dev);
	return 0;
}
