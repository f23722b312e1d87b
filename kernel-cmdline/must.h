/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * must: for programs of the build and of servers, machines with swap: when there is no memory left
 * they say so and end. So no caller has to. Owns nothing.
 * In: what an allocation returned. Out: the same, never NULL.
 * Callers: dracut/mkimage/, ipxe-scripts/, ipxe-scripts/site/. Tests:
 * ipxe-scripts/site/test_import.c.
 */
#pragma once

#include "arena.h"

static inline void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
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
