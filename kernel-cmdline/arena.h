/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena: memory that is freed all at once. It owns the strings and arrays of a plan or record, so
 * that freeing one cannot forget or double-free anything.
 * In: sizes, text to copy. Out: zeroed memory that lives as long as the arena; NULL: out of memory.
 * Callers: state/, timeline/, ipxe-scripts/site/. Tests: test_oom.c (each allocation fails once),
 * ipxe-scripts/site/test_site.c.
 */
#pragma once

#include <stdarg.h>

#include "base/util.h"

struct arena;

/* arena_new: an empty arena. Returns 0 or -ENOMEM. */
int arena_new(struct arena **ret);
struct arena *arena_free(struct arena *a);
DEFINE_FREEP(struct arena, arena_free)

/* arena_alloc: n zeroed bytes, aligned for any type; NULL when out of memory. */
void *arena_alloc(struct arena *a, size_t n);

/* arena_text: a terminated copy of s[0..len). NULL when out of memory. */
char *arena_text(struct arena *a, const char *s, size_t len);

/* arena_printf: formatted text. NULL when out of memory. */
char *arena_printf(struct arena *a, const char *fmt, ...) _printf_(2, 3);
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) _printf_(2, 0);

/* A growing array in an arena; zero-initialise. */
struct arena_list {
	void *items;
	size_t n, cap, size; /* size of an item */
	bool full; /* an item was left out: the owner's to set */
};

/*
 * arena_push: appends a zeroed item of size bytes and returns it, NULL when out of memory.
 * Growing moves the items: use indices until the list is complete.
 */
void *arena_push(struct arena *a, struct arena_list *l, size_t size);
