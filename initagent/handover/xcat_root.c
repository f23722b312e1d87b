// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/xcat_root.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/io.h"
#include "base/sysmount.h"

#define TEXT_MAX     65536
#define DEBIAN_FAMILY "/etc/debian_version"

/* Nothing was given, or the root's is no plain file: 0. */
static int fill(const struct env *env, int etc, const char *name)
{
	_cleanup_close_ int from = env_open(env, O_RDONLY, STATE_DIR "/%s", name);
	_cleanup_free_ void *text = NULL;
	static const struct env no_prefix = {.prefix = ""};
	char dir[32];
	struct stat st;
	size_t size;
	int r;

	if (from < 0)
		return from == -ENOENT ? 0 : from;
	if (fstatat(etc, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))
		return 0;
	r = io_read_all(from, TEXT_MAX, &text, &size);
	/* By its number: /etc is below the root whatever links lead there. */
	snprintf(dir, sizeof(dir), "/proc/self/fd/%d", etc);
	return r < 0 ? r : file_write(&no_prefix, dir, name, text, size, 0644);
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
