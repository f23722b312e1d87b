/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * block: a root on a block device that a server lends, by NVMe over fabrics, NBD or SRP: from the
 * server's address to the mounted root. It owns the worker that connects and mounts, and what it
 * connected until the root is mounted.
 * In: the portal and its address. Out: events, what was mounted.
 * Callers: block_source.c, in whose row its functions stand. Tests: test_*.c here,
 * tests-qemu/block.bats.
 *
 * An attempt runs in a child, because the kernel's connects can block for long; it connects (or
 * takes what an earlier agent connected), waits for the device by the kernel's announcements, tells
 * the file system from its content, and mounts it. An attempt that fails takes away what it made.
 */
#pragma once

#include "root/init/init_check.h"
#include "root/source/source.h"

#define BLOCK_TEXT_MAX	 400
#define BLOCK_DEVICE_MAX 32

/* For the console and state.json; of fixed size, as a child sends it. */
struct block_result {
	int32_t adopted;	     /* it was connected already */
	int32_t readonly;	     /* of the device */
	int32_t overlay;	     /* a writable layer is above it */
	uint64_t bytes;		     /* of the device */
	char device[BLOCK_DEVICE_MAX]; /* "nvme0n1" */
	char fstype[32];
	char name[256];		     /* subsystem or export */
	char init[INIT_CHECK_MAX];
	/* the server's; another than asked for where discovery led there */
	char address[96];
	uint32_t port;
	/* Known before the process is started, which sends it back. */
	char kind[8], proto[8];	     /* "nvmf", "rdma" */
	char server[256];
	uint32_t attempts;
};

/* Of the row. block_end: disconnects what an unfinished attempt connected. */
int block_begin(struct source **ret, const struct source_config *cfg, uint64_t now);
int block_take(struct source **ret, const struct env *env, const char *sysroot, const char *init);
void block_end(struct source *s);
void block_dispatch(struct source *s, uint64_t now);
/* block_progress: of a mount: bytes that the disks of the device's driver have moved. */
void block_progress(const struct source *s, struct source_progress *ret);
enum cause block_describe(const struct source *s, char *buf, size_t size);
/* block_module: of the file system, while it is waited for; else NULL. */
const char *block_module(const struct source *s);
void block_module_settled(struct source *s, uint64_t now);

/* block_portal_of: the server whose turn it is; NULL: SRP over InfiniBand. block_next: the one
 * after it; the same if there is no other left. */
const struct plan_portal *block_portal_of(const struct root_choice *c, unsigned turn);
unsigned block_next(const struct root_choice *c, const struct source_refusals *r, unsigned turn);

