/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block: a root on a block device that a server lends, by NVMe over fabrics, NBD or SRP: from the
 * server's address to the mounted root.
 * Owns: the worker that connects and mounts, and what it connected until the root is mounted.
 * In: the portal and its address. Out: events, what was mounted.
 * Called by: block_source.c, as a row of root/sources.c.
 * Tests: test_*.c here, tests-qemu/block.bats.
 *
 * Each attempt runs in a child, because the kernel's connects
 * can block for long; it connects (or takes what an earlier agent connected), waits for the device
 * by the kernel's announcements, tells the file system from its content, and mounts it. An attempt
 * that fails takes away what it made.
 *
 * There is no event that says "the server is up now", so between rounds the room waits on a timer:
 * 0.25 s doubling to 4 s, with a quarter of jitter.
 */
#pragma once

#include "base/env.h"
#include "plan.h"
#include "report/causes.h"
#include "root/nfs/root.h"
#include "root/source/source.h"

#define BLOCK_TEXT_MAX	 400
#define BLOCK_DEVICE_MAX 32

struct block;
struct block_ops;

enum block_event {
	BLOCK_EVENT_NONE,
	BLOCK_EVENT_STEP,    /* block_describe() has something new to say */
	/* load block_module() and call block_module_settled(), loaded or not */
	BLOCK_EVENT_MODULE,
	BLOCK_EVENT_MOUNTED,
	BLOCK_EVENT_FAILED,  /* an attempt failed; BLOCK_EVENT_AGAIN follows */
	/* the pause is over: block_start() again, or a new room with another portal or address */
	BLOCK_EVENT_AGAIN,
	BLOCK_EVENT_FATAL,   /* trying again cannot help, with any of the servers */
};

/* Everything borrowed until block_free(). */
struct block_config {
	const struct plan_block *plan;
	const struct plan_portal *portal; /* NULL: SRP over InfiniBand */
	/* the portal's, numeric, a link-local one with its interface */
	const char *address;
	const char *device;		  /* SRP: the RDMA device, and its port */
	unsigned port;
	const char *target;		  /* where to mount, e.g. "/sysroot" */
	const char *init;		  /* wanted init or NULL */
	bool readonly;
	/* a writable layer in memory over the device, which is only read; NULL: none */
	const struct plan_overlay *overlay;
	/* port GUID or the like: the node's name where it has no other */
	uint64_t node;
	unsigned rounds;		  /* attempts before, with other portals or addresses */
	/* so many of these are there: only after as many attempts there is a pause; 0: as 1 */
	unsigned ways;
	struct source_refusals *refusals;  /* NULL: one server only */
	const struct block_ops *ops;	  /* the seam for tests; NULL: the kind's own */
};

/* For the console and state.json; of fixed size, as a child sends it. */
struct block_result {
	int32_t adopted;	     /* it was connected already */
	int32_t readonly;	     /* of the device */
	int32_t overlay;	     /* a writable layer is above it */
	uint64_t bytes;		     /* of the device */
	char device[BLOCK_DEVICE_MAX]; /* "nvme0n1" */
	char fstype[32];
	char name[256];		     /* subsystem or export */
	char init[ROOT_INIT_MAX];
	/* the server's; another than asked for where discovery led there */
	char address[96];
	uint32_t port;
	/* The rest the room adds. */
	char kind[8], proto[8];	     /* "nvmf", "rdma" */
	char server[256];
	uint32_t attempts;
};

/* block_new: 0, -EOPNOTSUPP (a build without), -ENOMEM. Nothing is started. */
int block_new(struct block **ret, const struct env *env, const struct block_config *cfg);

/* block_free: an attempt under way is ended, and what it connected is taken away. What is mounted
 * stays. */
struct block *block_free(struct block *b);
DEFINE_FREEP(struct block, block_free)

/* block_start: begins an attempt. 0 or -errno. */
int block_start(struct block *b, uint64_t now);

/* block_fd: changes with each attempt; -1: none right now. */
int block_fd(const struct block *b);
uint64_t block_deadline(const struct block *b);
void block_dispatch(struct block *b, uint64_t now);
/* block_pop_event: several may be there: until it is BLOCK_EVENT_NONE. */
enum block_event block_pop_event(struct block *b);

/* block_module: the kernel module of the file system, while it is waited for; else NULL. */
const char *block_module(const struct block *b);
void block_module_settled(struct block *b, uint64_t now);

/* block_describe: what is going on, in words. block_waits_for: the cause that the time is spent
 * on. */
void block_describe(const struct block *b, char *buf, size_t size);
enum cause block_waits_for(const struct block *b);

/* block_failure: cause and words of the last failed attempt; valid until the next dispatch. */
enum cause block_failure(const struct block *b, const char **ret_text);
/* block_next: the index of the portal whose turn it is after this one; the same if there is no
 * other left. */
unsigned block_next(const struct block *b);
/* block_rounds: attempts so far, those before it included. */
unsigned block_rounds(const struct block *b);
/* block_connected: when the device was there; 0: not yet. */
uint64_t block_connected(const struct block *b);
/* block_result: complete after BLOCK_EVENT_MOUNTED. */
const struct block_result *block_result(const struct block *b);

/*
 * block_adopt: did an earlier agent mount a root of this kind at target, with a usable init? 1 with
 * ret filled, 0 or
 * -errno.
 */
int block_adopt(const struct env *env, const char *target, const char *init,
	struct block_result *ret);
/* block_drop: takes half a root at target away, if there is one; its device stays for the next
 * attempt to take. */
void block_drop(const struct env *env, const char *target);

/* block_port: the port that portal means: its own, or the protocol's. */
uint16_t block_port(const struct plan_block *plan, const struct plan_portal *portal);
