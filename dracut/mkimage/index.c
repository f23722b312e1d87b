// SPDX-License-Identifier: GPL-2.0-or-later
#include "index.h"

#include <sys/stat.h>

#include "folders.h"
#include "spawn.h"

/* What depmod reads besides the modules; the kernel's build made them. */
static const char *const inputs[] = {"modules.order", "modules.builtin", "modules.builtin.modinfo"};

/* What libkmod reads in the image. modules.symbols only serves "symbol:" requests, which nobody
 * makes. */
static const char *const outputs[] = {"modules.dep.bin", "modules.alias.bin", "modules.builtin.bin",
	"modules.builtin.alias.bin", "modules.softdep", "modules.weakdep"};

/* The indices libkmod can do without: older depmods do not write them all. */
static bool may_lack(const char *name)
{
	return !streq(name, "modules.dep.bin") && !streq(name, "modules.alias.bin");
}

static int make_dirs(const char *base, const char *path)
{
	char full[SOURCE_PATH_MAX];

	for (const char *p = path; p; p = strchr(p + 1, '/')) {
		if (p == path)
			continue;
		if (snprintf(full, sizeof(full), "%s/%.*s", base, (int)(p - path), path) >=
			(int)sizeof(full))
			return -ENAMETOOLONG;
		if (mkdir(full, 0755) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

/* write_file: base/path with its directories. */
static int write_file(const char *base, const char *path, const void *data, size_t size)
{
	_cleanup_fclose_ FILE *f = NULL;
	char full[SOURCE_PATH_MAX];
	int r = make_dirs(base, path);

	if (r < 0)
		return r;
	if (snprintf(full, sizeof(full), "%s/%s", base, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	f = fopen(full, "we");
	if (!f)
		return -errno;
	if ((size && fwrite(data, size, 1, f) != 1) || fflush(f) != 0)
		return -EIO;
	return 0;
}

/* config: what depmod reads instead of the building machine's depmod.d. */
static int run_depmod(const char *base, const char *config, const char *kver)
{
	const char *const argv[] = {"depmod", "-b", base, "-C", config, kver, NULL};

	return spawn_run(argv);
}

/* copy_inputs: the kernel's own lists, as far as the source has them. */
static int copy_inputs(const struct source *s, const char *base)
{
	for (size_t i = 0; i < ARRAY_SIZE(inputs); i++) {
		_cleanup_free_ void *data = NULL;
		char path[TREE_PATH_MAX];
		size_t size;
		int r = source_read_module(s, inputs[i], &data, &size);

		if (r == -ENOENT)
			continue;
		snprintf(path, sizeof(path), "lib/modules/%s/%s", source_kver(s), inputs[i]);
		if (r == 0)
			r = write_file(base, path, data, size);
		if (r < 0)
			return r;
	}
	return 0;
}

/* fresh: the index that is there was made after the last change of the folders and of depmod.d. */
static int fresh(const struct source *s)
{
	_cleanup_close_ int fd = source_open_module(s, "modules.dep.bin", O_RDONLY);
	struct timespec newest;
	struct stat st;
	int r;

	if (fd == -ENOENT)
		return false;
	if (fd < 0 || fstat(fd, &st) < 0)
		return fd < 0 ? fd : -errno;
	r = folders_newest(s, &newest);
	if (r < 0)
		return r;
	if (newest.tv_sec < st.st_mtim.tv_sec ||
		(newest.tv_sec == st.st_mtim.tv_sec && newest.tv_nsec <= st.st_mtim.tv_nsec))
		return true;
	fprintf(stderr, "initagent-mkimage: %s/modules.dep.bin is older than the modules or depmod.d: "
			"taking a new index instead\n",
		source_modules_dir(s));
	return false;
}

static int make_index(const struct source *s, const char *tmp, const char *base)
{
	char config[SOURCE_PATH_MAX];
	char place[SOURCE_PATH_MAX];
	int r;

	snprintf(place, sizeof(place), "source/lib/modules/%s/", source_kver(s));
	snprintf(config, sizeof(config), "%s/depmod.d", tmp);
	r = make_dirs(tmp, place);
	if (r == 0)
		r = copy_inputs(s, base);
	if (r == 0 && snprintf(place, sizeof(place), "%s/lib/modules/%s", base, source_kver(s)) >=
			      (int)sizeof(place))
		r = -ENAMETOOLONG;
	if (r == 0)
		r = folders_mirror(s, place);
	if (r == 0)
		r = folders_config(s, config);
	return r < 0 ? r : run_depmod(base, r ? config : "/dev/null", source_kver(s));
}

int index_source(const struct source *s, const char *tmp, char *dir, size_t size)
{
	char base[SOURCE_PATH_MAX - 256];
	int r = fresh(s);

	if (r < 0)
		return r;
	if (r)
		return strscpy(dir, source_modules_dir(s), size) < 0 ? -ENAMETOOLONG : 0;
	if (snprintf(base, sizeof(base), "%s/source", tmp) >= (int)sizeof(base))
		return -ENAMETOOLONG;
	r = make_index(s, tmp, base);
	if (r < 0)
		return r;
	return snprintf(dir, size, "%s/lib/modules/%s", base, source_kver(s)) >= (int)size
		       ? -ENAMETOOLONG
		       : 0;
}

static int write_modules(const struct tree *t, size_t n, const char *base)
{
	for (size_t i = 0; i < n; i++) {
		const struct tree_entry *e = tree_at(t, i);
		int r = 0;

		if (S_ISREG(e->mode) && strncmp(e->path, "lib/modules/", 12) == 0)
			r = write_file(base, e->path, e->data, e->size);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_output(struct tree *t, const struct source *s, const char *base, const char *name)
{
	_cleanup_free_ void *data = NULL;
	_cleanup_close_ int fd = -1;
	char path[TREE_PATH_MAX];
	char full[SOURCE_PATH_MAX];
	size_t size;
	int r;

	snprintf(path, sizeof(path), "lib/modules/%s/%s", source_kver(s), name);
	if (snprintf(full, sizeof(full), "%s/%s", base, path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT && may_lack(name) ? 0 : -errno;
	r = read_all(fd, (size_t)64 << 20, &data, &size);
	return r < 0 ? r : tree_file(t, path, 0644, data, size, "module index");
}

int index_image(struct tree *t, const struct source *s, const char *tmp)
{
	char base[SOURCE_PATH_MAX];
	char dir[SOURCE_PATH_MAX];
	size_t n = tree_sort(t);
	int r;

	snprintf(base, sizeof(base), "%s/image", tmp);
	snprintf(dir, sizeof(dir), "image/lib/modules/%s/", source_kver(s));
	r = make_dirs(tmp, dir);
	if (r == 0)
		r = copy_inputs(s, base);
	if (r == 0)
		r = write_modules(t, n, base);
	if (r == 0)
		r = run_depmod(base, "/dev/null", source_kver(s));
	for (size_t i = 0; i < ARRAY_SIZE(outputs) && r == 0; i++)
		r = add_output(t, s, base, outputs[i]);
	return r;
}
