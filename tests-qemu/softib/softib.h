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
 *   sw->lock -> port->lock			forwarding tables and SwitchInfo; PortInfo and tables
 *   wire->lock					link handshake; nothing is taken inside
 *   port->fault.lock				fault settings; nothing is taken inside
 *   dev->mcast_lock				multicast attachments; nothing is taken inside
 * Completion handlers and ib_dispatch_event() are called with no spinlock held.
 *
 * Lifetimes. QPs are found under RCU and held by qp->refs; destroying a QP waits for the last
 * reference, then for its engine. An MR is held by mr->refs in the same way. A wire is freed
 * after its packet handler was removed (which waits for running handlers) and its work cancelled.
 */
#ifndef SOFTIB_H
#define SOFTIB_H

#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/if_ether.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/platform_device.h>
#include <linux/prandom.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pack.h>
#include <rdma/ib_smi.h>
#include <rdma/ib_verbs.h>

#include "compat.h"
#include "proto.h"

#define SIB_PKEYS		32	/* one P_KeyTable block */
#define SIB_GUIDS		8	/* one GUIDInfo block */
#define SIB_SWITCH_PORTS	36
#define SIB_MAX_SGE		32
#define SIB_MAX_QP_WR		16384
#define SIB_MAX_CQE		(1 << 17)
#define SIB_MAX_PAGES		512	/* page list of a fast registration */
#define SIB_MAX_RD_ATOMIC	16
#define SIB_MAX_MSG		(1U << 30)
#define SIB_DEVICE_ID		0x5f1b

/* ---- counters: one row each, in the order of sib_stat_names[] ---- */

#define SIB_STATS(X) \
	X(TX_PACKETS, "tx_packets") X(TX_BYTES, "tx_bytes") \
	X(RX_PACKETS, "rx_packets") X(RX_BYTES, "rx_bytes") \
	X(TX_UCAST, "tx_unicast") X(TX_MCAST, "tx_multicast") \
	X(RX_UCAST, "rx_unicast") X(RX_MCAST, "rx_multicast") \
	X(TX_DISCARD, "tx_discards") X(LINK_DOWNED, "link_downed") \
	X(VL15_DROPPED, "vl15_dropped") X(RELAY_ERROR, "relay_errors") \
	X(BAD_SHORT, "bad_short") X(BAD_VERSION, "bad_version") X(BAD_TYPE, "bad_type") \
	X(BAD_LENGTH, "bad_length") X(BAD_LRH, "bad_lrh") X(BAD_GRH, "bad_grh") \
	X(BAD_BTH, "bad_bth") X(BAD_OPCODE, "bad_opcode") X(BAD_ICRC, "bad_icrc") \
	X(BAD_SOURCE, "bad_source") X(BAD_LINK, "bad_link_frame") X(BAD_MAD, "bad_mad") \
	X(DROP_LINK, "drop_link_down") X(DROP_STATE, "drop_port_state") \
	X(DROP_LID, "drop_lid") X(DROP_QP, "drop_no_qp") X(DROP_QP_STATE, "drop_qp_state") \
	X(DROP_QP_TYPE, "drop_qp_type") X(DROP_PKEY, "drop_pkey") X(DROP_QKEY, "drop_qkey") \
	X(DROP_NO_WQE, "drop_no_wqe") X(DROP_MCAST, "drop_no_group") \
	X(DROP_QUEUE, "drop_queue_full") X(DROP_RC, "drop_rc") \
	X(RC_RETRANS, "rc_retransmits") X(RC_TIMEOUT, "rc_timeouts") X(RC_DUP, "rc_duplicates") \
	X(RC_SEQ_NAK, "rc_seq_naks") X(RC_RNR, "rc_rnr_naks") \
	X(FAULT_DROP, "fault_drops") X(FAULT_CORRUPT, "fault_corruptions") \
	X(FAULT_DUP, "fault_duplicates") X(FAULT_DELAY, "fault_delays") \
	X(FAULT_MAD, "fault_mads") X(TRAPS, "traps_sent")

enum sib_stat {
#define SIB_STAT_ENUM(id, name) SIB_STAT_##id,
	SIB_STATS(SIB_STAT_ENUM)
#undef SIB_STAT_ENUM
	SIB_STAT_COUNT
};

extern const char * const sib_stat_names[SIB_STAT_COUNT];

/* ---- packets ---- */

enum sib_op_flags {
	SIB_OP_VALID	= BIT(0),
	SIB_OP_SEND	= BIT(1),
	SIB_OP_WRITE	= BIT(2),
	SIB_OP_READ_REQ	= BIT(3),
	SIB_OP_READ_RSP	= BIT(4),
	SIB_OP_ACK	= BIT(5),
	SIB_OP_START	= BIT(6),	/* first or only packet of a message */
	SIB_OP_END	= BIT(7),	/* last or only */
	SIB_OP_RETH	= BIT(8),
	SIB_OP_AETH	= BIT(9),
	SIB_OP_IMM	= BIT(10),
	SIB_OP_INV	= BIT(11),
	SIB_OP_DETH	= BIT(12),
	SIB_OP_NODATA	= BIT(13),	/* carries no payload */
};

struct sib_opcode {
	u16 flags;
	u8 ext_len;		/* bytes of extension headers after the BTH */
};

enum sib_cb_flags {
	SIB_CB_GRH	= BIT(0),
	SIB_CB_SE	= BIT(1),
	SIB_CB_ACKREQ	= BIT(2),
	SIB_CB_LOOP	= BIT(3),	/* never was on the wire */
	SIB_CB_MCAST	= BIT(4),
};

/* What the parser found; lives in skb->cb while the module owns the packet. */
struct sib_cb {
	u32 psn;
	u32 qpn;
	u32 sqpn;
	u32 qkey;
	__be32 imm;		/* immediate data or rkey to invalidate */
	u16 slid;
	u16 dlid;
	u16 pkey;
	u16 pay_off;		/* from the LRH */
	u16 pay_len;
	u16 ext_off;
	u32 due;		/* low bits of jiffies, while a fault delays the packet */
	u8 opcode;
	u8 sl;
	u8 vl;
	u8 flags;
};

static inline struct sib_cb *sib_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct sib_cb) > sizeof(skb->cb));
	return (struct sib_cb *)skb->cb;
}

/* Address vector: what an AH boils down to on the wire. */
struct sib_av {
	u16 dlid;
	u8 sl;
	u8 path_bits;
	bool grh;
	u8 sgid_index;
	u8 hop_limit;
	u8 tclass;
	u32 flow;
	union ib_gid dgid;
};

/* Everything sib_packet_new() needs to write the headers of one packet. */
struct sib_hdr {
	const struct sib_av *av;
	u16 slid;
	u16 pkey;
	u32 qpn;
	u32 psn;
	u32 qkey;		/* with SIB_OP_DETH */
	u32 sqpn;
	u64 va;			/* with SIB_OP_RETH */
	u32 rkey;
	u32 length;
	u32 aeth;		/* with SIB_OP_AETH */
	__be32 imm;		/* with SIB_OP_IMM and SIB_OP_INV */
	u8 opcode;
	bool se;
	bool ackreq;
	bool mgmt;		/* VL15 */
};

/* ---- faults ---- */

enum sib_dir { SIB_RX, SIB_TX };

enum sib_hold {
	SIB_HOLD_NONE,
	SIB_HOLD_DOWN,		/* no signal at all */
	SIB_HOLD_POLLING,	/* signal, but training never ends */
	SIB_HOLD_INIT,		/* the peer never gets the SM's order to arm */
	SIB_HOLD_ARMED,		/* the peer never gets the SM's order to become active */
};

enum sib_rule_action {
	SIB_RULE_DROP,
	SIB_RULE_DELAY,
	SIB_RULE_DUP,
	SIB_RULE_REFUSE,	/* answer a request in place with a status */
};

/* One line of the rules file: which MADs, and what happens to them. */
struct sib_rule {
	struct list_head list;
	u32 id;
	enum sib_rule_action action;
	u32 arg;		/* ms, copies or MAD status */
	int dir;		/* enum sib_dir, or -1 for both */
	int mclass;		/* -1 = any; 0x01 and 0x81 are different classes */
	int method;
	int attr;
	u32 skip;		/* let this many matches pass first */
	u32 count;		/* act this often, 0 = without end */
	u64 hits;
};

struct sib_fault {
	spinlock_t lock;
	struct sib_port *port;
	enum sib_hold hold;
	u32 drop_ppm[2];
	u32 corrupt_ppm[2];
	u32 dup_ppm[2];
	u32 delay_ppm[2];
	u32 delay_ms;
	u64 seed;
	struct rnd_state rnd;
	u32 sm_lid;		/* what the peer is told instead; 0 = the truth */
	u16 pkey_remove[8];
	u16 pkey_add[8];
	u8 n_remove;
	u8 n_add;
	bool have_port_info;	/* last Set(PortInfo) that went to the peer */
	bool have_pkeys;	/* last Set(P_KeyTable), block 0 */
	struct ib_smp port_info;
	struct ib_smp pkeys;
	u32 own_tid;		/* of the last SMP sent in the SM's name */
	struct list_head rules;
	u32 next_rule;
	u32 n_rules;
	struct sk_buff_head delayed[2];	/* by direction; locked by lock */
	struct delayed_work release;
	struct delayed_work flap;
	bool active;		/* anything set at all: the fast path looks only here */
	bool dead;		/* being torn down */
};

/* ---- wire and port ---- */

struct sib_wire {
	struct net_device *ndev;
	netdevice_tracker tracker;
	struct sib_port *port;
	struct packet_type pt;
	spinlock_t lock;
	enum sib_link_state state;
	bool held;		/* by a fault: no training */
	bool hold_signal;	/* while held: show a signal (polling) or none */
	bool disabled;		/* by Set(PortInfo) */
	u8 phys_req;		/* PortPhysicalState the SM asked for, not yet done */
	bool send;		/* the other side should hear from us now */
	bool up_told;		/* what the port was told last */
	u32 drops;		/* how often the link went down; told to the port */
	u32 drops_told;
	u32 epoch;
	u32 peer_epoch;
	u16 peer_beat_ms;
	u32 poll_ms;
	u8 peer_mac[ETH_ALEN];
	unsigned long last_heard;	/* jiffies of the last good frame */
	unsigned long next_beat;	/* jiffies of the next frame to send unasked */
	struct delayed_work link_work;
	struct workqueue_struct *wq;
	bool dying;
};

/* What the owner of a port (HCA or switch) does for it. */
struct sib_port_ops {
	/* A parsed packet; the callee owns the skb. Softirq context or BH disabled. */
	void (*rx)(struct sib_port *port, struct sk_buff *skb);
	/* State or tables changed; process or softirq context, no lock held. */
	void (*event)(struct sib_port *port, enum ib_event_type type);
	/* Logical link state changed (for the trap of a switch). */
	void (*link_changed)(struct sib_port *port);
};

struct sib_port {
	const struct sib_port_ops *ops;
	void *owner;
	const char *name;	/* of the HCA or switch */
	u8 num;
	bool is_switch;
	spinlock_t lock;	/* the attributes below */
	struct ib_port_info pi;
	__be16 pkeys[SIB_PKEYS];
	__be64 guids[SIB_GUIDS];
	u8 sl2vl[8];
	u8 vlarb[4][64];
	struct sib_wire *wire;
	struct sib_fault fault;
	struct dentry *dir;
	atomic64_t stats[SIB_STAT_COUNT];
	u64 pma_base[SIB_STAT_COUNT];	/* what PortCounters Set subtracts */
};

#define SIB_MAX_EVENTS 6

/* Events collected under a lock, dispatched after it. */
struct sib_events {
	unsigned int n;
	u8 phys;		/* PortPhysicalState asked for; 0 = none */
	bool link_changed;
	enum ib_event_type ev[SIB_MAX_EVENTS];
};

static inline void sib_count(struct sib_port *port, enum sib_stat stat)
{
	atomic64_inc(&port->stats[stat]);
}

static inline enum ib_port_state sib_pi_state(const struct ib_port_info *pi)
{
	return pi->linkspeed_portstate & 0xf;
}

static inline u8 sib_pi_phys(const struct ib_port_info *pi)
{
	return pi->portphysstate_linkdown >> 4;
}

static inline u8 sib_pi_lmc(const struct ib_port_info *pi)
{
	return pi->mkeyprot_resv_lmc & 7;
}

/* Lock-free peek for packet checks; a stale answer is one packet early or late. */
static inline enum ib_port_state sib_port_state(const struct sib_port *port)
{
	return READ_ONCE(port->pi.linkspeed_portstate) & 0xf;
}

static inline u16 sib_port_lid(const struct sib_port *port)
{
	return be16_to_cpu(READ_ONCE(port->pi.lid));
}

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

struct sib_rc_req {
	u32 cur;		/* ring index of the WQE being sent */
	u32 cur_pkt;		/* its next packet */
	u32 next_psn;		/* for the next new WQE */
	u32 una;		/* oldest PSN without an answer */
	u32 rd_out;		/* READ WQEs that have been sent and are not complete */
	bool recovering;	/* went back; ignore further gaps until progress */
	bool rnr_wait;
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
	struct mutex mutex;
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

struct sib_trap {
	spinlock_t lock;
	struct delayed_work work;
	u64 tid;
	u16 number;
	u8 details[54];
	u8 left;		/* repeats still to come */
};

struct sib_dev {
	struct ib_device ibdev;
	struct list_head list;
	struct platform_device *pdev;
	struct sib_port port;
	struct sib_wire *wire;
	__be64 guid;
	spinlock_t desc_lock;
	struct xarray qps;	/* QPN -> sib_qp */
	u32 next_qpn;
	struct sib_qp __rcu *special[2];
	struct xarray mrs;	/* key >> 8 -> sib_mr */
	u32 next_mr;
	spinlock_t mcast_lock;
	struct list_head mcasts;
	u32 mcast_count;
	struct workqueue_struct *wq;
	struct sib_trap trap;
	bool registered;
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

/* ---- port.c ---- */
int sib_port_init(struct sib_port *port, const struct sib_port_ops *ops, void *owner,
		  const char *name, u8 num, __be64 guid, bool is_switch);
void sib_port_cleanup(struct sib_port *port);
void sib_port_link(struct sib_port *port, bool up, u8 phys);
void sib_port_set_mtu(struct sib_port *port, unsigned int netdev_mtu);
u8 sib_port_set_info(struct sib_port *port, const struct ib_port_info *in, struct sib_events *ev);
void sib_port_dispatch(struct sib_port *port, const struct sib_events *ev);
void sib_events_add(struct sib_events *ev, enum ib_event_type type);
u16 sib_port_pkey(struct sib_port *port, u16 index);
bool sib_port_pkey_match(struct sib_port *port, u16 wire_pkey, u16 index);
int sib_port_find_pkey(struct sib_port *port, u16 wire_pkey);
void sib_port_gid(struct sib_port *port, unsigned int index, union ib_gid *gid);

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

/* ---- trap.c ---- */
void sib_trap_init(struct sib_trap *trap, work_func_t fn);
void sib_trap_raise(struct sib_trap *trap, struct workqueue_struct *wq, u16 number,
		    const void *details, size_t len);
void sib_trap_repress(struct sib_trap *trap, __be64 tid);
struct sk_buff *sib_trap_packet(struct sib_trap *trap, struct sib_port *port, u32 producer);
void sib_trap_rearm(struct sib_trap *trap, struct workqueue_struct *wq);

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

/* ---- wire.c ---- */
int sib_wire_new(struct sib_wire **ret, struct net_device *ndev, struct sib_port *port,
		 struct workqueue_struct *wq);
void sib_wire_start(struct sib_wire *wire);
struct sib_wire *sib_wire_free(struct sib_wire *wire);
void sib_wire_xmit(struct sib_port *port, struct sk_buff *skb);
void sib_wire_xmit_raw(struct sib_wire *wire, struct sk_buff *skb);
void sib_wire_send_frame(struct sib_wire *wire, struct sk_buff *skb, enum sib_frame_type type,
			 const u8 *dest);
bool sib_wire_full(struct sib_wire *wire);

/* ---- link.c ---- */
void sib_link_init(struct sib_wire *wire);
void sib_link_rx(struct sib_wire *wire, struct sk_buff *skb);
void sib_link_hold(struct sib_wire *wire, bool hold, bool signal);
void sib_link_set_phys(struct sib_wire *wire, u8 phys);
void sib_link_kick(struct sib_wire *wire);
void sib_link_stop(struct sib_wire *wire);

/* ---- packet.c ---- */
extern const struct sib_opcode sib_opcodes[256];
struct sk_buff *sib_packet_new(struct sib_port *port, const struct sib_hdr *h, u32 pay_len,
			       void **payload, gfp_t gfp);
void sib_packet_seal(struct sk_buff *skb);
bool sib_packet_parse(struct sib_port *port, struct sk_buff *skb);
struct sk_buff *sib_packet_mad(struct sib_port *port, const struct sib_hdr *h,
			       const void *mad, gfp_t gfp);
struct ib_mad *sib_packet_get_mad(struct sk_buff *skb);
void sib_packet_loop(struct sib_port *port, struct sk_buff *skb);

/* ---- fault.c, faultmad.c, faultfs.c ---- */
static inline bool sib_fault_looks(const struct sib_port *port, const struct sk_buff *skb)
{
	/* Packets of the subnet manager are looked at even with no fault set. */
	return READ_ONCE(port->fault.active) || skb->data[0] >> 4 == SIB_VL_MGMT;
}

void sib_fault_init(struct sib_fault *f, struct sib_port *port);
void sib_fault_cleanup(struct sib_fault *f);
bool sib_fault_packet(struct sib_port *port, struct sk_buff *skb, enum sib_dir dir);
bool sib_fault_mad(struct sib_port *port, struct sk_buff *skb, enum sib_dir dir);
void sib_fault_deliver(struct sib_port *port, struct sk_buff *skb, enum sib_dir dir);
void sib_fault_delay(struct sib_fault *f, struct sk_buff *skb, enum sib_dir dir, u32 ms);
void sib_fault_update(struct sib_fault *f);
void sib_fault_flap(struct sib_fault *f, u32 ms);
void sib_fault_clear_rules(struct sib_fault *f);
void sib_fault_resend(struct sib_port *port, bool pkeys);
void sib_faultfs_add(struct sib_port *port, struct dentry *parent);

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
void sib_rq_pop(struct sib_qp *qp);
struct sib_send_wqe *sib_sq_peek(struct sib_qp *qp, u32 index);
void sib_sq_pop(struct sib_qp *qp);
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
struct ib_mr *sib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 va,
			      int access SIB_REG_USER_MR_DMAH, struct ib_udata *udata);
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
