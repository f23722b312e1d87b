// SPDX-License-Identifier: GPL-2.0-or-later
/* Who a node is to an NFSv4 server. */
#include "check.h"

#include "root/owner.h"

#define DIRECTORY "/sys/module/nfs/parameters"
#define SETTING	  DIRECTORY "/nfs4_unique_id"

static const struct link_hw ethernet = {6, {0x52, 0x54, 0x00, 0x99, 0x00, 0x64}};
static const struct link_hw ipoib = {20,
	{0x80, 0x00, 0x00, 0x48, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x00, 0x02, 0xc9, 0x03, 0x00, 0x0e, 0x0b, 0x72}};

struct fixture {
	char dir[40];
	struct env env;
};

/* value NULL: a kernel without NFS. */
static void begin(struct fixture *f, const char *value)
{
	char command[160];

	*f = (struct fixture){.dir = "/tmp/ia-owner-XXXXXX"};
	check_dir(f->dir);
	f->env.prefix = f->dir;
	snprintf(command, sizeof(command), "mkdir -p %s" DIRECTORY, f->dir);
	CHECK_INT(system(command), 0);
	snprintf(command, sizeof(command), "echo %s >%s" SETTING, value ? value : "", f->dir);
	if (value)
		CHECK_INT(system(command), 0);
}

static void end(struct fixture *f)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", f->dir);
	CHECK_INT(system(command), 0);
}

static void is(const struct fixture *f, const char *want)
{
	char value[128];

	CHECK(env_read(&f->env, value, sizeof(value), SETTING) >= 0);
	CHECK_STR(value, want);
}

TEST(an_ethernet_node_is_its_address)
{
	_cleanup_(end) struct fixture f;

	begin(&f, "");
	CHECK_INT(owner_set(&f.env, &ethernet), 1);
	is(&f, "525400990064");
}

TEST(an_infiniband_node_is_its_port_guid)
{
	_cleanup_(end) struct fixture f;

	begin(&f, "");
	CHECK_INT(owner_set(&f.env, &ipoib), 1);
	is(&f, "0002c903000e0b72");
}

TEST(the_admins_choice_stays)
{
	_cleanup_(end) struct fixture f;

	begin(&f, "node17");
	CHECK_INT(owner_set(&f.env, &ethernet), 0);
	is(&f, "node17");
}

TEST(the_first_rail_names_the_node)
{
	_cleanup_(end) struct fixture f;

	begin(&f, "");
	CHECK_INT(owner_set(&f.env, &ipoib), 1);
	CHECK_INT(owner_set(&f.env, &ethernet), 0);
	is(&f, "0002c903000e0b72");
}

TEST(a_kernel_without_the_setting)
{
	_cleanup_(end) struct fixture f;

	begin(&f, NULL);
	CHECK_INT(owner_set(&f.env, &ethernet), -ENOENT);
}
