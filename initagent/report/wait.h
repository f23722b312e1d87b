/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wait: what each rail waits for right now, and when a line of it is printed. Quick boots stay
 * silent: the first line comes after a second; then at most one a second when the text changes
 * and one every five seconds when it does not.
 */
#pragma once

#include "report/record.h"

/* Every interface of a node (ADDRESS_IFACES_MAX) and what else can wait. */
#define WAIT_SLOTS 144

struct wait_slot {
	enum cause cause;
	uint64_t since;
	char rail[REPORT_NAME_MAX];
	char text[REPORT_TEXT_MAX];
};

struct wait_line {
	struct wait_slot slots[WAIT_SLOTS];
	size_t n;
	uint64_t printed; /* time of the last line */
	bool changed;	  /* text changed since the last line */
	char line[REPORT_TEXT_MAX + REPORT_NAME_MAX + 64];
};

/*
 * wait_line_set: what the rail is at, as a statement ("waiting for carrier"); empty: it waits no
 * more. False: all slots are taken, and the wait is not kept. The last slot is for "root": what
 * ends the boot is never lost.
 */
bool wait_line_set(struct wait_line *w, enum cause cause, const char *rail, const char *text,
	uint64_t now);
uint64_t wait_line_deadline(const struct wait_line *w);
const char *wait_line_tick(struct wait_line *w, uint64_t now, uint64_t start, uint64_t end);
/* wait_line_oldest: the wait that has lasted longest, NULL: none. */
const struct wait_slot *wait_line_oldest(const struct wait_line *w);
