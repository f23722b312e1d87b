// SPDX-License-Identifier: GPL-2.0
/*
 * qp.c: queue pairs as objects: birth and death, the rings, posting, and the engine, the one work
 * item in which everything of a QP happens.
 */
#include <linux/slab.h>

#include "softib.h"

/* Packets waiting for an engine; more are dropped (RC sends them again). */
#define SIB_RXQ_LIMIT	2048
/* Packets an engine takes before it answers and sends again. */
#define SIB_RX_BATCH	64

static void sib_qp_release(struct kref *ref)
{
	complete(&container_of(ref, struct sib_qp, refs)->unused);
}

void sib_qp_put(struct sib_qp *qp)
{
	kref_put(&qp->refs, sib_qp_release);
}

/* The QP with a number, referenced, or NULL. Any context. */
struct sib_qp *sib_qp_get(struct sib_dev *dev, u32 qpn)
{
	struct sib_qp *qp;

	rcu_read_lock();
	qp = qpn < 2 ? rcu_dereference(dev->special[qpn]) : xa_load(&dev->qps, qpn);
	if (qp && !kref_get_unless_zero(&qp->refs))
		qp = NULL;
	rcu_read_unlock();
	return qp;
}

static int sib_ring_init(struct sib_ring *r, u32 wrs, u32 sges, size_t base)
{
	spin_lock_init(&r->lock);
	r->limit = max(wrs, 1U);
	r->size = roundup_pow_of_two(r->limit);
	r->max_sge = sges;
	r->stride = ALIGN(base + sges * sizeof(struct ib_sge), 8);
	r->mem = kvcalloc(r->size, r->stride, GFP_KERNEL);
	return r->mem ? 0 : -ENOMEM;
}

static void sib_ring_reset(struct sib_ring *r)
{
	unsigned long flags;

	spin_lock_irqsave(&r->lock, flags);
	r->head = 0;
	r->tail = 0;
	spin_unlock_irqrestore(&r->lock, flags);
}

void sib_qp_reset_rings(struct sib_qp *qp)
{
	sib_ring_reset(&qp->sq);
	sib_ring_reset(&qp->rq);
	skb_queue_purge(&qp->rxq);
	sib_rc_reset(qp);
}

static bool sib_cap_ok(const struct ib_qp_cap *cap)
{
	return cap->max_send_wr <= SIB_MAX_QP_WR && cap->max_recv_wr <= SIB_MAX_QP_WR &&
	       cap->max_send_sge <= SIB_MAX_SGE && cap->max_recv_sge <= SIB_MAX_SGE &&
	       !cap->max_inline_data;
}

static int sib_qp_check(struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	if (udata || init->srq || init->create_flags || init->rwq_ind_tbl)
		return -EOPNOTSUPP;
	if (!sib_cap_ok(&init->cap))
		return -EINVAL;
	switch (init->qp_type) {
	case IB_QPT_SMI:
	case IB_QPT_GSI:
	case IB_QPT_UD:
	case IB_QPT_RC:
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

/* Makes the QP findable under its number. */
static int sib_qp_publish(struct sib_qp *qp)
{
	struct sib_dev *dev = qp->dev;
	u32 qpn;
	int err;

	if (qp->ibqp.qp_type == IB_QPT_SMI || qp->ibqp.qp_type == IB_QPT_GSI) {
		qpn = qp->ibqp.qp_type == IB_QPT_GSI;
		if (cmpxchg((struct sib_qp **)&dev->special[qpn], NULL, qp))
			return -EBUSY;
		qp->ibqp.qp_num = qpn;
		return 0;
	}
	err = xa_alloc_cyclic_irq(&dev->qps, &qpn, qp, XA_LIMIT(0x100, 0xfffffe), &dev->next_qpn,
				  GFP_KERNEL);
	if (err < 0)
		return err;
	qp->ibqp.qp_num = qpn;
	return 0;
}

static void sib_qp_unpublish(struct sib_qp *qp)
{
	if (qp->ibqp.qp_num < 2)
		RCU_INIT_POINTER(qp->dev->special[qp->ibqp.qp_num], NULL);
	else
		xa_erase_irq(&qp->dev->qps, qp->ibqp.qp_num);
}

int sib_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct sib_qp *qp = to_sqp(ibqp);
	int err;

	err = sib_qp_check(init, udata);
	if (err)
		return err;
	qp->dev = to_sdev(ibqp->device);
	qp->port = &qp->dev->port;
	qp->cap = init->cap;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->state = IB_QPS_RESET;
	qp->mtu = 4096;
	mutex_init(&qp->mutex);
	kref_init(&qp->refs);
	init_completion(&qp->unused);
	skb_queue_head_init(&qp->rxq);
	INIT_DELAYED_WORK(&qp->engine, sib_engine);
	err = sib_ring_init(&qp->sq, init->cap.max_send_wr, init->cap.max_send_sge,
			    sizeof(struct sib_send_wqe));
	if (!err)
		err = sib_ring_init(&qp->rq, init->cap.max_recv_wr, init->cap.max_recv_sge,
				    sizeof(struct sib_recv_wqe));
	if (!err)
		err = sib_qp_publish(qp);
	if (err) {
		kvfree(qp->sq.mem);
		kvfree(qp->rq.mem);
	}
	return err;
}

int sib_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct sib_qp *qp = to_sqp(ibqp);

	sib_qp_unpublish(qp);
	sib_mcast_drop_qp(qp);
	sib_qp_put(qp);
	wait_for_completion(&qp->unused);
	cancel_delayed_work_sync(&qp->engine);
	skb_queue_purge(&qp->rxq);
	/* Somebody may still look at the reference count of what he found. */
	synchronize_rcu_expedited();
	kvfree(qp->sq.mem);
	kvfree(qp->rq.mem);
	return 0;
}

/* Has the engine run soon. Any context. */
void sib_qp_kick(struct sib_qp *qp)
{
	if (!test_and_set_bit(SIB_QP_KICKED, &qp->flags))
		mod_delayed_work(qp->dev->wq, &qp->engine, 0);
}

static u32 sib_copy_sges(struct ib_sge *to, const struct ib_sge *from, int n)
{
	u32 length = 0;
	int i;

	for (i = 0; i < n; i++) {
		to[i] = from[i];
		length += from[i].length;
	}
	return length;
}

static int sib_fill_ud(struct sib_send_wqe *wqe, const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);

	if (wr->opcode != IB_WR_SEND && wr->opcode != IB_WR_SEND_WITH_IMM)
		return -EINVAL;
	wqe->ud.av = to_sah(ud->ah)->av;
	wqe->ud.qpn = ud->remote_qpn;
	wqe->ud.qkey = ud->remote_qkey;
	wqe->ud.pkey_index = ud->pkey_index;
	return 0;
}

static int sib_fill_rc(struct sib_send_wqe *wqe, const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		return 0;
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		wqe->inv_rkey = wr->ex.invalidate_rkey;
		return 0;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		wqe->rdma.va = rdma_wr(wr)->remote_addr;
		wqe->rdma.rkey = rdma_wr(wr)->rkey;
		return 0;
	case IB_WR_REG_MR:
		wqe->reg.mr = reg_wr(wr)->mr;
		wqe->reg.key = reg_wr(wr)->key;
		wqe->reg.access = reg_wr(wr)->access;
		return 0;
	default:
		return -EINVAL;
	}
}

/* Caller holds sq.lock. */
static int sib_post_one(struct sib_qp *qp, const struct ib_send_wr *wr)
{
	struct sib_ring *sq = &qp->sq;
	struct sib_send_wqe *wqe;
	int err;

	if (sq->head - sq->tail >= sq->limit)
		return -ENOMEM;
	if (wr->num_sge < 0 || wr->num_sge > sq->max_sge || (wr->send_flags & IB_SEND_INLINE))
		return -EINVAL;
	wqe = sib_ring_at(sq, sq->head);
	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->flags = wr->send_flags;
	wqe->imm = wr->ex.imm_data;
	wqe->num_sge = wr->num_sge;
	wqe->length = sib_copy_sges(wqe->sge, wr->sg_list, wr->num_sge);
	wqe->status = IB_WC_SUCCESS;
	err = qp->ibqp.qp_type == IB_QPT_RC ? sib_fill_rc(wqe, wr) : sib_fill_ud(wqe, wr);
	if (!err && wqe->length > SIB_MAX_MSG)
		err = -EINVAL;
	if (!err)
		sq->head++;
	return err;
}

int sib_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr, const struct ib_send_wr **bad)
{
	struct sib_qp *qp = to_sqp(ibqp);
	enum ib_qp_state state = READ_ONCE(qp->state);
	unsigned long flags;
	int err = 0;

	if (state < IB_QPS_RTS) {
		*bad = wr;
		return -EINVAL;
	}
	spin_lock_irqsave(&qp->sq.lock, flags);
	for (; wr; wr = wr->next) {
		err = sib_post_one(qp, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	sib_qp_kick(qp);
	return err;
}

int sib_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	struct sib_qp *qp = to_sqp(ibqp);
	struct sib_ring *rq = &qp->rq;
	unsigned long flags;
	int err = 0;

	if (READ_ONCE(qp->state) == IB_QPS_RESET) {
		*bad = wr;
		return -EINVAL;
	}
	spin_lock_irqsave(&rq->lock, flags);
	for (; wr; wr = wr->next) {
		struct sib_recv_wqe *wqe = sib_ring_at(rq, rq->head);

		if (rq->head - rq->tail >= rq->limit)
			err = -ENOMEM;
		else if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
			err = -EINVAL;
		if (err) {
			*bad = wr;
			break;
		}
		wqe->wr_id = wr->wr_id;
		wqe->num_sge = wr->num_sge;
		wqe->length = sib_copy_sges(wqe->sge, wr->sg_list, wr->num_sge);
		rq->head++;
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		sib_qp_kick(qp);
	return err;
}

/* Oldest receive request, or NULL. Engine only; it stays until it is completed. */
struct sib_recv_wqe *sib_rq_peek(struct sib_qp *qp)
{
	struct sib_recv_wqe *wqe = NULL;
	unsigned long flags;

	spin_lock_irqsave(&qp->rq.lock, flags);
	if (qp->rq.head != qp->rq.tail)
		wqe = sib_ring_at(&qp->rq, qp->rq.tail);
	spin_unlock_irqrestore(&qp->rq.lock, flags);
	return wqe;
}

static void sib_rq_pop(struct sib_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->rq.lock, flags);
	qp->rq.tail++;
	spin_unlock_irqrestore(&qp->rq.lock, flags);
}

/* Send request at a free running index, NULL past the newest. Engine only. */
struct sib_send_wqe *sib_sq_peek(struct sib_qp *qp, u32 index)
{
	struct sib_send_wqe *wqe = NULL;
	unsigned long flags;

	spin_lock_irqsave(&qp->sq.lock, flags);
	if (index != qp->sq.head)
		wqe = sib_ring_at(&qp->sq, index);
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	return wqe;
}

static void sib_sq_pop(struct sib_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->sq.lock, flags);
	qp->sq.tail++;
	spin_unlock_irqrestore(&qp->sq.lock, flags);
}

static enum ib_wc_opcode sib_wc_opcode(enum ib_wr_opcode op)
{
	switch (op) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return IB_WC_RDMA_WRITE;
	case IB_WR_RDMA_READ:
		return IB_WC_RDMA_READ;
	case IB_WR_LOCAL_INV:
		return IB_WC_LOCAL_INV;
	case IB_WR_REG_MR:
		return IB_WC_REG_MR;
	default:
		return IB_WC_SEND;
	}
}

/*
 * Takes the oldest send request off its ring and reports it, unless it succeeded and asked for
 * silence. In this order: who sees the completion may post the next one at once. Engine only.
 */
void sib_qp_complete_send(struct sib_qp *qp, struct sib_send_wqe *wqe, enum ib_wc_status status)
{
	bool silent = status == IB_WC_SUCCESS && !qp->sig_all &&
		      !(wqe->flags & IB_SEND_SIGNALED);
	struct ib_wc wc = {
		.wr_id = wqe->wr_id,
		.status = status,
		.opcode = sib_wc_opcode(wqe->opcode),
		.byte_len = wqe->length,
		.qp = &qp->ibqp,
	};

	sib_sq_pop(qp);
	if (silent)
		return;
	qp->notify_send |= sib_cq_push(to_scq(qp->ibqp.send_cq), &wc, status != IB_WC_SUCCESS);
}

/* The same for the oldest receive request; errors count as solicited. Engine only. */
void sib_qp_complete_recv(struct sib_qp *qp, struct ib_wc *wc, bool solicited)
{
	wc->qp = &qp->ibqp;
	wc->port_num = qp->port->num;
	sib_rq_pop(qp);
	qp->notify_recv |= sib_cq_push(to_scq(qp->ibqp.recv_cq), wc,
				       solicited || wc->status != IB_WC_SUCCESS);
}

/* Moves to the error state and tells the consumer. Engine or modify, under qp->mutex. */
void sib_qp_error(struct sib_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {
		.device = qp->ibqp.device,
		.element.qp = &qp->ibqp,
		.event = type,
	};

	if (qp->state == IB_QPS_ERR)
		return;
	WRITE_ONCE(qp->state, IB_QPS_ERR);
	if (qp->ibqp.event_handler)
		qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
}

/* In the error state every request comes back; those that were done before keep their result. */
static void sib_qp_flush(struct sib_qp *qp)
{
	struct sib_send_wqe *s;
	struct sib_recv_wqe *r;

	skb_queue_purge(&qp->rxq);
	while ((s = sib_sq_peek(qp, qp->sq.tail)))
		sib_qp_complete_send(qp, s, s->state == SIB_WQE_DONE ? s->status :
								      IB_WC_WR_FLUSH_ERR);
	while ((r = sib_rq_peek(qp))) {
		struct ib_wc wc = {
			.wr_id = r->wr_id,
			.status = IB_WC_WR_FLUSH_ERR,
			.opcode = IB_WC_RECV,
		};

		sib_qp_complete_recv(qp, &wc, true);
	}
}

/* Is this packet for a QP of this kind and state, in its partition? Counts if not. */
static bool sib_qp_admit(struct sib_qp *qp, struct sib_cb *cb)
{
	bool rc = qp->ibqp.qp_type == IB_QPT_RC;
	enum ib_qp_state state = READ_ONCE(qp->state);

	if (rc != !(sib_opcodes[cb->opcode].flags & SIB_OP_DETH)) {
		sib_count(qp->port, SIB_STAT_DROP_QP_TYPE);
		return false;
	}
	if (state != IB_QPS_RTR && state != IB_QPS_RTS) {
		sib_count(qp->port, SIB_STAT_DROP_QP_STATE);
		return false;
	}
	if (rc && cb->slid != qp->av.dlid) {
		sib_count(qp->port, SIB_STAT_DROP_LID);
		return false;
	}
	switch (qp->ibqp.qp_type) {
	case IB_QPT_SMI:
		return true;
	case IB_QPT_GSI:
		return sib_port_find_pkey(qp->port, cb->pkey) >= 0;
	default:
		return sib_port_pkey_match(qp->port, cb->pkey, qp->attr.pkey_index);
	}
}

/**
 * sib_qp_rx - queue a packet for the engine
 * @qp: referenced by the caller
 * @skb: parsed packet; consumed
 */
void sib_qp_rx(struct sib_qp *qp, struct sk_buff *skb)
{
	if (!sib_qp_admit(qp, sib_cb(skb))) {
		kfree_skb(skb);
		return;
	}
	if (skb_queue_len_lockless(&qp->rxq) >= SIB_RXQ_LIMIT) {
		sib_count(qp->port, SIB_STAT_DROP_QUEUE);
		kfree_skb(skb);
		return;
	}
	skb_queue_tail(&qp->rxq, skb);
	sib_qp_kick(qp);
}

/* Takes a batch of packets. Return: whether more are waiting. */
static bool sib_engine_rx(struct sib_qp *qp)
{
	struct sk_buff *skb;
	unsigned int n;

	for (n = 0; n < SIB_RX_BATCH; n++) {
		skb = skb_dequeue(&qp->rxq);
		if (!skb)
			return false;
		if (qp->state != IB_QPS_RTR && qp->state != IB_QPS_RTS)
			sib_count(qp->port, SIB_STAT_DROP_QP_STATE);
		else if (qp->ibqp.qp_type == IB_QPT_RC)
			sib_rc_rx(qp, skb);
		else
			sib_ud_rx(qp, skb);
		kfree_skb(skb);
	}
	return true;
}

static void sib_engine_notify(struct sib_qp *qp, bool send, bool recv)
{
	if (send)
		sib_cq_notify(to_scq(qp->ibqp.send_cq));
	if (recv)
		sib_cq_notify(to_scq(qp->ibqp.recv_cq));
}

/* The engine: everything a QP does. Runs once at a time per QP. */
void sib_engine(struct work_struct *work)
{
	struct sib_qp *qp = container_of(to_delayed_work(work), struct sib_qp, engine);
	bool rc = qp->ibqp.qp_type == IB_QPT_RC;
	unsigned long wait = 0;
	bool more, full = false, send, recv;

	mutex_lock(&qp->mutex);
	clear_bit(SIB_QP_KICKED, &qp->flags);
	/* What was queued before a kick that saw the bit set must be seen here. */
	smp_mb__after_atomic();
	sib_count(qp->port, SIB_STAT_ENGINE_RUNS);
	more = sib_engine_rx(qp);
	if (rc && qp->state != IB_QPS_ERR)
		sib_rc_flush_ack(qp);
	if (qp->state == IB_QPS_RTS && rc)
		sib_rc_request(qp);
	else if (qp->state == IB_QPS_RTS)
		full = sib_ud_send(qp);
	if (qp->state == IB_QPS_ERR)
		sib_qp_flush(qp);
	else if (rc)
		wait = sib_rc_next_timeout(qp);
	send = qp->notify_send;
	recv = qp->notify_recv;
	qp->notify_send = false;
	qp->notify_recv = false;
	mutex_unlock(&qp->mutex);

	sib_engine_notify(qp, send, recv);
	if (full)
		wait = 1;
	if (more || wait)
		queue_delayed_work(qp->dev->wq, &qp->engine, more ? 0 : wait);
}
