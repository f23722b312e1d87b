// SPDX-License-Identifier: GPL-2.0-or-later
#include "tar.h"
#include "guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK	 512
#define MAX_FILE (1024 * 1024)

struct ustar {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char typeflag;
	char linkname[100];
	char magic[6];
	char version[2];
	char rest[247];
};

_Static_assert(sizeof(struct ustar) == BLOCK, "a ustar header fills one block");

static int write_all(int fd, const void *data, size_t size)
{
	const char *p = data;

	while (size > 0) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -errno;
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

int tar_add(int fd, const char *name, const void *data, size_t size)
{
	static const char zeros[BLOCK];
	union {
		struct ustar header;
		unsigned char bytes[BLOCK];
	} block = {0};
	unsigned sum = 0;
	int r;

	snprintf(block.header.name, sizeof(block.header.name), "%s", name);
	snprintf(block.header.mode, sizeof(block.header.mode), "%07o", 0644);
	snprintf(block.header.size, sizeof(block.header.size), "%011lo", (unsigned long)size);
	snprintf(block.header.mtime, sizeof(block.header.mtime), "%011o", 0);
	memset(block.header.checksum, ' ', sizeof(block.header.checksum));
	block.header.typeflag = '0';
	memcpy(block.header.magic, "ustar", 6);
	memcpy(block.header.version, "00", 2);
	for (size_t i = 0; i < BLOCK; i++)
		sum += block.bytes[i];
	snprintf(block.header.checksum, sizeof(block.header.checksum), "%06o", sum & 0777777);

	r = write_all(fd, &block, BLOCK);
	if (r == 0)
		r = write_all(fd, data, size);
	if (r == 0 && size % BLOCK)
		r = write_all(fd, zeros, BLOCK - size % BLOCK);
	return r;
}

int tar_add_path(int fd, const char *name, const char *path)
{
	char *data = malloc(MAX_FILE);
	int len;
	int r = 0;

	if (!data)
		return -ENOMEM;
	len = guest_read(path, data, MAX_FILE);
	if (len >= 0)
		r = tar_add(fd, name, data, (size_t)len);
	free(data);
	return r;
}

int tar_end(int fd)
{
	static const char zeros[2 * BLOCK];

	return write_all(fd, zeros, sizeof(zeros));
}
