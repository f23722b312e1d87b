/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * root: brings the NFS root to its mount point. It owns the worker that mounts, the walk over
 * versions and transports.
 * In: server, address and options. Out: events, what was mounted.
 * Callers: nfs_source.c, in whose row its functions stand. Tests: test_root.c, test_adopt.c,
 * tests-qemu/nfsrdma.bats.
 *
 * Each attempt runs in a child, because a mount can block for minutes; in a round the room walks
 * through versions and transports as the plan allows; it says why an attempt failed, and when it is
 * time for the next round. With which address that is the owner decides.
 *
 * With a writable layer the export is mounted read-only at /run/rootfsbase and the layer, in
 * memory, over it at the target (image/layers.h).
 */
#pragma once

#include "root/init/init_check.h"
#include "root/nfs/nfs.h"
#include "root/source/source.h"

struct layers_result;

struct root_ops {
	int (*mount)(const struct nfs_attempt *attempt, const char *target, char *text);
	int (*check)(const char *root, const char *wanted, char *ret, size_t size,
		void (*reading)(void));
	bool (*answers)(const struct nfs_attempt *attempt);
	bool (*writable)(const char *root);
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
	char init[INIT_CHECK_MAX];
	char server[256], address[64], path[1024], options[1024];
};

/* root_plan: of the choice, or what root=dhcp leaves open. */
const struct plan_nfs *root_plan(const struct root_choice *c);

/* Of the row. root_begin: -EINVAL: a text is too long, or there is no version. */
int root_begin(struct source **ret, const struct source_config *cfg, uint64_t now);
int root_take(struct source **ret, const struct env *env, const char *sysroot, const char *init);
void root_end(struct source *s);
void root_dispatch(struct source *s, uint64_t now);
/* root_lookup, root_resolved: a second server, that of an xCAT statelite node's files. */
const char *root_lookup(const struct source *s);
void root_resolved(struct source *s, const struct inet_addr *addr, const char *why, uint64_t now);
/* root_describe: "10.0.0.1:/export/root over rdma port 20049, NFS 4.2" is the attempt at hand. */
enum cause root_describe(const struct source *s, char *buf, size_t size);
