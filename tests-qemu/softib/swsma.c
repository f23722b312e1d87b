// SPDX-License-Identifier: GPL-2.0
/*
 * swsma.c: subnet management attributes of a switch. Volume 1 section 14.2.5.
 */
#include "softib.h"

#define SIB_STATUS(s)	cpu_to_be16(IB_MGMT_MAD_STATUS_##s)

#define SIB_LFT_BLOCK	64	/* LIDs per block */
#define SIB_MFT_BLOCK	32	/* MLIDs per block, 16 ports per position */

static void sib_sw_node_desc(struct sib_switch *sw, struct ib_smp *smp)
{
	memset(smp->data, 0, sizeof(smp->data));
	strscpy(smp->data, sw->name, sizeof(smp->data));
}

static void sib_sw_node_info(struct sib_switch *sw, struct sib_port *in, struct ib_smp *smp)
{
	struct ib_node_info *ni = (struct ib_node_info *)smp->data;

	memset(smp->data, 0, sizeof(smp->data));
	ni->base_version = IB_MGMT_BASE_VERSION;
	ni->class_version = 1;
	ni->node_type = RDMA_NODE_IB_SWITCH;
	ni->num_ports = sw->n_ports;
	ni->sys_guid = sw->guid;
	ni->node_guid = sw->guid;
	ni->port_guid = sw->guid;
	ni->partition_cap = cpu_to_be16(SIB_PKEYS);
	ni->device_id = cpu_to_be16(SIB_DEVICE_ID);
	ni->local_port_num = in->num;
	memset(ni->vendor_id, 0xff, sizeof(ni->vendor_id));
}

static __be16 sib_sw_switch_info(struct sib_switch *sw, struct ib_smp *smp, bool set)
{
	const struct sib_switch_info *in = (const struct sib_switch_info *)smp->data;
	struct sib_switch_info *si = &sw->info;

	if (set) {
		if (be16_to_cpu(in->lft_top) >= SIB_MCAST_LID)
			return SIB_STATUS(INVALID_ATTRIB_VALUE);
		si->lft_top = in->lft_top;
		si->def_port = in->def_port;
		si->def_mcast_primary = in->def_mcast_primary;
		si->def_mcast_other = in->def_mcast_other;
		/* LifeTimeValue is taken over; PortStateChange is cleared by writing 1. */
		si->life_psc = (in->life_psc & 0xf8) |
			       (si->life_psc & ~in->life_psc & SIB_SWITCH_PSC);
		si->mft_top = in->mft_top;
	}
	memset(smp->data, 0, sizeof(smp->data));
	memcpy(smp->data, si, sizeof(*si));
	return 0;
}

static __be16 sib_sw_lft(struct sib_switch *sw, struct ib_smp *smp, bool set)
{
	u32 block = be32_to_cpu(smp->attr_mod);
	u8 *entries;

	if (block >= SIB_MCAST_LID / SIB_LFT_BLOCK)
		return SIB_STATUS(INVALID_ATTRIB_VALUE);
	entries = sw->lft + block * SIB_LFT_BLOCK;
	if (set)
		memcpy(entries, smp->data, SIB_LFT_BLOCK);
	memcpy(smp->data, entries, SIB_LFT_BLOCK);
	return 0;
}

static __be16 sib_sw_mft(struct sib_switch *sw, struct ib_smp *smp, bool set)
{
	u32 mod = be32_to_cpu(smp->attr_mod), block = mod & 0x1ff, shift = (mod >> 28) * 16;
	__be16 *masks = (__be16 *)smp->data;
	unsigned int i;

	if (block >= SIB_MFT_MLIDS / SIB_MFT_BLOCK || shift > SIB_SWITCH_PORTS)
		return SIB_STATUS(INVALID_ATTRIB_VALUE);
	for (i = 0; i < SIB_MFT_BLOCK; i++) {
		u64 *entry = &sw->mft[block * SIB_MFT_BLOCK + i];

		if (set)
			WRITE_ONCE(*entry, (*entry & ~(0xffffULL << shift)) |
					   (u64)be16_to_cpu(masks[i]) << shift);
		masks[i] = cpu_to_be16(*entry >> shift);
	}
	return 0;
}

/* Which port a port attribute is about; the modifier says so in a different place each time. */
static struct sib_port *sib_sw_target(struct sib_switch *sw, const struct ib_smp *smp)
{
	u32 mod = be32_to_cpu(smp->attr_mod), num;

	switch (smp->attr_id) {
	case IB_SMP_ATTR_PORT_INFO:
	case IB_SMP_ATTR_SL_TO_VL_TABLE:
		num = mod & 0xff;
		break;
	case IB_SMP_ATTR_PKEY_TABLE:
		num = mod >> 16;
		break;
	case IB_SMP_ATTR_VL_ARB_TABLE:
		num = mod & 0xffff;
		break;
	default:
		num = 0;
	}
	return num <= sw->n_ports ? sw->ports[num] : NULL;
}

static __be16 sib_sw_port_attr(struct sib_switch *sw, struct sib_port *in, struct ib_smp *smp,
			       bool set, struct sib_events *ev, struct sib_port **ev_port)
{
	struct sib_port *port = sib_sw_target(sw, smp);
	__be16 status;

	if (!port)
		return SIB_STATUS(INVALID_ATTRIB_VALUE);
	*ev_port = port;
	status = sib_sma_port_attr(port, smp, set, ev);
	/* LocalPortNum tells where the question came in, not which port it is about. */
	if (smp->attr_id == IB_SMP_ATTR_PORT_INFO)
		((struct ib_port_info *)smp->data)->local_port_num = in->num;
	return status;
}

/**
 * sib_swsma - Get or Set at a switch
 * @sw: the switch
 * @in: port the request came in
 * @smp: request; its data becomes that of the answer
 * @set: Set, not Get
 * @ev: what to dispatch afterwards
 * @ev_port: for which port
 *
 * Return: MAD status.
 */
__be16 sib_swsma(struct sib_switch *sw, struct sib_port *in, struct ib_smp *smp, bool set,
		 struct sib_events *ev, struct sib_port **ev_port)
{
	__be16 status = 0;

	spin_lock_bh(&sw->lock);
	switch (smp->attr_id) {
	case IB_SMP_ATTR_NODE_DESC:
		sib_sw_node_desc(sw, smp);
		break;
	case IB_SMP_ATTR_NODE_INFO:
		sib_sw_node_info(sw, in, smp);
		break;
	case IB_SMP_ATTR_SWITCH_INFO:
		status = sib_sw_switch_info(sw, smp, set);
		break;
	case IB_SMP_ATTR_LINEAR_FORWARD_TABLE:
		status = sib_sw_lft(sw, smp, set);
		break;
	case IB_SMP_ATTR_MCAST_FORWARD_TABLE:
		status = sib_sw_mft(sw, smp, set);
		break;
	default:
		status = sib_sw_port_attr(sw, in, smp, set, ev, ev_port);
	}
	spin_unlock_bh(&sw->lock);
	return status;
}
