/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private: what the files of the fabric room share. */
#pragma once

#include "base/cursor.h"
#include "fabric/fabric.h"
#include "fabric/mad_client.h"
#include "fabric/ops.h"
#include "fabric/port_query.h"

/*
 * --- ports.c: the RDMA ports as sysfs shows them (Documentation/ABI/stable/sysfs-class-infiniband)
 */

/*
 * ports_scan: all ports, ordered by device name and number. The list is the caller's (free()).
 * Returns their number (0 without RDMA modules), -ENOMEM or another negative errno.
 */
int ports_scan(const struct env *env, struct fabric_port **ret);

/*
 * ports_read: one port again; device, port and name in port must be set, the rest is replaced
 * (verbs_events stays). 0, or -errno when it is gone.
 */
int ports_read(const struct env *env, struct fabric_port *port);

/* ports_have_uverbs: whether ib_uverbs has made a node for the device. */
bool ports_have_uverbs(const struct env *env, const char *device);

/* ports_parse_state: reads "4: ACTIVE" as 4, within [0, max); -EINVAL else. Pure. */
int ports_parse_state(const char *text, int max);

/* ports_parse_gid: "fe80:0000:...": 16 bytes in network order; -EINVAL when malformed. Pure. */
int ports_parse_gid(const char *text, uint8_t ret[static 16]);

/* rate_parse: "2.5 Gb/sec (1X SDR)", as sysfs has it, in Mb/s; 0 when it is no rate. Pure. */
unsigned rate_parse(const char *text);

/*
 * --- watch.c: the verbs contexts that are open for their async events, one a device at most ------
 */

#define WATCH_MAX 512 /* devices; those beyond are polled */

struct watch_list {
	const struct fabric_ops *ops; /* borrowed, as is: */
	int epoll;		      /* gets the contexts' fds */
	struct watch {
		char device[64]; /* "" : free slot */
		void *context;
		int fd;
	} slots[WATCH_MAX];
};

/*
 * watch_open: watches a device. 0 when it is (already), -ENODEV when it has no provider, -ENOSPC,
 * or another negative errno.
 */
int watch_open(struct watch_list *w, const char *device);

bool watch_has(const struct watch_list *w, const char *device);

/* watch_close: one device, NULL: all. */
void watch_close(struct watch_list *w, const char *device);

/*
 * watch_next: the next event of any device: true with its device (valid until closed) and event. A
 * context that fails or says it is dead is closed after this call by the caller (fatal is set).
 */
bool watch_next(struct watch_list *w, const char **ret_device, struct verbs_event *ret);

/*
 * --- neighbour.c: what is asked of the other end of a port's cable -------------------------------
 */

enum progress { UNASKED, ASKED, KNOWN };

struct neighbour {
	const struct env *env;
	const char *name; /* of the port */
	struct mad_client *client;
	enum port_state state; /* of the port, at the last look */
	enum progress info, desc, switch_port;
	struct fabric_neighbour found; /* complete when neighbour_known() */
	uint64_t again;		       /* when the switch is asked again */
	bool tell;		       /* there is something new */
};

/* neighbour_init: everything is borrowed. */
void neighbour_init(struct neighbour *n, const struct env *env, const char *name,
	struct mad_client *client);

/* neighbour_update: the port as it is now: forgets what no longer holds, asks what is missing. */
void neighbour_update(struct neighbour *n, const struct fabric_port *port, uint64_t now);

/* neighbour_take: what answers something else has no effect. */
void neighbour_take(struct neighbour *n, const struct mad_result *r, uint64_t now);

bool neighbour_known(const struct neighbour *n);

/* neighbour_busy: an answer is to come, or to be told. */
bool neighbour_busy(const struct neighbour *n);

/* neighbour_ask_near: of this node or the other end of its cable. As mad_client_ask(). */
int neighbour_ask_near(
	struct mad_client *client, enum mad_query query, unsigned tries, uint64_t now);

/*
 * --- group_list.c: the broadcast groups asked about over one port --------------------------------
 */

/*
 * An answer is complete when the SA and this node's own port have answered: their MTUs are
 * compared.
 */

#define GROUPS_MAX 4

struct group_list {
	struct {
		bool used, has_group, has_port;
		struct fabric_group result;
	} rows[GROUPS_MAX];
};

/* group_list_room: is there room for a question about this P_Key? */
bool group_list_room(const struct group_list *g, uint16_t pkey);

/* group_list_begin: it was asked; port_rate is that of this node's port, in Mb/s. */
void group_list_begin(struct group_list *g, uint16_t pkey, unsigned port_rate);

/* group_list_take: the SA's answer, or its silence. */
void group_list_take(struct group_list *g, const struct mad_result *r);

/* group_list_port: the port's own MTU, 0: it does not tell. */
void group_list_port(struct group_list *g, unsigned mtu);

bool group_list_pop(struct group_list *g, struct fabric_group *ret);

/* group_list_busy: an answer is to come, or to be popped. */
bool group_list_busy(const struct group_list *g);

/*
 * --- join.c, node_desc.c ------------------------------------------------------------------------
 */

/* join_failure_in: is this record (any bytes) such a failure of netdev's broadcast group? Pure. */
bool join_failure_in(
	const char *record, size_t len, const char *netdev, uint64_t *ret_us, int *ret_status);

#define NODE_DESC_SIZE	  65 /* 64 bytes and a terminator of ours */
/* rdma-ndd's on the real root: the name stays when that takes over */
#define NODE_DESC_DEFAULT "%h %d"

/*
 * node_desc_make: text with "%h" replaced by the host name up to its first dot, or by the node GUID
 * where there is none, and "%d" by the device. Cut to 64 bytes; everything but printable ASCII is
 * left out. Pure.
 */
void node_desc_make(char ret[static NODE_DESC_SIZE], const char *text, const char *host,
	const char *device, uint64_t node_guid);

/*
 * --- the room ------------------------------------------------------------------------------------
 */

/* What is to be told about ports[i], beside it so that the public list stays an array. */
struct pending {
	bool added, changed;
};

struct fabric {
	struct env env;
	const struct fabric_ops *ops;
	struct fabric_port *ports;
	struct pending *pending;
	size_t n;
	struct fabric_port gone[PORTS_MAX];
	size_t n_gone;
	char renames[4096]; /* of RDMA devices, by udev: " OLD>NEW  OLD>NEW " */
	struct watch_list watches;
	struct port_queries queries;
	int epoll;
	int uevent;
	uint64_t next_look; /* the timer for devices without provider */
	uint64_t period;
	bool closed;
	bool full;		/* more ports than PORTS_MAX, and it was said */
	bool describe;		/* fabric_describe() was called, with: */
	char text[64], host[65];
};

/*
 * fabric_describe_ports: sets the NodeDescription of every InfiniBand device that has another one.
 */
void fabric_describe_ports(struct fabric *f, uint64_t now);
