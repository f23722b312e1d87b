// SPDX-License-Identifier: GPL-2.0
/*
 * pma.c: a small performance management agent for HCA and switch ports: ClassPortInfo,
 * PortCounters, PortCountersExtended. Volume 1 section 16.1.
 */
#include <rdma/ib_pma.h>

#include "softib.h"

/* A PortCounters field: its select bit, its sources and where it stands, by size in bits. */
struct sib_pma_field {
	u16 select;
	u8 offset;		/* in struct ib_pma_portcounters */
	u8 bits;
	enum sib_stat stat;
	bool words;		/* counted in words of four bytes */
};

#define FIELD(sel, name, nbits, st, w) \
	{ sel, offsetof(struct ib_pma_portcounters, name), nbits, SIB_STAT_##st, w }

static const struct sib_pma_field sib_pma_fields[] = {
	FIELD(0x0001, symbol_error_counter, 16, BAD_ICRC, false),
	FIELD(0x0004, link_downed_counter, 8, LINK_DOWNED, false),
	FIELD(0x0008, port_rcv_errors, 16, BAD_LENGTH, false),
	FIELD(0x0020, port_rcv_switch_relay_errors, 16, RELAY_ERROR, false),
	FIELD(0x0040, port_xmit_discards, 16, TX_DISCARD, false),
	FIELD(0x0800, vl15_dropped, 16, VL15_DROPPED, false),
	FIELD(0x1000, port_xmit_data, 32, TX_BYTES, true),
	FIELD(0x2000, port_rcv_data, 32, RX_BYTES, true),
	FIELD(0x4000, port_xmit_packets, 32, TX_PACKETS, false),
	FIELD(0x8000, port_rcv_packets, 32, RX_PACKETS, false),
};

#undef FIELD

/* PortCountersExtended: eight 64 bit counters in this order, select bit i each. */
static const enum sib_stat sib_pma_ext[] = {
	SIB_STAT_TX_BYTES, SIB_STAT_RX_BYTES, SIB_STAT_TX_PACKETS, SIB_STAT_RX_PACKETS,
	SIB_STAT_TX_UCAST, SIB_STAT_RX_UCAST, SIB_STAT_TX_MCAST, SIB_STAT_RX_MCAST,
};

static u64 sib_pma_value(struct sib_port *port, enum sib_stat stat)
{
	return atomic64_read(&port->stats[stat]) - READ_ONCE(port->pma_base[stat]);
}

static void sib_pma_clear(struct sib_port *port, enum sib_stat stat)
{
	WRITE_ONCE(port->pma_base[stat], atomic64_read(&port->stats[stat]));
}

static void sib_pma_put(u8 *p, u8 bits, u64 value)
{
	value = min(value, bits < 32 ? (1ULL << bits) - 1 : (u64)U32_MAX);
	switch (bits) {
	case 8:
		*p = value;
		break;
	case 16:
		put_unaligned_be16(value, p);
		break;
	default:
		put_unaligned_be32(value, p);
	}
}

static void sib_pma_counters(struct sib_port *port, u8 *data, bool set)
{
	u16 select = get_unaligned_be16(data + 2);
	unsigned int i;

	memset(data + 4, 0, sizeof(struct ib_pma_portcounters) - 4);
	for (i = 0; i < ARRAY_SIZE(sib_pma_fields); i++) {
		const struct sib_pma_field *f = &sib_pma_fields[i];
		u64 v;

		if (set && (select & f->select))
			sib_pma_clear(port, f->stat);
		v = sib_pma_value(port, f->stat);
		sib_pma_put(data + f->offset, f->bits, f->words ? v / 4 : v);
	}
}

static void sib_pma_counters_ext(struct sib_port *port, u8 *data, bool set)
{
	u16 select = get_unaligned_be16(data + 2);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sib_pma_ext); i++) {
		u64 v;

		if (set && (select & BIT(i)))
			sib_pma_clear(port, sib_pma_ext[i]);
		v = sib_pma_value(port, sib_pma_ext[i]);
		put_unaligned_be64(i < 2 ? v / 4 : v, data + 8 + i * 8);
	}
}

static void sib_pma_class_info(u8 *data)
{
	struct ib_class_port_info *cpi = (struct ib_class_port_info *)data;

	memset(cpi, 0, sizeof(*cpi));
	cpi->base_version = 1;
	cpi->class_version = 1;
	cpi->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH;
	ib_set_cpi_resp_time(cpi, 18);
}

static __be16 sib_pma_attr(struct sib_port *(*find)(void *owner, u8 num), void *owner,
			   struct ib_pma_mad *pma)
{
	bool set = pma->mad_hdr.method == IB_MGMT_METHOD_SET;
	struct sib_port *port;

	if (pma->mad_hdr.class_version != 1)
		return cpu_to_be16(IB_MGMT_MAD_STATUS_BAD_VERSION);
	if (pma->mad_hdr.attr_id == IB_PMA_CLASS_PORT_INFO && !set) {
		sib_pma_class_info(pma->data);
		return 0;
	}
	if (pma->mad_hdr.attr_id != IB_PMA_PORT_COUNTERS &&
	    pma->mad_hdr.attr_id != IB_PMA_PORT_COUNTERS_EXT)
		return cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	port = find(owner, pma->data[1]);
	if (!port)
		return cpu_to_be16(IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE);
	if (pma->mad_hdr.attr_id == IB_PMA_PORT_COUNTERS)
		sib_pma_counters(port, pma->data, set);
	else
		sib_pma_counters_ext(port, pma->data, set);
	return 0;
}

/**
 * sib_pma_reply - answer a performance management MAD
 * @find: turns a port number into a port, NULL if there is none
 * @owner: argument of @find
 * @in: request
 * @out: answer
 *
 * Return: whether @out is to be sent.
 */
bool sib_pma_reply(struct sib_port *(*find)(void *owner, u8 num), void *owner,
		   const struct ib_mad *in, struct ib_mad *out)
{
	struct ib_pma_mad *pma = (struct ib_pma_mad *)out;

	if (in->mad_hdr.method != IB_MGMT_METHOD_GET && in->mad_hdr.method != IB_MGMT_METHOD_SET)
		return false;
	memcpy(out, in, sizeof(*out));
	pma->mad_hdr.status = sib_pma_attr(find, owner, pma);
	pma->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	return true;
}
