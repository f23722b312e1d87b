// SPDX-License-Identifier: GPL-2.0-or-later
#include "sums.h"
#include "guest.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* POSIX cksum: CRC-32 (polynomial 0x04c11db7, not reflected) over the bytes, then the length. */
static uint32_t cksum_step(uint32_t crc, unsigned char byte)
{
	crc ^= (uint32_t)byte << 24;
	for (int bit = 0; bit < 8; bit++)
		crc = crc & 0x80000000 ? crc << 1 ^ 0x04c11db7 : crc << 1;
	return crc;
}

static bool file_matches(const char *path, uint32_t want, uint64_t want_size)
{
	static unsigned char buf[65536];
	uint32_t crc = 0;
	uint64_t size = 0;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			crc = cksum_step(crc, buf[i]);
		size += (uint64_t)n;
	}
	close(fd);
	for (uint64_t v = size; v; v >>= 8)
		crc = cksum_step(crc, (unsigned char)v);
	return n == 0 && size == want_size && ~crc == want;
}

void sums_check(const char *list, struct sums *ret)
{
	static char text[16384];
	char *save = NULL;

	guest_read(list, text, sizeof(text));
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned long long size;
		unsigned crc;
		char path[256];

		if (sscanf(line, "%u %llu %255s", &crc, &size, path) != 3 ||
			!file_matches(path, crc, size))
			ret->bad++;
		else
			ret->good++;
	}
}
