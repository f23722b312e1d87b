// SPDX-License-Identifier: GPL-2.0-or-later
/* switch_root: see switch_root.h. */
#include "handover/switch_root.h"

#include <dirent.h>
#include <limits.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "root/sysmount.h"

/* include/uapi/linux/magic.h */
#define RAMFS_MAGIC_ABI 0x858458f6
#define TMPFS_MAGIC_ABI 0x01021994
/* Deeper than any initramfs; bounds the recursion. */
#define DELETE_DEPTH 32

static const char *const api_mounts[] = {"/dev", "/proc", "/sys", "/run"};

/* Is "/" a RAM file system that came with /init? Deleting anything else would be a disaster. */
static bool on_initramfs(const char *root)
{
	struct statfs fs;
	struct stat here, there;

	if (statfs("/", &fs) < 0 || stat("/", &here) < 0 || stat(root, &there) < 0)
		return false;
	if ((uint64_t)fs.f_type != RAMFS_MAGIC_ABI && (uint64_t)fs.f_type != TMPFS_MAGIC_ABI)
		return false;
	return here.st_dev != there.st_dev && access("/init", F_OK) == 0;
}

/* Moves one API mount; a root without the directory simply does not get it. */
static int move_api_mount(const char *root, const char *path)
{
	char target[PATH_MAX];
	int n = snprintf(target, sizeof(target), "%s%s", root, path);

	if (n < 0 || (size_t)n >= sizeof(target))
		return -ENAMETOOLONG;
	if (mount(path, target, NULL, MS_MOVE, NULL) == 0)
		return 0;
	/* EINVAL: path is no mount point. ENOENT: the read-only root lacks the directory. */
	if (errno == ENOENT)
		umount2(path, MNT_DETACH);
	return errno == EINVAL || errno == ENOENT ? 0 : -errno;
}

static void delete_tree(int dir, dev_t dev, unsigned depth);

static void delete_folder(int dir, const char *name, dev_t dev, unsigned depth)
{
	struct stat st;
	int sub;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_dev != dev)
		return;
	sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub >= 0)
		delete_tree(sub, dev, depth + 1);
	unlinkat(dir, name, AT_REMOVEDIR);
}

/* No file is asked for its device: one that something is mounted on cannot be unlinked (EBUSY). */
static void delete_entry(int dir, const struct dirent *e, dev_t dev, unsigned depth)
{
	if (e->d_type == DT_DIR)
		delete_folder(dir, e->d_name, dev, depth);
	else
		unlinkat(dir, e->d_name, 0);
}

/* Deletes what is below dir on device dev. Takes ownership of dir. */
static void delete_tree(int dir, dev_t dev, unsigned depth)
{
	DIR *d = depth < DELETE_DEPTH ? fdopendir(dir) : NULL;

	if (!d) {
		close(dir);
		return;
	}
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		if (!streq(e->d_name, ".") && !streq(e->d_name, ".."))
			delete_entry(dir, e, dev, depth);
	closedir(d);
}

void switch_root_prepare(const char *root, const char *init)
{
	_cleanup_close_ int fd = sys_open_beneath(root, init, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	/* init's pages last: small answers that others wait for would stand behind them. */
	for (size_t i = 0; i < ARRAY_SIZE(api_mounts); i++)
		(void)sys_there_beneath(root, api_mounts[i]);
	if (fd >= 0)
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
}

/* Makes root "/" while the old one stays reachable through the returned fd. */
static int enter(const char *root, const char **ret_step)
{
	int old = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*ret_step = "open /";
	if (old < 0)
		return -errno;
	*ret_step = "move the root to /";
	if (chdir(root) < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0)
		goto fail;
	*ret_step = "chroot";
	if (chroot(".") < 0 || chdir("/") < 0)
		goto fail;
	return old;
fail:
	{
		int e = -errno;

		close(old);
		return e;
	}
}

/* The real init starts with a console on its standard streams, as the kernel would give it. */
static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY);

	if (fd < 0)
		return;
	for (int i = 0; i < 3; i++)
		if (fd != i)
			dup2(fd, i);
	if (fd > 2)
		close(fd);
}

/*
 * Frees the initramfs's memory in a process of its own, as util-linux's switch_root does: the real init need not wait for that.
 * It ends by itself and is reaped like any orphan. Takes ownership of old.
 */
static void free_initramfs(int old)
{
	struct stat st;
	pid_t pid = fork();

	if (pid == 0)
		(void)prctl(PR_SET_NAME, "initagent-free");
	/* Where no process can be had, it is done here. */
	if (pid <= 0 && fstat(old, &st) == 0)
		delete_tree(old, st.st_dev, 0);
	else
		close(old);
	if (pid == 0)
		_exit(0);
}

int switch_root_enter(const char *root, const char *init, char *const argv[], char *const envp[],
	const char **ret_step)
{
	int old, r;

	*ret_step = "look at /";
	if (!on_initramfs(root))
		return -EPERM;
	*ret_step = "move /dev, /proc, /sys and /run";
	for (size_t i = 0; i < ARRAY_SIZE(api_mounts); i++) {
		r = move_api_mount(root, api_mounts[i]);
		if (r < 0)
			return r;
	}
	old = enter(root, ret_step);
	if (old < 0)
		return old;
	free_initramfs(old);
	open_console();
	*ret_step = "execute init";
	execve(init, argv, envp);
	return -errno;
}
