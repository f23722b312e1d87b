// SPDX-License-Identifier: GPL-2.0-or-later
/* limited: see limited.h. */
#include "limited.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "util.h"

void limited_run(void (*f)(int arg), int arg, int limit_ms)
{
	int pair[2];
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return;
	pid = fork();
	if (pid == 0) {
		f(arg);
		_exit(0);
	}
	close(pair[1]);
	if (pid > 0) {
		poll(&(struct pollfd){.fd = pair[0], .events = POLLIN}, 1, limit_ms);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, WNOHANG);
	}
	close(pair[0]);
}
