// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/block/device.h"

#include "root/image/kind.h"

/* The folder of a whole device holds one for each of its partitions. */
int device_partition(const struct env *env, const char *whole, unsigned number,
	char ret[static BLOCK_DEVICE_MAX])
{
	_cleanup_closedir_ DIR *dir = env_opendir(env, "/sys/class/block/%s", whole);
	const struct dirent *e;
	int found = 0;

	while (!found && (e = dir_next(dir)))
		if (strncmp(e->d_name, whole, strlen(whole)) == 0 &&
			env_number(env, "/sys/class/block/%s/%s/partition", whole, e->d_name) ==
				number)
			found = strscpy(ret, e->d_name, BLOCK_DEVICE_MAX) > 0;
	return found;
}

void device_partitions(const struct env *env, const char *whole, char *buf, size_t size)
{
	char name[BLOCK_DEVICE_MAX];

	buf[0] = 0;
	/* In order, and no more than is ever read. */
	for (unsigned i = 1; i <= 16; i++)
		if (device_partition(env, whole, i, name))
			str_add(buf, size, "%s%u", *buf ? ", " : "", i);
}

/* Linux counts in sectors of 512 bytes whatever the device's are. */
uint64_t device_bytes(const struct env *env, const char *device)
{
	return (uint64_t)env_number(env, "/sys/class/block/%s/size", device) * 512;
}

bool device_readonly(const struct env *env, const char *device)
{
	return env_number(env, "/sys/class/block/%s/ro", device) != 0;
}

int device_fstype(const struct env *env, const char *device, const char **ret,
	const char **ret_what)
{
	_cleanup_close_ int fd = env_open(env, O_RDONLY, "/dev/%s", device);
	int r = fd < 0 ? fd : image_kind_read(fd, 0, ret_what);

	if (r < 0)
		return r;
	*ret = image_kind_fstype((enum image_kind)r);
	return *ret ? 0 : -ENODATA;
}
