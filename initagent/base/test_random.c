// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers at hand before the kernel's generator is: it may take minutes on older kernels. */
#include "check.h"

#include "random.h"

static bool waited;

/* In place of the C library's: of a kernel without entropy yet. */
ssize_t getrandom(void *buf, size_t len, unsigned int flags)
{
	if (flags & GRND_NONBLOCK) {
		errno = EAGAIN;
		return -1;
	}
	waited = true;
	memset(buf, 0, len);
	return (ssize_t)len;
}

TEST(nothing_is_waited_for)
{
	uint32_t first = random_u32();
	bool differs = false;

	for (int i = 0; i < 1000 && !differs; i++)
		differs = random_u32() != first;
	CHECK(differs);
	CHECK(!waited);
}
