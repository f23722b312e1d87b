// SPDX-License-Identifier: GPL-2.0-or-later
#include "doctor/image_check.h"

#include <limits.h>
#include <search.h>

#include "base/io.h"
#include "base/mountpoint.h"
#include "modules/catalog.h"
#include "root/image/cpio.h"
#include "root/source/source.h"

#define KVER_SIZE 65 /* uname's release, with the NUL */
/* depmod's largest file, the aliases of all modules, has 1.3 MB. */
#define INDEX_MAX (32 << 20)
#define FILES_MAX (1 << 30)
#define CPIO	  "07070" /* newc and crc */

struct look {
	FILE *out;
	int fd;
	char root[1024];      /* a temporary folder, in which libkmod finds the index */
	char kver[KVER_SIZE]; /* of the first modules in the image; "": none seen */
	void *files;	      /* names of modules below lib/modules/KVER, by tsearch(3) */
	size_t n_files;
	int missing;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* --- what the image holds -------------------------------------------------------------------- */

/* A name that is safe as that of one folder. */
static bool is_release(const char *text, size_t len)
{
	return len && len < KVER_SIZE && *text != '.' &&
		strspn(text, ALNUM "._+~-") >= len;
}

/* The part of a name behind lib/modules/KVER/, NULL: it is not there, or of another kernel. */
static const char *module_path(struct look *l, const char *name)
{
	static const char *const places[] = {"usr/lib/modules/", "lib/modules/"};
	char plain[ITEM_NAME_MAX + 1];

	if (writer_name(name, plain, sizeof(plain)) < 0)
		return NULL;
	name += strspn(name, "./");
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		size_t prefix = strlen(places[i]), len;

		if (strncmp(name, places[i], prefix) != 0)
			continue;
		name += prefix;
		len = strcspn(name, "/");
		if (!name[len] || !is_release(name, len))
			return NULL;
		if (!*l->kver)
			strscpy(l->kver, name, len + 1);
		return strncmp(l->kver, name, len) == 0 && !l->kver[len] ? name + len + 1 : NULL;
	}
	return NULL;
}

/* One file of depmod's. */
static int keep_index(struct look *l, const char *name, uint64_t left, struct unpacked *s)
{
	char path[PATH_MAX];
	_cleanup_close_ int fd = -1;

	snprintf(path, sizeof(path), "%s/lib/modules/%s/%s", l->root, l->kver, name);
	if (left > INDEX_MAX)
		return -EFBIG;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	while (fd >= 0 && left) {
		const uint8_t *data;
		ssize_t n = unpacked_take(s, &data, min_u64(left, UNPACKED_BLOCK));

		if (n <= 0)
			return -EINVAL;
		if (write(fd, data, (size_t)n) != n)
			return -EIO;
		left -= (uint64_t)n;
	}
	return fd < 0 ? -errno : 0;
}

static int make_folders(const struct look *l)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/lib/modules/%s", l->root, l->kver);
	return mount_folder(path);
}

static int keep_name(struct look *l, const char *name)
{
	char *copy = strdup(name), **found = copy ? tsearch(copy, &l->files, by_name) : NULL;

	if (!found || *found != copy)
		free(copy);
	else
		l->n_files++;
	return found ? 0 : -ENOMEM;
}

static int take_item(struct look *l, const struct item *item, struct unpacked *s)
{
	const char *name = module_path(l, item->entry.name);
	int r = name && item->entry.type == ENTRY_FILE ? make_folders(l) : 0;

	if (r < 0 || !name || item->entry.type != ENTRY_FILE)
		return r;
	if (strncmp(name, "modules.", 8) == 0 && !strchr(name, '/'))
		return keep_index(l, name, item->entry.size, s);
	return strstr(name, ".ko") ? keep_name(l, name) : 0;
}

static int refuse(struct look *l, const char *what, const struct unpacked *s)
{
	const char *text = "";

	(void)unpacked_cause(s, &text);
	fprintf(l->out, "    error: %s%s%s\n", what, *text ? ": " : "", text);
	return -EINVAL;
}

/*
 * The archives from one place of the file on. *ret_at: where those end that are not packed, and
 * something packed follows, as in an image with microcode; 0: nothing does.
 */
static int take_part(struct look *l, off_t begin, off_t *ret_at)
{
	_cleanup_(unpacked_freep) struct unpacked *s = NULL;
	_cleanup_(cpio_freep) struct cpio *cpio = NULL;
	char magic[sizeof(CPIO)] = "";
	const uint8_t *head;
	struct item item;
	int r;

	*ret_at = 0;
	if (pread(l->fd, magic, strlen(CPIO), begin) < 0 || lseek(l->fd, begin, SEEK_SET) < 0)
		return -errno;
	r = unpacked_new(&s, l->fd, false);
	r = r < 0 ? r : cpio_new(&cpio, s, FILES_MAX);
	if (r < 0)
		return r;
	if (unpacked_head(s, &head) < (ssize_t)strlen(CPIO) ||
		memcmp(head, CPIO, strlen(CPIO)) != 0)
		return refuse(l, "not an initramfs image", s);
	while ((r = cpio_next(cpio, &item)) > 0)
		if ((r = take_item(l, &item, s)) < 0)
			return r;
	if (r < 0 && streq(magic, CPIO) && cpio_archives(cpio)) {
		*ret_at = begin + (off_t)cpio_at(cpio);
		return 0;
	}
	return r < 0 ? refuse(l, "damaged", s) : 0;
}

static int take_image(struct look *l)
{
	off_t at = 0, next = 0;
	int r;

	while ((r = take_part(l, at, &next)) == 0 && next > at)
		at = next;
	return r;
}

/* --- what the plan needs --------------------------------------------------------------------- */

static bool holds(const struct look *l, const struct kmod_module *mod)
{
	const char *path = kmod_module_get_path(mod);

	if (!path)
		return kmod_module_get_initstate(mod) == KMOD_MODULE_BUILTIN;
	path += strlen(l->root) + strlen("/lib/modules/") + strlen(l->kver) + 1;
	return tfind(path, &l->files, by_name);
}

static void check(struct look *l, const struct catalog *c, const char *name, const char *why)
{
	struct kmod_list *list = NULL, *at;
	enum catalog_answer answer = catalog_lookup(c, name, &list);
	bool whole = answer == CATALOG_FOUND;

	kmod_list_foreach(at, list)
	{
		struct kmod_module *mod = kmod_module_get_module(at);

		whole &= holds(l, mod);
		kmod_module_unref(mod);
	}
	kmod_module_unref_list(list);
	if (whole)
		return;
	l->missing++;
	fprintf(l->out, "    error: the module %s is %s: %s\n", name,
		answer == CATALOG_BARRED ? "blacklisted by the image's modprobe.d"
					 : "not in the image",
		why);
}

static bool is_named(const struct plan_module *named, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (streq(named[i].name, name))
			return true;
	return false;
}

static int check_plan(struct look *l, const struct boot_plan *plan)
{
	const struct env env = {.prefix = l->root};
	const struct modules_config cfg = {.kver = l->kver};
	_cleanup_(catalog_freep) struct catalog *c = NULL;
	_cleanup_free_ struct plan_module *named = NULL;
	struct need needs[NEEDS_MAX];
	size_t n, n_needs;
	int r = catalog_new(&c, &env, &cfg);

	r = r < 0 ? r : plan_modules(plan, &named, &n);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		check(l, c, named[i].name, named[i].option);
	n_needs = sources_needs(&plan->root, needs);
	for (size_t i = 0; i < n_needs; i++)
		if (needs[i].vital && !is_named(named, n, needs[i].module))
			check(l, c, needs[i].module, needs[i].why);
	if (l->missing)
		fprintf(l->out, "        build it with these: initagent-mkimage --drivers, "
				"add_drivers+= of dracut\n");
	return l->missing;
}

static int check_image(struct look *l, const struct boot_plan *plan)
{
	int r = take_image(l);

	if (r == 0 && !*l->kver) {
		fprintf(l->out, "    error: it holds no kernel modules\n");
		return -EINVAL;
	}
	if (r < 0)
		return r;
	fprintf(l->out, "    %zu modules of kernel %s\n", l->n_files, l->kver);
	return check_plan(l, plan);
}

int image_check(const struct boot_plan *plan, const char *file, FILE *out)
{
	_cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct look l = {.out = out, .fd = fd};
	const char *tmp = getenv("TMPDIR");
	int r;

	fprintf(out, "(image %s)\n", file);
	snprintf(l.root, sizeof(l.root), "%.1000s/initagent.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	r = fd < 0 || !mkdtemp(l.root) ? -errno : check_image(&l, plan);
	if (r < 0 && r != -EINVAL)
		fprintf(out, "    error: %s\n", strerror(-r));
	if (fd >= 0)
		io_remove_tree(l.root);
	tdestroy(l.files, free);
	return r;
}
