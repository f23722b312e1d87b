// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * worker: see worker.h. It reads the clock itself: it is a loop of its own, and only it knows when
 * the system call began and ended.
 */
#include "modules/worker.h"

#include <signal.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "modules/kmsg.h"

#define SOCK_FD	   3
#define FIRST_FREE 4

/* Errors whose number alone says more than any log line. */
static enum cause cause_of_error(int error)
{
	switch (-error) {
	case 0:
	case EEXIST: return CAUSE_NONE;
	case EKEYREJECTED:
	case EKEYEXPIRED:
	case EKEYREVOKED: return CAUSE_MODULE_SIGNATURE;
	case ENOMEM: return CAUSE_NO_MEMORY;
	default: return CAUSE_MODULE_FAILED;
	}
}

/* What an errno of finit_module means when the kernel log says nothing. */
static const char *meaning(int error)
{
	static const struct {
		int error;
		const char *words;
	} rows[] = {
		{ENOENT, "a symbol it needs is unknown to the kernel"},
		{ENOEXEC, "not a module for this kernel (format or version)"},
		{EINVAL, "refused: bad option or damaged file"},
		{ENODEV, "found no device it serves"},
		{EPERM, "refused: module loading is disabled or restricted"},
		{EBADMSG, "damaged signature or file"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].error == -error)
			return rows[i].words;
	return strerror(-error);
}

static void explain(
	const struct worker_job *job, const struct kmsg_finding *found, struct worker_result *ret)
{
	ret->cause = cause_of_error(ret->error);
	if (ret->error == -ENOENT && access(job->path, F_OK) < 0) {
		ret->cause = CAUSE_MODULE_MISSING;
		snprintf(ret->text, sizeof(ret->text),
			"it is in the module index, but its file is not there");
		return;
	}
	if (found->cause != CAUSE_NONE &&
		(ret->cause == CAUSE_NONE || ret->cause == CAUSE_MODULE_FAILED))
		ret->cause = found->cause;
	if (*found->text)
		memcpy(ret->text, found->text, sizeof(ret->text));
	else if (ret->error && ret->error != -EEXIST)
		snprintf(ret->text, sizeof(ret->text), "%s", meaning(ret->error));
}

/*
 * EBUSY: somebody else was loading this module and gave up, or it is just going away
 * (kernel/module/main.c, add_unformed_module()); so it was when an agent was killed and its worker with
 * it. The kernel tells nobody when the name is free again, so it is asked again: after 5 ms, doubling
 * to 320 ms, 2.2 s in all. Only this worker waits.
 */
static int insert(const struct worker_job *job, const struct modules_ops *ops)
{
	enum { FIRST_MS = 5, LAST_MS = 320, TRIES = 12 };
	int r = ops->insert(ops->data, job->path, job->options);

	for (int i = 0, ms = FIRST_MS; r == -EBUSY && i < TRIES; i++) {
		poll(NULL, 0, ms);
		ms = ms < LAST_MS ? ms * 2 : LAST_MS;
		r = ops->insert(ops->data, job->path, job->options);
	}
	return r;
}

void worker_run(const struct worker_job *job, const struct modules_ops *ops, int kmsg,
	struct worker_result *ret)
{
	struct kmsg_finding found;

	memset(ret, 0, sizeof(*ret));
	ret->id = job->id;
	kmsg_mark(kmsg);
	ret->begin = now_ns();
	ret->error = insert(job, ops);
	ret->end = now_ns();
	kmsg_collect(kmsg, job->name, ret->error != 0 && ret->error != -EEXIST, &found);
	explain(job, &found, ret);
}

/* close_range(2) by number: older C libraries have no wrapper, kernels before 5.9 no call. */
static void close_from(int first)
{
	long limit = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0)
		return;
#endif
	limit = limit > 0 && limit < 4096 ? limit : 4096;
	for (int fd = first; fd < limit; fd++)
		close(fd);
}

/*
 * A worker may sit in a driver's probe for a minute; it must not hold the agent's sockets open, nor
 * inherit its signal mask (the agent takes signals through a signalfd).
 */
static void detach(int sock)
{
	sigset_t none;

	if (sock != SOCK_FD && dup2(sock, SOCK_FD) < 0)
		_exit(1);
	close_from(FIRST_FREE);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	(void)prctl(PR_SET_NAME, "initagent-mod");
}

void worker_main(const struct env *env, const struct modules_ops *ops, int sock)
{
	struct worker_result result;
	struct worker_job job;
	int kmsg;

	detach(sock);
	kmsg = kmsg_open(env);
	for (;;) {
		ssize_t n = recv(SOCK_FD, &job, sizeof(job), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(job))
			_exit(n == 0 ? 0 : 1);
		job.name[sizeof(job.name) - 1] = 0;
		job.path[sizeof(job.path) - 1] = 0;
		job.options[sizeof(job.options) - 1] = 0;
		(void)setpriority(PRIO_PROCESS, 0, job.nice);
		worker_run(&job, ops, kmsg, &result);
		if (send(SOCK_FD, &result, sizeof(result), MSG_NOSIGNAL) != sizeof(result))
			_exit(1);
	}
}
