/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failure: "key=value" lines of printable ASCII; read like input from outside. Pure. */
#pragma once

#include "report/record.h"

/* A variable store has 64 KiB or less for all variables of all systems (UEFI 2.10, 8.2). */
#define FAILURE_RECORD_MAX 384

struct failure {
	enum cause cause;
	char where[REPORT_NAME_MAX];
	char text[160];
	uint64_t wall;	 /* seconds since 1970; 0: the clock was not to be trusted */
	uint64_t uptime; /* seconds since the kernel's start */
};

/* failure_write: FAILURE_RECORD_MAX bytes, padded with newlines to cover an older record. */
void failure_write(char buf[static FAILURE_RECORD_MAX], const struct failure *f);

/* failure_read: the last record in text, between any other lines. 0, or -ENOENT: none. */
int failure_read(const char *text, size_t len, struct failure *ret);

/* failure_same: the same failure, time aside? Each write wears the flash. */
bool failure_same(const struct failure *a, const struct failure *b);
