// SPDX-License-Identifier: GPL-2.0-or-later

#include "fabric/mad.h"

#include "base/cursor.h"

/* Common header, IBTA vol. 1, 13.4.2. */
#define BASE_VERSION	1
#define METHOD_GET	0x01
#define METHOD_GET_RESP 0x81
#define STATUS_BUSY	0x0001
#define STATUS_BAD	0x001c /* bits 2-4: field, version, method or attribute */
#define STATUS_D_BIT	0x8000 /* directed route: on its way back (14.2.1.2) */
#define HEADER_LEN	24

/* Where the attribute begins: 14.2.1.1 for SMPs, 15.2.1.1 for the SA. */
#define SMP_DATA	64
#define SMP_SLID	32 /* DrSLID and DrDLID, both permissive for a route by hops alone */
#define SMP_PATH	128
#define SA_RMPP_VERSION 24
#define SA_MASK		48
#define SA_DATA		56

#define SA_NO_RECORDS	3
#define MCM_MASK_MGID	0x01 /* component mask of MCMemberRecord, 15.2.5.17: bit 0 */

static const struct mad_class_info classes[MAD_CLASS_MAX] = {
	[MAD_CLASS_SM_DIRECTED] = {0x81, 1, 0, 0},
	[MAD_CLASS_SM] = {0x01, 1, 0, 0},
	/* The general services' queue pair and its well-known key, 10.2.5 and 13.5. */
	[MAD_CLASS_SA] = {0x03, 2, 1, 0x80010000},
};

/* MTU codes, IBTA 14.2.5.6. */
static const unsigned mtus[] = {0, 256, 512, 1024, 2048, 4096};

/* Rate codes in Mb/s, IBTA 15.2.5.16 (PathRecord.Rate); gaps are reserved. */
static const unsigned rates[] = {
	[2] = 2500, [3] = 10000, [4] = 30000, [5] = 5000, [6] = 20000, [7] = 40000, [8] = 60000,
	[9] = 80000, [10] = 120000, [11] = 14000, [12] = 56000, [13] = 112000, [14] = 168000,
	[15] = 25000, [16] = 100000, [17] = 200000, [18] = 300000, [19] = 28000, [20] = 50000,
	[21] = 400000, [22] = 600000, [23] = 800000, [24] = 1200000,
};

static unsigned code(const unsigned *table, size_t n, unsigned index)
{
	return index < n ? table[index] : 0;
}

static int read_node_info(struct cursor *c, struct mad_answer *a)
{
	uint8_t type;

	cursor_skip(c, 2); /* base and class version */
	type = cursor_u8(c);
	cursor_skip(c, 1 + 8); /* number of ports, system image GUID */
	a->node.guid = cursor_be64(c);
	cursor_skip(c, 8 + 2 + 2 + 4); /* port GUID, partition cap, device, revision */
	a->node.port = cursor_u8(c);
	if (type < FABRIC_NODE_CA || type > FABRIC_NODE_ROUTER)
		return -EBADMSG;
	a->node.type = (enum fabric_node)type;
	return 0;
}

/* 64 bytes that anybody on the fabric may have set: only printable ASCII goes on. */
static int read_node_desc(struct cursor *c, struct mad_answer *a)
{
	uint8_t raw[64];
	size_t n = 0;

	if (!cursor_copy(c, raw, sizeof(raw)))
		return -EBADMSG;
	while (n < sizeof(raw) && raw[n]) {
		a->desc[n] = raw[n] >= ' ' && raw[n] < 0x7f ? (char)raw[n] : '?';
		n++;
	}
	while (n && a->desc[n - 1] == ' ')
		n--;
	a->desc[n] = 0;
	return 0;
}

static int read_port_info(struct cursor *c, struct mad_answer *a)
{
	cursor_skip(c, 18); /* M_Key, GID prefix, LID */
	a->port_sm_lid = cursor_be16(c);
	cursor_skip(c, 16); /* up to the link speeds */
	a->port_mtu = code(mtus, ARRAY_SIZE(mtus), cursor_u8(c) >> 4);
	return 0;
}

static int read_sm_info(struct cursor *c, struct mad_answer *a)
{
	uint8_t both;

	a->sm.guid = cursor_be64(c);
	cursor_skip(c, 8 + 4); /* SM_Key, ActCount */
	both = cursor_u8(c);
	a->sm.priority = both >> 4;
	a->sm.role = both & 0x0f;
	return 0;
}

static int read_nothing(struct cursor *c, struct mad_answer *a)
{
	(void)c;
	(void)a;
	return 0;
}

static int read_group(struct cursor *c, struct mad_answer *a)
{
	cursor_skip(c, 16 + 16 + 4 + 2); /* MGID, PortGID, Q_Key, MLID */
	/* The two high bits of MTU and rate are selectors. */
	a->group.mtu = code(mtus, ARRAY_SIZE(mtus), cursor_u8(c) & 0x3f);
	cursor_skip(c, 1); /* TClass */
	a->group.pkey = cursor_be16(c);
	a->group.rate = code(rates, ARRAY_SIZE(rates), cursor_u8(c) & 0x3f);
	return 0;
}

static const struct query_row {
	enum mad_class class;
	uint16_t attribute; /* IBTA tables 139 and 189 */
	uint8_t hops;	    /* directed route: 0 this node, 1 the cable's other end */
	bool of_port;	    /* the attribute modifier is the port */
	int (*read)(struct cursor *c, struct mad_answer *a);
} queries[MAD_QUERY_MAX] = {
	[MAD_NODE_INFO] = {MAD_CLASS_SM_DIRECTED, 0x11, 1, false, read_node_info},
	[MAD_NODE_DESC] = {MAD_CLASS_SM_DIRECTED, 0x10, 1, false, read_node_desc},
	/* Port 0 of a switch is its management port. */
	[MAD_SWITCH_PORT] = {MAD_CLASS_SM_DIRECTED, 0x15, 1, false, read_port_info},
	[MAD_PORT_INFO] = {MAD_CLASS_SM_DIRECTED, 0x15, 0, true, read_port_info},
	[MAD_SM_INFO] = {MAD_CLASS_SM, 0x20, 0, false, read_sm_info},
	[MAD_SA_ALIVE] = {MAD_CLASS_SA, 0x01, 0, false, read_nothing},
	[MAD_SA_GROUP] = {MAD_CLASS_SA, 0x38, 0, false, read_group},
};

const struct mad_class_info *mad_class_info(enum mad_class c)
{
	return &classes[c];
}

enum mad_class mad_query_class(enum mad_query q)
{
	return queries[q].class;
}

/* ff12:401b:PKEY::ffff:ffff, RFC 4391, 4; the membership bit is set. */
static void put_group_gid(uint16_t pkey, uint8_t ret[static 16])
{
	static const uint8_t gid[16] = {
		0xff, 0x12, 0x40, 0x1b, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};

	memcpy(ret, gid, sizeof(gid));
	put_be(ret + 4, pkey | 0x8000, 2);
}

static void add_route(const struct mad_request *rq, uint8_t *mad)
{
	const struct query_row *row = &queries[rq->query];

	mad[7] = row->hops; /* HopCount; HopPointer before it is 0 */
	put_be(mad + SMP_SLID, 0xffff, 2);
	put_be(mad + SMP_SLID + 2, 0xffff, 2);
	if (row->hops)
		mad[SMP_PATH + 1] = (uint8_t)rq->port;
}

static void add_sa(const struct mad_request *rq, uint8_t *mad)
{
	mad[SA_RMPP_VERSION] = 1;
	if (rq->query != MAD_SA_GROUP)
		return;
	mad[SA_MASK + 7] = MCM_MASK_MGID;
	put_group_gid(rq->pkey, mad + SA_DATA);
}

void mad_build(const struct mad_request *rq, uint8_t ret[static MAD_SIZE])
{
	const struct query_row *row = &queries[rq->query];
	const struct mad_class_info *class = &classes[row->class];

	memset(ret, 0, MAD_SIZE);
	ret[0] = BASE_VERSION;
	ret[1] = class->mgmt_class;
	ret[2] = class->version;
	ret[3] = METHOD_GET;
	put_be(ret + 12, rq->tid, 4);
	put_be(ret + 16, row->attribute, 2);
	if (row->of_port)
		put_be(ret + 20, rq->port, 4);
	if (row->class == MAD_CLASS_SM_DIRECTED)
		add_route(rq, ret);
	if (row->class == MAD_CLASS_SA)
		add_sa(rq, ret);
}

/* The common header; -ENOMSG when it is of another conversation. */
static int read_header(struct cursor *c, const struct mad_request *rq, uint16_t *ret_status)
{
	const struct query_row *row = &queries[rq->query];
	const struct mad_class_info *class = &classes[row->class];
	uint8_t version = cursor_u8(c), mgmt_class = cursor_u8(c);
	uint8_t method;
	uint32_t tid;
	uint16_t attribute;

	cursor_skip(c, 1); /* class version */
	method = cursor_u8(c);
	*ret_status = cursor_be16(c);
	cursor_skip(c, 2 + 4); /* class specific, high half of the TID */
	tid = cursor_be32(c);
	attribute = cursor_be16(c);
	cursor_skip(c, 2 + 4); /* reserved, modifier */
	if (c->failed || version != BASE_VERSION)
		return -EBADMSG;
	if (mgmt_class != class->mgmt_class || method != METHOD_GET_RESP || tid != rq->tid ||
		attribute != row->attribute)
		return -ENOMSG;
	if (row->class == MAD_CLASS_SM_DIRECTED)
		*ret_status &= (uint16_t)~STATUS_D_BIT;
	return 0;
}

int mad_parse(const struct mad_request *rq, const void *data, size_t len, struct mad_answer *ret)
{
	const struct query_row *row = &queries[rq->query];
	struct cursor c = cursor_make(data, len);
	struct mad_answer a = {0};
	int r = read_header(&c, rq, &a.status);

	if (r == 0 && a.status == 0) {
		cursor_skip(&c, (row->class == MAD_CLASS_SA ? SA_DATA : SMP_DATA) - HEADER_LEN);
		r = row->read(&c, &a);
	}
	if (c.failed)
		r = -EBADMSG;
	if (r == 0)
		*ret = a;
	return r;
}

bool mad_is_busy(uint16_t status)
{
	return (status & STATUS_BUSY) && !(status & STATUS_BAD);
}

bool mad_not_served(uint16_t status)
{
	return status & STATUS_BAD;
}

bool mad_no_records(uint16_t status)
{
	return !(status & STATUS_BAD) && (status >> 8 & 0x7f) == SA_NO_RECORDS;
}
