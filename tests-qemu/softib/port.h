/* SPDX-License-Identifier: GPL-2.0 */
/*
 * port.h: a port and what belongs to one: counters, packets, faults, the wire. HCA and switch are
 * built on it. The locking rules are at the top of softib.h.
 */
#ifndef SIB_PORT_H
#define SIB_PORT_H

#include <linux/debugfs.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/prandom.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pack.h>
#include <rdma/ib_smi.h>
#include <rdma/ib_verbs.h>

#include "compat.h"
#include "proto.h"

#define SIB_PKEYS		32	/* one P_KeyTable block */
#define SIB_GUIDS		8	/* one GUIDInfo block */
#define SIB_DEVICE_ID		0x5f1b

/* ---- counters ---- */

enum sib_stat {
#define SIB_STAT(id, name) SIB_STAT_##id,
#include "stats.h"
#undef SIB_STAT
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

/* Messages in the SM's name. */
enum sib_tell {
	SIB_TELL_PORT_INFO,	/* no change of state */
	SIB_TELL_ARMED,
	SIB_TELL_ACTIVE,
	SIB_TELL_PKEYS,
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
	spinlock_t lock;	/* settings, rules and delayed packets, BH */
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
	bool withheld;		/* an order to arm or activate was kept back */
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
	spinlock_t lock;	/* link handshake, irqsave */
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

/* A notice to the SM that waits to be repressed. */
struct sib_trap {
	spinlock_t lock;	/* what is pending, irqsave */
	struct delayed_work work;
	u64 tid;
	u16 number;
	u8 details[54];
	u8 left;		/* repeats still to come */
};

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

/* ---- trap.c ---- */
void sib_trap_init(struct sib_trap *trap, work_func_t fn);
void sib_trap_raise(struct sib_trap *trap, struct workqueue_struct *wq, u16 number,
		    const void *details, size_t len);
void sib_trap_repress(struct sib_trap *trap, __be64 tid);
struct sk_buff *sib_trap_packet(struct sib_trap *trap, struct sib_port *port, u32 producer);
void sib_trap_rearm(struct sib_trap *trap, struct workqueue_struct *wq);

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
bool sib_packet_check(struct sib_port *port, struct sk_buff *skb);
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
void sib_fault_tell(struct sib_port *port, enum sib_tell what);
void sib_fault_let_go(struct sib_port *port);
void sib_faultfs_add(struct sib_port *port, struct dentry *parent);

#endif
