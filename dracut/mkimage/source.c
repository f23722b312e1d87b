// SPDX-License-Identifier: GPL-2.0-or-later
#include "source.h"

#include <sys/stat.h>

#include "base/io.h"
#include "base/sysmount.h"

/* Unpacked size at which a file is taken for a bomb; the largest real module is below 30 MB. */
#define FILE_MAX ((size_t)256 << 20)

struct source {
	const char *kver;
	const char *modules_dir;
	struct {
		int root;	 /* directory all links stay in, -1: there is none */
		const char *dir; /* below it, with a trailing "/", or "" */
	} places[SOURCE_PLACES];
};

static const struct packing {
	const char *suffix;
	const char *argv[4], *what;
} packings[SOURCE_PACKINGS] = {
	{".xz", {"xz", "-dc", NULL}, "package xz-utils"},
	{".zst", {"zstd", "-dcq", NULL}, "package zstd"},
	{".gz", {"gzip", "-dc", NULL}, "package gzip"},
};

const char *source_suffix(size_t i)
{
	return i < SOURCE_PACKINGS ? packings[i].suffix : NULL;
}

static const struct packing *packing_of(const char *path)
{
	for (size_t i = 0; i < SOURCE_PACKINGS; i++)
		if (str_ends(path, packings[i].suffix))
			return &packings[i];
	return NULL;
}

bool source_strip(char *path)
{
	const struct packing *p = packing_of(path);

	if (p)
		path[strlen(path) - strlen(p->suffix)] = 0;
	return p;
}

static int open_dir(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* kver_valid: what uname -r can hold, and nothing that is a path. */
static bool kver_valid(const char *kver)
{
	return kver[0] && strlen(kver) < 128 && kver[0] != '.' && kver[0] != '-' &&
		!kver[strspn(kver, ALNUM "._+~-")];
}

/* last_name: of a folder, as a shell completes it ("DIR/"), too. */
static const char *last_name(const char *dir)
{
	char *copy = path_text("%s", dir);

	for (size_t n = strlen(copy); n > 1 && copy[n - 1] == '/'; n--)
		copy[n - 1] = 0;
	return path_last(copy);
}

/* find_modules: ROOT/lib/modules/KVER, or below usr/ where /lib is no link to it. */
static int find_modules(struct source *s, const char *root)
{
	static const char *const places[] = {"lib/modules", "usr/lib/modules"};
	int fd = open_dir(root);

	if (fd < 0)
		return fd;
	s->places[SOURCE_ROOT].root = s->places[SOURCE_MODULES].root = fd;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_close_ int dir = -1;

		s->places[SOURCE_MODULES].dir = path_text("%s/%s/", places[i], s->kver);
		dir = sys_open_in(fd, s->places[SOURCE_MODULES].dir, O_PATH | O_DIRECTORY);
		if (dir >= 0)
			return 0;
	}
	return -ENOENT;
}

/*
 * root_of: cuts "/lib/modules/KVER" or "/usr/lib/modules/KVER" off dir; what is left is the root
 * that absolute links in there mean. A directory of another shape is its own root.
 */
static bool root_of(char *dir, const char *kver)
{
	static const char *const places[] = {"/usr/lib/modules/", "/lib/modules/"};
	size_t len = strlen(dir);

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const char *place = path_text("%s%s", places[i], kver);

		if (!streq(dir, place) && !str_ends(dir, place))
			continue;
		dir[len == strlen(place) ? 1 : len - strlen(place)] =
			0; /* of "/lib/..." "/" is left */
		return true;
	}
	return false;
}

static int open_modules(struct source *s, const struct source_config *cfg)
{
	_cleanup_free_ char *dir = NULL;

	if (!cfg->modules_dir)
		return find_modules(s, cfg->root);
	dir = realpath(cfg->modules_dir, NULL);
	if (!dir)
		return -errno;
	if (root_of(dir, s->kver))
		return find_modules(s, dir);
	s->places[SOURCE_MODULES].root = open_dir(dir);
	return s->places[SOURCE_MODULES].root < 0 ? s->places[SOURCE_MODULES].root : 0;
}

/* Or below usr/, where /lib is no link to it. */
static const char *firmware_in(int root)
{
	_cleanup_close_ int dir = root < 0 ? -1
		: sys_open_in(root, "lib/firmware", O_PATH | O_DIRECTORY);

	return dir < 0 ? "usr/lib/firmware/" : "lib/firmware/";
}

int source_new(struct source **ret, const struct source_config *cfg)
{
	struct source *s = must(arena_alloc(host_arena(), sizeof(*s)));
	_cleanup_close_ int fd = -1;
	int r;

	s->kver = cfg->kver ? cfg->kver : last_name(cfg->modules_dir);
	if (!kver_valid(s->kver))
		return -EINVAL;
	for (size_t i = 0; i < SOURCE_PLACES; i++) {
		s->places[i].root = -1;
		s->places[i].dir = "";
	}
	r = open_modules(s, cfg);
	if (r == 0)
		r = fd = source_open(s, SOURCE_MODULES, "", O_PATH | O_DIRECTORY);
	if (r < 0 && !cfg->bare)
		return r;
	s->modules_dir = r < 0 ? NULL : fd_path(fd);
	r = open_dir(cfg->firmware_dir ? cfg->firmware_dir : cfg->root);
	if (cfg->firmware_dir)
		need(r, path_text("--firmware-dir %s", cfg->firmware_dir));
	s->places[SOURCE_FIRMWARE].root = r;
	s->places[SOURCE_FIRMWARE].dir = cfg->firmware_dir ? "" : firmware_in(r);
	*ret = s;
	return r < 0 ? r : 0;
}

const char *source_kver(const struct source *s)
{
	return s->kver;
}

const char *source_modules_dir(const struct source *s)
{
	return s->modules_dir;
}

int source_open(const struct source *s, enum source_place place, const char *path, int flags)
{
	const char *full = path_text("%s%s", s->places[place].dir, path);

	if (s->places[place].root < 0)
		return -ENOENT;
	return sys_open_in(s->places[place].root, full[0] ? full : ".", flags);
}

int source_read(
	const struct source *s, enum source_place place, const char *path, struct bytes *ret)
{
	_cleanup_close_ int fd = source_open(s, place, path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
	const struct packing *p = packing_of(path);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return p ? filter(p->argv, fd, FILE_MAX, ret, p->what)
		 : io_read_all(fd, FILE_MAX, &ret->data, &ret->size);
}

int source_read_any(
	const struct source *s, enum source_place place, const char *path, struct bytes *ret)
{
	int r = source_read(s, place, path, ret);

	for (size_t i = 0; (r == -ENOENT || r == -ENOTDIR) && i < SOURCE_PACKINGS; i++)
		r = source_read(s, place, path_text("%s%s", path, packings[i].suffix), ret);
	return r;
}
