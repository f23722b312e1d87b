// SPDX-License-Identifier: GPL-2.0-or-later
/* boots_read: from arguments to records. */
#include <dirent.h>
#include <sys/stat.h>

#include "boots.h"
#include "state/record.h"

struct input {
	char *path;
	dev_t dev;
	ino_t ino;
	bool known; /* dev and ino are */
	size_t order;
};

struct inputs {
	struct input *list;
	size_t n, cap;
};

static void inputs_done(struct inputs *in)
{
	for (size_t i = 0; i < in->n; i++)
		free(in->list[i].path);
	free(in->list);
}

/* Takes path over. */
static int add_path(struct inputs *in, char *path, const struct stat *st)
{
	if (path && in->n == in->cap) {
		size_t cap = in->cap ? 2 * in->cap : 64;
		struct input *list = realloc(in->list, cap * sizeof(*list));

		if (list) {
			in->list = list;
			in->cap = cap;
		}
	}
	if (!path || in->n == in->cap || in->n == BOOTS_MAX) {
		int r = path && in->n == BOOTS_MAX ? -E2BIG : -ENOMEM;

		free(path);
		return r;
	}
	in->list[in->n] = (struct input){.path = path, .known = st != NULL, .order = in->n};
	if (st) {
		in->list[in->n].dev = st->st_dev;
		in->list[in->n].ino = st->st_ino;
	}
	in->n++;
	return 0;
}

static int is_state_file(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 5 && streq(d->d_name + len - 5, ".json");
}

/* Regular files only: a pipe would block. What stat() fails for is reported when read. */
static int add_entry(struct inputs *in, const char *dir, const char *name)
{
	char *path = NULL;
	struct stat st;

	if (asprintf(&path, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name) < 0)
		return -ENOMEM;
	if (stat(path, &st) < 0)
		return add_path(in, path, NULL);
	if (!S_ISREG(st.st_mode)) {
		free(path);
		return 0;
	}
	return add_path(in, path, &st);
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
		return add_path(in, strdup(path), NULL);
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
		return add_path(in, strdup(path), NULL);
	if (S_ISDIR(st.st_mode))
		return add_folder(in, path);
	return add_path(in, strdup(path), S_ISREG(st.st_mode) ? &st : NULL);
}

static int by_inode(const void *a, const void *b)
{
	const struct input *x = a, *y = b;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* A file that is named twice, or by a link as well, stays once: the first time it was named. */
static void drop_doubles(struct inputs *in)
{
	size_t kept = 0;

	if (in->n)
		qsort(in->list, in->n, sizeof(*in->list), by_inode);
	for (size_t i = 0; i < in->n; i++) {
		struct input *last = kept ? &in->list[kept - 1] : NULL;

		if (last && last->known && in->list[i].known && last->dev == in->list[i].dev &&
			last->ino == in->list[i].ino)
			free(in->list[i].path);
		else
			in->list[kept++] = in->list[i];
	}
	in->n = kept;
}

/* Takes the path over. */
static void add_broken(struct boots *b, struct input *in, int fault)
{
	struct broken_file *f = &b->broken[b->n_broken++];

	f->file = in->path;
	f->why = fault < 0 ? strerror(-fault) : record_fault_text((enum record_fault)fault);
	in->path = NULL;
}

struct outcome_of {
	struct record **list;
	int *faults; /* one for each input, 0 good */
	size_t n;
};

static void read_all(const struct inputs *in, struct outcome_of *o)
{
	for (size_t i = 0; i < in->n; i++) {
		o->faults[i] = record_read(&o->list[o->n], in->list[i].path);
		o->n += o->faults[i] == 0;
	}
}

static int fill(struct boots **ret, struct inputs *in)
{
	_cleanup_(boots_freep) struct boots *b = NULL;
	_cleanup_free_ int *faults = calloc(in->n + 1, sizeof(*faults));
	struct outcome_of o = {.list = calloc(in->n + 1, sizeof(struct record *)),
		.faults = faults};
	int r = -ENOMEM;

	if (!faults || !o.list) {
		free(o.list);
		return r;
	}
	read_all(in, &o);
	r = boots_of(&b, o.list, o.n);
	if (r < 0)
		return r;
	b->broken = calloc(in->n + 1, sizeof(*b->broken));
	if (!b->broken)
		return -ENOMEM;
	for (size_t i = 0; i < in->n; i++)
		if (faults[i])
			add_broken(b, &in->list[i], faults[i]);
	boots_sort_broken(b);
	*ret = b;
	b = NULL;
	return 0;
}

int boots_read(struct boots **ret, const char *const *paths, size_t n)
{
	_cleanup_(inputs_done) struct inputs in = {0};
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = add_argument(&in, paths[i]);
	if (r < 0)
		return r;
	drop_doubles(&in);
	return fill(ret, &in);
}
