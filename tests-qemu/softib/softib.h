/* SPDX-License-Identifier: GPL-2.0 */
/*
 * softib.h: the objects of the software InfiniBand HCA and switch.
 *
 *   sib_wire	  one netdev used as a cable end: frames in and out, link handshake
 *   sib_port	  one InfiniBand port: PortInfo, tables, counters, fault injection; has one wire
 *   sib_dev	  an HCA: an ib_device with one port, its QPs, MRs and multicast groups
 *   sib_switch	  a switch: port 0 (management) and up to SIB_SWITCH_PORTS ports
 *
 * Contexts. Packets arrive in softirq context and are only parsed, checked and queued there. All
 * transport work of a QP, sending and receiving, runs in one work item, the QP's engine, which
 * holds qp->mutex, may sleep, and calls dev_queue_xmit() itself. Verbs that may be called with
 * interrupts off (post_send, post_recv, poll_cq, req_notify_cq, process_mad) only touch rings
 * and tables under spinlocks taken with irqsave.
 *
 * Locks, outermost first; a lock may be taken with any of those before it in its line held:
 *   sib_new_mutex -> rtnl -> sib_registry_lock	creation; the list of HCAs
 *   qp->mutex -> mr->mutex			QP attributes and protocol state; MR contents
 *   qp->mutex -> qp->sq.lock | qp->rq.lock	ring indices
 *   qp->mutex -> cq->lock			completion ring
 *   sw->lock -> port->lock			forwarding tables, SwitchInfo; PortInfo and tables
 *   wire->lock					link handshake; nothing is taken inside
 *   port->fault.lock				fault settings; nothing is taken inside
 *   dev->mcast_lock -> port->lock		multicast attachments; counting a violation
 * Completion handlers and ib_dispatch_event() are called with no spinlock held. query_port may wait
 * for the core's work items (news.c); nothing of ours that these could need is held there.
 *
 * Lifetimes. QPs are found under RCU and held by qp->refs; destroying a QP waits for the last
 * reference, then for its engine. An MR is held by mr->refs in the same way. A wire is freed
 * after its packet handler was removed (which waits for running handlers) and its work cancelled.
 */
#ifndef SOFTIB_H
#define SOFTIB_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/refcount.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "port.h"

#define SIB_SWITCH_PORTS	36
#define SIB_MAX_SGE		32
#define SIB_MAX_QP_WR		16384
#define SIB_MAX_CQE		131072
#define SIB_MAX_PAGES		512	/* page list of a fast registration */
#define SIB_MAX_RD_ATOMIC	16
#define SIB_MAX_MSG		0x40000000U

/* ---- verbs objects ---- */

struct sib_pd {
	struct ib_pd ibpd;
};

struct sib_ah {
	struct ib_ah ibah;
	struct rdma_ah_attr attr;
	struct sib_av av;
};

struct sib_ucontext {
	struct ib_ucontext ibuc;
};

struct sib_cq {
	struct ib_cq ibcq;
	spinlock_t lock;	/* irqsave */
	struct ib_wc *ring;
	u32 size;
	u32 head;		/* next to write; indices run freely */
	u32 tail;
	bool armed;
	bool armed_solicited;
	bool overflow;
};

enum sib_mr_type { SIB_MR_DMA, SIB_MR_FAST };
enum sib_mr_state { SIB_MR_FREE, SIB_MR_VALID };

struct sib_mr {
	struct ib_mr ibmr;
	struct mutex mutex;	/* the fields below and copies through the MR */
	struct kref refs;
	struct completion unused;
	struct rcu_head rcu;
	enum sib_mr_type type;
	enum sib_mr_state state;
	int access;
	u32 key;		/* valid key: index << 8 | the user's 8 bits */
	u64 iova;
	u64 length;
	u32 page_shift;
	u32 max_pages;
	u32 npages;
	u64 *pages;
};

enum sib_wqe_state { SIB_WQE_POSTED, SIB_WQE_SENT, SIB_WQE_DONE };

struct sib_send_wqe {
	union {
		u64 wr_id;
		struct ib_cqe *wr_cqe;
	};
	enum ib_wr_opcode opcode;
	int flags;
	__be32 imm;
	u32 length;
	enum sib_wqe_state state;
	enum ib_wc_status status;
	union {
		struct {
			struct sib_av av;
			u32 qpn;
			u32 qkey;
			u16 pkey_index;
		} ud;
		struct {
			u64 va;
			u32 rkey;
		} rdma;
		struct {
			struct ib_mr *mr;
			u32 key;
			int access;
		} reg;
	};
	u32 inv_rkey;
	u32 first_psn;
	u32 npkts;
	u32 done_pkts;		/* READ: response packets taken */
	u32 num_sge;
	struct ib_sge sge[];
};

struct sib_recv_wqe {
	union {
		u64 wr_id;
		struct ib_cqe *wr_cqe;
	};
	u32 num_sge;
	u32 length;
	struct ib_sge sge[];
};

/* A ring of work requests; head runs ahead of tail, both freely. */
struct sib_ring {
	spinlock_t lock;	/* irqsave */
	void *mem;
	u32 stride;
	u32 size;		/* power of two */
	u32 limit;		/* what the user asked for */
	u32 max_sge;
	u32 head;
	u32 tail;
};

static inline void *sib_ring_at(const struct sib_ring *r, u32 i)
{
	return r->mem + (size_t)(i & (r->size - 1)) * r->stride;
}

/* After a timeout one packet asks how far the other side is. */
enum sib_probe { SIB_PROBE_NONE, SIB_PROBE_DUE, SIB_PROBE_SENT };

struct sib_rc_req {
	u32 cur;		/* ring index of the WQE being sent */
	u32 cur_pkt;		/* its next packet */
	u32 next_psn;		/* for the next new WQE */
	u32 una;		/* oldest PSN without an answer */
	u32 rd_out;		/* READ WQEs that have been sent and are not complete */
	bool recovering;	/* went back; ignore further gaps until progress */
	enum sib_probe probe;
	bool rnr_wait;
	u32 rnr_psn;		/* the packet that was not ready for */
	u8 rnr_left;
	bool timer;
	unsigned long rto;	/* jiffies */
	unsigned long deadline;	/* of the retransmission timer */
	unsigned long give_up;	/* no progress until then: retries exceeded */
};

struct sib_rc_resp {
	u32 psn;		/* expected */
	u32 msn;
	bool nak_sent;		/* one sequence NAK per gap */
	bool ack_due;
	bool in_msg;		/* between first and last */
	bool is_write;
	bool est_told;
	u32 off;		/* bytes of this message so far */
	u64 va;
	u32 rkey;
	u32 length;
	struct sib_recv_wqe *wqe;
};

struct sib_qp {
	struct ib_qp ibqp;
	struct sib_dev *dev;
	struct sib_port *port;
	struct mutex mutex;	/* attributes and protocol state; the engine holds it */
	struct kref refs;
	struct completion unused;
	enum ib_qp_state state;	/* written under mutex, read anywhere */
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
	bool sig_all;
	u32 mtu;
	struct sib_av av;	/* RC: the path */
	struct sib_ring sq;
	struct sib_ring rq;
	struct sk_buff_head rxq;
	struct delayed_work engine;
	unsigned long flags;
	bool notify_send;
	bool notify_recv;
	bool notify_send_sol;
	bool notify_recv_sol;
	struct sib_rc_req req;
	struct sib_rc_resp resp;
};

#define SIB_QP_KICKED	0	/* bit of qp->flags: the engine was already asked to run */
#define SIB_QP_DYING	1

struct sib_mcast {
	struct list_head list;
	union ib_gid mgid;
	u16 mlid;
	struct sib_qp *qp;
};

/* Where the core is with the events of a device, news.c. */
struct sib_news {
	struct ib_event_handler handler;
	struct work_struct work;
	atomic_t rounds;	/* still to go until the core is done with the last event */
	wait_queue_head_t wait;
	struct task_struct *teller;	/* only to compare */
};

struct sib_dev {
	struct ib_device ibdev;
	struct list_head list;
	struct platform_device *pdev;
	struct sib_port port;
	struct sib_wire *wire;
	__be64 guid;
	spinlock_t desc_lock;	/* node description, irqsave */
	struct xarray qps;	/* QPN -> sib_qp */
	u32 next_qpn;
	struct sib_qp __rcu *special[2];
	struct xarray mrs;	/* key >> 8 -> sib_mr */
	u32 next_mr;
	spinlock_t mcast_lock;	/* multicast attachments, BH */
	struct list_head mcasts;
	u32 mcast_count;
	struct workqueue_struct *wq;
	struct sib_trap trap;
	struct sib_news news;
	bool registered;
	bool omni_path;		/* looks like an Omni-Path HCA */
	char name[IB_DEVICE_NAME_MAX];
};

struct sib_switch {
	struct list_head list;
	char name[IB_DEVICE_NAME_MAX];
	spinlock_t lock;	/* tables and SwitchInfo, BH */
	struct sib_switch_info info;
	__be64 guid;
	u8 lft[SIB_MCAST_LID];
	u64 mft[1024];		/* port mask per MLID from 0xc000 */
	struct sib_port *ports[SIB_SWITCH_PORTS + 1];
	u8 n_ports;
	struct sib_trap trap;
	struct workqueue_struct *wq;
	struct dentry *dir;
};

#define SIB_MFT_MLIDS	1024

static inline struct sib_dev *to_sdev(struct ib_device *d)
{
	return container_of(d, struct sib_dev, ibdev);
}

static inline struct sib_qp *to_sqp(struct ib_qp *q)
{
	return container_of(q, struct sib_qp, ibqp);
}

static inline struct sib_cq *to_scq(struct ib_cq *c)
{
	return container_of(c, struct sib_cq, ibcq);
}

static inline struct sib_mr *to_smr(struct ib_mr *m)
{
	return container_of(m, struct sib_mr, ibmr);
}

static inline struct sib_ah *to_sah(struct ib_ah *a)
{
	return container_of(a, struct sib_ah, ibah);
}

/* Signed distance a - b on the 24 bit PSN circle. */
static inline s32 sib_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

/* ---- main.c ---- */
extern struct dentry *sib_debugfs;
extern unsigned int sib_beat_ms;
void sib_registry_add(struct sib_dev *dev);
void sib_registry_del(struct sib_dev *dev);

/* ---- dev.c ---- */
int sib_dev_new(const char *name, struct net_device *ndev);
bool sib_dev_leaving(struct sib_dev *dev);
void sib_dev_rx(struct sib_port *port, struct sk_buff *skb);

/* ---- ipoib.c ---- */
int sib_netdev_params(struct ib_device *ibdev, u32 port_num, enum rdma_netdev_t type,
		      struct rdma_netdev_alloc_params *params);

/* ---- news.c ---- */
void sib_news_init(struct sib_news *news, struct ib_device *ibdev);
void sib_news_start(struct sib_news *news);
void sib_news_stop(struct sib_news *news);
void sib_news_wait(struct sib_news *news);

/* ---- sma.c, swsma.c, pma.c ---- */
int sib_process_mad(struct ib_device *ibdev, int flags, u32 port_num, const struct ib_wc *wc,
		    const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index);
__be16 sib_sma_port_attr(struct sib_port *port, struct ib_smp *smp, bool set,
			 struct sib_events *ev);
bool sib_mkey_ok(struct sib_port *port, const struct ib_smp *smp);
__be16 sib_swsma(struct sib_switch *sw, struct sib_port *in, struct ib_smp *smp, bool set,
		 struct sib_events *ev, struct sib_port **ev_port);
bool sib_pma_reply(struct sib_port *(*find)(void *owner, u8 num), void *owner,
		   const struct ib_mad *in, struct ib_mad *out);

/* ---- switch.c ---- */
int sib_switch_add_port(const char *name, struct net_device *ndev);
bool sib_switch_has_netdev(const struct net_device *ndev);
void sib_switch_netdev_event(struct net_device *ndev, unsigned long event,
			     void (*fn)(struct sib_wire *wire, unsigned long event));
void sib_switch_free_all(void);
bool sib_switch_name_taken(const char *name);
void sib_switch_send(struct sib_switch *sw, u16 dlid, struct sk_buff *skb);

/* ---- swrx.c ---- */
void sib_switch_rx(struct sib_port *port, struct sk_buff *skb);

/* ---- qp.c, qpattr.c ---- */
int sib_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata);
int sib_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int sib_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int sib_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);
int sib_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr, const struct ib_send_wr **bad);
int sib_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad);
struct sib_qp *sib_qp_get(struct sib_dev *dev, u32 qpn);
void sib_qp_put(struct sib_qp *qp);
void sib_qp_kick(struct sib_qp *qp);
void sib_qp_rx(struct sib_qp *qp, struct sk_buff *skb);
void sib_qp_error(struct sib_qp *qp, enum ib_event_type event);
void sib_qp_reset_rings(struct sib_qp *qp);
void sib_qp_complete_send(struct sib_qp *qp, struct sib_send_wqe *wqe, enum ib_wc_status status);
void sib_qp_complete_recv(struct sib_qp *qp, struct ib_wc *wc, bool solicited);
struct sib_recv_wqe *sib_rq_peek(struct sib_qp *qp);
struct sib_send_wqe *sib_sq_peek(struct sib_qp *qp, u32 index);
void sib_av_from_attr(struct sib_av *av, const struct rdma_ah_attr *attr);
void sib_engine(struct work_struct *work);

/* ---- ud.c, rcreq.c, rcresp.c ---- */
bool sib_ud_send(struct sib_qp *qp);
void sib_ud_rx(struct sib_qp *qp, struct sk_buff *skb);
void sib_rc_request(struct sib_qp *qp);
void sib_rc_answer(struct sib_qp *qp, struct sk_buff *skb);
void sib_rc_rx(struct sib_qp *qp, struct sk_buff *skb);
void sib_rc_flush_ack(struct sib_qp *qp);
void sib_rc_reset(struct sib_qp *qp);
unsigned long sib_rc_next_timeout(struct sib_qp *qp);
void sib_rc_xmit(struct sib_qp *qp, struct sk_buff *skb);
u32 sib_rc_packets(const struct sib_qp *qp, u32 length);

/* ---- mr.c ---- */
struct ib_mr *sib_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *sib_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_sg);
int sib_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int n, unsigned int *off);
int sib_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
int sib_mr_register(struct sib_qp *qp, struct ib_mr *ibmr, u32 key, int access);
int sib_mr_invalidate(struct sib_qp *qp, u32 key, bool remote);
int sib_mr_check(struct sib_qp *qp, u32 rkey, u64 va, u32 len, int access);
int sib_mr_from_skb(struct sib_qp *qp, u32 rkey, u64 va, struct sk_buff *skb, u32 off, u32 len);
int sib_mr_to_buf(struct sib_qp *qp, u32 rkey, u64 va, void *buf, u32 len);
int sib_sge_from_skb(struct sib_qp *qp, const struct ib_sge *sge, u32 n, u32 at,
		     struct sk_buff *skb, u32 off, u32 len);
int sib_sge_to_buf(struct sib_qp *qp, const struct ib_sge *sge, u32 n, u32 at, void *buf, u32 len);

/* ---- cq.c ---- */
int sib_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr, SIB_CREATE_CQ_ARG *arg);
int sib_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int sib_poll_cq(struct ib_cq *ibcq, int n, struct ib_wc *wc);
int sib_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
bool sib_cq_push(struct sib_cq *cq, const struct ib_wc *wc, bool solicited);
void sib_cq_notify(struct sib_cq *cq);

/* ---- mcast.c ---- */
int sib_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
int sib_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);
void sib_mcast_rx(struct sib_dev *dev, struct sk_buff *skb, u32 except_qpn);
void sib_mcast_drop_qp(struct sib_qp *qp);

#endif
