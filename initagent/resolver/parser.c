// SPDX-License-Identifier: GPL-2.0-or-later
/* parser: our end of the process, and its main loop; see parser.h. */
#include "resolver/parser.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/confine.h"
#include "report/report.h"

/* At once, then after 1, 2, 4 and 8 s: packets that kill it must not keep us forking. */
#define RESTARTS_MAX	  5
#define EXIT_NO_LOCK_DOWN 2
#define CPU_SECONDS	  60

struct parser {
	const struct env *env;
	const struct parser_job *job;
	int epoll;
	int fd; /* -1: no process */
	pid_t pid;
	unsigned restarts;
	uint64_t again; /* when it is started again; NSEC_NEVER: it runs, or is lost for good */
};

/* --- the process --------------------------------------------------------------------------- */

int parser_lock_down(int keep_fd)
{
	static struct sock_filter calls[] = {
		CONFINE_START,
		ALLOW(read),
		ALLOW(write),
		ALLOW(exit_group),
		CONFINE_END(SECCOMP_RET_KILL_PROCESS),
	};
	static const struct confine_limit limits[] = {
		{RLIMIT_NOFILE, 0}, {RLIMIT_NPROC, 0}, {RLIMIT_FSIZE, 0}, {RLIMIT_CORE, 0},
		{RLIMIT_MEMLOCK, 0}, {RLIMIT_MSGQUEUE, 0}, {RLIMIT_CPU, CPU_SECONDS},
	};
	int e;

	if (dup2(keep_fd, 0) < 0)
		return -errno;
	confine_close(1);
	e = confine_user();
	return e ? e : confine_seal(limits, ARRAY_SIZE(limits), calls, ARRAY_SIZE(calls));
}

__attribute__((noreturn)) static void serve(const struct parser_job *job, int fd)
{
	void *request = malloc(job->request), *reply = malloc(job->reply);

	if (!request || !reply || parser_lock_down(fd) < 0)
		_exit(EXIT_NO_LOCK_DOWN);
	while (read(0, request, job->request) == (ssize_t)job->request) {
		job->parse(request, reply);
		if (write(0, reply, job->reply) != (ssize_t)job->reply)
			break;
	}
	_exit(0);
}

/* --- our end ------------------------------------------------------------------------------- */

/* SOCK_SEQPACKET keeps message borders, so that a size can be checked at all. */
static int spawn(struct parser *p)
{
	struct epoll_event ev = {.events = EPOLLIN};
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	p->pid = fork();
	if (p->pid < 0) {
		int e = -errno;

		close(pair[0]);
		close(pair[1]);
		return e;
	}
	if (p->pid == 0)
		serve(p->job, pair[1]);
	close(pair[1]);
	p->fd = pair[0];
	epoll_ctl(p->epoll, EPOLL_CTL_ADD, p->fd, &ev);
	return 0;
}

int parser_new(struct parser **ret, const struct env *env, const struct parser_job *job, int epoll,
	uint64_t now)
{
	_cleanup_(parser_freep) struct parser *p = calloc(1, sizeof(*p));
	int e;

	if (!p)
		return -ENOMEM;
	*p = (struct parser){.env = env, .job = job, .epoll = epoll, .fd = -1, .pid = -1,
		.again = NSEC_NEVER};
	e = spawn(p);
	if (e < 0)
		return e;
	report_log(env->report, REPORT_DEBUG, job->room, now, "parser process %d", (int)p->pid);
	*ret = p;
	p = NULL;
	return 0;
}

/* Out of the epoll set before it is closed: other children may hold a copy. How it ended by itself. */
static int reap(struct parser *p)
{
	int status = 0;

	if (p->fd >= 0)
		epoll_ctl(p->epoll, EPOLL_CTL_DEL, p->fd, NULL);
	closep(&p->fd);
	p->fd = -1;
	if (p->pid <= 0)
		return 0;
	kill(p->pid, SIGKILL);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	p->pid = -1;
	return status;
}

struct parser *parser_free(struct parser *p)
{
	if (!p)
		return NULL;
	reap(p);
	free(p);
	return NULL;
}

int parser_submit(struct parser *p, const void *request)
{
	ssize_t n = -1;

	errno = EPIPE;
	if (p->fd >= 0)
		n = send(p->fd, request, p->job->request, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n == (ssize_t)p->job->request)
		return 0;
	/* A dead process is noticed by parser_pop(), which reports it. */
	return n < 0 && errno == EPIPE ? -EPIPE : -EAGAIN;
}

/* How it ended tells a crash from a forbidden system call (SIGSYS) from a kernel without seccomp. */
static int replace(struct parser *p, const char *how, uint64_t now)
{
	const char *signal = "";
	int status = reap(p);
	bool hopeless = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_LOCK_DOWN;

	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		signal = strsignal(WTERMSIG(status));
	else if (hopeless)
		how = "it could not drop its rights (seccomp not in this kernel?)";
	report_cause(p->env->report, CAUSE_PARSER_DIED, p->job->room, now, "%s%s%s", how,
		*signal ? ": " : "", signal);
	if (!hopeless && p->restarts < RESTARTS_MAX)
		p->again = now + (p->restarts ? NSEC_PER_SEC << (p->restarts - 1) : 0);
	parser_tick(p, now);
	return -EPIPE;
}

int parser_pop(struct parser *p, void *reply, uint64_t now)
{
	ssize_t n;

	if (p->fd < 0)
		return 0;
	n = recv(p->fd, reply, p->job->reply, MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return replace(p, "it ended by itself", now);
	if (n != (ssize_t)p->job->reply || !p->job->sane(reply))
		return replace(p, "it sent an invalid message; killed", now);
	return 1;
}

void parser_tick(struct parser *p, uint64_t now)
{
	if (now < p->again)
		return;
	p->again = NSEC_NEVER;
	p->restarts++;
	if (spawn(p) < 0 && p->restarts < RESTARTS_MAX)
		p->again = now + NSEC_PER_SEC;
}

uint64_t parser_deadline(const struct parser *p)
{
	return p->again;
}

bool parser_lost(const struct parser *p)
{
	return p->fd < 0 && p->again == NSEC_NEVER;
}

int parser_fd(const struct parser *p)
{
	return p->fd;
}

pid_t parser_pid(const struct parser *p)
{
	return p->pid;
}
