// SPDX-License-Identifier: GPL-2.0
/*
 * swrx.c: what a switch does with a packet: directed route (14.2.2), management of the switch
 * itself, unicast by LFT, multicast by MFT. Softirq context, or process context under RCU.
 */
#include "softib.h"

static void sib_switch_drop(struct sib_port *in, struct sk_buff *skb)
{
	if (in)
		sib_count(in, SIB_STAT_RELAY_ERROR);
	kfree_skb(skb);
}

/* The port with a number, if it is good for a packet of this kind. */
static struct sib_port *sib_switch_out(struct sib_switch *sw, unsigned int num, bool smp)
{
	struct sib_port *port;

	if (!num || num > sw->n_ports)
		return NULL;
	port = sw->ports[num];
	if (!READ_ONCE(port->wire) ||
	    sib_port_state(port) < (smp ? IB_PORT_INIT : IB_PORT_ACTIVE))
		return NULL;
	return port;
}

/* Sends a packet of the switch itself to a LID; consumes it. */
void sib_switch_send(struct sib_switch *sw, u16 dlid, struct sk_buff *skb)
{
	struct sib_port *out = NULL;

	if (dlid < SIB_MCAST_LID)
		out = sib_switch_out(sw, READ_ONCE(sw->lft[dlid]), true);
	if (out)
		sib_wire_xmit(out, skb);
	else
		kfree_skb(skb);
}

/* A packet that was changed on the way needs room and a new check sum. */
static void sib_switch_forward_smp(struct sib_switch *sw, struct sib_port *in,
				   unsigned int num, struct sk_buff *skb)
{
	struct sib_port *out = sib_switch_out(sw, num, true);

	if (!out) {
		sib_switch_drop(in, skb);
		return;
	}
	sib_packet_seal(skb);
	sib_wire_xmit(out, skb);
}

/* Answers a MAD to where it came from, through the port it came in. */
static void sib_switch_answer(struct sib_port *in, const struct sib_cb *cb, const void *mad)
{
	bool smp = cb->vl == SIB_VL_MGMT;
	struct sib_av av = { .dlid = cb->slid, .sl = cb->sl };
	struct sib_hdr h = {
		.av = &av,
		.slid = cb->dlid,
		.pkey = cb->pkey,
		.qpn = cb->sqpn,
		.qkey = smp ? 0 : IB_QP1_QKEY,
		.sqpn = cb->qpn,
		.opcode = IB_OPCODE_UD_SEND_ONLY,
		.mgmt = smp,
	};
	struct sk_buff *skb = sib_packet_mad(in, &h, mad, GFP_ATOMIC);

	if (skb)
		sib_wire_xmit(in, skb);
}

/* The switch is meant. For a directed route the answer starts its way back right here. */
static void sib_switch_smp_local(struct sib_switch *sw, struct sib_port *in, struct sk_buff *skb,
				 struct ib_smp *smp)
{
	bool set = smp->method == IB_MGMT_METHOD_SET;
	struct sib_port *ev_port = sw->ports[0];
	struct sib_events ev = {};

	if (smp->method == IB_MGMT_METHOD_TRAP_REPRESS) {
		sib_trap_repress(&sw->trap, smp->tid);
		consume_skb(skb);
		return;
	}
	if ((!set && smp->method != IB_MGMT_METHOD_GET) || !sib_mkey_ok(sw->ports[0], smp)) {
		sib_count(in, SIB_STAT_BAD_MAD);
		kfree_skb(skb);
		return;
	}
	smp->status = smp->class_version == 1 ? sib_swsma(sw, in, smp, set, &ev, &ev_port) :
						cpu_to_be16(IB_MGMT_MAD_STATUS_BAD_VERSION);
	smp->method = IB_MGMT_METHOD_GET_RESP;
	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE) {
		smp->status |= IB_SMP_DIRECTION;
		if (smp->hop_cnt)
			smp->hop_ptr--;
	}
	sib_switch_answer(in, sib_cb(skb), smp);
	consume_skb(skb);
	sib_port_dispatch(ev_port, &ev);
}

/* On its way out, C14-9. */
static void sib_switch_dr_out(struct sib_switch *sw, struct sib_port *in, struct sk_buff *skb,
			      struct ib_smp *smp)
{
	u8 ptr = smp->hop_ptr, cnt = smp->hop_cnt;

	if (ptr && ptr < cnt) {
		smp->return_path[ptr] = in->num;
		smp->hop_ptr = ptr + 1;
		sib_switch_forward_smp(sw, in, smp->initial_path[ptr + 1], skb);
	} else if (ptr == cnt && smp->dr_dlid == IB_LID_PERMISSIVE) {
		if (cnt)
			smp->return_path[ptr] = in->num;
		smp->hop_ptr = cnt + 1;
		sib_switch_smp_local(sw, in, skb, smp);
	} else {
		/* Routes that go on by LID after the directed part are not offered. */
		sib_switch_drop(in, skb);
	}
}

/* On its way back, C14-13. */
static void sib_switch_dr_back(struct sib_switch *sw, struct sib_port *in, struct sk_buff *skb,
			       struct ib_smp *smp)
{
	u8 ptr = smp->hop_ptr;

	if (ptr < 2 || ptr > smp->hop_cnt) {
		sib_switch_drop(in, skb);
		return;
	}
	smp->hop_ptr = ptr - 1;
	sib_switch_forward_smp(sw, in, smp->return_path[ptr - 1], skb);
}

static void sib_switch_smp(struct sib_switch *sw, struct sib_port *in, struct sk_buff *skb)
{
	struct ib_smp *smp = (struct ib_smp *)sib_packet_get_mad(skb);
	u16 dlid = sib_cb(skb)->dlid;

	if (!smp || smp->base_version != IB_MGMT_BASE_VERSION) {
		sib_count(in, SIB_STAT_BAD_MAD);
		kfree_skb(skb);
	} else if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED) {
		if (dlid == sib_port_lid(sw->ports[0]) || dlid == SIB_LID_PERMISSIVE)
			sib_switch_smp_local(sw, in, skb, smp);
		else if (dlid < SIB_MCAST_LID)
			sib_switch_forward_smp(sw, in, READ_ONCE(sw->lft[dlid]), skb);
		else
			sib_switch_drop(in, skb);
	} else if (smp->mgmt_class != IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE ||
		   smp->hop_cnt >= IB_SMP_MAX_PATH_HOPS) {
		sib_count(in, SIB_STAT_BAD_MAD);
		kfree_skb(skb);
	} else if (ib_get_smp_direction(smp)) {
		sib_switch_dr_back(sw, in, skb, smp);
	} else {
		sib_switch_dr_out(sw, in, skb, smp);
	}
}

static struct sib_port *sib_switch_find_port(void *owner, u8 num)
{
	struct sib_switch *sw = owner;

	return num <= sw->n_ports ? sw->ports[num] : NULL;
}

/* QP1 of the switch: performance counters. */
static void sib_switch_gsi(struct sib_switch *sw, struct sib_port *in, struct sk_buff *skb)
{
	const struct ib_mad *mad;
	struct sib_cb *cb = sib_cb(skb);
	struct ib_mad out;

	if (!sib_packet_check(in, skb)) {
		kfree_skb(skb);
		return;
	}
	mad = sib_packet_get_mad(skb);
	if (mad && cb->qpn == 1 && cb->qkey == IB_QP1_QKEY &&
	    mad->mad_hdr.mgmt_class == IB_MGMT_CLASS_PERF_MGMT &&
	    sib_pma_reply(sib_switch_find_port, sw, mad, &out))
		sib_switch_answer(in, cb, &out);
	else
		sib_count(in, SIB_STAT_BAD_MAD);
	kfree_skb(skb);
}

static void sib_switch_mcast(struct sib_switch *sw, struct sib_port *in, struct sk_buff *skb)
{
	unsigned int index = sib_cb(skb)->dlid - SIB_MCAST_LID, num;
	struct sk_buff *copy;
	struct sib_port *out;
	u64 mask;

	if (index >= SIB_MFT_MLIDS) {
		sib_switch_drop(in, skb);
		return;
	}
	mask = READ_ONCE(sw->mft[index]);
	for (num = 1; num <= sw->n_ports; num++) {
		if (num == in->num || !(mask & BIT_ULL(num)))
			continue;
		out = sib_switch_out(sw, num, false);
		copy = out ? skb_copy(skb, GFP_ATOMIC) : NULL;
		if (copy)
			sib_wire_xmit(out, copy);
	}
	consume_skb(skb);
}

/**
 * sib_switch_rx - a packet came in through a port of a switch
 * @port: that port
 * @skb: parsed packet; consumed
 */
void sib_switch_rx(struct sib_port *port, struct sk_buff *skb)
{
	struct sib_switch *sw = port->owner;
	struct sib_cb *cb = sib_cb(skb);
	bool smp = cb->vl == SIB_VL_MGMT && !cb->qpn;
	struct sib_port *out;

	if (sib_port_state(port) < (smp ? IB_PORT_INIT : IB_PORT_ARMED)) {
		sib_count(port, smp ? SIB_STAT_VL15_DROPPED : SIB_STAT_DROP_STATE);
		kfree_skb(skb);
	} else if (smp) {
		sib_switch_smp(sw, port, skb);
	} else if (cb->flags & SIB_CB_MCAST) {
		sib_switch_mcast(sw, port, skb);
	} else if (cb->dlid >= SIB_MCAST_LID) {
		sib_switch_drop(port, skb);
	} else if (cb->dlid == sib_port_lid(sw->ports[0])) {
		sib_switch_gsi(sw, port, skb);
	} else {
		out = sib_switch_out(sw, READ_ONCE(sw->lft[cb->dlid]), false);
		if (out && out != port)
			sib_wire_xmit(out, skb);
		else
			sib_switch_drop(port, skb);
	}
}
