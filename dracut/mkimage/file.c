// SPDX-License-Identifier: GPL-2.0-or-later
#include "file.h"

#include <sys/stat.h>

#include "spawn.h"

#define FILE_SIZE_MAX ((size_t)256 << 20)

int file_read(const char *path, void **data, size_t *size, mode_t *mode)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (mode)
		*mode = st.st_mode & 0111 ? 0755 : 0644;
	return read_all(fd, FILE_SIZE_MAX, data, size);
}

static int write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

int file_replace(const char *path, const void *data, size_t size)
{
	_cleanup_free_ char *tmp = NULL;
	_cleanup_close_ int fd = -1;
	int r;

	if (asprintf(&tmp, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = fchmod(fd, 0600) < 0 ? -errno : write_all(fd, data, size);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (r == 0 && rename(tmp, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(tmp);
	return r;
}

int file_write(const char *path, const void *data, size_t size)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : write_all(fd, data, size);
}
