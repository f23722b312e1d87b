/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root: brings the NFS root to its mount point.
 * Owns: the worker that mounts, the walk over versions and transports.
 * In: server, address and options. Out: events, what was mounted.
 * Called by: nfs_source.c, as a row of root/sources.c.
 * Tests: test_root.c, test_adopt.c, tests-qemu/nfsrdma.bats.
 *
 * Each attempt runs in a child, because a mount can
 * block for minutes; in each round the room walks through versions and transports as the plan
 * allows; it says why an attempt failed, and when it is time for the next round. With which address
 * that is the owner decides.
 *
 * There is no kernel event that says "the server is up now", so between rounds it waits on a timer:
 * 0.25 s doubling to 4 s, with a quarter of jitter.
 *
 * With a writable layer the export is mounted read-only at /run/rootfsbase and the layer, in
 * memory, over it at the target (image/layers.h).
 */
#pragma once

#include "base/env.h"
#include "report/causes.h"
#include "root/nfs/nfs.h"

#define ROOT_INIT_MAX 256

struct root;
struct plan_overlay;
struct layers_result;

enum root_event {
	ROOT_EVENT_NONE,
	ROOT_EVENT_MOUNTED,
	ROOT_EVENT_FAILED, /* a round failed; ROOT_EVENT_AGAIN follows */
	/* the pause is over: root_start() again, or a new room with another address */
	ROOT_EVENT_AGAIN,
	ROOT_EVENT_FATAL,  /* trying again cannot help; the room stays stopped */
};

struct root_ops;

/* Strings are copied. */
struct root_config {
	const char *target;		   /* where to mount, e.g. "/sysroot" */
	const char *server, *address;	   /* name as written; numeric address */
	bool ipv6;
	const char *path, *options;
	enum nfs_version versions[NFS_VERSION_MAX];
	size_t n_versions;
	enum nfs_proto proto;
	bool fallback_tcp;		   /* RDMA may become TCP */
	uint16_t port;			   /* for proto; 0: default (RDMA: 20049) */
	bool readonly;
	/* a writable layer in memory over the export, which is only read; NULL: none. Not copied:
	 * must outlive the room */
	const struct plan_overlay *overlay;
	bool nolock;			   /* version 3: no lock manager */
	unsigned long mount_flags;	   /* of mount(2), without MS_RDONLY */
	const char *init;		   /* wanted init or NULL */
	/* before, with other addresses of the server, or other servers */
	unsigned rounds, attempts;
	/* so many of these are there: only after as many rounds there is a pause; 0: as 1 */
	unsigned ways;
	/* The seam for tests; NULL: nfs_mount, init_check, layers_overlay. */
	const struct root_ops *ops;
};

struct root_ops {
	int (*mount)(const struct nfs_attempt *attempt, const char *target, char *text);
	int (*check)(const char *root, const char *wanted, char *ret, size_t size);
	bool (*answers)(const struct nfs_attempt *attempt);
	int (*overlay)(const struct env *env, const struct plan_overlay *o, const char *target,
		struct layers_result *ret);
};

/* What was mounted, for the console and the hand-over. */
struct root_result {
	enum nfs_version version;
	enum nfs_proto proto;
	uint16_t port;
	bool fell_back;
	bool overlay;			   /* a writable layer is above it */
	unsigned attempts;
	char init[ROOT_INIT_MAX];
	char server[256], address[64], path[1024], options[1024];
};

/*
 * root_new: keeps a copy of the configuration; nothing is started. Returns 0, -EINVAL (a string too
 * long, no version) or -ENOMEM.
 */
int root_new(struct root **ret, const struct env *env, const struct root_config *cfg);

/* root_free: a running attempt is killed. What is mounted stays mounted. */
struct root *root_free(struct root *r);
DEFINE_FREEP(struct root, root_free)

/* root_start: begins a round. 0 or -errno. */
int root_start(struct root *r, uint64_t now);

/* The fd to watch changes with each attempt: ask again after each dispatch; -1: none right now. */
int root_fd(const struct root *r);
uint64_t root_deadline(const struct root *r);
int root_dispatch(struct root *r, uint64_t now);
enum root_event root_pop_event(struct root *r);

/* root_failure: cause and words of the last failed round, valid until the next dispatch. */
enum cause root_failure(const struct root *r, const char **ret_text);
/* root_rounds: so far, those before included. */
unsigned root_rounds(const struct root *r);
/* root_result: valid after ROOT_EVENT_MOUNTED; attempts always. */
const struct root_result *root_result(const struct root *r);
/* root_describe: "10.0.0.1:/export/root over rdma, NFS 4.2" for the attempt at hand. */
void root_describe(const struct root *r, char *buf, size_t size);
