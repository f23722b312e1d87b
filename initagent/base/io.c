// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/io.h"

#include <ftw.h>
#include <sys/stat.h>

#define READ_STEP 65536

int io_read_all(int fd, size_t limit, void **ret, size_t *ret_size)
{
	_cleanup_free_ char *data = NULL;
	size_t room = 0, size = 0;
	ssize_t n;

	do {
		if (room - size <= READ_STEP) {
			char *grown = realloc(data, room = 2 * room + READ_STEP + 1);

			if (!grown)
				return -ENOMEM;
			data = grown;
		}
		n = read(fd, data + size, READ_STEP);
		if (n < 0 && errno != EINTR)
			return -errno;
		size += n > 0 ? (size_t)n : 0;
		if (size > limit)
			return -EFBIG;
	} while (n != 0);
	data[size] = 0;
	*ret = data;
	data = NULL;
	*ret_size = size;
	return 0;
}

int io_read_file(const char *path, size_t limit, void **ret, size_t *ret_size)
{
	_cleanup_close_ int fd = streq(path, "-") ? dup(STDIN_FILENO)
		: open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : io_read_all(fd, limit, ret, ret_size);
}

int io_write_all(int fd, const void *data, size_t size)
{
	for (const char *at = data; size > 0;) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int write_and_close(int fd, const void *data, size_t size)
{
	int r = fd < 0 ? -errno : io_write_all(fd, data, size);

	return fd >= 0 && close(fd) < 0 && r == 0 ? -errno : r;
}

int io_put_file(const char *path, const void *data, size_t size)
{
	_cleanup_free_ char *temp = NULL;
	struct stat st;
	int r;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return write_and_close(open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY), data, size);
	if (asprintf(&temp, "%s.new", path) < 0)
		return -ENOMEM;
	unlink(temp);
	r = write_and_close(open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666),
		data, size);
	if (r == 0 && rename(temp, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(temp);
	return r;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	(void)remove(path);
	return 0;
}

void io_remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
