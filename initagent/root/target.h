/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target: from usable rails to the mounted root. It owns what the root is called, whose turn it is
 * (server, address, rail), and the source at work.
 * In: rails and what happens to them, whether the modules are there. Out: events, and the result
 * for state and hand-over.
 * Callers: boot/. Tests: test_progress.c, boot/test_target.c, boot/test_boot.c,
 * boot/test_boot_proof.c.
 */
#pragma once

#include "root/source/source.h"

struct target;

/* All borrowed. */
struct target_config {
	const struct env *env;
	const struct boot_plan *plan;
	const char *sysroot;
	struct rails *rails;
	struct modules *modules;
	const struct worker_task *reader; /* for target_reader(); NULL: none */
	const struct root_ops *nfs; /* the seam for tests; NULL in the product */
};

enum target_event_type {
	TARGET_NAMED,	 /* target_needs() has the modules that this root needs */
	TARGET_MOUNTING, /* a source has begun */
	TARGET_MOUNTED,
	TARGET_FAILED,	 /* trying again cannot help: cause, where, text */
};

struct target_event {
	enum target_event_type type;
	enum cause cause;
	char where[256];
	char text[REPORT_TEXT_MAX];
};

/* What the drivers say before each step. */
struct target_modules {
	bool vital_loaded; /* none that the root needs is still on its way */
	bool settled;	   /* none is, and no more will be asked for */
	const struct module_entry *failed; /* a needed one that failed; NULL: none did */
};

/* target_new: 0 or -ENOMEM. target_free: work under way is ended; what is mounted stays. */
int target_new(struct target **ret, const struct target_config *cfg);
struct target *target_free(struct target *t);
DEFINE_FREEP(struct target, target_free)

/* target_adopt: is the root mounted already? 1; 0: no. -EBUSY: something is that is no root, and
 * nothing here made it. */
int target_adopt(struct target *t, uint64_t now);

/* The fd changes with each dispatch: ask again after each; -1: none right now. */
int target_fd(const struct target *t);
uint64_t target_deadline(const struct target *t);
/* target_dispatch: ready: the fd is. */
void target_dispatch(struct target *t, bool ready, uint64_t now);
void target_step(struct target *t, const struct target_modules *modules, uint64_t now);
bool target_pop_event(struct target *t, struct target_event *ret);

/* What happened to the rails. */
void target_network_changed(struct target *t, uint64_t now);
void target_rail_lost(struct target *t, int ifindex, uint64_t now);
void target_neighbour(struct target *t, const struct link_event *ev, uint64_t now);
void target_resolved(struct target *t, const struct address_event *ev, uint64_t now);

/* target_needs: modules of the root at hand; their number. */
size_t target_needs(const struct target *t, struct need ret[static NEEDS_MAX]);
/* target_wants_rdma: does it need an RDMA port under the rail? target_family: of the server's
 * address, 0: not known. */
bool target_wants_rdma(const struct target *t);
int target_family(const struct target *t);
/* target_needs_rail: is a rail that is ready needed to blame the server? SRP over InfiniBand needs
 * none. */
bool target_needs_rail(const struct target *t);
/* target_fresh_bytes: bytes that came since the last call and were never there before. */
uint64_t target_fresh_bytes(struct target *t);

/* target_failure: why the last attempt failed, and where; CAUSE_NONE: none did. */
enum cause target_failure(const struct target *t, const char **ret_where, const char **ret_text);
/* target_began: of the first mount; 0: none yet. */
uint64_t target_began(const struct target *t);
/* target_ifindex: the interface the mounted root is reached over; 0: none, or not known. */
int target_ifindex(const struct target *t);
/*
 * target_reader: after TARGET_MOUNTED: the process that mounted the root and goes on with
 * target_config.reader. Now the caller's, who watches its fd no more as the target's. NULL: none.
 */
struct worker *target_reader(struct target *t);
/* target_source: the kind at work or adopted, with ret; NULL: none. */
const struct source_ops *target_source(const struct target *t, const struct source **ret);
