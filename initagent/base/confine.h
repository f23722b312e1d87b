/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confine: how the processes that look at what comes from outside give up their rights: what fetch, address and image
 * have in common. What each of them keeps, it says itself: its own descriptors, limits and system calls.
 */
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "util.h"

#if defined(__x86_64__)
#define CONFINE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CONFINE_ARCH AUDIT_ARCH_AARCH64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define CONFINE_ARCH AUDIT_ARCH_PPC64LE
#elif defined(__riscv) && __riscv_xlen == 64
#define CONFINE_ARCH AUDIT_ARCH_RISCV64
#else
#error "add this architecture's AUDIT_ARCH_ value"
#endif

/* Parts of a list of system calls (seccomp(2)); START comes first and loads the call's number. */
#define CONFINE_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define CONFINE_END(action) BPF_STMT(BPF_RET | BPF_K, action)
#define CONFINE_START                                                                                          \
	CONFINE_LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CONFINE_ARCH, 1, 0),                           \
		CONFINE_END(SECCOMP_RET_KILL_PROCESS), CONFINE_LOAD(nr)
#define CONFINE_CALL(number, action) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), CONFINE_END(action)
#define ALLOW(call)  CONFINE_CALL(__NR_##call, SECCOMP_RET_ALLOW)
#define REFUSE(call) CONFINE_CALL(__NR_##call, SECCOMP_RET_ERRNO | EACCES)

struct confine_limit {
	int resource; /* RLIMIT_ */
	rlim_t value;
};

/*
 * confine_user: becomes the kernel's overflow user; capabilities go with that. Who is not root (tests) has none to
 * drop. 0 or -errno.
 */
int confine_user(void);

/* confine_limits: for good. */
void confine_limits(const struct confine_limit *limits, size_t n);

/*
 * confine_seal: ends with the parent, cannot be looked into, gets no new rights, and makes the system calls of the list
 * alone. After the change of user, which resets the first two. limits are set before the list. 0 or -errno.
 */
int confine_seal(const struct confine_limit *limits, size_t n, struct sock_filter *list, size_t len);
/* confine_seal_outliving: the same, but it goes on when the parent ends; whoever calls this bounds its life himself. */
int confine_seal_outliving(const struct confine_limit *limits, size_t n, struct sock_filter *list, size_t len);

/*
 * confine_keep: of the agent's descriptors only these stay, and 0 to 2: *fds[i] becomes 3 + i, where nothing is if it is -1.
 * Copies of others would keep sockets, pipes and devices alive. 0 or -errno.
 */
int confine_keep(int *const *fds, size_t n);
/* confine_mute: 0 to 2 lead nowhere. Behind confine_keep(): what stays may be one of them before. */
void confine_mute(void);

/* confine_close: closes the descriptors from first on. */
void confine_close(int first);
