// SPDX-License-Identifier: GPL-2.0-or-later
/* Who a node is to an NFSv4 server. */
#include "check.h"

#include "files.h"
#include "root/nfs/owner.h"

#define SETTING "/sys/module/nfs/parameters/nfs4_unique_id"

static const struct link_hw ethernet = {6, {0x52, 0x54, 0x00, 0x99, 0x00, 0x64}};
static const struct link_hw ipoib = {20,
	{0x80, 0x00, 0x00, 0x48, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x00, 0x02, 0xc9, 0x03, 0x00, 0x0e,
	0x0b, 0x72}};

static char dir[] = "/tmp/ia-owner-XXXXXX";
static const struct env env = {.prefix = dir};

TEST(an_ethernet_node_is_its_address)
{
	files_text(check_dir(dir), SETTING, "");
	CHECK_INT(owner_set(&env, &ethernet), 1);
	files_is(dir, SETTING, "525400990064");
}

TEST(an_infiniband_node_is_its_port_guid)
{
	files_text(check_dir(dir), SETTING, "");
	CHECK_INT(owner_set(&env, &ipoib), 1);
	files_is(dir, SETTING, "0002c903000e0b72");
}

TEST(the_admins_choice_stays)
{
	files_text(check_dir(dir), SETTING, "node17");
	CHECK_INT(owner_set(&env, &ethernet), 0);
	files_is(dir, SETTING, "node17");
}

TEST(the_first_rail_names_the_node)
{
	files_text(check_dir(dir), SETTING, "");
	CHECK_INT(owner_set(&env, &ipoib), 1);
	CHECK_INT(owner_set(&env, &ethernet), 0);
	files_is(dir, SETTING, "0002c903000e0b72");
}

TEST(a_kernel_without_the_setting)
{
	check_dir(dir);
	CHECK_INT(owner_set(&env, &ethernet), -ENOENT);
}
