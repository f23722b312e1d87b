// SPDX-License-Identifier: GPL-2.0-or-later
/* Adoption of a root that an earlier agent mounted: rows of mountinfo as the kernel writes them. */
#include "check.h"

#include <sys/stat.h>

#include "handover/file.h"
#include "root/adopt.h"

static int adopt(const char *mountinfo, struct root_result *ret)
{
	char dir[] = "/tmp/initagent-adopt-XXXXXX", path[256];
	struct env env = {.prefix = dir};

	check_dir(dir);
	snprintf(path, sizeof(path), "%s/proc", dir);
	CHECK_INT(mkdir(path, 0755), 0);
	CHECK_INT(file_write(&env, "/proc/self", "mountinfo", mountinfo, strlen(mountinfo), 0644), 0);
	return root_adopt(&env, "/sysroot", ret);
}

TEST(nfs_over_rdma)
{
	struct root_result r;

	CHECK_INT(adopt("1 1 0:2 / / rw - rootfs rootfs rw\n"
			"31 1 0:28 / /sysroot ro,relatime - nfs4 10.99.0.1:/export/root "
			"ro,vers=4.2,rsize=1048576,hard,proto=rdma,port=20049,timeo=600,addr=10.99.0.1\n",
			  &r), 1);
	CHECK_STR(r.server, "10.99.0.1");
	CHECK_STR(r.path, "/export/root");
	CHECK_STR(r.address, "10.99.0.1");
	CHECK_INT(r.proto, NFS_PROTO_RDMA);
	CHECK_INT(r.version, NFS_VERSION_42);
	CHECK_INT(r.port, 20049);
}

TEST(v3_over_tcp_with_tags_and_ipv6)
{
	struct root_result r;

	CHECK_INT(adopt("31 1 0:28 / /sysroot rw shared:5 master:2 - nfs [2001:db8::1]:/r "
			"rw,vers=3,proto=tcp6,addr=2001:db8::1\n", &r), 1);
	CHECK_STR(r.server, "2001:db8::1");
	CHECK_INT(r.version, NFS_VERSION_3);
	CHECK_INT(r.proto, NFS_PROTO_TCP);
}

TEST(nothing_or_something_else)
{
	struct root_result r;

	CHECK_INT(adopt("1 1 0:2 / / rw - rootfs rootfs rw\n", &r), 0);
	CHECK_INT(adopt("31 1 8:1 / /sysroot rw - ext4 /dev/sda1 rw\n", &r), -EBUSY);
	CHECK_INT(adopt("31 1 0:28 / /sysroot2 rw - nfs4 a:/b rw\n", &r), 0);
	CHECK_INT(adopt("", &r), 0);
}

TEST(damaged_lines_are_skipped)
{
	struct root_result r;

	CHECK_INT(adopt("31 1 0:28 / /sysroot rw\n- - - - - - -\n\n31 - nfs4\n", &r), 0);
	CHECK_INT(adopt("31 1 0:28 / /sysroot rw - nfs4 nocolon vers=9,port=99999999,addr=\n", &r), 1);
	CHECK_STR(r.path, "");
}
