// SPDX-License-Identifier: GPL-2.0-or-later
/* attempt: see attempt.h. */
#include "attempt.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "confine.h"

/* A killed process returns at once unless the kernel is in trouble: then nobody waits for it. */
#define KILL_LIMIT_MS 1000

/* A copy of a packet socket here would keep it alive, and in the parent's epoll, after the parent closed it. */
static int keep_only(int fd)
{
	enum { FIRST = 3 }; /* stdin, stdout, stderr stay */

	if (fd != FIRST && dup2(fd, FIRST) < 0)
		return fd;
	confine_close(FIRST + 1);
	return FIRST;
}

pid_t attempt_fork(int *ret_fd)
{
	int pair[2], e;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		*ret_fd = keep_only(pair[1]);
		return 0;
	}
	e = errno;
	close(pair[1]);
	if (child < 0) {
		close(pair[0]);
		return -e;
	}
	*ret_fd = pair[0];
	return child;
}

/* Its end of the socket closes when it dies, which tells that waitpid() will not wait. */
void attempt_end(pid_t *child, int *fd)
{
	struct pollfd end = {.fd = *fd, .events = POLLRDHUP};

	if (*child > 0) {
		kill(*child, SIGKILL);
		if (poll(&end, 1, KILL_LIMIT_MS) > 0)
			while (waitpid(*child, NULL, 0) < 0 && errno == EINTR)
				continue;
	}
	*child = -1;
	closep(fd);
	*fd = -1;
}
