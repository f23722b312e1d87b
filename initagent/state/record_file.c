// SPDX-License-Identifier: GPL-2.0-or-later
/* record_file: see record_file.h. */
#include "state/record_file.h"

#include <sys/utsname.h>

/* One byte more than allowed shows that there are too many. The length or -errno. */
static ssize_t read_bounded(int fd, char *buf)
{
	size_t n = 0;
	ssize_t got;

	do {
		got = read(fd, buf + n, RECORD_BYTES_MAX + 1 - n);
		if (got > 0)
			n += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got < 0 ? -errno : (ssize_t)n;
}

static void host_name(char *buf, size_t size)
{
	struct utsname u;

	strscpy(buf, uname(&u) == 0 ? u.nodename : "this host", size);
}

/* The last part of path[0..len). */
static const char *last_part(const char *path, size_t len)
{
	while (len && path[len - 1] != '/')
		len--;
	return path + len;
}

void record_file_name(char *buf, size_t size, const char *path)
{
	const char *base = last_part(path, strlen(path));
	size_t len = strlen(base);

	if (streq(path, RECORD_OWN_FILE)) {
		host_name(buf, size);
		return;
	}
	if (streq(base, "state.json") && base - path > 1) {
		len = (size_t)(base - path) - 1;
		base = last_part(path, len);
		len -= (size_t)(base - path);
	} else if (len > 5 && streq(base + len - 5, ".json")) {
		len -= 5;
	}
	snprintf(buf, size, "%.*s", len < size ? (int)len : (int)size, base);
	if (!len)
		strscpy(buf, path, size);
}

int record_read(struct record **ret, const char *path)
{
	_cleanup_free_ char *buf = malloc(RECORD_BYTES_MAX + 1);
	_cleanup_close_ int opened = -1;
	bool input = streq(path, "-");
	char name[256];
	ssize_t n;

	if (!buf)
		return -ENOMEM;
	if (!input) {
		opened = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (opened < 0)
			return -errno;
	}
	n = read_bounded(input ? STDIN_FILENO : opened, buf);
	if (n < 0)
		return (int)n;
	record_file_name(name, sizeof(name), input ? "standard input" : path);
	return (int)record_parse(ret, path, name, buf, (size_t)n);
}
