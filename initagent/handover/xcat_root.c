// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/xcat_root.h"

#include <limits.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/sysmount.h"

#define TEXT_MAX     65536
#define DEBIAN_FAMILY "/etc/debian_version"

/* A new file: what a squashfs below the writable layer holds need not be copied first. */
static int replace(int etc, const char *name, const void *text, size_t size)
{
	_cleanup_close_ int fd = -1;
	char temp[64];
	int r;

	snprintf(temp, sizeof(temp), ".%s.initagent", name);
	fd = openat(etc, temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return -errno;
	r = io_write_all(fd, text, size);
	if (r >= 0 && renameat(etc, temp, etc, name) < 0)
		r = -errno;
	if (r < 0)
		unlinkat(etc, temp, 0);
	return r;
}

/* Nothing was given, or the root's is no plain file: 0. */
static int fill(const struct env *env, int etc, const char *name)
{
	_cleanup_free_ void *text = NULL;
	_cleanup_close_ int from = -1;
	char path[PATH_MAX];
	struct stat st;
	size_t size;
	int r = env_path(env, path, sizeof(path), STATE_DIR "/%s", name);

	if (r < 0)
		return r;
	from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstatat(etc, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))
		return 0;
	r = io_read_all(from, TEXT_MAX, &text, &size);
	return r < 0 ? r : replace(etc, name, text, size);
}

int xcat_root_fill(const struct env *env, const char *sysroot)
{
	_cleanup_close_ int etc = sys_open_beneath(sysroot, "/etc", O_RDONLY | O_DIRECTORY);
	int r;

	if (etc < 0)
		return etc;
	r = fill(env, etc, "resolv.conf");
	return r >= 0 && sys_there_beneath(sysroot, DEBIAN_FAMILY) ? fill(env, etc, "hostname") : r;
}
