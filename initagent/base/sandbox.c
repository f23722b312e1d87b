// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/sandbox.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#define NOBODY 65534 /* the kernel's overflow user id */

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define FILTER_ARCH AUDIT_ARCH_PPC64LE
#elif defined(__riscv) && __riscv_xlen == 64
#define FILTER_ARCH AUDIT_ARCH_RISCV64
#else
#error "add this architecture's AUDIT_ARCH_ value"
#endif

/* Parts of a list of system calls (seccomp(2)); START comes first and loads the call's number. */
#define FILTER_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define FILTER_END(action) BPF_STMT(BPF_RET | BPF_K, action)
#define FILTER_START \
	FILTER_LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0), \
		FILTER_END(SECCOMP_RET_KILL_PROCESS), FILTER_LOAD(nr)
#define FILTER_CALL(number, action) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), FILTER_END(action)
#define ALLOW(call)  FILTER_CALL(__NR_##call, SECCOMP_RET_ALLOW)
#define REFUSE(call) FILTER_CALL(__NR_##call, SECCOMP_RET_ERRNO | EACCES)
/* Only with this second argument. */
#define ALLOW_ONLY(call, second)                                                   \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), FILTER_LOAD(args[1]), \
		FILTER_CALL(second, SECCOMP_RET_ALLOW),                            \
		FILTER_END(SECCOMP_RET_KILL_PROCESS)

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

/*
 * What reading, writing and memory need, of either C library. rt_sigreturn: a change of the user
 * reaches threads as a signal, whose handler may return after that.
 */
#define ALLOW_COMPUTE                                                                              \
	ALLOW(read), ALLOW(pread64), ALLOW(readv), ALLOW(write), ALLOW(writev), ALLOW(exit_group), \
		ALLOW(exit), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(mprotect),           \
		ALLOW(brk), ALLOW(madvise), ALLOW(futex), ALLOW(sched_yield), ALLOW(gettid),       \
		ALLOW(getpid), ALLOW(rt_sigprocmask), ALLOW(rt_sigaction), ALLOW(rt_sigreturn),    \
		ALLOW(sigaltstack), ALLOW(clock_gettime)

/*
 * pwrite(3): musl from 1.2.6 on asks for pwritev2 with RWF_NOAPPEND, and where the kernel (before
 * 6.9) does not know that, for the descriptor's flags.
 */
#define ALLOW_PWRITE ALLOW(pwrite64), ALLOW(pwritev2)

static struct sock_filter parse_calls[] = {
	FILTER_START,
	ALLOW(read),
	ALLOW(write),
	ALLOW(exit_group),
	FILTER_END(SECCOMP_RET_KILL_PROCESS),
};

static struct sock_filter compute_calls[] = {
	FILTER_START,
	ALLOW_COMPUTE,
	FILTER_END(SECCOMP_RET_KILL_PROCESS),
};

static struct sock_filter write_calls[] = {
	FILTER_START,
	ALLOW_COMPUTE,
	ALLOW_PWRITE,
	ALLOW_ONLY(fcntl, F_GETFL),
	ALLOW(ftruncate),
	FILTER_END(SECCOMP_RET_KILL_PROCESS),
};

/* Nothing here opens a path but openat2, whose flags keep it below the directory. */
static struct sock_filter unpack_calls[] = {
	FILTER_START,
	FILTER_CALL(__NR_openat, SECCOMP_RET_KILL_PROCESS), /* see allow_open() */
	ALLOW_COMPUTE,
	ALLOW(openat2),
	ALLOW(close),
	ALLOW_PWRITE,
	ALLOW_ONLY(fcntl, F_GETFL),
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
	ALLOW(readlinkat),
	ALLOW(linkat),
	ALLOW(unlinkat),
	ALLOW(fchown),
	ALLOW(fchownat),
	ALLOW(fchmod),
	ALLOW(utimensat),
	ALLOW(fsetxattr),
	FILTER_END(SECCOMP_RET_KILL_PROCESS),
};

/*
 * Libraries that try to open files are refused and go on. Memory cannot be made executable. A
 * socket may be of the internet's families only: its type, whose flags differ between libraries, is
 * not checked.
 */
static struct sock_filter internet_calls[] = {
	FILTER_START,
	FILTER_CALL(__NR_bind, SECCOMP_RET_KILL_PROCESS), /* see become_nobody() */
	ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev), ALLOW(pread64), ALLOW_PWRITE,
	ALLOW(ftruncate), ALLOW(recvfrom), ALLOW(sendto), ALLOW(recvmsg), ALLOW(sendmsg),
	ALLOW(connect), ALLOW(getsockopt), ALLOW(setsockopt), ALLOW(getsockname),
	ALLOW(getpeername), ALLOW(shutdown),
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
	FILTER_LOAD(args[2]),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 6, 0),
	FILTER_END(SECCOMP_RET_ALLOW),
	FILTER_LOAD(args[0]),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 2),
	FILTER_END(SECCOMP_RET_KILL_PROCESS),
	FILTER_END(SECCOMP_RET_ALLOW),
	FILTER_END(SECCOMP_RET_ERRNO | EACCES),
};

#define CALLS(list) .calls = list, .n = ARRAY_SIZE(list)

/* files: most open descriptors; those of a few kept connections for SANDBOX_INTERNET. */
static const struct role {
	struct sock_filter *calls;
	size_t n;
	rlim_t files;
	bool no_writing; /* no regular file grows */
	bool unpacks;
} roles[SANDBOX_MAX] = {
	[SANDBOX_PARSE] = {CALLS(parse_calls), .no_writing = true},
	[SANDBOX_COMPUTE] = {CALLS(compute_calls), .files = 16},
	[SANDBOX_WRITE] = {CALLS(write_calls), .files = 16},
	[SANDBOX_UNPACK] = {CALLS(unpack_calls), .files = 16, .unpacks = true},
	[SANDBOX_INTERNET] = {CALLS(internet_calls), .files = 32},
};

static void set_limits(const struct sandbox *s, const struct role *role)
{
	const struct {
		int resource;
		bool wanted; /* for this process */
		rlim_t value;
	} limits[] = {
		{RLIMIT_CORE, true, 0},
		{RLIMIT_MEMLOCK, true, 0},
		{RLIMIT_MSGQUEUE, true, 0},
		{RLIMIT_NOFILE, true, role->files},
		{RLIMIT_NPROC, !role->unpacks, 0},
		{RLIMIT_FSIZE, role->no_writing, 0},
		{RLIMIT_CPU, s->cpu_s != 0, s->cpu_s},
		{RLIMIT_AS, s->memory != 0 && !SANITIZED, s->memory},
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		const struct rlimit r = {limits[i].value, limits[i].value};

		if (limits[i].wanted)
			setrlimit((unsigned)limits[i].resource, &r);
	}
}

static int keep_capabilities(uint32_t keep)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{.effective = keep, .permitted = keep}};

	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

/* In this process' copy of a list: the verdict on the call that it begins with. */
static void allow_first(struct sock_filter *calls)
{
	static const struct sock_filter start[] = {FILTER_START};

	calls[ARRAY_SIZE(start) + 1].k = SECCOMP_RET_ALLOW;
}

/* Where there is no openat2 (before Linux 5.6) the new root alone keeps it below the directory. */
static void allow_open(void)
{
	if (syscall(__NR_openat2, -1, NULL, NULL, 0) < 0 && errno == ENOSYS)
		allow_first(unpack_calls);
}

/* Capabilities go with the user id. A caller that is not root (tests) has none to drop. */
static int become_nobody(bool low_ports)
{
	if (low_ports)
		allow_first(internet_calls);
	if (geteuid() != 0)
		return 0;
	if (low_ports && prctl(PR_SET_KEEPCAPS, 1) < 0)
		return -errno;
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
		setresuid(NOBODY, NOBODY, NOBODY) < 0)
		return -errno;
	return low_ports ? keep_capabilities(1u << CAP_NET_BIND_SERVICE) : 0;
}

/*
 * Files of a root belong to many users, and some carry set-user-id bits or capabilities: that takes
 * these, in a root directory that holds nothing but what is unpacked, and no way out of it.
 */
static int shrink_capabilities(void)
{
	return geteuid() != 0 ? 0 : keep_capabilities(1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE |
		1u << CAP_FOWNER | 1u << CAP_FSETID | 1u << CAP_SETFCAP);
}

/* The network goes, too; where namespaces are not to be had the filter alone must do. */
static int enter_root(const char *root)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWIPC) < 0 && errno != EPERM && errno != EINVAL &&
		errno != ENOSYS)
		return -errno;
	if (chdir(root) < 0 || chroot(".") < 0)
		return -errno;
	allow_open();
	return shrink_capabilities();
}

/* For all threads, or for none. */
static int filter_calls(const struct role *role)
{
	const struct sock_fprog program = {.len = (unsigned short)role->n, .filter = role->calls};
	long r;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	r = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
	return r < 0 ? -errno : r > 0 ? -ESRCH : 0;
}

int sandbox_enter(const struct sandbox *s)
{
	const struct role *role = &roles[s->role];
	int r;

	if (s->role == SANDBOX_NONE)
		return 0;
	r = role->unpacks ? enter_root(s->root) : become_nobody(s->low_ports);
	if (r < 0)
		return r;
	/* The change of user has reset both. */
	if (!s->outlives)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	set_limits(s, role);
	return filter_calls(role);
}
