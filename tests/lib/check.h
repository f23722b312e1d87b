/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.h: the test harness for C unit tests. TEST(name) registers a case in a linker section;
 * main() in check.c runs each case in a forked child and prints TAP. A failed CHECK prints file,
 * line and both values and ends the case.
 */
#pragma once

#include "base/util.h"

struct check_case {
	const char *name;
	void (*run)(void);
	void (*run_row)(size_t row); /* instead of run, for cases of a table */
	size_t row;
};

/*
 * check_rows: a test program whose cases are rows of a table, for example of a file, defines this.
 * Called once, before any case runs; returns the first of *n cases, each with run_row set.
 */
const struct check_case *check_rows(size_t *n) __attribute__((weak));

#define TEST(id)                                                                           \
	static void test_##id(void);                                                       \
	static const struct check_case case_##id = {.name = #id, .run = test_##id};      \
	static const struct check_case *const entry_##id                                   \
		__attribute__((used, section("check_cases"))) = &case_##id;                \
	static void test_##id(void)

void check_fail(const char *file, int line, const char *fmt, ...) _printf_(3, 4)
	__attribute__((noreturn));
/* check_skip: counts the case as skipped, with its reason. */
void check_skip(const char *fmt, ...) _printf_(1, 2) __attribute__((noreturn));
/* check_dir: mkdtemp(3); what is in the folder when the case ends goes with it. Never NULL. */
char *check_dir(char *template);
void check_str(const char *file, int line, const char *got, const char *want);
void check_has(const char *file, int line, const char *text, const char *part);
void check_int(const char *file, int line, long long got, long long want, const char *expr);
void check_mem(const char *file, int line, const void *got, const void *want, size_t len);

#define CHECK(cond)                                                    \
	do {                                                           \
		if (!(cond))                                           \
			check_fail(__FILE__, __LINE__, "%s", #cond);   \
	} while (0)
#define CHECK_STR(got, want)	  check_str(__FILE__, __LINE__, got, want)
#define CHECK_HAS(text, part)	  check_has(__FILE__, __LINE__, text, part)
#define CHECK_INT(got, want)	  check_int(__FILE__, __LINE__, got, want, #got)
#define CHECK_MEM(got, want, len) check_mem(__FILE__, __LINE__, got, want, len)
