// SPDX-License-Identifier: GPL-2.0-or-later
/* Adoption of a root that an earlier agent mounted: rows of mountinfo as the kernel writes them. */
#include "check.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/file.h"
#include "root/nfs/adopt.h"

static int adopt(const char *mountinfo, struct root_result *ret)
{
	char dir[] = "/tmp/initagent-adopt-XXXXXX", path[256];
	struct env env = {.prefix = dir};

	check_dir(dir);
	snprintf(path, sizeof(path), "%s/proc", dir);
	CHECK_INT(mkdir(path, 0755), 0);
	/* PREFIX stands for it: what lies below a layer is found where the agent would have mounted
	 * it */
	for (const char *at; (at = strstr(mountinfo, "PREFIX"));) {
		static char text[1024];

		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - mountinfo), mountinfo, dir,
			at + 6);
		mountinfo = text;
	}
	CHECK_INT(file_write(&env, "/proc/self", "mountinfo", mountinfo, strlen(mountinfo), 0644),
		0);
	return root_adopt(&env, "/sysroot", ret);
}

TEST(nfs_over_rdma)
{
	struct root_result r;

	CHECK_INT(adopt("1 1 0:2 / / rw - rootfs rootfs rw\n"
			"31 1 0:28 / /sysroot ro,relatime - nfs4 10.99.0.1:/export/root "
			"ro,vers=4.2,rsize=1048576,hard,proto=rdma,port=20049,timeo=600,"
			"addr=10.99.0.1\n",
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

TEST(a_path_with_blanks)
{
	struct root_result r;

	CHECK_INT(adopt("31 1 0:28 / /sysroot rw - nfs4 10.99.0.1:/a\\040b\\134c\\04 "
			"rw,vers=4.2,addr=10.99.0.1\n", &r), 1);
	CHECK_STR(r.path, "/a b\\c\\04");
}

TEST(nothing_or_something_else)
{
	struct root_result r;

	CHECK_INT(adopt("1 1 0:2 / / rw - rootfs rootfs rw\n", &r), 0);
	CHECK_INT(adopt("31 1 8:1 / /sysroot rw - ext4 /dev/sda1 rw\n", &r), -EBUSY);
	CHECK_INT(adopt("31 1 0:28 / /sysroot2 rw - nfs4 a:/b rw\n", &r), 0);
	CHECK_INT(adopt("", &r), 0);
}

TEST(a_writable_layer_over_nfs)
{
	static const char lower[] = "30 1 0:28 / PREFIX/run/rootfsbase ro - nfs4 10.99.0.1:/r "
				    "ro,vers=4.2,proto=rdma,port=20049,addr=10.99.0.1\n";
	static const char layer[] =
		"32 1 0:30 / /sysroot rw - overlay LiveOS_rootfs rw,lowerdir=/run/rootfsbase\n";
	char text[512];
	struct root_result r;

	snprintf(text, sizeof(text), "%s%s", lower, layer);
	CHECK_INT(adopt(text, &r), 1);
	CHECK(r.overlay);
	CHECK_STR(r.address, "10.99.0.1");
	CHECK_STR(r.path, "/r");
	CHECK_INT(r.proto, NFS_PROTO_RDMA);
	/* not the whole of it, or of another root */
	CHECK_INT(adopt(lower, &r), 0);
	CHECK_INT(adopt(layer, &r), -EBUSY);
	snprintf(text, sizeof(text),
		"30 1 7:0 / PREFIX/run/rootfsbase ro - squashfs /dev/loop0 ro\n%s", layer);
	CHECK_INT(adopt(text, &r), -EBUSY);
	snprintf(text, sizeof(text), "%s31 1 0:29 / /sysroot ro - nfs4 a:/b ro,vers=4.1\n", lower);
	CHECK_INT(adopt(text, &r), 1);
	CHECK(!r.overlay);
	CHECK_STR(r.path, "/b");
}

TEST(damaged_lines_are_skipped)
{
	struct root_result r;

	CHECK_INT(adopt("31 1 0:28 / /sysroot rw\n- - - - - - -\n\n31 - nfs4\n", &r), 0);
	CHECK_INT(adopt("31 1 0:28 / /sysroot rw - nfs4 nocolon vers=9,port=99999999,addr=\n", &r),
		1);
	CHECK_STR(r.path, "");
}

/* An earlier agent was killed before it had seen init: the root is mounted again, and not over
 * that. */
TEST(a_mounted_root_whose_init_cannot_be_read_is_taken_away)
{
	char dir[] = "/tmp/initagent-take-XXXXXX", at[128], line[256];
	const struct env env = {.prefix = dir};
	struct source *s = NULL;
	struct stat before, after;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		check_skip("mounting takes root");
	check_dir(dir);
	snprintf(at, sizeof(at), "%s/sysroot", dir);
	CHECK_INT(mkdir(at, 0755), 0);
	CHECK_INT(stat(at, &before), 0);
	snprintf(line, sizeof(line), "%s/proc", dir);
	CHECK_INT(mkdir(line, 0755), 0);
	CHECK_INT(mount("tmpfs", at, "tmpfs", 0, NULL), 0);
	snprintf(line, sizeof(line), "31 1 0:28 / %s rw - nfs4 192.0.2.1:/r rw,vers=4.2\n", at);
	CHECK_INT(file_write(&env, "/proc/self", "mountinfo", line, strlen(line), 0644), 0);
	CHECK_INT(root_take(&s, &env, at, NULL), 0);
	CHECK(!s);
	CHECK_INT(stat(at, &after), 0);
	CHECK_INT(after.st_dev == before.st_dev, 1);
}
