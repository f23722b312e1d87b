// SPDX-License-Identifier: GPL-2.0-or-later
/* groups: see boots.h. All pairs of key and boot, sorted, are the groups one after the other. */
#include "boots.h"

/* No boot has more keys of one kind than a record has rows of causes. */
enum { KEYS_MAX = 256 };

struct group_pair {
	const char *key;
	size_t place;
};

static int by_key(const void *a, const void *b)
{
	const struct group_pair *x = a, *y = b;
	int r = strcmp(x->key, y->key);

	return r ? r : (x->place > y->place) - (x->place < y->place);
}

static int by_weight(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->failed_last != y->failed_last)
		return x->failed_last < y->failed_last ? 1 : -1;
	if (x->failed != y->failed)
		return x->failed < y->failed ? 1 : -1;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->key, y->key);
}

static size_t keys_of(const struct record *r, const char *(*keys)(const struct record *r, size_t i))
{
	size_t n = 0;

	while (n < KEYS_MAX && keys(r, n))
		n++;
	return n;
}

/* All pairs, sorted, each once. */
static int make_pairs(struct groups *g, const struct boots *b,
	const char *(*keys)(const struct record *, size_t), size_t *ret_n)
{
	size_t cap = 0, n = 0, kept = 0;

	for (size_t i = 0; i < b->n; i++)
		cap += keys_of(b->list[i], keys);
	g->pairs = calloc(cap + 1, sizeof(*g->pairs));
	g->places = calloc(cap + 1, sizeof(*g->places));
	g->list = calloc(cap + 1, sizeof(*g->list));
	if (!g->pairs || !g->places || !g->list)
		return -ENOMEM;
	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0, m = keys_of(b->list[i], keys); k < m; k++)
			g->pairs[n++] = (struct group_pair){keys(b->list[i], k), i};
	if (n)
		qsort(g->pairs, n, sizeof(*g->pairs), by_key);
	for (size_t i = 0; i < n; i++)
		if (!kept || by_key(&g->pairs[kept - 1], &g->pairs[i]))
			g->pairs[kept++] = g->pairs[i];
	*ret_n = kept;
	return 0;
}

static int measure(struct group *g, const struct boots *b)
{
	_cleanup_free_ double *times = calloc(g->n, sizeof(*times));
	size_t n = 0;

	if (!times)
		return -ENOMEM;
	for (size_t i = 0; i < g->n; i++) {
		const struct record *r = b->list[g->members[i]];

		const struct record_cause *last = boot_last_cause(r);

		g->failed += r->outcome == RECORD_FAILED;
		g->failed_last += r->outcome == RECORD_FAILED &&
			streq(last ? last->code : "", g->key);
		if (r->outcome == RECORD_DONE)
			times[n++] = record_total(r);
	}
	rising_sort(times, n);
	g->median = median(times, n);
	g->p95 = percentile(times, n, 95);
	return 0;
}

static int split(struct groups *g, const struct boots *b, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		g->places[i] = g->pairs[i].place;
		if (!i || !streq(g->pairs[i].key, g->pairs[i - 1].key))
			g->list[g->n++] = (struct group){.key = g->pairs[i].key,
				.members = &g->places[i]};
		g->list[g->n - 1].n++;
	}
	for (size_t i = 0; i < g->n && r == 0; i++)
		r = measure(&g->list[i], b);
	if (g->n)
		qsort(g->list, g->n, sizeof(*g->list), by_weight);
	return r;
}

int groups_make(struct groups **ret, const struct boots *b,
	const char *(*keys)(const struct record *r, size_t i))
{
	_cleanup_(groups_freep) struct groups *g = calloc(1, sizeof(*g));
	size_t n = 0;
	int r;

	if (!g)
		return -ENOMEM;
	r = make_pairs(g, b, keys, &n);
	if (r == 0)
		r = split(g, b, n);
	if (r < 0)
		return r;
	*ret = g;
	g = NULL;
	return 0;
}

struct groups *groups_free(struct groups *g)
{
	if (g) {
		free(g->pairs);
		free(g->places);
		free(g->list);
		free(g);
	}
	return NULL;
}
