/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * failure: the record of a failed boot as it is kept for the next one: "key=value" lines of
 * printable ASCII. What was kept is read like anything else that comes from outside. Pure.
 */
#pragma once

#include "report/record.h"

/*
 * A variable store has 64 KiB or less for all variables of all systems (UEFI 2.10 section 8.2
 * leaves it to the firmware).
 */
#define FAILURE_RECORD_MAX 384

struct failure {
	enum cause cause;
	char where[REPORT_NAME_MAX];
	char text[160];
	uint64_t wall;	 /* seconds since 1970; 0: the clock was not to be trusted */
	uint64_t uptime; /* seconds since the kernel's start */
};

/*
 * failure_write: always FAILURE_RECORD_MAX bytes, filled up with newlines, so that a new record
 * covers an old one.
 */
void failure_write(char buf[static FAILURE_RECORD_MAX], const struct failure *f);

/*
 * failure_read: the last record in text, which may hold others' lines around it. 0, or -ENOENT:
 * there is none.
 */
int failure_read(const char *text, size_t len, struct failure *ret);

/*
 * failure_same: does the older record say all that the newer one would, time aside? Each write
 * wears the flash.
 */
bool failure_same(const struct failure *a, const struct failure *b);
