/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random: numbers that cannot be predicted, for identifiers of exchanges and for jitter. Owns
 * nothing.
 * In: the kernel's generator, never clock or address: a thousand nodes start in one second. Out: 32
 * bits.
 * Callers: address/, fetch/, report/tell/, resolver/. Tests: address/test_dhcp4.c,
 * resolver/test_resolver.c.
 */
#pragma once

#include <sys/random.h>

#include "base/util.h"

static inline uint32_t random_u32(void)
{
	uint32_t value;

	while (getrandom(&value, sizeof(value), 0) != sizeof(value))
		continue;
	return value;
}

/* random_part: of a span in ns, some of it, in 65536ths: with all 32 bits, the product of 5 s would
 * not fit 64. */
static inline uint64_t random_part(uint64_t span)
{
	return (span >> 16) * (random_u32() >> 16);
}
