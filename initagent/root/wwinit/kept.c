// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/wwinit/kept.h"

#include <limits.h>
#include <sys/stat.h>

#include "base/sysmount.h"
#include "root/image/writer.h"

/* Markers and logs: far less. What a script leaves must not fill the root. */
#define BYTES_MAX   (64u << 20)
#define ENTRIES_MAX 10000
#define DEPTH_MAX   32

struct copy {
	struct writer *writer;
	unsigned entries, left_out;
	char name[PATH_MAX]; /* of the one at hand, below the root */
	char *text;	     /* the first one that was left out */
	size_t size;
};

static enum entry_type type_of(mode_t mode)
{
	return S_ISREG(mode)	? ENTRY_FILE
		: S_ISDIR(mode)	 ? ENTRY_FOLDER
		: S_ISLNK(mode)	 ? ENTRY_LINK
		: S_ISFIFO(mode) ? ENTRY_FIFO
				 : ENTRY_OTHER;
}

static int copy_content(struct copy *c, int fd)
{
	uint64_t at = 0;
	char block[16384];
	ssize_t n;
	int r = 0;

	while (r == 0 && (n = read(fd, block, sizeof(block))) != 0) {
		r = n < 0 ? -errno : writer_data(c->writer, block, (size_t)n, at);
		at += (uint64_t)n;
	}
	return r < 0 ? r : writer_settle(c->writer);
}

static int copy_one(struct copy *c, int dir, const char *base, const struct stat *st)
{
	char target[PATH_MAX] = "";
	const struct writer_entry e = {
		.name = c->name,
		.type = type_of(st->st_mode),
		.target = target,
		.size = (uint64_t)st->st_size,
		.stored = (uint64_t)st->st_size,
		.mode = st->st_mode,
		.uid = st->st_uid,
		.gid = st->st_gid,
		.mtime = st->st_mtime,
	};
	_cleanup_close_ int fd = -1;
	int r;

	if (e.type == ENTRY_OTHER)
		return -EOPNOTSUPP;
	if (e.type == ENTRY_LINK && readlinkat(dir, base, target, sizeof(target) - 1) < 0)
		return -errno;
	if (e.type == ENTRY_FILE && (fd = sys_open_file(dir, base, O_NOFOLLOW)) < 0)
		return fd;
	r = writer_begin(c->writer, &e);
	if (r == 0 && fd >= 0)
		r = copy_content(c, fd);
	writer_end(c->writer);
	return r;
}

static void copy_folder(struct copy *c, int fd, size_t len, unsigned depth);

/* len: of the name of dir, which the entry's follows. */
static void copy_entry(struct copy *c, int dir, const char *base, size_t len, unsigned depth)
{
	int n = snprintf(c->name + len, sizeof(c->name) - len, "/%s", base);
	struct stat st;
	int r = fstatat(dir, base, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;

	if ((size_t)n >= sizeof(c->name) - len || depth > DEPTH_MAX || ++c->entries > ENTRIES_MAX)
		r = -E2BIG;
	r = r < 0 ? r : copy_one(c, dir, base, &st);
	if (r < 0 && !c->left_out++)
		snprintf(c->text, c->size, "/%.100s: %s", c->name, strerror(-r));
	else if (r == 0 && S_ISDIR(st.st_mode))
		copy_folder(c, openat(dir, base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
			len + (size_t)n, depth + 1);
}

static void copy_folder(struct copy *c, int fd, size_t len, unsigned depth)
{
	_cleanup_closedir_ DIR *dir = fdopendir(fd);
	const struct dirent *e;

	while ((e = dir_next(dir)))
		copy_entry(c, dirfd(dir), e->d_name, len, depth);
}

void kept_copy(const char *overlay, const char *root, char *ret, size_t size)
{
	const struct writer_options options = {.bytes_max = BYTES_MAX, .layer = true};
	_cleanup_(writer_freep) struct writer *writer = NULL;
	struct copy c = {.name = "warewulf", .text = ret, .size = size};
	_cleanup_closedir_ DIR *dir = sys_list_beneath(overlay, "/warewulf");

	*ret = 0;
	umask(0);
	if (dir && writer_new(&writer, root, &options) == 0) {
		c.writer = writer;
		copy_entry(&c, dirfd(dir), "run", strlen(c.name), 0);
	}
	if (c.left_out > 1)
		str_add(ret, size, ", and %u more", c.left_out - 1);
}
