// SPDX-License-Identifier: GPL-2.0-or-later
#include "site/tree.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "base/io.h"
#include "must.h"
#include "print.h"
#include "site/names.h"

#define CHUNK (1 << 16)
/* What is copied at once: a signal is not left waiting for a root image of many GiB. */
#define COPY_STEP (1 << 24)

struct tree {
	enum tree_mode mode;
	const char *dir;
	char *work; /* where it is written; NULL: comparing, or in its place */
	char last[PATH_MAX]; /* folder made last */
	FILE *out, *err;
	struct arena *arena;
	struct names *paths;
	size_t n, differences;
	int fd, error;
	int old; /* the tree that will be replaced, -1 if there is none */
};

static int tree_fail(struct tree *t, int error, const char *fmt, ...) _printf_(3, 4);
static int tree_fail(struct tree *t, int error, const char *fmt, ...)
{
	va_list ap;

	if (t->error)
		return t->error;
	fputs("initagent-site: ", t->err);
	va_start(ap, fmt);
	vfprintf(t->err, fmt, ap);
	va_end(ap);
	fprintf(t->err, ": %s\n", strerror(-error));
	t->error = error;
	return error;
}

/* Is there something in the folder that is not ours? */
static bool is_foreign(const struct tree *t)
{
	_cleanup_closedir_ DIR *d = NULL;

	if (access(must(arena_printf(t->arena, "%s/" TREE_MARK, t->dir)), F_OK) == 0)
		return false;
	d = opendir(t->dir);
	return d ? dir_next(d) != NULL : errno != ENOENT;
}

static volatile sig_atomic_t ended_by; /* signal */

static void on_end(int sig)
{
	ended_by = sig;
}

/* What was begun is removed first. One that is ignored (nohup) stays so; a second one ends at once.
 */
static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	const struct sigaction end = {.sa_handler = on_end, .sa_flags = (int)SA_RESETHAND};
	struct sigaction old;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (sigaction(signals[i], &end, &old) == 0 && old.sa_handler == SIG_IGN)
			sigaction(signals[i], &old, NULL);
}

static bool same_file(const struct statx *a, const struct statx *b)
{
	return a->stx_ino == b->stx_ino && a->stx_dev_major == b->stx_dev_major &&
	       a->stx_dev_minor == b->stx_dev_minor;
}

/*
 * resolve_dir: a symbolic link stays, and what it points to is replaced. Refuses early what cannot
 * be replaced, and the current folder: 'rsync --delete . SERVER:' would see the removed one, empty.
 */
static int resolve_dir(struct tree *t)
{
	_cleanup_free_ char *real = NULL;
	struct statx is, here;

	if (!t->dir[0])
		return tree_fail(t, -ENOENT, "the folder's name is empty");
	real = realpath(t->dir, NULL);
	if (!real && errno == ENOENT &&
		statx(AT_FDCWD, t->dir, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &is) == 0)
		return tree_fail(t, -ENOENT, "%s: the symbolic link points to nothing", t->dir);
	if (!real)
		return 0;
	t->dir = must(arena_text(t->arena, real, strlen(real)));
	if (statx(AT_FDCWD, t->dir, 0, STATX_INO, &is) < 0)
		return tree_fail(t, -errno, "%s", t->dir);
	if (is.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return tree_fail(t, -EBUSY,
			"%s is a mount point, which cannot be replaced: name a folder in it",
			t->dir);
	if (statx(AT_FDCWD, ".", 0, STATX_INO, &here) == 0 && same_file(&is, &here))
		return tree_fail(t, -EBUSY,
			"%s is the current folder, which will be replaced: go to another one first",
			t->dir);
	return 0;
}

static int begin_write(struct tree *t)
{
	if (resolve_dir(t) < 0)
		return t->error;
	if (is_foreign(t))
		return tree_fail(t, -EEXIST,
			"%s is not a rendered tree: name an empty folder or a new one", t->dir);
	t->work = must(arena_printf(t->arena, "%s.new-XXXXXX", t->dir));
	catch_signals();
	if (!mkdtemp(t->work)) {
		t->work = NULL;
		return tree_fail(t, -errno, "a folder beside %s", t->dir);
	}
	if (chmod(t->work, 0755) < 0)
		return tree_fail(t, -errno, "%s", t->work);
	return 0;
}

int tree_begin(struct tree **ret, const char *dir, enum tree_mode mode, FILE *out, FILE *err)
{
	_cleanup_(tree_freep) struct tree *t = must(calloc(1, sizeof(*t)));
	size_t len = strlen(dir);

	t->fd = t->old = -1;
	t->mode = mode;
	t->out = out;
	t->err = err;
	while (len > 1 && dir[len - 1] == '/')
		len--;
	t->arena = must_arena();
	t->dir = must(arena_text(t->arena, dir, len));
	t->paths = names_new();
	if (mode == TREE_WRITE && begin_write(t) < 0)
		return t->error;
	t->fd = open(t->work ? t->work : t->dir, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	if (t->fd < 0)
		return tree_fail(t, -errno, "%s", t->work ? t->work : t->dir);
	if (mode == TREE_WRITE)
		t->old = open(t->dir, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	*ret = t;
	t = NULL;
	return 0;
}

/* The folders on the way to path, which come in order: the last one made is remembered. */
static int make_folders(struct tree *t, const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	size_t len = slash ? (size_t)(slash - path) : 0, i;

	if (len >= sizeof(folder))
		return tree_fail(t, -ENAMETOOLONG, "%s", path);
	if (!len || (strncmp(t->last, path, len) == 0 && !t->last[len]))
		return 0;
	for (i = 1; i <= len; i++) {
		if (path[i] != '/')
			continue;
		memcpy(folder, path, i);
		folder[i] = 0;
		if (mkdirat(t->fd, folder, 0755) < 0 && errno != EEXIST)
			return tree_fail(t, -errno, "%s/%s", t->work, folder);
	}
	memcpy(t->last, path, len);
	t->last[len] = 0;
	return 0;
}

/* Nothing is added after a signal, which says enough itself. */
static bool is_ended(struct tree *t)
{
	if (ended_by)
		t->error = -EINTR;
	return t->error;
}

/* A path is added once; a second time is a mistake of the caller, not of the site file. */
static bool enter(struct tree *t, const char *path)
{
	if (is_ended(t))
		return false;
	if (names_add(t->paths, must(arena_text(t->arena, path, strlen(path))), 0) != NAMES_NONE) {
		tree_fail(t, -EEXIST, "%s is rendered twice", path);
		return false;
	}
	t->n++;
	return t->mode == TREE_COMPARE || make_folders(t, path) == 0;
}

static void differs(struct tree *t, const char *how, const char *path)
{
	t->differences++;
	fprintf(t->out, "%s %s\n", how, path);
}

static void put_line(struct tree *t, char sign, const char *s, size_t len)
{
	const char *end = memchr(s, '\n', len);

	fprintf(t->out, "    %c ", sign);
	put_escaped(t->out, s, end ? (size_t)(end - s) : len);
	fputc('\n', t->out);
}

/* The first line that differs: mostly enough to know which change it was. */
static void show_first(
	struct tree *t, const char *is, size_t n_is, const char *would, size_t n_would)
{
	size_t i, line = 0;

	for (i = 0; i < n_is && i < n_would && is[i] == would[i]; i++)
		if (is[i] == '\n')
			line = i + 1;
	put_line(t, '-', is + line, n_is - line);
	put_line(t, '+', would + line, n_would - line);
}

/* What a file holds: data, or what another file holds; neither when that cannot be read. */
struct content {
	const char *data; /* or NULL */
	size_t len;
	int fd; /* or -1 */
};

static int open_old(int dir, const char *path)
{
	return openat(dir, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
}

static bool has_content(int fd, const struct content *c)
{
	char is[CHUNK], other[CHUNK];
	size_t at = 0;
	ssize_t n, m;

	if (c->fd < 0 && !c->data)
		return true;
	do {
		n = pread(fd, is, CHUNK, (off_t)at);
		m = c->data ? (ssize_t)min_u64(c->len - at, CHUNK)
			    : pread(c->fd, other, CHUNK, (off_t)at);
		if (n != m || n < 0 || memcmp(is, c->data ? c->data + at : other, (size_t)n) != 0)
			return false;
		at += (size_t)n;
	} while (n && !ended_by);
	return true;
}

static bool is_readable(const struct stat *st)
{
	return S_ISREG(st->st_mode) && (st->st_mode & 0444) == 0444;
}

static void compare(struct tree *t, const char *path, const struct content *c)
{
	_cleanup_close_ int fd = open_old(t->fd, path);
	_cleanup_free_ void *is = NULL;
	struct stat st;
	size_t n = 0;

	if (fstatat(t->fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		differs(t, "missing", path);
	} else if (!S_ISREG(st.st_mode)) {
		differs(t, "changed", path);
		fputs("    - not a file\n", t->out);
	} else if (!is_readable(&st)) {
		differs(t, "changed", path);
		fprintf(t->out, "    - mode %04o\n    + mode 0644\n",
			(unsigned int)st.st_mode & 07777);
	} else if (!has_content(fd, c)) {
		differs(t, "changed", path);
		if (c->data && io_read_all(fd, SIZE_MAX, &is, &n) == 0)
			show_first(t, is, n, c->data, c->len);
	}
}

static int copy_all(int from, int to)
{
	char chunk[CHUNK];
	ssize_t n = 0;
	int r = 0;

	/* Shares the blocks where the file system can. */
	while (!ended_by && (n = copy_file_range(from, NULL, to, NULL, COPY_STEP, 0)) > 0)
		;
	while (r == 0 && !ended_by && (n = read(from, chunk, CHUNK)) > 0)
		r = io_write_all(to, chunk, (size_t)n);
	return n < 0 ? -errno : r;
}

/*
 * A file that did not change is taken over from the old tree: it keeps its time, by which web
 * clients and rsync tell that it is the same, and a site of thousands of nodes is rendered again in
 * seconds.
 */
static void write_content(struct tree *t, const char *path, const struct content *c)
{
	_cleanup_close_ int old = open_old(t->old, path), to = -1;
	struct stat st;
	int r;

	if (old >= 0 && fstat(old, &st) == 0 && is_readable(&st) && has_content(old, c) &&
		linkat(t->old, path, t->fd, path, 0) == 0)
		return;
	to = openat(t->fd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	r = to < 0 ? -errno : c->data ? io_write_all(to, c->data, c->len) : copy_all(c->fd, to);
	if (r < 0)
		tree_fail(t, r, "%s/%s", t->work, path);
}

static void put_content(struct tree *t, const char *path, const struct content *c)
{
	if (t->mode == TREE_COMPARE)
		compare(t, path, c);
	else
		write_content(t, path, c);
}

void tree_file(struct tree *t, const char *path, const void *data, size_t len)
{
	if (enter(t, path))
		put_content(t, path, &(struct content){data, len, -1});
}

void tree_text(struct tree *t, const struct text *content, const char *path, ...)
{
	const char *full;
	va_list ap;

	va_start(ap, path);
	full = must(arena_vprintf(t->arena, path, ap));
	va_end(ap);
	tree_file(t, full, content->data, content->len);
}

void tree_link(struct tree *t, const char *path, const char *target)
{
	if (!enter(t, path))
		return;
	if (t->mode == TREE_COMPARE) {
		_cleanup_close_ int fd = open_old(t->fd, target);

		compare(t, path, &(struct content){.fd = fd});
	} else if (linkat(t->fd, target, t->fd, path, 0) < 0)
		tree_fail(t, -errno, "%s/%s", t->work, path);
}

void tree_copy(struct tree *t, const char *path, const char *source)
{
	_cleanup_close_ int fd = -1;

	if (!enter(t, path))
		return;
	fd = open(source, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		tree_fail(t, -errno, "%s", source);
	else
		put_content(t, path, &(struct content){.fd = fd});
}

/* What is in the folder and was not rendered. */
static void find_extra(struct tree *t, int fd, const char *folder)
{
	struct dirent **list = NULL;
	int n, i;

	n = scandirat(fd, folder, &list, NULL, alphasort);
	for (i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		const char *path = streq(folder, ".") ? name
			: must(arena_printf(t->arena, "%s/%s", folder, name));
		struct stat st;

		if (streq(name, ".") || streq(name, "..") ||
			fstatat(fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
			;
		else if (S_ISDIR(st.st_mode))
			find_extra(t, fd, path);
		else if (names_find(t->paths, path) == NAMES_NONE)
			differs(t, "extra", path);
		free(list[i]);
	}
	free(list);
}

/* Swaps the new tree for the old one in one step, where the kernel and the file system can. */
static int move_in_place(struct tree *t)
{
	char *old;

	if (rename(t->work, t->dir) == 0) {
		t->work = NULL;
		return 0;
	}
	if (errno != ENOTEMPTY && errno != EEXIST)
		return tree_fail(t, -errno, "moving the tree to %s", t->dir);
	/* The old tree is then at work, and removed with it. */
	if (renameat2(AT_FDCWD, t->work, AT_FDCWD, t->dir, RENAME_EXCHANGE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return tree_fail(t, -errno, "moving the tree to %s", t->dir);
	old = must(arena_printf(t->arena, "%s.old", t->work));
	if (rename(t->dir, old) < 0 || rename(t->work, t->dir) < 0)
		return tree_fail(t, -errno, "moving the tree to %s", t->dir);
	t->work = old;
	return 0;
}

int tree_end(struct tree *t)
{
	tree_file(t, TREE_MARK,
		"Written by initagent-site, which replaces this folder as a whole.\n", 66);
	if (t->error)
		return t->error;
	if (t->mode == TREE_WRITE)
		return move_in_place(t);
	find_extra(t, t->fd, ".");
	return (int)(t->differences < INT_MAX ? t->differences : INT_MAX);
}

size_t tree_count(const struct tree *t)
{
	return t->n;
}

struct tree *tree_free(struct tree *t)
{
	if (!t)
		return NULL;
	closep(&t->fd);
	closep(&t->old);
	if (t->work)
		io_remove_tree(t->work);
	names_free(t->paths);
	arena_free(t->arena);
	free(t);
	if (ended_by)
		raise(ended_by);
	return NULL;
}
