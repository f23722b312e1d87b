// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/writer.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/sysmount.h"

struct writer {
	int dir;
	struct writer_options options;
	struct writer_counts counts;
	int file;	     /* of the file being written; -1: none */
	bool skips;	     /* the entry at hand: what is there is kept, its content discarded */
	struct writer_entry entry;  /* the one at hand */
	char name[PATH_MAX]; /* its plain name */
	/* The folder of the last entry: archives come folder by folder. */
	int parent;
	char parent_name[PATH_MAX];
	enum cause cause;
	char text[WRITER_TEXT_MAX];
};

struct writer *writer_free(struct writer *w)
{
	if (!w)
		return NULL;
	closep(&w->file);
	closep(&w->parent);
	closep(&w->dir);
	free(w);
	return NULL;
}

/* --- failures -------------------------------------------------------------------------------- */

static int refuse(struct writer *w, const char *why)
{
	w->cause = CAUSE_IMAGE_ENTRY_REFUSED;
	snprintf(w->text, sizeof(w->text), "%.200s: %s", w->entry.name, why);
	return -EINVAL;
}

static int too_big(struct writer *w, uint64_t more)
{
	w->cause = CAUSE_IMAGE_TOO_BIG;
	if (!more)
		snprintf(w->text, sizeof(w->text),
			"%.120s: its file system is full, after %llu bytes", w->entry.name,
			(unsigned long long)w->counts.bytes);
	else
		snprintf(w->text, sizeof(w->text),
		"%.120s: %llu bytes unpacked, %llu more, %llu may be used", w->entry.name,
		(unsigned long long)w->counts.bytes, (unsigned long long)more,
		(unsigned long long)w->options.bytes_max);
	return -ENOSPC;
}

/* What the kernel says of one entry. A full tmpfs is what its limit is for. A layer cannot replace
 * a folder that has something in it, or a mount. */
static int fail(struct writer *w, int error, const char *what)
{
	w->skips = w->options.layer && (error == -ENOTEMPTY || error == -EBUSY);
	w->counts.links_kept += w->skips;
	if (w->skips)
		return 0;
	if (error == -ENOSPC || error == -EFBIG)
		return too_big(w, 0);
	if (error == -EXDEV || error == -ELOOP)
		return refuse(w, "a link on the way leads out of the root");
	w->cause = CAUSE_IMAGE_BROKEN;
	snprintf(w->text, sizeof(w->text), "%.200s: %s: %s", w->entry.name, what, strerror(-error));
	return error;
}

enum cause writer_cause(const struct writer *w, const char **ret_text)
{
	*ret_text = w->text;
	return w->cause;
}

/* --- names ----------------------------------------------------------------------------------- */

int writer_name(const char *name, char *ret, size_t size)
{
	size_t have = 0;

	if (!name || !*name || *name == '/')
		return -EINVAL;
	while (*name) {
		size_t len = strcspn(name, "/");
		bool dot = len == 1 && *name == '.';

		if (len == 2 && memcmp(name, "..", 2) == 0)
			return -EINVAL;
		if (len && !dot) {
			if (len > NAME_MAX || have + 1 + len >= size)
				return -ENAMETOOLONG;
			if (have)
				ret[have++] = '/';
			memcpy(ret + have, name, len);
			have += len;
		}
		name += len + (name[len] == '/');
	}
	ret[have] = 0;
	return 0;
}

static int open_in(int dir, const char *name, int flags, mode_t mode)
{
	return sys_open_how(dir, name, flags, mode, SYS_RESOLVE_BENEATH);
}

/* A folder below the root, on the way to an entry. */
static int open_folder(const struct writer *w, const char *name)
{
	return sys_open_how(w->dir, name, O_PATH | O_DIRECTORY, 0,
		w->options.layer ? SYS_RESOLVE_IN_ROOT : SYS_RESOLVE_BENEATH);
}

int writer_new(struct writer **ret, const char *dir, const struct writer_options *options)
{
	_cleanup_(writer_freep) struct writer *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->options = *options;
	w->file = w->parent = -1;
	w->dir = sys_open_how(AT_FDCWD, dir, O_PATH | O_DIRECTORY, 0, 0);
	if (w->dir < 0)
		return w->dir;
	*ret = w;
	w = NULL;
	return 0;
}

/* The folder that holds a plain name, which is changed and restored; *base is what follows it. */
static int open_above(const struct writer *w, char *name, const char **base)
{
	char *slash = strrchr(name, '/');
	int fd;

	*base = slash ? slash + 1 : name;
	if (slash)
		*slash = 0;
	fd = open_folder(w, slash ? name : ".");
	if (slash)
		*slash = '/';
	return fd;
}

/* Folders that the archive does not list on their own. name is changed and restored. */
static int make_parents(const struct writer *w, char *name)
{
	for (char *at = strchr(name, '/');; at = strchr(at + 1, '/')) {
		const char *base;
		int above, r;

		if (at)
			*at = 0;
		above = open_above(w, name, &base);
		r = above < 0 ? above : mkdirat(above, base, 0755) < 0 ? -errno : 0;
		closep(&above);
		if (at)
			*at = '/';
		if (r < 0 && r != -EEXIST)
			return r;
		if (!at)
			return 0;
	}
}

/* The folder of a plain name; *base is what follows it. A borrowed descriptor or -errno. */
static int parent_of(struct writer *w, char *name, const char **base)
{
	char *slash = strrchr(name, '/');
	int fd, r = 0;

	*base = slash ? slash + 1 : name;
	if (!slash)
		return w->dir;
	*slash = 0;
	if (w->parent >= 0 && streq(w->parent_name, name)) {
		*slash = '/';
		return w->parent;
	}
	fd = open_folder(w, name);
	if (fd == -ENOENT) {
		r = make_parents(w, name);
		fd = r < 0 ? r : open_folder(w, name);
	}
	if (fd >= 0) {
		closep(&w->parent);
		w->parent = fd;
		strscpy(w->parent_name, name, sizeof(w->parent_name));
	}
	*slash = '/';
	return fd;
}

/*
 * An entry that comes again replaces what was there, as later ones count; a folder with content
 * stays. The folder we hold open may be the one that goes.
 */
static int clear(struct writer *w, int *dir, const char **base)
{
	int r = unlinkat(*dir, *base, 0) < 0 ? -errno : 0;

	if (r == -EISDIR || r == -EPERM)
		r = unlinkat(*dir, *base, AT_REMOVEDIR) < 0 ? -errno : 0;
	closep(&w->parent);
	w->parent = -1;
	w->parent_name[0] = 0;
	if (r < 0 && r != -ENOENT)
		return r;
	*dir = parent_of(w, w->name, base);
	return *dir < 0 ? *dir : 0;
}

/* --- entries --------------------------------------------------------------------------------- */

static struct timespec mtime_of(const struct writer_entry *e)
{
	return (struct timespec){.tv_sec = (time_t)e->mtime};
}

static int set_owner_and_mode(struct writer *w, int fd)
{
	const struct timespec times[2] = {mtime_of(&w->entry), mtime_of(&w->entry)};

	mode_t mode = w->entry.mode & 07777;

	if (w->options.plain && mode & (S_ISUID | S_ISGID) && w->file >= 0) {
		mode &= ~(mode_t)(S_ISUID | S_ISGID);
		w->counts.left_out++;
	}
	/* The owner first: changing it clears set-user-id bits. */
	if (fchown(fd, w->entry.uid, w->entry.gid) < 0 || fchmod(fd, mode) < 0 ||
		futimens(fd, times) < 0)
		return -errno;
	return 0;
}

static int set_link_owner(struct writer *w, int dir, const char *base)
{
	const struct timespec times[2] = {mtime_of(&w->entry), mtime_of(&w->entry)};

	if (fchownat(dir, base, w->entry.uid, w->entry.gid, AT_SYMLINK_NOFOLLOW) < 0 ||
		utimensat(dir, base, times, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return 0;
}

/* make() a name that may be taken: what an entry before had it for goes. */
static int make_anew(struct writer *w, int dir, const char *base,
	int (*make)(struct writer *w, int dir, const char *base), const char *what)
{
	int r = make(w, dir, base);

	if (r == -EEXIST) {
		r = clear(w, &dir, &base);
		r = r < 0 ? r : make(w, dir, base);
	}
	return r < 0 ? fail(w, r, what) : 0;
}

static int create_file(struct writer *w, int dir, const char *base)
{
	w->file = open_in(dir, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	return w->file < 0 ? w->file : 0;
}

static int begin_file(struct writer *w, int dir, const char *base)
{
	if (w->entry.stored > w->options.bytes_max - w->counts.bytes)
		return too_big(w, w->entry.stored);
	return make_anew(w, dir, base, create_file, "open");
}

/* Where a link leads, as a plain name below the root. False: not there. */
static bool link_target(const struct writer *w, const char *link, char *ret, size_t size)
{
	size_t n = 0;
	const char *slash = strrchr(w->name, '/');

	ret[0] = 0;
	if (*link != '/' && slash) {
		n = (size_t)(slash - w->name);
		memcpy(ret, w->name, n);
	}
	for (size_t len; *link; link += len + (link[len] == '/')) {
		len = strcspn(link, "/");
		if (len == 2 && memcmp(link, "..", 2) == 0) {
			while (n && ret[--n] != '/')
				continue;
		} else if (len && !(len == 1 && *link == '.')) {
			if (n + 1 + len >= size)
				return false;
			if (n)
				ret[n++] = '/';
			memcpy(ret + n, link, len);
			n += len;
		}
	}
	ret[n] = 0;
	return n;
}

/* A folder in place of a link to one (lib64): programs that are there need the link. What it leads
 * to may come later, or be in this layer alone (/var/lock). */
static bool keeps_link(struct writer *w, int dir, const char *base)
{
	_cleanup_close_ int fd = w->options.layer ? open_folder(w, w->name) : -1;
	char link[PATH_MAX], name[PATH_MAX];
	ssize_t n = w->options.layer && fd < 0 ? readlinkat(dir, base, link, sizeof(link) - 1) : -1;

	if (n > 0) {
		link[n] = 0;
		if (link_target(w, link, name, sizeof(name)) && make_parents(w, name) == 0)
			fd = open_folder(w, w->name);
	}
	w->counts.links_kept += fd >= 0;
	return fd >= 0;
}

/* A folder in place of a link or file that came before replaces it. */
static int make_folder(struct writer *w, int dir, const char *base)
{
	_cleanup_close_ int fd = -1;
	int r = mkdirat(dir, base, 0700) < 0 ? -errno : 0;

	if (r < 0 && r != -EEXIST)
		return fail(w, r, "mkdir");
	fd = open_in(dir, base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if ((fd == -ENOTDIR || fd == -ELOOP) && keeps_link(w, dir, base))
		return 0;
	if (fd == -ENOTDIR || fd == -ELOOP) {
		r = clear(w, &dir, &base);
		r = r < 0 ? r : mkdirat(dir, base, 0700) < 0 ? -errno : 0;
		fd = r < 0 ? r : open_in(dir, base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	}
	if (fd < 0)
		return fail(w, fd, "open");
	r = set_owner_and_mode(w, fd);
	return r < 0 ? fail(w, r, "owner and mode") : 0;
}

static int create_link(struct writer *w, int dir, const char *base)
{
	return symlinkat(w->entry.target, dir, base) < 0 ? -errno : set_link_owner(w, dir, base);
}

static int make_link(struct writer *w, int dir, const char *base)
{
	return make_anew(w, dir, base, create_link, "symbolic link");
}

static int create_fifo(struct writer *w, int dir, const char *base)
{
	return mknodat(dir, base, S_IFIFO | (w->entry.mode & 0777), 0) < 0
			? -errno
			: set_link_owner(w, dir, base);
}

static int make_fifo(struct writer *w, int dir, const char *base)
{
	return make_anew(w, dir, base, create_fifo, "fifo");
}

/* cpio: the content comes with the last of the names, for the first one. What that is by now may be
 * no file any more. */
static int begin_link_content(struct writer *w, int dir, const char *base)
{
	struct stat st;

	w->skips = false;
	if (!w->entry.size)
		return 0;
	if (w->entry.stored > w->options.bytes_max - w->counts.bytes)
		return too_big(w, w->entry.stored);
	w->file = open_in(dir, base, O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (w->file == -ENXIO ||
		(w->file >= 0 && (fstat(w->file, &st) < 0 || !S_ISREG(st.st_mode))))
		return refuse(w, "content of a link to something that is not a file");
	return w->file < 0 ? fail(w, w->file, "open") : 0;
}

/* The other name must lie below the root as well; the link itself is never followed. */
static int make_hard_link(struct writer *w, int dir, const char *base)
{
	char other[PATH_MAX] = "/";
	_cleanup_close_ int from = -1;
	const char *from_base;
	int r = writer_name(w->entry.hard, other + 1, sizeof(other) - 1);

	if (r < 0 || !other[1])
		return refuse(w, "a link to a name outside of the root");
	/* not parent_of(), which remembers one folder only */
	from = open_above(w, other + 1, &from_base);
	if (from < 0)
		return fail(w, from, "link");
	r = linkat(from, from_base, dir, base, 0) < 0 ? -errno : 0;
	if (r == -EEXIST && !streq(other + 1, w->name)) {
		r = clear(w, &dir, &base);
		r = r < 0 ? r : linkat(from, from_base, dir, base, 0) < 0 ? -errno : 0;
	}
	if (r == -EXDEV && w->options.layer) {
		/* something is mounted between the two */
		w->entry.target = other;
		r = make_link(w, dir, base);
	} else if (r < 0 && r != -EEXIST) {
		r = fail(w, r, "link");
	} else {
		r = 0;
	}
	return r < 0 ? r : begin_link_content(w, from, from_base);
}

/* devtmpfs makes the nodes of a real root; anywhere else one is a door into the kernel. */
static int leave_out(struct writer *w)
{
	bool below_dev = strncmp(w->name, "dev/", 4) == 0;

	if (w->entry.type == ENTRY_NODE && !below_dev && !w->options.layer)
		return refuse(w, "a device node outside of dev/");
	w->counts.left_out++;
	return 0;
}

/* "./": the root itself, of which mode and owner count. */
static int take_root(struct writer *w)
{
	_cleanup_close_ int fd = open_in(w->dir, ".", O_RDONLY | O_DIRECTORY, 0);
	int r = fd < 0 ? fd : w->entry.type == ENTRY_FOLDER ? set_owner_and_mode(w, fd) : -EINVAL;

	return r < 0 ? fail(w, r, "the root itself") : 0;
}

int writer_begin(struct writer *w, const struct writer_entry *e)
{
	static int (*const makers[])(struct writer *, int, const char *) = {
		[ENTRY_FILE] = begin_file,
		[ENTRY_FOLDER] = make_folder,
		[ENTRY_LINK] = make_link,
		[ENTRY_FIFO] = make_fifo,
	};
	const char *base;
	int dir, r;

	w->entry = *e;
	w->skips = false;
	if (!e->name)
		w->entry.name = "(an entry)";
	r = writer_name(e->name, w->name, sizeof(w->name));
	if (r == -ENAMETOOLONG)
		return refuse(w, "a name too long");
	if (r < 0)
		return refuse(w, "not a name below the root");
	w->counts.entries++;
	w->counts.left_out += e->left_out;
	if (!*w->name)
		return take_root(w);
	if (e->type >= ENTRY_NODE)
		return leave_out(w);
	dir = parent_of(w, w->name, &base);
	if (dir < 0)
		return fail(w, dir, "folder");
	return e->hard ? make_hard_link(w, dir, base) : makers[e->type](w, dir, base);
}

int writer_data(struct writer *w, const void *data, size_t len, uint64_t offset)
{
	const uint8_t *at = data;

	if (w->skips)
		return 0;
	if (w->file < 0)
		return len ? refuse(w, "content in an entry that cannot have any") : 0;
	if (len > w->options.bytes_max - w->counts.bytes || offset > (uint64_t)INT64_MAX - len)
		return too_big(w, len);
	while (len) {
		ssize_t n = pwrite(w->file, at, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(w, -errno, "write");
		at += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
		w->counts.bytes += (uint64_t)n;
	}
	return 0;
}

/*
 * File capabilities make programs work (ping). Labels and users' own attributes need more rights
 * than this process has; systems that want labels set them at first boot.
 */
int writer_capability(struct writer *w, const void *value, size_t len)
{
	if (w->file < 0 || w->options.plain) {
		w->counts.left_out++;
		return 0;
	}
	return fsetxattr(w->file, "security.capability", value, len, 0) < 0
			? fail(w, -errno, "security.capability")
			: 0;
}

int writer_settle(struct writer *w)
{
	int r = 0;

	if (w->file < 0)
		return 0;
	/* What the archive leaves out at the end of a sparse file. */
	if (ftruncate(w->file, (off_t)w->entry.size) < 0)
		r = -errno;
	if (r == 0)
		r = set_owner_and_mode(w, w->file);
	return r < 0 ? fail(w, r, "size, owner and mode") : 0;
}

void writer_end(struct writer *w)
{
	closep(&w->file);
	w->file = -1;
}

const struct writer_counts *writer_counts(const struct writer *w)
{
	return &w->counts;
}
