/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * private: struct target, which root/ alone sees, and its parts, each on those before it:
 * target_state.c, turn.c (who is blamed, whose turn comes), work.c (the source at work),
 * target_proof.c, target_name.c, target.c (the steps).
 */
#pragma once

#include "root/target.h"
#include "root/walk.h"
#include "root_spec.h"

#define PROGRESS_STEPS 8 /* steps of a transfer that have bytes: 7 */
#define TARGET_EVENTS  8
#define TARGET_RESOLVE_LIMIT (10 * NSEC_PER_SEC)

enum target_state {
	TARGET_UNKNOWN,	  /* server not known yet */
	TARGET_RESOLVING, /* its name is being looked up */
	TARGET_PROBING,	  /* its neighbour entry, or the gateway's */
	TARGET_NEAR,	  /* answers; modules and rail decide */
	TARGET_AT_WORK,	  /* the source is */
	TARGET_PAUSE,	  /* something failed; server and path are named again in a moment */
	TARGET_STATE_MAX,
};

/* How far each step of a transfer has come: only bytes beyond that are progress. */
struct progress {
	struct {
		const char *step;
		uint64_t best;
	} rows[PROGRESS_STEPS];
	size_t n;
	unsigned restarts; /* how often a step was allowed to begin again from nothing */
	uint64_t fresh;	   /* bytes since target_fresh_bytes() */
};

/* What the last attempt failed of; CAUSE_NONE: none has. */
struct target_failure {
	enum cause cause;
	char where[REPORT_NAME_MAX], text[REPORT_TEXT_MAX];
};

struct target {
	struct target_config cfg;
	struct report *report;
	enum target_state state;
	struct root_choice choice;
	const struct source_ops *ops; /* of the choice; NULL: not known */
	struct source *source;	      /* at work, or adopted; NULL: none */
	struct source_server server;
	unsigned server_turn;	      /* which of its servers; modulo their number */
	unsigned rail_turn;	      /* which rail's lease counts: rises with each that failed */
	uint64_t rail_since;	      /* since when it is this rail's turn; 0: no rail's yet */
	unsigned rail_failures;	      /* attempts that failed since */
	unsigned rounds, attempts;    /* of the sources before the one at work */
	struct inet_addr unread;      /* as the source's */
	/* servers, or addresses of the server's name: tried without pauses between */
	unsigned ways;
	struct source_refusals refusals;
	struct walk walk;	      /* over the addresses of names */
	struct inet_addr shown;	      /* the last one that the console has shown */
	char address[INET_ADDR_TEXT + IFNAMSIZ]; /* the server's, as the source was given it */
	struct root_spec *spec;	      /* from DHCP's root-path */
	uint64_t path_shown;	      /* a hash of the root-path that the console has shown */
	uint64_t retry;		      /* next look-up or probe; NSEC_NEVER: none due */
	uint64_t began;		      /* of the first mount */
	int ifindex;		      /* of the rail under the source; 0: none */
	bool no_rdma;		      /* RDMA cannot be had and TCP is allowed */
	bool ended;		      /* mounted, or TARGET_FAILED was emitted */
	struct target_failure failure;
	struct progress progress;
	unsigned asked;		      /* attempts of the source whose way was looked up */
	struct target_event events[TARGET_EVENTS];
	size_t n_events;
};

/* target_state.c. target_emit: queues an event. target_end: TARGET_FAILED; later calls do
 * nothing. */
void target_emit(struct target *t, enum target_event_type type);
void target_end(struct target *t, enum cause cause, const char *where, const char *text);
/* target_forget: back to what the command line alone says of the root. target_begin_again: and to
 * its first step. */
void target_forget(struct target *t);
void target_begin_again(struct target *t, uint64_t now);
/* target_end_source: what is mounted stays. */
void target_end_source(struct target *t);
void target_set_state(struct target *t, enum target_state to, uint64_t now);
/* target_choose: the root is this kind, with the parts of the plan or of a lease (NULL: what a kind
 * means without any). */
void target_choose(struct target *t, enum plan_root_kind kind, const struct plan_nfs *nfs,
	const struct plan_image *image, const struct plan_block *block);

/* target_wait: what the root waits for, unless something has failed before: that is shown until the
 * root is there. */
void target_wait(struct target *t, enum cause cause, uint64_t now, const char *fmt,
	...) _printf_(4, 5);
/* target_note: what target_failure() tells from now on. */
void target_note(struct target *t, enum cause cause, const char *where, const char *text);

/* target_carrier_rail: the rail a packet to the server would take; NULL while there is none. */
const struct rail *target_carrier_rail(const struct target *t);
/* work.c: lets a source begin over rail; takes what it has to say. */
void target_begin_source(struct target *t, const struct rail *rail, uint64_t now);
void target_step_source(struct target *t, uint64_t now);
/* target_look_up: as rails_resolve(). */
int target_look_up(const struct target *t, const char *name, uint64_t now);
/* target_add_address: "(asked at ADDRESS)" unless text has it: a name does not tell which of its
 * addresses was asked. */
void target_add_address(const struct target *t, char text[static REPORT_TEXT_MAX]);

/* turn.c. target_failed: an attempt failed: it is reported, and another rail may get its turn (the
 * source is gone then). */
void target_failed(struct target *t, enum cause cause, const char *text, uint64_t now);
/* target_silent: the same while the server is looked for, which goes on in any case. */
void target_silent(struct target *t, const char *text, uint64_t now);
/* target_next_turn: server and path again, from the rails in another order; a spare takes the
 * static address. */
void target_next_turn(struct target *t, uint64_t now);
/* target_next_address: which of the addresses found for a name, at least one, is asked now. */
const struct inet_addr *target_next_address(struct target *t, const char *name,
	const struct address_event *ev, uint64_t now);
/* target_judge_rdma: ends the boot, or falls back as allowed, when there can be no RDMA for a root
 * that needs it. */
void target_judge_rdma(struct target *t, const struct target_modules *modules, uint64_t now);

/* target_name.c: kind, server and path of the root, from command line and leases. False: nothing
 * names it yet, that is reported. */
bool target_name(struct target *t, uint64_t now);

/*
 * target_proof.c: may the root that was just named become the root? error: of reading its name.
 * False: no server was asked yet; the cause was told, and where the command line names the root,
 * the target has ended with it.
 */
bool target_may_be(struct target *t, int error, const char *where, uint64_t now);
