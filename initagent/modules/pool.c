// SPDX-License-Identifier: GPL-2.0-or-later
#include "modules/pool.h"

#include <sys/epoll.h>

#include "base/worker.h"

void pool_init(struct pool *p, const struct env *env, const struct modules_ops *ops, int epoll,
	unsigned normal)
{
	*p = (struct pool){.env = env, .ops = ops, .epoll = epoll, .look = NSEC_NEVER,
		.limit = normal < 1 ? 1 : normal < POOL_MAX ? normal : POOL_MAX};
}

/* An idle worker, else a free slot. */
static struct pool_member *find_place(struct pool *p)
{
	struct pool_member *slot = NULL;

	for (struct pool_member *w = p->members; w < p->members + POOL_MAX; w++) {
		if (w->worker && !w->busy)
			return w;
		if (!w->worker && !slot)
			slot = w;
	}
	return slot;
}

/* Workers that do not count against the limit any more. */
static unsigned count_asleep(const struct pool *p)
{
	unsigned n = 0;

	for (size_t i = 0; i < POOL_MAX; i++)
		n += p->members[i].busy && p->members[i].asleep;
	return n;
}

static unsigned count_alive(const struct pool *p)
{
	unsigned n = 0;

	for (size_t i = 0; i < POOL_MAX; i++)
		n += p->members[i].worker != NULL;
	return n;
}

/* A job can be submitted now: a worker is idle, or may be created. */
static bool is_ready(const struct pool *p)
{
	unsigned alive = count_alive(p), busy = pool_busy(p);

	if (busy >= p->limit + count_asleep(p))
		return false;
	return busy < alive || alive < POOL_MAX;
}

uint64_t pool_look_at(const struct pool *p)
{
	if (is_ready(p))
		return 0;
	return count_alive(p) < POOL_MAX ? p->look : NSEC_NEVER;
}

/* Idle time of all CPUs together, in ns: second word of /proc/uptime (proc(5)), in 10 ms steps. */
static uint64_t idle_time(void)
{
	const struct env system = {.prefix = ""};
	char text[64], *p;
	uint64_t seconds;

	if (env_read(&system, text, sizeof(text), "/proc/uptime") < 0 || !(p = strchr(text, ' ')))
		return 0;
	seconds = strtoull(p, &p, 10);
	return seconds * NSEC_PER_SEC +
	       (*p == '.' ? strtoull(p + 1, NULL, 10) : 0) * 10 * NSEC_PER_MSEC;
}

/* The state letter in /proc/PID/stat, after the command in parentheses (proc(5)). */
static bool is_asleep(pid_t pid)
{
	const struct env system = {.prefix = ""};
	char stat[256], *p;

	if (env_read(&system, stat, sizeof(stat), "/proc/%d/stat", (int)pid) < 0)
		return false;
	p = strrchr(stat, ')');
	return p && p[1] == ' ' && (p[2] == 'S' || p[2] == 'D');
}

static void look_at_workers(struct pool *p, uint64_t now)
{
	for (size_t i = 0; i < POOL_MAX; i++) {
		struct pool_member *w = &p->members[i];

		if (w->busy && w->since + POOL_LONG <= now)
			w->asleep = is_asleep(worker_pid(w->worker));
	}
}

void pool_look(struct pool *p, bool waiting, uint64_t now)
{
	bool first = p->look == NSEC_NEVER;
	uint64_t idle;

	if (!waiting) {
		p->look = NSEC_NEVER;
		return;
	}
	if (!first && now < p->look)
		return;
	idle = idle_time();
	if (!first && idle >= p->idle + p->pause / 4 && p->limit < POOL_FEW)
		p->limit++;
	look_at_workers(p, now);
	p->idle = idle;
	p->pause = first ? POOL_LOOK : min_u64(2 * p->pause, POOL_LOOK_MAX);
	p->look = now + p->pause;
}

static int load_modules(const void *arg)
{
	const struct pool *p = arg;

	return loader_main(p->env, p->ops);
}

/* An answer to the job that was given, and to none twice. */
static bool is_answer(void *reply, const void *context)
{
	const struct pool_member *w = context;
	struct load_result *r = reply;

	r->text[sizeof(r->text) - 1] = 0;
	return w->busy && r->id == w->job;
}

static int spawn(struct pool *p, struct pool_member *w)
{
	/* It may sit in a driver's probe for a minute: a load that has begun is left to end. */
	const struct worker_spec spec = {
		.run = load_modules,
		.arg = p,
		.name = "initagent-mod",
		.sandbox = {.role = SANDBOX_NONE, .outlives = true},
		.request_size = sizeof(struct load_job),
		.reply_size = sizeof(struct load_result),
		.valid = is_answer,
		.context = w,
	};
	struct epoll_event ev = {.events = EPOLLIN};
	int r = worker_start(&w->worker, &spec, 0);

	if (r == 0 && epoll_ctl(p->epoll, EPOLL_CTL_ADD, worker_fd(w->worker), &ev) < 0) {
		r = -errno;
		w->worker = worker_free(w->worker);
	}
	p->created += r == 0;
	return r;
}

void pool_warm(struct pool *p)
{
	for (size_t i = 0; i < p->limit; i++)
		if (!p->members[i].worker && spawn(p, &p->members[i]) < 0)
			return;
}

int pool_submit(struct pool *p, const struct load_job *job, uint64_t now)
{
	struct pool_member *w = is_ready(p) ? find_place(p) : NULL;
	int r;

	if (!w)
		return -EAGAIN;
	r = w->worker ? 0 : spawn(p, w);
	if (r < 0)
		return r;
	if (worker_send(w->worker, job) < 0)
		return -EPIPE;
	w->busy = true;
	w->asleep = false;
	w->job = job->id;
	w->since = now;
	return 0;
}

/* A worker that is gone, or does not keep to the protocol: its job has failed. */
static void fail_job(struct pool *p, struct pool_member *w, struct load_result *ret)
{
	(void)epoll_ctl(p->epoll, EPOLL_CTL_DEL, worker_fd(w->worker), NULL);
	worker_end(w->worker);
	*ret = (struct load_result){
		.id = w->job, .error = LOADER_DIED, .cause = CAUSE_MODULE_FAILED};
	snprintf(
		ret->text, sizeof(ret->text), "the loading process %s", worker_end_text(w->worker));
	worker_free(w->worker);
	*w = (struct pool_member){0};
}

/* One worker's answer; false when there is nothing to report. */
static bool take_answer(struct pool *p, struct pool_member *w, struct load_result *ret)
{
	int r = worker_receive(w->worker, ret, 0);
	bool had_job = w->busy;

	if (r == 0)
		return false;
	if (r < 0)
		fail_job(p, w, ret);
	w->busy = false;
	return had_job;
}

bool pool_next(struct pool *p, struct load_result *ret)
{
	for (size_t i = 0; i < POOL_MAX; i++)
		if (p->members[i].worker && take_answer(p, &p->members[i], ret))
			return true;
	return false;
}

unsigned pool_busy(const struct pool *p)
{
	unsigned n = 0;

	for (size_t i = 0; i < POOL_MAX; i++)
		n += p->members[i].busy;
	return n;
}

unsigned pool_stop(struct pool *p)
{
	unsigned busy = pool_busy(p);

	for (size_t i = 0; i < POOL_MAX; i++) {
		struct pool_member *w = &p->members[i];

		if (!w->worker)
			continue;
		(void)epoll_ctl(p->epoll, EPOLL_CTL_DEL, worker_fd(w->worker), NULL);
		/* A busy one ends when its load does. */
		if (w->busy)
			worker_detach(w->worker);
		else
			worker_free(w->worker);
		*w = (struct pool_member){0};
	}
	return busy;
}
