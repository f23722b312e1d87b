// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/sysmount.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/io.h"

/* Numbers are the same on every architecture since 5.2 (unified table). */
#ifndef SYS_move_mount
#define SYS_move_mount 429
#define SYS_fsopen     430
#define SYS_fsconfig   431
#define SYS_fsmount    432
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

/* include/uapi/linux/mount.h */
#define FSOPEN_CLOEXEC_FLAG	1
#define FSMOUNT_CLOEXEC_FLAG	1
#define MOVE_MOUNT_F_EMPTY_PATH 4
/* include/uapi/linux/openat2.h */
#define RESOLVE_NO_MAGICLINKS_FLAG 0x02

#define FOLDER_FLAGS (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define LINKS_MAX    40 /* fs/namei.c, MAXSYMLINKS */

struct open_how_abi {
	uint64_t flags;
	uint64_t mode;
	uint64_t resolve;
};

static int result(long r)
{
	return r < 0 ? -errno : (int)r;
}

int sys_fsopen(const char *fstype, char *text, size_t size)
{
	int r = result(syscall(SYS_fsopen, fstype, FSOPEN_CLOEXEC_FLAG));

	text[0] = 0;
	if (r == -ENODEV)
		snprintf(text, size, "the kernel has no %s (module %s)", fstype, fstype);
	else if (r == -ENOSYS)
		snprintf(text, size, "the kernel has no fsopen(2): Linux before 5.2");
	return r;
}

int sys_fsconfig(int fd, unsigned command, const char *key, const char *value)
{
	return result(syscall(SYS_fsconfig, fd, command, key, value, 0));
}

int sys_fsmount(int fd, unsigned attributes)
{
	return result(syscall(SYS_fsmount, fd, FSMOUNT_CLOEXEC_FLAG, attributes));
}

int sys_move_mount(int fd, const char *target)
{
	return result(syscall(SYS_move_mount, fd, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH));
}

void sys_fs_messages(int fd, char *text, size_t size)
{
	size_t have = strlen(text);
	const char *between = have ? ": " : "";
	char record[256];
	ssize_t n;

	/* One record a read; at most 8 are kept by the kernel (fs/fs_context.c, struct fc_log). */
	while (have < size && (n = read(fd, record, sizeof(record) - 1)) > 0) {
		bool level = n >= 2 && strchr("ewi", record[0]) && record[1] == ' ';

		while (n > 0 && record[n - 1] == '\n')
			n--;
		record[n] = 0;
		have += (size_t)snprintf(text + have, size - have, "%s%s", between,
			record + (level ? 2 : 0));
		between = "; ";
	}
}

static bool same_file(int a, int b)
{
	struct stat one, other;

	return fstat(a, &one) == 0 && fstat(b, &other) == 0 && one.st_dev == other.st_dev &&
		one.st_ino == other.st_ino;
}

/* A path that openat(2) is led along, one name at a time. */
struct walk {
	int root, at; /* at: the folder of the next name, owned; -1: root */
	unsigned resolve;
	char rest[PATH_MAX]; /* absolute: goes on in root */
};

/* The next name to *name, what follows it to *behind. 0, or -errno: the path leads out of root. */
static int next_name(struct walk *w, const char **name, const char **behind, bool *last)
{
	char *begin = w->rest + strspn(w->rest, "/"), *end = begin + strcspn(begin, "/");

	if (w->at < 0 || begin > w->rest) {
		closep(&w->at);
		w->at = openat(w->root, ".", FOLDER_FLAGS);
	}
	if (w->at < 0)
		return -errno;
	*last = !*end;
	*behind = end + strspn(end, "/");
	*end = 0;
	*name = *begin ? begin : ".";
	if (w->resolve == SYS_RESOLVE_BENEATH && begin > w->rest)
		return -EXDEV;
	if (!streq(*name, "..") || !same_file(w->at, w->root))
		return 0;
	*name = ".";
	return w->resolve == SYS_RESOLVE_BENEATH ? -EXDEV : 0;
}

/* For kernels without openat2 (before 5.6, RHEL 8). */
static int open_walking(struct walk *w, int flags, mode_t mode)
{
	const char *name = "", *behind = "";
	bool last = false;

	for (int links = 0, r; links <= LINKS_MAX;) {
		char link[2 * PATH_MAX];
		ssize_t n = -1;

		r = next_name(w, &name, &behind, &last);
		if (r < 0)
			return r;
		if (!last || !(flags & O_NOFOLLOW))
			n = readlinkat(w->at, name, link, PATH_MAX);
		if (n > 0) {
			snprintf(link + n, PATH_MAX, "%s%s", last ? "" : "/", behind);
			links++;
		} else if (last) {
			return result(openat(w->at, name, flags | O_NOFOLLOW | O_CLOEXEC, mode));
		} else {
			r = openat(w->at, name, FOLDER_FLAGS);
			if (r < 0)
				return -errno;
			closep(&w->at);
			w->at = r;
			strscpy(link, behind, sizeof(link));
		}
		if (strscpy(w->rest, link, sizeof(w->rest)) < 0)
			return -ENAMETOOLONG;
	}
	return -ELOOP;
}

int sys_open_how(int dir, const char *path, int flags, mode_t mode, unsigned resolve)
{
	struct open_how_abi how = {(uint64_t)(flags | O_CLOEXEC), mode,
		resolve | RESOLVE_NO_MAGICLINKS_FLAG};
	struct walk w = {.root = dir, .at = -1, .resolve = resolve};
	int r = result(syscall(SYS_openat2, dir, path, &how, sizeof(how)));

	if (r != -ENOSYS)
		return r;
	if (!resolve || !*path)
		return result(openat(dir, path, flags | O_CLOEXEC, mode));
	r = strscpy(w.rest, path, sizeof(w.rest)) < 0 ? -ENAMETOOLONG
						      : open_walking(&w, flags, mode);
	closep(&w.at);
	return r;
}

int sys_open_in(int dir, const char *path, int flags)
{
	return sys_open_how(dir, path, flags, 0, SYS_RESOLVE_IN_ROOT);
}

int sys_open_beneath(const char *root, const char *path, int flags)
{
	_cleanup_close_ int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return dir < 0 ? -errno : sys_open_in(dir, path, flags);
}

bool sys_there_beneath(const char *root, const char *path)
{
	_cleanup_close_ int fd = sys_open_beneath(root, path, O_PATH);

	return fd >= 0;
}

DIR *sys_list_beneath(const char *root, const char *path)
{
	int fd = sys_open_beneath(root, path, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		closep(&fd);
	return dir;
}

/*
 * Asked before and after: O_NONBLOCK alone would open a device, and the name may lead elsewhere by
 * then.
 */
int sys_open_file(int dir, const char *path, int flags)
{
	_cleanup_close_ int look = sys_open_in(dir, path, O_PATH | flags);
	struct stat st;
	int fd;

	if (look < 0)
		return look;
	if (fstat(look, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	fd = sys_open_in(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | flags);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -EINVAL;
	}
	return fd;
}

int sys_open_file_beneath(const char *root, const char *path)
{
	_cleanup_close_ int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return dir < 0 ? -errno : sys_open_file(dir, path, 0);
}

off_t sys_size_beneath(const char *root, const char *path)
{
	_cleanup_close_ int fd = sys_open_file_beneath(root, path);
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_size : 0;
}

#define TEXT_MAX (1 << 20)

char *sys_text_beneath(const char *root, const char *path)
{
	_cleanup_close_ int fd = sys_open_file_beneath(root, path);
	void *text;
	size_t len;

	return fd >= 0 && io_read_all(fd, TEXT_MAX, &text, &len) == 0 ? text : NULL;
}
