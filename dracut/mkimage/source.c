// SPDX-License-Identifier: GPL-2.0-or-later
#include "source.h"

#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/stat.h>

#include "spawn.h"

/* Unpacked size at which a file is taken for a bomb; the largest real module is below 30 MB. */
#define FILE_MAX ((size_t)256 << 20)

struct source {
	char kver[128];
	char modules_dir[SOURCE_PATH_MAX];
	int modules_root;  /* directory all links stay in */
	char modules[256]; /* the modules' directory below it, with a trailing "/", or "" */
	int firmware_root;
	const char *firmware; /* likewise */
};

struct packing {
	const char *suffix;
	const char *argv[4];
};

static const struct packing packings[] = {
	{".xz", {"xz", "-dc", NULL}},
	{".zst", {"zstd", "-dcq", NULL}},
	{".gz", {"gzip", "-dc", NULL}},
};

const char *source_suffix(size_t i)
{
	return i < ARRAY_SIZE(packings) ? packings[i].suffix : NULL;
}

static const struct packing *packing_of(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(packings); i++) {
		size_t n = strlen(packings[i].suffix);

		if (len > n && streq(path + len - n, packings[i].suffix))
			return &packings[i];
	}
	return NULL;
}

bool source_strip(char *path)
{
	const struct packing *p = packing_of(path);

	if (p)
		path[strlen(path) - strlen(p->suffix)] = 0;
	return p;
}

/* open_in: path below root, no link leads out of it. */
static int open_in(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static int open_dir(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* kver_valid: what uname -r can hold, and nothing that is a path. */
static bool kver_valid(const char *kver)
{
	return kver[0] && kver[0] != '.' && kver[0] != '-' &&
	       kver[strspn(kver, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				 "0123456789._+~-")] == 0;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* find_modules: ROOT/lib/modules/KVER, or below usr/ where /lib is no link to it. */
static int find_modules(struct source *s, const char *root)
{
	static const char *const places[] = {"lib/modules", "usr/lib/modules"};

	s->modules_root = open_dir(root);
	if (s->modules_root < 0)
		return s->modules_root;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_close_ int fd = -1;

		snprintf(s->modules, sizeof(s->modules), "%s/%s/", places[i], s->kver);
		fd = open_in(s->modules_root, s->modules, O_PATH | O_DIRECTORY);
		if (fd >= 0)
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
		size_t n = strlen(places[i]) + strlen(kver);

		if (len >= n && strncmp(dir + len - n, places[i], strlen(places[i])) == 0 &&
			streq(dir + len - strlen(kver), kver)) {
			dir[len == n ? 1 : len - n] = 0; /* of "/lib/modules/..." "/" is left */
			return true;
		}
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
	s->modules_root = open_dir(dir);
	s->modules[0] = 0;
	return s->modules_root < 0 ? s->modules_root : 0;
}

static int open_firmware_dir(struct source *s, const struct source_config *cfg)
{
	s->firmware_root = open_dir(cfg->firmware_dir ? cfg->firmware_dir : cfg->root);
	if (s->firmware_root < 0)
		return s->firmware_root;
	s->firmware = cfg->firmware_dir ? "" : "lib/firmware/";
	return 0;
}

/* name_modules_dir: where the directory is once all links were followed inside the root. */
static int name_modules_dir(struct source *s)
{
	_cleanup_close_ int fd = -1;
	char proc[64];
	ssize_t n;

	fd = open_in(s->modules_root, s->modules[0] ? s->modules : ".", O_PATH | O_DIRECTORY);
	if (fd < 0)
		return fd;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	n = readlink(proc, s->modules_dir, sizeof(s->modules_dir) - 1);
	if (n < 0)
		return -errno;
	s->modules_dir[n] = 0;
	return 0;
}

int source_new(struct source **ret, const struct source_config *cfg)
{
	_cleanup_(source_freep) struct source *s = calloc(1, sizeof(*s));
	const char *kver = cfg->kver ? cfg->kver : last_part(cfg->modules_dir);
	int r;

	if (!s)
		return -ENOMEM;
	s->modules_root = s->firmware_root = -1;
	if (strscpy(s->kver, kver, sizeof(s->kver)) < 0 || !kver_valid(kver))
		return -EINVAL;
	r = open_modules(s, cfg);
	if (r == 0)
		r = name_modules_dir(s);
	if (r == 0)
		r = open_firmware_dir(s, cfg);
	if (r < 0)
		return r;
	*ret = s;
	s = NULL;
	return 0;
}

struct source *source_free(struct source *s)
{
	if (!s)
		return NULL;
	closep(&s->modules_root);
	closep(&s->firmware_root);
	free(s);
	return NULL;
}

const char *source_kver(const struct source *s)
{
	return s->kver;
}

const char *source_modules_dir(const struct source *s)
{
	return s->modules_dir;
}

static int read_in(int root, const char *dir, const char *path, void **data, size_t *size)
{
	const struct packing *p = packing_of(path);
	_cleanup_close_ int fd = -1;
	char full[SOURCE_PATH_MAX];
	struct stat st;

	if (snprintf(full, sizeof(full), "%s%s", dir, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	fd = open_in(root, full, O_RDONLY | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return p ? spawn_filter(p->argv, fd, FILE_MAX, data, size)
		 : read_all(fd, FILE_MAX, data, size);
}

int source_read_module(const struct source *s, const char *path, void **data, size_t *size)
{
	return read_in(s->modules_root, s->modules, path, data, size);
}

int source_read_firmware(const struct source *s, const char *path, void **data, size_t *size)
{
	return read_in(s->firmware_root, s->firmware, path, data, size);
}

int source_open_firmware(const struct source *s, const char *path)
{
	char full[SOURCE_PATH_MAX];

	if (snprintf(full, sizeof(full), "%s%s/", s->firmware, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	return open_in(s->firmware_root, full[0] == '/' ? "." : full, O_RDONLY | O_DIRECTORY);
}

int source_open_module(const struct source *s, const char *path, int flags)
{
	char full[SOURCE_PATH_MAX];

	if (snprintf(full, sizeof(full), "%s%s", s->modules, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	return open_in(s->modules_root, full[0] ? full : ".", flags);
}

/* Without a path between root and modules the "root" is the modules' directory itself. */
int source_open_root(const struct source *s, const char *path, int flags)
{
	return s->modules[0] ? open_in(s->modules_root, path, flags) : -ENOENT;
}

int source_read_root(const struct source *s, const char *path, void **data, size_t *size)
{
	return s->modules[0] ? read_in(s->modules_root, "", path, data, size) : -ENOENT;
}
