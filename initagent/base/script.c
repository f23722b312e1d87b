// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/script.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "base/worker.h"

__attribute__((noreturn)) static void become(const struct script *s, int out, int error)
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
		goto fail;
	if (s->root && (chroot(s->root) < 0 || chdir("/") < 0))
		goto fail;
	execve(s->program, s->argv, envp);
fail:
	_exit(write(error, &errno, sizeof(errno)) < 0 ? 126 : 127);
}

/* The signal may be another child's, as process 1 has them. */
static bool has_ended(pid_t pid, int signals)
{
	struct signalfd_siginfo taken;
	siginfo_t info = {0};

	(void)!read(signals, &taken, sizeof(taken));
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid;
}

/* Lines of the script and of what it left in the background, until the script itself has ended. */
static void hand_on(pid_t pid, int fd, int signals, void (*line)(const char *text, void *arg),
	void *arg)
{
	struct pollfd p[] = {{.fd = fd, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	char text[SCRIPT_LINE_MAX];
	bool ended = false;
	size_t have = 0;

	for (;;) {
		char c = '\n'; /* also where no byte comes */
		ssize_t n = read(fd, &c, 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN && !ended) {
			ended = has_ended(pid, signals);
			if (!ended)
				poll(p, ARRAY_SIZE(p), -1);
			continue;
		}
		if (have && (c == '\n' || have == sizeof(text) - 1)) {
			text[have] = 0;
			line(text, arg);
			have = 0;
		}
		if (c != '\n')
			text[have++] = c;
		if (n <= 0)
			return;
	}
}

/* Closed by execve: no errno comes out of it then. */
static int started(int fd)
{
	int error = 0;

	return read(fd, &error, sizeof(error)) == (ssize_t)sizeof(error) ? -error : 0;
}

int script_run(const struct script *s, void (*line)(const char *text, void *arg), void *arg)
{
	_cleanup_close_ int from = -1, failed = -1, signals = -1;
	int out[2], error[2], status = 0, r;
	sigset_t end;
	pid_t pid;

	/* Older kernels have no pidfd_open(2). */
	sigemptyset(&end);
	sigaddset(&end, SIGCHLD);
	sigprocmask(SIG_BLOCK, &end, NULL);
	signals = signalfd(-1, &end, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0 || pipe2(out, O_CLOEXEC) < 0)
		return -errno;
	from = out[0];
	r = pipe2(error, O_CLOEXEC) < 0 ? -errno : fcntl(from, F_SETFL, O_NONBLOCK);
	pid = r < 0 ? -1 : fork();
	if (pid == 0)
		become(s, out[1], error[1]);
	close(out[1]);
	if (r < 0)
		return r;
	failed = error[0];
	close(error[1]);
	if (pid < 0)
		return -EAGAIN;
	r = started(failed);
	hand_on(pid, from, signals, line, arg);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return r < 0 ? r : status;
}
