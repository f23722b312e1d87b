// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/script.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/worker.h"

__attribute__((noreturn)) static void become(const struct script *s, int out)
{
	char *envp[SCRIPT_ENV_MAX + 4] = {(char[]){"PATH=/sbin:/usr/sbin:/bin:/usr/bin"},
		(char[]){"HOME=/root"}, (char[]){"TERM=linux"}};
	sigset_t none;

	for (size_t i = 0; s->envp && s->envp[i] && i < SCRIPT_ENV_MAX; i++)
		envp[i + 3] = s->envp[i];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	close(WORKER_SOCKET);
	setsid();
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	if (s->host && (unshare(CLONE_NEWUTS) < 0 || sethostname(s->host, strlen(s->host)) < 0))
		_exit(126);
	if (s->root && (chroot(s->root) < 0 || chdir("/") < 0))
		_exit(126);
	execve(s->program, s->argv, envp);
	_exit(127);
}

static void hand_on(int fd, void (*line)(const char *text, void *arg), void *arg)
{
	FILE *in = fdopen(fd, "re");
	char text[SCRIPT_LINE_MAX];

	while (in && fgets(text, sizeof(text), in)) {
		text[strcspn(text, "\n")] = 0;
		if (*text)
			line(text, arg);
	}
	if (in)
		fclose(in);
}

int script_run(const struct script *s, void (*line)(const char *text, void *arg), void *arg)
{
	int out[2], status = 0;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		become(s, out[1]);
	close(out[1]);
	hand_on(out[0], line, arg);
	if (pid < 0)
		return -EAGAIN;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}
