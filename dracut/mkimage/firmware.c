// SPDX-License-Identifier: GPL-2.0-or-later
#include "firmware.h"

#include <dirent.h>
#include <fnmatch.h>

/* add_file: dir/name, packed or not; 1 when it was there, else 0. */
static int add_file(struct tree *t, const struct source *s, const char *path, const char *image,
	const char *why)
{
	_cleanup_bytes_ struct bytes b = {0};
	int r = source_read_any(s, SOURCE_FIRMWARE, path, &b);

	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r == 0)
		r = tree_file(t, image, 0644, b.data, b.size, why);
	return r < 0 ? r : 1;
}

/* The kernel's own search order; CONFIG_FW_LOADER_COMPRESS tries the plain name first. */
static int add_plain(struct tree *t, const struct source *s, const char *name, const char *why)
{
	const char *kver = source_kver(s), *image = path_text("lib/firmware/%s", name);
	const char *const dirs[] = {
		path_text("updates/%s/", kver), "updates/", path_text("%s/", kver), ""};

	if (tree_find(t, image))
		return 1; /* two modules may name the same file */
	for (size_t d = 0; d < ARRAY_SIZE(dirs); d++) {
		int r = add_file(t, s, path_text("%s%s", dirs[d], name), image, why);

		if (r != 0)
			return r;
	}
	return 0;
}

/* add_pattern: every file of the pattern's directory that matches; only the last part may vary. */
static int add_pattern(struct tree *t, const struct source *s, const char *name, const char *why)
{
	const char *last = strrchr(name, '/');
	const char *dir = path_text("%.*s", last ? (int)(last - name) + 1 : 0, name);
	int fd = source_open(s, SOURCE_FIRMWARE, dir, O_RDONLY | O_DIRECTORY), n = 0;
	_cleanup_closedir_ DIR *d = fd < 0 ? NULL : must(fdopendir(fd));
	const struct dirent *e;

	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR ? 0 : fd;
	while (n >= 0 && (e = dir_next(d))) {
		char *path = path_text("%s%s", dir, e->d_name);
		int r;

		source_strip(path);
		if (fnmatch(name, path, FNM_PATHNAME | FNM_PERIOD) != 0 || !tree_path_safe(path))
			continue;
		r = add_plain(t, s, path, why);
		n = r < 0 ? r : n + r;
	}
	return n;
}

int firmware_add(struct tree *t, const struct source *s, const char *name, const char *why)
{
	if (!tree_path_safe(name))
		return -EINVAL;
	return strpbrk(name, "*?[") ? add_pattern(t, s, name, why) : add_plain(t, s, name, why);
}
