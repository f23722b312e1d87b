/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job: what the process of an attempt works with, and what each protocol does in it. All of it may
 * block: the room ends the process when its time is over.
 */
#pragma once

#include "report/causes.h"
#include "root/block/block.h"

/* Where an attempt is. */
enum block_step {
	BLOCK_STEP_CONNECT,
	BLOCK_STEP_DEVICE, /* waits for the kernel's block device */
	BLOCK_STEP_LOOK,   /* reads its first blocks */
	BLOCK_STEP_MODULE, /* waits until the room has the file system's module loaded */
	BLOCK_STEP_MOUNT,
	BLOCK_STEP_CLEAN,  /* takes away what an attempt left that was ended */
	BLOCK_STEP_MAX,
};

/* What the process says: of fixed size. */
struct block_message {
	int32_t step;
	int32_t final;
	int32_t cause; /* final: CAUSE_NONE, or why it failed */
	int32_t fatal; /* trying again cannot help */
	char text[BLOCK_TEXT_MAX];
	struct block_result result;
};

struct block_job {
	const struct env *env;
	const struct source_config *cfg;
	const struct plan_block *plan;
	const struct plan_portal *portal; /* NULL: SRP over InfiniBand */
	const struct block_ops *ops;
	int uevents; /* the kernel's announcements */
	char handle[BLOCK_DEVICE_MAX]; /* the connection: "nvme0", "nbd0", "host2" */
	bool again; /* connect() failed of what is gone now */
	struct block_message message;
};

/* One protocol. Functions return 0 or -errno, with cause and text in the message. */
struct block_ops {
	const char *name;
	uint16_t port; /* where there is a usual one */
	/* Connects, or takes what is connected already (result.adopted). */
	int (*connect)(struct block_job *j);
	/* Is the whole device there? 1 with its name, 0: not yet. */
	int (*find)(struct block_job *j, char device[static BLOCK_DEVICE_MAX]);
	/* Ends every connection that connect() could have made; nothing to do is no error. */
	void (*disconnect)(struct block_job *j);
};

extern const struct block_ops nvmf_ops, nbd_ops, srp_ops, local_ops;

/* job_port: the server's port: its own, or the protocol's. */
uint16_t job_port(const struct block_job *j);

/* job_fail: sets cause and text of the message; returns error. job_fatal: the same of what trying
 * again cannot help. */
int job_fail(struct block_job *j, enum cause cause, int error, const char *fmt, ...) _printf_(4, 5);
#define job_fatal(j, ...) ((j)->message.fatal = true, job_fail(j, __VA_ARGS__))

/* job_run: a whole attempt; sends its messages, the last with final. job_clean: disconnects. */
void job_run(struct block_job *j);
void job_clean(struct block_job *j);
