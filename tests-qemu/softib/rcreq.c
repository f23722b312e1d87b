// SPDX-License-Identifier: GPL-2.0
/*
 * rcreq.c: the requesting side of a reliable connection, volume 1 section 9.7. Go-back-N within
 * a window of packets; an RDMA READ is asked for in pieces, so that its responses stay within
 * the window too (there are no link credits here that would stop a flood).
 *
 * A send request is POSTED until its first packet got a PSN, SENT until everything it needs has
 * come back, then DONE; completions leave in order.
 */
#include "softib.h"

#define SIB_WINDOW	64	/* packets without an answer */
#define SIB_READ_PIECE	16	/* response packets per READ request */
#define SIB_ACK_EVERY	16
/* First guess at a lost tail; never more than what the consumer's timeout says. */
#define SIB_RTO_MS	200
#define SIB_RTO_MAX_MS	1000

/* Table 45 of volume 1: RNR NAK timer codes in units of 10 us. */
static const u32 sib_rnr_10us[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
	1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

u32 sib_rc_packets(const struct sib_qp *qp, u32 length)
{
	return length ? DIV_ROUND_UP(length, qp->mtu) : 1;
}

void sib_rc_reset(struct sib_qp *qp)
{
	memset(&qp->req, 0, sizeof(qp->req));
	memset(&qp->resp, 0, sizeof(qp->resp));
}

static bool sib_is_local(const struct sib_send_wqe *wqe)
{
	return wqe->opcode == IB_WR_REG_MR || wqe->opcode == IB_WR_LOCAL_INV;
}

static bool sib_is_read(const struct sib_send_wqe *wqe)
{
	return wqe->opcode == IB_WR_RDMA_READ;
}

/* The consumer's timeout, 4.096 us * 2^n, in jiffies; 0 = without end. */
static unsigned long sib_qp_timeout(const struct sib_qp *qp)
{
	return qp->attr.timeout ? max(nsecs_to_jiffies(4096ULL << (qp->attr.timeout & 31)), 1UL) :
				  0;
}

static void sib_timer_start(struct sib_qp *qp, unsigned long rto)
{
	qp->req.timer = true;
	qp->req.rto = rto;
	qp->req.deadline = jiffies + rto;
}

/* The other side lives: all its retries anew. */
static void sib_rc_patience(struct sib_qp *qp)
{
	unsigned long timeout = sib_qp_timeout(qp);

	qp->req.give_up = timeout ? jiffies + timeout * (qp->attr.retry_cnt + 1) : 0;
}

/* Something new was acknowledged, or sending starts. */
static void sib_rc_progress(struct sib_qp *qp)
{
	unsigned long timeout = sib_qp_timeout(qp), rto = msecs_to_jiffies(SIB_RTO_MS);
	struct sib_rc_req *r = &qp->req;

	r->recovering = false;
	r->probe = SIB_PROBE_NONE;
	r->rnr_left = qp->attr.rnr_retry;
	sib_rc_patience(qp);
	/* A pause is over before its time when a copy of its packet got through after all. */
	if (r->rnr_wait && sib_psn_diff(r->una, r->rnr_psn) <= 0)
		return;
	r->rnr_wait = false;
	if (r->una == r->next_psn)
		r->timer = false;
	else
		sib_timer_start(qp, timeout ? min(rto, timeout) : rto);
}

/* Takes finished requests off the ring, in order. */
static void sib_rc_harvest(struct sib_qp *qp)
{
	struct sib_send_wqe *wqe;

	while ((wqe = sib_sq_peek(qp, qp->sq.tail)) && wqe->state == SIB_WQE_DONE &&
	       wqe->status == IB_WC_SUCCESS) {
		if (qp->req.cur == qp->sq.tail) {
			qp->req.cur++;
			qp->req.cur_pkt = 0;
		}
		sib_qp_complete_send(qp, wqe, IB_WC_SUCCESS);
	}
}

/* A request failed for good: it reports why, all others are flushed. */
static void sib_rc_fail(struct sib_qp *qp, struct sib_send_wqe *wqe, enum ib_wc_status status)
{
	wqe->state = SIB_WQE_DONE;
	wqe->status = status;
	qp->req.timer = false;
	sib_qp_error(qp, IB_EVENT_QP_FATAL);
}

/* The sent request a PSN belongs to, NULL if it is not outstanding. */
static struct sib_send_wqe *sib_rc_find(struct sib_qp *qp, u32 psn, u32 *index)
{
	struct sib_send_wqe *wqe;
	u32 i;

	for (i = qp->sq.tail; (wqe = sib_sq_peek(qp, i)); i++) {
		s32 d = sib_psn_diff(psn, wqe->first_psn);

		if (wqe->state == SIB_WQE_POSTED)
			return NULL;
		if (sib_is_local(wqe) || d < 0 || d >= (s32)wqe->npkts)
			continue;
		*index = i;
		return wqe;
	}
	return NULL;
}

/* Next packet to send: the one with this PSN, or the first that has none yet. */
static void sib_rc_seek(struct sib_qp *qp, u32 psn)
{
	struct sib_rc_req *r = &qp->req;
	struct sib_send_wqe *wqe;
	u32 i;

	wqe = sib_rc_find(qp, psn, &i);
	if (wqe) {
		r->cur = i;
		r->cur_pkt = sib_psn_diff(psn, wqe->first_psn);
		return;
	}
	for (i = qp->sq.tail; (wqe = sib_sq_peek(qp, i)); i++) {
		if (wqe->state == SIB_WQE_POSTED)
			break;
	}
	r->cur = i;
	r->cur_pkt = 0;
}

static void sib_rc_go_back(struct sib_qp *qp, u32 psn)
{
	if (qp->req.recovering)
		return;
	sib_count(qp->port, SIB_STAT_RC_RETRANS);
	qp->req.recovering = true;
	sib_rc_seek(qp, psn);
}

/* ---- sending ---- */

enum { POS_FIRST, POS_MIDDLE, POS_LAST, POS_ONLY };

static u8 sib_rc_opcode(const struct sib_send_wqe *wqe, u32 pkt)
{
	static const u8 send[] = { IB_OPCODE_RC_SEND_FIRST, IB_OPCODE_RC_SEND_MIDDLE,
				   IB_OPCODE_RC_SEND_LAST, IB_OPCODE_RC_SEND_ONLY };
	static const u8 send_imm[] = { IB_OPCODE_RC_SEND_FIRST, IB_OPCODE_RC_SEND_MIDDLE,
				       IB_OPCODE_RC_SEND_LAST_WITH_IMMEDIATE,
				       IB_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE };
	static const u8 send_inv[] = { IB_OPCODE_RC_SEND_FIRST, IB_OPCODE_RC_SEND_MIDDLE,
				       IB_OPCODE_RC_SEND_LAST_WITH_INVALIDATE,
				       IB_OPCODE_RC_SEND_ONLY_WITH_INVALIDATE };
	static const u8 write[] = { IB_OPCODE_RC_RDMA_WRITE_FIRST, IB_OPCODE_RC_RDMA_WRITE_MIDDLE,
				    IB_OPCODE_RC_RDMA_WRITE_LAST, IB_OPCODE_RC_RDMA_WRITE_ONLY };
	static const u8 write_imm[] = { IB_OPCODE_RC_RDMA_WRITE_FIRST,
					IB_OPCODE_RC_RDMA_WRITE_MIDDLE,
					IB_OPCODE_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE,
					IB_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE };
	unsigned int pos = wqe->npkts == 1 ? POS_ONLY : !pkt ? POS_FIRST :
			   pkt == wqe->npkts - 1 ? POS_LAST : POS_MIDDLE;

	switch (wqe->opcode) {
	case IB_WR_RDMA_READ:
		return IB_OPCODE_RC_RDMA_READ_REQUEST;
	case IB_WR_RDMA_WRITE:
		return write[pos];
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return write_imm[pos];
	case IB_WR_SEND_WITH_IMM:
		return send_imm[pos];
	case IB_WR_SEND_WITH_INV:
		return send_inv[pos];
	default:
		return send[pos];
	}
}

static void sib_rc_fill(struct sib_qp *qp, const struct sib_send_wqe *wqe, u32 pkt,
			struct sib_hdr *h)
{
	bool last = pkt == wqe->npkts - 1;

	memset(h, 0, sizeof(*h));
	h->av = &qp->av;
	h->slid = sib_port_lid(qp->port) | qp->av.path_bits;
	h->pkey = sib_port_pkey(qp->port, qp->attr.pkey_index);
	h->qpn = qp->attr.dest_qp_num;
	h->psn = wqe->first_psn + pkt;
	h->opcode = sib_rc_opcode(wqe, pkt);
	h->va = wqe->rdma.va;
	h->rkey = wqe->rdma.rkey;
	h->length = wqe->length;
	h->imm = wqe->opcode == IB_WR_SEND_WITH_INV ? cpu_to_be32(wqe->inv_rkey) : wqe->imm;
	h->se = last && (wqe->flags & IB_SEND_SOLICITED);
	h->ackreq = last || pkt % SIB_ACK_EVERY == SIB_ACK_EVERY - 1 ||
		    qp->req.probe != SIB_PROBE_NONE;
}

/* Seals and sends, unless the port cannot; then it is as if it had been lost. */
void sib_rc_xmit(struct sib_qp *qp, struct sk_buff *skb)
{
	u16 mask = (1 << sib_pi_lmc(&qp->port->pi)) - 1;

	if (sib_port_state(qp->port) < IB_PORT_ACTIVE) {
		sib_count(qp->port, SIB_STAT_TX_DISCARD);
		kfree_skb(skb);
		return;
	}
	sib_packet_seal(skb);
	if ((qp->av.dlid & ~mask) == sib_port_lid(qp->port))
		sib_packet_loop(qp->port, skb);
	else
		sib_wire_xmit(qp->port, skb);
}

/* Sends packet cur_pkt of a request; a READ asks for up to a piece. Return: packets taken. */
static int sib_rc_send_packet(struct sib_qp *qp, struct sib_send_wqe *wqe, u32 pkt)
{
	u32 off = pkt * qp->mtu, len = min(wqe->length - off, qp->mtu), n = 1;
	struct sk_buff *skb;
	struct sib_hdr h;
	void *payload;

	sib_rc_fill(qp, wqe, pkt, &h);
	if (sib_is_read(wqe)) {
		n = min_t(u32, wqe->npkts - pkt, SIB_READ_PIECE);
		h.va += off;
		h.length = min(wqe->length - off, n * qp->mtu);
		len = 0;
	}
	skb = sib_packet_new(qp->port, &h, len, &payload, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	if (len && sib_sge_to_buf(qp, wqe->sge, wqe->num_sge, off, payload, len)) {
		kfree_skb(skb);
		return -EINVAL;
	}
	sib_rc_xmit(qp, skb);
	return n;
}

/* Registration and invalidation happen when their turn comes. */
static void sib_rc_local(struct sib_qp *qp, struct sib_send_wqe *wqe)
{
	int err;

	if (wqe->opcode == IB_WR_REG_MR)
		err = sib_mr_register(qp, wqe->reg.mr, wqe->reg.key, wqe->reg.access);
	else
		err = sib_mr_invalidate(qp, wqe->inv_rkey, false);
	if (err)
		sib_rc_fail(qp, wqe, IB_WC_MW_BIND_ERR);
	else
		wqe->state = SIB_WQE_DONE;
}

/* First touch of a request. Return: false if it has to wait. */
static bool sib_rc_start(struct sib_qp *qp, struct sib_send_wqe *wqe)
{
	struct sib_rc_req *r = &qp->req;

	if ((wqe->flags & IB_SEND_FENCE) && r->rd_out)
		return false;
	if (sib_is_local(wqe)) {
		/* A key must not go while an earlier READ still writes through it. */
		if (wqe->opcode == IB_WR_LOCAL_INV && r->rd_out)
			return false;
		sib_rc_local(qp, wqe);
		return qp->state == IB_QPS_RTS;
	}
	if (sib_is_read(wqe) && r->rd_out >= max_t(u32, qp->attr.max_rd_atomic, 1))
		return false;
	wqe->first_psn = r->next_psn;
	wqe->npkts = sib_rc_packets(qp, wqe->length);
	wqe->state = SIB_WQE_SENT;
	if (r->una == r->next_psn && !r->timer) {
		r->next_psn = (r->next_psn + wqe->npkts) & SIB_PSN_MASK;
		sib_rc_progress(qp);
	} else {
		r->next_psn = (r->next_psn + wqe->npkts) & SIB_PSN_MASK;
	}
	r->rd_out += sib_is_read(wqe);
	return true;
}

/* One step of the sender. Return: whether another may follow. */
static bool sib_rc_step(struct sib_qp *qp)
{
	struct sib_rc_req *r = &qp->req;
	struct sib_send_wqe *wqe;
	int n;

	wqe = sib_sq_peek(qp, r->cur);
	if (!wqe)
		return false;
	if (wqe->state == SIB_WQE_POSTED && !sib_rc_start(qp, wqe))
		return false;
	if (wqe->state == SIB_WQE_DONE || r->cur_pkt >= wqe->npkts) {
		r->cur++;
		r->cur_pkt = 0;
		return true;
	}
	if (r->probe == SIB_PROBE_SENT || sib_wire_full(qp->dev->wire) ||
	    sib_psn_diff(wqe->first_psn + r->cur_pkt, r->una) >= SIB_WINDOW)
		return false;
	n = sib_rc_send_packet(qp, wqe, r->cur_pkt);
	if (n == -EINVAL)
		sib_rc_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
	if (n < 0)
		return false;
	r->cur_pkt += n;
	if (r->probe == SIB_PROBE_DUE)
		r->probe = SIB_PROBE_SENT;
	return true;
}

/*
 * The retransmission timer ran out. Only the oldest packet is sent again at first: its answer tells
 * what has arrived, and a peer that is merely slow is not buried under a window of duplicates.
 */
static void sib_rc_timeout(struct sib_qp *qp)
{
	struct sib_rc_req *r = &qp->req;
	struct sib_send_wqe *wqe;
	u32 i;

	if (r->rnr_wait) {
		r->rnr_wait = false;
		sib_timer_start(qp, r->rto);
		return;
	}
	sib_count(qp->port, SIB_STAT_RC_TIMEOUT);
	if (r->give_up && time_after_eq(jiffies, r->give_up)) {
		wqe = sib_rc_find(qp, r->una, &i) ?: sib_sq_peek(qp, qp->sq.tail);
		if (wqe)
			sib_rc_fail(qp, wqe, IB_WC_RETRY_EXC_ERR);
		return;
	}
	r->recovering = false;
	sib_rc_go_back(qp, r->una);
	r->probe = SIB_PROBE_DUE;
	sib_timer_start(qp, min(r->rto * 2, msecs_to_jiffies(SIB_RTO_MAX_MS)));
}

/**
 * sib_rc_request - send whatever may be sent now
 * @qp: RC QP in RTS; engine only
 */
void sib_rc_request(struct sib_qp *qp)
{
	struct sib_rc_req *r = &qp->req;

	if (r->timer && time_after_eq(jiffies, r->deadline))
		sib_rc_timeout(qp);
	while (qp->state == IB_QPS_RTS && !r->rnr_wait && sib_rc_step(qp))
		;
	sib_rc_harvest(qp);
}

/* Jiffies until the engine must run again by itself, 0 = never. */
unsigned long sib_rc_next_timeout(struct sib_qp *qp)
{
	struct sib_rc_req *r = &qp->req;

	if (qp->state == IB_QPS_RTS && sib_wire_full(qp->dev->wire))
		return 1;
	if (!r->timer)
		return 0;
	return time_after(r->deadline, jiffies) ? r->deadline - jiffies : 1;
}

/* ---- answers ---- */

/* Marks one request complete up to una. */
static void sib_rc_done(struct sib_qp *qp, struct sib_send_wqe *wqe)
{
	wqe->state = SIB_WQE_DONE;
	qp->req.una = (wqe->first_psn + wqe->npkts) & SIB_PSN_MASK;
	if (sib_is_read(wqe))
		qp->req.rd_out--;
}

/*
 * All packets up to and with psn have arrived at the other side. A READ in between that has not
 * got all its data means that responses were lost. Return: false if so.
 */
static bool sib_rc_acked(struct sib_qp *qp, u32 psn)
{
	struct sib_rc_req *r = &qp->req;
	struct sib_send_wqe *wqe;
	u32 i, before = r->una;

	if (sib_psn_diff(psn, r->una) < 0)
		return true;
	for (i = qp->sq.tail; (wqe = sib_sq_peek(qp, i)) && wqe->state != SIB_WQE_POSTED; i++) {
		u32 last = wqe->first_psn + wqe->npkts - 1;

		if (sib_is_local(wqe) || wqe->state == SIB_WQE_DONE)
			continue;
		if (sib_psn_diff(psn, wqe->first_psn) < 0)
			break;
		if (sib_is_read(wqe)) {
			if (r->una != before)
				sib_rc_progress(qp);
			sib_rc_go_back(qp, wqe->first_psn + wqe->done_pkts);
			return false;
		}
		if (sib_psn_diff(psn, last) < 0) {
			r->una = (psn + 1) & SIB_PSN_MASK;
			break;
		}
		sib_rc_done(qp, wqe);
	}
	sib_rc_progress(qp);
	/* What was to be sent again may have arrived meanwhile. */
	wqe = sib_sq_peek(qp, r->cur);
	if (wqe && wqe->state != SIB_WQE_POSTED && !sib_is_local(wqe) &&
	    sib_psn_diff(r->una, wqe->first_psn + r->cur_pkt) > 0)
		sib_rc_seek(qp, r->una);
	return true;
}

static void sib_rc_rnr(struct sib_qp *qp, u32 psn, u8 code)
{
	struct sib_rc_req *r = &qp->req;
	struct sib_send_wqe *wqe;
	unsigned long wait;
	u32 i;

	sib_count(qp->port, SIB_STAT_RC_RNR);
	if (qp->attr.rnr_retry != 7 && !r->rnr_left--) {
		wqe = sib_rc_find(qp, psn, &i);
		if (wqe)
			sib_rc_fail(qp, wqe, IB_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	wait = max(usecs_to_jiffies(sib_rnr_10us[code & 31] * 10), 1UL);
	sib_rc_seek(qp, psn);
	sib_rc_patience(qp);
	r->probe = SIB_PROBE_NONE;
	r->rnr_wait = true;
	r->rnr_psn = psn;
	r->timer = true;
	r->deadline = jiffies + wait;
}

static void sib_rc_nak(struct sib_qp *qp, u32 psn, u8 syndrome)
{
	enum ib_wc_status status = IB_WC_REM_INV_REQ_ERR;
	struct sib_send_wqe *wqe;
	u32 i;

	if (syndrome == SIB_AETH_NAK_SEQ) {
		sib_count(qp->port, SIB_STAT_RC_SEQ_NAK);
		sib_rc_go_back(qp, psn);
		return;
	}
	if (syndrome == SIB_AETH_NAK_ACCESS)
		status = IB_WC_REM_ACCESS_ERR;
	else if (syndrome == SIB_AETH_NAK_OP)
		status = IB_WC_REM_OP_ERR;
	wqe = sib_rc_find(qp, psn, &i);
	if (wqe)
		sib_rc_fail(qp, wqe, status);
}

static void sib_rc_ack(struct sib_qp *qp, const struct sk_buff *skb)
{
	const struct sib_cb *cb = sib_cb((struct sk_buff *)skb);
	u8 syndrome = skb->data[cb->ext_off];

	if ((syndrome & 0xe0) == SIB_AETH_ACK) {
		sib_rc_acked(qp, cb->psn);
		return;
	}
	/* A NAK names the first packet that did not get through. */
	if (sib_psn_diff(cb->psn, qp->req.una) < 0 ||
	    !sib_rc_acked(qp, (cb->psn - 1) & SIB_PSN_MASK))
		return;
	if ((syndrome & 0xe0) == SIB_AETH_RNR)
		sib_rc_rnr(qp, cb->psn, syndrome);
	else
		sib_rc_nak(qp, cb->psn, syndrome);
}

/* The oldest READ that waits for data. */
static struct sib_send_wqe *sib_rc_oldest_read(struct sib_qp *qp)
{
	struct sib_send_wqe *wqe;
	u32 i;

	for (i = qp->sq.tail; (wqe = sib_sq_peek(qp, i)) && wqe->state != SIB_WQE_POSTED; i++) {
		if (wqe->state == SIB_WQE_SENT && sib_is_read(wqe))
			return wqe;
	}
	return NULL;
}

static void sib_rc_read_data(struct sib_qp *qp, struct sk_buff *skb)
{
	struct sib_send_wqe *wqe = sib_rc_oldest_read(qp);
	struct sib_cb *cb = sib_cb(skb);
	u32 want, off;
	s32 d;

	if (!wqe)
		return;
	want = (wqe->first_psn + wqe->done_pkts) & SIB_PSN_MASK;
	d = sib_psn_diff(cb->psn, want);
	if (d) {
		if (d > 0)
			sib_rc_go_back(qp, want);
		return;
	}
	off = wqe->done_pkts * qp->mtu;
	if (cb->pay_len != min(wqe->length - off, qp->mtu)) {
		sib_count(qp->port, SIB_STAT_DROP_RC);
		return;
	}
	if (sib_sge_from_skb(qp, wqe->sge, wqe->num_sge, off, skb, cb->pay_off, cb->pay_len)) {
		sib_rc_fail(qp, wqe, IB_WC_LOC_PROT_ERR);
		return;
	}
	/* Data for this request says that all before it has arrived. */
	if (want != wqe->first_psn || sib_rc_acked(qp, (want - 1) & SIB_PSN_MASK)) {
		wqe->done_pkts++;
		qp->req.una = (want + 1) & SIB_PSN_MASK;
		if (wqe->done_pkts == wqe->npkts)
			sib_rc_done(qp, wqe);
		sib_rc_progress(qp);
	}
}

/**
 * sib_rc_answer - take an acknowledgment or READ data
 * @qp: RC QP; engine only
 * @skb: parsed packet; stays the caller's
 *
 * Anything about PSNs that were never sent is dropped.
 */
void sib_rc_answer(struct sib_qp *qp, struct sk_buff *skb)
{
	struct sib_cb *cb = sib_cb(skb);

	if (qp->state != IB_QPS_RTS || sib_psn_diff(cb->psn, qp->req.next_psn) >= 0 ||
	    sib_psn_diff(cb->psn, qp->req.una) < -(s32)SIB_WINDOW) {
		sib_count(qp->port, SIB_STAT_DROP_RC);
		return;
	}
	if (sib_opcodes[cb->opcode].flags & SIB_OP_ACK)
		sib_rc_ack(qp, skb);
	else
		sib_rc_read_data(qp, skb);
	sib_rc_harvest(qp);
}
