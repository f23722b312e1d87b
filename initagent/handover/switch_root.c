// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/switch_root.h"

#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/sysmount.h"
#include "handover/labels.h"
#include "report/console.h"

static const char *const api_mounts[] = {"/dev", "/proc", "/sys", "/run"};

/* What there is to go back to. */
struct way_back {
	int root, old;			    /* the new root and the initramfs; -1: not moved yet */
	int moved[ARRAY_SIZE(api_mounts)];  /* -1: not moved */
};

/* "/" must be a RAM file system that came with /init: deleting anything else would be a disaster.
 * -EPERM: it is not. */
static int check_initramfs(const char *root)
{
	struct statfs fs;
	struct stat here, there;

	if (statfs("/", &fs) < 0 || stat("/", &here) < 0 || stat(root, &there) < 0)
		return -errno;
	if ((uint64_t)fs.f_type != RAMFS_MAGIC && (uint64_t)fs.f_type != TMPFS_MAGIC)
		return -EPERM;
	return here.st_dev != there.st_dev && access("/init", F_OK) == 0 ? 0 : -EPERM;
}

/* The mount point in the root: one that is missing is made, as systemd does it. A root that cannot
 * be written to goes without; init may have no use for it. */
static bool make_mount_point(const char *target, const char *path)
{
	char line[160];

	if (mkdir(target, 0755) == 0)
		return true;
	snprintf(line, sizeof(line),
		"initagent: root: no folder %s in it, and none can be made: %s", path,
		strerror(errno));
	console_line(STDERR_FILENO, line);
	return false;
}

/* Moves one API mount, if it is a mount point. */
static int move_api_mount(const char *root, const char *path, int *ret_moved)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), at = -1;
	char target[256];
	int n = snprintf(target, sizeof(target), "%s%s", root, path), r;
	struct stat st;

	if (n < 0 || (size_t)n >= sizeof(target))
		return -ENAMETOOLONG;
	if (fd < 0)
		return 0;
	if (lstat(target, &st) < 0 && errno == ENOENT && !make_mount_point(target, path))
		return 0;
	/* a link leads where it will once the root is "/" */
	at = sys_open_beneath(root, path, O_PATH | O_DIRECTORY);
	r = at < 0 ? at : fchdir(at) < 0 || mount(path, ".", NULL, MS_MOVE, NULL) < 0 ? -errno : 0;
	if (chdir("/") < 0 && r == 0)
		r = -errno;
	if (r < 0)
		return r == -EINVAL || r == -ENOENT ? 0 : r;
	*ret_moved = fd;
	fd = -1;
	return 0;
}

/* Makes root "/". */
static int enter(const char *root, struct way_back *back)
{
	back->old = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	back->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (back->old < 0 || back->root < 0 || fchdir(back->root) < 0 ||
		mount(".", "/", NULL, MS_MOVE, NULL) < 0)
		return -errno;
	return chroot(".") < 0 || chdir("/") < 0 ? -errno : 0;
}

/* Everything to its place again, by descriptors: no name is looked up in the root. */
static void go_back(const char *root, struct way_back *back)
{
	if (back->old >= 0 && fchdir(back->old) == 0 && chroot(".") == 0 && back->root >= 0)
		(void)sys_move_mount(back->root, root);
	for (size_t i = 0; i < ARRAY_SIZE(api_mounts); i++) {
		if (back->moved[i] >= 0)
			(void)sys_move_mount(back->moved[i], api_mounts[i]);
		closep(&back->moved[i]);
	}
	closep(&back->old);
	closep(&back->root);
}

static void take_step(const struct switch_watch *watch, const char **ret_step, const char *step)
{
	*ret_step = step;
	switch_watch_step(watch, step);
}

static int go(const char *root, const char *init, char *const argv[], char *const envp[],
	struct way_back *back, const struct switch_watch *watch, const char **ret_step)
{
	int r;

	take_step(watch, ret_step, "looking at it");
	r = check_initramfs(root);
	if (r < 0)
		return r;
	take_step(watch, ret_step, "moving /dev, /proc, /sys and /run into it");
	for (size_t i = 0; i < ARRAY_SIZE(api_mounts) && r == 0; i++)
		r = move_api_mount(root, api_mounts[i], &back->moved[i]);
	if (r < 0)
		return r;
	take_step(watch, ret_step, "making it the root directory");
	r = enter(root, back);
	if (r < 0)
		return r;
	/* The real init has a console on its standard streams, as the kernel would give it. */
	console_adopt();
	if (labels_wanted()) {
		switch_watch_work(watch, "labelling its files for SELinux");
		labels_set();
	}
	take_step(watch, ret_step, "executing init");
	execve(init, argv, envp);
	return -errno;
}

int switch_root_enter(const char *root, const char *init, char *const argv[], char *const envp[],
	const struct switch_watch *watch, const char **ret_step)
{
	struct way_back back = {.root = -1, .old = -1};
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(api_mounts); i++)
		back.moved[i] = -1;
	r = go(root, init, argv, envp, &back, watch, ret_step);
	go_back(root, &back);
	return r;
}
