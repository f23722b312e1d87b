// SPDX-License-Identifier: GPL-2.0-or-later
/* guard: our end of the parser process, and its main loop; see guard.h. */
#include "address/guard.h"

#include "report/report.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* Started again at once, then after 1, 2, 4 and 8 s: who sends what kills it shall not keep us forking. */
#define RESTARTS_MAX	5
#define EXIT_NO_LOCK_DOWN 2

struct guard {
	const struct env *env;
	int fd; /* -1: no process */
	pid_t pid;
	unsigned restarts;
	uint64_t again; /* when it is started again; NSEC_NEVER: it runs, or is lost for good */
	const char *fault; /* why it is to be replaced */
};

/* Length and kind are checked again: a request is data like any other. */
void guard_answer_for(const struct guard_request *r, struct guard_answer *ret)
{
	size_t len = r->len < sizeof(r->packet) ? r->len : sizeof(r->packet);

	memset(ret, 0, sizeof(*ret));
	ret->kind = r->kind;
	ret->tag = r->tag;
	if (r->kind == GUARD_DHCP) {
		dhcp_parse(&ret->dhcp, r->packet, len, r->verify);
	} else if (r->kind == GUARD_DNS) {
		dns_parse(&ret->dns, &r->query, r->packet, len);
	} else if (r->kind == GUARD_DHCP6) {
		dhcp6_parse(&ret->dhcp6, r->packet, len, r->iaid);
		ret->dhcp6.source = r->source;
	} else if (r->kind == GUARD_ND) {
		nd_options_parse(&ret->options, r->packet, len);
	}
}

/* The process: from here on only read, write and exit are left to it. */
__attribute__((noreturn)) static void serve(int fd)
{
	static struct guard_request request;
	static struct guard_answer answer;

	if (guard_lock_down(fd) < 0)
		_exit(EXIT_NO_LOCK_DOWN);
	/* guard_lock_down() moved the socket to descriptor 0. */
	while (read(0, &request, sizeof(request)) == sizeof(request)) {
		guard_answer_for(&request, &answer);
		if (write(0, &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	_exit(0);
}

/* SOCK_SEQPACKET keeps message borders, so that a size can be checked at all. */
static int spawn(struct guard *g)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	g->pid = fork();
	if (g->pid < 0) {
		int e = -errno;

		close(pair[0]);
		close(pair[1]);
		return e;
	}
	if (g->pid == 0)
		serve(pair[1]);
	close(pair[1]);
	g->fd = pair[0];
	return 0;
}

int guard_new(struct guard **ret, const struct env *env, uint64_t now)
{
	_cleanup_(guard_freep) struct guard *g = calloc(1, sizeof(*g));
	int e;

	if (!g)
		return -ENOMEM;
	g->env = env;
	g->fd = -1;
	g->pid = -1;
	g->again = NSEC_NEVER;
	e = spawn(g);
	if (e < 0)
		return e;
	report_log(env->report, REPORT_DEBUG, "address", now, "parser process %d", (int)g->pid);
	*ret = g;
	g = NULL;
	return 0;
}

/* Ends the process; how it ended if it did so by itself before. */
static int reap(struct guard *g)
{
	int status = 0;

	closep(&g->fd);
	g->fd = -1;
	if (g->pid <= 0)
		return 0;
	kill(g->pid, SIGKILL);
	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	g->pid = -1;
	return status;
}

/* Nothing is left to chance at switch-root: the process is gone when we return. */
struct guard *guard_free(struct guard *g)
{
	if (!g)
		return NULL;
	reap(g);
	free(g);
	return NULL;
}

int guard_fd(const struct guard *g)
{
	return g->fd;
}

pid_t guard_pid(const struct guard *g)
{
	return g->pid;
}

int guard_submit(struct guard *g, const struct guard_request *r)
{
	ssize_t n;

	if (g->fd < 0 || g->fault)
		return -EPIPE;
	n = send(g->fd, r, sizeof(*r), MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n == (ssize_t)sizeof(*r))
		return 0;
	/* A dead process is found out by guard_pop(), which has a place to say so. */
	return n < 0 && errno == EPIPE ? -EPIPE : -EAGAIN;
}

/* A parser that was taken over could send anything of the right size. */
static bool answer_sane(const struct guard_answer *a)
{
	switch (a->kind) {
	case GUARD_DHCP: return dhcp_reply_sane(&a->dhcp);
	case GUARD_DNS: return dns_answer_sane(&a->dns);
	case GUARD_DHCP6: return dhcp6_reply_sane(&a->dhcp6);
	case GUARD_ND: return nd_options_sane(&a->options);
	default: return false;
	}
}

/* How it ended tells a crash from a forbidden system call (SIGSYS) from a kernel without seccomp. */
void guard_replace(struct guard *g, uint64_t now)
{
	const char *how = g->fault, *signal = "";
	int status = reap(g);
	bool hopeless = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_LOCK_DOWN;

	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		signal = strsignal(WTERMSIG(status));
	else if (hopeless)
		how = "it could not give up its rights (seccomp not in this kernel?)";
	report_cause(g->env->report, CAUSE_PARSER_DIED, "address", now, "%s%s%s", how,
		*signal ? ": " : "", signal);
	g->fault = NULL;
	if (!hopeless && g->restarts < RESTARTS_MAX)
		g->again = now + (g->restarts ? NSEC_PER_SEC << (g->restarts - 1) : 0);
	guard_tick(g, now);
}

void guard_tick(struct guard *g, uint64_t now)
{
	if (now < g->again)
		return;
	g->again = NSEC_NEVER;
	g->restarts++;
	if (spawn(g) < 0 && g->restarts < RESTARTS_MAX)
		g->again = now + NSEC_PER_SEC;
}

uint64_t guard_deadline(const struct guard *g)
{
	return g->again;
}

bool guard_lost(const struct guard *g)
{
	return g->fd < 0 && g->again == NSEC_NEVER;
}

/* The socket stays open: the owner takes it out of its epoll set before it is closed. */
static int died(struct guard *g, const char *how)
{
	g->fault = how;
	return -EPIPE;
}

int guard_pop(struct guard *g, struct guard_answer *ret)
{
	ssize_t n;

	if (g->fd < 0 || g->fault)
		return g->fault ? -EPIPE : 0;
	n = recv(g->fd, ret, sizeof(*ret), MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return died(g, "it ended by itself");
	if (n != (ssize_t)sizeof(*ret) || !answer_sane(ret))
		return died(g, "it sent something the parser cannot send, and was ended");
	return 1;
}
