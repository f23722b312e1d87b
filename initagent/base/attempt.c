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

pid_t attempt_fork(int *ret_fd)
{
	int pair[2], e;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* Should it fail, nobody is told of the outcome: as if the process had died. */
		if (confine_keep((int *[]){&pair[1]}, 1) < 0)
			_exit(1);
		*ret_fd = pair[1];
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
