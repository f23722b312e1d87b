// SPDX-License-Identifier: GPL-2.0-or-later
#include "folders.h"

#include <dirent.h>
#include <sys/stat.h>

/* Links may make a folder its own parent; no distribution nests deeper than half of this. */
#define DEPTH_MAX 24

/* In the order of precedence. */
static const char *const config_dirs[] = {"etc/depmod.d", "run/depmod.d", "usr/local/lib/depmod.d",
	"usr/lib/depmod.d", "lib/depmod.d"};

/* What a walk does: dir NULL: only look for the newest folder. */
struct walk {
	const struct source *source;
	const char *dir;
	struct timespec newest;
	int depth;
};

static void note_time(struct timespec *newest, const struct stat *st)
{
	if (st->st_mtim.tv_sec > newest->tv_sec ||
		(st->st_mtim.tv_sec == newest->tv_sec && st->st_mtim.tv_nsec > newest->tv_nsec))
		*newest = st->st_mtim;
}

/* module_name: "x.ko" or "x.ko.xz". */
static bool module_name(const char *name)
{
	char copy[256];
	size_t len;

	if (strscpy(copy, name, sizeof(copy)) < 0)
		return false;
	source_strip(copy);
	len = strlen(copy);
	return len > 3 && streq(copy + len - 3, ".ko");
}

/* link_to: dir/path as a link to the file fd is of, whose own name may be another. */
static int link_to(const struct walk *w, const char *path, int fd)
{
	char from[SOURCE_PATH_MAX], to[SOURCE_PATH_MAX], proc[64];
	ssize_t n;

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	n = readlink(proc, from, sizeof(from) - 1);
	if (n < 0)
		return -errno;
	from[n] = 0;
	if (snprintf(to, sizeof(to), "%s/%s", w->dir, path) >= (int)sizeof(to))
		return -ENAMETOOLONG;
	return symlink(from, to) < 0 ? -errno : 0;
}

static int walk_folder(struct walk *w, const char *path, const struct stat *st);

/* entry: one name of a folder: a folder, a module, or nothing to us. */
static int entry(struct walk *w, const char *path, const char *name)
{
	_cleanup_close_ int fd = source_open_module(w->source, path, O_PATH);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return 0; /* a link that leads nowhere, like build -> headers that are not there */
	if (S_ISDIR(st.st_mode))
		return walk_folder(w, path, &st);
	return w->dir && S_ISREG(st.st_mode) && module_name(name) ? link_to(w, path, fd) : 0;
}

static bool not_ours(const struct walk *w, const char *name)
{
	return name[0] == '.' || (w->depth == 0 && (streq(name, "build") || streq(name, "source")));
}

static int walk_entries(struct walk *w, const char *path, DIR *d)
{
	struct dirent *e;
	int r = 0;

	while (r == 0 && (e = readdir(d))) {
		char full[SOURCE_PATH_MAX];

		if (not_ours(w, e->d_name))
			continue;
		/* A folder that is only looked at has no file that matters. */
		if (!w->dir && e->d_type == DT_REG)
			continue;
		if (snprintf(full, sizeof(full), "%s%s%s", path, path[0] ? "/" : "", e->d_name) >=
			(int)sizeof(full))
			return -ENAMETOOLONG;
		w->depth++;
		r = entry(w, full, e->d_name);
		w->depth--;
	}
	return r;
}

static int walk_folder(struct walk *w, const char *path, const struct stat *st)
{
	char full[SOURCE_PATH_MAX];
	DIR *d;
	int fd, r;

	if (w->depth > DEPTH_MAX)
		return -ELOOP;
	/* The top changes with every index that is written into it. */
	if (path[0])
		note_time(&w->newest, st);
	if (w->dir && path[0]) {
		if (snprintf(full, sizeof(full), "%s/%s", w->dir, path) >= (int)sizeof(full))
			return -ENAMETOOLONG;
		if (mkdir(full, 0755) < 0)
			return -errno;
	}
	fd = source_open_module(w->source, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return fd;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	r = walk_entries(w, path, d);
	closedir(d);
	return r;
}

/* open_config: the i-th depmod.d of the source, or NULL when it has none. */
static DIR *open_config(const struct source *s, size_t i)
{
	int fd = source_open_root(s, config_dirs[i], O_RDONLY | O_DIRECTORY);
	DIR *d;

	if (fd < 0)
		return NULL;
	d = fdopendir(fd);
	if (!d)
		close(fd);
	return d;
}

static bool config_name(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 5 && streq(name + len - 5, ".conf");
}

static void config_newest(const struct source *s, struct timespec *newest)
{
	for (size_t i = 0; i < ARRAY_SIZE(config_dirs); i++) {
		DIR *d = open_config(s, i);
		struct dirent *e;
		struct stat st;

		while (d && (e = readdir(d)))
			if (config_name(e->d_name) && fstatat(dirfd(d), e->d_name, &st, 0) == 0)
				note_time(newest, &st);
		if (d)
			closedir(d);
	}
}

int folders_newest(const struct source *s, struct timespec *ret)
{
	struct walk w = {.source = s};
	int r = walk_folder(&w, "", NULL);

	config_newest(s, &w.newest);
	*ret = w.newest;
	return r;
}

int folders_mirror(const struct source *s, const char *dir)
{
	struct walk w = {.source = s, .dir = dir};

	return walk_folder(&w, "", NULL);
}

/* copy_config: one file; 1 copied, 0 when a folder of more weight has that name. */
static int copy_config(const struct source *s, size_t i, const char *name, const char *dir)
{
	_cleanup_free_ void *data = NULL;
	_cleanup_fclose_ FILE *f = NULL;
	char path[SOURCE_PATH_MAX];
	size_t size;
	int r;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	f = fopen(path, "wxe");
	if (!f)
		return errno == EEXIST ? 0 : -errno;
	snprintf(path, sizeof(path), "%s/%s", config_dirs[i], name);
	r = source_read_root(s, path, &data, &size);
	if (r < 0)
		return r;
	return (size && fwrite(data, size, 1, f) != 1) || fflush(f) != 0 ? -EIO : 1;
}

int folders_config(const struct source *s, const char *dir)
{
	int n = 0, r = 0;

	if (mkdir(dir, 0755) < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(config_dirs) && r >= 0; i++) {
		DIR *d = open_config(s, i);
		struct dirent *e;

		while (d && r >= 0 && (e = readdir(d)))
			if (config_name(e->d_name)) {
				r = copy_config(s, i, e->d_name, dir);
				n += r > 0;
			}
		if (d)
			closedir(d);
	}
	return r < 0 ? r : n;
}
