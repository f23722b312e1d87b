// SPDX-License-Identifier: GPL-2.0-or-later
/* lockdown: how the parser process gives up everything it does not need; guard_lock_down() in guard.h. */
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "address/guard.h"

#define NOBODY 65534 /* the kernel's overflow user id */
#define CPU_SECONDS 60

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

#define LOAD(field)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define END(action)  BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOW(call)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), END(SECCOMP_RET_ALLOW)

static int filter_calls(void)
{
	static struct sock_filter code[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		END(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		ALLOW(read),
		ALLOW(write),
		ALLOW(exit_group),
		END(SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_fprog program = {.len = ARRAY_SIZE(code), .filter = code};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

/* Keeps keep_fd as descriptor 0 and closes the rest. */
static int keep_only(int keep_fd)
{
	if (dup2(keep_fd, 0) < 0)
		return -errno;
#ifdef __NR_close_range
	if (syscall(__NR_close_range, 1, ~0U, 0) == 0)
		return 0;
#endif
	/* Before Linux 5.9; an agent that just started has few open. */
	for (int fd = 1; fd < 1024; fd++)
		close(fd);
	return 0;
}

static void limit(void)
{
	static const struct {
		int resource;
		rlim_t value;
	} limits[] = {
		{RLIMIT_NOFILE, 0}, {RLIMIT_NPROC, 0}, {RLIMIT_FSIZE, 0}, {RLIMIT_CORE, 0},
		{RLIMIT_MEMLOCK, 0}, {RLIMIT_MSGQUEUE, 0}, {RLIMIT_CPU, CPU_SECONDS},
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

int guard_lock_down(int keep_fd)
{
	int e = keep_only(keep_fd);

	if (e == 0)
		e = change_user();
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
