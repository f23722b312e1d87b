// SPDX-License-Identifier: GPL-2.0
/*
 * sma.c: the subnet management agent of an HCA, and the attributes of a single port that HCA and
 * switch share. Volume 1 chapter 14.
 */
#include "softib.h"

#define SIB_STATUS(s)	cpu_to_be16(IB_MGMT_MAD_STATUS_##s)

/* GUIDInfo: the first entry of block 0 is the port GUID and read only. */
static __be16 sib_guid_info(struct sib_port *port, struct ib_smp *smp, bool set,
			    struct sib_events *ev)
{
	__be64 *guids = (__be64 *)smp->data;
	unsigned int i;

	if (smp->attr_mod)
		return SIB_STATUS(INVALID_ATTRIB_VALUE);
	for (i = 1; set && i < SIB_GUIDS; i++) {
		if (port->guids[i] == guids[i])
			continue;
		port->guids[i] = guids[i];
		if (!ev->n)
			sib_events_add(ev, IB_EVENT_GID_CHANGE);
	}
	memcpy(smp->data, port->guids, sizeof(port->guids));
	return 0;
}

static __be16 sib_port_info_attr(struct sib_port *port, struct ib_smp *smp, bool set,
				 struct sib_events *ev)
{
	struct ib_port_info *pi = (struct ib_port_info *)smp->data;
	bool hide_mkey = port->pi.mkey && port->pi.mkey != smp->mkey &&
			 !(port->pi.mkeyprot_resv_lmc & 0xc0);
	u8 status;

	if (set) {
		status = sib_port_set_info(port, pi, ev);
		if (status)
			return cpu_to_be16(status);
	}
	*pi = port->pi;
	if (hide_mkey && !set)
		pi->mkey = 0;
	return 0;
}

static __be16 sib_pkey_table(struct sib_port *port, struct ib_smp *smp, bool set,
			     struct sib_events *ev)
{
	if (be32_to_cpu(smp->attr_mod) & 0xffff)
		return SIB_STATUS(INVALID_ATTRIB_VALUE);
	if (set && memcmp(port->pkeys, smp->data, sizeof(port->pkeys))) {
		memcpy(port->pkeys, smp->data, sizeof(port->pkeys));
		sib_events_add(ev, IB_EVENT_PKEY_CHANGE);
	}
	memcpy(smp->data, port->pkeys, sizeof(port->pkeys));
	return 0;
}

/* The tables are kept and shown; with one data VL they steer nothing. */
static __be16 sib_sl2vl(struct sib_port *port, struct ib_smp *smp, bool set)
{
	if (set)
		memcpy(port->sl2vl, smp->data, sizeof(port->sl2vl));
	memset(smp->data, 0, sizeof(smp->data));
	memcpy(smp->data, port->sl2vl, sizeof(port->sl2vl));
	return 0;
}

static __be16 sib_vlarb(struct sib_port *port, struct ib_smp *smp, bool set)
{
	unsigned int block = be32_to_cpu(smp->attr_mod) >> 16;

	if (!block || block > ARRAY_SIZE(port->vlarb))
		return SIB_STATUS(INVALID_ATTRIB_VALUE);
	if (set)
		memcpy(port->vlarb[block - 1], smp->data, sizeof(port->vlarb[0]));
	memcpy(smp->data, port->vlarb[block - 1], sizeof(port->vlarb[0]));
	return 0;
}

/**
 * sib_sma_port_attr - Get or Set of an attribute that belongs to one port
 * @port: the port meant
 * @smp: request; its data becomes that of the answer
 * @set: Set, not Get
 * @ev: what to dispatch afterwards
 *
 * Takes port->lock. Return: MAD status.
 */
__be16 sib_sma_port_attr(struct sib_port *port, struct ib_smp *smp, bool set,
			 struct sib_events *ev)
{
	unsigned long flags;
	__be16 status;

	spin_lock_irqsave(&port->lock, flags);
	switch (smp->attr_id) {
	case IB_SMP_ATTR_GUID_INFO:
		status = sib_guid_info(port, smp, set, ev);
		break;
	case IB_SMP_ATTR_PORT_INFO:
		status = sib_port_info_attr(port, smp, set, ev);
		break;
	case IB_SMP_ATTR_PKEY_TABLE:
		status = sib_pkey_table(port, smp, set, ev);
		break;
	case IB_SMP_ATTR_SL_TO_VL_TABLE:
		status = sib_sl2vl(port, smp, set);
		break;
	case IB_SMP_ATTR_VL_ARB_TABLE:
		status = sib_vlarb(port, smp, set);
		break;
	default:
		status = SIB_STATUS(UNSUPPORTED_METHOD_ATTRIB);
	}
	spin_unlock_irqrestore(&port->lock, flags);
	return status;
}

/**
 * sib_mkey_ok - may this SMP be answered? 14.2.4.1
 * @port: port whose M_Key guards the node
 * @smp: the request
 *
 * Counts a violation. Return: false if the SMP must be dropped.
 */
bool sib_mkey_ok(struct sib_port *port, const struct ib_smp *smp)
{
	unsigned long flags;
	bool ok;

	spin_lock_irqsave(&port->lock, flags);
	ok = !port->pi.mkey || port->pi.mkey == smp->mkey ||
	     (smp->method == IB_MGMT_METHOD_GET && !(port->pi.mkeyprot_resv_lmc & 0x80));
	if (!ok && port->pi.mkey_violations != cpu_to_be16(U16_MAX))
		be16_add_cpu(&port->pi.mkey_violations, 1);
	spin_unlock_irqrestore(&port->lock, flags);
	return ok;
}

static void sib_node_desc(struct sib_dev *dev, struct ib_smp *smp)
{
	unsigned long flags;

	spin_lock_irqsave(&dev->desc_lock, flags);
	memcpy(smp->data, dev->ibdev.node_desc, sizeof(smp->data));
	spin_unlock_irqrestore(&dev->desc_lock, flags);
}

static void sib_node_info(struct sib_dev *dev, struct ib_smp *smp)
{
	struct ib_node_info *ni = (struct ib_node_info *)smp->data;

	memset(smp->data, 0, sizeof(smp->data));
	ni->base_version = IB_MGMT_BASE_VERSION;
	ni->class_version = 1;
	ni->node_type = RDMA_NODE_IB_CA;
	ni->num_ports = 1;
	ni->sys_guid = dev->guid;
	ni->node_guid = dev->guid;
	ni->port_guid = dev->guid;
	ni->partition_cap = cpu_to_be16(SIB_PKEYS);
	ni->device_id = cpu_to_be16(SIB_DEVICE_ID);
	ni->local_port_num = 1;
	memset(ni->vendor_id, 0xff, sizeof(ni->vendor_id));
}

/* The data of one Get or Set. */
static __be16 sib_smp_attr(struct sib_dev *dev, struct ib_smp *smp, struct sib_events *ev)
{
	bool set = smp->method == IB_MGMT_METHOD_SET;

	if (smp->attr_id == IB_SMP_ATTR_PORT_INFO && be32_to_cpu(smp->attr_mod) > 1)
		return SIB_STATUS(INVALID_ATTRIB_VALUE);
	switch (smp->attr_id) {
	case IB_SMP_ATTR_NODE_DESC:
		if (set)
			return SIB_STATUS(UNSUPPORTED_METHOD_ATTRIB);
		sib_node_desc(dev, smp);
		return 0;
	case IB_SMP_ATTR_NODE_INFO:
		if (set)
			return SIB_STATUS(UNSUPPORTED_METHOD_ATTRIB);
		sib_node_info(dev, smp);
		return 0;
	default:
		return sib_sma_port_attr(&dev->port, smp, set, ev);
	}
}

/* SMInfo and everything that is no request of ours goes up to whoever registered for it. */
static bool sib_smp_is_ours(struct sib_dev *dev, const struct ib_smp *smp)
{
	if (smp->method != IB_MGMT_METHOD_GET && smp->method != IB_MGMT_METHOD_SET)
		return false;
	return smp->attr_id != IB_SMP_ATTR_SM_INFO ||
	       !(be32_to_cpu(READ_ONCE(dev->port.pi.cap_mask)) & IB_PORT_SM);
}

static int sib_process_smp(struct sib_dev *dev, int flags, const struct ib_mad *in,
			   struct ib_mad *out)
{
	struct ib_smp *smp = (struct ib_smp *)out;
	struct sib_events ev = {};

	memcpy(out, in, sizeof(*out));
	if (smp->method == IB_MGMT_METHOD_TRAP_REPRESS) {
		sib_trap_repress(&dev->trap, smp->tid);
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	}
	if (!sib_smp_is_ours(dev, smp))
		return IB_MAD_RESULT_SUCCESS;
	if (!(flags & IB_MAD_IGNORE_MKEY) && !sib_mkey_ok(&dev->port, smp))
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	smp->status = smp->class_version == 1 ? sib_smp_attr(dev, smp, &ev) :
						SIB_STATUS(BAD_VERSION);
	smp->method = IB_MGMT_METHOD_GET_RESP;
	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		smp->status |= IB_SMP_DIRECTION;
	sib_port_dispatch(&dev->port, &ev);
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

static struct sib_port *sib_dev_find_port(void *owner, u8 num)
{
	struct sib_dev *dev = owner;

	return num == 1 || num == 0xff ? &dev->port : NULL;
}

int sib_process_mad(struct ib_device *ibdev, int flags, u32 port_num, const struct ib_wc *wc,
		    const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index)
{
	struct sib_dev *dev = to_sdev(ibdev);

	switch (in->mad_hdr.mgmt_class) {
	case IB_MGMT_CLASS_SUBN_LID_ROUTED:
	case IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE:
		return sib_process_smp(dev, flags, in, out);
	case IB_MGMT_CLASS_PERF_MGMT:
		if (sib_pma_reply(sib_dev_find_port, dev, in, out))
			return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
		return IB_MAD_RESULT_SUCCESS;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
}
