// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/sysmount.h"

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
#define RESOLVE_IN_ROOT_FLAG	   0x10

struct open_how_abi {
	uint64_t flags;
	uint64_t mode;
	uint64_t resolve;
};

static int result(long r)
{
	return r < 0 ? -errno : (int)r;
}

int sys_fsopen(const char *fstype)
{
	return result(syscall(SYS_fsopen, fstype, FSOPEN_CLOEXEC_FLAG));
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

int sys_open_in(int dir, const char *path, int flags)
{
	struct open_how_abi how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT_FLAG | RESOLVE_NO_MAGICLINKS_FLAG,
	};

	return result(syscall(SYS_openat2, dir, path, &how, sizeof(how)));
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

#define TEXT_MAX (1 << 20)

char *sys_text_beneath(const char *root, const char *path)
{
	_cleanup_close_ int fd = sys_open_file_beneath(root, path);
	void *text;
	size_t len;

	return fd >= 0 && io_read_all(fd, TEXT_MAX, &text, &len) == 0 ? text : NULL;
}
