/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process in a cage can still do, seen from inside and by what the kernel says of it. */
#include <signal.h>
#include <sys/wait.h>

#include "check.h"
#include "base/cage.h"

static char *folder(char *template)
{
	if (geteuid() != 0)
		check_skip("a root directory of its own takes root");
	return check_dir(template);
}

static int try_open(const void *arg, int in, int out)
{
	(void)in, (void)out;
	return open(arg, O_RDONLY) >= 0;
}

static int try_fork(const void *arg, int in, int out)
{
	(void)arg, (void)in, (void)out;
	return fork() == 0;
}

static int status_of(int (*run)(const void *, int, int), enum cage_rights rights)
{
	char dir[] = "/tmp/cage-XXXXXX";
	struct cage_job job = {.run = run, .arg = "/etc/passwd", .in = -1, .rights = rights};
	struct cage c;
	char byte;
	int status;

	job.root = folder(dir);
	CHECK_INT(cage_start(&c, &job), 0);
	CHECK_INT(cage_read(&c, &byte, 1), 0);
	waitpid(c.pid, &status, 0);
	c.pid = -1;
	cage_end(&c);
	return status;
}

TEST(forbidden_calls_end_the_process)
{
	static const enum cage_rights rights[] = {CAGE_COMPUTE, CAGE_UNPACK};

	for (size_t i = 0; i < ARRAY_SIZE(rights); i++) {
		int status = status_of(try_open, rights[i]);

		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
		CHECK_STR(cage_end_text(status), "it tried what it may not do, and was ended");
		status = status_of(try_fork, rights[i]);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	}
}

static int echo(const void *arg, int in, int out)
{
	char byte;

	(void)arg;
	return read(in, &byte, 1) != 1 || cage_write(out, &byte, 1) < 0;
}

/* /proc/PID/status once the process is locked in. */
static void read_status_of(pid_t pid, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	do {
		_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = read(fd, text, size - 1);

		CHECK(n > 0);
		text[n] = 0;
	} while (!strstr(text, "Seccomp:\t2"));
}

/* It waits for input, so that it can be looked at. */
static void check_rights(enum cage_rights rights, const char *caps, const char *uid)
{
	char dir[] = "/tmp/cage-XXXXXX", text[8192], byte;
	struct cage_job job = {.run = echo, .rights = rights, .root = folder(dir)};
	struct cage c;
	int pipes[2];

	CHECK_INT(pipe2(pipes, O_CLOEXEC), 0);
	job.in = pipes[0];
	CHECK_INT(cage_start(&c, &job), 0);
	read_status_of(c.pid, text, sizeof(text));
	CHECK(strstr(text, caps) && strstr(text, uid) && strstr(text, "NoNewPrivs:\t1"));
	CHECK(write(pipes[1], "x", 1) == 1);
	CHECK_INT(cage_read(&c, &byte, 1), 1);
	CHECK_INT(byte, 'x');
	close(pipes[0]);
	close(pipes[1]);
	cage_end(&c);
}

TEST(rights_in_the_cage)
{
	check_rights(CAGE_COMPUTE, "CapEff:\t0000000000000000", "Uid:\t65534");
	check_rights(CAGE_UNPACK, "CapEff:\t000000008000001b", "Uid:\t0");
}

static int say_a_bit(const void *arg, int in, int out)
{
	(void)arg, (void)in;
	return cage_write(out, "abc", 3) < 0;
}

TEST(message_cut_short)
{
	char dir[] = "/tmp/cage-XXXXXX", text[4];
	struct cage_job job = {.run = say_a_bit, .in = -1, .rights = CAGE_COMPUTE, .root = folder(dir)};
	struct cage c;

	CHECK_INT(cage_start(&c, &job), 0);
	CHECK_INT(cage_read(&c, text, sizeof(text)), -EIO);
	cage_end(&c);
	CHECK_INT(c.pid, -1);
	CHECK_STR(cage_end_text(0), "it ended by itself");
}

#ifndef __SANITIZE_ADDRESS__
/* Not with the address sanitizer, which needs the address space itself. */
static int take_memory(const void *arg, int in, int out)
{
	void *p = malloc(200u << 20);

	(void)arg, (void)in;
	return cage_write(out, p ? "y" : "n", 1) < 0;
}

TEST(memory_is_bounded)
{
	struct cage_job job = {.run = take_memory, .in = -1, .rights = CAGE_COMPUTE, .memory = 100u << 20};
	struct cage c;
	char byte;

	CHECK_INT(cage_start(&c, &job), 0);
	CHECK_INT(cage_read(&c, &byte, 1), 1);
	CHECK_INT(byte, 'n');
	cage_end(&c);
}
#endif
