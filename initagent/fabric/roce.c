// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * roce: RDMA-CM's default RoCE version, in configfs (kernel:
 * Documentation/ABI/testing/configfs-rdma_cm). A folder made there is a device's settings; it holds
 * a reference to the device, so it is removed when its value is written: the value stays.
 */
#include "fabric/fabric.h"

#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define CONFIGFS "/sys/kernel/config"

/* In the initramfs it is mounted by no other program. */
static int mount_configfs(const struct env *env)
{
	if (!env_exists(env, CONFIGFS "/rdma_cm") && !*env->prefix)
		(void)mount("configfs", CONFIGFS, "configfs", 0, NULL);
	return env_exists(env, CONFIGFS "/rdma_cm") ? 0 : -ENOENT;
}

int fabric_set_roce(const struct env *env, const struct fabric_port *port, bool v2)
{
	char dir[PATH_MAX];
	bool made;
	int r = mount_configfs(env);

	if (r < 0)
		return r;
	if (env_path(env, dir, sizeof(dir), CONFIGFS "/rdma_cm/%s", port->device) < 0)
		return -ENAMETOOLONG;
	made = mkdir(dir, 0755) == 0;
	if (!made && errno != EEXIST)
		return -errno;
	r = env_write(env, v2 ? "RoCE v2" : "IB/RoCE v1",
		CONFIGFS "/rdma_cm/%s/ports/%u/default_roce_mode", port->device, port->port);
	if (made)
		(void)rmdir(dir);
	return r;
}
