/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * port: what is known of an RDMA port, its cable's other end, its subnet manager and its broadcast
 * groups, and what these mean for a rail. It owns nothing.
 * In: ports as fabric/ lists them, sysfs. Out: the gate's verdict, names.
 * Callers: fabric/fabric.h, which all others include. Tests: fabric/test_ports.c, test_tables.c.
 */
#pragma once

#include <net/if.h>

#include "base/env.h"
#include "base/util.h"
#include "report/causes.h"
#include "value.h"

enum link_layer {
	LINK_LAYER_UNKNOWN,
	LINK_LAYER_INFINIBAND, /* Omni-Path calls itself that too */
	LINK_LAYER_ETHERNET,   /* RoCE or iWARP */
	LINK_LAYER_MAX,
};

/* IBTA PortInfo.PortState; the numbers are those of sysfs. */
enum port_state {
	PORT_NOP,
	PORT_STATE_DOWN,
	PORT_INIT,
	PORT_ARMED,
	PORT_ACTIVE,
	PORT_ACTIVE_DEFER,
	PORT_STATE_MAX,
};

/* IBTA PortInfo.PortPhysicalState; the numbers are those of sysfs. */
enum port_phys {
	PHYS_UNKNOWN,
	PHYS_SLEEP,
	PHYS_POLLING,
	PHYS_DISABLED,
	PHYS_TRAINING,
	PHYS_LINK_UP,
	PHYS_ERROR_RECOVERY,
	PHYS_TEST,
	PHYS_OFFLINE = 9, /* Omni-Path's: no cable, or between two tries */
	PORT_PHYS_MAX,
};

const char *link_layer_name(enum link_layer l);
const char *port_state_name(enum port_state s);
const char *port_phys_name(enum port_phys p);

/* IBTA NodeInfo.NodeType. */
enum fabric_node { FABRIC_NODE_UNKNOWN, FABRIC_NODE_CA, FABRIC_NODE_SWITCH, FABRIC_NODE_ROUTER };

/* The other end of a port's cable. type UNKNOWN: not asked, or it does not answer (M_Key). */
struct fabric_neighbour {
	enum fabric_node type;
	unsigned port; /* the port of it that the cable is in */
	uint64_t guid; /* its node GUID, host order */
	char name[65]; /* its NodeDescription, printable ASCII; "" when it gave none */
	/* Of a switch, while the port waits for a subnet manager: the one that set it up. */
	unsigned sm_lid; /* 0: none did, or not known */
};

enum fabric_sm_state {
	FABRIC_SM_UNKNOWN, /* not asked, or not answered yet */
	FABRIC_SM_ALIVE,   /* the SA behind the port's SM LID has answered */
	FABRIC_SM_SILENT,  /* no answer, or its host says that none runs there */
	FABRIC_SM_STATE_MAX,
};

struct fabric_sm {
	enum fabric_sm_state state;
	uint64_t guid;	   /* of the SM's port, host order; 0: SMInfo was not answered */
	unsigned priority; /* SMInfo.Priority, 0..15 */
	unsigned role;	   /* SMInfo.SMState: 1 discovering, 2 standby, 3 master */
	int error;	   /* UNKNOWN: why it could not be asked: -ENODEV for want of ib_umad; 0 */
};

struct fabric_port {
	char device[64]; /* "mlx5_0" */
	unsigned port;	 /* from 1 */
	char name[80];	 /* "mlx5_0/1": the rail name in reports */
	enum link_layer link_layer;
	bool iwarp; /* node type RNIC: no RoCE GID needed */
	enum port_state state;
	enum port_phys phys;
	uint32_t lid, sm_lid; /* 0: not set */
	unsigned lmc, sm_sl;
	uint64_t guid;	       /* host order; port GUID on InfiniBand, node GUID on Ethernet */
	uint64_t node_guid;    /* host order */
	char netdev[IFNAMSIZ]; /* RoCE: the netdev under it; IB: its IPoIB netdev; "" unknown */
	char rate[48];	       /* "100 Gb/sec (4X EDR)" */
	char pci[32];	       /* "0000:3b:00.0", "" for soft devices */
	bool verbs_events;     /* changes are announced; else the timer looks */
	bool no_provider;      /* libibverbs cannot open it: none is built in for its driver */
	bool smprobe;	       /* the gate asks for sm.state ALIVE: fabric_set_smprobe() */
	struct fabric_neighbour neighbour;
	struct fabric_sm sm; /* forgotten when the port leaves ACTIVE or the SM LID changes */
};

enum fabric_group_state {
	FABRIC_GROUP_UNKNOWN, /* not asked (no ib_umad, no rights, port not ACTIVE), or SA busy */
	FABRIC_GROUP_PRESENT,
	FABRIC_GROUP_ABSENT,  /* the SA knows no such group, or none this port may know of */
	FABRIC_GROUP_REFUSED, /* the SA refuses to say: its status is in "status" */
	FABRIC_GROUP_SILENT,  /* the SA does not answer */
	/* nor can it: the port is no member of the default partition, in which it is asked */
	FABRIC_GROUP_UNASKABLE,
	FABRIC_GROUP_STATE_MAX,
};

/* The IPoIB broadcast group of a partition (RFC 4391, 5), as the SA describes it. */
struct fabric_group {
	uint16_t pkey; /* full-membership bit set */
	enum fabric_group_state state;
	uint16_t status;    /* REFUSED: the MAD's status */
	unsigned mtu;	    /* bytes of the InfiniBand MTU: IPoIB's is 4 less */
	unsigned rate;	    /* Mb/s */
	unsigned port_mtu;  /* of this node's port, for comparison; 0: not known */
	unsigned port_rate; /* likewise, Mb/s */
};

/*
 * fabric_judge_group: why an IPoIB interface of this partition has no carrier although its port
 * passes the gate. Returns the cause and one line of text; NETDEV_NO_CARRIER when the group is
 * there and fits the port, so that the join only takes its time. Pure.
 */
enum cause fabric_judge_group(
	const struct fabric_port *port, const struct fabric_group *group, char *text, size_t size);

/*
 * fabric_gate: what stands between this port and its rail. CAUSE_NONE: nothing, go on. Else the
 * cause and one line of text with the port's name, states and, if known, its cable's other end.
 * InfiniBand: LinkUp, ACTIVE, LID, SM LID, with smprobe an SA that answers. Ethernet: ACTIVE. Pure.
 */
enum cause fabric_gate(const struct fabric_port *port, char *text, size_t size);

/* What a rail needs of its port beside that. */
struct fabric_rail {
	bool ipoib;	/* its P_Key in the port's table */
	uint16_t pkey;
	/* the RoCE GID of this address; family 0: it has none yet; NULL: not asked for yet */
	const struct inet_addr *addr;
};

/*
 * fabric_gate_rail: the whole gate: fabric_gate(), then P_Key and RoCE GID as the tables are now.
 * The end of a wait for those two (CAUSE_PORT_NO_PKEY, CAUSE_PORT_NO_GID) is not announced by every
 * driver.
 */
enum cause fabric_gate_rail(const struct env *env, const struct fabric_port *port,
	const struct fabric_rail *rail, char *text, size_t size);

/* fabric_sm_name: "unknown", "alive", "silent"; never NULL. */
const char *fabric_sm_name(enum fabric_sm_state s);

/* fabric_neighbour_text: "leaf12 port 17", by GUID when it has no name; "" when unknown. */
void fabric_neighbour_text(const struct fabric_neighbour *n, char *buf, size_t size);

/*
 * fabric_has_gid: is the RoCE GID of this address (of an IPv4 one ::ffff:a.b.c.d) in the port's
 * table as it is now, for either version of RoCE?
 */
bool fabric_has_gid(
	const struct env *env, const struct fabric_port *port, const struct inet_addr *addr);

enum fabric_pkey { PKEY_ABSENT, PKEY_LIMITED, PKEY_FULL };

/*
 * fabric_find_pkey: is the partition in the port's P_Key table as it is now? pkey's membership bit
 * does not count; the answer tells the table's (IBTA 10.9.1.2: a limited member reaches full ones
 * only). ret_index (or NULL) is set where it is found.
 */
enum fabric_pkey fabric_find_pkey(const struct env *env, const struct fabric_port *port,
	uint16_t pkey, uint16_t *ret_index);

/* fabric_pkeys: the valid entries of the port's P_Key table in its order; how many were written. */
size_t fabric_pkeys(
	const struct env *env, const struct fabric_port *port, uint16_t *ret, size_t max);
