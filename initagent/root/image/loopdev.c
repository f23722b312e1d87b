// SPDX-License-Identifier: GPL-2.0-or-later
/* loopdev: see loopdev.h. Documentation/admin-guide/blockdev and include/uapi/linux/loop.h. */
#include "root/image/loopdev.h"

#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

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

/* include/uapi/linux/magic.h */
#define RAMFS_MAGIC_ABI 0x858458f6
#define TMPFS_MAGIC_ABI 0x01021994
/* Others may take the device between the question for a free one and its use. */
#define TRIES 64

/* A file in memory is in the page cache already; one on a disk would be cached twice. */
static bool on_disk(int file)
{
	struct statfs fs;

	return fstatfs(file, &fs) == 0 && (uint64_t)fs.f_type != RAMFS_MAGIC_ABI &&
		(uint64_t)fs.f_type != TMPFS_MAGIC_ABI;
}

static int open_free(const struct env *env, struct loopdev *ret)
{
	_cleanup_close_ int control = -1;
	char path[sizeof(ret->path)];
	int n, r = env_path(env, path, sizeof(path), "/dev/loop-control");

	if (r < 0)
		return r;
	control = open(path, O_RDWR | O_CLOEXEC);
	if (control < 0)
		return errno == ENOENT ? -ENODEV : -errno;
	n = ioctl(control, LOOP_CTL_GET_FREE);
	if (n < 0)
		return -errno;
	r = env_path(env, ret->path, sizeof(ret->path), "/dev/loop%d", n);
	if (r < 0)
		return r;
	ret->fd = open(ret->path, O_RDONLY | O_CLOEXEC);
	return ret->fd < 0 ? -errno : 0;
}

int loopdev_open(const struct env *env, int file, uint64_t offset, uint64_t size,
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

		*ret = LOOPDEV_NONE;
		r = open_free(env, ret);
		if (r < 0)
			return r;
		if (ioctl(ret->fd, LOOP_CONFIGURE, &config) == 0)
			return 0;
		r = -errno;
		loopdev_close(ret);
		if (r != -EBUSY)
			return r;
	}
	return -EBUSY;
}

void loopdev_close(struct loopdev *l)
{
	closep(&l->fd);
	l->fd = -1;
}
