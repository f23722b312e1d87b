// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/web/store.h"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "base/mountpoint.h"

#define STORE STATE_DIR "/fetch"

/* What an agent that is gone left there. */
static int open_old(const char *path, uint64_t *ret_have)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct statfs fs;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || fstatfs(fd, &fs) < 0 ||
		fs.f_type != TMPFS_MAGIC) {
		close(fd);
		return -EBADF;
	}
	*ret_have = (uint64_t)st.st_size;
	return fd;
}

static int open_new(const char *folder, const char *path, uint64_t size)
{
	char room[32], text[MOUNT_TEXT_MAX];
	const struct mount_option options[] = {
		{"size", room}, {"nr_inodes", "16"}, {"mode", "0700"}, {0}};
	int r;

	snprintf(room, sizeof(room), "%llu", (unsigned long long)size);
	r = mount_new("tmpfs", "initagent-fetch", options, false, folder, text);
	if (r < 0)
		return r;
	r = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return r < 0 ? -errno : r;
}

int store_open(const struct env *env, const uint8_t *sha256, uint64_t size, uint64_t *ret_have)
{
	char folder[512], path[512], hex[SHA256_TEXT];
	int fd = -1;

	*ret_have = 0;
	if (sha256 && env_path(env, folder, sizeof(folder), "%s", STORE) >= 0 &&
		env_path(env, path, sizeof(path), "%s/%s", STORE, sha256_text(sha256, hex)) >= 0) {
		fd = open_old(path, ret_have);
		if (fd < 0) {
			store_drop(env);
			fd = open_new(folder, path, size);
		}
	}
	if (fd < 0)
		fd = memfd_create("root-image", MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void store_drop(const struct env *env)
{
	mount_drop_at(env, STORE);
}
