// SPDX-License-Identifier: GPL-2.0
/*
 * rcresp.c: the answering side of a reliable connection, volume 1 section 9.7. Acknowledgments are
 * sent once per batch of packets. READs keep no state: a repeated request is executed again.
 */
#include "softib.h"

/* Our requester asks for at most 16 packets at a time; somebody else may for a few more. */
#define SIB_READ_MAX_PKTS	64

static void sib_rc_send_aeth(struct sib_qp *qp, u8 syndrome, u32 psn)
{
	struct sib_hdr h = {
		.av = &qp->av,
		.slid = sib_port_lid(qp->port) | qp->av.path_bits,
		.pkey = sib_port_pkey(qp->port, qp->attr.pkey_index),
		.qpn = qp->attr.dest_qp_num,
		.psn = psn,
		.aeth = (u32)syndrome << 24 | (qp->resp.msn & SIB_24BIT),
		.opcode = IB_OPCODE_RC_ACKNOWLEDGE,
	};
	struct sk_buff *skb;
	void *payload;

	skb = sib_packet_new(qp->port, &h, 0, &payload, GFP_KERNEL);
	if (skb)
		sib_rc_xmit(qp, skb);
}

/* Acknowledges everything received so far, if somebody waits for it. */
void sib_rc_flush_ack(struct sib_qp *qp)
{
	if (!qp->resp.ack_due)
		return;
	qp->resp.ack_due = false;
	sib_rc_send_aeth(qp, SIB_AETH_ACK | SIB_AETH_CREDITS_NONE,
			 (qp->resp.psn - 1) & SIB_PSN_MASK);
}

/* The request breaks the rules: say so and stop. */
static void sib_rc_refuse(struct sib_qp *qp, u8 syndrome)
{
	sib_count(qp->port, SIB_STAT_DROP_RC);
	sib_rc_flush_ack(qp);
	sib_rc_send_aeth(qp, syndrome, qp->resp.psn);
	sib_qp_error(qp, syndrome == SIB_AETH_NAK_ACCESS ? IB_EVENT_QP_ACCESS_ERR :
							   IB_EVENT_QP_REQ_ERR);
}

/* No receive request: ask for a pause, 9.7.5.2.8. */
static void sib_rc_not_ready(struct sib_qp *qp)
{
	sib_rc_flush_ack(qp);
	sib_rc_send_aeth(qp, SIB_AETH_RNR | (qp->attr.min_rnr_timer & 0x1f), qp->resp.psn);
	/* What follows this packet is out of order for us, but that is no news. */
	qp->resp.nak_sent = true;
}

static void sib_rc_advance(struct sib_qp *qp, u32 pkts)
{
	qp->resp.psn = (qp->resp.psn + pkts) & SIB_PSN_MASK;
	qp->resp.nak_sent = false;
}

static u8 sib_read_opcode(u32 i, u32 n)
{
	if (n == 1)
		return IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY;
	if (!i)
		return IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST;
	return i == n - 1 ? IB_OPCODE_RC_RDMA_READ_RESPONSE_LAST :
			    IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE;
}

/* One response packet. Return: 0, or negative: -ENOMEM counts as lost. */
static int sib_rc_read_packet(struct sib_qp *qp, const struct sib_hdr *req, u32 i, u32 n)
{
	u32 off = i * qp->mtu, len = min(req->length - off, qp->mtu);
	struct sib_hdr h = *req;
	struct sk_buff *skb;
	void *payload;

	h.opcode = sib_read_opcode(i, n);
	h.psn = req->psn + i;
	skb = sib_packet_new(qp->port, &h, len, &payload, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	if (len && sib_mr_to_buf(qp, req->rkey, req->va + off, payload, len)) {
		kfree_skb(skb);
		return -EACCES;
	}
	sib_rc_xmit(qp, skb);
	return 0;
}

/* Answers a READ; psn is the request's, new or repeated. */
static int sib_rc_read(struct sib_qp *qp, struct sk_buff *skb, u32 *pkts)
{
	const struct sib_cb *cb = sib_cb(skb);
	const struct sib_reth *reth = (const struct sib_reth *)(skb->data + cb->ext_off);
	struct sib_hdr h = {
		.av = &qp->av,
		.slid = sib_port_lid(qp->port) | qp->av.path_bits,
		.pkey = sib_port_pkey(qp->port, qp->attr.pkey_index),
		.qpn = qp->attr.dest_qp_num,
		.psn = cb->psn,
		.va = be64_to_cpu(reth->va),
		.rkey = be32_to_cpu(reth->rkey),
		.length = be32_to_cpu(reth->length),
		.aeth = SIB_AETH_CREDITS_NONE << 24 | (qp->resp.msn & SIB_24BIT),
	};
	u32 i;

	if (h.length > SIB_READ_MAX_PKTS * qp->mtu)
		return -EINVAL;
	*pkts = sib_rc_packets(qp, h.length);
	if (h.length && sib_mr_check(qp, h.rkey, h.va, h.length, IB_ACCESS_REMOTE_READ))
		return -EACCES;
	for (i = 0; i < *pkts; i++) {
		if (sib_rc_read_packet(qp, &h, i, *pkts) == -EACCES)
			return -EACCES;
	}
	return 0;
}

static void sib_rc_rx_read(struct sib_qp *qp, struct sk_buff *skb)
{
	u32 pkts = 1;
	int err;

	if (qp->resp.in_msg) {
		sib_rc_refuse(qp, SIB_AETH_NAK_INV);
		return;
	}
	qp->resp.msn++;
	err = sib_rc_read(qp, skb, &pkts);
	if (err) {
		sib_rc_refuse(qp, err == -EACCES ? SIB_AETH_NAK_ACCESS : SIB_AETH_NAK_INV);
		return;
	}
	/* The responses acknowledge all before them. */
	qp->resp.ack_due = false;
	sib_rc_advance(qp, pkts);
}

/* Completes the receive request in use. */
static void sib_rc_complete(struct sib_qp *qp, const struct sk_buff *skb,
			    enum ib_wc_status status)
{
	const struct sib_cb *cb = sib_cb((struct sk_buff *)skb);
	u16 flags = sib_opcodes[cb->opcode].flags;
	struct ib_wc wc = {
		.wr_id = qp->resp.wqe->wr_id,
		.status = status,
		.opcode = flags & SIB_OP_WRITE ? IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV,
		.byte_len = qp->resp.off,
		.src_qp = qp->attr.dest_qp_num,
		.slid = cb->slid,
		.sl = cb->sl,
	};

	if (flags & SIB_OP_IMM) {
		wc.wc_flags = IB_WC_WITH_IMM;
		wc.ex.imm_data = cb->imm;
	} else if (flags & SIB_OP_INV) {
		wc.wc_flags = IB_WC_WITH_INVALIDATE;
		wc.ex.invalidate_rkey = be32_to_cpu(cb->imm);
	}
	sib_qp_complete_recv(qp, &wc, cb->flags & SIB_CB_SE);
	qp->resp.wqe = NULL;
}

/* First and middle packets are full; the kind must not change inside a message. */
static bool sib_rc_in_order(const struct sib_qp *qp, const struct sib_cb *cb)
{
	u16 flags = sib_opcodes[cb->opcode].flags;
	const struct sib_rc_resp *r = &qp->resp;

	if (!!(flags & SIB_OP_START) == r->in_msg)
		return false;
	if (r->in_msg && r->is_write != !!(flags & SIB_OP_WRITE))
		return false;
	return flags & SIB_OP_END ? cb->pay_len <= qp->mtu : cb->pay_len == qp->mtu;
}

/* Opens a message. Return: 0, a NAK syndrome, or -EAGAIN without receive request. */
static int sib_rc_begin(struct sib_qp *qp, const struct sk_buff *skb)
{
	const struct sib_cb *cb = sib_cb((struct sk_buff *)skb);
	const struct sib_reth *reth = (const struct sib_reth *)(skb->data + cb->ext_off);
	struct sib_rc_resp *r = &qp->resp;

	r->is_write = sib_opcodes[cb->opcode].flags & SIB_OP_WRITE;
	r->off = 0;
	if (!r->is_write) {
		r->wqe = sib_rq_peek(qp);
		return r->wqe ? 0 : -EAGAIN;
	}
	r->va = be64_to_cpu(reth->va);
	r->rkey = be32_to_cpu(reth->rkey);
	r->length = be32_to_cpu(reth->length);
	if (r->length && sib_mr_check(qp, r->rkey, r->va, r->length, IB_ACCESS_REMOTE_WRITE))
		return SIB_AETH_NAK_ACCESS;
	return 0;
}

/* Stores the payload. Return: 0 or a NAK syndrome. */
static int sib_rc_store(struct sib_qp *qp, struct sk_buff *skb)
{
	const struct sib_cb *cb = sib_cb(skb);
	struct sib_rc_resp *r = &qp->resp;
	int err;

	if (r->is_write) {
		if (cb->pay_len > r->length - r->off)
			return SIB_AETH_NAK_INV;
		if (cb->pay_len && sib_mr_from_skb(qp, r->rkey, r->va + r->off, skb, cb->pay_off,
						   cb->pay_len))
			return SIB_AETH_NAK_ACCESS;
		return 0;
	}
	err = sib_sge_from_skb(qp, r->wqe->sge, r->wqe->num_sge, r->off, skb, cb->pay_off,
			       cb->pay_len);
	if (!err)
		return 0;
	sib_rc_complete(qp, skb, err == -EMSGSIZE ? IB_WC_LOC_LEN_ERR : IB_WC_LOC_PROT_ERR);
	return err == -EMSGSIZE ? SIB_AETH_NAK_INV : SIB_AETH_NAK_OP;
}

/* Closes a message. Return: 0 or a NAK syndrome. */
static int sib_rc_end(struct sib_qp *qp, struct sk_buff *skb)
{
	const struct sib_cb *cb = sib_cb(skb);
	u16 flags = sib_opcodes[cb->opcode].flags;
	struct sib_rc_resp *r = &qp->resp;

	if (r->is_write && r->off != r->length)
		return SIB_AETH_NAK_INV;
	if ((flags & SIB_OP_INV) && sib_mr_invalidate(qp, be32_to_cpu(cb->imm), true))
		return SIB_AETH_NAK_ACCESS;
	if (r->wqe)
		sib_rc_complete(qp, skb, IB_WC_SUCCESS);
	r->msn++;
	return 0;
}

/* A SEND or WRITE packet in sequence. */
static void sib_rc_rx_data(struct sib_qp *qp, struct sk_buff *skb)
{
	const struct sib_cb *cb = sib_cb(skb);
	u16 flags = sib_opcodes[cb->opcode].flags;
	struct sib_rc_resp *r = &qp->resp;
	int err = 0;

	if (!sib_rc_in_order(qp, cb)) {
		sib_rc_refuse(qp, SIB_AETH_NAK_INV);
		return;
	}
	if (flags & SIB_OP_START)
		err = sib_rc_begin(qp, skb);
	/* An RDMA WRITE with immediate needs a receive request at its end only. */
	if (!err && r->is_write && (flags & SIB_OP_IMM)) {
		r->wqe = sib_rq_peek(qp);
		err = r->wqe ? 0 : -EAGAIN;
	}
	if (err == -EAGAIN) {
		sib_rc_not_ready(qp);
		return;
	}
	if (!err)
		err = sib_rc_store(qp, skb);
	if (!err) {
		r->off += cb->pay_len;
		r->in_msg = !(flags & SIB_OP_END);
		if (flags & SIB_OP_END)
			err = sib_rc_end(qp, skb);
	}
	if (err) {
		sib_rc_refuse(qp, err);
		return;
	}
	sib_rc_advance(qp, 1);
	if (cb->flags & SIB_CB_ACKREQ)
		r->ack_due = true;
}

/* A request with a PSN that was served before: its answer was lost. */
static void sib_rc_rx_repeat(struct sib_qp *qp, struct sk_buff *skb)
{
	u32 pkts;

	sib_count(qp->port, SIB_STAT_RC_DUP);
	if (sib_opcodes[sib_cb(skb)->opcode].flags & SIB_OP_READ_REQ)
		sib_rc_read(qp, skb, &pkts);
	else
		qp->resp.ack_due = true;
}

/* The first packet on a connection whose set-up message is still under way. */
static void sib_rc_established(struct sib_qp *qp)
{
	struct ib_event event = {
		.device = qp->ibqp.device,
		.element.qp = &qp->ibqp,
		.event = IB_EVENT_COMM_EST,
	};

	if (qp->state == IB_QPS_RTR && !qp->resp.est_told && qp->ibqp.event_handler) {
		qp->resp.est_told = true;
		qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
	}
}

/**
 * sib_rc_rx - take one packet of a connection
 * @qp: RC QP in RTR or RTS; engine only
 * @skb: parsed packet; stays the caller's
 */
void sib_rc_rx(struct sib_qp *qp, struct sk_buff *skb)
{
	struct sib_cb *cb = sib_cb(skb);
	u16 flags = sib_opcodes[cb->opcode].flags;
	s32 d;

	if (flags & (SIB_OP_ACK | SIB_OP_READ_RSP)) {
		sib_rc_answer(qp, skb);
		return;
	}
	sib_rc_established(qp);
	d = sib_psn_diff(cb->psn, qp->resp.psn);
	if (d < 0) {
		sib_rc_rx_repeat(qp, skb);
	} else if (d > 0) {
		if (!qp->resp.nak_sent) {
			sib_rc_flush_ack(qp);
			sib_rc_send_aeth(qp, SIB_AETH_NAK_SEQ, qp->resp.psn);
			qp->resp.nak_sent = true;
		}
	} else if (flags & SIB_OP_READ_REQ) {
		sib_rc_rx_read(qp, skb);
	} else {
		sib_rc_rx_data(qp, skb);
	}
}
