/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lint: says in plain words what each word of a command line will do, and what is wrong with it.
 * Owns nothing after the call.
 * In: one command line, any bytes. Out: the report on a stream, and how bad it is.
 * Callers: main.c, dracut/mkimage/, ipxe-scripts/site/. Tests: test_cmdline.c, test_rows.c,
 * tests/kernel-cmdline.bats.
 */
#pragma once

#include "base/util.h"

/* What cmdline_lint() returns, and "initagent lint" as its exit status. */
enum lint_result {
	LINT_CLEAN = 0,	   /* nothing, or notes only */
	LINT_WARNINGS = 1, /* it boots, but hardly as meant */
	LINT_ERRORS = 2,   /* something was left out, or it cannot boot at all */
	LINT_FAILED = 3,   /* exit status only: there is no line to judge */
};

enum lint_flags {
	LINT_REMARKS = 1 << 0, /* only words with a remark */
	LINT_PLAN = 1 << 1,    /* the resulting plan behind it (plan_dump) */
	LINT_RUNNING = 1 << 2, /* this kernel's own line: at its full length it was probably cut */
};

/* Among the flags: with what an enum compat_backend (compat.h) makes of it. */
#define LINT_COMPAT(backend) ((unsigned int)(backend) << 8)

/*
 * cmdline_lint: writes the report. cmdline may hold any byte; flags are enum lint_flags.
 * Returns enum lint_result, -ENOMEM or -EIO.
 */
int cmdline_lint(const char *cmdline, size_t len, FILE *out, unsigned int flags);
