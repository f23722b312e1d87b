// SPDX-License-Identifier: GPL-2.0-or-later
/* cage: see cage.h. */
#include "base/cage.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/cage_lock.h"

#define EXIT_NOT_LOCKED 126

__attribute__((noreturn)) static void child(const struct cage_job *job, int out)
{
	if (job->prepare)
		job->prepare(job->arg);
	if (cage_lock(job, out) < 0)
		_exit(EXIT_NOT_LOCKED);
	/* cage_lock() moved both. */
	_exit(job->run(job->arg, job->in >= 0 ? 0 : -1, 1));
}

int cage_start(struct cage *c, const struct cage_job *job)
{
	int ends[2];
	pid_t pid;

	*c = CAGE_NONE;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		int e = -errno;

		close(ends[0]);
		close(ends[1]);
		return e;
	}
	if (pid == 0)
		child(job, ends[1]);
	close(ends[1]);
	c->pid = pid;
	c->fd = ends[0];
	return 0;
}

int cage_read(struct cage *c, void *message, size_t size)
{
	uint8_t *at = message;
	size_t have = 0;

	while (have < size) {
		ssize_t n = read(c->fd, at + have, size - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return have ? -EIO : 0;
		have += (size_t)n;
	}
	return 1;
}

int cage_end(struct cage *c)
{
	int status = 0;

	closep(&c->fd);
	c->fd = -1;
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	c->pid = -1;
	return status;
}

const char *cage_end_text(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_LOCKED)
		return "it could not give up its rights (seccomp not in this kernel?)";
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		return "it tried what it may not do, and was ended";
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return "it took too long";
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return "it was killed (SIGKILL: out of memory? see the kernel's message)";
	if (WIFSIGNALED(status))
		return strsignal(WTERMSIG(status));
	return "it ended by itself";
}

int cage_write(int out, const void *message, size_t size)
{
	const uint8_t *at = message;

	while (size) {
		ssize_t n = write(out, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		size -= (size_t)n;
	}
	return 0;
}
