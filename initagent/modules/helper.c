// SPDX-License-Identifier: GPL-2.0-or-later
/* helper: see helper.h. */
#include "modules/helper.h"

#include <limits.h>
#include <sys/stat.h>

#include "modules/catalog.h"

#define HELPER_PATH    "/proc/sys/kernel/modprobe"
#define BLACKLIST_DIR  "/run/modprobe.d"
#define BLACKLIST_FILE BLACKLIST_DIR "/initagent.conf"

static int write_file(const struct env *env, const char *path, const char *text, int flags)
{
	_cleanup_close_ int fd = -1;
	char full[PATH_MAX];
	ssize_t len = (ssize_t)strlen(text), n;
	int r = env_path(env, full, sizeof(full), "%s", path);

	if (r < 0)
		return r;
	fd = open(full, O_WRONLY | O_CLOEXEC | flags, 0644);
	if (fd < 0)
		return -errno;
	n = write(fd, text, (size_t)len);
	if (n < 0)
		return -errno;
	return n == len ? 0 : -EIO;
}

int modules_set_modprobe_helper(const struct env *env, const char *path, char *old, size_t size)
{
	char line[MODPROBE_HELPER_SIZE + 1];
	int r;

	if ((*path && *path != '/') || strlen(path) >= MODPROBE_HELPER_SIZE || strpbrk(path, "\n"))
		return -EINVAL;
	if (old) {
		r = env_read(env, old, size, HELPER_PATH);
		if (r < 0)
			return r;
	}
	/* A bare newline empties a string sysctl; an empty write would change nothing. */
	snprintf(line, sizeof(line), "%s\n", path);
	return write_file(env, HELPER_PATH, line, O_TRUNC);
}

int modules_check_modprobe_helper(const struct env *env, char *old, size_t size)
{
	char helper[MODPROBE_HELPER_SIZE], full[PATH_MAX];
	int r = env_read(env, helper, sizeof(helper), HELPER_PATH);

	if (r < 0)
		return r;
	if (!*helper)
		return 0;
	r = env_path(env, full, sizeof(full), "%s", helper);
	if (r < 0)
		return r;
	if (access(full, X_OK) == 0)
		return 0;
	r = modules_set_modprobe_helper(env, "", old, size);
	return r < 0 ? r : 1;
}

int modules_publish_blacklist(const struct env *env, const char *const *names, size_t n)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[PATH_MAX], name[MODULE_NAME_SIZE];
	int r;

	for (size_t i = 0; i < n; i++)
		if (catalog_plain_name(name, names[i]) < 0)
			return -EINVAL;
	if (n == 0)
		return 0;
	r = env_path(env, path, sizeof(path), BLACKLIST_DIR);
	if (r < 0)
		return r;
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return -errno;
	r = env_path(env, path, sizeof(path), BLACKLIST_FILE);
	if (r < 0)
		return r;
	f = fopen(path, "we");
	if (!f)
		return -errno;
	for (size_t i = 0; i < n; i++) {
		(void)catalog_plain_name(name, names[i]);
		fprintf(f, "blacklist %s\n", name);
	}
	return fflush(f) == 0 ? 0 : -errno;
}
