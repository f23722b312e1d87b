// SPDX-License-Identifier: GPL-2.0-or-later
#include "tree.h"

#include "must.h"

struct tree {
	struct arena *arena;
	struct arena_list entries;
};

struct tree *tree_new(void)
{
	struct tree *t = must(calloc(1, sizeof(*t)));

	t->arena = must_arena();
	return t;
}

struct tree *tree_free(struct tree *t)
{
	if (t)
		arena_free(t->arena);
	free(t);
	return NULL;
}

static bool part_safe(const char *part, size_t len)
{
	if (len == 0 || (len == 1 && part[0] == '.') || (len == 2 && memcmp(part, "..", 2) == 0))
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
	for (size_t i = 0; i < t->entries.n; i++)
		if (streq(tree_at(t, i)->path, path))
			return tree_at(t, i);
	return NULL;
}

/* append: the entry itself; its parents are there. */
static void append(struct tree *t, const struct tree_entry *e)
{
	struct tree_entry *new = must(arena_push(t->arena, &t->entries, sizeof(*new)));

	*new = *e;
	new->path = must(arena_text(t->arena, e->path, strlen(e->path)));
	new->why = must(arena_text(t->arena, e->why, strlen(e->why)));
	new->data = e->size ? must(arena_text(t->arena, e->data, e->size)) : NULL;
}

static int add_parents(struct tree *t, const char *path)
{
	char parent[TREE_PATH_MAX];

	for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/')) {
		const struct tree_entry *e;

		memcpy(parent, path, (size_t)(p - path));
		parent[p - path] = 0;
		e = tree_find(t, parent);
		if (e && !S_ISDIR(e->mode))
			return -ENOTDIR;
		if (!e)
			append(t, &(struct tree_entry){.path = parent, .mode = S_IFDIR | 0755,
					  .why = "directory"});
	}
	return 0;
}

int tree_add(struct tree *t, const struct tree_entry *e)
{
	const struct tree_entry *old;
	int r;

	if (!tree_path_safe(e->path))
		return -EINVAL;
	old = tree_find(t, e->path);
	if (old)
		return S_ISDIR(old->mode) && old->mode == e->mode ? 0 : -EEXIST;
	r = add_parents(t, e->path);
	if (r == 0)
		append(t, e);
	return r;
}

int tree_dir(struct tree *t, const char *path, mode_t mode, const char *why)
{
	return tree_add(t, &(struct tree_entry){.path = path, .mode = S_IFDIR | mode, .why = why});
}

int tree_link(struct tree *t, const char *path, const char *target, const char *why)
{
	return tree_add(t, &(struct tree_entry){.path = path,
				   .mode = S_IFLNK | 0777,
				   .data = target,
				   .size = strlen(target),
				   .why = why});
}

int tree_file(struct tree *t, const char *path, mode_t mode, const void *data, size_t size,
	const char *why)
{
	return tree_add(t, &(struct tree_entry){.path = path, .mode = S_IFREG | mode, .data = data,
				   .size = size, .why = why});
}

void tree_replace(struct tree *t, size_t i, const char *path, const void *data, size_t size)
{
	struct tree_entry *e = (struct tree_entry *)t->entries.items + i;

	e->path = must(arena_text(t->arena, path, strlen(path)));
	e->data = must(arena_text(t->arena, data, size));
	e->size = size;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct tree_entry *)a)->path, ((const struct tree_entry *)b)->path);
}

size_t tree_sort(struct tree *t)
{
	if (t->entries.n)
		qsort(t->entries.items, t->entries.n, sizeof(struct tree_entry), by_path);
	return t->entries.n;
}

const struct tree_entry *tree_at(const struct tree *t, size_t i)
{
	return (const struct tree_entry *)t->entries.items + i;
}
