// SPDX-License-Identifier: GPL-2.0-or-later
/* sandbox: what a process with the role of SANDBOX_INTERNET may still do, and what ends it or is
 * refused. */
#include "base/sandbox.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "check.h"

/* Runs fn in a process of that role: its exit status, or the signal that ended it as a negative
 * number. */
static int locked_as(enum sandbox_role role, int (*fn)(void))
{
	const struct sandbox sandbox = {.role = role, .root = "/"};
	int status = 0;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0)
		_exit(sandbox_enter(&sandbox) < 0 ? 99 : fn());
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int locked(int (*fn)(void))
{
	return locked_as(SANDBOX_INTERNET, fn);
}

static int opens_a_file(void)
{
	return open("/proc/self/status", O_RDONLY) < 0 && errno == EACCES ? 0 : 1;
}

static int makes_tcp_sockets(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) >= 0 && socket(AF_INET6, SOCK_STREAM, 0) >= 0 ? 0
												: 1;
}

static int makes_other_sockets(void)
{
	static const int families[] = {AF_UNIX, AF_NETLINK, AF_PACKET};

	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if (socket(families[i], SOCK_DGRAM, 0) >= 0 || errno != EACCES)
			return 1;
	return 0;
}

static int maps_memory(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED || munmap(p, 4096) < 0;
}

static int maps_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
				       MAP_FAILED &&
			       errno == EACCES
		       ? 0
		       : 1;
}

static int makes_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p != MAP_FAILED && mprotect(p, 4096, PROT_READ | PROT_EXEC) < 0 && errno == EACCES
			? 0
			: 1;
}

static int has_no_rights(void)
{
	return geteuid() != 0 && getegid() != 0 ? 0 : 1;
}

TEST(left)
{
	CHECK_INT(locked(makes_tcp_sockets), 0);
	CHECK_INT(locked(maps_memory), 0);
}

TEST(refused)
{
	CHECK_INT(locked(opens_a_file), 0);
	CHECK_INT(locked(makes_other_sockets), 0);
	CHECK_INT(locked(maps_code), 0);
	CHECK_INT(locked(makes_code), 0);
}

TEST(no_root_any_more)
{
	if (geteuid() != 0)
		check_skip("it is not root here");
	CHECK_INT(locked(has_no_rights), 0);
}

/* The system calls of pwrite(3) in musl 1.2.6, whatever library this is built with. */
static int writes_at(void)
{
	enum { NO_APPEND = 0x20 }; /* RWF_NOAPPEND */
	struct iovec iov = {.iov_base = (char[]){"x"}, .iov_len = 1};
	long n = syscall(SYS_pwritev2, -1, &iov, 1, 0L, 0L, NO_APPEND);

	return n < 0 && errno == EBADF && fcntl(-1, F_GETFL) < 0 && errno == EBADF ? 0 : 1;
}

static int sets_flags(void)
{
	return fcntl(-1, F_SETFL, O_APPEND);
}

TEST(pwrite_of_any_musl)
{
	static const enum sandbox_role roles[] = {
		SANDBOX_WRITE, SANDBOX_UNPACK, SANDBOX_INTERNET};

	if (geteuid() != 0)
		check_skip("it is not root here");
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++)
		CHECK_INT(locked_as(roles[i], writes_at), 0);
	CHECK_INT(locked_as(SANDBOX_WRITE, sets_flags), -SIGSYS);
	CHECK_INT(locked_as(SANDBOX_UNPACK, sets_flags), -SIGSYS);
}

static int forks(void)
{
	return (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static int executes(void)
{
	char *const none[] = {NULL};

	return execve("/bin/true", none, none);
}

static int listens(void)
{
	return listen(socket(AF_INET, SOCK_STREAM, 0), 1);
}

static int kills(void)
{
	return kill(getppid(), 0);
}

static int mounts(void)
{
	return (int)syscall(SYS_umount2, "/nowhere", 0);
}

TEST(deadly)
{
	int (*const deeds[])(void) = {forks, executes, listens, kills, mounts};

	for (size_t i = 0; i < ARRAY_SIZE(deeds); i++)
		CHECK_INT(locked(deeds[i]), -SIGSYS);
}
