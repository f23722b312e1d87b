// SPDX-License-Identifier: GPL-2.0-or-later
/* cache: see cache.h. */
#include "root/cache/cache.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "report/report.h"
#include "root/cache/cache_work.h"
#include "base/confine.h"
#include "base/pidfd.h"

#define MESSAGES_PER_DISPATCH 16

/* Without a word from it; the search for a disk that is not there is within. */
#define SILENCE_MAX (30 * NSEC_PER_SEC)
/* What a killed process may take to be gone before it is left to the kernel. */
#define GONE_MS	    500

struct cache {
	const struct env *env;
	int fd;
	pid_t child;
	uint64_t began, deadline;
	enum cache_event event;
	struct cache_message message; /* the last one */
	char place[CACHE_TEXT_MAX];
};

/* --- the process --------------------------------------------------------------------------- */

__attribute__((noreturn)) static void child_run(const struct env *env, const struct cache_config *given, int out)
{
	struct cache_config cfg = *given;
	int r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	r = confine_keep((int *[]){&cfg.file, &out}, 2);
	if (r == 0)
		cache_work(env, &cfg, out);
	_exit(r < 0);
}

/* A process that waits for a disk cannot be killed; nobody else shall wait for it. */
static void reap(struct cache *c)
{
	struct pollfd p = {.fd = -1, .events = POLLIN};

	if (c->child > 0) {
		kill(c->child, SIGKILL);
		p.fd = pidfd_of(c->child);
		if (p.fd >= 0)
			poll(&p, 1, GONE_MS);
		waitpid(c->child, NULL, p.fd >= 0 ? WNOHANG : 0);
		closep(&p.fd);
	}
	c->child = -1;
	closep(&c->fd);
	c->fd = -1;
	c->deadline = NSEC_NEVER;
}

/* --- the agent's end ----------------------------------------------------------------------- */

int cache_new(struct cache **ret, const struct env *env, const struct cache_config *cfg, uint64_t now)
{
	_cleanup_(cache_freep) struct cache *c = calloc(1, sizeof(*c));
	int pair[2];

	if (!c)
		return -ENOMEM;
	c->env = env;
	c->fd = -1;
	c->began = now;
	c->deadline = now + SILENCE_MAX;
	strscpy(c->place, cfg->place, sizeof(c->place));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	c->fd = pair[0];
	c->child = fork();
	if (c->child == 0)
		child_run(env, cfg, pair[1]);
	close(pair[1]);
	if (c->child < 0)
		return -errno;
	*ret = c;
	c = NULL;
	return 0;
}

struct cache *cache_free(struct cache *c)
{
	if (!c)
		return NULL;
	reap(c);
	free(c);
	return NULL;
}

int cache_fd(const struct cache *c)
{
	return c->fd;
}

uint64_t cache_deadline(const struct cache *c)
{
	return c->deadline;
}

static void finish(struct cache *c, uint64_t now)
{
	struct cache_message *m = &c->message;

	m->text[sizeof(m->text) - 1] = 0;
	if (m->cause < 0 || m->cause >= CAUSE_MAX)
		m->cause = CAUSE_INTERNAL;
	c->event = m->good ? CACHE_EVENT_DONE : CACHE_EVENT_MISSED;
	reap(c);
	report_span(c->env->report, "cache", c->place, c->began, now, m->cause ? -EIO : 0);
}

static void gave_up(struct cache *c, const char *why, uint64_t now)
{
	c->message.good = 0;
	c->message.cause = CAUSE_CACHE;
	snprintf(c->message.text, sizeof(c->message.text), "%.200s: %s", c->place, why);
	finish(c, now);
}

void cache_dispatch(struct cache *c, uint64_t now)
{
	struct cache_message in;

	for (int budget = MESSAGES_PER_DISPATCH; c->fd >= 0 && budget > 0; budget--) {
		ssize_t n = recv(c->fd, &in, sizeof(in), MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n != (ssize_t)sizeof(in)) {
			gave_up(c, "the process that works on it died", now);
			return;
		}
		c->message = in;
		c->deadline = now + SILENCE_MAX;
		c->event = CACHE_EVENT_PROGRESS;
		if (in.final)
			finish(c, now);
	}
	if (now >= c->deadline)
		gave_up(c, "the disk does not answer", now);
}

enum cache_event cache_pop_event(struct cache *c)
{
	enum cache_event e = c->event;

	c->event = CACHE_EVENT_NONE;
	return e;
}

void cache_progress(const struct cache *c, uint64_t *ret_bytes, uint64_t *ret_size)
{
	*ret_bytes = c->message.bytes;
	*ret_size = c->message.size;
}

enum cause cache_failure(const struct cache *c, const char **ret_text)
{
	*ret_text = c->message.text;
	return (enum cause)c->message.cause;
}
