/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows.c: a table of rows, some of which end badly, for tests/harness.bats. */
#include <signal.h>

#include "check.h"

#define ROWS 200

/* Rows not named here pass. The leak is of a size that nothing else has. */
enum { FAILS = 40, CRASHES = 41, LEAKS = 100, ENDS = 131, SKIPS = 199 };

static struct check_case cases[ROWS];
static char names[ROWS][16];
static void *volatile lost;

/* Out of a frame of its own, which is overwritten: a copy of the address that stays behind is no
 * leak to the sanitizer. */
static __attribute__((noinline)) void lose(void)
{
	lost = malloc(4711);
	lost = NULL;
}

static __attribute__((noinline)) void overwrite(void)
{
	volatile char frame[4096];

	for (size_t i = 0; i < sizeof(frame); i++)
		frame[i] = 0;
}

static void run_row(size_t row)
{
	CHECK_INT(row, row == FAILS ? -1 : (long long)row);
	if (row == CRASHES)
		raise(SIGSEGV);
	if (row == LEAKS) {
		lose();
		overwrite();
	}
	if (row == ENDS)
		exit(0);
	if (row == SKIPS)
		check_skip("no such device here");
}

const struct check_case *check_rows(size_t *n)
{
	for (size_t i = 0; i < ROWS; i++) {
		snprintf(names[i], sizeof(names[i]), "row %zu", i);
		cases[i] = (struct check_case){.name = names[i], .run_row = run_row, .row = i};
	}
	*n = ROWS;
	return cases;
}

TEST(beside_the_rows)
{
	CHECK(cases[ROWS - 1].run_row == run_row);
}
