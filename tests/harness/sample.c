/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample.c: cases that end in every possible way, for tests/harness.bats. */
#include <signal.h>

#include "check.h"

TEST(passes)
{
	printf("noise on stdout\nok 99 - not a case\n");
	CHECK(1 + 1 == 2);
	CHECK_STR("a", "a");
	CHECK_INT(-1, -1);
	CHECK_MEM("abc", "abd", 2);
}

TEST(fails)
{
	fprintf(stderr, "noise of the failed case\n");
	CHECK(1 == 2);
}

TEST(fails_str)
{
	CHECK_STR("left", "right");
}

TEST(fails_str_null)
{
	CHECK_STR(NULL, "right");
}

TEST(fails_int)
{
	CHECK_INT(40 + 1, 42);
}

TEST(fails_mem)
{
	CHECK_MEM("abcd", "abxd", 4);
}

TEST(skips)
{
	check_skip("no %s here", "such device");
}

TEST(crashes)
{
	raise(SIGSEGV);
}

TEST(leaks)
{
	/* The pointer is hidden from the leak checker's scan of stack and registers. */
	volatile uintptr_t hidden = ~(uintptr_t)malloc(40);

	CHECK(hidden);
}

TEST(overruns)
{
	volatile size_t beyond = 8;
	char *p = malloc(8);

	CHECK(p);
	p[beyond] = 1;
	free(p);
}

TEST(hangs)
{
	for (;;)
		pause();
}

TEST(exits_early)
{
	_exit(3);
}
