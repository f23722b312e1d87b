// SPDX-License-Identifier: GPL-2.0-or-later
/* rendezvous: see rendezvous.h. */
#include "fetch/rendezvous.h"

/* The finalizer of MurmurHash3: GUIDs of one rack differ in a few low bits, which must reach all others. */
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
