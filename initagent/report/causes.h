/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * causes: one row a cause; a code (IA-Exxx) keeps its meaning once released. It owns causes.def.
 * Pure.
 * In: a cause or its code. Out: its row: name, code, text, what to check.
 * Callers: every folder. Tests: test_report.c, boot/test_causes.c, tests/docs.bats.
 */
#pragma once

enum cause {
	CAUSE_NONE = 0,
#define CAUSE(id, number, text, check) CAUSE_##id,
#include "report/causes.def"
#undef CAUSE
	CAUSE_MAX,
};

/* One row of the table. */
struct cause_info {
	const char *id;	   /* "MODULE_MISSING" */
	const char *code;  /* "IA-E201" */
	const char *text;  /* one line for the console */
	const char *check; /* what to check, one or two sentences */
};

/* cause_info: the row of a cause; for an unknown value the row of CAUSE_INTERNAL. Never NULL. */
const struct cause_info *cause_info(enum cause cause);

/* cause_from_code: "IA-E201" -> cause, CAUSE_NONE when unknown. */
enum cause cause_from_code(const char *code);
