// SPDX-License-Identifier: GPL-2.0-or-later
#include "index.h"

#include <dirent.h>
#include <sys/stat.h>

/* What depmod reads besides the modules; the kernel's build made them. */
static const char *const inputs[] = {"modules.order", "modules.builtin", "modules.builtin.modinfo"};

/*
 * What libkmod reads in the image; older depmods do not write them all, and it can do without but
 * the first two. modules.symbols only serves "symbol:" requests, which nothing makes.
 */
static const char *const outputs[] = {"modules.dep.bin", "modules.alias.bin", "modules.builtin.bin",
	"modules.builtin.alias.bin", "modules.softdep", "modules.weakdep"};
enum { OUTPUTS_NEEDED = 2 };

/* Where depmod.d may be, in the order of precedence. */
static const char *const config_dirs[] = {"etc/depmod.d", "run/depmod.d", "usr/local/lib/depmod.d",
	"usr/lib/depmod.d", "lib/depmod.d"};

/* Links may make a folder its own parent; no distribution nests deeper than half of this. */
#define DEPTH_MAX 24

/*
 * A walk over the modules' folders of a source (kernel/, updates/, extra/, weak-updates/ ...),
 * every link followed inside the source's root.
 */
struct walk {
	const struct source *source;
	const char *mirror; /* the same folders are made here, with a link for every module; may be
			       NULL */
	struct timespec newest; /* last change of a folder */
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
	char *copy = path_text("%s", name);

	source_strip(copy);
	return has_suffix(copy, ".ko");
}

/* open_folder: its entries, NULL when it is not there. */
static DIR *open_folder(const struct source *s, enum source_place place, const char *path)
{
	int fd = source_open(s, place, path, O_RDONLY | O_DIRECTORY);

	return fd < 0 ? NULL : must(fdopendir(fd));
}

static void walk_folder(struct walk *w, const char *path, const struct stat *st);

static void walk_entry(struct walk *w, const char *path, const char *name)
{
	_cleanup_close_ int fd = source_open(w->source, SOURCE_MODULES, path, O_PATH);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return; /* a dead link, like build -> headers that are not installed */
	if (S_ISDIR(st.st_mode)) {
		w->depth++;
		walk_folder(w, path, &st);
		w->depth--;
	} else if (w->mirror && S_ISREG(st.st_mode) && module_name(name)) {
		/* The file's own name may be another. */
		need(symlink(fd_path(fd), path_text("%s/%s", w->mirror, path)) < 0 ? -errno : 0,
			path);
	}
}

static void walk_folder(struct walk *w, const char *path, const struct stat *st)
{
	struct dirent *e;
	DIR *d;

	if (w->depth > DEPTH_MAX)
		die(-ELOOP, "%s", path);
	/* The top changes with every index that is written into it. */
	if (path[0])
		note_time(&w->newest, st);
	if (path[0] && w->mirror)
		make_dirs(path_text("%s/%s", w->mirror, path));
	d = open_folder(w->source, SOURCE_MODULES, path);
	if (!d)
		die(-errno, "%s/%s", source_modules_dir(w->source), path);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.' ||
			(!path[0] && (streq(e->d_name, "build") || streq(e->d_name, "source"))))
			continue;
		/* Without a mirror no file matters. */
		if (w->mirror || e->d_type != DT_REG)
			walk_entry(w, path_text("%s%s%s", path, path[0] ? "/" : "", e->d_name),
				e->d_name);
	}
	closedir(d);
}

static bool config_name(const char *name)
{
	return name[0] != '.' && has_suffix(name, ".conf");
}

/* newest_config: the last change of the source's depmod.d. */
static void newest_config(const struct source *s, struct timespec *newest)
{
	for (size_t i = 0; i < ARRAY_SIZE(config_dirs); i++) {
		DIR *d = open_folder(s, SOURCE_ROOT, config_dirs[i]);
		struct dirent *e;
		struct stat st;

		while (d && (e = readdir(d)))
			if (config_name(e->d_name) && fstatat(dirfd(d), e->d_name, &st, 0) == 0)
				note_time(newest, &st);
		if (d)
			closedir(d);
	}
}

/*
 * copy_config: the source's depmod.d into dir, by depmod.d(5)'s rules: a name counts once, in the
 * order of config_dirs. Returns how many files.
 */
static int copy_config(const struct source *s, const char *dir)
{
	int n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(config_dirs); i++) {
		DIR *d = open_folder(s, SOURCE_ROOT, config_dirs[i]);
		struct dirent *e;

		while (d && (e = readdir(d))) {
			const char *from = path_text("%s/%s", config_dirs[i], e->d_name);
			const char *to = path_text("%s/%s", dir, e->d_name);
			_cleanup_bytes_ struct bytes b = {0};

			if (!config_name(e->d_name) || access(to, F_OK) == 0)
				continue;
			need(source_read(s, SOURCE_ROOT, from, &b), from);
			file_new(to, b.data, b.size);
			n++;
		}
		if (d)
			closedir(d);
	}
	return n;
}

/* fresh: the index that is there was made after the last change of the folders and of depmod.d. */
static bool fresh(const struct source *s)
{
	_cleanup_close_ int fd = source_open(s, SOURCE_MODULES, "modules.dep.bin", O_RDONLY);
	struct walk w = {.source = s};
	struct stat st;

	if (fd == -ENOENT)
		return false;
	need(fd, "modules.dep.bin");
	need(fstat(fd, &st) < 0 ? -errno : 0, "modules.dep.bin");
	walk_folder(&w, "", NULL);
	newest_config(s, &w.newest);
	note_time(&w.newest, &st);
	if (w.newest.tv_sec == st.st_mtim.tv_sec && w.newest.tv_nsec == st.st_mtim.tv_nsec)
		return true;
	report_fault("%s/modules.dep.bin is older than the modules or depmod.d: taking a new index "
		     "instead",
		source_modules_dir(s));
	return false;
}

/* copy_inputs: the kernel's own lists into dir, as far as the source has them. */
static void copy_inputs(const struct source *s, const char *dir)
{
	for (size_t i = 0; i < ARRAY_SIZE(inputs); i++) {
		_cleanup_bytes_ struct bytes b = {0};
		int r = source_read(s, SOURCE_MODULES, inputs[i], &b);

		if (r == -ENOENT)
			continue;
		need(r, inputs[i]);
		file_new(path_text("%s/%s", dir, inputs[i]), b.data, b.size);
	}
}

/* depmod: config is read instead of the building machine's depmod.d. */
static void depmod(const char *base, const char *config, const char *kver, const char *what)
{
	const char *const argv[] = {"depmod", "-b", base, "-C", config, kver, NULL};

	run(argv, false, what);
}

const char *index_source(const struct source *s)
{
	const char *base = scratch("source"), *config = scratch("depmod.d");
	struct walk w = {.source = s};

	if (fresh(s))
		return source_modules_dir(s);
	w.mirror = path_text("%s/lib/modules/%s", base, source_kver(s));
	make_dirs(w.mirror);
	copy_inputs(s, w.mirror);
	walk_folder(&w, "", NULL);
	depmod(base, copy_config(s, config) ? config : "/dev/null", source_kver(s),
		path_text("module index of kernel %s", source_kver(s)));
	return w.mirror;
}

void index_image(struct tree *t, const struct source *s)
{
	const char *base = scratch("image"), *place = path_text("lib/modules/%s", source_kver(s));
	size_t n = tree_sort(t);

	make_dirs(path_text("%s/%s", base, place));
	copy_inputs(s, path_text("%s/%s", base, place));
	for (size_t i = 0; i < n; i++) {
		const struct tree_entry *e = tree_at(t, i);

		if (S_ISREG(e->mode) && strncmp(e->path, "lib/modules/", 12) == 0)
			file_new(path_text("%s/%s", base, e->path), e->data, e->size);
	}
	depmod(base, "/dev/null", source_kver(s), "module index of the image");
	for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
		const char *path = path_text("%s/%s", place, outputs[i]);
		_cleanup_bytes_ struct bytes b = {0};
		int r = file_read(path_text("%s/%s", base, path), &b, NULL);

		if (r == -ENOENT && i >= OUTPUTS_NEEDED)
			continue;
		need(r, path);
		need(tree_file(t, path, 0644, b.data, b.size, "module index"), path);
	}
}
