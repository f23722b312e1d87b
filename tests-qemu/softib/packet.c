// SPDX-License-Identifier: GPL-2.0
/*
 * packet.c: writes and reads InfiniBand packets. The parser looks at nothing it has not pulled
 * and checked; every reason to drop a packet has its own counter.
 */
#include <linux/crc32.h>

#include "softib.h"

/* For shim, Ethernet header and what most drivers want; others cost a copy. */
#define SIB_HEADROOM	(64 + sizeof(struct sib_shim))

#define OP(name, fl, ext) \
	[IB_OPCODE_##name] = { SIB_OP_VALID | (fl), ext }
#define SND	SIB_OP_SEND
#define WRT	SIB_OP_WRITE
#define BEG	SIB_OP_START
#define END	SIB_OP_END
#define RETH	SIB_OP_RETH
#define IMM	SIB_OP_IMM

/* Volume 1 table 38: what follows the BTH of each operation the module speaks. */
const struct sib_opcode sib_opcodes[256] = {
	OP(RC_SEND_FIRST, SND | BEG, 0),
	OP(RC_SEND_MIDDLE, SND, 0),
	OP(RC_SEND_LAST, SND | END, 0),
	OP(RC_SEND_LAST_WITH_IMMEDIATE, SND | END | IMM, 4),
	OP(RC_SEND_ONLY, SND | BEG | END, 0),
	OP(RC_SEND_ONLY_WITH_IMMEDIATE, SND | BEG | END | IMM, 4),
	OP(RC_RDMA_WRITE_FIRST, WRT | BEG | RETH, 16),
	OP(RC_RDMA_WRITE_MIDDLE, WRT, 0),
	OP(RC_RDMA_WRITE_LAST, WRT | END, 0),
	OP(RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, WRT | END | IMM, 4),
	OP(RC_RDMA_WRITE_ONLY, WRT | BEG | END | RETH, 16),
	OP(RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, WRT | BEG | END | RETH | IMM, 20),
	OP(RC_RDMA_READ_REQUEST, SIB_OP_READ_REQ | BEG | END | RETH | SIB_OP_NODATA, 16),
	OP(RC_RDMA_READ_RESPONSE_FIRST, SIB_OP_READ_RSP | BEG | SIB_OP_AETH, 4),
	OP(RC_RDMA_READ_RESPONSE_MIDDLE, SIB_OP_READ_RSP, 0),
	OP(RC_RDMA_READ_RESPONSE_LAST, SIB_OP_READ_RSP | END | SIB_OP_AETH, 4),
	OP(RC_RDMA_READ_RESPONSE_ONLY, SIB_OP_READ_RSP | BEG | END | SIB_OP_AETH, 4),
	OP(RC_ACKNOWLEDGE, SIB_OP_ACK | SIB_OP_AETH | SIB_OP_NODATA, 4),
	OP(RC_SEND_LAST_WITH_INVALIDATE, SND | END | SIB_OP_INV, 4),
	OP(RC_SEND_ONLY_WITH_INVALIDATE, SND | BEG | END | SIB_OP_INV, 4),
	OP(UD_SEND_ONLY, SND | BEG | END | SIB_OP_DETH, 8),
	OP(UD_SEND_ONLY_WITH_IMMEDIATE, SND | BEG | END | SIB_OP_DETH | IMM, 12),
};

#undef OP
#undef SND
#undef WRT
#undef BEG
#undef END
#undef RETH
#undef IMM

/* Offset of the BTH from the LRH. */
static unsigned int sib_bth_off(const struct sib_lrh *lrh)
{
	return sizeof(*lrh) +
	       ((lrh->sl_lnh & SIB_LNH_MASK) == SIB_LNH_IBA_GLOBAL ? SIB_GRH_BYTES : 0);
}

/* CRC over the headers with the fields that may change in flight set to ones, 7.8.1. */
static u32 sib_icrc_headers(const u8 *pkt, unsigned int bth_off)
{
	u8 h[sizeof(struct sib_lrh) + SIB_GRH_BYTES + sizeof(struct sib_bth)];

	memcpy(h, pkt, bth_off + sizeof(struct sib_bth));
	h[0] |= 0xf0;					/* LRH: VL */
	if (bth_off > sizeof(struct sib_lrh)) {
		h[sizeof(struct sib_lrh)] |= 0x0f;	/* GRH: traffic class, flow label */
		memset(h + sizeof(struct sib_lrh) + 1, 0xff, 3);
		h[sizeof(struct sib_lrh) + 7] = 0xff;	/* hop limit */
	}
	h[bth_off + 4] = 0xff;				/* BTH: the byte before the QPN */
	return crc32_le(~0, h, bth_off + sizeof(struct sib_bth));
}

/* The packet's ICRC as it should be; the last four bytes of the skb are not looked at. */
static u32 sib_icrc(struct sk_buff *skb, unsigned int bth_off)
{
	unsigned int from = bth_off + sizeof(struct sib_bth), done = 0, n;
	unsigned int len = skb->len - SIB_ICRC_BYTES - from;
	u32 crc = sib_icrc_headers(skb->data, bth_off);
	struct skb_seq_state st;
	const u8 *p;

	if (!skb_is_nonlinear(skb))
		return ~crc32_le(crc, skb->data + from, len);
	skb_prepare_seq_read(skb, from, from + len, &st);
	while ((n = skb_seq_read(done, &p, &st)) != 0) {
		/* The last block comes whole, whatever the upper bound. */
		n = min(n, len - done);
		crc = crc32_le(crc, p, n);
		done += n;
	}
	return ~crc;
}

/**
 * sib_packet_seal - write the ICRC after the packet was filled or changed
 * @skb: linear, from the LRH to the ICRC
 */
void sib_packet_seal(struct sk_buff *skb)
{
	u32 crc = sib_icrc(skb, sib_bth_off((const struct sib_lrh *)skb->data));

	put_unaligned_le32(crc, skb_tail_pointer(skb) - SIB_ICRC_BYTES);
}

static void sib_put_lrh(struct sk_buff *skb, const struct sib_hdr *h, unsigned int len)
{
	struct sib_lrh *lrh = skb_put(skb, sizeof(*lrh));

	lrh->vl_lver = h->mgmt ? SIB_VL_MGMT << 4 : 0;
	lrh->sl_lnh = h->av->sl << 4 | (h->av->grh ? SIB_LNH_IBA_GLOBAL : SIB_LNH_IBA_LOCAL);
	lrh->dlid = cpu_to_be16(h->av->dlid);
	lrh->length = cpu_to_be16(len / 4);
	lrh->slid = cpu_to_be16(h->slid);
}

static void sib_put_grh(struct sib_port *port, struct sk_buff *skb, const struct sib_av *av,
			unsigned int len)
{
	struct ib_grh *grh = skb_put(skb, sizeof(*grh));

	grh->version_tclass_flow = cpu_to_be32(SIB_GRH_VERSION << 28 | av->tclass << 20 |
					       (av->flow & 0xfffff));
	grh->paylen = cpu_to_be16(len - sizeof(struct sib_lrh) - SIB_GRH_BYTES);
	grh->next_hdr = SIB_GRH_NEXT_HDR;
	grh->hop_limit = av->hop_limit;
	sib_port_gid(port, av->sgid_index, &grh->sgid);
	grh->dgid = av->dgid;
}

static void sib_put_bth(struct sk_buff *skb, const struct sib_hdr *h, unsigned int pad)
{
	struct sib_bth *bth = skb_put(skb, sizeof(*bth));

	bth->opcode = h->opcode;
	bth->flags = SIB_BTH_MIGREQ | pad << SIB_BTH_PAD_SHIFT | (h->se ? SIB_BTH_SE : 0);
	bth->pkey = cpu_to_be16(h->pkey);
	bth->qpn = cpu_to_be32(h->qpn);
	bth->apsn = cpu_to_be32((h->psn & SIB_PSN_MASK) | (h->ackreq ? SIB_BTH_ACKREQ : 0));
}

static void sib_put_ext(struct sk_buff *skb, const struct sib_hdr *h)
{
	u16 flags = sib_opcodes[h->opcode].flags;

	if (flags & SIB_OP_DETH) {
		struct sib_deth *deth = skb_put(skb, sizeof(*deth));

		deth->qkey = cpu_to_be32(h->qkey);
		deth->sqpn = cpu_to_be32(h->sqpn);
	}
	if (flags & SIB_OP_RETH) {
		struct sib_reth *reth = skb_put(skb, sizeof(*reth));

		reth->va = cpu_to_be64(h->va);
		reth->rkey = cpu_to_be32(h->rkey);
		reth->length = cpu_to_be32(h->length);
	}
	if (flags & SIB_OP_AETH)
		put_unaligned_be32(h->aeth, skb_put(skb, 4));
	if (flags & (SIB_OP_IMM | SIB_OP_INV))
		skb_put_data(skb, &h->imm, 4);
}

/**
 * sib_packet_new - build a packet with all headers
 * @port: the port it leaves through
 * @h: the values of the headers
 * @pay_len: bytes of payload
 * @payload: where the caller has to put them before sib_packet_seal()
 * @gfp: allocation flags
 *
 * Return: the packet, or NULL without memory.
 */
struct sk_buff *sib_packet_new(struct sib_port *port, const struct sib_hdr *h, u32 pay_len,
			       void **payload, gfp_t gfp)
{
	unsigned int room = SIB_HEADROOM;
	unsigned int pad = -pay_len & 3;
	unsigned int len = sizeof(struct sib_lrh) + (h->av->grh ? SIB_GRH_BYTES : 0) +
			   sizeof(struct sib_bth) + sib_opcodes[h->opcode].ext_len +
			   pay_len + pad + SIB_ICRC_BYTES;
	struct sk_buff *skb = alloc_skb(room + len, gfp);

	if (!skb)
		return NULL;
	skb_reserve(skb, room);
	sib_put_lrh(skb, h, len);
	if (h->av->grh)
		sib_put_grh(port, skb, h->av, len);
	sib_put_bth(skb, h, pad);
	sib_put_ext(skb, h);
	*payload = skb_put(skb, pay_len);
	skb_put_zero(skb, pad + SIB_ICRC_BYTES);
	memset(skb->cb, 0, sizeof(skb->cb));
	sib_cb(skb)->flags = h->av->dlid >= SIB_MCAST_LID && h->av->dlid != SIB_LID_PERMISSIVE ?
			     SIB_CB_MCAST : 0;
	return skb;
}

/* A whole UD packet that carries one MAD. NULL without memory. */
struct sk_buff *sib_packet_mad(struct sib_port *port, const struct sib_hdr *h, const void *mad,
			       gfp_t gfp)
{
	struct sk_buff *skb;
	void *payload;

	skb = sib_packet_new(port, h, sizeof(struct ib_mad), &payload, gfp);
	if (!skb)
		return NULL;
	memcpy(payload, mad, sizeof(struct ib_mad));
	sib_packet_seal(skb);
	return skb;
}

static bool sib_parse_lrh(struct sib_port *port, struct sk_buff *skb, unsigned int *bth_off)
{
	const struct sib_lrh *lrh;

	if (!pskb_may_pull(skb, sizeof(*lrh) + sizeof(struct sib_bth) + SIB_ICRC_BYTES)) {
		sib_count(port, SIB_STAT_BAD_SHORT);
		return false;
	}
	lrh = (const struct sib_lrh *)skb->data;
	if ((lrh->vl_lver & 0xf) || (lrh->sl_lnh & SIB_LNH_MASK) < SIB_LNH_IBA_LOCAL) {
		sib_count(port, SIB_STAT_BAD_LRH);
		return false;
	}
	if ((be16_to_cpu(lrh->length) & SIB_LRH_LEN_MASK) * 4 != skb->len) {
		sib_count(port, SIB_STAT_BAD_LENGTH);
		return false;
	}
	*bth_off = sib_bth_off(lrh);
	if (!pskb_may_pull(skb, *bth_off + sizeof(struct sib_bth) + SIB_ICRC_BYTES)) {
		sib_count(port, SIB_STAT_BAD_SHORT);
		return false;
	}
	return true;
}

static bool sib_parse_grh(struct sib_port *port, const struct sk_buff *skb)
{
	const struct ib_grh *grh = (const struct ib_grh *)(skb->data + sizeof(struct sib_lrh));

	if (be32_to_cpu(grh->version_tclass_flow) >> 28 == SIB_GRH_VERSION &&
	    grh->next_hdr == SIB_GRH_NEXT_HDR &&
	    be16_to_cpu(grh->paylen) == skb->len - sizeof(struct sib_lrh) - SIB_GRH_BYTES)
		return true;
	sib_count(port, SIB_STAT_BAD_GRH);
	return false;
}

/* Opcode, extension headers and padding must fit the length. */
static bool sib_parse_bth(struct sib_port *port, struct sk_buff *skb, unsigned int bth_off)
{
	const struct sib_bth *bth = (const struct sib_bth *)(skb->data + bth_off);
	const struct sib_opcode *op = &sib_opcodes[bth->opcode];
	unsigned int ext_off = bth_off + sizeof(*bth);
	unsigned int pad = bth->flags >> SIB_BTH_PAD_SHIFT & 3;
	struct sib_cb *cb = sib_cb(skb);

	if (!(op->flags & SIB_OP_VALID)) {
		sib_count(port, SIB_STAT_BAD_OPCODE);
		return false;
	}
	if ((bth->flags & 0xf) || ext_off + op->ext_len + pad + SIB_ICRC_BYTES > skb->len) {
		sib_count(port, SIB_STAT_BAD_BTH);
		return false;
	}
	cb->opcode = bth->opcode;
	cb->ext_off = ext_off;
	cb->pay_off = ext_off + op->ext_len;
	cb->pay_len = skb->len - SIB_ICRC_BYTES - pad - cb->pay_off;
	cb->pkey = be16_to_cpu(bth->pkey);
	cb->qpn = be32_to_cpu(bth->qpn) & SIB_24BIT;
	cb->psn = be32_to_cpu(bth->apsn) & SIB_PSN_MASK;
	cb->flags |= bth->flags & SIB_BTH_SE ? SIB_CB_SE : 0;
	cb->flags |= be32_to_cpu(bth->apsn) & SIB_BTH_ACKREQ ? SIB_CB_ACKREQ : 0;
	if (((op->flags & SIB_OP_NODATA) && cb->pay_len) || !pskb_may_pull(skb, cb->pay_off)) {
		sib_count(port, SIB_STAT_BAD_BTH);
		return false;
	}
	return true;
}

static void sib_parse_ext(struct sk_buff *skb)
{
	struct sib_cb *cb = sib_cb(skb);
	const u8 *ext = skb->data + cb->ext_off;
	u16 flags = sib_opcodes[cb->opcode].flags;

	if (flags & SIB_OP_DETH) {
		cb->qkey = get_unaligned_be32(ext);
		cb->sqpn = get_unaligned_be32(ext + 4) & SIB_24BIT;
	}
	/* The immediate, where there is one, is the last extension header. */
	if (flags & (SIB_OP_IMM | SIB_OP_INV))
		memcpy(&cb->imm, skb->data + cb->pay_off - 4, 4);
}

/* Is the ICRC of a packet right? Its headers are known to be sound. Counts if not. */
bool sib_packet_check(struct sib_port *port, struct sk_buff *skb)
{
	unsigned int bth_off = sib_bth_off((const struct sib_lrh *)skb->data);
	__le32 icrc;

	if (!skb_copy_bits(skb, skb->len - SIB_ICRC_BYTES, &icrc, sizeof(icrc)) &&
	    le32_to_cpu(icrc) == sib_icrc(skb, bth_off))
		return true;
	sib_count(port, SIB_STAT_BAD_ICRC);
	return false;
}

/**
 * sib_packet_parse - check a packet and fill its sib_cb
 * @port: counts what is wrong
 * @skb: from the LRH to the ICRC; headers are linear afterwards
 *
 * A switch leaves the ICRC of packets that are not for its own agent to sib_packet_check().
 * Return: whether the packet is sound.
 */
bool sib_packet_parse(struct sib_port *port, struct sk_buff *skb)
{
	struct sib_cb *cb = sib_cb(skb);
	const struct sib_lrh *lrh;
	unsigned int bth_off;

	memset(cb, 0, sizeof(*cb));
	if (!sib_parse_lrh(port, skb, &bth_off))
		return false;
	if (bth_off > sizeof(*lrh)) {
		if (!sib_parse_grh(port, skb))
			return false;
		cb->flags |= SIB_CB_GRH;
	}
	if (!sib_parse_bth(port, skb, bth_off))
		return false;
	lrh = (const struct sib_lrh *)skb->data;
	/* Who forwards a packet does not vouch for it; its receiver looks, 7.8.1. */
	if ((!port->is_switch || lrh->vl_lver >> 4 == SIB_VL_MGMT) &&
	    !sib_packet_check(port, skb))
		return false;
	cb->slid = be16_to_cpu(lrh->slid);
	cb->dlid = be16_to_cpu(lrh->dlid);
	cb->sl = lrh->sl_lnh >> 4;
	cb->vl = lrh->vl_lver >> 4;
	if (cb->dlid >= SIB_MCAST_LID && cb->dlid != SIB_LID_PERMISSIVE)
		cb->flags |= SIB_CB_MCAST;
	sib_parse_ext(skb);
	return true;
}

/**
 * sib_packet_get_mad - the MAD of a UD packet, writable
 * @skb: parsed packet
 *
 * The caller seals the packet again if it changed the MAD. Return: the MAD, or NULL if the
 * packet does not carry exactly one or memory is short.
 */
struct ib_mad *sib_packet_get_mad(struct sk_buff *skb)
{
	struct sib_cb *cb = sib_cb(skb);

	if (cb->pay_len != sizeof(struct ib_mad) || skb_ensure_writable(skb, skb->len) ||
	    skb_linearize(skb))
		return NULL;
	return (struct ib_mad *)(skb->data + cb->pay_off);
}

/**
 * sib_packet_loop - hand a packet the port sends to itself straight to its receive path
 * @port: the port
 * @skb: sealed packet; consumed
 */
void sib_packet_loop(struct sib_port *port, struct sk_buff *skb)
{
	if (!sib_packet_parse(port, skb)) {
		kfree_skb(skb);
		return;
	}
	sib_cb(skb)->flags |= SIB_CB_LOOP;
	local_bh_disable();
	port->ops->rx(port, skb);
	local_bh_enable();
}
