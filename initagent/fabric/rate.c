// SPDX-License-Identifier: GPL-2.0-or-later
/* rate: see rate.h. */
#include "fabric/rate.h"

#include "base/util.h"

#define RATE_MAX 100000 /* Gb/s; sysfs holds what the driver wrote, so it is checked */

unsigned rate_parse(const char *text)
{
	char *end;
	unsigned long whole;
	unsigned tenths = 0;

	if (*text < '0' || *text > '9')
		return 0;
	whole = strtoul(text, &end, 10);
	if (end[0] == '.' && end[1] >= '0' && end[1] <= '9') {
		tenths = (unsigned)(end[1] - '0');
		end += 2;
	}
	if (strncmp(end, " Gb/sec", 7) != 0 || whole > RATE_MAX)
		return 0;
	return (unsigned)whole * 1000 + tenths * 100;
}
