/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pidfd: the end of a child process as an event. Older C libraries have no name for the call. Owns
 * nothing.
 * In: a process. Out: a descriptor, the caller's.
 * Callers: boot/. Tests: tests/pid1.bats.
 */
#pragma once

#include <sys/syscall.h>

#include "util.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434 /* the same on every architecture */
#endif

/*
 * pidfd_of: an fd that is readable once the process has ended, close-on-exec. Negative before Linux
 * 5.3. The caller closes it.
 */
static inline int pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}
