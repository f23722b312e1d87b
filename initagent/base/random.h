/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random: numbers that cannot be predicted, for identifiers of exchanges and for jitter. Owns
 * nothing.
 * In: the kernel's generator, not clock and address alone: a thousand nodes start in one second.
 * Until it is ready, which kernels before 5.4 take minutes for where the processor has no RDRAND,
 * what the kernel gave this program at its start, mixed with the clock. Out: 32 bits.
 * Callers: address/, fetch/, report/tell/, resolver/, root/source/. Tests: address/test_dhcp4.c,
 * resolver/test_resolver.c, base/test_random.c.
 */
#pragma once

#include <sys/random.h>

#include "base/util.h"

uint32_t random_u32(void);

/* random_part: of a span in ns, some of it, in 65536ths: with all 32 bits, the product of 5 s would
 * not fit 64. */
static inline uint64_t random_part(uint64_t span)
{
	return (span >> 16) * (random_u32() >> 16);
}
