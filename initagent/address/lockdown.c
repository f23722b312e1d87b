// SPDX-License-Identifier: GPL-2.0-or-later
/* lockdown: how the parser process gives up everything it does not need; guard_lock_down() in guard.h. */
#include "address/guard.h"
#include "base/confine.h"

#define CPU_SECONDS 60

static struct sock_filter calls[] = {
	CONFINE_START,
	ALLOW(read),
	ALLOW(write),
	ALLOW(exit_group),
	CONFINE_END(SECCOMP_RET_KILL_PROCESS),
};

static const struct confine_limit limits[] = {
	{RLIMIT_NOFILE, 0}, {RLIMIT_NPROC, 0}, {RLIMIT_FSIZE, 0}, {RLIMIT_CORE, 0},
	{RLIMIT_MEMLOCK, 0}, {RLIMIT_MSGQUEUE, 0}, {RLIMIT_CPU, CPU_SECONDS},
};

/* Keeps keep_fd as descriptor 0 and closes the rest. */
static int keep_only(int keep_fd)
{
	if (dup2(keep_fd, 0) < 0)
		return -errno;
	confine_close(1);
	return 0;
}

int guard_lock_down(int keep_fd)
{
	int e = keep_only(keep_fd);

	e = e ? e : confine_user();
	return e ? e : confine_seal(limits, ARRAY_SIZE(limits), calls, ARRAY_SIZE(calls));
}
