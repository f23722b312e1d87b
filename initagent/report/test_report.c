// SPDX-License-Identifier: GPL-2.0-or-later
/* The report room: what reaches the console, what is kept, and that nothing grows without bound. */
#include "check.h"

#include "report/console.h"
#include "report/record.h"
#include "report/wait.h"

#include <sys/mman.h>

/* A report whose console is a pipe; reads what was printed so far. */
struct fixture {
	struct report *report;
	int pipe[2];
	char text[16384];
};

static void setup(struct fixture *f, bool quiet)
{
	struct report_config cfg = {.kmsg_fd = -1, .quiet = quiet};

	CHECK_INT(pipe2(f->pipe, O_NONBLOCK), 0);
	cfg.console_fd = f->pipe[1];
	CHECK_INT(report_new(&f->report, &cfg), 0);
}

static void done(struct fixture *f)
{
	report_freep(&f->report);
	closep(&f->pipe[0]);
	closep(&f->pipe[1]);
}

static const char *printed(struct fixture *f)
{
	ssize_t n = read(f->pipe[0], f->text, sizeof(f->text) - 1);

	f->text[n > 0 ? n : 0] = 0;
	return f->text;
}

TEST(every_cause_has_a_full_row)
{
	for (int i = 1; i < CAUSE_MAX; i++) {
		const struct cause_info *info = cause_info((enum cause)i);

		CHECK(info->id && *info->id);
		CHECK(strncmp(info->code, "IA-E", 4) == 0 && strlen(info->code) == 7);
		CHECK(*info->text && strlen(info->text) <= 90);
		CHECK(*info->check);
		CHECK_INT(cause_from_code(info->code), i); /* so codes are unique, too */
	}
	CHECK_STR(cause_info((enum cause)9999)->code, "IA-E901");
	CHECK_INT(cause_from_code("IA-E999"), CAUSE_NONE);
}

TEST(levels_choose_what_is_shown)
{
	_cleanup_(done) struct fixture f = {0};

	setup(&f, true);
	report_log(f.report, REPORT_INFO, "eth0", 0, "not shown");
	report_log(f.report, REPORT_WARN, "eth0", 0, "shown %d", 1);
	CHECK_STR(printed(&f), "initagent: eth0: shown 1\n");
	done(&f);
	setup(&f, false);
	report_log(f.report, REPORT_INFO, NULL, 0, "info");
	report_log(f.report, REPORT_DEBUG, NULL, 0, "debug");
	CHECK_STR(printed(&f), "initagent: info\n");
}

TEST(the_journal_has_what_is_shown_with_its_level)
{
	_cleanup_(done) struct fixture f = {0};
	struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};

	CHECK_INT(pipe2(f.pipe, O_NONBLOCK), 0);
	cfg.journal_fd = f.pipe[1];
	CHECK_INT(report_new(&f.report, &cfg), 0);
	report_log(f.report, REPORT_INFO, "ib0", 0, "info");
	report_log(f.report, REPORT_WARN, NULL, 0, "warning\n<3>forged");
	report_log(f.report, REPORT_DEBUG, NULL, 0, "debug");
	CHECK_STR(printed(&f), "<6>ib0: info\n<4>warning\\x0a<3>forged\n");
	report_cause(f.report, CAUSE_TIMEOUT_RETRY, "ib0", 0, "why");
	CHECK(strncmp(printed(&f), "<3>ib0: IA-E", 12) == 0);
}

TEST(control_bytes_never_reach_the_console)
{
	_cleanup_(done) struct fixture f = {0};
	char clean[64];

	setup(&f, false);
	report_log(f.report, REPORT_WARN, NULL, 0, "host\x1b[2J\r\n\x07");
	CHECK_STR(printed(&f), "initagent: host\\x1b[2J\\x0d\\x0a\\x07\n");
	console_clean(clean, 8, "\x01\x02\x03\x04");
	CHECK_STR(clean, "\\x01");
}

/* No escape sequence and no second assignment for sd_notify, whatever way it came in. */
static bool harmless(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e)
			return false;
	return true;
}

TEST(control_bytes_are_cleaned_where_they_come_in)
{
	static const char hostile[] = "a\033[31m\nREADY=1\n\x9b\177";
	_cleanup_(done) struct fixture f = {0};
	struct report_view view;
	const char *line, *where, *text;
	char oldest[64], lines[16384] = "";
	_cleanup_close_ int kmsg = memfd_create("kmsg", MFD_CLOEXEC);
	struct report_config cfg = {.kmsg_fd = kmsg, .console_fd = -1};

	CHECK_INT(report_new(&f.report, &cfg), 0);
	report_log(f.report, REPORT_WARN, hostile, 0, "%s", hostile);
	report_state(f.report, hostile, hostile, hostile, hostile, 0);
	report_span(f.report, hostile, hostile, 0, 0, 0);
	report_cause(f.report, CAUSE_ROOT_REFUSED, hostile, 0, "%s", hostile);
	report_cause(f.report, CAUSE_ROOT_REFUSED, hostile, 0, "%s", hostile);
	report_wait(f.report, CAUSE_ROOT_REFUSED, hostile, 0, "%s", hostile);
	line = report_tick(f.report, 5 * NSEC_PER_SEC, NSEC_NEVER);
	CHECK(line && harmless(line));
	CHECK_INT(report_waiting(f.report, &where, &text), CAUSE_ROOT_REFUSED);
	CHECK(harmless(where) && harmless(text));
	report_waits_over(f.report, 0, hostile, oldest, sizeof(oldest));
	CHECK(harmless(oldest));
	report_view(f.report, &view);
	CHECK_INT(view.n_causes, 1); /* the same place each time */
	CHECK(harmless(view.causes[0].where) && harmless(view.causes[0].text));
	CHECK(harmless(view.changes[0].room) && harmless(view.changes[0].rail));
	CHECK(harmless(view.changes[0].from) && harmless(view.changes[0].to));
	CHECK(harmless(view.works[0].room) && harmless(view.works[0].what));
	CHECK(pread(kmsg, lines, sizeof(lines) - 1, 0) > 0);
	for (char *save = NULL, *one = strtok_r(lines, "\n", &save); one;
		one = strtok_r(NULL, "\n", &save))
		CHECK(harmless(one) && strncmp(one, "<7>initagent: IA-E", 18) == 0);
}

/* Which never says that it can be written to (devkmsg_poll() of the kernel's printk.c). */
TEST(the_kernel_log_has_a_cause)
{
	_cleanup_close_ int kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	_cleanup_close_ int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct report_config cfg = {.kmsg_fd = kmsg, .console_fd = -1};
	_cleanup_(report_freep) struct report *report = NULL;
	char text[32], record[8192];
	bool found = false;
	ssize_t n;

	if (kmsg < 0 || log < 0 || lseek(log, 0, SEEK_END) < 0)
		check_skip("/dev/kmsg: %s", strerror(errno));
	snprintf(text, sizeof(text), "test of process %d", (int)getpid());
	CHECK_INT(report_new(&report, &cfg), 0);
	report_cause(report, CAUSE_ROOT_REFUSED, "srv", 0, "%s", text);
	while (!found && ((n = read(log, record, sizeof(record))) > 0 || errno == EPIPE))
		found = n > 0 && memmem(record, (size_t)n, text, strlen(text));
	CHECK(found);
}

TEST(a_cause_is_printed_once_per_text)
{
	_cleanup_(done) struct fixture f = {0};
	struct report_view v;

	setup(&f, true);
	for (int i = 0; i < 3; i++)
		report_cause(f.report, CAUSE_DHCP_NO_OFFER, "eth0", (uint64_t)i, "3 DISCOVERs");
	CHECK_STR(printed(&f),
		"initagent: eth0: IA-E501 no DHCP server answered: 3 DISCOVERs\n"
		"initagent: eth0: IA-E501 check: is the server up, on this segment (or relayed), "
		"and does it know this client identifier? Does the switch port forward (spanning "
		"tree: edge port; LACP: fallback)?\n");
	report_view(f.report, &v);
	CHECK_INT(v.n_causes, 1);
	CHECK_INT(v.causes[0].count, 3);
	CHECK_INT(v.causes[0].last, 2);
}

TEST(rows_are_bounded_and_counted)
{
	_cleanup_(done) struct fixture f = {0};
	struct report_view v;

	setup(&f, true);
	for (int i = 0; i < 5000; i++)
		report_state(f.report, "link", "eth0", "down", "up", (uint64_t)i);
	for (int i = 0; i < 300; i++)
		report_span(f.report, "modules", "m", 0, 1, 0);
	report_view(f.report, &v);
	CHECK_INT(v.n_changes, 512);
	CHECK_INT(v.n_works, 256);
	CHECK_INT(v.dropped, 5000 - 512 + 300 - 256);
	CHECK_INT(v.changes[511].when, 511);
	CHECK(v.log_len <= 65536);
	CHECK(strncmp(v.log, "... earlier lines dropped ...\n", 30) == 0);
}

TEST(nothing_is_reported_to_no_report)
{
	report_log(NULL, REPORT_ERR, NULL, 0, "x");
	report_state(NULL, "a", "b", "c", "d", 0);
	report_cause(NULL, CAUSE_INTERNAL, NULL, 0, "x");
	report_span(NULL, "a", "b", 0, 0, 0);
	report_wait(NULL, CAUSE_INTERNAL, NULL, 0, "x");
}

TEST(status_line_is_calm)
{
	struct wait_line w = {0};
	const uint64_t s = NSEC_PER_SEC;

	CHECK(wait_line_deadline(&w) == NSEC_NEVER);
	wait_line_set(&w, CAUSE_DHCP_NO_OFFER, "eth0", "no DHCP answer yet", 10 * s);
	CHECK(!wait_line_tick(&w, 10 * s, 0, 180 * s));
	CHECK_STR(wait_line_tick(&w, 11 * s, 0, 180 * s),
		"eth0: no DHCP answer yet (11 s of 180 s, IA-E501)");
	CHECK(!wait_line_tick(&w, 12 * s, 0, 180 * s));
	CHECK_INT(wait_line_deadline(&w), (long long)(16 * s));
	wait_line_set(&w, CAUSE_DHCP_NO_OFFER, "eth0", "no DHCP answer yet, 2 sent", 12 * s);
	CHECK_STR(wait_line_tick(&w, 12 * s, 0, NSEC_NEVER),
		"eth0: no DHCP answer yet, 2 sent (no limit, IA-E501)");
	wait_line_set(&w, CAUSE_DHCP_NO_OFFER, "eth0", "", 13 * s);
	CHECK(wait_line_deadline(&w) == NSEC_NEVER);
}

/*
 * Bytes come, and each look has another text: a line a second for five seconds, then one in five.
 */
TEST(progress_lines_become_rare)
{
	const uint64_t s = NSEC_PER_SEC;
	struct wait_line w = {0};
	unsigned lines = 0, early = 0;

	for (uint64_t now = 10 * s; now < 70 * s; now += s / 4) {
		char text[32];

		snprintf(text, sizeof(text), "%llu bytes", (unsigned long long)now);
		wait_line_set(&w, CAUSE_NONE, "root", text, now);
		lines += wait_line_tick(&w, now, 0, NSEC_NEVER) != NULL;
		early = now < 16 * s ? lines : early;
	}
	CHECK_INT(early, 5);
	CHECK_INT(lines, 5 + 10);
	/* What is wrong is shown as soon as ever. */
	wait_line_set(&w, CAUSE_FETCH_CUT, "root", "broke", 71 * s);
	CHECK_INT(wait_line_deadline(&w), (long long)(72 * s));
}

TEST(the_oldest_wait_is_named)
{
	struct wait_line w = {0};

	wait_line_set(&w, CAUSE_NETDEV_NO_CARRIER, "eth1", "carrier", 5);
	wait_line_set(&w, CAUSE_PORT_DOWN, "mlx5_0/1", "ACTIVE", 3);
	CHECK_INT(wait_line_oldest(&w)->cause, CAUSE_PORT_DOWN);
	CHECK_STR(wait_line_oldest(&w)->rail, "mlx5_0/1");
}

/* Every interface waits, and "root" comes last: it is what ends the boot. */
TEST(the_wait_for_the_root_is_never_lost)
{
	_cleanup_(done) struct fixture f = {0};
	char rail[32], where[REPORT_NAME_MAX];
	struct report_view v;

	setup(&f, false);
	for (int i = 0; i < WAIT_SLOTS + 5; i++) {
		snprintf(rail, sizeof(rail), "r%d", i);
		report_wait(f.report, CAUSE_PORT_DOWN, rail, 9, "x");
	}
	CHECK_STR(printed(&f),
		"initagent: r143: more than 143 waits at one time: those of further interfaces are "
		"not shown\n");
	report_wait(f.report, CAUSE_ROOT_UNREACHABLE, "root", 7, "waiting for the server");
	CHECK_INT(report_waits_over(f.report, 10, "over", where, sizeof(where)),
		CAUSE_ROOT_UNREACHABLE);
	CHECK_STR(where, "root");
	report_view(f.report, &v);
	CHECK_INT(v.causes[v.n_causes - 1].cause, CAUSE_ROOT_UNREACHABLE);
}

/* However many there were before: the newest may be the one that ends the boot. */
TEST(the_newest_cause_is_always_printed_and_kept)
{
	_cleanup_(done) struct fixture f = {0};
	struct report_view v;
	char where[32];

	setup(&f, false);
	for (int i = 0; i < 300; i++) {
		snprintf(where, sizeof(where), "server%d", i);
		report_cause(f.report, CAUSE_ROOT_REFUSED, where, 0, "x");
		CHECK(strstr(printed(&f), where) != NULL);
	}
	report_view(f.report, &v);
	CHECK_INT(v.n_causes, 256);
	CHECK_INT(v.lost_causes, 44);
	CHECK_STR(v.causes[255].where, "server299");
	CHECK(strstr(v.log, "more than 256 causes: the oldest are not kept") != NULL);
}

/* While all is well the end of the budget moves along with what comes: only the time is shown. */
TEST(a_budget_is_shown_where_something_is_wrong)
{
	struct wait_line w = {0};
	const char *line;

	CHECK(wait_line_set(&w, CAUSE_NONE, "root", "image: 1 of 9 MiB", 2 * NSEC_PER_SEC));
	line = wait_line_tick(&w, 4 * NSEC_PER_SEC, NSEC_PER_SEC, 181 * NSEC_PER_SEC);
	CHECK(line);
	CHECK_STR(line, "root: image: 1 of 9 MiB (3 s)");
	CHECK(wait_line_set(&w, CAUSE_FETCH_STALLED, "root", "it stands still", 5 * NSEC_PER_SEC));
	line = wait_line_tick(&w, 7 * NSEC_PER_SEC, NSEC_PER_SEC, 181 * NSEC_PER_SEC);
	CHECK(line);
	CHECK_STR(line, "root: it stands still (6 s of 180 s, IA-E625)");
}
