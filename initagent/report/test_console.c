// SPDX-License-Identifier: GPL-2.0-or-later
/* The console: what a reader gets, and that one who does not read holds nobody up. */
#include "check.h"

#include <poll.h>
#include <termios.h>

#include "report/console.h"
#include "report/report.h"

/* So long may a test that nobody reads take; a boot loses microseconds. */
#define SOON (2 * NSEC_PER_SEC)

/* A terminal: what is written to far comes out at near. */
struct terminal {
	int near, far;
	struct console *c;
};

static void open_terminal(struct terminal *t, const char *term)
{
	setenv("TERM", term, 1);
	unsetenv("NO_COLOR");
	t->near = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	CHECK(t->near >= 0 && grantpt(t->near) == 0 && unlockpt(t->near) == 0);
	t->far = open(ptsname(t->near), O_RDWR | O_NOCTTY | O_CLOEXEC);
	CHECK(t->far >= 0);
	CHECK_INT(console_new(&t->c, t->far), 0);
}

static void close_terminal(struct terminal *t)
{
	console_freep(&t->c);
	close(t->near);
	close(t->far);
}

/* Everything until 200 ms of silence, which count once this was there ("" at once): a worker of the
 * kernel passes it on, when it has its turn. */
static char *all_of(int fd, struct console *c, const char *awaited)
{
	static char text[1 << 20];
	size_t at = 0;
	ssize_t n;

	text[0] = 0;
	while (poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1,
		       strstr(text, awaited) ? 200 : 60000) > 0) {
		n = read(fd, text + at, sizeof(text) - 1 - at);
		if (n <= 0)
			break;
		at += (size_t)n;
		text[at] = 0;
		console_flush(c);
	}
	return text;
}

TEST(a_terminal_gets_whole_lines_and_colour_for_what_is_urgent)
{
	struct terminal t;

	open_terminal(&t, "xterm");
	console_put(t.c, "calm", false);
	console_put(t.c, "urgent", true);
	CHECK_STR(all_of(t.near, t.c, "\033[0m\r\n"), "calm\r\n\033[31murgent\033[0m\r\n");
	close_terminal(&t);
}

/* Or else the agent's loop never sleeps. */
TEST(a_console_that_has_taken_everything_wakes_nobody)
{
	struct terminal t;

	open_terminal(&t, "dumb");
	console_put(t.c, "line", false);
	all_of(t.near, t.c, "line\r\n");
	console_flush(t.c);
	CHECK_INT(poll(&(struct pollfd){.fd = console_fd(t.c), .events = POLLIN}, 1, 0), 0);
	close_terminal(&t);
}

TEST(no_colour_for_a_dumb_terminal_or_who_does_not_want_it)
{
	struct terminal t;
	int fds[2];

	open_terminal(&t, "dumb");
	console_put(t.c, "urgent", true);
	CHECK_STR(all_of(t.near, t.c, "\n"), "urgent\r\n");
	close_terminal(&t);
	CHECK_INT(pipe2(fds, O_NONBLOCK), 0);
	setenv("TERM", "xterm", 1);
	CHECK_INT(console_new(&t.c, fds[1]), 0);
	console_put(t.c, "urgent", true);
	CHECK_STR(all_of(fds[0], t.c, "\n"), "urgent\n");
	console_free(t.c);
}

/* The lines said to be missing: in several places, where the kernel took some in between. */
static unsigned left_out(const char *text)
{
	unsigned n, sum = 0;

	while ((text = strstr(text, "initagent: "))) {
		if (sscanf(text, "initagent: %u lines left out, the log has them", &n) == 1)
			sum += n;
		text++;
	}
	return sum;
}

/* 2,000 lines to a terminal that is not read: at once, in bounds, the loss is said later. */
TEST(a_console_that_nobody_reads_holds_nobody_up)
{
	uint64_t began = now_ns();
	struct terminal t;
	unsigned lost;
	char *text;

	open_terminal(&t, "dumb");
	for (int i = 0; i < 2000; i++)
		console_put(t.c,
			"this is a line of which there are far too many for a terminal that nobody "
			"reads", false);
	CHECK(now_ns() - began < SOON);
	lost = left_out(all_of(t.near, t.c, ""));
	console_put(t.c, "somebody reads again", false);
	text = all_of(t.near, t.c, "somebody reads again\r\n");
	CHECK(strstr(text, "somebody reads again\r\n"));
	lost += left_out(text);
	CHECK(lost > 200);
	close_terminal(&t);
}

TEST(what_is_urgent_finds_room_where_the_rest_does_not)
{
	struct terminal t;
	const char *text;

	open_terminal(&t, "dumb");
	for (int i = 0; i < 400; i++)
		console_put(t.c,
			"this is a line of which there are far too many for a terminal that nobody "
			"reads", false);
	console_put(t.c, "this is why", true);
	text = all_of(t.near, t.c, "this is why\r\n");
	CHECK(strstr(text, "this is why\r\n"));
	CHECK(strstr(text, "lines left out, the log has them\r\n"));
	close_terminal(&t);
}

/* Ctrl-S on the console, or the flow control of a BMC. */
TEST(a_console_held_by_xoff_holds_nobody_up)
{
	uint64_t began = now_ns();
	struct terminal t;

	open_terminal(&t, "dumb");
	CHECK_INT(tcflow(t.far, TCOOFF), 0);
	for (int i = 0; i < 50; i++)
		console_put(t.c, "held", true);
	console_drain(t.c, 300);
	console_settle(t.far, 300);
	CHECK(now_ns() - began < SOON);
	CHECK_INT(tcflow(t.far, TCOON), 0);
	console_flush(t.c);
	CHECK(strstr(all_of(t.near, t.c, "held\r\nheld\r\n"), "held\r\nheld\r\n"));
	close_terminal(&t);
}

/* The queue goes on by an event, and to the end. */
TEST(a_slow_reader_gets_all_that_was_kept)
{
	struct terminal t;
	size_t got = 0;
	char some[200];

	open_terminal(&t, "dumb");
	for (int i = 0; i < 90; i++)
		console_put(t.c,
			"0123456789012345678901234567890123456789"
			"012345678901234567890123456789012345678", true);
	while (got < 90 * 81) {
		ssize_t n = read(t.near, some, sizeof(some));

		got += n > 0 ? (size_t)n : 0;
		CHECK(n > 0 || poll(&(struct pollfd){.fd = console_fd(t.c), .events = POLLIN}, 1,
			60000) == 1);
		console_flush(t.c);
	}
	CHECK_INT(got, 90 * 81);
	close_terminal(&t);
}

/* The description that others share stays as it was. */
TEST(nobody_else_s_descriptor_becomes_non_blocking)
{
	struct terminal t;

	open_terminal(&t, "dumb");
	CHECK(!(fcntl(t.far, F_GETFL) & O_NONBLOCK));
	close_terminal(&t);
}

TEST(a_file_and_nothing_at_all_are_fine_too)
{
	char template[] = "/tmp/consoleXXXXXX", text[64] = "";
	int fd = mkstemp(template);
	struct console *c;

	CHECK_INT(write(fd, "before\n", 7), 7);
	CHECK_INT(console_new(&c, fd), 0);
	console_put(c, "line", true);
	console_free(c);
	CHECK(pread(fd, text, sizeof(text) - 1, 0) > 0);
	CHECK_STR(text, "before\nline\n");
	unlink(template);
	CHECK_INT(console_new(&c, -1), 0);
	console_put(c, "line", true);
	console_drain(c, 100);
	console_free(c);
}

TEST(quiet_shows_causes_and_only_long_waits)
{
	struct report_config cfg = {.kmsg_fd = -1, .quiet = true};
	struct report *r;
	char text[4096] = "";
	int fds[2];

	CHECK_INT(pipe2(fds, O_NONBLOCK), 0);
	cfg.console_fd = fds[1];
	CHECK_INT(report_new(&r, &cfg), 0);
	report_wait(r, CAUSE_NETDEV_NO_CARRIER, "ib0", NSEC_PER_SEC, "waiting for carrier");
	/* for systemd, which shows it by itself */
	CHECK(report_tick(r, 2 * NSEC_PER_SEC, NSEC_NEVER));
	CHECK(read(fds[0], text, sizeof(text)) < 0);
	CHECK(report_tick(r, 7 * NSEC_PER_SEC, NSEC_NEVER));
	CHECK(read(fds[0], text, sizeof(text) - 1) > 0 &&
		strstr(text, "initagent: ib0: waiting for carrier (no limit, IA-E402)\n"));
	report_cause(r, CAUSE_NETDEV_NO_CARRIER, "ib0", 8 * NSEC_PER_SEC, "no cable");
	memset(text, 0, sizeof(text));
	CHECK(read(fds[0], text, sizeof(text) - 1) > 0 && strstr(text, "IA-E402 ") &&
		strstr(text, " check: "));
	report_free(r);
}
