/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rails: the ways to the root. It owns links, addresses and RDMA ports; makes IPoIB children,
 * VLANs, bonds, bridges and software RDMA links.
 * In: the plan, modules that can be asked for, and whether the root needs RDMA (rails_want()). Out:
 * rails with their states, and events: READY is a state of a rail, LOST, ADDRESS, NEIGHBOUR ... are
 * popped.
 * Callers: boot/ (life, events), root/source/ and the kinds of root by it (which rail carries a
 * packet, whom to blame), root/extensions/. Tests: test_blame.c, test_ipoib_child.c,
 * test_naming.c, test_port_names.c, test_stack.c; the rest in boot/test_*.c and
 * tests-qemu/links.bats.
 */
#pragma once

#include "address/address.h"
#include "fabric/fabric.h"
#include "link/link.h"
#include "modules/modules.h"

#define RAILS_LIMIT ADDRESS_IFACES_MAX

enum rail_state {
	RAIL_ADDRESSING, /* waits for carrier and an address */
	RAIL_SPARE,	 /* up; its static address is in use on another rail until that one fails */
	RAIL_PORT,	 /* has an address; the RDMA port under it is not ready */
	RAIL_READY,	 /* the root can be reached over it */
	RAIL_LOST,	 /* was ready, lost carrier or lease */
	RAIL_FAILED,	 /* failed for good */
	RAIL_STATE_MAX,
};

/* One way to the root: a netdev and, if the root needs RDMA, the port on it. Written by rails/
 * alone. */
struct rail {
	int ifindex;
	char name[IFNAMSIZ];
	const struct plan_ip *ip; /* NULL: plain DHCP */
	enum rail_state state;
	bool ipoib;
	uint64_t guid;		  /* IPoIB: the port's; 0: a virtual function's that has none yet */
	uint16_t pkey;		  /* IPoIB: the partition */
	char device[64];	  /* RDMA device, "" until known */
	unsigned port;
	bool configured;	  /* has an address */
	bool leads;		  /* bootdev= or BOOTIF= means it: its lease is asked first */
	/* of its routes: the rail with the lowest carries what several could */
	uint32_t metric;
	enum cause cause;	  /* why it is lost or failed */
	uint64_t carrier, address, ready; /* first time of each, 0: not yet */
	uint64_t partner;	  /* until when an LACP partner is waited for; 0: none is */
	uint64_t active;	  /* IPoIB: since when only the join is missing; 0: more is */
	uint64_t ask, bounce;	  /* IPoIB: when to ask for the group, to take it down and up */
	struct fabric_group group; /* IPoIB: what the SA said of the group */
	enum fabric_sm_state sm;  /* IPoIB: its subnet manager, as the last query found it */
	/* IPoIB: not asked again before; NSEC_NEVER: the answer is on its way */
	uint64_t sm_ask;
	uint32_t sm_lid;	  /* the LID that was asked */
	bool capped;		  /* it was logged that its MTU is smaller than asked for */
	uint64_t check_period;	  /* between checks of what no event announces */
};

static inline bool ipoib_is_child(const struct netdev *dev)
{
	return dev->hwtype == 32 /* ARPHRD_INFINIBAND */ && dev->parent_ifindex != 0;
}

/* soft_link_module: the module that makes software RDMA links of a type (rd.rdma.link=); NULL:
 * known by its alias only. */
const char *soft_link_module(const char *type);

struct rails;

struct rails_config {
	const struct env *env;
	const struct boot_plan *plan;
	struct modules *modules;
	uint64_t start;	 /* of the boot, for rd.net.timeout.iflink= */
	bool forget;	 /* an earlier agent failed: what it configured is removed first */
};

/* Who asked the resolver for a name: one question each. */
enum rails_asker { RAILS_ASKER_TARGET, RAILS_ASKER_OUTBOX, RAILS_ASKER_EXTENSIONS };

enum rails_event_type {
	RAILS_ADDRESS,	 /* ifindex has an address */
	RAILS_LOST,	 /* ifindex is of no use any more */
	RAILS_NEIGHBOUR, /* neighbour: the answer to links_probe(), or that there was none */
	RAILS_RESOLVED,	 /* asker's name: resolved */
	RAILS_FATAL,	 /* no way can come up: cause, where, text */
};

struct rails_event {
	enum rails_event_type type;
	int ifindex;
	enum rails_asker asker;
	union {
		struct link_event neighbour;
		struct address_event resolved;
		struct {
			enum cause cause;
			char where[IFNAMSIZ], text[96];
		} fatal;
	};
};

/* rails_new: opens links, addresses and ports, and looks at what is there. All of cfg is borrowed.
 * 0 or -errno. */
int rails_new(struct rails **ret, const struct rails_config *cfg, uint64_t now);

/* rails_free: closes them; interfaces and addresses stay as they are. */
struct rails *rails_free(struct rails *rails);
DEFINE_FREEP(struct rails, rails_free)

/* rails_fds: what to watch for rails_dispatch(). */
#define RAILS_FDS 3
void rails_fds(const struct rails *rails, int ret[static RAILS_FDS]);
uint64_t rails_deadline(const struct rails *rails);
/* rails_dispatch: reads what the kernel and the network say. 0, or -errno: nothing more can be
 * expected of it. */
int rails_dispatch(struct rails *rails, uint64_t now);
/* rails_step: draws the conclusions; its events are popped behind. */
void rails_step(struct rails *rails, uint64_t now);
bool rails_pop_event(struct rails *rails, struct rails_event *ret);

/* rails_check_plan: an interface that the plan names and nothing will make: a cause, or RAILS_FATAL
 * if it is the only one. */
void rails_check_plan(struct rails *rails, uint64_t now);
/* rails_want: does the root need an RDMA port under the rail, and of which family is the server's
 * address (0: not known)? */
void rails_want(struct rails *rails, bool rdma, int family);
/* rails_retry_ports: the ports are looked at in the next rails_step(). */
void rails_retry_ports(struct rails *rails, uint64_t now);
/* rails_all_ready: each interface that ip= names is, and one at least; says what is missing. */
bool rails_all_ready(const struct rails *rails, uint64_t now);
/* rails_drivers_named: all modules of the plan were asked for; what is not there once they are
 * settled will not come. With rd.driver.post= interfaces are set up before, and no more. */
void rails_drivers_named(struct rails *rails, uint64_t now);
/* rails_keep: the root is mounted: nothing is taken off an interface any more. */
void rails_keep(struct rails *rails);
/* rails_close_verbs: before switch-root: an open verbs context would block removal of the netdev
 * under it. */
void rails_close_verbs(struct rails *rails);

/* The rails, and one by its interface (NULL: it is none). The pointers hold until rails_free(). */
const struct rail *rails_list(const struct rails *rails, size_t *ret_n);
const struct rail *rails_find(const struct rails *rails, int ifindex);
const char *rail_state_name(enum rail_state state);
/* rails_other_ready: is a rail other than this one (NULL: any) ready? */
bool rails_other_ready(const struct rails *rails, const struct rail *rail);
/* rails_failure: why a rail is lost or failed, and which; CAUSE_NONE: none is. */
enum cause rails_failure(const struct rails *rails, const char **ret_where);
/* rails_rdma_span: when RDMA ports were first seen, and ready; 0: not yet. */
void rails_rdma_span(const struct rails *rails, uint64_t *ret_begin, uint64_t *ret_end);
/* rails_rdma_impossible: no RDMA device is there, and none of the links of the plan can be made. */
bool rails_rdma_impossible(const struct rails *rails);
/* rails_node_number: the port GUID, or the interface's own address: the same in each boot, another
 * on each node. */
uint64_t rails_node_number(const struct rails *rails);

/* What the rails are made of, for those that read them: state, profiles, the target. */
struct links *rails_links(const struct rails *rails);
struct addresses *rails_addresses(const struct rails *rails);
struct fabric *rails_fabric(const struct rails *rails);

/* rails_resolve: begins to look a name up, instead of the asker's one before. 0 or -errno; the
 * answer is RAILS_RESOLVED. rails_resolve_all: addresses of the other family are wanted as well. */
int rails_resolve(struct rails *rails, enum rails_asker asker, const char *name, uint64_t limit,
	uint64_t now);
void rails_resolve_all(struct rails *rails, enum rails_asker asker);

/* rails_step_back: packets take every other rail first from now on. */
void rails_step_back(struct rails *rails, const struct rail *rail, uint64_t now);
/* rails_next: the server was not reached: a spare with carrier takes the static address. */
void rails_next(struct rails *rails, uint64_t now);
/* rails_set_roce: sets the plan's RoCE version for this rail's port, if it has one. */
void rails_set_roce(struct rails *rails, const struct rail *rail, uint64_t now);

/*
 * rails_blame: cause, with text, is the server's at where, reached over rail (NULL: not known). On
 * InfiniBand it is reported only after the subnet manager was seen alive, else the port's cause is.
 */
void rails_blame(struct rails *rails, const struct rail *rail, enum cause cause, const char *where,
	uint64_t now, const char *text);
/* rails_blame_now: reports what is still waiting for the subnet manager's answer. */
void rails_blame_now(struct rails *rails, uint64_t now);
/* rails_way_text: who does not answer on the link: the server or the gateway to it, and the
 * interface. */
void rails_way_text(const struct rails *rails, const struct inet_addr *server, char *buf,
	size_t size);
/* rails_path_text: text, then the interface, its MTU and the gateway of the route to the server. */
void rails_path_text(const struct rails *rails, const struct link_route *way, const char *text,
	char *buf, size_t size);
/* rails_no_route_text: what the interfaces have instead of a route. */
void rails_no_route_text(const struct rails *rails, char *buf, size_t size);
