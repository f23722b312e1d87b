// SPDX-License-Identifier: GPL-2.0-or-later
/* The name that an interface gets where an option calls it, or its child, as udev does. */
#include "check.h"

#include <limits.h>
#include <unistd.h>

#include "modtree.h"
#include "rails/private.h"

#define CARD "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0"

/* Of a ConnectX in InfiniBand mode, ib9. */
static void check_wanted(const char *options, const char *want)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct netdev dev = {.name = "ib9", .hwtype = 32};
	char link[PATH_MAX], to[PATH_MAX], got[IFNAMSIZ] = "";
	struct rails b = {0};
	struct modtree tree;

	modtree_bare(&tree);
	modtree_file(&tree, CARD "/uevent", "");
	modtree_file(&tree, "/sys/class/net/ib9/uevent", "");
	snprintf(link, sizeof(link), "%s/sys/class/net/ib9/device", tree.root);
	snprintf(to, sizeof(to), "%s" CARD, tree.root);
	CHECK_INT(symlink(to, link), 0);
	CHECK_INT(plan_parse(&plan, options, strlen(options), NULL), 0);
	b.plan = plan;
	b.env = tree.env;
	CHECK_INT(links_new(&b.links, &b.env, 1), 0);
	if (!naming_wanted(&b, &dev, got))
		got[0] = 0;
	links_free(b.links);
	if (!streq(got, want))
		check_fail(__FILE__, __LINE__, "%s: %s, not %s", options, got, want);
}

TEST(the_parent_of_a_partition_is_named_by_its_child)
{
	static const struct {
		const char *options, *want;
	} rows[] = {
		{"root=dhcp ip=ibp65s0:dhcp", "ibp65s0"},
		{"root=dhcp ip=ibp65s0.8001:dhcp rd.ib.pkey=0x8001", "ibp65s0"},
		{"root=dhcp rd.ib.pkey=0x8001 bond=bond0:ibp65s0.8001:mode=active-backup "
		 "ip=bond0:dhcp", "ibp65s0"},
		{"root=dhcp rd.ib.pkey=ibp65s0.8001 ip=dhcp", "ibp65s0"},
		{"root=dhcp ip=ibp66s0.8001:dhcp rd.ib.pkey=0x8001", ""},
		{"root=dhcp ip=ibp65s0.801:dhcp rd.ib.pkey=0x8001", ""},
		{"root=dhcp ip=ib9.8001:dhcp rd.ib.pkey=0x8001 bootdev=ibp65s0", ""},
		{"root=dhcp ip=ibp65s0.8001:dhcp rd.ib.pkey=0x8001 "
		 "ifname=ibp65s0:00:02:c9:03:00:0e:0b:72", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_wanted(rows[i].options, rows[i].want);
}
