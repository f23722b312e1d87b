/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record: what the report has gathered, as plain rows. Owns nothing: report.c owns the rows.
 * In: the report. Out: a view of changes, work, causes and log, valid until the next write.
 * Callers: boot/, rails/, report/tell/, root/source/, state/. Tests: test_report.c,
 * state/test_state.c.
 */
#pragma once

#include "report/report.h"

#define REPORT_NAME_MAX 48
#define REPORT_TEXT_MAX 320

/* One state change of one rail in one room. */
struct report_change {
	uint64_t when; /* CLOCK_BOOTTIME ns */
	char room[REPORT_NAME_MAX];
	char rail[REPORT_NAME_MAX];
	char from[REPORT_NAME_MAX];
	char to[REPORT_NAME_MAX];
};

/* One finished piece of work. */
struct report_work {
	uint64_t begin, end;
	char room[REPORT_NAME_MAX];
	char what[REPORT_NAME_MAX];
	int result; /* 0 or negative errno */
};

/* One cause met at one place; count tells how often. */
struct report_met {
	enum cause cause;
	uint64_t first, last;
	unsigned count;
	char where[REPORT_NAME_MAX];
	char text[REPORT_TEXT_MAX];
};

/* A borrowed view, valid until the next call that writes to the report. */
struct report_view {
	const struct report_change *changes;
	size_t n_changes;
	const struct report_work *works;
	size_t n_works;
	const struct report_met *causes;
	size_t n_causes;
	size_t lost_causes; /* older ones that made room for these */
	const char *log;
	size_t log_len;
	uint64_t start;
	unsigned dropped; /* rows that did not fit the fixed limits */
};

void report_view(const struct report *r, struct report_view *ret);
