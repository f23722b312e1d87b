// SPDX-License-Identifier: GPL-2.0-or-later
/* netns: see netns.h. */
#include "netns.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "check.h"

void netns_enter(void)
{
	if (unshare(CLONE_NEWNET) < 0)
		check_skip("no right to make a network namespace: %s", strerror(errno));
	netns_run("ip link set lo up");
}

pid_t netns_peer(void)
{
	int ready[2];
	pid_t pid;
	char byte = 0;

	CHECK_INT(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (unshare(CLONE_NEWNET) == 0 && write(ready[1], &byte, 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	CHECK_INT(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	netns_run_in(pid, "ip link set lo up");
	return pid;
}

static void run(const char *command)
{
	int status = system(command);

	if (status != 0)
		check_fail(__FILE__, __LINE__, "status %d: %s", status, command);
}

void netns_run(const char *fmt, ...)
{
	char command[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	run(command);
}

void netns_run_in(pid_t pid, const char *fmt, ...)
{
	char command[1024], text[900];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	snprintf(command, sizeof(command), "nsenter -t %d -n sh -c '%s'", (int)pid, text);
	run(command);
}

void netns_veth(const char *name, const char *peer, pid_t pid)
{
	if (pid)
		netns_run("ip link add %s type veth peer name %s netns %d", name, peer, (int)pid);
	else
		netns_run("ip link add %s type veth peer name %s", name, peer);
}

void netns_join(pid_t pid)
{
	_cleanup_close_ int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_INT(setns(fd, CLONE_NEWNET), 0);
}
