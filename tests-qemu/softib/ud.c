// SPDX-License-Identifier: GPL-2.0
/*
 * ud.c: unreliable datagrams, which QP0 and QP1 also are. Volume 1 sections 9.8.3 and 10.2.
 */
#include "softib.h"

/* Every datagram is received behind room for a GRH. */
#define SIB_UD_HEADROOM	SIB_GRH_BYTES

static void sib_ud_fill(struct sib_qp *qp, const struct sib_send_wqe *wqe, struct sib_hdr *h)
{
	bool smi = qp->ibqp.qp_type == IB_QPT_SMI;
	struct sib_port *port = qp->port;

	memset(h, 0, sizeof(*h));
	h->av = &wqe->ud.av;
	h->slid = smi && wqe->ud.av.dlid == SIB_LID_PERMISSIVE ?
		  SIB_LID_PERMISSIVE : sib_port_lid(port) | wqe->ud.av.path_bits;
	if (smi)
		h->pkey = SIB_PKEY_DEFAULT;
	else
		h->pkey = sib_port_pkey(port, qp->ibqp.qp_type == IB_QPT_GSI ?
					      wqe->ud.pkey_index : qp->attr.pkey_index);
	h->qpn = wqe->ud.av.dlid >= SIB_MCAST_LID && !smi ? SIB_MCAST_QPN : wqe->ud.qpn;
	h->psn = qp->req.next_psn++;
	h->qkey = wqe->ud.qkey & IB_QP_SET_QKEY ? qp->attr.qkey : wqe->ud.qkey;
	h->sqpn = qp->ibqp.qp_num;
	h->imm = wqe->imm;
	h->opcode = wqe->opcode == IB_WR_SEND_WITH_IMM ? IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE :
							 IB_OPCODE_UD_SEND_ONLY;
	h->se = wqe->flags & IB_SEND_SOLICITED;
	h->mgmt = smi;
}

/* A packet leaves: to the wire, to ourselves, or for multicast to both. */
static void sib_ud_route(struct sib_qp *qp, const struct sib_hdr *h, struct sk_buff *skb)
{
	struct sib_port *port = qp->port;
	u16 mask = (1 << sib_pi_lmc(&port->pi)) - 1;
	struct sk_buff *copy;

	if (sib_cb(skb)->flags & SIB_CB_MCAST) {
		copy = skb_copy(skb, GFP_KERNEL);
		if (copy && sib_packet_parse(port, copy)) {
			sib_cb(copy)->flags |= SIB_CB_LOOP;
			sib_mcast_rx(qp->dev, copy, qp->ibqp.qp_num);
		} else {
			kfree_skb(copy);
		}
		sib_wire_xmit(port, skb);
	} else if (h->av->dlid != SIB_LID_PERMISSIVE &&
		   (h->av->dlid & ~mask) == sib_port_lid(port)) {
		sib_packet_loop(port, skb);
	} else {
		sib_wire_xmit(port, skb);
	}
}

/* A request by directed route: Omni-Path's switches do not know the IBTA's. */
static bool sib_ud_unheard(const struct sib_qp *qp, const struct ib_mad_hdr *mad, u32 len)
{
	return qp->dev->omni_path && qp->ibqp.qp_type == IB_QPT_SMI && len >= sizeof(*mad) &&
	       mad->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE &&
	       !(mad->method & IB_MGMT_METHOD_RESP);
}

static enum ib_wc_status sib_ud_send_one(struct sib_qp *qp, const struct sib_send_wqe *wqe)
{
	bool smi = qp->ibqp.qp_type == IB_QPT_SMI;
	struct sib_port *port = qp->port;
	struct sk_buff *skb;
	struct sib_hdr h;
	void *payload;

	if (wqe->length > ib_mtu_enum_to_int(port->pi.inittypereply_mtucap & 0xf))
		return IB_WC_LOC_LEN_ERR;
	sib_ud_fill(qp, wqe, &h);
	/* Like hardware: what the link cannot take now is gone, not an error. */
	if (sib_port_state(port) < (smi ? IB_PORT_INIT : IB_PORT_ACTIVE) ||
	    !(h.pkey & SIB_PKEY_BASE)) {
		sib_count(port, SIB_STAT_TX_DISCARD);
		return IB_WC_SUCCESS;
	}
	skb = sib_packet_new(port, &h, wqe->length, &payload, GFP_KERNEL);
	if (!skb)
		return IB_WC_SUCCESS;
	if (sib_sge_to_buf(qp, wqe->sge, wqe->num_sge, 0, payload, wqe->length)) {
		kfree_skb(skb);
		return IB_WC_LOC_PROT_ERR;
	}
	if (sib_ud_unheard(qp, payload, wqe->length)) {
		sib_count(port, SIB_STAT_TX_DISCARD);
		kfree_skb(skb);
		return IB_WC_SUCCESS;
	}
	sib_packet_seal(skb);
	sib_ud_route(qp, &h, skb);
	return IB_WC_SUCCESS;
}

/**
 * sib_ud_send - send what is posted
 * @qp: SMI, GSI or UD QP in RTS; engine only
 *
 * Return: whether requests remain because the wire has enough for now.
 */
bool sib_ud_send(struct sib_qp *qp)
{
	bool leaving = qp->ibqp.qp_type == IB_QPT_GSI && sib_dev_leaving(qp->dev);
	struct sib_send_wqe *wqe;
	enum ib_wc_status status;

	while ((wqe = sib_sq_peek(qp, qp->sq.tail))) {
		if (sib_wire_full(qp->dev->wire))
			return true;
		/* Of all errors only this one is taken quietly by the MAD layer. */
		status = leaving ? IB_WC_WR_FLUSH_ERR : sib_ud_send_one(qp, wqe);
		sib_qp_complete_send(qp, wqe, status);
	}
	return false;
}

static bool sib_ud_qkey_ok(struct sib_qp *qp, u32 qkey)
{
	struct sib_port *port = qp->port;
	unsigned long flags;
	u32 want = qp->ibqp.qp_type == IB_QPT_GSI ? IB_QP1_QKEY : qp->attr.qkey;

	if (qp->ibqp.qp_type == IB_QPT_SMI || qkey == want)
		return true;
	sib_count(port, SIB_STAT_DROP_QKEY);
	spin_lock_irqsave(&port->lock, flags);
	if (port->pi.qkey_violations != cpu_to_be16(U16_MAX))
		be16_add_cpu(&port->pi.qkey_violations, 1);
	spin_unlock_irqrestore(&port->lock, flags);
	return false;
}

static void sib_ud_fill_wc(struct sib_qp *qp, const struct sib_cb *cb, struct ib_wc *wc)
{
	wc->opcode = IB_WC_RECV;
	wc->byte_len = cb->pay_len + SIB_UD_HEADROOM;
	wc->src_qp = cb->sqpn;
	wc->slid = cb->slid;
	wc->sl = cb->sl;
	if (!(cb->flags & SIB_CB_MCAST))
		wc->dlid_path_bits = cb->dlid & ((1 << sib_pi_lmc(&qp->port->pi)) - 1);
	if (cb->flags & SIB_CB_GRH)
		wc->wc_flags |= IB_WC_GRH;
	if (sib_opcodes[cb->opcode].flags & SIB_OP_IMM) {
		wc->wc_flags |= IB_WC_WITH_IMM;
		wc->ex.imm_data = cb->imm;
	}
	if (qp->ibqp.qp_type == IB_QPT_GSI)
		wc->pkey_index = max(sib_port_find_pkey(qp->port, cb->pkey), 0);
}

/**
 * sib_ud_rx - take one datagram
 * @qp: SMI, GSI or UD QP in RTR or RTS; engine only
 * @skb: parsed packet; stays the caller's
 */
void sib_ud_rx(struct sib_qp *qp, struct sk_buff *skb)
{
	struct sib_cb *cb = sib_cb(skb);
	struct sib_recv_wqe *wqe;
	struct ib_wc wc = {};
	int err = 0;

	if (!sib_ud_qkey_ok(qp, cb->qkey))
		return;
	wqe = sib_rq_peek(qp);
	if (!wqe) {
		sib_count(qp->port, SIB_STAT_DROP_NO_WQE);
		return;
	}
	if (cb->pay_len + SIB_UD_HEADROOM > wqe->length) {
		sib_count(qp->port, SIB_STAT_DROP_NO_WQE);
		return;
	}
	if (cb->flags & SIB_CB_GRH)
		err = sib_sge_from_skb(qp, wqe->sge, wqe->num_sge, 0, skb, sizeof(struct sib_lrh),
				       SIB_GRH_BYTES);
	if (!err)
		err = sib_sge_from_skb(qp, wqe->sge, wqe->num_sge, SIB_UD_HEADROOM, skb,
				       cb->pay_off, cb->pay_len);
	wc.wr_id = wqe->wr_id;
	wc.status = err ? IB_WC_LOC_PROT_ERR : IB_WC_SUCCESS;
	sib_ud_fill_wc(qp, cb, &wc);
	sib_qp_complete_recv(qp, &wc, cb->flags & SIB_CB_SE);
}
