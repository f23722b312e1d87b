/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loader: one module load, and the process that does it (base/worker.h). The process shares the
 * agent's memory image as it was at fork, so it needs no set-up of its own.
 */
#pragma once

#include "base/env.h"
#include "modules/modules.h"
#include "report/causes.h"

/* Longest option text passed on; the kernel itself allows a page. */
#define LOADER_OPTIONS_SIZE 2048
#define LOADER_PATH_SIZE    1024

/*
 * Loading is mostly CPU work (relocation, signatures, self-tests). Where CPUs are few, drivers of
 * present devices go at full weight and all others at a third of it, which also keeps the agent's
 * own loop quick. In the agent's own process (in_process) it is left alone.
 */
#define LOADER_NICE 5

struct load_job {
	uint32_t id;
	int32_t nice; /* see LOADER_NICE */
	char name[MODULE_NAME_SIZE];
	char path[LOADER_PATH_SIZE];
	char options[LOADER_OPTIONS_SIZE];
};

/* The result's error when the process that did the job is gone; no module load ends with it. */
#define LOADER_DIED (-ESRCH)

struct load_result {
	uint32_t id;
	int32_t error;	     /* 0 or negative errno; -EEXIST: another process had loaded it */
	uint32_t cause;	     /* enum cause; may be set on success too */
	uint64_t begin, end; /* CLOCK_BOOTTIME, ns */
	char text[MODULE_TEXT_SIZE];
};

/*
 * loader_run: does one job in the calling process, blocking, and returns its result. kmsg is an
 * fd of kmsg_open() or -1.
 */
void loader_run(const struct load_job *job, const struct modules_ops *ops, int kmsg,
	struct load_result *ret);

/*
 * loader_main: body of the process: takes the place of the agent's signal mask, serves jobs until
 * the agent is gone.
 */
int loader_main(const struct env *env, const struct modules_ops *ops);
