// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/console.h"

#include <linux/kd.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>

#include "base/worker.h"

#define WRITE_PATIENCE_MS 200
#define STUCK_MS	  1000
#define RED		  "\033[31m"
#define PLAIN		  "\033[0m"
/* Documentation/admin-guide/devices.txt: Unix98 pseudo-terminals */
#define PTY_FIRST	  136
#define PTY_LAST	  143

struct console {
	int given;     /* -1: opened already, or none */
	int fd, epoll; /* -1: none */
	bool colour;
	size_t len;
	unsigned left_out; /* lines, since the last one that found room */
	char queue[CONSOLE_QUEUE];
};

static bool printable(unsigned char c)
{
	return c >= 0x20 && c != 0x7f && c < 0x80;
}

void console_clean(char *dst, size_t size, const char *src)
{
	size_t out = 0;

	for (; *src && out + 5 < size; src++) {
		unsigned char c = (unsigned char)*src;

		if (printable(c))
			dst[out++] = (char)c;
		else
			out += (size_t)snprintf(dst + out, 5, "\\x%02x", c);
	}
	dst[out] = 0;
}

void console_complain(const char *what, const char *why)
{
	char clean[1024];

	console_clean(clean, sizeof(clean), what);
	fprintf(stderr, "initagent: %s: %s\n", clean, why);
}

void console_line(int fd, const char *text)
{
	char line[1024];
	int len = snprintf(line, sizeof(line), "%s\n", text);
	const char *p = line;

	if (fd < 0 || len <= 0)
		return;
	len = len < (int)sizeof(line) ? len : (int)sizeof(line) - 1;
	while (len > 0) {
		struct pollfd pfd = {.fd = fd, .events = POLLOUT};
		ssize_t n;

		/* A console held by XOFF or a dead SOL session must not hold the boot. */
		if (poll(&pfd, 1, WRITE_PATIENCE_MS) <= 0)
			return;
		n = write(fd, p, (size_t)len);
		if (n <= 0)
			return;
		p += n;
		len -= (int)n;
	}
}

void console_adopt(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY);

	/* console= names a port that is not there: no other file may get one of their numbers. */
	if (fd < 0 && fcntl(STDERR_FILENO, F_GETFD) < 0)
		fd = open("/dev/null", O_RDWR);
	for (int i = 0; fd >= 0 && i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
}

static int drain(const void *arg)
{
	(void)arg;
	return tcdrain(WORKER_FILE(0));
}

/* A line held by XOFF never gets there. */
void console_settle(int fd, int limit_ms)
{
	worker_try(drain, NULL, fd, (uint64_t)limit_ms * NSEC_PER_MSEC);
}

/*
 * A screen of this machine, or a pseudo-terminal; the kernel says TERM=linux on a serial line, too.
 */
static bool wants_colour(int fd)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");
	struct stat st;
	char keyboard;

	if (!isatty(fd) || !term || !*term || streq(term, "dumb") || (none && *none) ||
		fstat(fd, &st) < 0)
		return false;
	return ioctl(fd, KDGKBTYPE, &keyboard) == 0 ||
		(major(st.st_rdev) >= PTY_FIRST && major(st.st_rdev) <= PTY_LAST);
}

/* An open file description of our own, where there can be one. */
static int reopen(int fd)
{
	char path[32];
	struct stat st;
	int own = -1;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode))
		own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return own >= 0 ? own : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

int console_new(struct console **ret, int fd)
{
	struct console *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->given = fd;
	c->fd = c->epoll = -1;
	*ret = c;
	return 0;
}

/* Not before it is used: a boot's first modules need not wait for it. */
static void open_given(struct console *c)
{
	struct epoll_event ev = {.events = EPOLLOUT | EPOLLET};

	if (c->given < 0)
		return;
	c->fd = reopen(c->given);
	c->given = -1;
	c->colour = c->fd >= 0 && wants_colour(c->fd);
	c->epoll = c->fd < 0 ? -1 : epoll_create1(EPOLL_CLOEXEC);
	/* A regular file cannot be watched, and need not be. */
	if (c->epoll >= 0 && epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->fd, &ev) < 0) {
		close(c->epoll);
		c->epoll = -1;
	}
}

struct console *console_free(struct console *c)
{
	if (!c)
		return NULL;
	console_flush(c);
	closep(&c->epoll);
	closep(&c->fd);
	free(c);
	return NULL;
}

int console_fd(struct console *c)
{
	open_given(c);
	return c->epoll;
}

/* Where O_NONBLOCK could not be had, what is ready for more takes a line without waiting. */
static ssize_t write_some(const struct console *c)
{
	struct pollfd pfd = {.fd = c->fd, .events = POLLOUT};

	if (poll(&pfd, 1, 0) <= 0)
		return 0;
	return write(c->fd, c->queue, c->len < 512 ? c->len : 512);
}

void console_flush(struct console *c)
{
	struct epoll_event ev;
	ssize_t n = 1;

	/* The epoll fd stays readable, and its waiter awake, until the edge is taken. */
	if (c->epoll >= 0)
		epoll_wait(c->epoll, &ev, 1, 0);
	while (c->fd >= 0 && c->len && n > 0) {
		n = write_some(c);
		if (n <= 0)
			continue;
		c->len -= (size_t)n;
		memmove(c->queue, c->queue + n, c->len);
	}
	/* A pipe without reader, a terminal that hung up. */
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		c->len = 0;
}

static bool add(struct console *c, const char *line, size_t room, bool red)
{
	const char *before = red ? RED : "", *after = red ? PLAIN : "";
	size_t n = strlen(before) + strlen(line) + strlen(after) + 1;

	if (c->len + n > room)
		return false;
	c->len += (size_t)snprintf(c->queue + c->len, n, "%s%s%s", before, line, after);
	c->queue[c->len++] = '\n';
	return true;
}

/*
 * The place where lines are missing is marked as soon as there is room for that, and for the next.
 */
static bool mark_gap(struct console *c, size_t room)
{
	char line[96];

	if (!c->left_out)
		return true;
	snprintf(line, sizeof(line), "initagent: %u lines left out, the log has them", c->left_out);
	if (c->len > room / 2 || !add(c, line, room, false))
		return false;
	c->left_out = 0;
	return true;
}

void console_put(struct console *c, const char *line, bool urgent)
{
	size_t room = urgent ? CONSOLE_QUEUE : CONSOLE_QUEUE / 2;

	open_given(c);
	if (c->fd < 0)
		return;
	console_flush(c);
	if (!mark_gap(c, room) && !urgent)
		c->left_out++;
	else if (!add(c, line, room, urgent && c->colour))
		c->left_out++;
	console_flush(c);
}

void console_drain(struct console *c, int limit_ms)
{
	while (c->fd >= 0 && c->len && limit_ms > 0) {
		struct pollfd pfd = {.fd = c->fd, .events = POLLOUT};
		uint64_t began = now_ns();

		if (poll(&pfd, 1, limit_ms < STUCK_MS ? limit_ms : STUCK_MS) <= 0)
			return;
		console_flush(c);
		limit_ms -= (int)((now_ns() - began) / NSEC_PER_MSEC) + 1;
	}
}
