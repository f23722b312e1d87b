/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool: the worker processes. Each has at most one job at a time. It starts with about as many as
 * there are CPUs, since loading is CPU work. But a driver may sleep while its hardware comes up,
 * and that must hold nobody up: so while jobs wait, a worker is added whenever CPUs were idle
 * meanwhile, and for each worker that has been at one job for long.
 */
#pragma once

#include "env.h"
#include "modules/modules.h"
#include "modules/worker.h"

#define POOL_MAX  8

/* While jobs wait: how often idle time is looked at. Half of it idle adds a worker. */
#define POOL_LOOK (100 * NSEC_PER_MSEC)

/* From this age on a job's worker does not count, idle CPUs or not. */
#define POOL_LONG (1000 * NSEC_PER_MSEC)

struct pool;

/*
 * pool_new: no process is created yet. epoll gets the workers' fds. normal is the number of workers
 * for jobs that end soon. env, ops and epoll are borrowed.
 */
int pool_new(struct pool **ret, const struct env *env, const struct modules_ops *ops, int epoll,
	unsigned normal);
struct pool *pool_free(struct pool *p);
DEFINE_FREEP(struct pool, pool_free)

/* pool_ready: a job can be submitted now: a worker is idle, or may be created. */
bool pool_ready(const struct pool *p, uint64_t now);

/* pool_submit: hands over a job. 0, -EAGAIN when not ready, -errno when no worker can be made. */
int pool_submit(struct pool *p, const struct worker_job *job, uint64_t now);

/* pool_next: the next result without blocking; false when there is none. */
bool pool_next(struct pool *p, struct worker_result *ret);

/* pool_look: to be called while jobs wait (else with waiting false): may raise the number of
 * workers. */
void pool_look(struct pool *p, bool waiting, uint64_t now);

/* pool_look_at: when pool_ready() may turn true without a result, and pool_look() is due. */
uint64_t pool_look_at(const struct pool *p);

unsigned pool_busy(const struct pool *p);
unsigned pool_created(const struct pool *p);

/* pool_stop: closes all pipes and reaps who has ended. Returns how many are still at work. */
unsigned pool_stop(struct pool *p);
