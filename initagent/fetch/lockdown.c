// SPDX-License-Identifier: GPL-2.0-or-later
/* lockdown: see lockdown.h. */
#include "fetch/lockdown.h"

#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "util.h"

#define NOBODY	  65534 /* the kernel's overflow user id */
#define FILES_MAX 32	/* sockets of a few kept connections */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define ARCH AUDIT_ARCH_PPC64LE
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#else
#error "add this architecture's AUDIT_ARCH_ value"
#endif

#define LOAD(field)   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define END(action)   BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOW(call)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), END(SECCOMP_RET_ALLOW)
#define REFUSE(call)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), END(SECCOMP_RET_ERRNO | EACCES)

/*
 * Files cannot be opened; libraries that try are told so and go on. Memory cannot be made executable. A socket may be
 * of the internet's families only: the type, whose flags differ between libraries, is not looked at.
 */
static int filter_calls(void)
{
	static struct sock_filter code[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		END(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
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
		LOAD(args[2]),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 6, 0),
		END(SECCOMP_RET_ALLOW),
		LOAD(args[0]),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 2),
		END(SECCOMP_RET_KILL_PROCESS),
		END(SECCOMP_RET_ALLOW),
		END(SECCOMP_RET_ERRNO | EACCES),
	};
	const struct sock_fprog program = {.len = ARRAY_SIZE(code), .filter = code};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

/* A file may be as large as the room the agent found for it; the process may not make others. */
static void limit(void)
{
	static const struct {
		int resource;
		rlim_t value;
	} limits[] = {
		{RLIMIT_NOFILE, FILES_MAX}, {RLIMIT_NPROC, 0}, {RLIMIT_CORE, 0}, {RLIMIT_MEMLOCK, 0},
		{RLIMIT_MSGQUEUE, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		const struct rlimit r = {limits[i].value, limits[i].value};

		setrlimit((unsigned)limits[i].resource, &r);
	}
}

/* Capabilities go with the user id. An agent that is not root (tests) has none to drop. */
static int change_user(void)
{
	if (geteuid() != 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
		setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return -errno;
	return 0;
}

int fetch_lockdown(void)
{
	int e = change_user();

	if (e < 0)
		return e;
	/* After the change of user, which resets both. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	limit();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return filter_calls();
}
