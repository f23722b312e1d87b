// SPDX-License-Identifier: GPL-2.0-or-later
/* backoff: see backoff.h. */
#include "fetch/backoff.h"

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
