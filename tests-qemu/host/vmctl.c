// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vmctl: what the VM harness needs and bash does clumsily: waiting for events, never sleeping.
 *
 *   vmctl wait SECONDS FILE REGEX [PID [OFFSET]]
 *                                         a line of FILE from OFFSET on; it may still grow or not
 *                                         exist yet
 *   vmctl see SECONDS FILE REGEX [PID [OFFSET]]
 *                                         the same, also before the line has ended (a prompt)
 *   vmctl ask SECONDS SOCKET COMMAND...   one command on the server VM's control channel
 *   vmctl qmp SECONDS SOCKET JSON [EVENT] one command to QEMU's monitor, and what comes of it
 *   vmctl gone SECONDS PID                the end of a process
 *
 * Exit status: 0 done (ask: the command's own); 124 time is up; 125 the process ended first;
 * 126 usage or a system error.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define EXIT_TIME  124
#define EXIT_GONE  125
#define EXIT_USAGE 126

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* What is left until end, for poll(): 0 when it has passed. */
static int left_ms(int64_t end)
{
	int64_t left = end - now_ms();

	return left < 0 ? 0 : (int)left;
}

static int fail(const char *what)
{
	fprintf(stderr, "vmctl: %s: %s\n", what, strerror(errno));
	return EXIT_USAGE;
}

/*
 * Reads what the file has grown by, and prints the first line that matches. *offset is where
 * the next complete line begins; what stands behind it is looked at if part is set.
 */
static bool scan(const char *path, const regex_t *re, long *offset, bool part)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	bool found = false;
	ssize_t len;

	if (!f)
		return false;
	if (fseek(f, *offset, SEEK_SET) < 0) {
		fclose(f);
		return false;
	}
	while (!found && (len = getline(&line, &size, f)) > 0 && (part || line[len - 1] == '\n')) {
		*offset += line[len - 1] == '\n' ? len : 0;
		line[strcspn(line, "\r\n")] = 0;
		found = regexec(re, line, 0, NULL, 0) == 0;
	}
	if (found)
		puts(line);
	free(line);
	fclose(f);
	return found;
}

/* Waits for anything to happen to the file or its directory, or for the process to end. */
static int wait_event(int notify, int pidfd, int64_t end)
{
	struct pollfd fds[2] = {{.fd = notify, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};
	char buf[4096];
	int n = poll(fds, 2, left_ms(end));

	if (n < 0 && errno != EINTR)
		return fail("poll");
	if (n == 0)
		return EXIT_TIME;
	if (fds[0].revents && read(notify, buf, sizeof(buf)) < 0)
		return fail("inotify");
	return fds[1].revents ? EXIT_GONE : 0;
}

/* The directory is watched, so that a file that is not there yet is seen too. */
static int watch_dir(const char *path)
{
	int fd = inotify_init1(IN_CLOEXEC);
	char dir[PATH_MAX];
	char *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (slash)
		*slash = 0;
	if (fd >= 0 && inotify_add_watch(fd, slash ? dir : ".", IN_MODIFY | IN_CREATE) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_pid(const char *pid)
{
	return (int)syscall(SYS_pidfd_open, (pid_t)strtol(pid, NULL, 10), 0);
}

static int await(int64_t end, char **args, int count, bool part)
{
	int pidfd = count > 2 ? open_pid(args[2]) : -1;
	bool gone = count > 2 && pidfd < 0;
	int notify;
	long offset = count > 3 ? strtol(args[3], NULL, 10) : 0;
	regex_t re;
	int r = 0;

	if (count < 2)
		return EXIT_USAGE;
	if (regcomp(&re, args[1], REG_EXTENDED | REG_NOSUB) != 0) {
		fprintf(stderr, "vmctl: bad expression: %s\n", args[1]);
		return EXIT_USAGE;
	}
	notify = watch_dir(args[0]);
	if (notify < 0)
		return fail(args[0]);
	while (!scan(args[0], &re, &offset, part)) {
		if (gone || r == EXIT_TIME)
			return gone ? EXIT_GONE : r;
		r = wait_event(notify, pidfd, end);
		if (r == EXIT_USAGE)
			return r;
		/* one more look: the last lines and the end come together */
		gone = r == EXIT_GONE;
	}
	return 0;
}

static int cmd_wait(int64_t end, char **args, int count)
{
	return await(end, args, count, false);
}

static int cmd_see(int64_t end, char **args, int count)
{
	return await(end, args, count, true);
}

static int cmd_gone(int64_t end, char **args, int count)
{
	struct pollfd fd = {.events = POLLIN};

	if (count != 1)
		return EXIT_USAGE;
	fd.fd = open_pid(args[0]);
	if (fd.fd < 0)
		return errno == ESRCH ? 0 : fail("pidfd_open");
	return poll(&fd, 1, left_ms(end)) > 0 ? 0 : EXIT_TIME;
}

static int dial(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/*
 * A VM just started makes its sockets a moment later. Their directory tells when the name is
 * there, nothing tells when the listening begins: that is asked every 20 ms.
 */
static int dial_until(const char *path, int64_t end)
{
	int notify = watch_dir(path);
	int fd;

	while ((fd = dial(path)) < 0 && (errno == ENOENT || errno == ECONNREFUSED)) {
		struct pollfd pfd = {.fd = notify, .events = POLLIN};
		char buf[4096];
		int left = left_ms(end);
		int error = errno;

		if (errno == ECONNREFUSED && left > 20)
			left = 20;
		if (left == 0) {
			errno = error;
			break;
		}
		if (poll(&pfd, 1, left) > 0 && read(notify, buf, sizeof(buf)) < 0)
			break;
	}
	close(notify);
	return fd;
}

/* A line reader with a deadline; what is behind the line stays in buf. */
struct reader {
	int fd;
	int64_t end;
	size_t len;
	char buf[65536];
};

/* Returns 0 with the line (terminated, without its end) in line, or an exit status. */
static int read_line(struct reader *r, char *line, size_t size)
{
	char *newline;

	while (!(newline = memchr(r->buf, '\n', r->len))) {
		struct pollfd fd = {.fd = r->fd, .events = POLLIN};
		ssize_t n;

		if (r->len == sizeof(r->buf))
			return EXIT_USAGE;
		if (poll(&fd, 1, left_ms(r->end)) <= 0)
			return EXIT_TIME;
		n = read(r->fd, r->buf + r->len, sizeof(r->buf) - r->len);
		if (n <= 0)
			return EXIT_GONE;
		r->len += (size_t)n;
	}
	*newline = 0;
	snprintf(line, size, "%s", r->buf);
	line[strcspn(line, "\r")] = 0;
	r->len -= (size_t)(newline + 1 - r->buf);
	memmove(r->buf, newline + 1, r->len);
	return 0;
}

/* One line on the wire. Returns 0 or EXIT_USAGE. */
static int send_line(int fd, const char *text)
{
	size_t len = strlen(text);

	while (len > 0) {
		ssize_t n = write(fd, text, len);

		if (n <= 0)
			return fail("write");
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

static int cmd_ask(int64_t end, char **args, int count)
{
	static struct reader reader;
	static char line[65536];
	char id[32];
	size_t len;
	int r;

	if (count < 2)
		return EXIT_USAGE;
	reader = (struct reader){.fd = dial_until(args[0], end), .end = end};
	if (reader.fd < 0)
		return fail(args[0]);
	/* an answer to an earlier question that timed out must not be taken for ours */
	len = (size_t)snprintf(id, sizeof(id), "q%d", (int)getpid());
	snprintf(line, sizeof(line), "%s", id);
	for (int i = 1; i < count; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s", args[i]);
	snprintf(line + strlen(line), sizeof(line) - strlen(line), "\n");
	r = send_line(reader.fd, line);
	while (r == 0 && (r = read_line(&reader, line, sizeof(line))) == 0) {
		if (strncmp(line, id, len) != 0)
			continue;
		if (line[len] == '=')
			return (int)strtol(line + len + 1, NULL, 10);
		if (line[len] == '|')
			puts(line + len + (line[len + 1] ? 2 : 1));
	}
	return r;
}

static int await_event(struct reader *reader, const char *name)
{
	static char line[65536];
	int r;

	do
		r = read_line(reader, line, sizeof(line));
	while (r == 0 && !strstr(line, name));
	return r;
}

static int cmd_qmp(int64_t end, char **args, int count)
{
	static struct reader reader;
	static char line[65536];
	int r;

	if (count < 2 || count > 3)
		return EXIT_USAGE;
	reader = (struct reader){.fd = dial_until(args[0], end), .end = end};
	if (reader.fd < 0)
		return fail(args[0]);
	r = send_line(reader.fd, "{\"execute\": \"qmp_capabilities\"}\n");
	if (r == 0)
		r = send_line(reader.fd, args[1]);
	if (r == 0)
		r = send_line(reader.fd, "\n");
	/* greeting, the answer to the first command, events; then the answer to ours */
	for (int answers = 0; r == 0 && answers < 2;) {
		r = read_line(&reader, line, sizeof(line));
		if (r == 0 && (strstr(line, "\"return\"") || strstr(line, "\"error\"")))
			answers++;
	}
	if (r != 0)
		return r;
	puts(line);
	if (strstr(line, "\"error\""))
		return 1;
	return count == 3 ? await_event(&reader, args[2]) : 0;
}

int main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		int (*run)(int64_t end, char **args, int count);
	} commands[] = {
		{"wait", cmd_wait},
		{"see", cmd_see},
		{"ask", cmd_ask},
		{"qmp", cmd_qmp},
		{"gone", cmd_gone},
	};

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 3 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(now_ms() + (int64_t)(strtod(argv[2], NULL) * 1000),
				argv + 3, argc - 3);
	fprintf(stderr, "usage: vmctl wait|ask|qmp|gone SECONDS ...\n");
	return EXIT_USAGE;
}
