// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/random.h"

#include <sys/auxv.h>

#define SPARE 8 /* of the 16 bytes for a program, the first 8 guard its stack */

uint32_t random_u32(void)
{
	uint32_t value;

	if (getrandom(&value, sizeof(value), GRND_NONBLOCK) != sizeof(value)) {
		memcpy(&value, (const char *)getauxval(AT_RANDOM) + SPARE, sizeof(value));
		value += (uint32_t)now_ns() * 0x9e3779b1; /* 2^32 by the golden ratio */
	}
	return value;
}
