// SPDX-License-Identifier: GPL-2.0-or-later
#include "index.h"

#include <dirent.h>
#include <sys/stat.h>

#include "pack.h"

/*
 * What depmod reads besides the modules; the kernel's build made them. Without the first one every
 * driver that is built in would count as missing; libkmod takes no index without it either.
 */
static const char *const inputs[] = {"modules.builtin", "modules.order", "modules.builtin.modinfo"};
enum { INPUTS_NEEDED = 1 };

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
	/* by compression suffix, none last: modules there are; unpacked instead of a link */
	size_t n[SOURCE_PACKINGS + 1];
	bool unpack[SOURCE_PACKINGS + 1];
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
	return str_ends(copy, ".ko");
}

/* packing: the number of the compression suffix of a file, SOURCE_PACKINGS without one. */
static size_t packing(const char *name)
{
	size_t i = 0;

	while (i < SOURCE_PACKINGS && !str_ends(name, source_suffix(i)))
		i++;
	return i;
}

/*
 * unread: the compression suffix of which the source has modules, but modules.dep lists none: not
 * every depmod is built to read all of them, and it leaves out silently what it cannot. None:
 * SOURCE_PACKINGS.
 */
static size_t unread(const struct walk *w, const struct bytes *dep)
{
	size_t i;

	for (i = 0; i < SOURCE_PACKINGS; i++) {
		const char *end = path_text(".ko%s:", source_suffix(i));

		if (w->n[i] && !w->unpack[i] && !memmem(dep->data, dep->size, end, strlen(end)))
			break;
	}
	return i;
}

/* open_folder: its entries, NULL when it is not there. */
static DIR *open_folder(const struct source *s, enum source_place place, const char *path)
{
	int fd = source_open(s, place, path, O_RDONLY | O_DIRECTORY);

	return fd < 0 ? NULL : must(fdopendir(fd));
}

static void walk_folder(struct walk *w, const char *path, const struct stat *st);

/* mirror_module: a link to it (its own name may be another), or what is packed in it. */
static void mirror_module(struct walk *w, const char *path, int fd)
{
	char *image = path_text("%s/%s", w->mirror, path);
	_cleanup_bytes_ struct bytes b = {0};

	if (w->unpack[packing(path)]) {
		source_strip(image);
		need(source_read(w->source, SOURCE_MODULES, path, &b), path);
		file_new(image, b.data, b.size);
	} else {
		need(symlink(fd_path(fd), image) < 0 ? -errno : 0, path);
	}
}

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
		mirror_module(w, path, fd);
	}
}

static void walk_folder(struct walk *w, const char *path, const struct stat *st)
{
	_cleanup_closedir_ DIR *d = NULL;
	const struct dirent *e;

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
	while ((e = dir_next(d))) {
		if (e->d_name[0] == '.' ||
			(!path[0] && (streq(e->d_name, "build") || streq(e->d_name, "source"))))
			continue;
		if (module_name(e->d_name))
			w->n[packing(e->d_name)]++;
		/* Without a mirror no file's content matters. */
		if (w->mirror || e->d_type != DT_REG)
			walk_entry(w, path_text("%s%s%s", path, path[0] ? "/" : "", e->d_name),
				e->d_name);
	}
}

static bool config_name(const char *name)
{
	return name[0] != '.' && str_ends(name, ".conf");
}

/* newest_config: the last change of the source's depmod.d. */
static void newest_config(const struct source *s, struct timespec *newest)
{
	for (size_t i = 0; i < ARRAY_SIZE(config_dirs); i++) {
		_cleanup_closedir_ DIR *d = open_folder(s, SOURCE_ROOT, config_dirs[i]);
		const struct dirent *e;
		struct stat st;

		while ((e = dir_next(d)))
			if (config_name(e->d_name) && fstatat(dirfd(d), e->d_name, &st, 0) == 0)
				note_time(newest, &st);
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
		_cleanup_closedir_ DIR *d = open_folder(s, SOURCE_ROOT, config_dirs[i]);
		const struct dirent *e;

		while ((e = dir_next(d))) {
			const char *from = path_text("%s/%s", config_dirs[i], e->d_name);
			const char *to = path_text("%s/%s", dir, e->d_name);
			_cleanup_bytes_ struct bytes b = {0};

			if (!config_name(e->d_name) || access(to, F_OK) == 0)
				continue;
			need(source_read(s, SOURCE_ROOT, from, &b), from);
			file_new(to, b.data, b.size);
			n++;
		}
	}
	return n;
}

/* fresh: the index that is there was made after the last change of the folders and of depmod.d. */
static bool fresh(const struct source *s)
{
	_cleanup_close_ int fd = source_open(s, SOURCE_MODULES, "modules.dep.bin", O_RDONLY);
	_cleanup_bytes_ struct bytes dep = {0};
	struct walk w = {.source = s};
	const char *fault = "is older than the modules or depmod.d";
	struct stat st;
	int r;

	if (fd == -ENOENT)
		return false;
	need(fd, "modules.dep.bin");
	need(fstat(fd, &st) < 0 ? -errno : 0, "modules.dep.bin");
	walk_folder(&w, "", NULL);
	newest_config(s, &w.newest);
	note_time(&w.newest, &st);
	if (w.newest.tv_sec == st.st_mtim.tv_sec && w.newest.tv_nsec == st.st_mtim.tv_nsec) {
		/* the same as text; without it there is nothing to compare */
		r = source_read(s, SOURCE_MODULES, "modules.dep", &dep);
		if (r == -ENOENT)
			return true;
		need(r, "modules.dep");
		r = (int)unread(&w, &dep);
		if (r == SOURCE_PACKINGS)
			return true;
		fault = path_text("lists none of the modules packed as %s",
			source_suffix((size_t)r));
	}
	report_fault("%s/modules.dep.bin %s: taking a new index instead", source_modules_dir(s),
		fault);
	return false;
}

/* copy_inputs: the kernel's own lists into dir, the optional ones as far as the source has them. */
static void copy_inputs(const struct source *s, const char *dir)
{
	for (size_t i = 0; i < ARRAY_SIZE(inputs); i++) {
		_cleanup_bytes_ struct bytes b = {0};
		int r = source_read(s, SOURCE_MODULES, inputs[i], &b);

		if (r == -ENOENT && i >= INPUTS_NEEDED)
			continue;
		need(r, path_text("%s/%s", source_modules_dir(s), inputs[i]));
		file_new(path_text("%s/%s", dir, inputs[i]), b.data, b.size);
	}
}

/* depmod: config is read instead of the building machine's depmod.d. */
static void depmod(const char *base, const char *config, const char *kver, const char *what)
{
	const char *const argv[] = {"depmod", "-b", base, "-C", config, kver, NULL};

	run(argv, false, what);
}

/* index_once: depmod over the source's modules, as w says. *dep: what it wrote as modules.dep. */
static void index_once(struct walk *w, const char *base, struct bytes *dep)
{
	const struct source *s = w->source;
	const char *config = path_text("%s/depmod.d", base);

	w->mirror = path_text("%s/lib/modules/%s", base, source_kver(s));
	make_dirs(w->mirror);
	copy_inputs(s, w->mirror);
	walk_folder(w, "", NULL);
	depmod(base, copy_config(s, config) ? config : "/dev/null", source_kver(s),
		path_text("package kmod: module index of kernel %s", source_kver(s)));
	need(file_read(path_text("%s/modules.dep", w->mirror), dep, NULL), "modules.dep");
}

const char *index_source(const struct source *s)
{
	struct walk w = {.source = s};

	if (fresh(s))
		return source_modules_dir(s);
	for (int round = 0;; round++) {
		_cleanup_bytes_ struct bytes dep = {0};
		size_t i;

		index_once(&w, scratch(path_text("source%d", round)), &dep);
		i = unread(&w, &dep);
		if (i == SOURCE_PACKINGS)
			return w.mirror;
		report_fault("the depmod of this machine does not read modules packed as %s: "
			     "unpacking them for it",
			source_suffix(i));
		w.unpack[i] = true;
	}
}

/* module_entry: a module of the image, NULL: another entry. */
static const char *module_entry(const struct tree *t, size_t i)
{
	const struct tree_entry *e = tree_at(t, i);

	return S_ISREG(e->mode) && strncmp(e->path, "lib/modules/", 12) == 0 ? e->path : NULL;
}

/* packed_name: what a module of the image is called. */
static const char *packed_name(const char *path, bool pack)
{
	return pack && pack_driver(path) ? path_text("%s.zst", path) : path;
}

/* lay_out: the image's modules below base. */
static void lay_out(const struct tree *t, size_t n, const char *base, bool pack)
{
	enum { LEVEL = 19 }; /* a driver is packed once and read by a whole cluster */

	for (size_t i = 0; i < n; i++) {
		const char *path = module_entry(t, i), *name;
		const struct tree_entry *e = tree_at(t, i);
		_cleanup_bytes_ struct bytes packed = {0};

		if (!path)
			continue;
		name = packed_name(path, pack);
		if (name != path)
			packed = pack_zstd(e->data, e->size, LEVEL);
		file_new(path_text("%s/%s", base, name), packed.data ? packed.data : e->data,
			packed.data ? packed.size : e->size);
	}
}

/* unlisted: a module that modules.dep, made of the folder place, leaves out, or NULL. */
static const char *unlisted(
	const struct tree *t, size_t n, const char *base, const char *place, bool pack)
{
	_cleanup_bytes_ struct bytes dep = {0};

	need(file_read(path_text("%s/%s/modules.dep", base, place), &dep, NULL), "modules.dep");
	for (size_t i = 0; i < n; i++) {
		const char *path = module_entry(t, i), *line;

		if (!path)
			continue;
		line = path_text("%s:", packed_name(path, pack) + strlen(place) + 1);
		if (!memmem(dep.data, dep.size, line, strlen(line)))
			return path;
	}
	return NULL;
}

/* index_modules: depmod over the image's modules below base. Returns as unlisted(). */
static const char *index_modules(
	struct tree *t, const struct source *s, const char *base, const char *place, bool pack)
{
	size_t n = tree_sort(t);

	make_dirs(path_text("%s/%s", base, place));
	copy_inputs(s, path_text("%s/%s", base, place));
	lay_out(t, n, base, pack);
	depmod(base, "/dev/null", source_kver(s), "package kmod: module index of the image");
	return unlisted(t, n, base, place, pack);
}

/* take_packed: the drivers that lay_out() packed, instead of those of the tree. */
static void take_packed(struct tree *t, const char *base)
{
	size_t n = tree_sort(t);

	for (size_t i = 0; i < n; i++) {
		const char *path = module_entry(t, i);
		const char *name = path ? packed_name(path, true) : NULL;
		_cleanup_bytes_ struct bytes b = {0};

		if (name == path)
			continue;
		need(file_read(path_text("%s/%s", base, name), &b, NULL), name);
		tree_replace(t, i, name, b.data, b.size);
	}
}

void index_image(struct tree *t, const struct source *s)
{
	const char *base = scratch("image"), *place = path_text("lib/modules/%s", source_kver(s));
	const char *lost = index_modules(t, s, base, place, true);
	bool pack = !lost || !pack_driver(lost);

	if (!pack) {
		report_fault("the depmod of this machine does not read modules packed as .zst: "
			     "adapters' drivers stay unpacked, and take more of a node's memory");
		base = scratch("image-unpacked");
		lost = index_modules(t, s, base, place, false);
	}
	if (lost)
		refuse("depmod leaves %s out of the module index of the image", lost);
	if (pack)
		take_packed(t, base);
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
