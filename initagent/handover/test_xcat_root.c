// SPDX-License-Identifier: GPL-2.0-or-later
/* What a stateless node of xCAT finds in its root. */
#include "check.h"

#include "handover/xcat_root.h"
#include "profileroom.h"

static void fill_xcat(const char *hostname)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);
	char root[128];

	strscpy(r.hostname, hostname, sizeof(r.hostname));
	proom_write("", &rail, 1);
	CHECK(env_path(&proom_env, root, sizeof(root), "/sysroot") > 0);
	CHECK_INT(xcat_root_fill(&proom_env, root), 0);
}

static void expect_in_root(const char *path, const char *want)
{
	char text[128];

	CHECK(env_read(&proom_env, text, sizeof(text), "/sysroot%s", path) >= 0);
	CHECK_STR(text, want);
}

#define SERVERS "search cluster.example\nnameserver 10.0.0.2"

/* genimage writes a resolv.conf without a server; xCAT's initramfs puts the node's there. */
TEST(xcat_resolv_conf_is_filled)
{
	proom_begin();
	proom_make("/etc/resolv.conf", "#Dummy\n");
	proom_make("/etc/hostname", "master\n");
	fill_xcat("n1");
	expect_in_root("/etc/resolv.conf", SERVERS);
	expect_in_root("/etc/hostname", "master");
	CHECK(!proom_has("/sysroot/etc/.resolv.conf.new"));
}

/* debootstrap copies the master's /etc/hostname into the image. */
TEST(xcat_hostname_is_the_nodes_in_debians_family)
{
	proom_begin();
	proom_make("/etc/debian_version", "12.5\n");
	proom_make("/etc/hostname", "master\n");
	fill_xcat("n1");
	expect_in_root("/etc/hostname", "n1");
	expect_in_root("/etc/resolv.conf", SERVERS);
}

TEST(xcat_hostname_stays_without_another)
{
	proom_begin();
	proom_make("/etc/debian_version", "12.5\n");
	proom_make("/etc/hostname", "master\n");
	fill_xcat("");
	expect_in_root("/etc/hostname", "master");
}

/* resolved's, NetworkManager's: they have the servers from their profile. */
TEST(xcat_resolv_conf_that_is_a_link_stays)
{
	proom_begin();
	proom_link("/etc/resolv.conf", "elsewhere");
	proom_make("/etc/elsewhere", "theirs\n");
	fill_xcat("n1");
	expect_in_root("/etc/elsewhere", "theirs");
	expect_in_root("/etc/resolv.conf", "theirs");
}
