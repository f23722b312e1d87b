/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mad: the bytes of the few management datagrams the agent sends and of their answers (IBTA vol. 1,
 * chapters 13-15). Pure. Answers may come from any node of the fabric, so they are read with a
 * bounded cursor and every number in them is checked before it is used.
 */
#pragma once

#include "fabric/fabric.h"

#define MAD_SIZE 256 /* IBTA vol. 1, 13.4.2: every MAD has this size on the wire */

/* Management classes (IBTA table 111), as an agent registers them with its version. */
enum mad_class {
	MAD_CLASS_SM_DIRECTED, /* 0x81: by hops, needs no LID; queue pair 0 */
	MAD_CLASS_SM,	       /* 0x01: by LID; queue pair 0 */
	MAD_CLASS_SA,	       /* 0x03: subnet administration; queue pair 1 */
	MAD_CLASS_MAX,
};

struct mad_class_info {
	uint8_t mgmt_class, version;
	uint32_t qp, qkey; /* where to send */
};

const struct mad_class_info *mad_class_info(enum mad_class c);

enum mad_query {
	MAD_NODE_INFO,	 /* of the cable's other end */
	MAD_NODE_DESC,	 /* likewise */
	MAD_PORT_INFO,	 /* of this port itself */
	MAD_SM_INFO,	 /* of the SM at the SM LID */
	MAD_SA_ALIVE,	 /* SA ClassPortInfo: the cheapest question an SA must answer */
	MAD_SA_GROUP,	 /* SA MCMemberRecord of a partition's IPoIB broadcast group */
	MAD_SWITCH_PORT, /* PortInfo of the other end's management port, if it is a switch */
	MAD_QUERY_MAX,
};

enum mad_class mad_query_class(enum mad_query q);

struct mad_request {
	enum mad_query query;
	uint32_t tid;  /* low half of the transaction ID; the kernel fills the other */
	unsigned port; /* this node's port, from 1 */
	uint16_t pkey; /* MAD_SA_GROUP */
};

/* What an answer holds; which part is set follows from the query. */
struct mad_answer {
	uint16_t status; /* 0, or why there is nothing below (IBTA 13.4.7, 15.4.1) */
	struct {
		enum fabric_node type;
		uint64_t guid;
		unsigned port;
	} node;
	char desc[65]; /* printable ASCII */
	unsigned port_sm_lid; /* MasterSMLID, 0: not set */
	unsigned port_mtu;    /* NeighborMTU in bytes, 0: not set */
	struct {
		uint64_t guid;
		unsigned priority, role;
	} sm;
	struct {
		uint16_t pkey;
		unsigned mtu;  /* bytes, 0: unknown code */
		unsigned rate; /* Mb/s, 0: unknown code */
	} group;
};

void mad_build(const struct mad_request *rq, uint8_t ret[static MAD_SIZE]);

/*
 * mad_parse: reads a datagram as the answer to rq. 0 with ret filled (a status is an answer too),
 * -ENOMSG when it answers something else, -EBADMSG when it is too short or holds what cannot be.
 */
int mad_parse(const struct mad_request *rq, const void *data, size_t len, struct mad_answer *ret);

/* mad_is_busy: the status says "try again" (IBTA 13.4.7). */
bool mad_is_busy(uint16_t status);

/*
 * mad_not_served: the status says that the question is not understood there (IBTA 13.4.7, bits
 * 2-4). The kernel of a node says so when no program serves the class: a subnet manager's host
 * outlives it.
 */
bool mad_not_served(uint16_t status);

/* mad_no_records: the SA's status says that it has no such record (IBTA table 188: 3). */
bool mad_no_records(uint16_t status);
