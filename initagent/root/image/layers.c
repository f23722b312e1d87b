// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/layers.h"

#include <linux/loop.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/sysmount.h"
#include "base/worker.h"

#define SPACE	"/run/initramfs/overlay"
#define UPPER	SPACE "/overlayfs"
#define WORK	SPACE "/ovlwork"
/* dracut's name of the overlay's source, which live systems look for in /proc/mounts. */
#define SOURCE	"LiveOS_rootfs"

#define PATH_SIZE 300
#define PAGE	  4096

static int fail(struct layers_result *r, enum cause cause, int error, const char *what,
	const char *text)
{
	r->cause = cause;
	snprintf(r->text, sizeof(r->text), "%.80s: %s%s%s", what, strerror(-error),
		*text ? ": " : "", text);
	return error;
}

/* --- loop devices: Documentation/admin-guide/blockdev, linux/loop.h
 * ---------------------------- */

#ifndef LOOP_CONFIGURE
#define LOOP_CONFIGURE 0x4C0A /* Linux 5.8 */
struct loop_config {
	__u32 fd;
	__u32 block_size;
	struct loop_info64 info;
	__u64 __reserved[8];
};
#endif
#ifndef LO_FLAGS_DIRECT_IO
#define LO_FLAGS_DIRECT_IO 16
#endif

/* Others may take the device between the question for a free one and its use. */
#define TRIES 64

struct loopdev {
	int fd;		/* of the device; -1: none */
	char path[64];	/* "/dev/loop3" below env's prefix */
};

/* A file in memory is in the page cache already; one on a disk would be cached twice. */
static bool on_disk(int file)
{
	struct statfs fs;

	return fstatfs(file, &fs) == 0 && (uint64_t)fs.f_type != RAMFS_MAGIC &&
		(uint64_t)fs.f_type != TMPFS_MAGIC;
}

static int open_free(const struct env *env, struct loopdev *ret)
{
	_cleanup_close_ int control = env_open(env, O_RDWR, "/dev/loop-control");
	int n, r;

	if (control < 0)
		return control == -ENOENT ? -ENODEV : control;
	n = ioctl(control, LOOP_CTL_GET_FREE);
	if (n < 0)
		return -errno;
	r = env_path(env, ret->path, sizeof(ret->path), "/dev/loop%d", n);
	if (r < 0)
		return r;
	ret->fd = open(ret->path, O_RDONLY | O_CLOEXEC);
	return ret->fd < 0 ? -errno : 0;
}

/* Before Linux 5.8 in two steps; read-only because the device is open so. 0 or -errno. */
static int loopdev_set(int fd, const struct loop_config *config)
{
	int r = ioctl(fd, LOOP_CONFIGURE, config) < 0 ? -errno : 0;

	if (r != -EINVAL)
		return r;
	if (ioctl(fd, LOOP_SET_FD, config->fd) < 0)
		return -errno;
	r = ioctl(fd, LOOP_SET_STATUS64, &config->info) < 0 ? -errno : 0;
	if (r < 0)
		ioctl(fd, LOOP_CLR_FD, 0);
	return r;
}

/*
 * A read-only loop device over file's bytes from offset, size of them (0: to its end). It goes by
 * itself with its last user: kept open until the file system is mounted. 0, -ENODEV (no loop
 * driver), or -errno.
 */
static int loopdev_open(const struct env *env, int file, uint64_t offset, uint64_t size,
	struct loopdev *ret)
{
	struct loop_config config = {
		.fd = (uint32_t)file,
		.info = {
			.lo_offset = offset,
			.lo_sizelimit = size,
			.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR |
				(on_disk(file) ? LO_FLAGS_DIRECT_IO : 0),
		},
	};

	for (int i = 0; i < TRIES; i++) {
		int r;

		*ret = (struct loopdev){.fd = -1};
		r = open_free(env, ret);
		if (r < 0)
			return r;
		r = loopdev_set(ret->fd, &config);
		if (r == 0)
			return 0;
		closep(&ret->fd);
		/* EAGAIN: udev reads the new device between the two steps */
		if (r != -EBUSY && r != -EAGAIN)
			return r;
	}
	return -EBUSY;
}

/* --- file systems ----------------------------------------------------------------------------- */

/* Never written, so a journal is never replayed: the image is what was proved, to the last byte. */
static const struct mount_option *options_of(enum image_kind kind)
{
	static const struct mount_option ext4[] = {{"noload", NULL}, {0}};
	static const struct mount_option xfs[] = {{"norecovery", NULL}, {"nouuid", NULL}, {0}};

	return kind == IMAGE_EXT4 ? ext4 : kind == IMAGE_XFS ? xfs : NULL;
}

/* What the kernel says of a file system it cannot read, as opposed to one it does not know. */
static bool damaged(int error)
{
	return error == -EINVAL || error == -EIO || error == -EUCLEAN || error == -EBADMSG;
}

/* One file system of a file, by a loop device, read-only. A descriptor of the mount, or -errno. */
static int make_mount(const struct layers_config *cfg, struct layers_result *ret)
{
	const char *fstype = image_kind_fstype(cfg->kind);
	char text[MOUNT_TEXT_MAX] = "";
	struct loopdev loop;
	int r;

	if (!fstype)
		return fail(ret, CAUSE_IMAGE_UNKNOWN, -EINVAL, image_kind_name(cfg->kind), "");
	r = loopdev_open(cfg->env, cfg->file, cfg->offset, cfg->size, &loop);
	if (r < 0)
		return fail(ret, CAUSE_IMAGE_LOOP, r, "/dev/loop-control",
			r == -ENODEV ? "no such device: module loop" : "");
	r = mount_make(fstype, loop.path, options_of(cfg->kind), true, text);
	closep(&loop.fd);
	return r < 0 ? fail(ret, damaged(r) ? CAUSE_IMAGE_BROKEN : CAUSE_IMAGE_MOUNT, r, fstype,
			       text)
		     : r;
}

/*
 * Some live images hold the root as one more file system image, looked for where dracut does.
 * -ENOENT: this one does not. What has the name and is no file ends the boot: it is not known which
 * root was meant.
 */
static int open_inside(int outer, const char **ret_name)
{
	static const char *const names[] = {"LiveOS/rootfs.img", "LiveOS/ext3fs.img"};
	int fd = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(names) && (fd == -ENOENT || fd == -ENOTDIR); i++) {
		*ret_name = names[i];
		fd = sys_open_file(outer, names[i], O_NOFOLLOW);
	}
	return fd;
}

/* The outer mount lives on with the loop device over its file, though it never had a place. */
static int make_inside(const struct layers_config *cfg, int file, struct layers_result *ret)
{
	const struct layers_config inner = {.env = cfg->env, .file = file,
		.kind = (enum image_kind)image_kind_read(file, 0, NULL)};

	if (image_kind_way(inner.kind) != IMAGE_WAY_MOUNT)
		return fail(ret, CAUSE_IMAGE_UNKNOWN, -EINVAL, "LiveOS/rootfs.img", "");
	ret->inside = true;
	return make_mount(&inner, ret);
}

/* The root's file system at lower, whatever it lies in. */
static int mount_lower(const struct layers_config *cfg, const char *lower,
	struct layers_result *ret)
{
	_cleanup_close_ int outer = make_mount(cfg, ret), inside = -1, mnt = -1;
	const char *name = "";
	int r;

	if (outer < 0)
		return outer;
	inside = open_inside(outer, &name);
	if (inside < 0 && inside != -ENOENT && inside != -ENOTDIR)
		return fail(ret, CAUSE_IMAGE_BROKEN, inside, name,
			inside == -EINVAL ? "not a regular file" : "");
	mnt = inside >= 0 ? make_inside(cfg, inside, ret) : dup(outer);
	if (mnt < 0)
		return ret->cause ? mnt : fail(ret, CAUSE_IMAGE_MOUNT, -errno, lower, "");
	r = mount_attach(mnt, lower);
	return r < 0 ? fail(ret, CAUSE_IMAGE_MOUNT, r, lower, "") : 0;
}

/* --- unpacked -------------------------------------------------------------------------------- */

int layers_space(uint64_t limit, const char *given, const char *source,
	char text[static MOUNT_TEXT_MAX])
{
	char size[32], inodes[32];
	/* A whole distribution would fill the first NUMA node; kernels without NUMA refuse it. */
	const struct mount_option options[] = {
		{"mpol", "interleave"}, {"size", given ? given : size}, {"nr_inodes", inodes},
		{"mode", "0755"}, {streq(source, LAYERS_EXTENSION) ? "nosuid" : NULL, NULL},
		{"nodev", NULL}, {0},
	};
	int fd;

	/* 0 would be no limit */
	snprintf(size, sizeof(size), "%llu", (unsigned long long)(limit ? limit : 1));
	/* tmpfs has no inode without memory either: one for each page is more than is used. */
	snprintf(inodes, sizeof(inodes), "%llu", (unsigned long long)limit / PAGE + 16);
	fd = mount_make("tmpfs", source, options, false, text);
	return fd < 0 ? mount_make("tmpfs", source, options + 1, false, text) : fd;
}

/* --- writable layer -------------------------------------------------------------------------- */

/* tmpfs's own defaults where nothing is given: half of the memory, an inode for each 16 KiB of
 * it. */
static size_t space_options(const struct plan_overlay *o, struct mount_option *ret,
	char (*text)[32])
{
	size_t n = 0;

	if (o->percent)
		snprintf(text[n], sizeof(text[n]), "%u%%", o->percent);
	else
		snprintf(text[n], sizeof(text[n]), "%llu", (unsigned long long)o->size);
	if (o->size || o->percent)
		ret[n] = (struct mount_option){"size", text[n]}, n++;
	if (o->nr_blocks) {
		snprintf(text[n], sizeof(text[n]), "%llu", (unsigned long long)o->nr_blocks);
		ret[n] = (struct mount_option){"nr_blocks", text[n]}, n++;
	}
	if (o->nr_inodes) {
		snprintf(text[n], sizeof(text[n]), "%llu", (unsigned long long)o->nr_inodes);
		ret[n] = (struct mount_option){"nr_inodes", text[n]}, n++;
	}
	ret[n++] = (struct mount_option){"mode", "0755"};
	ret[n] = (struct mount_option){0};
	return n;
}

/* dracut's links, for tools that look there. */
static int link_to(const struct env *env, const char *at, const char *to)
{
	char path[PATH_SIZE];
	int r = env_path(env, path, sizeof(path), "%s", at);

	if (r < 0)
		return r;
	unlink(path);
	return symlink(to, path) < 0 && errno != EEXIST ? -errno : 0;
}

struct places {
	char base[PATH_SIZE], space[PATH_SIZE], upper[PATH_SIZE], work[PATH_SIZE];
};

static int find_places(const struct env *env, struct places *p)
{
	int r = env_path(env, p->base, sizeof(p->base), LAYERS_BASE);

	r = r < 0 ? r : env_path(env, p->space, sizeof(p->space), SPACE);
	r = r < 0 ? r : env_path(env, p->upper, sizeof(p->upper), UPPER);
	r = r < 0 ? r : env_path(env, p->work, sizeof(p->work), WORK);
	return r < 0 ? r : 0;
}

static int make_space(const struct env *env, const struct plan_overlay *o, const struct places *p,
	char *text)
{
	struct mount_option options[5];
	char values[4][32];
	int r;

	space_options(o, options, values);
	r = mount_new("tmpfs", "overlay", options, false, p->space, text);
	if (r == 0)
		r = mount_folder(p->upper);
	if (r == 0)
		r = mount_folder(p->work);
	if (r == 0)
		r = link_to(env, "/run/overlayfs", UPPER);
	return r < 0 ? r : link_to(env, "/run/ovlwork", WORK);
}

int layers_overlay(const struct env *env, const struct plan_overlay *o, const char *target,
	struct layers_result *ret)
{
	char text[MOUNT_TEXT_MAX] = "";
	struct places p;
	int r = find_places(env, &p);
	struct mount_option options[] = {
		{"lowerdir", p.base}, {"upperdir", p.upper}, {"workdir", p.work}, {0},
	};

	if (r == 0)
		r = make_space(env, o, &p, text);
	if (r < 0)
		return fail(ret, CAUSE_IMAGE_OVERLAY, r, SPACE, text);
	r = mount_new("overlay", SOURCE, options, false, target, text);
	return r < 0 ? fail(ret, CAUSE_IMAGE_OVERLAY, r, "overlay", text) : 0;
}

void layers_drop(const struct env *env, const char *target)
{
	if (target)
		mount_drop(target);
	mount_drop_at(env, SPACE);
	mount_drop_at(env, LAYERS_BASE);
}

struct leftover {
	const struct env *env;
	const char *target;
};

static int drop(const void *arg)
{
	const struct leftover *l = arg;

	layers_drop(l->env, l->target);
	return 0;
}

void layers_drop_limited(const struct env *env, const char *target)
{
	worker_try(drop, &(struct leftover){env, target}, -1, NSEC_PER_SEC);
}

int layers_mount(const struct layers_config *cfg, struct layers_result *ret)
{
	char base[PATH_SIZE];
	int r = env_path(cfg->env, base, sizeof(base), LAYERS_BASE);

	*ret = (struct layers_result){0};
	if (r < 0)
		return fail(ret, CAUSE_IMAGE_MOUNT, r, LAYERS_BASE, "");
	layers_drop(cfg->env, NULL);
	r = mount_lower(cfg, cfg->overlay->off ? cfg->target : base, ret);
	if (r == 0 && !cfg->overlay->off)
		r = layers_overlay(cfg->env, cfg->overlay, cfg->target, ret);
	if (r < 0)
		layers_drop(cfg->env, NULL);
	return r;
}
