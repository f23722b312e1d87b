/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process's messages, descriptors, rights and end, seen from its parent and by what the kernel
 * says of it.
 */
#include <dirent.h>
#include <poll.h>
#include <signal.h>

#include "check.h"
#include "base/worker.h"

struct number {
	int32_t value;
};

static int echo(const void *arg)
{
	struct number n;

	(void)arg;
	while (worker_next(&n, sizeof(n)))
		if (worker_reply(&n, sizeof(n)) < 0)
			return 1;
	return 0;
}

static bool is_positive(void *reply, const void *context)
{
	(void)context;
	return ((struct number *)reply)->value > 0;
}

static struct worker *start(const struct worker_spec *spec)
{
	struct worker *w;

	CHECK_INT(worker_start(&w, spec, 0), 0);
	return w;
}

static const struct worker_spec echo_spec = {
	.run = echo,
	.request_size = sizeof(struct number),
	.reply_size = sizeof(struct number),
	.valid = is_positive,
};

TEST(requests_and_replies)
{
	_cleanup_(worker_freep) struct worker *w = start(&echo_spec);
	struct number n = {0};

	CHECK_INT(worker_receive(w, &n, 0), 0);
	CHECK(worker_deadline(w) == NSEC_NEVER);
	for (int i = 1; i < 4; i++) {
		CHECK_INT(worker_send(w, &(struct number){i}), 0);
		CHECK_INT(worker_wait(w, &n), 1);
		CHECK_INT(n.value, i);
	}
	worker_end(w);
	CHECK_INT(worker_fd(w), -1);
	CHECK_INT(worker_receive(w, &n, 0), -EPIPE);
	CHECK_INT(worker_send(w, &n), -EPIPE);
}

TEST(without_a_process)
{
	CHECK_INT(worker_fd(NULL), -1);
	CHECK(worker_deadline(NULL) == NSEC_NEVER);
	CHECK_INT(worker_receive(NULL, NULL, 0), 0);
	CHECK(!worker_free(NULL));
	CHECK(!worker_detach(NULL));
}

static void ends(const struct worker_spec *spec, int error, const char *text, int exit_status)
{
	_cleanup_(worker_freep) struct worker *w = start(spec);
	struct number n;

	if (spec->request_size)
		CHECK_INT(worker_send(w, &(struct number){-1}), 0);
	CHECK_INT(worker_wait(w, &n), error);
	CHECK_INT(worker_wait(w, &n), -EPIPE);
	worker_end(w);
	CHECK_STR(worker_end_text(w), text);
	CHECK_INT(worker_exit_status(w), exit_status);
}

static int say_too_little(const void *arg)
{
	(void)arg;
	return worker_reply("ab", 2) < 0 || pause();
}

static int exit_with(const void *arg)
{
	return *(const int *)arg;
}

static int raise_signal(const void *arg)
{
	signal(SIGSEGV, SIG_DFL); /* not the sanitizer's report */
	return raise(*(const int *)arg);
}

static int hang(const void *arg)
{
	(void)arg;
	return pause();
}

static const void *give_up(const void *arg)
{
	(void)arg;
	return NULL;
}

TEST(how_it_ended)
{
	const int seven = 7, kill_itself = SIGKILL, crash = SIGSEGV;
	struct worker_spec spec = {.reply_size = sizeof(struct number)};

	ends(&echo_spec, -EPIPE, "sent an invalid message; killed", -1);
	spec.run = say_too_little;
	ends(&spec, -EPIPE, "sent an invalid message; killed", -1);
	spec.run = exit_with;
	spec.arg = &seven;
	ends(&spec, -EPIPE, "exited unexpectedly", 7);
	spec.run = raise_signal;
	spec.arg = &kill_itself;
	ends(&spec, -EPIPE, "was killed (SIGKILL: out of memory? see the kernel's message)", -1);
	spec.arg = &crash;
	ends(&spec, -EPIPE, "crashed (segmentation fault)", -1);
	spec.run = hang;
	spec.limit = 20 * NSEC_PER_MSEC;
	ends(&spec, -ETIMEDOUT, "no reply within its time limit", -1);
	spec.limit = 0;
	spec.prepare = give_up;
	ends(&spec, -EPIPE, "could not be set up (out of memory?)", 124);
}

TEST(the_limit_starts_again_with_each_reply)
{
	struct worker_spec spec = echo_spec;
	_cleanup_(worker_freep) struct worker *w = NULL;
	struct number n;

	spec.limit = NSEC_PER_SEC;
	w = start(&spec);
	CHECK_INT(worker_deadline(w), NSEC_PER_SEC);
	CHECK_INT(worker_send(w, &(struct number){1}), 0);
	poll(&(struct pollfd){.fd = worker_fd(w), .events = POLLIN}, 1, -1);
	CHECK_INT(worker_receive(w, &n, NSEC_PER_SEC / 2), 1);
	CHECK_INT(worker_receive(w, &n, NSEC_PER_SEC), 0);
	CHECK_INT(worker_deadline(w), NSEC_PER_SEC / 2 * 3);
	CHECK_INT(worker_receive(w, &n, NSEC_PER_SEC / 2 * 3), -ETIMEDOUT);
}

/* Which descriptors it has, as bits, and whether the first file is the one given. */
static int list_descriptors(const void *arg)
{
	struct number n = {0};
	char byte = 0;
	DIR *d = opendir("/proc/self/fd");

	(void)arg;
	for (struct dirent *e = readdir(d); e; e = readdir(d)) {
		long fd = strtol(e->d_name, NULL, 10);

		if (*e->d_name != '.' && fd != dirfd(d))
			n.value |= 1 << fd;
	}
	if (read(WORKER_FILE(2), &byte, 1) != 1 || byte != 'x')
		return 1;
	return worker_reply(&n, sizeof(n)) < 0;
}

TEST(descriptors)
{
	struct worker_spec spec = {
		.run = list_descriptors, .reply_size = sizeof(struct number), .n_files = 3};
	struct number n;
	const char *text;
	int pipes[2];

	CHECK_INT(pipe2(pipes, O_CLOEXEC), 0);
	CHECK(write(pipes[1], "x", 1) == 1);
	spec.files[0] = pipes[1];
	spec.files[1] = -1;
	spec.files[2] = pipes[0];
	CHECK_INT(worker_ask(&spec, &n, &text), 0);
	CHECK_INT(n.value & ~7, 1 << WORKER_SOCKET | 1 << WORKER_FILE(0) | 1 << WORKER_FILE(2));
}

static int write_at_the_end(const void *arg)
{
	char byte;

	/* Its parent closes the socket, and no signal comes. */
	if (worker_next(&byte, 1))
		return 1;
	return write(WORKER_FILE(0), arg, 1) != 1;
}

TEST(detached_it_goes_on)
{
	struct worker_spec spec = {
		.run = write_at_the_end, .arg = "z", .n_files = 1, .request_size = 1};
	struct worker *w;
	int pipes[2];
	char byte;

	CHECK_INT(pipe2(pipes, O_CLOEXEC), 0);
	spec.files[0] = pipes[1];
	w = start(&spec);
	close(pipes[1]);
	worker_detach(w);
	CHECK(read(pipes[0], &byte, 1) == 1 && byte == 'z');
}

TEST(abandoned_it_is_killed)
{
	struct worker_spec spec = {.run = hang, .n_files = 1};
	struct worker *w;
	int pipes[2];
	char byte;

	CHECK_INT(pipe2(pipes, O_CLOEXEC), 0);
	spec.files[0] = pipes[1];
	w = start(&spec);
	close(pipes[1]);
	worker_abandon(w);
	CHECK_INT(read(pipes[0], &byte, 1), 0);
}

static int write_to_file(const void *arg)
{
	return write(WORKER_FILE(0), arg, 1) != 1 || pause();
}

TEST(tried_within_a_limit)
{
	int pipes[2];
	char byte;

	CHECK_INT(pipe2(pipes, O_CLOEXEC), 0);
	worker_try(write_to_file, "y", pipes[1], 50 * NSEC_PER_MSEC);
	close(pipes[1]);
	CHECK(read(pipes[0], &byte, 1) == 1 && byte == 'y');
}

/* --- rights -------------------------------------------------------------------------------- */

static char *folder(char *template)
{
	if (geteuid() != 0)
		check_skip("a root directory of its own takes root");
	return check_dir(template);
}

static int try_open(const void *arg)
{
	(void)arg;
	return open("/etc/passwd", O_RDONLY) >= 0;
}

static int try_fork(const void *arg)
{
	(void)arg;
	return fork() == 0;
}

static int try_memory(const void *arg)
{
	_cleanup_free_ void *memory = malloc(32 << 20);

	(void)arg;
	return memory != NULL;
}

TEST(forbidden_calls_end_the_process)
{
	static const enum sandbox_role roles[] = {
		SANDBOX_PARSE, SANDBOX_COMPUTE, SANDBOX_WRITE, SANDBOX_UNPACK};
	char dir[] = "/tmp/worker-XXXXXX";
	const char *root = folder(dir);

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		struct worker_spec spec = {
			.run = try_open, .sandbox = {.role = roles[i], .root = root}};

		ends(&spec, -EPIPE, "made a forbidden system call; killed", -1);
		spec.run = try_fork;
		ends(&spec, -EPIPE, "made a forbidden system call; killed", -1);
	}
	ends(&(struct worker_spec){.run = try_memory, .sandbox = {.role = SANDBOX_PARSE}}, -EPIPE,
		"made a forbidden system call; killed", -1);
}

static int open_is_refused(const void *arg)
{
	(void)arg;
	return open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES ? 5 : 6;
}

TEST(with_sockets_files_are_refused)
{
	ends(&(struct worker_spec){.run = open_is_refused, .sandbox = {.role = SANDBOX_INTERNET}},
		-EPIPE, "exited unexpectedly", 5);
}

static void read_once(const char *path, char *text, size_t size)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, size - 1);

	CHECK(n > 0);
	text[n] = 0;
}

/*
 * /proc/PID/status once the process is locked in: read once more then, as the kernel writes the
 * lines before that one down earlier.
 */
static void read_status_of(pid_t pid, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	do
		read_once(path, text, size);
	while (!strstr(text, "Seccomp:\t2"));
	read_once(path, text, size);
}

/* It waits for a request, so that it can be looked at. */
static void check_rights(enum sandbox_role role, const char *caps, const char *uid)
{
	char dir[] = "/tmp/worker-XXXXXX", text[8192];
	struct worker_spec spec = echo_spec;
	_cleanup_(worker_freep) struct worker *w = NULL;
	struct number n;

	spec.sandbox = (struct sandbox){.role = role, .root = folder(dir)};
	w = start(&spec);
	read_status_of(worker_pid(w), text, sizeof(text));
	CHECK(strstr(text, caps) && strstr(text, uid) && strstr(text, "NoNewPrivs:\t1"));
	CHECK_INT(worker_send(w, &(struct number){1}), 0);
	CHECK_INT(worker_wait(w, &n), 1);
}

TEST(rights_in_the_sandbox)
{
	check_rights(SANDBOX_PARSE, "CapEff:\t0000000000000000", "Uid:\t65534");
	check_rights(SANDBOX_COMPUTE, "CapEff:\t0000000000000000", "Uid:\t65534");
	check_rights(SANDBOX_INTERNET, "CapEff:\t0000000000000000", "Uid:\t65534");
	check_rights(SANDBOX_UNPACK, "CapEff:\t000000008000001b", "Uid:\t0");
}

#ifndef __SANITIZE_ADDRESS__
/* Not with the address sanitizer, which needs the address space itself. */
static int take_memory(const void *arg)
{
	/* volatile: compilers leave out what is not used */
	void *volatile memory = malloc(200u << 20);

	(void)arg;
	return memory ? 5 : 6;
}

TEST(memory_is_bounded)
{
	ends(&(struct worker_spec){.run = take_memory,
		     .sandbox = {.role = SANDBOX_COMPUTE, .memory = 100u << 20}},
		-EPIPE, "exited unexpectedly", 6);
}
#endif
