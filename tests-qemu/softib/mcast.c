// SPDX-License-Identifier: GPL-2.0
/*
 * mcast.c: which QPs of an HCA listen to which multicast group.
 */
#include <linux/slab.h>

#include "softib.h"

int sib_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct sib_dev *dev = to_sdev(ibqp->device);
	struct sib_mcast *m, *new;
	int err = 0;

	if (lid < SIB_MCAST_LID || gid->raw[0] != 0xff)
		return -EINVAL;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	new->mgid = *gid;
	new->mlid = lid;
	new->qp = to_sqp(ibqp);
	spin_lock_bh(&dev->mcast_lock);
	list_for_each_entry(m, &dev->mcasts, list) {
		if (m->qp == new->qp && !memcmp(&m->mgid, gid, sizeof(*gid)))
			goto out;
	}
	if (dev->mcast_count >= dev->ibdev.attrs.max_total_mcast_qp_attach) {
		err = -ENOMEM;
		goto out;
	}
	dev->mcast_count++;
	list_add_tail(&new->list, &dev->mcasts);
	new = NULL;
out:
	spin_unlock_bh(&dev->mcast_lock);
	kfree(new);
	return err;
}

/* Takes away one attachment, or all of a QP for a NULL GID. Return: whether there was one. */
static bool sib_mcast_remove(struct sib_qp *qp, const union ib_gid *gid)
{
	struct sib_dev *dev = qp->dev;
	struct sib_mcast *m, *next;
	bool found = false;

	spin_lock_bh(&dev->mcast_lock);
	list_for_each_entry_safe(m, next, &dev->mcasts, list) {
		if (m->qp != qp || (gid && memcmp(&m->mgid, gid, sizeof(*gid))))
			continue;
		list_del(&m->list);
		dev->mcast_count--;
		kfree(m);
		found = true;
	}
	spin_unlock_bh(&dev->mcast_lock);
	return found;
}

int sib_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	return sib_mcast_remove(to_sqp(ibqp), gid) ? 0 : -EINVAL;
}

void sib_mcast_drop_qp(struct sib_qp *qp)
{
	sib_mcast_remove(qp, NULL);
}

/**
 * sib_mcast_rx - give a multicast packet to all who listen
 * @dev: the HCA
 * @skb: parsed packet; consumed
 * @except_qpn: the sender on this HCA, which gets no copy
 */
void sib_mcast_rx(struct sib_dev *dev, struct sk_buff *skb, u32 except_qpn)
{
	struct sib_cb *cb = sib_cb(skb);
	const struct ib_grh *grh = (const struct ib_grh *)(skb->data + sizeof(struct sib_lrh));
	struct sib_mcast *m;
	unsigned int given = 0;

	if (!(cb->flags & SIB_CB_GRH) || cb->qpn != SIB_MCAST_QPN) {
		sib_count(&dev->port, SIB_STAT_DROP_MCAST);
		kfree_skb(skb);
		return;
	}
	spin_lock_bh(&dev->mcast_lock);
	list_for_each_entry(m, &dev->mcasts, list) {
		struct sk_buff *copy;

		if (m->mlid != cb->dlid || m->qp->ibqp.qp_num == except_qpn ||
		    memcmp(&m->mgid, &grh->dgid, sizeof(m->mgid)))
			continue;
		given++;
		copy = skb_clone(skb, GFP_ATOMIC);
		if (copy)
			sib_qp_rx(m->qp, copy);
	}
	spin_unlock_bh(&dev->mcast_lock);
	if (!given && !(cb->flags & SIB_CB_LOOP))
		sib_count(&dev->port, SIB_STAT_DROP_MCAST);
	kfree_skb(skb);
}
