/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot_private: the parts of the plan runner: boot.c (start, loop, end), stage.c (modules), rails.c
 * (interfaces and their ports), target.c (the root and its server), summary.c (state and phases).
 */
#pragma once

#include "address/address.h"
#include "root/block/block.h"
#include "boot.h"
#include "state/cmdline.h"
#include "base/env.h"
#include "fabric/fabric.h"
#include "handover/managers.h"
#include "state/running.h"
#include "state/state.h"
#include "link/link.h"
#include "base/loop.h"
#include "modules/modules.h"
#include "needs.h"
#include "report/plymouth.h"
#include "report/record.h"
#include "root/nfs/adopt.h"
#include "root/init/init_check.h"
#include "root/nfs/owner.h"
#include "root/nfs/root.h"
#include "report/tell/remember.h"
#include "report/tell/tell.h"
#include "root/walk.h"
#include "root/web/web.h"

#define RAILS_MAX ADDRESS_IFACES_MAX
#define PROGRESS_STEPS 8 /* steps of the web room that have bytes: 6 */

/* What an fd of the loop belongs to. */
enum tag { TAG_MODULES, TAG_FABRIC, TAG_LINKS, TAG_ADDRESSES, TAG_ROOT, TAG_TELL, TAG_CONSOLE, TAG_MAX };

enum rail_state {
	RAIL_ADDRESSING, /* waits for carrier and an address */
	RAIL_SPARE,	 /* up; its static address is another's until that one fails */
	RAIL_PORT,	 /* has an address; the RDMA port under it is not ready */
	RAIL_READY,	 /* the root can be reached over it */
	RAIL_LOST,	 /* was ready, lost carrier or lease */
	RAIL_FAILED,	 /* will not come */
	RAIL_STATE_MAX,
};

/* One way to the root: a netdev and, if the root wants RDMA, the port on it. */
struct rail {
	int ifindex;
	char name[IFNAMSIZ];
	const struct plan_ip *ip; /* NULL: plain DHCP */
	enum rail_state state;
	uint64_t guid;		  /* IPoIB: the port's; 0: no IPoIB */
	uint16_t pkey;		  /* IPoIB: the partition */
	char device[64];	  /* RDMA device, "" until known */
	unsigned port;
	bool configured;	  /* has an address */
	uint32_t metric;	  /* of its routes: the rail with the least carries what several could */
	enum cause cause;	  /* why it is lost or failed */
	uint64_t carrier, address, ready; /* first time of each, 0: not yet */
	uint64_t active;	  /* IPoIB: since when only the join is missing; 0: more is */
	uint64_t ask, bounce;	  /* IPoIB: when to ask for the group, to take it down and up */
	struct fabric_group group; /* IPoIB: what the SA said of the group */
	enum fabric_sm_state sm;  /* IPoIB: its subnet manager, as the last question found it */
	uint64_t sm_ask;	  /* IPoIB: not asked again before; NSEC_NEVER: the answer is on its way */
	bool capped;		  /* it was said that its MTU is smaller than asked for */
	uint64_t check_period;	  /* between looks at what nobody announces */
};

/* The modules of the plan, in the order of dracut: pre, hardware, post. */
enum stage {
	STAGE_PRE,	/* rd.driver.pre, each settled before hardware is looked at */
	STAGE_HARDWARE, /* cold plug and the protocols */
	STAGE_POST,	/* rd.driver.post was asked for */
	STAGE_MAX,
};

enum target_state {
	TARGET_UNKNOWN,	  /* server not known yet */
	TARGET_RESOLVING, /* its name is being looked up */
	TARGET_PROBING,	  /* its neighbour entry, or the gateway's */
	TARGET_NEAR,	  /* answers; the rest decides */
	TARGET_MOUNTING,  /* the room of the root's kind is at work */
	TARGET_PAUSE,	  /* something failed; server and path anew in a moment */
	TARGET_STATE_MAX,
};

/* How far each step of an image's transfer has come: only bytes beyond that are progress. */
struct progress {
	struct {
		const char *step;
		uint64_t best;
	} rows[PROGRESS_STEPS];
	size_t n;
	unsigned fresh; /* how often a step was allowed to begin again from nothing */
};

struct target {
	enum target_state state;
	const struct plan_nfs *nfs; /* the plan's, or that of spec */
	const struct plan_image *image; /* the same, when the root is an image */
	const struct plan_block *block; /* the same, when the root is on a block device */
	unsigned portal;	    /* which of its servers; modulo their number */
	unsigned rounds, attempts;  /* of the rooms before the one at work */
	struct block_refusals refusals; /* which of them not to ask again */
	unsigned ways;		    /* servers, or addresses of the server's name: they are tried without pauses between */
	struct walk walk;	    /* over the addresses of names */
	struct inet_addr told;	    /* the last one that the console has shown */
	char address[INET_ADDR_TEXT + IFNAMSIZ]; /* the server's at hand, as the block room was given it */
	struct root_spec *spec;	    /* from DHCP's root-path */
	char server[256];	    /* as written, or the address */
	char path[1024];
	struct inet_addr addr;
	unsigned turn;		    /* which rail's word counts: rises with each that led nowhere */
	uint64_t retry;		    /* next look-up or probe; NSEC_NEVER: none due */
	uint64_t began;		    /* of the first mount */
	uint64_t turn_since;	    /* since when it is this rail's turn; 0: none's yet */
	enum cause cause;	    /* what the last attempt failed of, CAUSE_NONE: none has; where, and why in words */
	char where[REPORT_NAME_MAX], why[REPORT_TEXT_MAX];
	uint64_t path_told;	    /* a hash of the root-path that the console has shown */
	struct progress progress;   /* of an image */
	int ifindex;		    /* of the rail under the mount; 0: none */
	bool no_rdma;		    /* RDMA cannot be had and TCP is allowed */
};

/* Whose name the resolver is looking up: it takes one at a time. */
enum lookup { LOOKUP_NONE, LOOKUP_TARGET, LOOKUP_TELLING };

/* A server that does not answer over an InfiniBand rail: its cause waits until the subnet manager is known to live. */
struct blame {
	int ifindex; /* of the rail; 0: nothing waits */
	enum cause cause;
	char where[REPORT_NAME_MAX], text[REPORT_TEXT_MAX];
};

/* What was told already. */
struct telling {
	struct tell *tell;   /* NULL: nobody wants to know */
	size_t causes;
	enum cause wait;
	char where[REPORT_NAME_MAX];
	uint64_t end;	     /* of the patience after a failure */
};

struct boot {
	const struct boot_args *args;
	struct env env;
	struct report *report;
	struct running run;
	struct cmdline cmdline;
	const struct boot_plan *plan;
	struct loop *loop;
	struct modules *modules;
	struct fabric *fabric;
	struct links *links;
	struct addresses *addresses;
	struct root *root;	  /* an NFS root at work */
	struct web *web;	  /* an image at work */
	struct block *block;	  /* a block device at work */
	int root_watched;	  /* fd of root, web or block in the loop, -1: none */
	enum stage stage;
	struct need needs[NEEDS_MAX];
	size_t n_needs;
	struct rail rails[RAILS_MAX];
	size_t n_rails;
	bool rails_full;	  /* and it was said */
	int parents[RAILS_MAX];	  /* ifindex of IPoIB interfaces that were given their children */
	size_t n_parents;
	bool ulps_requested;	  /* ib_ipoib and its like */
	uint64_t links_made;	  /* bit i: plan rdma_links[i] was tried */
	uint64_t links_failed;	  /* bit i: it cannot be made */
	uint64_t rdma_begin, rdma_end;
	int kmsg;		  /* /dev/kmsg or -1 */
	struct target target;
	struct blame blame;
	struct root_result adopted; /* the root an earlier agent mounted */
	struct web_result adopted_image;
	bool has_image;		    /* adopted_image is it */
	struct block_result adopted_block;
	bool has_block;		    /* adopted_block is it */
	struct managers managers;   /* of the real root */
	bool handed_over;	    /* they are known */
	uint64_t port_check;	  /* next look at the rails' ports; NSEC_NEVER: none due */
	uint64_t network_end, total_end;
	uint64_t root_up;	    /* when the root was mounted, 0: not yet */
	enum lookup lookup;
	struct telling telling;
	struct plymouth plymouth;
	struct remember *memory; /* of failures, over a reset; NULL: none is wanted */
	bool finished;
	bool hurried;		    /* RCU's grace periods are expedited */
	bool let_go;		    /* nobody waits for this process's end */
	enum cause cause;	    /* why it failed, and where */
	char where[REPORT_NAME_MAX];
	enum boot_outcome outcome;
};

/* boot_fail: ends the boot with a cause; later calls do nothing. */
void boot_fail(struct boot *b, enum cause cause, const char *where, uint64_t now, const char *text);

/* stage_begin: opens the modules room, asks for the modules and sends the first loads off. 0 or -errno. */
int stage_begin(struct boot *b, uint64_t now);
void stage_step(struct boot *b, uint64_t now);
bool stage_vital_loaded(const struct boot *b);
/* stage_need_image: asks for what an image needs to be mounted, once. */
void stage_need_image(struct boot *b);
/* stage_need_block: asks for what a block root needs, once; what is missing ends the boot. */
void stage_need_block(struct boot *b, const struct plan_block *block);
/* stage_settled: nothing is queued or loading any more. */
bool stage_settled(const struct boot *b);

/* rails: from netdevs to usable ways. */
void rails_step(struct boot *b, uint64_t now);
/* rails_failure: why a rail of the plan is lost or failed, and which; CAUSE_NONE: none is. */
enum cause rails_failure(const struct boot *b, const char **ret_where);
struct rail *rails_find(struct boot *b, int ifindex);
const char *rail_state_name(enum rail_state state);
void rail_set_state(struct boot *b, struct rail *r, enum rail_state to, uint64_t now);
/* rails_step_back: packets shall take every other rail first. */
void rails_step_back(struct boot *b, struct rail *rail, uint64_t now);
/* rails_other_ready: is a rail other than this one ready? */
bool rails_other_ready(const struct boot *b, const struct rail *rail);
/* rails_next: the way to the server led nowhere: a spare with carrier takes the static address. */
void rails_next(struct boot *b, uint64_t now);

/* rail_ports: the ports under the rails. rail_ports_step: looks at them when port_check is due. */
void rail_ports_step(struct boot *b, uint64_t now);
/* rail_take_group: the SA's answer about a broadcast group. */
void rail_take_group(struct boot *b, const struct fabric_event *ev, uint64_t now);
/* rail_fabric_port: the port of this rail, an ACTIVE one is preferred; NULL: there is none. */
const struct fabric_port *rail_fabric_port(const struct boot *b, const struct rail *rail);

/*
 * rail_blame: why nothing answers. rail_blame: cause, with text, is the server's at where, reached over rail (NULL: not
 * known); on InfiniBand it is reported only after the subnet manager gave a sign of life, else the port's cause is.
 */
void rail_blame(struct boot *b, const struct rail *rail, enum cause cause, const char *where, uint64_t now, const char *text);
/* rail_blame_now: reports what still waits for an answer. */
void rail_blame_now(struct boot *b, uint64_t now);
/* rail_doubt: nothing answers over an InfiniBand rail: its subnet manager is asked. True: the answer is on its way. */
bool rail_doubt(struct boot *b, struct rail *rail, uint64_t now);
/* rail_take_sm: the subnet manager's answer, or that there was none. */
void rail_take_sm(struct boot *b, const struct fabric_event *ev, uint64_t now);
/* rail_sm_wait: a rail whose subnet manager is silent: says so, asks again. Returns when to look again. */
uint64_t rail_sm_wait(struct boot *b, struct rail *rail, uint64_t now);
/* rail_hindered: the address is not there yet; where the fabric is the reason, that is what is waited for. */
void rail_hindered(struct boot *b, struct rail *rail, enum cause cause, const char *text, uint64_t now);
/* rail_way_text: who does not answer on the link: the server or the gateway to it, and the interface. */
void rail_way_text(struct boot *b, const struct inet_addr *server, char *buf, size_t size);
/* rail_path_text: text, then the interface and the gateway that lead to the server. */
void rail_path_text(struct boot *b, const struct link_route *way, const char *text, char *buf, size_t size);
/* rail_no_route_text: what the interfaces have instead of a route. */
void rail_no_route_text(struct boot *b, char *buf, size_t size);
/* rail_allowed: do rd.ib.port= and rd.ib.guid= let this interface be a rail? */
bool rail_allowed(const struct boot *b, const struct netdev *dev);
/* rail_port_seen: is one of the ports that rd.ib.port= and rd.ib.guid= name there? */
bool rail_port_seen(const struct boot *b);
/* rail_wants_rdma: does the root at hand need an RDMA port under the rail? */
bool rail_wants_rdma(const struct boot *b);
/* rail_set_roce: sets the RoCE version of the plan for this rail's port, if it has one. */
void rail_set_roce(struct boot *b, const struct rail *rail, uint64_t now);

/* ipoib: what is special about IPoIB interfaces. */
bool ipoib_is_child(const struct netdev *dev);
/* ipoib_child_wanted: is this child of the plan's partitions? */
bool ipoib_child_wanted(const struct boot *b, const struct netdev *dev);
/* ipoib_replaced: partition children stand for this interface. */
bool ipoib_replaced(const struct boot *b, const struct netdev *dev);
/* ipoib_has_children: ipoib_make_children() was here; it is called once for a parent. */
bool ipoib_has_children(const struct boot *b, const struct netdev *parent);
void ipoib_make_children(struct boot *b, const struct netdev *parent, uint64_t now);
/* ipoib_prepare: mode and umcast, before the interface is up. */
void ipoib_prepare(struct boot *b, const struct netdev *dev, uint64_t now);
void ipoib_request_modules(struct boot *b, uint64_t now);

/* made_links_check: an interface of ip= or bootdev= that nothing will make: ends the boot where it is the only one. */
void made_links_check(struct boot *b, uint64_t now);

/*
 * soft_links: makes the rd.rdma.link= devices whose netdev and driver are there. Returns whether it did: the
 * kernel took its time, so the caller's idea of now is old.
 */
bool soft_links_step(struct boot *b, uint64_t now);
/* soft_links_request: asks for the drivers of links whose type only an alias names. */
void soft_links_request(struct boot *b, uint64_t now);

/* target: from a usable rail to the mounted root. */
void target_step(struct boot *b, uint64_t now);
void target_resolved(struct boot *b, const struct address_event *ev, uint64_t now);
/* target_network_changed: a rail has a new address: what failed for want of a way is tried again at once. */
void target_network_changed(struct boot *b, uint64_t now);
void target_neighbour(struct boot *b, const struct link_event *ev, uint64_t now);
/* target_rail_lost: what went over that rail begins anew over the next. */
void target_rail_lost(struct boot *b, const struct rail *rail, uint64_t now);
/* target_failure: why the last attempt failed, and where; CAUSE_NONE: none did. */
enum cause target_failure(const struct boot *b, const char **ret_where, const char **ret_text);
void target_done(struct target *t);
/* target_mounting: a room is at work, over that rail (NULL: the kernel chooses). target_up: the root is mounted. */
void target_mounting(struct boot *b, const struct rail *rail, uint64_t now);
void target_up(struct boot *b, uint64_t now);
/* target_failed: an attempt failed, of whatever kind: it is said, and another rail may get its turn (the room is gone then). */
void target_failed(struct boot *b, enum cause cause, const char *text, uint64_t now);
/* target_note: what target_failure() tells from now on. */
void target_note(struct boot *b, enum cause cause, const char *at, const char *text);
/* target_name: kind, server and path of the root, from the command line and the leases. False: nothing names it yet, that is said. */
bool target_name(struct boot *b, uint64_t now);
/* target_wait: what the root waits for, unless something has failed before: that is shown until the root is there. */
void target_wait(struct boot *b, enum cause cause, uint64_t now, const char *fmt, ...) _printf_(4, 5);
/* target_modules_loaded: are the plan's modules there? If not, that is what is waited for. */
bool target_modules_loaded(struct boot *b, uint64_t now);
/* target_next_address: which of the addresses found for a name, at least one, is asked now. */
const struct inet_addr *target_next_address(struct boot *b, const char *name, const struct address_event *ev, uint64_t now);
/* target_forget: back to what the command line alone says of the root. */
void target_forget(struct boot *b);

/*
 * target_proof: may the root that was just named become the root? error: of reading its name. False: the boot was ended with
 * the cause; nobody was asked yet.
 */
bool target_may_be(struct boot *b, int error, const char *where, uint64_t now);

/* target_web: the same for a root that is an image: its name is known, the rails' turn, names, what it has come to. */
void target_web_named(struct boot *b);
void target_web_begin(struct boot *b, uint64_t now);
void target_web_resolved(struct boot *b, const struct address_event *ev, uint64_t now);
void target_web_step(struct boot *b, uint64_t now);

/* target_portal: the server of a block root whose turn it is; NULL: SRP over InfiniBand, which has no address. */
const struct plan_portal *target_portal(const struct boot *b);
/* target_begin_again: server and path anew. */
void target_begin_again(struct boot *b, uint64_t now);
/* target_address_text: the server's address as the kernel wants it. */
const char *target_address_text(struct boot *b, char text[static INET_ADDR_TEXT + IFNAMSIZ]);
/* target_judge_rdma: ends the boot, or falls back as allowed, when there can be no RDMA for a root that wants it. */
void target_judge_rdma(struct boot *b, uint64_t now);
/* target_node_number: the port GUID, or the interface's own address: the same in each boot, another on each node. */
uint64_t target_node_number(const struct boot *b);

/* target_block: the same for a block device: its turn begins over this rail, what it has come to. */
void target_block_named(struct boot *b);
/* target_block_next: the turn of the next of its servers, but those that refused for good. */
void target_block_next(struct boot *b);
void target_block_begin(struct boot *b, const struct rail *rail, uint64_t now);
void target_block_step(struct boot *b, uint64_t now);

/* target_nfs: the same for an NFS root. */
void target_nfs_begin(struct boot *b, const struct rail *rail, uint64_t now);
void target_nfs_step(struct boot *b, uint64_t now);

/*
 * rail_profiles_write: profiles in /run for the real root's network manager, rules for its udev; see handover/profiles.h. false: the
 * mounted root did not answer within rd.timeout, or 180 s.
 */
bool rail_profiles_write(struct boot *b, uint64_t now);

/* boot_root_ifindex: the interface the root is reached over; 0 when there is no root. */
int boot_root_ifindex(struct boot *b);

/* telling: to those that rd.report= names. telling_begin: nothing is sent before telling_up(): an address is there. */
void telling_begin(struct boot *b, uint64_t now);
void telling_up(struct boot *b, uint64_t now);
uint64_t telling_deadline(const struct boot *b);
/* telling_dispatch: a connection can go on (ready), or it is time to try one. */
void telling_dispatch(struct boot *b, bool ready, uint64_t now);
/* telling_step: new causes, names to be looked up. telling_wait: what is waited for was just shown. */
void telling_step(struct boot *b, uint64_t now);
void telling_wait(struct boot *b, uint64_t now);
void telling_resolved(struct boot *b, const struct address_event *ev, uint64_t now);
/* telling_last: the last message; only a boot that failed waits, 2 s at most, until it is gone. */
void telling_last(struct boot *b, uint64_t now);
/* telling_state: state.json, once the rooms are closed; a boot that failed waits for what is left of these 2 s. */
void telling_state(struct boot *b, uint64_t now);

/* telling_before: an earlier boot failed, perhaps because nobody could be told. */
void telling_before(struct boot *b, const struct failure *f, uint64_t now);

/* last_failure: begins to look for that of an earlier boot; says it when it is known; keeps or forgets one at the end. */
void last_failure_begin(struct boot *b, uint64_t now);
void last_failure_step(struct boot *b, uint64_t now);
void last_failure_end(struct boot *b, uint64_t now);
/* last_failure_idle: is there nothing (more) to be waited for? */
bool last_failure_idle(struct boot *b, uint64_t now);

/* summary: state.json and the phase table. outcome is "running", "done" or "failed". */
int summary_write(struct boot *b, const char *outcome, uint64_t now);
void summary_phases(struct boot *b, uint64_t now);
