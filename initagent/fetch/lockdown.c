// SPDX-License-Identifier: GPL-2.0-or-later
/* lockdown: see lockdown.h. */
#include "fetch/lockdown.h"

#include <sys/mman.h>
#include <sys/socket.h>

#include "base/confine.h"

#define FILES_MAX 32 /* sockets of a few kept connections */

/*
 * Files cannot be opened; libraries that try are told so and go on. Memory cannot be made executable. A socket may be
 * of the internet's families only: the type, whose flags differ between libraries, is not looked at.
 */
static struct sock_filter calls[] = {
	CONFINE_START,
	ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev), ALLOW(pread64), ALLOW(pwrite64), ALLOW(ftruncate),
	ALLOW(recvfrom), ALLOW(sendto), ALLOW(recvmsg), ALLOW(sendmsg), ALLOW(connect),
	ALLOW(getsockopt), ALLOW(setsockopt), ALLOW(getsockname), ALLOW(getpeername), ALLOW(shutdown),
#ifdef __NR_poll
	ALLOW(poll),
#endif
	ALLOW(ppoll), ALLOW(restart_syscall), ALLOW(close), ALLOW(fcntl),
	ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(brk),
	ALLOW(futex), ALLOW(getrandom), ALLOW(clock_gettime), ALLOW(gettimeofday),
	ALLOW(getpid), ALLOW(gettid), ALLOW(getuid), ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid),
	ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack),
	ALLOW(sched_yield), ALLOW(exit), ALLOW(exit_group),
	REFUSE(ioctl), REFUSE(openat), REFUSE(uname), REFUSE(newfstatat), REFUSE(fstat),
#ifdef __NR_open
	REFUSE(open), REFUSE(stat), REFUSE(access), REFUSE(readlink),
#endif
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_socket, 5, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 1, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mprotect, 0, 6),
	CONFINE_LOAD(args[2]),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 6, 0),
	CONFINE_END(SECCOMP_RET_ALLOW),
	CONFINE_LOAD(args[0]),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 2),
	CONFINE_END(SECCOMP_RET_KILL_PROCESS),
	CONFINE_END(SECCOMP_RET_ALLOW),
	CONFINE_END(SECCOMP_RET_ERRNO | EACCES),
};

/* A file may be as large as the room the agent found for it; the process may not make others. */
static const struct confine_limit limits[] = {
	{RLIMIT_NOFILE, FILES_MAX}, {RLIMIT_NPROC, 0}, {RLIMIT_CORE, 0}, {RLIMIT_MEMLOCK, 0},
	{RLIMIT_MSGQUEUE, 0},
};

int fetch_lockdown_outliving(void)
{
	int e = confine_user();

	return e ? e : confine_seal_outliving(limits, ARRAY_SIZE(limits), calls, ARRAY_SIZE(calls));
}

int fetch_lockdown(void)
{
	int e = confine_user();

	return e ? e : confine_seal(limits, ARRAY_SIZE(limits), calls, ARRAY_SIZE(calls));
}
