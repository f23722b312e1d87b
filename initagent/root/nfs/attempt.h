/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attempt: one attempt to mount an NFS root: what its process does. Owns the mounts that it makes
 * until it has told of its end.
 * In: the attempt, what is to be laid over the export. Out: messages, the last of which is its end.
 * Callers: root.c. Tests: test_root.c, tests-qemu/nfsrdma.bats.
 */
#pragma once

#include "root/nfs/root.h"

/* What it is at. */
enum attempt_step {
	STEP_MOUNT,	/* of the export, and of a layer over it */
	STEP_STATELITE, /* text says what it does, for an xCAT statelite node */
	STEP_OPEN,	/* of the mounted root's init */
	STEP_READ,
	STEP_ASK, /* attempt_ask(), after a mount without an answer; it has no steps */
	STEP_MAX,
};

/* What the process sends: messages of exactly this size. */
struct attempt_message {
	int32_t step; /* enum attempt_step; but for the first, not the end */
	int32_t error; /* 0 or negative errno */
	int32_t no_init; /* mounted, but init_check failed with error */
	int32_t layer_cause; /* the export was mounted, but what is above it not: an enum cause */
	/* RDMA was refused, or there was no answer, but the server accepts connections on TCP */
	int32_t nfsd_on_tcp;
	int32_t unwritable; /* mounted rw, but the server refuses to write */
	char text[NFS_TEXT_MAX];
	char init[INIT_CHECK_MAX]; /* with no_init: why */
};

struct attempt {
	struct nfs_attempt nfs;
	const struct source_config *cfg;
	const struct root_ops *ops;
	bool refused; /* version 4 was, by a server that may just have started */
	char address[64]; /* of the server of an xCAT statelite node's files */
};

/* attempt_statelite: what an xCAT statelite node has over its root; NULL: it is none. */
const struct plan_statelite *attempt_statelite(const struct source_config *cfg);

/* attempt_run: a worker's run(); arg is a struct attempt. */
int attempt_run(const void *arg);

/* attempt_ask: the same, of an attempt that was killed for want of an answer: why that may be. */
int attempt_ask(const void *arg);

/* attempt_drop: takes away what an attempt, also one that was killed, has mounted. The kernel takes
 * leave of a server of version 4.1 and later, whose answer is waited for a second at most. */
void attempt_drop(const struct source_config *cfg);
