// SPDX-License-Identifier: GPL-2.0-or-later
/* names: a balanced tree of the C library's. See names.h. */
#include "site/names.h"

#include <search.h>

#include "must.h"
#include "options.h"

/* Longer texts are never compared letter by letter for "did you mean". */
#define NEAREST_MAX 40

struct name {
	const char *key;
	size_t number;
};

struct names {
	void *root;
};

struct names *names_new(void)
{
	return must(calloc(1, sizeof(struct names)));
}

struct names *names_free(struct names *n)
{
	if (n)
		tdestroy(n->root, free);
	free(n);
	return NULL;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->key, ((const struct name *)b)->key);
}

size_t names_add(struct names *n, const char *key, size_t number)
{
	struct name *added = must(malloc(sizeof(*added))), *first;

	*added = (struct name){key, number};
	first = *(struct name **)must(tsearch(added, &n->root, compare_names));
	if (first == added)
		return NAMES_NONE;
	free(added);
	return first->number;
}

size_t names_find(const struct names *n, const char *key)
{
	struct name **found = tfind(&(struct name){.key = key}, &n->root, compare_names);

	return found ? (*found)->number : NAMES_NONE;
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
