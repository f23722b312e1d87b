/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * private: struct rails, which rails/ alone sees, and its parts, each on those before it: rows.c,
 * ipoib_child.c, naming.c, stack.c, soft_link.c, blame.c, port.c, rail.c (from netdev to
 * address), missing.c, rails.c (life, reading).
 */
#pragma once

#include <poll.h>

#include "base/env.h"
#include "rails/rails.h"
#include "report/record.h"
#include "report/report.h"

/* The steps before the next rails_pop_event() make no more than these; what comes in is left where
 * it is. */
#define RAILS_EVENTS (2 * RAILS_LIMIT)

/* A server that does not answer over an InfiniBand rail: its cause waits until the subnet manager
 * is known to be alive. */
struct blame {
	int ifindex; /* of the rail; 0: nothing waits */
	enum cause cause;
	char where[REPORT_NAME_MAX], text[REPORT_TEXT_MAX];
};

struct rails {
	struct rails_config cfg;
	struct env env;
	struct report *report;
	const struct boot_plan *plan;
	struct links *links;
	struct addresses *addresses;
	struct fabric *fabric;
	struct rail rows[RAILS_LIMIT];
	size_t n;
	size_t spare_turn;	  /* where rails_next() looks first */
	bool full;		  /* and it was logged */
	/* ifindex of IPoIB interfaces that were given their children */
	int parents[RAILS_LIMIT];
	size_t n_parents;
	bool ulps_requested;	  /* ib_ipoib and its like */
	uint64_t links_made;	  /* bit i: plan rdma_links[i] was tried */
	uint64_t links_failed;	  /* bit i: it cannot be made */
	uint64_t stack_tried;	  /* bit i: plan links[i] was made, adopted or refused */
	uint64_t stack_active;	  /* bit i: its active_slave= was set, or refused */
	int refused[RAILS_LIMIT]; /* ifindex of what could not become a part of one */
	size_t n_refused;
	/* whose driver was busy: since when, when it is asked again; 0: may be asked; alone: it is
	 * no part of a VLAN, bond or bridge */
	struct busy {
		int ifindex;
		bool alone;
		uint64_t since, again;
	} busy[RAILS_LIMIT];
	size_t n_busy;
	uint64_t rdma_begin, rdma_end;
	uint64_t port_check;	  /* next look at the rails' ports; NSEC_NEVER: none due */
	bool wants_rdma;
	int family;		  /* of the server's address */
	bool drivers_named, kept;
	struct blame blame;
	struct rails_event events[RAILS_EVENTS];
	size_t first, n_events;
};

/* rows.c. rails_emit: queues an event; the caller fills it. */
struct rails_event *rails_emit(struct rails *rails, enum rails_event_type type, int ifindex);
/* rails_room: may two more events be queued? */
bool rails_room(const struct rails *rails);
struct rail *rails_row(struct rails *rails, int ifindex);
void rail_set_state(struct rails *rails, struct rail *r, enum rail_state to, uint64_t now);
/* rail_refused: reports what the kernel said when it refused a setting of the interface. */
void rail_refused(const struct rails *rails, const char *name, uint64_t now);
/* rail_gone: the rail is of no use any more: RAILS_LOST. */
void rail_gone(struct rails *rails, const struct rail *rail);

/* naming.c. naming_wanted: the name that ifname= gives dev, or by which an option calls it and
 * udev would; false: none, or it bears it already.
 * naming_is_others: does dev bear a name that ifname= gives to another address? naming_give_up:
 * renames it; the change comes back as an event. naming_find: what the command line means by name;
 * NULL: it is not there. naming_link: the option that makes this interface; NULL: none, or a
 * team. */
bool naming_wanted(const struct rails *rails, const struct netdev *dev, char ret[static IFNAMSIZ]);
bool naming_is_others(const struct rails *rails, const struct netdev *dev);
const struct netdev *naming_find(const struct rails *rails, const char *name);
const struct plan_link *naming_link(const struct rails *rails, const char *name);
void naming_give_up(struct rails *rails, const struct netdev *dev, uint64_t now);

/* rail.c: from netdevs to rails with addresses. */
void rail_link_event(struct rails *rails, const struct link_event *ev, uint64_t now);
void rail_address_event(struct rails *rails, const struct address_event *ev, uint64_t now);
/* rail_reconsider: what the ports are decides which interfaces are rails: those that are none are
 * looked at again. */
void rail_reconsider(struct rails *rails, uint64_t now);

/* port.c: the ports under the rails. rail_fabric_port: that of one, of its address if it has one;
 * NULL: there is none. rail_ports_step: looks at them when port_check is due. rail_refresh_pkey: of
 * an IPoIB rail, its partition. */
void rail_ports_step(struct rails *rails, uint64_t now);
void rail_refresh_pkey(const struct rails *rails, struct rail *rail);
const struct fabric_port *rail_fabric_port(const struct rails *rails, const struct rail *rail);
/* rail_take_group: the SA's answer about a broadcast group. */
void rail_take_group(struct rails *rails, const struct fabric_event *ev, uint64_t now);
/* rail_allowed: do rd.ib.port= and rd.ib.guid= let this interface be a rail? rail_port_seen: is one
 * of their ports there? */
bool rail_allowed(const struct rails *rails, const struct netdev *dev);
bool rail_port_seen(const struct rails *rails);

/* blame.c. rail_take_sm: the subnet manager's answer, or that there was none. */
void rail_take_sm(struct rails *rails, const struct fabric_event *ev, uint64_t now);
/* rail_blame_port: reports the trouble of an IPoIB rail's port, or of its subnet manager, as the
 * cause, instead of what that led to; returns it. CAUSE_NONE: there is none. */
enum cause rail_blame_port(struct rails *rails, const struct rail *rail, uint64_t now);
/* rail_sm_wait: a rail whose subnet manager is silent: reports the wait, asks again. Returns when
 * to look again. */
uint64_t rail_sm_wait(struct rails *rails, struct rail *rail, uint64_t now);
/* rail_hindered: the address is not there yet; where the fabric is the reason, that is what is
 * waited for. */
void rail_hindered(struct rails *rails, struct rail *rail, enum cause cause, const char *text,
	uint64_t now);

/* ipoib_child.c: what is special about IPoIB interfaces. */
/* ipoib_child_wanted: is this child of the plan's partitions? */
bool ipoib_child_wanted(const struct rails *rails, const struct netdev *dev);
/* ipoib_is_parent: partition children are used beside this interface; ipoib_replaced: instead
 * of it. */
bool ipoib_is_parent(const struct rails *rails, const struct netdev *dev);
bool ipoib_replaced(const struct rails *rails, const struct netdev *dev);
/* ipoib_moved: the rail's interface, which carried the plan's partition, is in another one now, and
 * gives way to its children. */
bool ipoib_moved(struct rails *rails, struct rail *rail, uint64_t now);
/* ipoib_has_children: ipoib_make_children() was here; it is called once for a parent. */
bool ipoib_has_children(const struct rails *rails, const struct netdev *parent);
void ipoib_make_children(struct rails *rails, const struct netdev *parent, uint64_t now);
/* ipoib_prepare: mode and umcast, before the interface is up. */
void ipoib_prepare(struct rails *rails, const struct netdev *dev, uint64_t now);
void ipoib_request_modules(struct rails *rails, uint64_t now);

/* stack.c. stack_step: makes and joins what can be. stack_gone: one that was made is not there any
 * more. */
void stack_step(struct rails *rails, uint64_t now);
/* stack_set_up: an interface that has no address of its own; again while its driver is busy. */
void stack_set_up(struct rails *rails, int ifindex, const char *name, uint64_t now);
/* stack_deadline: of the next step that no event announces. */
uint64_t stack_deadline(const struct rails *rails);
void stack_gone(struct rails *rails, const char *name);
/* stack_carries: is it below one that is made? */
bool stack_carries(const struct rails *rails, const char *name);
/* stack_below: what is below it, directly or not; their number. */
#define STACK_BELOW_MAX 32
size_t stack_below(const struct rails *rails, const char *name,
	const struct netdev *ret[static STACK_BELOW_MAX]);
/* rail_is_port: is the port this rail's? rail_port_of: that port, an ACTIVE one is preferred, and
 * of these one with the GID of addr (NULL: any); NULL: there is none. */
bool rail_is_port(const struct rails *rails, const struct fabric_port *port,
	const struct rail *rail);
const struct fabric_port *rail_port_of(const struct rails *rails, const struct rail *rail,
	const struct inet_addr *addr);
/* stack_matches: as netdev_matches(); the address of what is below means the topmost one. */
bool stack_matches(const struct rails *rails, const struct netdev *dev, const struct hw_addr *hw);
/* stack_silence: CAUSE_VLAN_SILENT and its text if the rail is, or is on, a VLAN that has received
 * nothing for a while; else CAUSE_NONE. */
enum cause stack_silence(const struct rails *rails, const struct rail *rail, char *buf,
	size_t size, uint64_t now);
/* stack_hindrance: adds to buf, which says why there is no address, what is known of the VLAN, bond
 * or bridge; returns the better cause. */
enum cause stack_hindrance(const struct rails *rails, const struct rail *rail, enum cause cause,
	char *buf, size_t size, uint64_t now);
/* stack_partner_wait: a bond has no LACP partner: uses it without one after
 * rd.net.timeout.carrier=. Returns when to call it again; NSEC_NEVER: it did. */
uint64_t stack_partner_wait(struct rails *rails, struct rail *rail, uint64_t now);
/* stack_ready: false: a bond or bridge of the plan without any part yet. */
bool stack_ready(const struct rails *rails, const struct netdev *dev);

/* missing.c. rails_missing_step: while there is no rail: reports what is missing, and what there
 * is instead. */
void rails_missing_step(struct rails *rails, uint64_t now);

/*
 * soft_link.c: makes the rd.rdma.link= devices whose netdev and driver are there. Returns whether
 * it did: the kernel took its time, so the caller's idea of now is old.
 */
bool soft_links_step(struct rails *rails, uint64_t now);
