// SPDX-License-Identifier: GPL-2.0
/*
 * mr.c: memory regions, and copying between packets and memory. The device uses virtual DMA:
 * an address in an SGE of the local DMA key is a kernel address; fast registrations hold kernel
 * addresses of pages. Remote access goes through fast registrations only, so nothing on the
 * wire can name an address a consumer has not registered.
 */
#include <linux/slab.h>

#include "softib.h"

#define SIB_KEY_INDEX(key)	((key) >> 8)
#define SIB_REMOTE_ACCESS \
	(IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

static void sib_mr_release(struct kref *ref)
{
	complete(&container_of(ref, struct sib_mr, refs)->unused);
}

static void sib_mr_put(struct sib_mr *mr)
{
	kref_put(&mr->refs, sib_mr_release);
}

static struct sib_mr *sib_mr_get(struct sib_dev *dev, u32 key)
{
	struct sib_mr *mr;

	rcu_read_lock();
	mr = xa_load(&dev->mrs, SIB_KEY_INDEX(key));
	if (mr && !kref_get_unless_zero(&mr->refs))
		mr = NULL;
	rcu_read_unlock();
	return mr;
}

static struct sib_mr *sib_mr_new(struct ib_pd *pd, enum sib_mr_type type, u32 max_pages)
{
	struct sib_dev *dev = to_sdev(pd->device);
	struct sib_mr *mr;
	u32 index;
	int err;

	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->pages = kvcalloc(max(max_pages, 1U), sizeof(*mr->pages), GFP_KERNEL);
	if (!mr->pages) {
		kfree(mr);
		return ERR_PTR(-ENOMEM);
	}
	mutex_init(&mr->mutex);
	kref_init(&mr->refs);
	init_completion(&mr->unused);
	mr->type = type;
	mr->max_pages = max_pages;
	mr->ibmr.pd = pd;
	mr->ibmr.device = pd->device;
	err = xa_alloc_cyclic_irq(&dev->mrs, &index, mr, XA_LIMIT(1, 0xffffff), &dev->next_mr,
				  GFP_KERNEL);
	if (err < 0) {
		kvfree(mr->pages);
		kfree(mr);
		return ERR_PTR(err);
	}
	mr->key = index << 8;
	mr->ibmr.lkey = mr->key;
	mr->ibmr.rkey = mr->key;
	return mr;
}

/* All of memory, for local use. Remote use of it would let the wire name any address. */
struct ib_mr *sib_get_dma_mr(struct ib_pd *pd, int access)
{
	struct sib_mr *mr;

	if (access & SIB_REMOTE_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	mr = sib_mr_new(pd, SIB_MR_DMA, 0);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->access = access;
	mr->state = SIB_MR_VALID;
	return &mr->ibmr;
}

struct ib_mr *sib_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_sg)
{
	struct sib_mr *mr;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_sg || max_sg > SIB_MAX_PAGES)
		return ERR_PTR(-EINVAL);
	mr = sib_mr_new(pd, SIB_MR_FAST, max_sg);
	return IS_ERR(mr) ? ERR_CAST(mr) : &mr->ibmr;
}

static int sib_mr_set_page(struct ib_mr *ibmr, u64 addr)
{
	struct sib_mr *mr = to_smr(ibmr);

	if (mr->npages == mr->max_pages)
		return -ENOMEM;
	mr->pages[mr->npages++] = addr;
	return 0;
}

int sib_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int n, unsigned int *off)
{
	struct sib_mr *mr = to_smr(ibmr);
	int mapped;

	mutex_lock(&mr->mutex);
	mr->npages = 0;
	mr->page_shift = ilog2(ibmr->page_size);
	mapped = ib_sg_to_pages(ibmr, sg, n, off, sib_mr_set_page);
	mutex_unlock(&mr->mutex);
	return mapped;
}

int sib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct sib_mr *mr = to_smr(ibmr);
	struct sib_dev *dev = to_sdev(ibmr->device);

	xa_erase_irq(&dev->mrs, SIB_KEY_INDEX(mr->key));
	sib_mr_put(mr);
	wait_for_completion(&mr->unused);
	kvfree(mr->pages);
	/* Somebody may still look at the reference count of what he found. */
	kfree_rcu(mr, rcu);
	return 0;
}

/**
 * sib_mr_register - carry out IB_WR_REG_MR
 * @qp: where it was posted
 * @ibmr: mapped with sib_map_mr_sg()
 * @key: the key it gets
 * @access: what it allows
 *
 * Return: 0 or -EINVAL if the request makes no sense.
 */
int sib_mr_register(struct sib_qp *qp, struct ib_mr *ibmr, u32 key, int access)
{
	struct sib_mr *mr = to_smr(ibmr);
	int err = -EINVAL;

	mutex_lock(&mr->mutex);
	if (mr->type == SIB_MR_FAST && mr->state == SIB_MR_FREE && ibmr->pd == qp->ibqp.pd &&
	    SIB_KEY_INDEX(key) == SIB_KEY_INDEX(mr->key)) {
		mr->key = key;
		mr->access = access;
		mr->iova = ibmr->iova;
		mr->length = ibmr->length;
		mr->state = SIB_MR_VALID;
		err = 0;
	}
	mutex_unlock(&mr->mutex);
	return err;
}

/**
 * sib_mr_invalidate - carry out a local or remote invalidation
 * @qp: the QP that asks
 * @key: lkey or rkey
 * @remote: asked for by the other side
 *
 * Return: 0 or -EINVAL.
 */
int sib_mr_invalidate(struct sib_qp *qp, u32 key, bool remote)
{
	struct sib_mr *mr = sib_mr_get(qp->dev, key);
	int err = -EINVAL;

	if (!mr)
		return err;
	mutex_lock(&mr->mutex);
	if (mr->type == SIB_MR_FAST && mr->key == key && mr->ibmr.pd == qp->ibqp.pd &&
	    (!remote || mr->state == SIB_MR_VALID)) {
		mr->state = SIB_MR_FREE;
		err = 0;
	}
	mutex_unlock(&mr->mutex);
	sib_mr_put(mr);
	return err;
}

/* Caller holds mr->mutex. */
static bool sib_mr_allows(const struct sib_mr *mr, const struct sib_qp *qp, u32 key, u64 va,
			  u32 len, int access)
{
	return mr->state == SIB_MR_VALID && mr->type == SIB_MR_FAST && mr->key == key &&
	       mr->ibmr.pd == qp->ibqp.pd && (mr->access & access) == access &&
	       len <= mr->length && va >= mr->iova && va - mr->iova <= mr->length - len;
}

/* Where byte @va of the region is, and how many bytes go on from there. Holds mr->mutex. */
static void *sib_mr_span(const struct sib_mr *mr, u64 va, u32 *len)
{
	u64 page = 1ULL << mr->page_shift;
	u64 off = va - (mr->iova & ~(page - 1));

	if (off >> mr->page_shift >= mr->npages)
		return NULL;
	*len = min_t(u64, *len, page - (off & (page - 1)));
	return (void *)(uintptr_t)(mr->pages[off >> mr->page_shift] + (off & (page - 1)));
}

/* Moves bytes; exactly one of skb and buf is given. Holds mr->mutex. */
static int sib_mr_move(const struct sib_mr *mr, u64 va, struct sk_buff *skb, u32 off, u8 *buf,
		       u32 len)
{
	while (len) {
		u32 n = len;
		void *p = sib_mr_span(mr, va, &n);

		if (!p)
			return -EINVAL;
		if (skb && skb_copy_bits(skb, off, p, n))
			return -EINVAL;
		if (buf) {
			memcpy(buf, p, n);
			buf += n;
		}
		va += n;
		off += n;
		len -= n;
	}
	return 0;
}

static int sib_mr_access(struct sib_qp *qp, u32 key, u64 va, struct sk_buff *skb, u32 off,
			 u8 *buf, u32 len, int access)
{
	struct sib_mr *mr = sib_mr_get(qp->dev, key);
	int err = -EACCES;

	if (!mr)
		return err;
	mutex_lock(&mr->mutex);
	if (sib_mr_allows(mr, qp, key, va, len, access))
		err = skb || buf ? sib_mr_move(mr, va, skb, off, buf, len) : 0;
	mutex_unlock(&mr->mutex);
	sib_mr_put(mr);
	return err;
}

/* May the other side touch this range? Return: 0 or -EACCES. */
int sib_mr_check(struct sib_qp *qp, u32 rkey, u64 va, u32 len, int access)
{
	return sib_mr_access(qp, rkey, va, NULL, 0, NULL, len, access);
}

/* RDMA WRITE: payload into the region. Return: 0 or a negative errno. */
int sib_mr_from_skb(struct sib_qp *qp, u32 rkey, u64 va, struct sk_buff *skb, u32 off, u32 len)
{
	return sib_mr_access(qp, rkey, va, skb, off, NULL, len, IB_ACCESS_REMOTE_WRITE);
}

/* RDMA READ: the region into a payload. Return: 0 or a negative errno. */
int sib_mr_to_buf(struct sib_qp *qp, u32 rkey, u64 va, void *buf, u32 len)
{
	return sib_mr_access(qp, rkey, va, NULL, 0, buf, len, IB_ACCESS_REMOTE_READ);
}

/* One piece of one SGE. */
static int sib_sge_move(struct sib_qp *qp, const struct ib_sge *sge, u64 addr,
			struct sk_buff *skb, u32 off, u8 *buf, u32 len)
{
	struct sib_mr *mr;
	int err = -EINVAL;

	if (sge->lkey == qp->dev->ibdev.local_dma_lkey) {
		if (skb)
			return skb_copy_bits(skb, off, (void *)(uintptr_t)addr, len);
		memcpy(buf, (void *)(uintptr_t)addr, len);
		return 0;
	}
	mr = sib_mr_get(qp->dev, sge->lkey);
	if (!mr)
		return err;
	mutex_lock(&mr->mutex);
	if (mr->type == SIB_MR_DMA && mr->ibmr.pd == qp->ibqp.pd) {
		err = 0;
		if (skb)
			err = skb_copy_bits(skb, off, (void *)(uintptr_t)addr, len);
		else
			memcpy(buf, (void *)(uintptr_t)addr, len);
	} else if (sib_mr_allows(mr, qp, sge->lkey, addr, len, skb ? IB_ACCESS_LOCAL_WRITE : 0)) {
		err = sib_mr_move(mr, addr, skb, off, buf, len);
	}
	mutex_unlock(&mr->mutex);
	sib_mr_put(mr);
	return err;
}

/* Walks an SGE list from byte @at on. */
static int sib_sge_walk(struct sib_qp *qp, const struct ib_sge *sge, u32 n, u32 at,
			struct sk_buff *skb, u32 off, u8 *buf, u32 len)
{
	int err = 0;

	for (; n && len && !err; n--, sge++) {
		u32 take;

		if (at >= sge->length) {
			at -= sge->length;
			continue;
		}
		take = min(len, sge->length - at);
		err = sib_sge_move(qp, sge, sge->addr + at, skb, off, buf, take);
		at = 0;
		off += take;
		len -= take;
		if (buf)
			buf += take;
	}
	return err ?: (len ? -EMSGSIZE : 0);
}

/**
 * sib_sge_from_skb - scatter payload into memory
 * @qp: whose SGEs these are
 * @sge: the list
 * @n: its length
 * @at: first byte in the list to write
 * @skb: the packet
 * @off: first byte of it
 * @len: bytes
 *
 * Return: 0, -EMSGSIZE if the list is too short, -EINVAL for a bad key.
 */
int sib_sge_from_skb(struct sib_qp *qp, const struct ib_sge *sge, u32 n, u32 at,
		     struct sk_buff *skb, u32 off, u32 len)
{
	return sib_sge_walk(qp, sge, n, at, skb, off, NULL, len);
}

/* Gathers memory into a payload; the counterpart of sib_sge_from_skb(). */
int sib_sge_to_buf(struct sib_qp *qp, const struct ib_sge *sge, u32 n, u32 at, void *buf, u32 len)
{
	return sib_sge_walk(qp, sge, n, at, NULL, 0, buf, len);
}
