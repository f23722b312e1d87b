/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source: what every kind of root is to the target: one row of functions (root/sources.c has the
 * table), and what their objects have in common (source.c). It owns what is queued and known of the
 * kind at work (struct source): events, failure, worker.
 * In: what the command line or a lease names, the server whose turn it is, the rail it is reached
 * over. Out: events, and in the end what was mounted.
 * Callers: root/ (target.c) calls the row; root/block/, root/nfs/, root/web/ and root/wwinit/ have
 * one each; root/extensions/ calls that of root/web/; state/ and doctor/ read. Tests: with each
 * kind, and boot/test_target.c for their common way.
 *
 * A new kind of root is a folder with one such row, and its name in the table.
 */
#pragma once

#include "base/json_object.h"
#include "plan.h"
#include "rails/rails.h"
#include "report/record.h"
#include "report/report.h"

/* A kernel module, and what cannot be done without it. */
struct need {
	const char *module;
	bool vital;	 /* the boot cannot succeed without it */
	const char *why; /* for messages */
};

#define NEEDS_MAX 16
#define SOURCE_SITE_MAX 300

/* The root as the command line or a lease names it. Only the part of its kind is there. */
struct root_choice {
	enum plan_root_kind kind;
	const struct plan_nfs *nfs;
	const struct plan_image *image;
	const struct plan_block *block;
	const struct plan_wwinit *wwinit; /* with image, its server's URL */
};

/* What a lease and the plan add to a choice that leaves it open. */
struct source_hint {
	const struct inet_addr *server; /* ip= peer, next-server or server identifier; NULL: none */
	const char *host;		/* for "%s" in a path: the host name, or the address */
};

/* The server whose turn it is. */
struct source_server {
	char name[256];	       /* as written, or the address; what causes are about */
	char path[1024];
	struct inet_addr addr; /* family 0: name has to be looked up */
	const char *zone;      /* the interface it is reached over; NULL: the one with the route */
	unsigned servers;      /* so many are named; 1 or more */
	/* its answer on the link, and the rail with the route to it, come first */
	bool neighbour;
};

/*
 * Which of the named servers failed in a way that trying again cannot help, and what the last of
 * them said. Servers beyond the 64th are asked again and again.
 */
struct source_refusals {
	uint64_t servers; /* bit: index */
	char text[REPORT_TEXT_MAX];
};

static inline bool source_refused(const struct source_refusals *r, size_t server)
{
	return r && server < 64 && r->servers & UINT64_C(1) << server;
}

struct root_ops;
struct block_ops;
struct worker_task;
struct image_layer;

/* Everything borrowed until end(). */
struct source_config {
	const struct env *env;
	const struct boot_plan *plan;
	const struct root_choice *choice;
	struct rails *rails;
	const struct rail *rail; /* NULL: any */
	const char *sysroot;	 /* where to mount */
	const char *init;	 /* wanted init or NULL */
	bool readonly;
	/* a writable layer in memory over the root, which is only read; NULL: none */
	const struct plan_overlay *overlay;
	const struct source_server *server;
	const char *address;	 /* numeric, a link-local one with its interface; "" not known */
	unsigned turn;		 /* which of the servers */
	unsigned rounds, attempts; /* before this one, with other servers or addresses */
	/* servers, or addresses of a name, 1 or more: there is a pause only after so many
	 * failures */
	unsigned ways;
	struct inet_addr unread; /* as the source's, of the one before */
	bool no_rdma;		 /* RDMA cannot be had and TCP is allowed */
	struct source_refusals *refusals;
	/* what the process that mounted the root may go on with, see target_reader(); NULL: it
	 * ends */
	const struct worker_task *reader;
	/* of an image that is no root: as what it is unpacked at sysroot; NULL: it is one */
	const struct image_layer *layer;
	const struct root_ops *nfs;	 /* seams for tests; NULL in the product */
	const struct block_ops *block;
};

/* In the order they are popped. */
enum source_event {
	SOURCE_NONE,
	SOURCE_LOOKUP,	/* find an address for lookup() and call resolved() */
	SOURCE_MODULE,	/* load module() and call module_settled(), loaded or not */
	SOURCE_STEP,	/* describe() has something new to say */
	SOURCE_FAILED,	/* an attempt failed; it goes on by itself, or SOURCE_AGAIN follows */
	SOURCE_MOUNTED, /* text says what */
	/* the pause is over: end() and begin() again, with the next server or address */
	SOURCE_AGAIN,
	SOURCE_FATAL,	/* trying again cannot help, with any of the servers */
	SOURCE_EVENT_MAX,
};

/* What the object of each kind begins with. The kind writes it, the target reads it. */
struct source {
	unsigned events;	  /* bit: enum source_event, not yet popped */
	enum cause cause;	  /* of the last failure */
	char text[REPORT_TEXT_MAX]; /* of the last failure; once mounted, what is */
	unsigned rounds, attempts; /* so far, those of earlier ones included */
	uint64_t deadline;	  /* of the state, NSEC_NEVER: none */
	struct worker *worker;	  /* the process at work; NULL: none */
	struct worker *reader;	  /* it, once it has mounted the root and goes on; NULL: none */
	/* Of what was mounted, for the console, the hand-over and state.json. */
	const void *record;	  /* as source_ops.fields has it */
	const char *init;
	struct inet_addr server;  /* family 0: not known, or not needed any more */
	struct inet_addr unread;  /* of NFS: its replies to reads were lost; family 0: none's */
	unsigned addresses;	  /* that the name looked up last has */
	uint64_t phase_end;	  /* of source_ops.phase */
};

/* Of a transfer. */
struct source_progress {
	const char *step;	 /* "manifest", "image", "mounting" ...; static */
	char site[SOURCE_SITE_MAX]; /* the mirror at hand; "" none */
	uint64_t bytes, size;	 /* there (unpacked, when mounting), of all; size 0: not known */
	uint64_t rate, left;	 /* bytes a second; seconds, UINT64_MAX: not known */
	bool digest_slow;	 /* the rate is the digest's, not the network's */
	bool busy;		 /* with what is not the network's: rd.retry waits for it */
	unsigned attempts;
	struct inet_addr asked;	 /* the server at hand; family 0: a name's */
};

/* A line of /run/initagent/env, and the field of the record that it repeats. */
struct source_env {
	const char *name, *key;
};

struct source_ops {
	enum plan_root_kind kind;
	const char *phase; /* before the mount, "fetch" or "connect"; NULL: none */
	bool provable;	 /* keys and digests prove what it brings */
	/* looks names up and connects by itself, over whichever rail has the route; has
	 * progress() */
	bool asks_alone;
	/* once mounted, the agent's process may end without anything being closed */
	bool no_cleanup;

	/* The record as the member "root" of state.json; type: NULL: a field is that. */
	const char *type;
	const struct json_field *fields;
	size_t n_fields;
	const struct source_env *env; /* ends with a row without name */
	/* the file of note.h, which says what is mounted; without it the root is incomplete. NULL:
	 * the kernel tells it, and it is never incomplete */
	const char *note;

	/* needs: modules; their number. NULL: none. */
	size_t (*needs)(const struct root_choice *c, bool overlay,
		struct need ret[static NEEDS_MAX]);
	/* server: the server with that number; 0, or -errno: it is not named. */
	int (*server)(const struct root_choice *c, unsigned turn, const struct source_hint *hint,
		struct source_server *ret);
	/* next: the server after that one. NULL: there is one only. */
	unsigned (*next)(const struct root_choice *c, const struct source_refusals *r,
		unsigned turn);
	/* rdma_module: what the server needs to be reached over RDMA; NULL: nothing, it is asked
	 * otherwise. NULL: none is. */
	const char *(*rdma_module)(const struct root_choice *c, unsigned turn);
	/*
	 * without_rdma: RDMA cannot be had: another server's turn, or *ret_no_rdma. NULL, or why
	 * there is no other way.
	 */
	const char *(*without_rdma)(const struct root_choice *c, const struct source_refusals *r,
		unsigned *turn, bool *ret_no_rdma);

	/* adopt: an earlier agent mounted such a root: 1 with ret, to be ended; 0: it did not;
	 * -EBUSY: something else is mounted. */
	int (*adopt)(struct source **ret, const struct env *env, const char *sysroot,
		const char *init);
	/* begin: 0 or -errno. end: work under way is ended, s is freed; what is mounted stays. */
	int (*begin)(struct source **ret, const struct source_config *cfg, uint64_t now);
	void (*end)(struct source *s);
	/* fd: changes with each dispatch; -1: none right now. */
	int (*fd)(const struct source *s);
	uint64_t (*deadline)(const struct source *s);
	void (*dispatch)(struct source *s, uint64_t now);
	/* describe: what is going on. Returns the cause that the time is spent on; CAUSE_NONE: all
	 * is well. */
	enum cause (*describe)(const struct source *s, char *buf, size_t size);

	/* Where the kind has none of these: NULL. */
	const char *(*lookup)(const struct source *s);
	void (*resolved)(struct source *s, const struct inet_addr *addr, const char *why,
		uint64_t now);
	const char *(*module)(const struct source *s);
	void (*module_settled)(struct source *s, uint64_t now);
	/* way_lost: the interface under the transfer is of no use any more. */
	void (*way_lost)(struct source *s, uint64_t now);
	void (*progress)(const struct source *s, struct source_progress *ret);
};

extern const struct source_ops nfs_source, image_source, block_source, wwinit_source;

/* source_raise: queues an event, once. source_pop_event: the next one. */
void source_raise(struct source *s, enum source_event e);
enum source_event source_pop_event(struct source *s);
/* source_worker_fd, source_worker_deadline: of a kind that works in its worker alone. */
int source_worker_fd(const struct source *s);
uint64_t source_worker_deadline(const struct source *s);
/* source_back_off: the deadline of the pause after a failure; another: a server or address that was
 * not asked in this round has its turn, at once. */
void source_back_off(struct source *s, unsigned ways, bool another, uint64_t now);

/* source_go_on: the worker that mounted the root becomes the reader; without a task it ends. */
void source_go_on(struct source *s, const struct worker_task *task);

/* sources.c: the kinds of this build. source_of: NULL: not in this build, or none. */
const struct source_ops *source_of(enum plan_root_kind kind);
const struct source_ops *source_at(size_t i);
/* sources_claim: is this plan's root one that the agent brings up itself? Pure. */
bool sources_claim(const struct boot_plan *plan);
/* sources_needs: modules of the root that the plan names; of one that DHCP will name, those it
 * probably needs. Pure. */
size_t sources_needs(const struct plan_root *root, struct need ret[static NEEDS_MAX]);
