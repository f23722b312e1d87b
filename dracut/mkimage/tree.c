// SPDX-License-Identifier: GPL-2.0-or-later
#include "tree.h"

/* An entry as the caller describes it; all borrowed. */
struct wish {
	const char *path;
	mode_t mode;
	dev_t rdev;
	const void *data;
	size_t size;
	const char *why;
};

struct tree {
	struct tree_entry *entries;
	size_t n;
	size_t room;
};

int tree_new(struct tree **ret)
{
	struct tree *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	*ret = t;
	return 0;
}

static void entry_done(struct tree_entry *e)
{
	free(e->path);
	free(e->data);
	free(e->why);
}

struct tree *tree_free(struct tree *t)
{
	if (!t)
		return NULL;
	for (size_t i = 0; i < t->n; i++)
		entry_done(&t->entries[i]);
	free(t->entries);
	free(t);
	return NULL;
}

static bool part_safe(const char *part, size_t len)
{
	if (len == 0 || (len == 1 && part[0] == '.'))
		return false;
	if (len == 2 && memcmp(part, "..", 2) == 0)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)part[i] <= ' ' || (unsigned char)part[i] >= 0x7f)
			return false;
	return true;
}

bool tree_path_safe(const char *path)
{
	if (strnlen(path, TREE_PATH_MAX) == TREE_PATH_MAX)
		return false;
	for (;;) {
		size_t len = strcspn(path, "/");

		if (!part_safe(path, len))
			return false;
		if (!path[len])
			return true;
		path += len + 1;
	}
}

const struct tree_entry *tree_find(const struct tree *t, const char *path)
{
	for (size_t i = 0; i < t->n; i++)
		if (streq(t->entries[i].path, path))
			return &t->entries[i];
	return NULL;
}

static int append(struct tree *t, struct tree_entry *e)
{
	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		struct tree_entry *more = reallocarray(t->entries, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		t->entries = more;
		t->room = room;
	}
	t->entries[t->n++] = *e;
	return 0;
}

/* add_one: the entry itself; its parents are there. */
static int add_one(struct tree *t, const struct wish *w)
{
	struct tree_entry e = {
		.path = strdup(w->path),
		.mode = w->mode,
		.rdev = w->rdev,
		.data = w->size ? malloc(w->size) : NULL,
		.size = w->size,
		.why = strdup(w->why),
	};
	int r = -ENOMEM;

	if (e.path && e.why && (e.data || !w->size)) {
		if (w->size)
			memcpy(e.data, w->data, w->size);
		r = append(t, &e);
	}
	if (r < 0)
		entry_done(&e);
	return r;
}

static int add_parents(struct tree *t, const char *path)
{
	char parent[TREE_PATH_MAX];

	for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		const struct tree_entry *e;
		int r;

		memcpy(parent, path, (size_t)(p - path));
		parent[p - path] = 0;
		e = tree_find(t, parent);
		if (e && !S_ISDIR(e->mode))
			return -ENOTDIR;
		if (e)
			continue;
		r = add_one(t,
			&(struct wish){.path = parent, .mode = S_IFDIR | 0755, .why = "directory"});
		if (r < 0)
			return r;
	}
	return 0;
}

static int add(struct tree *t, const struct wish *w)
{
	const struct tree_entry *old;
	int r;

	if (!tree_path_safe(w->path))
		return -EINVAL;
	old = tree_find(t, w->path);
	if (old)
		return S_ISDIR(old->mode) && old->mode == w->mode ? 0 : -EEXIST;
	r = add_parents(t, w->path);
	return r < 0 ? r : add_one(t, w);
}

int tree_dir(struct tree *t, const char *path, mode_t mode, const char *why)
{
	return add(t, &(struct wish){.path = path, .mode = S_IFDIR | mode, .why = why});
}

int tree_link(struct tree *t, const char *path, const char *target, const char *why)
{
	return add(t, &(struct wish){.path = path,
			      .mode = S_IFLNK | 0777,
			      .data = target,
			      .size = strlen(target),
			      .why = why});
}

int tree_char(struct tree *t, const char *path, mode_t mode, dev_t rdev, const char *why)
{
	return add(
		t, &(struct wish){.path = path, .mode = S_IFCHR | mode, .rdev = rdev, .why = why});
}

int tree_file(struct tree *t, const char *path, mode_t mode, const void *data, size_t size,
	const char *why)
{
	return add(t, &(struct wish){.path = path,
			      .mode = S_IFREG | mode,
			      .data = data,
			      .size = size,
			      .why = why});
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct tree_entry *)a)->path, ((const struct tree_entry *)b)->path);
}

size_t tree_sort(struct tree *t)
{
	if (t->n)
		qsort(t->entries, t->n, sizeof(*t->entries), by_path);
	return t->n;
}

const struct tree_entry *tree_at(const struct tree *t, size_t i)
{
	return &t->entries[i];
}
