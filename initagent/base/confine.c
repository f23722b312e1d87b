// SPDX-License-Identifier: GPL-2.0-or-later
/* confine: see confine.h. */
#include "confine.h"

#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>

#define FIRST  3	   /* descriptor behind stdin, stdout and stderr */
#define SPARE  64	   /* descriptors from here on are not yet where they shall be */
#define NOBODY 65534 /* the kernel's overflow user id */

#ifndef __NR_close_range
#define __NR_close_range 436 /* the same on every architecture */
#endif

int confine_user(void)
{
	if (geteuid() != 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
		setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return -errno;
	return 0;
}

void confine_limits(const struct confine_limit *limits, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct rlimit r = {limits[i].value, limits[i].value};

		setrlimit((unsigned)limits[i].resource, &r);
	}
}

int confine_seal(const struct confine_limit *limits, size_t n, struct sock_filter *list, size_t len)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return confine_seal_outliving(limits, n, list, len);
}

int confine_seal_outliving(const struct confine_limit *limits, size_t n, struct sock_filter *list, size_t len)
{
	const struct sock_fprog program = {.len = (unsigned short)len, .filter = list};
	long r;

	prctl(PR_SET_DUMPABLE, 0);
	confine_limits(limits, n);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	/* Of all threads, or none. */
	r = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
	return r < 0 ? -errno : r > 0 ? -ESRCH : 0;
}

void confine_close(int first)
{
	if (syscall(__NR_close_range, first, ~0U, 0) == 0)
		return;
	/* Before Linux 5.9; an agent that just started has few open. */
	for (int fd = first; fd < 1024; fd++)
		close(fd);
}

/* Copies far above first, so that none is overwritten before it is moved. */
int confine_keep(int *const *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int high = *fds[i] < 0 ? -1 : fcntl(*fds[i], F_DUPFD, SPARE);

		if (*fds[i] >= 0 && high < 0)
			return -errno;
		*fds[i] = high;
	}
	for (int i = 0; i < (int)n; i++) {
		int fd = FIRST + i;

		if (*fds[i] < 0)
			close(fd);
		else if (dup3(*fds[i], fd, O_CLOEXEC) < 0)
			return -errno;
		else
			*fds[i] = fd;
	}
	confine_close(FIRST + (int)n);
	return 0;
}

void confine_mute(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < FIRST && null >= 0; fd++)
		dup2(null, fd);
	if (null >= FIRST)
		close(null);
}
