/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool: the worker processes. Each has at most one job at a time, so a driver that probes for long
 * holds up its own worker only; the pool then grows, up to POOL_MAX.
 */
#pragma once

#include "env.h"
#include "modules/modules.h"
#include "modules/worker.h"

#define POOL_MAX      8

/* A job older than this no longer counts as busy in the sense of using a CPU. */
#define POOL_PATIENCE (100 * NSEC_PER_MSEC)

struct pool;

/*
 * pool_new: no process is created yet. epoll gets the workers' fds. normal is the number of workers
 * for jobs that end soon. env, ops and epoll are borrowed.
 */
int pool_new(struct pool **ret, const struct env *env, const struct modules_ops *ops, int epoll,
	unsigned normal);
struct pool *pool_free(struct pool *p);
DEFINE_FREEP(struct pool, pool_free)

/*
 * pool_ready: whether a job can be submitted now: a worker is idle, or one may be created because
 * fewer than normal of them work on jobs younger than POOL_PATIENCE.
 */
bool pool_ready(const struct pool *p, uint64_t now);

/* pool_submit: hands over a job. 0, -EAGAIN when not ready, -errno when no worker can be made. */
int pool_submit(struct pool *p, const struct worker_job *job, uint64_t now);

/* pool_next: the next result without blocking; false when there is none. */
bool pool_next(struct pool *p, struct worker_result *ret);

/* pool_grow_at: when pool_ready() turns true without any result: 0 (now) to NSEC_NEVER. */
uint64_t pool_grow_at(const struct pool *p);

unsigned pool_busy(const struct pool *p);
unsigned pool_created(const struct pool *p);

/* pool_stop: closes all pipes and reaps who has ended. Returns how many are still at work. */
unsigned pool_stop(struct pool *p);
