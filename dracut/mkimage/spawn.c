// SPDX-License-Identifier: GPL-2.0-or-later
#include "spawn.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

#define READ_STEP 65536
#define LOG_MAX	  ((size_t)1 << 20)

/* xorriso takes most. */
#define ARGS_MAX 40

/* start: fd_in, fd_out and fd_err become 0, 1, 2 of the child; -1 stands for /dev/null, for fd_err: our own. */
static int start(const char *const argv[], int fd_in, int fd_out, int fd_err, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	char *args[ARGS_MAX + 1];
	size_t n = 0;
	int r;

	for (; n < ARGS_MAX && argv[n]; n++)
		args[n] = strdup(argv[n]);
	args[n] = NULL;
	posix_spawn_file_actions_init(&actions);
	if (fd_in >= 0)
		posix_spawn_file_actions_adddup2(&actions, fd_in, 0);
	else
		posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (fd_out >= 0)
		posix_spawn_file_actions_adddup2(&actions, fd_out, 1);
	else
		posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (fd_err >= 0)
		posix_spawn_file_actions_adddup2(&actions, fd_err, 2);
	r = -posix_spawnp(ret, argv[0], &actions, NULL, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	while (n > 0)
		free(args[--n]);
	return r;
}

static int finish(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

int spawn_run(const char *const argv[])
{
	pid_t pid;
	int r = start(argv, -1, -1, -1, &pid);

	return r < 0 ? r : finish(pid);
}

int spawn_quiet(const char *const argv[], const char *log)
{
	_cleanup_close_ int fd = open(log, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	_cleanup_free_ void *said = NULL;
	size_t size = 0;
	pid_t pid;
	int r;

	if (fd < 0)
		return -errno;
	r = start(argv, -1, -1, fd, &pid);
	if (r == 0)
		r = finish(pid);
	if (r < 0 && lseek(fd, 0, SEEK_SET) == 0 && read_all(fd, LOG_MAX, &said, &size) == 0)
		fwrite(said, 1, size, stderr);
	return r;
}

int read_all(int fd, size_t limit, void **ret, size_t *ret_size)
{
	_cleanup_free_ char *data = NULL;
	size_t size = 0, room = 0;

	for (;;) {
		ssize_t n;

		if (room - size < READ_STEP) {
			char *more = realloc(data, 2 * room + READ_STEP);

			if (!more)
				return -ENOMEM;
			data = more;
			room = 2 * room + READ_STEP;
		}
		n = read(fd, data + size, READ_STEP);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		size += (size_t)n;
		if (size > limit)
			return -EFBIG;
	}
	*ret = data;
	data = NULL;
	*ret_size = size;
	return 0;
}

int spawn_filter(const char *const argv[], int fd, size_t limit, void **ret, size_t *ret_size)
{
	_cleanup_free_ void *data = NULL;
	size_t size;
	int pipefd[2];
	pid_t pid;
	int r, q;

	if (pipe2(pipefd, O_CLOEXEC) < 0)
		return -errno;
	r = start(argv, fd, pipefd[1], -1, &pid);
	close(pipefd[1]);
	if (r == 0) {
		r = read_all(pipefd[0], limit, &data, &size);
		close(pipefd[0]); /* before the wait: a child that still writes must not block */
		q = finish(pid);
		r = r < 0 ? r : q;
	} else {
		close(pipefd[0]);
	}
	if (r < 0)
		return r;
	*ret = data;
	data = NULL;
	*ret_size = size;
	return 0;
}
