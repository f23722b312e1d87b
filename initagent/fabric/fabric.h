/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fabric: the RDMA ports of this node and their state. The list comes from sysfs; changes come from
 * verbs async events where the device's provider is linked in, from kernel uevents, and, for
 * devices without a provider, from a timer (period below).
 *
 * An open verbs context blocks the removal of the netdev under a soft RDMA device, so contexts live
 * only while the gate is watched: call fabric_close_verbs() before switch-root.
 */
#pragma once

#include <net/if.h>

#include "env.h"
#include "util.h"

/* Period of the fall-back timer: starts at MIN, grows by half each idle pass up to MAX. */
#define FABRIC_POLL_MIN (100 * NSEC_PER_MSEC)
#define FABRIC_POLL_MAX (1000 * NSEC_PER_MSEC)

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

struct fabric_port {
	char device[64]; /* "mlx5_0" */
	unsigned port;	 /* from 1 */
	char name[80];	 /* "mlx5_0/1": the rail name in reports */
	enum link_layer link_layer;
	bool iwarp; /* node type RNIC: no RoCE GID needed */
	enum port_state state;
	enum port_phys phys;
	uint32_t lid, sm_lid; /* 0: not set */
	unsigned lmc;
	uint64_t guid;	       /* host order; port GUID on InfiniBand, node GUID on Ethernet */
	uint64_t node_guid;    /* host order */
	char netdev[IFNAMSIZ]; /* RoCE: the netdev under it; IB: its IPoIB netdev; "" unknown */
	char rate[48];	       /* "100 Gb/sec (4X EDR)" */
	char pci[32];	       /* "0000:3b:00.0", "" for soft devices */
	bool verbs_events;     /* changes are announced; else the timer looks */
};

enum fabric_event_type { FABRIC_PORT_ADDED, FABRIC_PORT_CHANGED, FABRIC_PORT_GONE };

struct fabric_event {
	enum fabric_event_type type;
	struct fabric_port port; /* a copy, as last seen */
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

/* fabric_close_verbs: closes every verbs context and stops watching for good. */
void fabric_close_verbs(struct fabric *f);

/*
 * fabric_gate: what stands between this port and its rail. CAUSE_NONE: nothing, go on. Else the
 * cause and one line of text. InfiniBand: LinkUp, ACTIVE, LID, SM LID. Ethernet: ACTIVE (ask
 * fabric_find_gid() for the GID, which appears with the address). Pure.
 */
enum cause fabric_gate(const struct fabric_port *port, char *text, size_t size);

enum gid_type { GID_IB_ROCE_V1, GID_ROCE_V2, GID_TYPE_MAX };

struct fabric_gid {
	unsigned index;
	enum gid_type type;
	uint8_t raw[16];
	char netdev[IFNAMSIZ];
};

/*
 * fabric_find_gid: looks for a GID in the port's table as it is now. RoCE v2 is preferred when both
 * versions are there. Returns 0, -ENOENT when there is none, or another negative errno.
 */
int fabric_find_gid(const struct env *env, const struct fabric_port *port,
	const uint8_t raw[static 16], struct fabric_gid *ret);

/* fabric_gid_from_ipv4: the IPv4-mapped GID (::ffff:a.b.c.d) of an address in network order. */
void fabric_gid_from_ipv4(uint32_t address, uint8_t ret_raw[static 16]);

/* fabric_print_ports: the table of "initagent ports". 0, or -errno when sysfs is unreadable. */
int fabric_print_ports(const struct env *env, FILE *out);

/*
 * fabric_umad_cas: names of the adapters libibumad can really open. libibumad alone names an
 * adapter that is not there ("mthca0") when sysfs has none, so each name is checked. Returns the
 * number written to names, or -errno.
 */
int fabric_umad_cas(const struct env *env, char (*names)[64], size_t max);
