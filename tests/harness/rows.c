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

static void run_row(size_t row)
{
	CHECK_INT(row, row == FAILS ? -1 : (long long)row);
	if (row == CRASHES)
		raise(SIGSEGV);
	if (row == LEAKS)
		lost = malloc(4711);
	lost = NULL;
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
