// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loader: see loader.h. It reads the clock itself: it is a loop of its own, and only it knows when
 * the system call began and ended.
 */
#include "modules/loader.h"

#include <signal.h>
#include <poll.h>
#include <sys/resource.h>

#include "base/worker.h"
#include "modules/kmsg.h"

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
		{ENODEV, "found no device that it supports"},
		{EPERM, "refused: module loading is disabled or restricted"},
		{EBADMSG, "damaged signature or file"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].error == -error)
			return rows[i].words;
	return strerror(-error);
}

static void explain(
	const struct load_job *job, const struct kmsg_finding *found, struct load_result *ret)
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
 * EBUSY: another process was loading this module and gave up, or it is just going away
 * (kernel/module/main.c, add_unformed_module()); so it was when an agent was killed and its worker
 * with it. The kernel has no event for the name being free again, so it is asked again: after 5 ms,
 * doubling to 320 ms, 2.2 s in all. Only this worker waits.
 *
 * Linux 6.5 and later let one call load a file and give its result to all others that ask for it
 * meanwhile (idempotent_init_module()): where that call's process was killed, EINTR, or the ENOMEM
 * that a module makes of it (no thread is made for a killed process). A load of our own follows.
 */
static int tries_after(int error)
{
	if (error == -EBUSY)
		return 12;
	return error == -EINTR || error == -ENOMEM ? 1 : 0;
}

static int insert(const struct load_job *job, const struct modules_ops *ops)
{
	enum { FIRST_MS = 5, LAST_MS = 320 };
	int r = ops->insert(ops->data, job->path, job->options), ms = FIRST_MS;

	for (int i = 0; i < tries_after(r); i++) {
		poll(NULL, 0, ms);
		ms = ms < LAST_MS ? ms * 2 : LAST_MS;
		r = ops->insert(ops->data, job->path, job->options);
	}
	return r;
}

void loader_run(const struct load_job *job, const struct modules_ops *ops, int kmsg,
	struct load_result *ret)
{
	struct kmsg_finding found;

	memset(ret, 0, sizeof(*ret));
	ret->id = job->id;
	kmsg_mark(kmsg);
	ret->begin = now_ns();
	ret->error = insert(job, ops);
	ret->end = now_ns();
	kmsg_collect(kmsg, job->name, ret->error != 0 && ret->error != -EEXIST, KMSG_RECENT,
		&found);
	explain(job, &found, ret);
}

/*
 * The agent takes signals through a signalfd; a process that sits in a driver's probe must not
 * inherit that mask.
 */
int loader_main(const struct env *env, const struct modules_ops *ops)
{
	struct load_result result;
	struct load_job job;
	sigset_t none;
	int kmsg;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	kmsg = kmsg_open(env);
	while (worker_next(&job, sizeof(job))) {
		job.name[sizeof(job.name) - 1] = 0;
		job.path[sizeof(job.path) - 1] = 0;
		job.options[sizeof(job.options) - 1] = 0;
		(void)setpriority(PRIO_PROCESS, 0, job.nice);
		loader_run(&job, ops, kmsg, &result);
		if (worker_reply(&result, sizeof(result)) < 0)
			return 1;
	}
	return 0;
}
