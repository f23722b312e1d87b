/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proto.h: what goes over the wire. An Ethernet frame of type ETH_P_802_EX1 carries a shim of four
 * bytes and then either a link frame or one InfiniBand packet from the LRH to the ICRC, in the
 * layout of the InfiniBand Architecture Specification volume 1 chapters 5, 7 and 9. The VCRC is
 * left out: it covers one hop, and the Ethernet frame check does that.
 */
#ifndef SIB_PROTO_H
#define SIB_PROTO_H

#include <linux/types.h>
#include <linux/build_bug.h>
#include <rdma/ib_smi.h>

#define SIB_ETHERTYPE		0x88b5	/* IEEE 802 local experimental 1 */
#define SIB_WIRE_VERSION	1

enum sib_frame_type {
	SIB_FRAME_LINK = 1,
	SIB_FRAME_DATA = 2,
};

struct sib_shim {
	u8	version;
	u8	type;
	__be16	length;		/* bytes after the shim; the rest of the frame is padding */
} __packed;

/*
 * Link frame. Each side names its own epoch and the epoch it last heard from the other side; a
 * link is up when both sides hear each other. A new epoch (restart, bounce) breaks the link.
 */
enum sib_link_state {
	SIB_LINK_OFF,		/* no signal: netdev down, or held off */
	SIB_LINK_POLL,		/* looking for the other side */
	SIB_LINK_UP,
};

struct sib_link_frame {
	u8	state;
	u8	resv;
	__be16	beat_ms;	/* how often the sender repeats itself when up; 0 = never */
	__be32	epoch;
	__be32	peer_epoch;	/* 0 = nothing heard */
	__be64	guid;		/* port GUID, for people who look at the wire */
} __packed;

struct sib_lrh {
	u8	vl_lver;
	u8	sl_lnh;
	__be16	dlid;
	__be16	length;		/* low 11 bits: LRH to ICRC in words of four bytes */
	__be16	slid;
} __packed;

#define SIB_LNH_IBA_LOCAL	2
#define SIB_LNH_IBA_GLOBAL	3
#define SIB_LNH_MASK		3
#define SIB_LRH_LEN_MASK	0x7ff
#define SIB_VL_MGMT		15

struct sib_bth {
	u8	opcode;
	u8	flags;		/* SE, MigReq, pad count (2), TVer (4) */
	__be16	pkey;
	__be32	qpn;		/* low 24 bits */
	__be32	apsn;		/* AckReq, low 24 bits PSN */
} __packed;

#define SIB_BTH_SE		0x80
#define SIB_BTH_MIGREQ		0x40
#define SIB_BTH_PAD_SHIFT	4
#define SIB_BTH_ACKREQ		BIT(31)
#define SIB_24BIT		0xffffff

struct sib_deth {
	__be32	qkey;
	__be32	sqpn;
} __packed;

struct sib_reth {
	__be64	va;
	__be32	rkey;
	__be32	length;
} __packed;

#define SIB_ICRC_BYTES		4
#define SIB_GRH_BYTES		40
#define SIB_GRH_VERSION		6
#define SIB_GRH_NEXT_HDR	0x1b
/* Longest header chain: LRH, GRH, BTH, RETH, immediate. */
#define SIB_MAX_HDR		(8 + 40 + 12 + 16 + 4)
#define SIB_MAX_OVERHEAD	(sizeof(struct sib_shim) + SIB_MAX_HDR + SIB_ICRC_BYTES)
#define SIB_PSN_MASK		SIB_24BIT

/* AETH syndrome, 9.7.5.2.8: top three bits say what, the lower five how much. */
#define SIB_AETH_ACK		0x00
#define SIB_AETH_RNR		0x20
#define SIB_AETH_NAK_SEQ	0x60
#define SIB_AETH_NAK_INV	0x61
#define SIB_AETH_NAK_ACCESS	0x62
#define SIB_AETH_NAK_OP		0x63
#define SIB_AETH_CREDITS_NONE	0x1f	/* no end-to-end credits are given */

#define SIB_MCAST_QPN		0xffffff
#define SIB_MCAST_LID		0xc000
#define SIB_LID_PERMISSIVE	0xffff
#define SIB_PKEY_DEFAULT	0xffff
#define SIB_PKEY_MEMBER		0x8000
#define SIB_PKEY_BASE		0x7fff

struct sib_switch_info {
	__be16	lft_cap;
	__be16	rft_cap;
	__be16	mft_cap;
	__be16	lft_top;
	u8	def_port;
	u8	def_mcast_primary;
	u8	def_mcast_other;
	u8	life_psc;	/* LifeTimeValue (5), PortStateChange (1), OptimizedSLtoVL (2) */
	__be16	lids_per_port;
	__be16	part_cap;
	u8	flags;
	u8	resv;
	__be16	mft_top;
} __packed;

#define SIB_SWITCH_PSC		0x04

/* Notice, 13.4.8.2, as far as the traps of a subnet management agent fill it. */
struct sib_notice {
	u8	type;
	u8	prod[3];
	__be16	trap;
	__be16	issuer_lid;
	__be16	toggle;
	u8	details[54];
} __packed;

static_assert(sizeof(struct sib_shim) == 4);
static_assert(sizeof(struct sib_lrh) == 8);
static_assert(sizeof(struct sib_bth) == 12);
/* The kernel structure stands for the whole 64 byte attribute, 14.2.5.6. */
static_assert(sizeof(struct ib_port_info) == IB_SMP_DATA_SIZE);
static_assert(sizeof(struct sib_switch_info) == 20);
static_assert(sizeof(struct sib_notice) == 64);

#endif
