// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/mountpoint.h"

#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/sysmount.h"

/*
 * Options that are a mount's and not its file system's (MOUNT_ATTR_*, include/uapi/linux/mount.h).
 */
static const struct {
	const char *key;
	unsigned attribute;
} attributes[] = {
	{"ro", 0x01},	   {"nosuid", 0x02},	  {"nodev", 0x04},	 {"noexec", 0x08},
	{"noatime", 0x10}, {"strictatime", 0x20}, {"nodiratime", 0x80}, {"relatime", 0},
};
#define ATTR_RDONLY 0x01

/* The attribute of an option; -1: it is the file system's. */
static int attribute_of(const struct mount_option *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(attributes) && !o->value; i++)
		if (streq(o->key, attributes[i].key))
			return (int)attributes[i].attribute;
	return -1;
}

int mount_folder(const char *path)
{
	char part[PATH_MAX];

	for (size_t i = 1; i < sizeof(part); i++) {
		bool end = !path[i];

		if (!end && path[i] != '/')
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return -errno;
		if (end)
			return 0;
	}
	return -ENAMETOOLONG;
}

static int configure(
	int fd, const char *source, const struct mount_option *o, bool readonly, char *text)
{
	int r = sys_fsconfig(fd, SYS_FSCONFIG_SET_STRING, "source", source);

	if (r >= 0 && readonly)
		r = sys_fsconfig(fd, SYS_FSCONFIG_SET_FLAG, "ro", NULL);
	for (; r >= 0 && o && o->key; o++) {
		if (attribute_of(o) >= 0)
			continue;
		r = sys_fsconfig(fd, o->value ? SYS_FSCONFIG_SET_STRING : SYS_FSCONFIG_SET_FLAG,
			o->key, o->value);
		if (r < 0)
			snprintf(text, MOUNT_TEXT_MAX, "option '%s'", o->key);
	}
	return r < 0 ? r : sys_fsconfig(fd, SYS_FSCONFIG_CMD_CREATE, NULL, NULL);
}

static unsigned attributes_of(const struct mount_option *o, bool readonly)
{
	unsigned all = readonly ? ATTR_RDONLY : 0;

	for (; o && o->key; o++)
		if (attribute_of(o) > 0)
			all |= (unsigned)attribute_of(o);
	return all;
}

int mount_make(const char *fstype, const char *source, const struct mount_option *options,
	bool readonly, char text[static MOUNT_TEXT_MAX])
{
	_cleanup_close_ int fd = sys_fsopen(fstype, text, MOUNT_TEXT_MAX);
	int r;

	if (fd < 0)
		return fd;
	r = configure(fd, source, options, readonly, text);
	if (r >= 0)
		r = sys_fsmount(fd, attributes_of(options, readonly));
	if (r < 0)
		sys_fs_messages(fd, text, MOUNT_TEXT_MAX);
	return r;
}

int mount_attach(int mnt, const char *target)
{
	int r = mount_folder(target);

	return r < 0 ? r : sys_move_mount(mnt, target);
}

int mount_new(const char *fstype, const char *source, const struct mount_option *options,
	bool readonly, const char *target, char text[static MOUNT_TEXT_MAX])
{
	_cleanup_close_ int mnt = mount_make(fstype, source, options, readonly, text);

	return mnt < 0 ? mnt : mount_attach(mnt, target);
}

bool mount_is_point(const char *path)
{
	struct stat here, above;
	char parent[PATH_MAX];

	return snprintf(parent, sizeof(parent), "%s/..", path) < PATH_MAX &&
		stat(path, &here) == 0 && stat(parent, &above) == 0 && here.st_dev != above.st_dev;
}

void mount_missing(const struct env *env, const char *type, const char *dir)
{
	if (*env->prefix || access(dir, F_OK) < 0 || mount_is_point(dir))
		return;
	if (mount(type, dir, type, MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return; /* said by who looks for what is there */
}

/* UMOUNT_NOFOLLOW: nobody's symbolic link leads us elsewhere. */
void mount_drop(const char *path)
{
	umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW);
}

void mount_drop_at(const struct env *env, const char *path)
{
	char full[PATH_MAX];

	if (env_path(env, full, sizeof(full), "%s", path) >= 0)
		mount_drop(full);
}
