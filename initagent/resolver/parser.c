// SPDX-License-Identifier: GPL-2.0-or-later
/* parser: a worker that parses, and is replaced when it dies; see parser.h. */
#include "resolver/parser.h"

#include <sys/epoll.h>

#include "base/worker.h"
#include "report/report.h"

/* At once, then after 1, 2, 4 and 8 s: packets that kill it must not keep us forking. */
#define RESTARTS_MAX 5
#define CPU_SECONDS  60

struct parser {
	const struct env *env;
	const struct parser_job *job;
	int epoll;
	struct worker *worker; /* NULL: no process */
	unsigned restarts;
	uint64_t again; /* when it is started again; NSEC_NEVER: it runs, or is lost for good */
};

/* --- the process --------------------------------------------------------------------------- */

struct buffers {
	const struct parser_job *job;
	void *request, *reply;
};

/* While it may still have memory. */
static const void *allocate_buffers(const void *arg)
{
	const struct parser_job *job = arg;
	struct buffers *b = malloc(sizeof(*b));

	if (!b)
		return NULL;
	*b = (struct buffers){job, malloc(job->request), malloc(job->reply)};
	return b->request && b->reply ? b : NULL;
}

static int parse_requests(const void *arg)
{
	const struct buffers *b = arg;

	while (worker_next(b->request, b->job->request)) {
		b->job->parse(b->request, b->reply);
		if (worker_reply(b->reply, b->job->reply) < 0)
			break;
	}
	return 0;
}

/* --- our end ------------------------------------------------------------------------------- */

static int start_worker(struct parser *p, uint64_t now)
{
	const struct worker_spec spec = {
		.run = parse_requests,
		.prepare = allocate_buffers,
		.arg = p->job,
		.sandbox = {.role = SANDBOX_PARSE, .cpu_s = CPU_SECONDS},
		.request_size = p->job->request,
		.reply_size = p->job->reply,
		.valid = p->job->valid,
	};
	struct epoll_event ev = {.events = EPOLLIN};
	int e = worker_start(&p->worker, &spec, now);

	if (e == 0)
		epoll_ctl(p->epoll, EPOLL_CTL_ADD, worker_fd(p->worker), &ev);
	return e;
}

/* Out of the epoll set before it is closed: other children may hold a copy. */
static void unwatch_worker(struct parser *p)
{
	if (p->worker)
		epoll_ctl(p->epoll, EPOLL_CTL_DEL, worker_fd(p->worker), NULL);
}

int parser_new(struct parser **ret, const struct env *env, const struct parser_job *job, int epoll,
	uint64_t now)
{
	_cleanup_(parser_freep) struct parser *p = calloc(1, sizeof(*p));
	int e;

	if (!p)
		return -ENOMEM;
	*p = (struct parser){.env = env, .job = job, .epoll = epoll, .again = NSEC_NEVER};
	e = start_worker(p, now);
	if (e < 0)
		return e;
	report_log(env->report, REPORT_DEBUG, job->room, now, "parser process %d",
		(int)parser_pid(p));
	*ret = p;
	p = NULL;
	return 0;
}

struct parser *parser_free(struct parser *p)
{
	if (!p)
		return NULL;
	unwatch_worker(p);
	worker_free(p->worker);
	free(p);
	return NULL;
}

int parser_submit(struct parser *p, const void *request)
{
	return p->worker ? worker_send(p->worker, request) : -EPIPE;
}

static void replace_worker(struct parser *p, uint64_t now)
{
	unwatch_worker(p);
	worker_end(p->worker);
	report_cause(p->env->report, CAUSE_PARSER_DIED, p->job->room, now, "%s",
		worker_end_text(p->worker));
	if (!worker_never_ran(p->worker) && p->restarts < RESTARTS_MAX)
		p->again = now + (p->restarts ? NSEC_PER_SEC << (p->restarts - 1) : 0);
	p->worker = worker_free(p->worker);
	parser_tick(p, now);
}

int parser_pop(struct parser *p, void *reply, uint64_t now)
{
	int r = worker_receive(p->worker, reply, now);

	if (r < 0)
		replace_worker(p, now);
	return r;
}

void parser_tick(struct parser *p, uint64_t now)
{
	if (now < p->again)
		return;
	p->again = NSEC_NEVER;
	p->restarts++;
	if (start_worker(p, now) < 0 && p->restarts < RESTARTS_MAX)
		p->again = now + NSEC_PER_SEC;
}

uint64_t parser_deadline(const struct parser *p)
{
	return p->again;
}

bool parser_lost(const struct parser *p)
{
	return !p->worker && p->again == NSEC_NEVER;
}

int parser_fd(const struct parser *p)
{
	return worker_fd(p->worker);
}

pid_t parser_pid(const struct parser *p)
{
	return worker_pid(p->worker);
}
