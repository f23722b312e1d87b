// SPDX-License-Identifier: GPL-2.0-or-later
#include "firmware.h"

#include <dirent.h>
#include <fnmatch.h>

#define IMAGE_DIR "lib/firmware/"

/* add_file: dir/name with one suffix ("" or a compression's); 1 when it was there, else 0. */
static int add_file(struct tree *t, const struct source *s, const char *name, const char *dir,
	const char *suffix, const char *why)
{
	_cleanup_free_ void *data = NULL;
	char path[SOURCE_PATH_MAX];
	char image[TREE_PATH_MAX];
	size_t size;
	int r;

	if (snprintf(path, sizeof(path), "%s%s%s", dir, name, suffix) >= (int)sizeof(path) ||
		snprintf(image, sizeof(image), IMAGE_DIR "%s", name) >= (int)sizeof(image))
		return -ENAMETOOLONG;
	r = source_read_firmware(s, path, &data, &size);
	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r < 0)
		return r;
	r = tree_file(t, image, 0644, data, size, why);
	return r < 0 ? r : 1;
}

/* The kernel's own search order; CONFIG_FW_LOADER_COMPRESS tries the plain name first. */
static int add_plain(struct tree *t, const struct source *s, const char *name, const char *why)
{
	char dirs[4][160] = {"", "updates/", "", ""};
	char image[TREE_PATH_MAX];
	int r;

	if (snprintf(image, sizeof(image), IMAGE_DIR "%s", name) >= (int)sizeof(image))
		return -ENAMETOOLONG;
	if (tree_find(t, image))
		return 1; /* two modules may name the same file */
	snprintf(dirs[0], sizeof(dirs[0]), "updates/%s/", source_kver(s));
	snprintf(dirs[2], sizeof(dirs[2]), "%s/", source_kver(s));
	for (size_t d = 0; d < ARRAY_SIZE(dirs); d++) {
		const char *suffix = "";

		for (size_t i = 0; suffix; suffix = source_suffix(i++)) {
			r = add_file(t, s, name, dirs[d], suffix, why);
			if (r != 0)
				return r;
		}
	}
	return 0;
}

/* add_pattern: every file of the pattern's directory that matches; only the last part may vary. */
static int add_pattern(struct tree *t, const struct source *s, const char *name, const char *why)
{
	const char *last = strrchr(name, '/');
	char dir[TREE_PATH_MAX] = "";
	struct dirent *e;
	int fd, n = 0;
	DIR *d;

	if (last)
		memcpy(dir, name, (size_t)(last - name) + 1);
	fd = source_open_firmware(s, dir);
	if (fd < 0)
		return fd == -ENOENT || fd == -ENOTDIR ? 0 : fd;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	while (n >= 0 && (e = readdir(d))) {
		char path[TREE_PATH_MAX + 256];
		int r;

		snprintf(path, sizeof(path), "%s%s", dir, e->d_name);
		source_strip(path);
		if (fnmatch(name, path, FNM_PATHNAME | FNM_PERIOD) != 0 || !tree_path_safe(path))
			continue;
		r = add_plain(t, s, path, why);
		n = r < 0 ? r : n + r;
	}
	closedir(d);
	return n;
}

int firmware_add(struct tree *t, const struct source *s, const char *name, const char *why)
{
	if (!tree_path_safe(name))
		return -EINVAL;
	return strpbrk(name, "*?[") ? add_pattern(t, s, name, why) : add_plain(t, s, name, why);
}
