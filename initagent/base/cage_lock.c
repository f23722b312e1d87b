// SPDX-License-Identifier: GPL-2.0-or-later
/* cage_lock: see cage_lock.h. */
#include "base/cage_lock.h"

#include <linux/capability.h>
#include <sched.h>

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
 * What reading, writing and memory need, of either C library. rt_sigreturn: changing the user of all threads is a signal to each,
 * whose handler may return later than that.
 */
#define ALLOW_COMPUTE                                                                                  \
	ALLOW(read), ALLOW(pread64), ALLOW(readv), ALLOW(write), ALLOW(writev), ALLOW(exit_group),     \
		ALLOW(exit), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(mprotect), ALLOW(brk),   \
		ALLOW(madvise), ALLOW(futex), ALLOW(sched_yield), ALLOW(gettid), ALLOW(getpid),        \
		ALLOW(rt_sigprocmask), ALLOW(rt_sigaction), ALLOW(rt_sigreturn), ALLOW(sigaltstack),   \
		ALLOW(clock_gettime)

static struct sock_filter compute_code[] = {
	CONFINE_START,
	ALLOW_COMPUTE,
	CONFINE_END(SECCOMP_RET_KILL_PROCESS),
};

/* Writing and cutting the file that it was given; compute_code is all else. */
static struct sock_filter write_code[] = {
	CONFINE_START,
	ALLOW_COMPUTE,
	ALLOW(pwrite64),
	ALLOW(ftruncate),
	CONFINE_END(SECCOMP_RET_KILL_PROCESS),
};

/* Nothing here opens a path but openat2, whose flags keep it below the directory. */
static struct sock_filter unpack_code[] = {
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

static const struct {
	struct sock_filter *code;
	size_t len;
} lists[] = {
	[CAGE_COMPUTE] = {compute_code, ARRAY_SIZE(compute_code)},
	[CAGE_WRITE] = {write_code, ARRAY_SIZE(write_code)},
	[CAGE_UNPACK] = {unpack_code, ARRAY_SIZE(unpack_code)},
};

/*
 * in becomes 0, out becomes 1, the file CAGE_FILE, the rest is closed. Copies above all of them first, so that none is
 * overwritten before it is moved.
 */
static int keep_only(int in, int out, int file)
{
	enum { FREE = 16 };
	const struct {
		int from, to;
	} kept[] = {{in, 0}, {out, 1}, {file, CAGE_FILE}};
	int high[ARRAY_SIZE(kept)], last = 1;

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		high[i] = kept[i].from < 0 ? -1 : fcntl(kept[i].from, F_DUPFD, FREE);
		if (kept[i].from >= 0 && high[i] < 0)
			return -errno;
	}
	close(0);
	close(2);
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		if (high[i] >= 0 && dup2(high[i], kept[i].to) < 0)
			return -errno;
		last = high[i] >= 0 ? kept[i].to : last;
	}
	confine_close(last + 1);
	return 0;
}

/* Each of them is for some jobs only; *ret has room for all. Their number. */
static size_t limits_of(const struct cage_job *job, struct confine_limit *ret)
{
	const struct {
		struct confine_limit limit;
		bool wanted;
	} limits[] = {
		{{RLIMIT_CORE, 0}, true},
		{{RLIMIT_NPROC, 0}, job->rights != CAGE_UNPACK},
		{{RLIMIT_NOFILE, 16}, true},
		{{RLIMIT_MEMLOCK, 0}, true},
		{{RLIMIT_CPU, job->cpu_s}, job->cpu_s != 0},
		{{RLIMIT_AS, job->memory}, job->memory != 0 && !SANITIZED},
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
	if (unshare(CLONE_NEWNET | CLONE_NEWIPC) < 0 && errno != EPERM && errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (chdir(root) < 0 || chroot(".") < 0)
		return -errno;
	return 0;
}

int cage_lock(const struct cage_job *job, int out)
{
	bool unpack = job->rights == CAGE_UNPACK;
	struct confine_limit limits[8];
	int r = unpack ? enter_root(job->root) : 0;

	if (r == 0)
		r = keep_only(job->in, out, job->rights == CAGE_WRITE ? job->file : -1);
	if (r == 0)
		r = unpack ? shrink_capabilities() : confine_user();
	return r < 0 ? r : confine_seal(limits, limits_of(job, limits), lists[job->rights].code, lists[job->rights].len);
}
