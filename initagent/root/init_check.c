// SPDX-License-Identifier: GPL-2.0-or-later
/* init_check: see init_check.h. */
#include "root/init_check.h"

#include <sys/stat.h>

#include "root/sysmount.h"

/* The kernel's order, init/main.c kernel_init(). */
static const char *const defaults[] = {"/sbin/init", "/etc/init", "/bin/init", "/bin/sh"};

static int check_one(const char *root, const char *path)
{
	_cleanup_close_ int fd = sys_open_beneath(root, path, O_PATH);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return -EACCES;
	return 0;
}

int init_check(const char *root, const char *wanted, char *ret, size_t size)
{
	int r = -ENOENT;

	if (wanted) {
		r = check_one(root, wanted);
		if (r == 0)
			strscpy(ret, wanted, size);
		return r;
	}
	for (size_t i = 0; i < ARRAY_SIZE(defaults) && r != 0; i++) {
		r = check_one(root, defaults[i]);
		if (r == 0)
			strscpy(ret, defaults[i], size);
	}
	return r;
}
