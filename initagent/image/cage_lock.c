// SPDX-License-Identifier: GPL-2.0-or-later
/* cage_lock: see cage_lock.h. */
#include "image/cage_lock.h"

#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define NOBODY 65534 /* the kernel's overflow user id */

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

/* The address sanitizer's shadow takes terabytes of address space. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

#ifndef __NR_openat2
#define __NR_openat2 437
#endif
#ifndef __NR_close_range
#define __NR_close_range 436
#endif

#define LOAD(field)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define END(action)  BPF_STMT(BPF_RET | BPF_K, action)
#define ALLOW(call)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), END(SECCOMP_RET_ALLOW)

/* What reading, writing and memory need, of either C library. */
#define ALLOW_COMPUTE                                                                                  \
	ALLOW(read), ALLOW(pread64), ALLOW(readv), ALLOW(write), ALLOW(writev), ALLOW(exit_group),     \
		ALLOW(exit), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(mprotect), ALLOW(brk),   \
		ALLOW(madvise), ALLOW(futex), ALLOW(sched_yield), ALLOW(gettid), ALLOW(getpid),        \
		ALLOW(rt_sigprocmask), ALLOW(rt_sigaction), ALLOW(sigaltstack), ALLOW(clock_gettime)
#define ALLOW_START LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),                       \
		END(SECCOMP_RET_KILL_PROCESS), LOAD(nr)

static struct sock_filter compute_code[] = {
	ALLOW_START,
	ALLOW_COMPUTE,
	END(SECCOMP_RET_KILL_PROCESS),
};

/* Nothing here opens a path but openat2, whose flags keep it below the directory. */
static struct sock_filter unpack_code[] = {
	ALLOW_START,
	ALLOW_COMPUTE,
	ALLOW(openat2),
	ALLOW(close),
	ALLOW(pwrite64),
	ALLOW(lseek),
	ALLOW(ftruncate),
	ALLOW(fallocate),
	ALLOW(fstat),
#ifdef __NR_newfstatat
	ALLOW(newfstatat),
#endif
	ALLOW(mkdirat),
	ALLOW(mknodat),
	ALLOW(symlinkat),
	ALLOW(linkat),
	ALLOW(unlinkat),
	ALLOW(fchown),
	ALLOW(fchownat),
	ALLOW(fchmod),
	ALLOW(utimensat),
	ALLOW(fsetxattr),
	END(SECCOMP_RET_KILL_PROCESS),
};

static int filter_calls(enum cage_rights rights)
{
	const struct sock_fprog programs[] = {
		[CAGE_COMPUTE] = {ARRAY_SIZE(compute_code), compute_code},
		[CAGE_UNPACK] = {ARRAY_SIZE(unpack_code), unpack_code},
	};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &programs[rights]) < 0 ? -errno : 0;
}

/*
 * in becomes 0, out becomes 1, the rest is closed. Copies above both first, so that neither is
 * overwritten before it is moved.
 */
static int keep_only(int in, int out)
{
	enum { FREE = 16 };
	int high_in = in >= 0 ? fcntl(in, F_DUPFD, FREE) : -1;
	int high_out = fcntl(out, F_DUPFD, FREE);

	if (high_out < 0 || (in >= 0 && high_in < 0))
		return -errno;
	if (dup2(high_out, 1) < 0 || (in >= 0 && dup2(high_in, 0) < 0))
		return -errno;
	if (in < 0)
		close(0);
	if (syscall(__NR_close_range, 2, ~0U, 0) == 0)
		return 0;
	/* Before Linux 5.9. */
	for (int fd = 2; fd < 1024; fd++)
		close(fd);
	return 0;
}

static void limit(const struct cage_job *job)
{
	const struct {
		int resource;
		rlim_t value;
		bool wanted;
	} limits[] = {
		{RLIMIT_CORE, 0, true},
		{RLIMIT_NPROC, 0, job->rights == CAGE_COMPUTE},
		{RLIMIT_NOFILE, 16, true},
		{RLIMIT_MEMLOCK, 0, true},
		{RLIMIT_CPU, job->cpu_s, job->cpu_s != 0},
		{RLIMIT_AS, job->memory, job->memory != 0 && !SANITIZED},
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		const struct rlimit r = {limits[i].value, limits[i].value};

		if (limits[i].wanted)
			setrlimit((unsigned)limits[i].resource, &r);
	}
}

/* Capabilities go with the user id. Who is not root (tests) has none to drop. */
static int become_nobody(void)
{
	if (geteuid() != 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
		setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return -errno;
	return 0;
}

/*
 * Files of a root belong to many users, and some carry set-user-id bits or capabilities: that takes
 * these, in a root directory that holds nothing but what is unpacked, and no way out of it.
 */
static int shrink_capabilities(void)
{
	const uint32_t keep = 1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER |
		1u << CAP_FSETID | 1u << CAP_SETFCAP;
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{.effective = keep, .permitted = keep}};

	if (geteuid() != 0)
		return 0;
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

/* The network goes, too; where namespaces are not to be had the filter alone must do. */
static int enter_root(const char *root)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWIPC) < 0 && errno != EPERM && errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (chdir(root) < 0 || chroot(".") < 0)
		return -errno;
	return 0;
}

int cage_lock(const struct cage_job *job, int out)
{
	bool unpack = job->rights == CAGE_UNPACK;
	int r = unpack ? enter_root(job->root) : 0;

	if (r == 0)
		r = keep_only(job->in, out);
	if (r == 0)
		r = unpack ? shrink_capabilities() : become_nobody();
	if (r < 0)
		return r;
	/* After the change of user, which resets both. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	limit(job);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return filter_calls(job->rights);
}
