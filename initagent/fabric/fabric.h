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

#include "fabric/port.h"

/* Period of the fall-back timer: starts at MIN, grows by half each idle pass up to MAX. */
#define FABRIC_POLL_MIN (100 * NSEC_PER_MSEC)
#define FABRIC_POLL_MAX (1000 * NSEC_PER_MSEC)

/* Longest time the SA may take for its answer before it is called silent. */
#define FABRIC_SA_LIMIT (3500 * NSEC_PER_MSEC)

struct fabric;
struct fabric_ops; /* fabric/ops.h: the seam for tests */

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

/* fabric_was: was this the device's name before udev gave it the present one? */
bool fabric_was(const struct fabric *f, const char *device, const char *name);

/* fabric_close_verbs: closes every verbs and MAD context and stops watching for good. */
void fabric_close_verbs(struct fabric *f);

/*
 * fabric_set_smprobe: rd.ib.sm-probe. From now on the SA behind the SM LID of each InfiniBand port
 * that turns ACTIVE is asked until it answers, and fabric_gate() waits for that. Costs one MAD a
 * port when all is well. No wait where it cannot be asked: an SM LID above 0xbfff (Omni-Path), a
 * port outside the default partition, or one whose kernel refuses it (EINVAL).
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
