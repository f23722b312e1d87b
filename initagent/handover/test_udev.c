// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules for the real root's udev. */
#include "check.h"

#include <sys/stat.h>

#include "handover/udev.h"

static void expect(const char *cmdline, const char *want)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	_cleanup_free_ char *text = NULL;

	CHECK_INT(plan_parse(&plan, cmdline, strlen(cmdline), NULL), 0);
	text = udev_rules(plan, NULL, 0);
	CHECK_STR(text, want);
}

TEST(ethernet_by_its_address)
{
	expect("ifname=bootnet:52:54:00:12:34:56",
		"SUBSYSTEM==\"net\", ACTION==\"add\", ATTR{type}==\"1\", DRIVERS==\"?*\", "
		"ATTR{address}==\"52:54:00:12:34:56\", NAME:=\"bootnet\"\n"
		"SUBSYSTEM==\"net\", ACTION==\"add\", ATTR{type}==\"32\", ENV{DEVTYPE}!=\"?*\", "
		"KERNEL!=\"*.[0-9a-f][0-9a-f][0-9a-f][0-9a-f]\", "
		"ATTR{address}==\"*:52:54:00:??:??:12:34:56\", NAME:=\"bootnet\"\n");
}

TEST(ipoib_by_its_guid_however_it_was_written)
{
	static const char want[] =
		"SUBSYSTEM==\"net\", ACTION==\"add\", ATTR{type}==\"32\", ENV{DEVTYPE}!=\"?*\", "
		"KERNEL!=\"*.[0-9a-f][0-9a-f][0-9a-f][0-9a-f]\", "
		"ATTR{address}==\"*:00:02:c9:03:00:0e:0b:72\", "
		"NAME:=\"ibboot\"\n";

	expect("ifname=ibboot:00:02:c9:03:00:0e:0b:72", want);
	expect("ifname=ibboot:80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:0e:0b:72", want);
}

TEST(nothing_without_names)
{
	expect("ip=dhcp", "");
}

/* The root's own rules, which may come later, do not rename it. */
TEST(names_that_the_interfaces_have)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	const struct profile_rail rails[] = {{.dev = {.name = "eth0"}},
		{.dev = {.name = "no\"quote"}}, {.dev = {.name = "br0"}}};
	_cleanup_free_ char *text = NULL;

	CHECK_INT(plan_parse(&plan, "ip=dhcp", 7, NULL), 0);
	text = udev_rules(plan, rails, ARRAY_SIZE(rails));
	CHECK_STR(text,
		"SUBSYSTEM==\"net\", ACTION==\"add\", KERNEL==\"eth0\", NAME:=\"eth0\"\n"
		"SUBSYSTEM==\"net\", ACTION==\"add\", KERNEL==\"br0\", NAME:=\"br0\"\n");
}

#define KEYFILE "\"/run/NetworkManager/system-connections/initagent-eth1.nmconnection\", "
#define JOINS(unless) \
	"SUBSYSTEM==\"net\", ACTION==\"add\", NAME==\"eth1\", " unless \
	"TEST!=\"/sys/class/net/%k/master\", RUN+=\"/sbin/ip link set dev eth1 down\", " \
	"RUN+=\"/sbin/ip link set dev eth1 master bond0\", " \
	"RUN+=\"/sbin/ip link set dev eth1 up\"\n"

/* Unless NetworkManager has a profile for it, and runs. */
TEST(a_part_that_comes_back_joins_again)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	const struct profile_rail rails[] = {{.dev = {.name = "eth1"}, .master = "bond0"}};
	_cleanup_free_ char *text = NULL;

	CHECK_INT(plan_parse(&plan, "ip=dhcp", 7, NULL), 0);
	text = udev_rules(plan, rails, ARRAY_SIZE(rails));
	CHECK_STR(text,
		"SUBSYSTEM==\"net\", ACTION==\"add\", KERNEL==\"eth1\", NAME:=\"eth1\"\n"
		JOINS("TEST!=" KEYFILE)
		JOINS("TEST==" KEYFILE
			"TEST!=\"/sys/fs/cgroup/system.slice/NetworkManager.service\", "
			"TEST!=\"/sys/fs/cgroup/systemd/system.slice/NetworkManager.service\", "));
}

/* A bond of eth0 and eth1, of which only eth0 came; br0 is not there at all. */
TEST(a_part_that_comes_after_the_boot_joins)
{
	static const char line[] = "ip=bond0:dhcp bond=bond0:eth0,eth1 bridge=br0:eth2";
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	const struct profile_rail rails[] = {{.dev = {.name = "bond0"}}, {.dev = {.name = "eth0"}}};
	_cleanup_free_ char *text = NULL;

	CHECK_INT(plan_parse(&plan, line, sizeof(line) - 1, NULL), 0);
	text = udev_rules(plan, rails, ARRAY_SIZE(rails));
	CHECK_STR(text,
		"SUBSYSTEM==\"net\", ACTION==\"add\", KERNEL==\"bond0\", NAME:=\"bond0\"\n"
		"SUBSYSTEM==\"net\", ACTION==\"add\", KERNEL==\"eth0\", NAME:=\"eth0\"\n"
		"SUBSYSTEM==\"net\", ACTION==\"add\", KERNEL==\"eth1\", NAME:=\"eth1\"\n"
		JOINS("TEST!=" KEYFILE)
		JOINS("TEST==" KEYFILE
			"TEST!=\"/sys/fs/cgroup/system.slice/NetworkManager.service\", "
			"TEST!=\"/sys/fs/cgroup/systemd/system.slice/NetworkManager.service\", "));
}

TEST(the_file_is_where_udev_looks)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	char dir[] = "/tmp/initagent-udev-XXXXXX", path[256], text[512];
	static const char line[] = "ifname=a0:52:54:00:12:34:56 ifname=a1:52:54:00:12:34:57";
	struct env env = {.prefix = check_dir(dir)};
	struct profile_set set = {.env = &env};

	snprintf(path, sizeof(path), "%s/run", dir);
	CHECK_INT(mkdir(path, 0755), 0);
	CHECK_INT(plan_parse(&plan, line, sizeof(line) - 1, NULL), 0);
	CHECK_INT(udev_write(&set, plan), 0);
	CHECK(env_read(&env, text, sizeof(text), "/run/udev/rules.d/70-initagent-net.rules") > 0);
	CHECK(strstr(text, "NAME:=\"a0\"\nSUBSYSTEM") != NULL);
}
