/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory: this is a tool of the build, on a machine with swap: when there is no memory left it says so and
 * ends. So no caller has to.
 */
#pragma once

#include "arena.h"

static inline void *must(void *p)
{
	if (!p) {
		fputs("initagent-site: out of memory\n", stderr);
		exit(3);
	}
	return p;
}

static inline struct arena *must_arena(void)
{
	struct arena *a = NULL;

	if (arena_new(&a) < 0)
		must(NULL);
	return a;
}
