/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nfsroot: an NFS root (root/nfs/root.h) against scripted mounts: what the target would give it. */
#pragma once

#include "root/nfs/root.h"

/* Its parts may be changed before nfsroot_begin(). */
extern struct nfsroot {
	struct plan_nfs plan;
	struct source_server server;
	struct source_config config;
} nfsroot;

/* nfsroot_prepare: over RDMA, of a server of that name; versions: PLAN_NFS_ bits. */
void nfsroot_prepare(const struct root_ops *ops, const char *name, bool fallback,
	unsigned versions);

/* nfsroot_begin: its first attempt is under way. */
struct source *nfsroot_begin(uint64_t now);
void nfsroot_endp(struct source **s);
