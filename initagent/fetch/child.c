// SPDX-License-Identifier: GPL-2.0-or-later
/* child: see child.h. */
#include "fetch/child.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/confine.h"
#include "fetch/exchange.h"
#include "fetch/lockdown.h"

#define EXIT_NO_LOCK_DOWN 2
#define EXIT_NO_SETUP	  3

struct child {
	int fd;
	pid_t pid;
	bool broke_rules;
};

/* --- the process --------------------------------------------------------------------------- */

__attribute__((noreturn)) static void serve(int ctl, int out, const struct fetch_setup *setup)
{
	static struct fetch_order order;
	struct exchange *x = NULL;
	ssize_t n;

	if (confine_keep((int *[]){&ctl, &out}, 2) < 0)
		_exit(EXIT_NO_SETUP);
	confine_mute();
	signal(SIGPIPE, SIG_IGN);
	if (exchange_new(&x, setup, ctl, out) < 0)
		_exit(EXIT_NO_SETUP);
	if (fetch_lockdown() < 0)
		_exit(EXIT_NO_LOCK_DOWN);
	while ((n = recv(ctl, &order, sizeof(order), 0)) == (ssize_t)sizeof(order) || (n < 0 && errno == EINTR))
		if (n > 0 && order.kind == ORDER_GET)
			exchange_run(x, &order);
	_exit(0);
}

/* --- the agent's end ----------------------------------------------------------------------- */

int child_new(struct child **ret, const struct fetch_setup *setup, int out)
{
	_cleanup_(child_freep) struct child *c = calloc(1, sizeof(*c));
	int pair[2];

	if (!c)
		return -ENOMEM;
	c->fd = -1;
	c->pid = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	c->fd = pair[0];
	c->pid = fork();
	if (c->pid == 0)
		serve(pair[1], out, setup);
	close(pair[1]);
	if (c->pid < 0)
		return -errno;
	*ret = c;
	c = NULL;
	return 0;
}

static int reap(struct child *c)
{
	int status = 0;

	closep(&c->fd);
	c->fd = -1;
	if (c->pid <= 0)
		return 0;
	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	c->pid = -1;
	return status;
}

struct child *child_free(struct child *c)
{
	if (!c)
		return NULL;
	reap(c);
	free(c);
	return NULL;
}

int child_fd(const struct child *c)
{
	return c->fd;
}

pid_t child_pid(const struct child *c)
{
	return c->pid;
}

int child_send(struct child *c, const struct fetch_order *order)
{
	ssize_t n = send(c->fd, order, sizeof(*order), MSG_NOSIGNAL | MSG_DONTWAIT);

	return n == (ssize_t)sizeof(*order) ? 0 : -EPIPE;
}

static bool sane(const struct fetch_news *n)
{
	return n->verdict < VERDICT_MAX && memchr(n->text, 0, sizeof(n->text)) &&
		memchr(n->location, 0, sizeof(n->location));
}

int child_pop(struct child *c, struct fetch_news *ret)
{
	ssize_t n = recv(c->fd, ret, sizeof(*ret), MSG_DONTWAIT | MSG_TRUNC);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n == (ssize_t)sizeof(*ret) && sane(ret))
		return 1;
	c->broke_rules = n > 0;
	return -EPIPE;
}

/* How it ended tells a crash from a forbidden system call (SIGSYS) from a kernel without seccomp. */
const char *child_end(struct child *c, char *buf, size_t size)
{
	bool broke_rules = c->broke_rules;
	int status = reap(c);

	if (broke_rules)
		snprintf(buf, size, "it said what it cannot say, and was ended");
	else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		snprintf(buf, size, "it ended by itself: %s", strsignal(WTERMSIG(status)));
	else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_LOCK_DOWN)
		snprintf(buf, size, "it could not give up its rights (seccomp not in this kernel?)");
	else
		snprintf(buf, size, "it ended by itself");
	return buf;
}
