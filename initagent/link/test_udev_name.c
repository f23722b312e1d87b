// SPDX-License-Identifier: GPL-2.0-or-later
/* udev's names of interfaces, on a sysfs as machines have it. */
#include "check.h"

#include <limits.h>
#include <sys/stat.h>

#include "link/udev_name.h"
#include "modtree.h"

#define DUAL "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00."
#define XHCI "/sys/devices/pci0000:00/0000:00:14.0"
#define SOC  "/sys/devices/platform/soc/"
#define TREE "/sys/firmware/devicetree/base/"

static struct modtree tree;

static void put(const char *dir, const char *attribute, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", dir, attribute);
	modtree_file(&tree, path, text);
}

/* The link DIR/NAME to the folder TO. */
static void point(const char *dir, const char *name, const char *to)
{
	char path[PATH_MAX], target[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s/%s", tree.root, dir, name);
	snprintf(target, sizeof(target), "%s%s", tree.root, to);
	CHECK_INT(symlink(target, path), 0);
}

/* net NAME under PARENT, an absolute path below /sys/devices. */
static void net(const char *name, const char *parent)
{
	char dir[64];

	snprintf(dir, sizeof(dir), "/sys/class/net/%s", name);
	put(parent, "uevent", "");
	put(dir, "uevent", "");
	point(dir, "device", parent);
}

static bool is(const char *dev, uint16_t hwtype, const char *name)
{
	struct netdev d = {.hwtype = hwtype, .hw = {.len = 6, .bytes = {2, 0, 0, 0, 0, 0xaa}},
		.permanent = {.len = 6, .bytes = {0x0c, 0x42, 0xa1, 0x65, 0xfe, 0x02}}};

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
		"ens", "enp65", "enp65s0fnp0", "eth0", "", NULL};
	static const char *const second[] = {"enp65s0f1", "enp65s0f1np1", "ens3f1", NULL};
	static const char *const switched[] = {"ens3f0npf0vf1", "enp65s0f0r1", "ens3f0r1", NULL};
	static const char *const not_switched[] = {"enp65s0f0", "ens3", "enp65s0f0r0", "ens3f0r",
		"ens3f1r1", "enp65s0f0v1", NULL};

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
}

/* Functions 2 and 3 of the adapter are virtual ones of function 1; the last one is on another bus,
 * as that of a number above 254 is. In a virtual machine such a function is one like others. */
TEST(virtual_functions)
{
	static const char *const third[] = {"enp65s0f1v3", "ens3f1v3", "eno7v3", NULL};
	static const char *const not_third[] = {"enp65s0f1", "enp65s0f1v2", "enp65s0f0v3",
		"enp65s0f3", "ens3f3", "ens3f1v", "ens3f1v03", "ens3f1v3v3", "ens3f1r3", NULL};
	static const char *const far[] = {"enp65s0f1v300", "ens3f1v300", NULL};
	static const char *const not_far[] = {"enp66s0", "ens3", "ens3f1", NULL};
	static const char *const guest[] = {"enp0s5", NULL};
	static const char *const not_guest[] = {"enp0s5v3", "enp0s5v", NULL};

	modtree_make(&tree, NULL, 0);
	net("eth1", DUAL "1");
	net("eth3", DUAL "3");
	net("eth4", "/sys/devices/pci0000:40/0000:40:01.1/0000:42:00.0");
	put(DUAL "1", "acpi_index", "7\n");
	put("/sys/bus/pci/slots/3", "address", "0000:40:01\n");
	point(DUAL "1", "virtfn3", DUAL "3");
	point(DUAL "3", "physfn", DUAL "1");
	point(DUAL "1", "virtfn300", "/sys/devices/pci0000:40/0000:40:01.1/0000:42:00.0");
	point("/sys/devices/pci0000:40/0000:40:01.1/0000:42:00.0", "physfn", DUAL "1");
	all_are("eth3", 1, true, third);
	all_are("eth3", 1, false, not_third);
	all_are("eth4", 1, true, far);
	all_are("eth4", 1, false, not_far);
	net("eth5", "/sys/devices/pci0000:00/0000:00:05.0");
	all_are("eth5", 1, true, guest);
	all_are("eth5", 1, false, not_guest);
}

/* The slot's number is ACPI's _SUN in schemes of 2025, of the function or the port above it; for
 * others that of the hotplug slot. */
TEST(slots_by_their_firmware)
{
	static const char *const own[] = {"ens6f0", "ens3f0", NULL}, *const port[] = {"ens9", NULL};
	static const char *const not_own[] = {"ens9f0", "ens0f0", "ens0", "ens8f0", NULL};

	modtree_make(&tree, NULL, 0);
	net("eth0", DUAL "0");
	put(DUAL "0/firmware_node", "sun", "6\n");
	put("/sys/devices/pci0000:40/0000:40:01.1/firmware_node", "sun", "0\n");
	put("/sys/bus/pci/slots/3", "address", "0000:41:00\n");
	put("/sys/bus/pci/slots/0", "address", "0000:41:00\n");
	all_are("eth0", 1, true, own);
	all_are("eth0", 1, false, not_own);
	net("eth1", "/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0/0000:82:00.0/0000:83:00.0");
	put("/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0/0000:82:00.0/firmware_node", "sun",
		"9\n");
	put("/sys/devices/pci0000:80/0000:80:01.0/firmware_node", "sun", "8\n");
	all_are("eth1", 1, true, port);
	all_are("eth1", 1, false, not_own + 1);
}

TEST(usb_adapters)
{
	static const char *const plain[] = {"enp0s20f0u1u2", "enp0s20u1u2", "ens2f0u1u2", NULL};
	static const char *const not_plain[] = {"enp0s20f0u1", "enp0s20f0u1u2i1", "enp0s20f0",
		"enu1u2", "enp0s20f0u1u2c1", "enp0s20f1u1u2", "eno2u1u2", NULL};
	static const char *const odd[] = {"enp0s20f0u5c2i3", NULL};
	static const char *const chip[] = {"enu1u4", NULL};
	static const char *const not_chip[] = {"enu1", "enp0s0u1u4", "enu1u4i0", "enu", NULL};

	modtree_make(&tree, NULL, 0);
	net("usb0", XHCI "/usb1/1-1/1-1.2/1-1.2:1.0");
	net("usb1", XHCI "/usb1/1-5/1-5:2.3");
	net("usb2", SOC "fe9c0000.xhci/xhci-hcd.0.auto/usb1/1-1/1-1.4/1-1.4:1.0");
	put(XHCI, "index", "2\n");
	put("/sys/bus/pci/slots/2", "address", "0000:00:14\n");
	all_are("usb0", 1, true, plain);
	all_are("usb0", 1, false, not_plain);
	all_are("usb1", 1, true, odd);
	all_are("usb2", 1, true, chip);
	all_are("usb2", 1, false, not_chip);
}

/* The devicetree's aliases number the adapter, or each of its ports; ACPI names it on Arm. */
TEST(platform_adapters)
{
	static const char *const first[] = {"end0", NULL}, *const port[] = {"end3", NULL};
	static const char *const not_first[] = {"end1", "end3", "end", "end0n1", "eno0", NULL};
	static const char *const acpi[] = {"enahisic2i16", NULL}, *const three[] = {"enaapm12i0",
		NULL};
	static const char *const not_acpi[] = {"enahisic2i10", "enahisic2", "ena", "enahisic2i16x",
		"end0", "ibahisic2i16", NULL};

	modtree_make(&tree, NULL, 0);
	net("eth0", SOC "fd580000.ethernet");
	put(TREE "soc/ethernet@fd580000/port@1", "reg", "");
	put(TREE "aliases", "ethernet", "/soc/ethernet@fd580000");
	put(TREE "aliases", "ethernet1", "/soc/ethernet@fd590000");
	put(TREE "aliases", "ethernet3", "/soc/ethernet@fd580000/port@1");
	point(SOC "fd580000.ethernet", "of_node", TREE "soc/ethernet@fd580000");
	all_are("eth0", 1, true, first);
	all_are("eth0", 1, false, not_first);
	all_are("eth0", 32, false, (const char *const[]){"ibd0", NULL});
	net("eth1", SOC "fd580000.ethernet");
	point("/sys/class/net/eth1", "of_node", TREE "soc/ethernet@fd580000/port@1");
	all_are("eth1", 1, true, port);
	net("eth2", "/sys/devices/platform/HISI00C2:10");
	net("eth3", "/sys/devices/platform/APM0012:00");
	all_are("eth2", 1, true, acpi);
	all_are("eth2", 1, false, not_acpi);
	all_are("eth2", 32, false, not_acpi);
	all_are("eth3", 1, true, three);
}

/* By address: of adapters alone, and not of InfiniBand's. */
TEST(addresses)
{
	static const char *const own[] = {"enx0c42a165fe02", "enx0200000000aa", NULL};
	static const char *const not_own[] = {"enx0c42a165fe03", "enx0c42a165fe", "enx",
		"enx0c42a165fe02n1", "enx0c42a165fe0g", NULL};
	static const char *const none[] = {"enx0c42a165fe02", "ibx0c42a165fe02", NULL};

	modtree_make(&tree, NULL, 0);
	net("eth0", DUAL "0");
	all_are("eth0", 1, true, own);
	all_are("eth0", 1, false, not_own);
	all_are("eth0", 32, false, none);
	put("/sys/class/net/made0", "uevent", "");
	all_are("made0", 1, false, none);
}
