// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/mirrors.h"

#define DAMAGE_MAX 3

/* --- the order in which a node asks them ----------------------------------------------------- */

/* The finalizer of MurmurHash3: GUIDs of one rack differ in a few low bits, which must reach all
 * others. */
static uint64_t mix(uint64_t v)
{
	v = (v ^ v >> 33) * UINT64_C(0xff51afd7ed558ccd);
	v = (v ^ v >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return v ^ v >> 33;
}

uint64_t rendezvous_weight(uint64_t node, const char *url)
{
	return mix(fnv1a(FNV1A_BASIS, url, strlen(url)) ^ mix(node));
}

/* A handful of mirrors: insertion keeps equal URLs in the order they were given. */
void rendezvous_order(uint64_t node, const char *const *urls, size_t n, uint8_t *order)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t weight = rendezvous_weight(node, urls[i]);
		size_t at = i;

		for (; at && rendezvous_weight(node, urls[order[at - 1]]) < weight; at--)
			order[at] = order[at - 1];
		order[at] = (uint8_t)i;
	}
}

int mirrors_set(struct mirrors *m, const char *const *urls, size_t n, uint64_t node,
	const char **ret_bad)
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

/* --- when one is asked again ----------------------------------------------------------------- */

uint64_t backoff_ns(unsigned failures, uint32_t random)
{
	unsigned doublings = failures ? failures - 1 : 0;
	uint64_t bound = BACKOFF_FIRST_NS << (doublings < 8 ? doublings : 8);

	bound = min_u64(bound, BACKOFF_LAST_NS) - BACKOFF_LEAST_NS;
	return BACKOFF_LEAST_NS + (uint64_t)((double)bound * random / UINT32_MAX);
}

uint64_t backoff_after_ns(uint64_t seconds, unsigned failures, uint32_t random)
{
	return min_u64(seconds, BACKOFF_AFTER_MAX_S) * NSEC_PER_SEC + backoff_ns(failures, random);
}

void mirror_failed(struct mirror *m, uint64_t after, uint32_t random, uint64_t now)
{
	m->failures++;
	m->told = after > 0;
	m->ready = now + backoff_after_ns(after, m->failures, random);
}

void mirrors_other_way(struct mirrors *m, uint64_t now)
{
	for (size_t i = 0; i < m->n; i++)
		if (!m->list[i].told)
			m->list[i].ready = now;
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
