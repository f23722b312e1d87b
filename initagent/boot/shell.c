// SPDX-License-Identifier: GPL-2.0-or-later

#include "shell.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "report/console.h"

static const char *const shell_argv[] = {"-sh", NULL};
static const char *const shell_envp[] = {
	"PATH=/bin:/sbin:/usr/bin:/usr/sbin", "HOME=/root", "TERM=linux", "PS1=initagent:\\w# ",
		NULL,
};

/* The console as controlling terminal, so that job control and Ctrl-C work. */
static void shell_child(void)
{
	int fd;

	setsid();
	fd = open("/dev/console", O_RDWR);
	if (fd >= 0) {
		ioctl(fd, TIOCSCTTY, 1);
		dup2(fd, 0);
		dup2(fd, 1);
		dup2(fd, 2);
	}
	/* execve takes char *const *; it does not write to the strings. */
	execve("/bin/sh", (char *const *)(uintptr_t)shell_argv,
		(char *const *)(uintptr_t)shell_envp);
	_exit(127);
}

int shell_run(const char *why, const char *leaving)
{
	char line[128];
	pid_t pid;
	int status;

	if (access("/bin/sh", X_OK) < 0)
		return -ENOENT;
	console_line(STDERR_FILENO, why);
	snprintf(line, sizeof(line),
		"initagent: 'exit' %s; 'initagent status' shows what happened, 'reboot' restarts "
		"the machine", leaving);
	console_line(STDERR_FILENO, line);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		shell_child();
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? -ENOENT : 0;
}
