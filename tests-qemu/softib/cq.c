// SPDX-License-Identifier: GPL-2.0
/*
 * cq.c: completion queues. A ring of finished ib_wc; the engine of a QP writes, ib_poll_cq()
 * reads. Notifications are given by the engine after it has let go of everything.
 */
#include <linux/slab.h>

#include "softib.h"

int sib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr, SIB_CREATE_CQ_ARG *arg)
{
	struct sib_cq *cq = to_scq(ibcq);

	if (ibcq->uobject || attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > SIB_MAX_CQE)
		return -EINVAL;
	cq->size = roundup_pow_of_two(attr->cqe + 1);
	cq->ring = kvcalloc(cq->size, sizeof(*cq->ring), GFP_KERNEL);
	if (!cq->ring)
		return -ENOMEM;
	spin_lock_init(&cq->lock);
	ibcq->cqe = cq->size - 1;
	return 0;
}

int sib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	kvfree(to_scq(ibcq)->ring);
	return 0;
}

int sib_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc)
{
	struct sib_cq *cq = to_scq(ibcq);
	unsigned long flags;
	int got = 0;

	spin_lock_irqsave(&cq->lock, flags);
	while (got < n && cq->tail != cq->head)
		wc[got++] = cq->ring[cq->tail++ & (cq->size - 1)];
	spin_unlock_irqrestore(&cq->lock, flags);
	return got;
}

int sib_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct sib_cq *cq = to_scq(ibcq);
	unsigned long irq;
	int missed;

	spin_lock_irqsave(&cq->lock, irq);
	/* Any completion asks for more than a solicited one, and never for less. */
	if ((flags & IB_CQ_SOLICITED_MASK) == IB_CQ_NEXT_COMP)
		cq->armed = true;
	else
		cq->armed_solicited = true;
	missed = (flags & IB_CQ_REPORT_MISSED_EVENTS) && cq->head != cq->tail;
	spin_unlock_irqrestore(&cq->lock, irq);
	return missed;
}

/**
 * sib_cq_push - add a completion
 * @cq: the queue
 * @wc: the completion
 * @solicited: counts for a notification on solicited completions
 *
 * A full queue loses the completion and is reported once as IB_EVENT_CQ_ERR.
 * Return: whether sib_cq_notify() is due.
 */
bool sib_cq_push(struct sib_cq *cq, const struct ib_wc *wc, bool solicited)
{
	bool notify = false, overflow = false;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->head - cq->tail < cq->size) {
		cq->ring[cq->head++ & (cq->size - 1)] = *wc;
		notify = cq->armed || (cq->armed_solicited && solicited);
	} else {
		overflow = !cq->overflow;
		cq->overflow = true;
	}
	if (notify) {
		cq->armed = false;
		cq->armed_solicited = false;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	if (overflow && cq->ibcq.event_handler) {
		struct ib_event event = {
			.device = cq->ibcq.device,
			.element.cq = &cq->ibcq,
			.event = IB_EVENT_CQ_ERR,
		};

		cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
	}
	return notify;
}

/* Calls the completion handler the way an interrupt would, so that napi_schedule() takes. */
void sib_cq_notify(struct sib_cq *cq)
{
	local_bh_disable();
	cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
	local_bh_enable();
}
