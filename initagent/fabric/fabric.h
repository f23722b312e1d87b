/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric: the RDMA ports of this node and their state. It owns verbs and umad contexts, the list of
 * ports, queries under way.
 * In: sysfs, verbs and kernel events, MADs. Out: ports, the gate's verdict, events.
 * Callers: rails/ in a boot; doctor/; state/ writes ports down. Tests: fabric/test_*.c,
 * tests/fabric.bats, tests-qemu/infiniband.bats, ib-faults.bats.
 *
 * The list comes from sysfs; changes come from verbs async events where the device's provider is
 * linked in, from kernel uevents, and, for devices without a provider, from a timer (period below).
 *
 * An open verbs context blocks the removal of the netdev under a soft RDMA device, so contexts live
 * only while the gate is watched: call fabric_close_verbs() before switch-root.
 *
 * What sysfs does not know is asked with MADs (management datagrams, libibumad): the cable's other
 * end as soon as an InfiniBand port is LinkUp, the subnet manager and broadcast groups on demand.
 * Nothing here waits for an answer; each comes as an event, and no answer is an answer too.
 */
#pragma once

#include <net/if.h>

#include "base/env.h"
#include "base/util.h"
#include "report/causes.h"
#include "value.h"

/* Period of the fall-back timer: starts at MIN, grows by half each idle pass up to MAX. */
#define FABRIC_POLL_MIN (100 * NSEC_PER_MSEC)
#define FABRIC_POLL_MAX (1000 * NSEC_PER_MSEC)

/* Longest time the SA may take for its answer before it is called silent. */
#define FABRIC_SA_LIMIT (3500 * NSEC_PER_MSEC)

struct fabric;
struct fabric_ops; /* fabric/ops.h: the seam for tests */

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
	FABRIC_GROUP_UNKNOWN, /* could not be asked: no ib_umad, no rights, port not ACTIVE */
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

enum fabric_event_type {
	FABRIC_PORT_ADDED,
	FABRIC_PORT_CHANGED,
	FABRIC_PORT_GONE,
	FABRIC_NEIGHBOUR, /* port.neighbour has become known */
	FABRIC_SM,	  /* port.sm has changed */
	FABRIC_GROUP,	  /* the answer to fabric_ask_group() is in "group" */
};

struct fabric_event {
	enum fabric_event_type type;
	struct fabric_port port; /* a copy, as last seen */
	struct fabric_group group;
};

/*
 * fabric_new: opens the uevent socket; the list is empty until fabric_rescan(). ops NULL: the real
 * ones. Returns 0 or -errno.
 */
int fabric_new(struct fabric **ret, const struct env *env, const struct fabric_ops *ops);
struct fabric *fabric_free(struct fabric *f);
DEFINE_FREEP(struct fabric, fabric_free)

int fabric_fd(const struct fabric *f);

/* fabric_deadline: call fabric_dispatch() then even without input; NSEC_NEVER: none. */
uint64_t fabric_deadline(const struct fabric *f);

/* fabric_dispatch: takes announcements, reads the ports again where needed. 0 or -errno. */
int fabric_dispatch(struct fabric *f, uint64_t now);

/*
 * fabric_pop_event: several changes of one port between two pops are one event. A change of its
 * GIDs or P_Keys is a change too, as far as verbs events tell it; without them ask again now and
 * then.
 */
bool fabric_pop_event(struct fabric *f, struct fabric_event *ret);

/*
 * fabric_rescan: reads the whole list again, for the first time or when something may have appeared
 * (module loaded, link created, uevents lost). 0 or -errno.
 */
int fabric_rescan(struct fabric *f, uint64_t now);

/* fabric_ports: the list, by device name and port; valid until the next dispatch or rescan. */
const struct fabric_port *fabric_ports(const struct fabric *f, size_t *ret_n);

/* fabric_find: a port by device name and number (0: its first port), NULL when unknown. */
const struct fabric_port *fabric_find(const struct fabric *f, const char *device, unsigned port);

/* fabric_close_verbs: closes every verbs and MAD context and stops watching for good. */
void fabric_close_verbs(struct fabric *f);

/*
 * fabric_set_smprobe: rd.ib.sm-probe. From now on the SA behind the SM LID of each InfiniBand port
 * that turns ACTIVE is asked until it answers, and fabric_gate() waits for that. Costs one MAD a
 * port when all is well. An SM LID above 0xbfff (Omni-Path) cannot be asked: no wait.
 */
void fabric_set_smprobe(struct fabric *f, bool on, uint64_t now);

/*
 * fabric_ask_sm: asks the SA once although smprobe is off, for example because carrier is late. The
 * answer, or that there was none within FABRIC_SA_LIMIT, is a FABRIC_SM event. 0, -ENOENT for an
 * unknown port, -EAGAIN when the port is not ACTIVE with an SM LID, or another negative errno when
 * it cannot be asked.
 */
int fabric_ask_sm(struct fabric *f, const char *device, unsigned port, uint64_t now);

/*
 * fabric_ask_group: asks the SA for the IPoIB broadcast group of a partition (membership bit of
 * pkey is ignored). The answer is a FABRIC_GROUP event, within FABRIC_SA_LIMIT. Errors as above.
 */
int fabric_ask_group(
	struct fabric *f, const char *device, unsigned port, uint16_t pkey, uint64_t now);

/*
 * fabric_judge_group: why an IPoIB interface of this partition has no carrier although its port
 * passes the gate. Returns the cause and one line of text; NETDEV_NO_CARRIER when the group is
 * there and fits the port, so that the join only takes its time. Pure.
 */
enum cause fabric_judge_group(
	const struct fabric_port *port, const struct fabric_group *group, char *text, size_t size);

/*
 * fabric_join_failure: the newest status (negative errno) with which the kernel says netdev's join
 * was refused since that time (CLOCK_BOOTTIME ns; the log's own clock may differ by ms); 0: it says
 * none.
 */
int fabric_join_failure(const struct env *env, const char *netdev, uint64_t since);

/* fabric_asking: true while an answer is still to come. */
bool fabric_asking(const struct fabric *f);

/*
 * fabric_describe: gives every InfiniBand device, now and later, its NodeDescription, so that the
 * fabric shows a name. text: rd.ib.node-desc ("%h" host name, "%d" device, as rdma-ndd has it) or
 * NULL for "%h %d"; host: the host name, "" when there is none yet: then the node GUID stands for
 * it. Call again when the host name is known; a description that is right already is not written.
 */
void fabric_describe(struct fabric *f, const char *text, const char *host, uint64_t now);

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
 * only).
 */
enum fabric_pkey fabric_find_pkey(
	const struct env *env, const struct fabric_port *port, uint16_t pkey);

/* fabric_pkeys: the valid entries of the port's P_Key table in its order; how many were written. */
size_t fabric_pkeys(
	const struct env *env, const struct fabric_port *port, uint16_t *ret, size_t max);

/* fabric_driver: the kernel driver of the device; for one without, the device's own name. */
void fabric_driver(const struct env *env, const char *device, char *buf, size_t size);

/* fabric_firmware: the device's firmware version; "" when it tells none. */
void fabric_firmware(const struct env *env, const char *device, char *buf, size_t size);

/*
 * fabric_set_roce: the RoCE version RDMA-CM uses on this port, through rdma_cm's folder in configfs
 * (mounted if need be). Returns 0, or -errno (-ENOENT: rdma_cm is not loaded; -ENODEV: it does not
 * know the device).
 */
int fabric_set_roce(const struct env *env, const struct fabric_port *port, bool v2);

#define FABRIC_NETDEVS_MAX 129 /* its own, and one for each P_Key of the largest tables */

/* A netdev on a port, as sysfs shows it. */
struct fabric_netdev {
	char name[IFNAMSIZ];
	unsigned mtu;
	uint16_t pkey;	 /* IPoIB; 0: not told */
	bool up, carrier;
	char mode[16];	 /* IPoIB: "datagram", "connected"; "" when sysfs does not tell */
};

/*
 * fabric_netdevs: the netdevs on a port: all IPoIB interfaces with its GUID, or the Ethernet netdev
 * under it; by name. Returns how many were written to list.
 */
size_t fabric_netdevs(const struct env *env, const struct fabric_port *port,
	struct fabric_netdev list[static FABRIC_NETDEVS_MAX]);

/* fabric_print_netdev: "carrier, MTU 2044, P_Key 8001, datagram", which ends the line. */
void fabric_print_netdev(const struct fabric_netdev *d, FILE *out);

/*
 * fabric_print_ports: the table of "initagent ports" for n ports as fabric_ports() gives them: what
 * ibstat, "rdma link" and the IPoIB interfaces' sysfs tell together, and the gate's words.
 */
void fabric_print_ports(
	const struct env *env, const struct fabric_port *ports, size_t n, FILE *out);

/*
 * fabric_has_umad: ib_umad is loaded. libibumad keeps its first look for the rest of the process,
 * and complains on the console, so it must not look earlier.
 */
bool fabric_has_umad(const struct env *env);
