// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tell/life.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/util.h"

/* RLIMIT_CPU bounds what a process that was taken over could burn until then. */
int limit_life(unsigned seconds)
{
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	const struct itimerspec life = {.it_value = {.tv_sec = (time_t)seconds}};
	const struct rlimit cpu = {seconds, seconds};
	int timer;

	setrlimit(RLIMIT_CPU, &cpu);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* Not by way of the C library, which brings its threads along. */
	if (syscall(__NR_timer_create, CLOCK_BOOTTIME, &ev, &timer) < 0)
		return -errno;
	return syscall(__NR_timer_settime, timer, 0, &life, NULL) < 0 ? -errno : 0;
}
