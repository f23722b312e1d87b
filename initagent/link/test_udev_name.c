// SPDX-License-Identifier: GPL-2.0-or-later
/* udev's names of interfaces, on a sysfs as machines have it. */
#include "check.h"

#include <limits.h>
#include <sys/stat.h>

#include "link/udev_name.h"
#include "modtree.h"

#define DUAL "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00."

static struct modtree tree;

/* net NAME under PARENT, an absolute path below /sys/devices. */
static void net(const char *name, const char *parent)
{
	char path[PATH_MAX], to[PATH_MAX];

	snprintf(path, sizeof(path), "%s/uevent", parent);
	modtree_file(&tree, path, "");
	snprintf(path, sizeof(path), "/sys/class/net/%s/uevent", name);
	modtree_file(&tree, path, "");
	snprintf(path, sizeof(path), "%s/sys/class/net/%s/device", tree.root, name);
	snprintf(to, sizeof(to), "%s%s", tree.root, parent);
	CHECK_INT(symlink(to, path), 0);
}

static void put(const char *dir, const char *attribute, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, attribute);
	modtree_file(&tree, path, text);
}

static bool is(const char *dev, uint16_t hwtype, const char *name)
{
	struct netdev d = {.hwtype = hwtype};

	strscpy(d.name, dev, sizeof(d.name));
	return udev_name_is(&tree.env, &d, name);
}

static void all_are(const char *dev, uint16_t hwtype, bool yes, const char *const *names)
{
	for (; *names; names++)
		if (is(dev, hwtype, *names) != yes)
			check_fail(__FILE__, __LINE__, "%s: %s", dev, *names);
}

/* A ConnectX of two functions in slot 3, and the port of its switch to a virtual function. */
TEST(both_functions_of_an_adapter)
{
	static const char *const first[] = {
		"enp65s0f0", "enp65s0f0np0", "enp65s0", "ens3f0np0", "ens3", NULL};
	static const char *const not_first[] = {"enp65s0f1", "enp65s0f0np1", "enp65s0f0d1",
		"ens4f0", "eno3", "ibp65s0", "P0enp65s0", "enP1p65s0", "enp65s0f0x", "enp", "en",
		"ens", "enp65", "enp65s0fnp0", "eth0", "enx0c42a165fe02", "", NULL};
	static const char *const second[] = {"enp65s0f1", "enp65s0f1np1", "ens3f1", NULL};
	static const char *const switched[] = {"enp65s0f0npf0vf1", NULL};
	static const char *const not_switched[] = {"enp65s0f0", "ens3", NULL};

	modtree_make(&tree, NULL, 0);
	net("eth0", DUAL "0");
	net("eth1", DUAL "1");
	net("eth2", DUAL "0");
	put("/sys/class/net/eth0", "phys_port_name", "p0\n");
	put("/sys/class/net/eth1", "phys_port_name", "p1\n");
	put("/sys/class/net/eth2", "phys_port_name", "pf0vf1\n");
	put("/sys/bus/pci/slots/3", "address", "0000:41:00\n");
	put("/sys/bus/pci/slots/4", "address", "0000:81:00\n");
	all_are("eth0", 1, true, first);
	all_are("eth0", 1, false, not_first);
	all_are("eth1", 1, true, second);
	all_are("eth1", 1, false, first);
	all_are("eth2", 1, true, switched);
	all_are("eth2", 1, false, not_switched);
	modtree_remove(&tree);
}

/* mlx4: one function, both ports; of the second IPoIB interface an old kernel has dev_id alone. */
TEST(both_ports_of_a_function)
{
	static const char *const first[] = {"ibp5s0", "ibs2", "ibp5s0f0", NULL};
	static const char *const second[] = {"ibp5s0d1", "ibs2d1", NULL};
	static const char *const none[] = {"enp5s0", "ibp5s0d2", "ibs3", NULL};

	modtree_make(&tree, NULL, 0);
	net("ib0", "/sys/devices/pci0000:00/0000:00:03.0/0000:05:00.0");
	net("ib1", "/sys/devices/pci0000:00/0000:00:03.0/0000:05:00.0");
	put("/sys/class/net/ib0", "dev_port", "0\n");
	put("/sys/class/net/ib1", "dev_port", "0\n");
	put("/sys/class/net/ib1", "dev_id", "0x1\n");
	/* the slot is the bridge's */
	put("/sys/bus/pci/slots/2", "address", "0000:00:03\n");
	all_are("ib0", 32, true, first);
	all_are("ib0", 32, false, second);
	all_are("ib1", 32, true, second);
	all_are("ib1", 32, false, first);
	all_are("ib1", 32, false, none);
	modtree_remove(&tree);
}

TEST(onboard_domains_virtio_and_what_is_not_pci)
{
	static const char *const board[] = {"eno1", "eno1np0", "enP2p1s0", NULL};
	static const char *const not_board[] = {"eno2", "eno1d1", "enp1s0", "eno1f0", NULL};
	static const char *const smbios[] = {"eno4", NULL}, *const virtio[] = {"enp0s4", NULL};
	static const char *const none[] = {"enp0s4", "eno1", "ens1", NULL};

	modtree_make(&tree, NULL, 0);
	net("eth0", "/sys/devices/pci0002:00/0002:00:01.0/0002:01:00.0");
	put("/sys/devices/pci0002:00/0002:00:01.0/0002:01:00.0", "acpi_index", "1\n");
	put("/sys/devices/pci0002:00/0002:00:01.0/0002:01:00.0", "index", "9\n");
	put("/sys/class/net/eth0", "phys_port_name", "p0\n");
	all_are("eth0", 1, true, board);
	all_are("eth0", 1, false, not_board);
	net("eth1", "/sys/devices/pci0000:00/0000:00:19.0");
	put("/sys/devices/pci0000:00/0000:00:19.0", "index", "4\n");
	all_are("eth1", 1, true, smbios);
	net("eth2", "/sys/devices/pci0000:00/0000:00:04.0/virtio1");
	all_are("eth2", 1, true, virtio);
	net("eth3", "/sys/devices/platform/fsl-enet");
	all_are("eth3", 1, false, none);
	all_are("lo", 772, false, none);
	all_are("nothere", 1, false, none);
	modtree_remove(&tree);
}
