/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: causes met, waits, state changes and the text log of this boot; its lines on the console.
 * It owns these lists, the console's queue, the escaping of text from outside, which happens here
 * only.
 * In: calls by every room; strings are copied. Out: lines, and rows for state/ and tell/
 * (record.h).
 * Callers: every folder writes; state/, report/tell/ and boot/ read. Tests: test_report.c,
 * test_console.c, test_screens.c, tests/report.bats.
 */
#pragma once

#include "base/util.h"
#include "report/causes.h"

struct report;

enum report_level {
	REPORT_ERR,   /* always on the console */
	REPORT_WARN,  /* always on the console */
	REPORT_INFO,  /* on the console unless "quiet" */
	REPORT_DEBUG, /* on the console only with rd.debug; always in the log */
};

struct report_config {
	int console_fd;	   /* where lines go; -1: they are dropped (tests) */
	int kmsg_fd;	   /* /dev/kmsg or -1; borrowed */
	/* systemd's journal: has the lines as well, each with its level before it, as sd-daemon(3)
	 * has them; 0: there is none */
	int journal_fd;
	bool quiet;	   /* keep INFO off the console, and waits for 5 s */
	bool debug;	   /* DEBUG on the console too */
	uint64_t start;	   /* time of PID 1's start: zero of the phase table */
};

/* report_new: allocates a report. Returns 0 or -ENOMEM. */
int report_new(struct report **ret, const struct report_config *cfg);
struct report *report_free(struct report *r);
DEFINE_FREEP(struct report, report_free)

/* report_log: one line. rail: the rail or room it is about, NULL for the agent itself. */
void report_log(struct report *r, enum report_level level, const char *rail, uint64_t now,
	const char *fmt, ...) _printf_(5, 6);

/* report_state: one state change: "room rail: from -> to" in log and timeline. */
void report_state(struct report *r, const char *room, const char *rail, const char *from,
	const char *to, uint64_t now);

/* report_span: finished work for the timeline. Times in ns; result is 0 or negative errno. */
void report_span(struct report *r, const char *room, const char *what, uint64_t begin,
	uint64_t end, int result);

/*
 * report_cause: a failure or a hindrance with its stable code. where is the port, netdev, module or
 * server it is about. The last cause of each (cause, where) pair is kept for state.json. The line
 * is printed once per distinct text, so that retries do not flood a serial console.
 */
void report_cause(struct report *r, enum cause cause, const char *where, uint64_t now,
	const char *fmt, ...) _printf_(5, 6);

/*
 * report_wait: what a rail is at right now, as a statement ("waiting for carrier"), for the status
 * line (at most one a second). cause is what the failure would be called if the wait never ended.
 * An empty text ends the wait, as report_wait_over() does.
 */
void report_wait(struct report *r, enum cause cause, const char *rail, uint64_t now,
	const char *fmt, ...) _printf_(5, 6);
void report_wait_over(struct report *r, const char *rail, uint64_t now);

/*
 * The status line. report_deadline: when the next one is due (NSEC_NEVER: nothing is waited for).
 * report_tick: prints it when due, with the time used of the budget that ends at budget_end
 * (NSEC_NEVER: no limit). Returns the line just printed, or NULL.
 */
uint64_t report_deadline(const struct report *r);
/* report_renew: the time used counts from now on. */
void report_renew(struct report *r, uint64_t now);
const char *report_tick(struct report *r, uint64_t now, uint64_t budget_end);

/*
 * What the console does not take yet: report_fd is readable when report_flush can go on; -1: it
 * always takes all. report_drain: a boot that failed waits for a slow console, 10 s at most, and a
 * second for one that takes nothing.
 */
int report_fd(const struct report *r);
void report_flush(struct report *r);
void report_drain(struct report *r);

/* report_waiting: the longest wait, valid until the next report_wait(). CAUSE_NONE: none. */
enum cause report_waiting(const struct report *r, const char **ret_rail, const char **ret_text);

/*
 * report_waits_over: the time for them is up: each current wait is reported as a cause with what it
 * waited for and text, the one that lasted longest last. Returns that one's cause and its rail;
 * CAUSE_NONE if nothing was waited for.
 */
enum cause report_waits_over(struct report *r, uint64_t now, const char *text, char *where,
	size_t size);
