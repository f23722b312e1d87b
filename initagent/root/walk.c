// SPDX-License-Identifier: GPL-2.0-or-later

#include "walk.h"

/* 0: it had none. */
static unsigned *turn_of(struct walk *w, uint64_t name, const struct inet_addr *addr)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->rows[i].name == name && inet_equal(&w->rows[i].addr, addr))
			return &w->rows[i].turn;
	return NULL;
}

static unsigned *add(struct walk *w, uint64_t name, const struct inet_addr *addr)
{
	size_t oldest = 0;

	for (size_t i = 1; i < w->n; i++)
		if (w->rows[i].turn < w->rows[oldest].turn)
			oldest = i;
	if (w->n < WALK_MAX)
		oldest = w->n++;
	w->rows[oldest].name = name;
	w->rows[oldest].addr = *addr;
	return &w->rows[oldest].turn;
}

const struct inet_addr *walk_next(struct walk *w, const char *name, const struct inet_addr *addrs,
	size_t n)
{
	uint64_t hash = fnv1a(FNV1A_BASIS, name, strlen(name));
	unsigned *best = NULL;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned *turn = turn_of(w, hash, &addrs[i]);

		if (!best || !turn || *turn < *best) {
			best = turn;
			at = i;
		}
		if (!turn)
			break;
	}
	best = best ? best : add(w, hash, &addrs[at]);
	*best = ++w->turn;
	return &addrs[at];
}
