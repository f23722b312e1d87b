// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel's request_module is left with, and the blacklist written for it. */
#include <sys/stat.h>

#include "check.h"
#include "modtree.h"
#include "modules/modprobe.h"

#define SYSCTL "/proc/sys/kernel/modprobe"

static void sysctl_is(const struct modtree *t, const char *want)
{
	char got[256];

	CHECK(env_read(&t->env, got, sizeof(got), SYSCTL) >= 0);
	CHECK_STR(got, want);
}

TEST(a_helper_that_is_there_stays)
{
	struct modtree t;
	char old[64] = "", path[128];

	modtree_bare(&t);
	modtree_file(&t, SYSCTL, "/sbin/modprobe\n");
	modtree_file(&t, "/sbin/modprobe", "");
	snprintf(path, sizeof(path), "%s/sbin/modprobe", t.root);
	CHECK_INT(chmod(path, 0755), 0);
	CHECK_INT(modules_check_modprobe_helper(&t.env, old, sizeof(old)), 0);
	sysctl_is(&t, "/sbin/modprobe");
}

TEST(a_helper_that_is_not_there_is_taken_out_and_put_back)
{
	struct modtree t;
	char old[64] = "";

	modtree_bare(&t);
	modtree_file(&t, SYSCTL, "/sbin/modprobe\n");
	CHECK_INT(modules_check_modprobe_helper(&t.env, old, sizeof(old)), 1);
	CHECK_STR(old, "/sbin/modprobe");
	sysctl_is(&t, "");
	/* Again: nothing to do, and nothing to put back. */
	CHECK_INT(modules_check_modprobe_helper(&t.env, NULL, 0), 0);
	CHECK_INT(modules_set_modprobe_helper(&t.env, old, NULL, 0), 0);
	sysctl_is(&t, "/sbin/modprobe");
}

TEST(only_paths_are_set)
{
	struct modtree t;

	modtree_bare(&t);
	modtree_file(&t, SYSCTL, "/sbin/modprobe\n");
	CHECK_INT(modules_set_modprobe_helper(&t.env, "modprobe", NULL, 0), -EINVAL);
	CHECK_INT(modules_set_modprobe_helper(&t.env, "/a\n/b", NULL, 0), -EINVAL);
	sysctl_is(&t, "/sbin/modprobe");
	modtree_bare(&t);
	CHECK_INT(modules_check_modprobe_helper(&t.env, NULL, 0), -ENOENT);
}

TEST(the_blacklist_for_everybody_else)
{
	static const char *const names[] = {"mlx5-ib", "nouveau"};
	static const char *const evil[] = {"nouveau", "x\ninstall y touch z"};
	struct modtree t;
	char text[128];

	modtree_bare(&t);
	modtree_file(&t, "/run/x", "");
	CHECK_INT(modules_publish_blacklist(&t.env, evil, 2), -EINVAL);
	CHECK_INT(env_read(&t.env, text, sizeof(text), "/run/modprobe.d/initagent.conf"), -ENOENT);
	CHECK_INT(modules_publish_blacklist(&t.env, names, 2), 0);
	CHECK(env_read(&t.env, text, sizeof(text), "/run/modprobe.d/initagent.conf") > 0);
	CHECK_STR(text, "blacklist mlx5_ib\nblacklist nouveau");
}
