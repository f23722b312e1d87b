/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool: the worker processes. Each has at most one job at a time. It starts with about as many as
 * there are CPUs, since loading is CPU work. But a driver may sleep while its hardware comes up,
 * and that must not delay other loads: while jobs wait, a worker is added when CPUs were idle
 * meanwhile (up to POOL_FEW), and for each worker found asleep in a job that takes long (up to
 * POOL_MAX). Every process costs a little, so there are no more than that.
 */
#pragma once

#include "base/env.h"
#include "modules/modules.h"
#include "modules/loader.h"

#define POOL_MAX  8
#define POOL_FEW  3

/*
 * While jobs wait, the pool looks after this time, then ever later, up to the maximum: the kernel
 * has no event for a process that falls asleep. A quarter of the time idle adds a worker.
 */
#define POOL_LOOK     (100 * NSEC_PER_MSEC)
#define POOL_LOOK_MAX (400 * NSEC_PER_MSEC)

/* From this age on a job's worker does not count if it is found asleep. */
#define POOL_LONG (1000 * NSEC_PER_MSEC)

struct pool {
	struct pool_member {
		struct worker *worker; /* NULL: free slot */
		bool busy;
		bool asleep; /* in a long job */
		uint32_t job;
		uint64_t since;
	} members[POOL_MAX];
	const struct env *env;
	const struct modules_ops *ops;
	int epoll;
	unsigned limit;	  /* workers for jobs that are not long; rises, never falls */
	unsigned created;
	uint64_t look;	  /* next look at the idle time; NSEC_NEVER: no job waits */
	uint64_t pause;	  /* between the last look and the next */
	uint64_t idle;	  /* of all CPUs at the last look */
};

/*
 * pool_init: no process is created yet. epoll gets the workers' fds. normal is the number of
 * workers to start from. env, ops and epoll are borrowed.
 */
void pool_init(struct pool *p, const struct env *env, const struct modules_ops *ops, int epoll,
	unsigned normal);

/*
 * pool_warm: makes the workers to start from before there are jobs for them. One that cannot be
 * made is tried again when there is a job.
 */
void pool_warm(struct pool *p);

/*
 * pool_submit: hands over a job. 0, -EAGAIN when no worker is idle and none may be added now,
 * -errno when none can be made.
 */
int pool_submit(struct pool *p, const struct load_job *job, uint64_t now);

/* pool_next: the next result without blocking; false when there is none. */
bool pool_next(struct pool *p, struct load_result *ret);

/* pool_look: to be called while jobs wait, else with waiting false: may let the pool grow. */
void pool_look(struct pool *p, bool waiting, uint64_t now);

/* pool_look_at: when pool_look() is due; 0 when the pool is ready, NSEC_NEVER: no look is needed.
 */
uint64_t pool_look_at(const struct pool *p);

unsigned pool_busy(const struct pool *p);

/* pool_stop: closes all pipes and reaps who has ended. Returns how many are still running. */
unsigned pool_stop(struct pool *p);
