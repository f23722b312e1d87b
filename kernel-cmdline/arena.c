/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena: blocks of a few KB in a chain; what is bigger gets a block of its own. Arrays that grow
 * leave their old copy behind, which costs at most as much again.
 */
#include "arena.h"

#include <stdalign.h>

#define BLOCK_SIZE 4000

struct block {
	struct block *next;
	size_t used, size;
	alignas(max_align_t) char data[];
};

struct arena {
	struct block *head;
};

int arena_new(struct arena **ret)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		return -ENOMEM;
	*ret = a;
	return 0;
}

struct arena *arena_free(struct arena *a)
{
	struct block *b, *next;

	if (!a)
		return NULL;
	for (b = a->head; b; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
	return NULL;
}

void *arena_alloc(struct arena *a, size_t n)
{
	const size_t align = alignof(max_align_t);
	struct block *b = a->head;
	void *p;

	if (n > SIZE_MAX / 2)
		return NULL;
	n = (n + align - 1) & ~(align - 1);
	if (!b || n > b->size - b->used) {
		size_t size = n > BLOCK_SIZE ? n : BLOCK_SIZE;

		b = calloc(1, sizeof(*b) + size);
		if (!b)
			return NULL;
		b->size = size;
		b->next = a->head;
		a->head = b;
	}
	p = b->data + b->used;
	b->used += n;
	return p;
}

char *arena_text(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	if (p && len)
		memcpy(p, s, len);
	return p;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list count;
	char *p;
	int n;

	va_copy(count, ap);
	n = vsnprintf(NULL, 0, fmt, count);
	va_end(count);
	if (n < 0)
		return NULL;
	p = arena_alloc(a, (size_t)n + 1);
	if (p)
		vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}

void *arena_push(struct arena *a, struct arena_list *l, size_t size)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 4;
		void *items = arena_alloc(a, cap * size);

		if (!items)
			return NULL;
		if (l->n)
			memcpy(items, l->items, l->n * size);
		l->items = items;
		l->cap = cap;
		l->size = size;
	}
	return (char *)l->items + size * l->n++;
}
