// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names: open addressing with linear probing. The hash is seeded from getrandom(), so that no site file can
 * be made of texts that all meet in one slot.
 */
#include "site/names.h"

#include <sys/random.h>

#include "options.h"
#include "must.h"

/* Longer texts are never compared letter by letter for "did you mean". */
#define NEAREST_MAX 40

struct slot {
	const char *key;
	size_t number;
};

struct names {
	struct slot *slots;
	size_t n, cap; /* cap: a power of two */
	uint64_t seed;
};

struct names *names_new(void)
{
	struct names *n = must(calloc(1, sizeof(*n)));

	n->cap = 64;
	n->slots = must(calloc(n->cap, sizeof(*n->slots)));
	if (getrandom(&n->seed, sizeof(n->seed), GRND_NONBLOCK) != sizeof(n->seed))
		n->seed = (uint64_t)(uintptr_t)n;
	return n;
}

struct names *names_free(struct names *n)
{
	if (!n)
		return NULL;
	free(n->slots);
	free(n);
	return NULL;
}

/* FNV-1a with a secret start and a final mix. */
static uint64_t hash(const struct names *n, const char *key)
{
	uint64_t h = n->seed ^ UINT64_C(0xcbf29ce484222325);

	for (; *key; key++)
		h = (h ^ (uint8_t)*key) * UINT64_C(0x100000001b3);
	h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	return h ^ (h >> 27);
}

static struct slot *place_of(const struct names *n, const char *key)
{
	size_t i = hash(n, key) & (n->cap - 1);

	while (n->slots[i].key && !streq(n->slots[i].key, key))
		i = (i + 1) & (n->cap - 1);
	return &n->slots[i];
}

static void grow(struct names *n)
{
	struct slot *old = n->slots;
	size_t i, cap = n->cap;

	n->cap *= 2;
	n->slots = must(calloc(n->cap, sizeof(*n->slots)));
	for (i = 0; i < cap; i++)
		if (old[i].key)
			*place_of(n, old[i].key) = old[i];
	free(old);
}

size_t names_add(struct names *n, const char *key, size_t number)
{
	struct slot *s = place_of(n, key);

	if (s->key)
		return s->number;
	*s = (struct slot){key, number};
	if (++n->n * 4 > n->cap * 3)
		grow(n);
	return NAMES_NONE;
}

size_t names_find(const struct names *n, const char *key)
{
	const struct slot *s = place_of(n, key);

	return s->key ? s->number : NAMES_NONE;
}

const char *names_nearest(const char *key, const char *const *candidates, size_t n)
{
	size_t i, len = strlen(key), best = len > 5 ? 3 : 2;
	const char *nearest = NULL;

	if (len == 0 || len > NEAREST_MAX)
		return NULL;
	for (i = 0; i < n; i++) {
		size_t other = strlen(candidates[i]), d;

		if (other == 0 || other > NEAREST_MAX)
			continue;
		d = option_distance(key, len, candidates[i]);
		if (d <= best && d < len && d < other && (!nearest || d < best)) {
			best = d;
			nearest = candidates[i];
		}
	}
	return nearest;
}
