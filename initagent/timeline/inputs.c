// SPDX-License-Identifier: GPL-2.0-or-later
/* boots_read: from arguments to records. */
#include <search.h>
#include <sys/stat.h>

#include "arena.h"
#include "boots.h"

struct inputs {
	struct arena *arena;
	struct arena_list paths;
	void *known; /* tree of struct file_id */
};

/* A regular file; one that is named twice, or by a link as well, counts once. */
struct file_id {
	dev_t dev;
	ino_t ino;
};

static int by_inode(const void *a, const void *b)
{
	const struct file_id *x = a, *y = b;

	return x->dev != y->dev ? x->dev < y->dev ? -1 : 1
				: (x->ino > y->ino) - (x->ino < y->ino);
}

static void keep_id(void *id)
{
	(void)id; /* the arena's */
}

static void inputs_done(struct inputs *in)
{
	tdestroy(in->known, keep_id);
	arena_free(in->arena);
}

/* path: in the arena, NULL: there was no memory for it. st: of a regular file, else NULL. */
static int add_path(struct inputs *in, const char *path, const struct stat *st)
{
	struct file_id *id = arena_alloc(in->arena, sizeof(*id)), **known;
	const char **item;

	if (!path || !id)
		return -ENOMEM;
	if (st) {
		*id = (struct file_id){st->st_dev, st->st_ino};
		known = tsearch(id, &in->known, by_inode);
		if (!known || *known != id)
			return known ? 0 : -ENOMEM;
	}
	if (in->paths.n == BOOTS_MAX)
		return -E2BIG;
	item = arena_push(in->arena, &in->paths, sizeof(*item));
	if (!item)
		return -ENOMEM;
	*item = path;
	return 0;
}

static int is_state_file(const struct dirent *d)
{
	return d->d_name[0] != '.' && str_ends(d->d_name, ".json");
}

/* Regular files only: a pipe would block. What stat() fails for is reported when read. */
static int add_entry(struct inputs *in, const char *dir, const char *name)
{
	const char *path = arena_printf(in->arena, "%s%s%s", dir,
		dir[strlen(dir) - 1] == '/' ? "" : "/", name);
	struct stat st;

	if (path && stat(path, &st) == 0)
		return S_ISREG(st.st_mode) ? add_path(in, path, &st) : 0;
	return add_path(in, path, NULL);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_folder(struct inputs *in, const char *path)
{
	struct dirent **list = NULL;
	int n = scandir(path, &list, is_state_file, by_bytes), r = 0;

	if (n < 0)
		return add_path(in, path, NULL);
	for (int i = 0; i < n; i++) {
		if (r == 0)
			r = add_entry(in, path, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return r;
}

static int add_argument(struct inputs *in, const char *path)
{
	struct stat st;

	if (streq(path, "-") || stat(path, &st) < 0)
		return add_path(in, path, NULL);
	if (S_ISDIR(st.st_mode))
		return add_folder(in, path);
	return add_path(in, path, S_ISREG(st.st_mode) ? &st : NULL);
}

static int by_file(const void *a, const void *b)
{
	const struct broken_file *x = a, *y = b;
	int r = strcmp(x->file, y->file);

	return r ? r : strcmp(x->why, y->why);
}

static int fill(struct boots **ret, struct inputs *in)
{
	size_t count = in->paths.n, n = 0, n_broken = 0;
	struct broken_file *broken = arena_alloc(in->arena, (count + 1) * sizeof(*broken));
	struct record **list = calloc(count + 1, sizeof(*list));
	int r = -ENOMEM;

	for (size_t i = 0; broken && list && i < count; i++) {
		const char *path = ((const char **)in->paths.items)[i];
		int fault = record_read(&list[n], path);

		if (fault == 0)
			n++;
		else
			broken[n_broken++] = (struct broken_file){path, fault < 0 ? strerror(-fault)
				: record_fault_text((enum record_fault)fault)};
	}
	if (broken && list)
		r = boots_of(ret, list, n);
	else
		free(list);
	if (r < 0)
		return r;
	qsort(broken, n_broken, sizeof(*broken), by_file);
	(*ret)->broken = broken;
	(*ret)->n_broken = n_broken;
	(*ret)->arena = in->arena;
	in->arena = NULL;
	return 0;
}

int boots_read(struct boots **ret, const char *const *paths, size_t n)
{
	_cleanup_(inputs_done) struct inputs in = {0};
	int r = arena_new(&in.arena);

	for (size_t i = 0; i < n && r == 0; i++)
		r = add_argument(&in, paths[i]);
	return r < 0 ? r : fill(ret, &in);
}
