// SPDX-License-Identifier: GPL-2.0-or-later
/* mirrors: see mirrors.h. */
#include "fetch/mirrors.h"

#include "fetch/backoff.h"
#include "fetch/rendezvous.h"

#define DAMAGE_MAX 3

int mirrors_set(struct mirrors *m, const char *const *urls, size_t n, uint64_t node, const char **ret_bad)
{
	uint8_t order[MIRRORS_MAX];

	memset(m, 0, sizeof(*m));
	if (n == 0 || n > MIRRORS_MAX)
		return -E2BIG;
	rendezvous_order(node, urls, n, order);
	for (size_t i = 0; i < n; i++) {
		const char *text = urls[order[i]];

		if (url_parse(&m->list[i].url, text, strlen(text)) < 0) {
			*ret_bad = text;
			return -EINVAL;
		}
	}
	m->n = n;
	return 0;
}

struct mirror *mirrors_pick(struct mirrors *m, uint64_t now, uint64_t *ret_when)
{
	struct mirror *best = NULL;

	*ret_when = NSEC_NEVER;
	for (size_t i = 0; i < m->n; i++) {
		struct mirror *one = &m->list[i];

		if (one->out)
			continue;
		*ret_when = min_u64(*ret_when, one->ready);
		if (one->ready <= now && (!best || one->failures < best->failures))
			best = one;
	}
	return best;
}

void mirror_failed(struct mirror *m, uint64_t after, uint32_t random, uint64_t now)
{
	m->failures++;
	m->ready = now + (after ? backoff_after_ns(after, m->failures, random) : backoff_ns(m->failures, random));
}

void mirror_damaged(struct mirror *m, uint32_t random, uint64_t now)
{
	mirror_failed(m, 0, random, now);
	if (++m->damage >= DAMAGE_MAX)
		m->out = true;
}

void mirror_good(struct mirror *m)
{
	m->failures = 0;
}
