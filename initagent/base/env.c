// SPDX-License-Identifier: GPL-2.0-or-later
/* env: paths below the prefix and small file reads, the only way rooms touch sysfs and proc. */
#include "env.h"

#include <limits.h>
#include <stdarg.h>

static int env_vpath(const struct env *env, char *buf, size_t size, const char *fmt, va_list ap)
{
	const char *prefix = env->prefix ? env->prefix : "";
	int head = snprintf(buf, size, "%s", prefix);
	int tail;

	if (head < 0 || (size_t)head >= size)
		return -ENAMETOOLONG;
	tail = vsnprintf(buf + head, size - (size_t)head, fmt, ap);
	if (tail < 0 || (size_t)tail >= size - (size_t)head)
		return -ENAMETOOLONG;
	return head + tail;
}

int env_path(const struct env *env, char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = env_vpath(env, buf, size, fmt, ap);
	va_end(ap);
	return r;
}

bool env_exists(const struct env *env, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = env_vpath(env, path, sizeof(path), fmt, ap);
	va_end(ap);
	return r >= 0 && access(path, F_OK) == 0;
}

/* Reads until size - 1 bytes or end of file; sysfs may hand out a file in pieces. */
static ssize_t read_full(int fd, char *buf, size_t size)
{
	size_t have = 0;

	while (have < size - 1) {
		ssize_t n = read(fd, buf + have, size - 1 - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

static int env_vopen(const struct env *env, int flags, const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	int r = env_vpath(env, path, sizeof(path), fmt, ap);

	if (r < 0)
		return r;
	r = open(path, flags | O_CLOEXEC, 0600);
	return r < 0 ? -errno : r;
}

static int env_vread(const struct env *env, char *buf, size_t size, const char *fmt, va_list ap)
{
	_cleanup_close_ int fd = env_vopen(env, O_RDONLY, fmt, ap);
	ssize_t n = fd < 0 ? fd : read_full(fd, buf, size);

	if (n < 0)
		return (int)n;
	while (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n] = 0;
	return (int)n;
}

int env_read(const struct env *env, char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = env_vread(env, buf, size, fmt, ap);
	va_end(ap);
	return r;
}

bool env_is(const struct env *env, const char *text, const char *fmt, ...)
{
	char found[512];
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = env_vread(env, found, sizeof(found), fmt, ap);
	va_end(ap);
	return r >= 0 && streq(found, text);
}

unsigned long env_number(const struct env *env, const char *fmt, ...)
{
	char text[64];
	unsigned long n;
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = env_vread(env, text, sizeof(text), fmt, ap);
	va_end(ap);
	errno = 0;
	n = r > 0 ? strtoul(text, NULL, 0) : 0;
	return errno ? 0 : n;
}

int env_open(const struct env *env, int flags, const char *fmt, ...)
{
	va_list ap;
	int fd;

	va_start(ap, fmt);
	fd = env_vopen(env, flags, fmt, ap);
	va_end(ap);
	return fd;
}

int env_write(const struct env *env, const char *text, const char *fmt, ...)
{
	_cleanup_close_ int fd = -1;
	va_list ap;

	va_start(ap, fmt);
	fd = env_vopen(env, O_WRONLY, fmt, ap);
	va_end(ap);
	if (fd < 0)
		return fd;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

DIR *env_opendir(const struct env *env, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = env_vpath(env, path, sizeof(path), fmt, ap);
	va_end(ap);
	if (r < 0)
		errno = -r;
	return r < 0 ? NULL : opendir(path);
}
