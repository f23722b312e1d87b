// SPDX-License-Identifier: GPL-2.0
/*
 * qpattr.c: the attributes and states of a QP.
 */
#include "softib.h"

void sib_av_from_attr(struct sib_av *av, const struct rdma_ah_attr *attr)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);

	memset(av, 0, sizeof(*av));
	av->dlid = rdma_ah_get_dlid(attr);
	av->sl = rdma_ah_get_sl(attr);
	av->path_bits = rdma_ah_get_path_bits(attr);
	av->grh = rdma_ah_get_ah_flags(attr) & IB_AH_GRH;
	if (av->grh) {
		av->sgid_index = grh->sgid_index;
		av->hop_limit = grh->hop_limit;
		av->tclass = grh->traffic_class;
		av->flow = grh->flow_label;
		av->dgid = grh->dgid;
	}
}

static int sib_attr_check(struct sib_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if ((mask & IB_QP_PKEY_INDEX) && attr->pkey_index >= SIB_PKEYS)
		return -EINVAL;
	if ((mask & IB_QP_PORT) && attr->port_num != 1)
		return -EINVAL;
	if ((mask & IB_QP_PATH_MTU) &&
	    (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096))
		return -EINVAL;
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC) && attr->max_rd_atomic > SIB_MAX_RD_ATOMIC)
		return -EINVAL;
	if ((mask & IB_QP_MAX_DEST_RD_ATOMIC) && attr->max_dest_rd_atomic > SIB_MAX_RD_ATOMIC)
		return -EINVAL;
	if ((mask & IB_QP_DEST_QPN) && attr->dest_qp_num > SIB_24BIT)
		return -EINVAL;
	if (mask & (IB_QP_ALT_PATH | IB_QP_PATH_MIG_STATE | IB_QP_CAP | IB_QP_RATE_LIMIT))
		return -EOPNOTSUPP;
	return 0;
}

static void sib_attr_apply_path(struct sib_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct ib_qp_attr *to = &qp->attr;

	if (mask & IB_QP_AV) {
		to->ah_attr = attr->ah_attr;
		to->ah_attr.grh.sgid_attr = NULL;
		sib_av_from_attr(&qp->av, &attr->ah_attr);
	}
	if (mask & IB_QP_PATH_MTU) {
		to->path_mtu = attr->path_mtu;
		qp->mtu = ib_mtu_enum_to_int(attr->path_mtu);
	}
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_PKEY_INDEX)
		to->pkey_index = attr->pkey_index;
	if (mask & IB_QP_PORT)
		to->port_num = attr->port_num;
	if (mask & IB_QP_QKEY)
		to->qkey = attr->qkey;
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = attr->qp_access_flags;
}

static void sib_attr_apply_rc(struct sib_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	struct ib_qp_attr *to = &qp->attr;

	if (mask & IB_QP_TIMEOUT)
		to->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY) {
		to->rnr_retry = attr->rnr_retry;
		qp->req.rnr_left = attr->rnr_retry;
	}
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_SQ_PSN) {
		to->sq_psn = attr->sq_psn;
		qp->req.next_psn = attr->sq_psn & SIB_PSN_MASK;
		qp->req.una = qp->req.next_psn;
	}
	if (mask & IB_QP_RQ_PSN) {
		to->rq_psn = attr->rq_psn;
		qp->resp.psn = attr->rq_psn & SIB_PSN_MASK;
	}
}

int sib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct sib_qp *qp = to_sqp(ibqp);
	enum ib_qp_state cur, next;
	int err;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	mutex_lock(&qp->mutex);
	cur = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : qp->state;
	next = mask & IB_QP_STATE ? attr->qp_state : cur;
	err = -EINVAL;
	if (cur != qp->state || !ib_modify_qp_is_ok(cur, next, ibqp->qp_type, mask))
		goto out;
	err = -EOPNOTSUPP;
	if (next == IB_QPS_SQD)
		goto out;
	err = sib_attr_check(qp, attr, mask);
	if (err)
		goto out;
	if (next == IB_QPS_RESET)
		sib_qp_reset_rings(qp);
	sib_attr_apply_path(qp, attr, mask);
	sib_attr_apply_rc(qp, attr, mask);
	WRITE_ONCE(qp->state, next);
out:
	mutex_unlock(&qp->mutex);
	if (!err)
		sib_qp_kick(qp);
	return err;
}

int sib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct sib_qp *qp = to_sqp(ibqp);

	mutex_lock(&qp->mutex);
	*attr = qp->attr;
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->cap = qp->cap;
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->sq_psn = qp->req.next_psn;
	attr->rq_psn = qp->resp.psn;
	mutex_unlock(&qp->mutex);
	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = NULL;
	init->cap = qp->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->create_flags = 0;
	init->port_num = 1;
	return 0;
}
