// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oldkernel PROGRAM [ARGUMENT...]: runs it as on a kernel of RHEL 8 (4.18 with the mount calls of
 * 5.2 and close_range() of 5.9): without pidfd_open(2), clone3(2), openat2(2) and what came later,
 * and with the loop devices of before 5.8. "-5.1" before PROGRAM: without the mount calls as well.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/loop.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LACKS(first, last)                                    \
	BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (last), 2, 0),    \
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (first), 0, 1),   \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)

int main(int argc, char **argv)
{
	struct sock_filter calls[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		LACKS(434, 435), /* pidfd_open, clone3 */
		LACKS(437, 438), /* openat2, pidfd_getfd */
		LACKS(440, 511), /* process_madvise and later */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LOOP_CONFIGURE, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(calls) / sizeof(*calls), calls};

	if (argc > 2 && strcmp(argv[1], "-5.1") == 0) {
		calls[2].k = 428; /* of the first LACKS(): open_tree */
		argv++;
		argc--;
	}
	if (argc < 2)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0) {
		perror("oldkernel");
		return 1;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}
