// SPDX-License-Identifier: GPL-2.0-or-later
/* sandbox: see sandbox.h. */
#include "base/sandbox.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/confine.h"

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
 * What reading, writing and memory need, of either C library. rt_sigreturn: a change of the user reaches threads as a
 * signal, whose handler may return after that.
 */
#define ALLOW_COMPUTE                                                                              \
	ALLOW(read), ALLOW(pread64), ALLOW(readv), ALLOW(write), ALLOW(writev), ALLOW(exit_group), \
		ALLOW(exit), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(mprotect),           \
		ALLOW(brk), ALLOW(madvise), ALLOW(futex), ALLOW(sched_yield), ALLOW(gettid),       \
		ALLOW(getpid), ALLOW(rt_sigprocmask), ALLOW(rt_sigaction), ALLOW(rt_sigreturn),    \
		ALLOW(sigaltstack), ALLOW(clock_gettime)

static struct sock_filter parse_calls[] = {
	CONFINE_START,
	ALLOW(read),
	ALLOW(write),
	ALLOW(exit_group),
	CONFINE_END(SECCOMP_RET_KILL_PROCESS),
};

static struct sock_filter compute_calls[] = {
	CONFINE_START,
	ALLOW_COMPUTE,
	CONFINE_END(SECCOMP_RET_KILL_PROCESS),
};

static struct sock_filter write_calls[] = {
	CONFINE_START,
	ALLOW_COMPUTE,
	ALLOW(pwrite64),
	ALLOW(ftruncate),
	CONFINE_END(SECCOMP_RET_KILL_PROCESS),
};

/* Nothing here opens a path but openat2, whose flags keep it below the directory. */
static struct sock_filter unpack_calls[] = {
	CONFINE_START,
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
	CONFINE_END(SECCOMP_RET_KILL_PROCESS),
};

/*
 * Libraries that try to open files are refused and go on. Memory cannot be made executable. A
 * socket may be of the internet's families only: its type, whose flags differ between libraries, is
 * not checked.
 */
static struct sock_filter internet_calls[] = {
	CONFINE_START,
	ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev), ALLOW(pread64), ALLOW(pwrite64),
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

/* Each of them is for some processes only; *ret has room for all. Their number. */
static size_t limits_of(const struct sandbox *s, const struct role *role, struct confine_limit *ret)
{
	const struct {
		struct confine_limit limit;
		bool wanted;
	} limits[] = {
		{{RLIMIT_CORE, 0}, true},
		{{RLIMIT_MEMLOCK, 0}, true},
		{{RLIMIT_MSGQUEUE, 0}, true},
		{{RLIMIT_NOFILE, role->files}, true},
		{{RLIMIT_NPROC, 0}, !role->unpacks},
		{{RLIMIT_FSIZE, 0}, role->no_writing},
		{{RLIMIT_CPU, s->cpu_s}, s->cpu_s != 0},
		{{RLIMIT_AS, s->memory}, s->memory != 0 && !SANITIZED},
	};
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i].wanted)
			ret[n++] = limits[i].limit;
	return n;
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
	if (unshare(CLONE_NEWNET | CLONE_NEWIPC) < 0 && errno != EPERM && errno != EINVAL &&
		errno != ENOSYS)
		return -errno;
	if (chdir(root) < 0 || chroot(".") < 0)
		return -errno;
	return shrink_capabilities();
}

int sandbox_enter(const struct sandbox *s)
{
	const struct role *role = &roles[s->role];
	struct confine_limit limits[8];
	size_t n = limits_of(s, role, limits);
	int r;

	if (s->role == SANDBOX_NONE)
		return 0;
	r = role->unpacks ? enter_root(s->root) : confine_user();
	if (r < 0)
		return r;
	return s->outlives ? confine_seal_outliving(limits, n, role->calls, role->n)
			   : confine_seal(limits, n, role->calls, role->n);
}
