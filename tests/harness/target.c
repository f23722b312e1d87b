/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.c: a fuzz target with an overrun that only an input with the byte 0xff meets, and one
 * that hangs on "hang", for tests/harness.bats.
 */
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t i;

	printf("noise on stdout\n");
	if (size == 4 && memcmp(data, "hang", 4) == 0)
		for (;;)
			pause();
	for (i = 0; i < size; i++)
		if (data[i] == 0xff)
			return *(volatile const uint8_t *)(data + size);
	return 0;
}
