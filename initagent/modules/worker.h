/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker: one module load, and the process around it. Messages are fixed structs on a
 * SOCK_SEQPACKET pair; whoever receives one checks its size. The worker shares the agent's memory
 * image as it was at fork, so it needs no set-up of its own.
 */
#pragma once

#include "base/env.h"
#include "modules/modules.h"
#include "report/causes.h"

/* Longest option text passed on; the kernel itself allows a page. */
#define WORKER_OPTIONS_SIZE 2048
#define WORKER_PATH_SIZE    1024

/*
 * Loading is mostly CPU work (relocation, signatures, self-tests). Where CPUs are few, drivers of
 * present devices go at full weight and all others at a third of it, which also keeps the agent's
 * own loop quick. In the agent's own process (in_process) it is left alone.
 */
#define WORKER_NICE	    5

struct worker_job {
	uint32_t id;
	int32_t nice; /* see WORKER_NICE */
	char name[MODULE_NAME_SIZE];
	char path[WORKER_PATH_SIZE];
	char options[WORKER_OPTIONS_SIZE];
};

/* The result's error when the process that did the job is gone; no module load ends with it. */
#define WORKER_DIED (-ESRCH)

struct worker_result {
	uint32_t id;
	int32_t error;	     /* 0 or negative errno; -EEXIST: somebody else had loaded it */
	uint32_t cause;	     /* enum cause; may be set on success too */
	uint64_t begin, end; /* CLOCK_BOOTTIME, ns */
	char text[MODULE_TEXT_SIZE];
};

/*
 * worker_run: does one job in the calling process, blocking, and says what came of it. kmsg is an
 * fd of kmsg_open() or -1.
 */
void worker_run(const struct worker_job *job, const struct modules_ops *ops, int kmsg,
	struct worker_result *ret);

/*
 * worker_main: body of a worker process: drops every inherited fd but sock, then serves jobs until
 * the other end is closed. Never returns.
 */
void worker_main(const struct env *env, const struct modules_ops *ops, int sock)
	__attribute__((noreturn));
