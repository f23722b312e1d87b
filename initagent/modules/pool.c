// SPDX-License-Identifier: GPL-2.0-or-later
/* pool: see pool.h. */
#include "modules/pool.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct member {
	pid_t pid; /* 0: free slot */
	int fd;
	bool busy;
	bool asleep; /* in a long job */
	uint32_t job;
	uint64_t since;
};

struct pool {
	struct member members[POOL_MAX];
	const struct env *env;
	const struct modules_ops *ops;
	int epoll;
	unsigned limit; /* workers for jobs that are not long; rises, never falls */
	unsigned created;
	uint64_t look; /* next look at the idle time; NSEC_NEVER: nobody waits */
	uint64_t pause; /* between the last look and the next */
	uint64_t idle; /* of all CPUs at the last look */
};

int pool_new(struct pool **ret, const struct env *env, const struct modules_ops *ops, int epoll,
	unsigned normal)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->env = env;
	p->ops = ops;
	p->epoll = epoll;
	p->limit = normal < 1 ? 1 : normal < POOL_MAX ? normal : POOL_MAX;
	p->look = NSEC_NEVER;
	*ret = p;
	return 0;
}

struct pool *pool_free(struct pool *p)
{
	if (!p)
		return NULL;
	pool_stop(p);
	free(p);
	return NULL;
}

static struct member *find_free(struct pool *p)
{
	for (size_t i = 0; i < POOL_MAX; i++)
		if (!p->members[i].pid)
			return &p->members[i];
	return NULL;
}

static struct member *find_idle(struct pool *p)
{
	for (size_t i = 0; i < POOL_MAX; i++)
		if (p->members[i].pid && !p->members[i].busy)
			return &p->members[i];
	return NULL;
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
		n += p->members[i].pid != 0;
	return n;
}

bool pool_ready(const struct pool *p)
{
	unsigned alive = count_alive(p), busy = pool_busy(p);

	if (busy >= p->limit + count_asleep(p))
		return false;
	return busy < alive || alive < POOL_MAX;
}

uint64_t pool_look_at(const struct pool *p)
{
	if (pool_ready(p))
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
		struct member *w = &p->members[i];

		if (w->busy && w->since + POOL_LONG <= now)
			w->asleep = is_asleep(w->pid);
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

/* The parent's half of the pair after a fork. */
static int adopt_worker(struct pool *p, struct member *w, pid_t pid, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN};

	if (epoll_ctl(p->epoll, EPOLL_CTL_ADD, fd, &ev) < 0)
		return -errno;
	*w = (struct member){.pid = pid, .fd = fd};
	p->created++;
	return 0;
}

static int spawn(struct pool *p, struct member *w)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	int pair[2], r;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	ours = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		worker_main(p->env, p->ops, theirs);
	r = adopt_worker(p, w, pid, ours);
	if (r == 0)
		ours = -1;
	return r; /* on failure the closed pipe ends the worker */
}

void pool_warm(struct pool *p)
{
	for (size_t i = 0; i < p->limit; i++)
		if (!p->members[i].pid && spawn(p, &p->members[i]) < 0)
			return;
}

int pool_submit(struct pool *p, const struct worker_job *job, uint64_t now)
{
	struct member *w;
	int r;

	if (!pool_ready(p))
		return -EAGAIN;
	w = find_idle(p);
	if (!w) {
		w = find_free(p);
		r = spawn(p, w);
		if (r < 0)
			return r;
	}
	if (send(w->fd, job, sizeof(*job), MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof(*job))
		return -EPIPE;
	w->busy = true;
	w->asleep = false;
	w->job = job->id;
	w->since = now;
	return 0;
}

/* Takes a worker out of the pool. Returns its wait status, or -1 when somebody else reaped it. */
static int bury(struct pool *p, struct member *w, int flags)
{
	int status = -1;

	(void)epoll_ctl(p->epoll, EPOLL_CTL_DEL, w->fd, NULL);
	close(w->fd);
	if (waitpid(w->pid, &status, flags) <= 0)
		status = -1;
	*w = (struct member){0};
	return status;
}

/* A worker that is gone, or does not keep to the protocol: its job has failed. */
static void fail_job(struct worker_result *ret, uint32_t job, int status)
{
	memset(ret, 0, sizeof(*ret));
	ret->id = job;
	ret->error = WORKER_DIED;
	ret->cause = CAUSE_MODULE_FAILED;
	if (status >= 0 && WIFSIGNALED(status))
		snprintf(ret->text, sizeof(ret->text), "the loading process was ended by signal %d",
			WTERMSIG(status));
	else
		snprintf(ret->text, sizeof(ret->text), "the loading process ended unexpectedly");
}

/* One worker's answer; false when there is nothing to report. */
static bool take_answer(struct pool *p, struct member *w, struct worker_result *ret)
{
	ssize_t n = recv(w->fd, ret, sizeof(*ret), MSG_DONTWAIT);
	bool had_job = w->busy;
	uint32_t job = w->job;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n == sizeof(*ret) && w->busy && ret->id == w->job) {
		ret->text[sizeof(ret->text) - 1] = 0;
		w->busy = false;
		return true;
	}
	fail_job(ret, job, bury(p, w, 0));
	return had_job;
}

bool pool_next(struct pool *p, struct worker_result *ret)
{
	for (size_t i = 0; i < POOL_MAX; i++)
		if (p->members[i].pid && take_answer(p, &p->members[i], ret))
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

unsigned pool_created(const struct pool *p)
{
	return p->created;
}

unsigned pool_stop(struct pool *p)
{
	unsigned busy = pool_busy(p);

	for (size_t i = 0; i < POOL_MAX; i++) {
		struct member *w = &p->members[i];

		/* An idle worker ends at once on the closed pipe; a busy one when its load ends. */
		if (w->pid)
			bury(p, w, w->busy ? WNOHANG : 0);
	}
	return busy;
}
