/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysmount: the file system context calls (Linux 5.2, fs/fsopen.c) that neither musl 1.2.3 nor
 * older glibc wrap, and opening below a root. Owns nothing: descriptors and text are the caller's.
 * In: what the calls take; a root and a path below it. Out: descriptors, a context's own error
 * text, text files.
 * Callers: handover/, root/image/, root/init/, root/nfs/, root/wwinit/, dracut/mkimage/. Tests:
 * root/init/test_init_check.c, handover/test_managers.c.
 */
#pragma once

#include "base/util.h"

/* Kernel ABI, include/uapi/linux/mount.h. */
enum {
	SYS_FSCONFIG_SET_FLAG = 0,
	SYS_FSCONFIG_SET_STRING = 1,
	SYS_FSCONFIG_CMD_CREATE = 6,
};

/* include/uapi/linux/openat2.h */
enum { SYS_RESOLVE_BENEATH = 0x08, SYS_RESOLVE_IN_ROOT = 0x10 };

/* Each returns a file descriptor or 0, or -errno. text: what the kernel lacks for it, or "". */
int sys_fsopen(const char *fstype, char *text, size_t size);
int sys_fsconfig(int fd, unsigned command, const char *key, const char *value);
int sys_fsmount(int fd, unsigned attributes);
int sys_move_mount(int fd, const char *target);

/*
 * sys_fs_messages: appends to text what the kernel logged in the context ("e nfs: ..."), without
 * the level: "; " between two of them, and ": " behind what text already holds.
 */
void sys_fs_messages(int fd, char *text, size_t size);

/*
 * sys_open_how: openat2, without its magic links, and what it does where the kernel lacks it.
 * resolve: a directory's path is as if dir were "/" (IN_ROOT), or -EXDEV where it leads out
 * (BENEATH), 0: the path is the process' own. Returns an fd or -errno.
 */
int sys_open_how(int dir, const char *path, int flags, mode_t mode, unsigned resolve);

/*
 * sys_open_beneath: opens path inside the directory root as if root were "/", so that an absolute
 * symlink in the real root stays in it. Returns an fd or -errno.
 */
int sys_open_beneath(const char *root, const char *path, int flags);

/* sys_there_beneath: is there anything? What a link leads to, also that beneath root, has to be. */
bool sys_there_beneath(const char *root, const char *path);

/*
 * sys_list_beneath: the same for a directory whose names are to be read; NULL with errno.
 * closedir() is the caller's.
 */
DIR *sys_list_beneath(const char *root, const char *path);

/* sys_open_in: the same in a directory that is open. */
int sys_open_in(int dir, const char *path, int flags);

/*
 * sys_open_file: opens a regular file in the directory dir, as sys_open_in() does, to read it.
 * Opening never waits for a writer and touches no device: what a root holds under the name of a
 * file may be a FIFO or a device node. flags: O_NOFOLLOW or 0. An fd, -EINVAL: it is no regular
 * file; or -errno. sys_open_file_beneath: the same below the directory root.
 */
int sys_open_file(int dir, const char *path, int flags);
int sys_open_file_beneath(const char *root, const char *path);

/* sys_size_beneath: the bytes of a regular file; 0: there is none, or it is empty. */
off_t sys_size_beneath(const char *root, const char *path);

/*
 * sys_text_beneath: all of a regular file as text, the caller's to free(). NULL: there is none, or
 * it cannot be read, or has more than 1 MiB, which no file has that is written by hand.
 */
char *sys_text_beneath(const char *root, const char *path);
