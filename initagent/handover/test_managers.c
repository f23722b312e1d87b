// SPDX-License-Identifier: GPL-2.0-or-later
/* The choice of the network manager, on trees of files as distributions have them. */
#include "check.h"

#include <sys/stat.h>

#include "files.h"
#include "handover/interfaces.h"
#include "handover/managers.h"

static char root[] = "/tmp/initagent-managers-XXXXXX";

static void begin(void)
{
	check_dir(root);
}

static void make(const char *path, const char *text)
{
	files_text(root, path, text);
}

static void make_link(const char *path, const char *target)
{
	files_link(root, path, target);
}

/* --- which manager the real root has ---------------------------------------------------------- */

#define WANTS "/etc/systemd/system/multi-user.target.wants/"

static unsigned chosen(void)
{
	struct managers m;

	managers_find(root, &m);
	return m.chosen;
}

/* Debian 12's folders, everything installed, nothing enabled. */
static void install_all(void)
{
	begin();
	make("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
	make("/usr/lib/systemd/systemd-networkd", "");
	make("/usr/sbin/NetworkManager", "");
	make("/usr/sbin/ifup", "");
	make("/etc/rc.d/init.d/network", "");
	make_link("/etc/init.d", "rc.d/init.d");
}

TEST(an_empty_root_has_none)
{
	begin();
	CHECK_INT(chosen(), 0);
}

TEST(none_enabled_is_all_installed)
{
	install_all();
	CHECK_INT(chosen(), PLAN_HANDOVER_ALL);
}

TEST(a_masked_one_is_not_to_be_started)
{
	install_all();
	CHECK(!managers_masked(root, PLAN_HANDOVER_NETWORKD));
	make_link("/etc/systemd/system/systemd-networkd.service", "/dev/null");
	CHECK(managers_masked(root, PLAN_HANDOVER_NETWORKD));
	CHECK(!managers_masked(root, PLAN_HANDOVER_IFUPDOWN));
}

TEST(the_enabled_one_wins)
{
	install_all();
	make_link(WANTS "networking.service", "/lib/systemd/system/networking.service");
	CHECK_INT(chosen(), PLAN_HANDOVER_IFUPDOWN);
	make_link("/etc/systemd/system/sysinit.target.wants/systemd-networkd.service",
		"/lib/systemd/system/systemd-networkd.service");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKD);
	make_link(WANTS "NetworkManager.service", "/lib/systemd/system/NetworkManager.service");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKMANAGER);
	make_link("/etc/systemd/system/NetworkManager.service", "/dev/null");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKD);
}

TEST(enabled_but_not_installed_does_not_count)
{
	begin();
	make("/usr/sbin/ifup", "");
	make_link(WANTS "NetworkManager.service", "/usr/lib/systemd/system/NetworkManager.service");
	CHECK_INT(chosen(), PLAN_HANDOVER_IFUPDOWN);
}

TEST(units_the_distribution_wants)
{
	install_all();
	make("/usr/lib/systemd/system/multi-user.target.wants/systemd-networkd.service", "");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKD);
}

TEST(init_scripts)
{
	install_all();
	make_link("/etc/rc.d/rc3.d/S10network", "../init.d/network");
	CHECK_INT(chosen(), PLAN_HANDOVER_IFCFG);
	make_link("/etc/rcS.d/S12networking", "../init.d/networking");
	CHECK_INT(chosen(), PLAN_HANDOVER_IFUPDOWN);
}

/* Ubuntu's NetworkManager takes no wired interface unless netplan has it as a renderer. */
TEST(a_network_manager_for_wireless_alone)
{
	static const char conf[] =
		"/usr/lib/NetworkManager/conf.d/10-globally-managed-devices.conf";

	install_all();
	make_link(WANTS "NetworkManager.service", "/lib/systemd/system/NetworkManager.service");
	make(conf, "[keyfile]\nunmanaged-devices=*,except:type:wifi,except:type:wwan\n");
	make("/etc/netplan/50-cloud-init.yaml",
		"network:\n  version: 2\n  renderer: networkd # not NetworkManager\n");
	CHECK_INT(chosen(), PLAN_HANDOVER_ALL & ~PLAN_HANDOVER_NETWORKMANAGER);
	make_link(WANTS "systemd-networkd.service", "/lib/systemd/system/systemd-networkd.service");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKD);
	make("/usr/lib/netplan/00-network-manager-all.yaml",
		"network:\n  renderer: NetworkManager\n");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKMANAGER);
	make("/usr/lib/netplan/00-network-manager-all.yaml", "");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKD);
	make("/etc/netplan/60-site.yaml",
		"network:\n  ethernets:\n    eth0:\n      renderer: NetworkManager\n");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKMANAGER);
	make("/etc/netplan/60-site.yaml", "");
	make("/etc/NetworkManager/conf.d/10-globally-managed-devices.conf", "");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKMANAGER);
}

/* SUSE's ifup is wicked's. */
TEST(an_ifup_of_another_manager)
{
	begin();
	make("/usr/sbin/ifup", "");
	make("/usr/sbin/wicked", "");
	CHECK_INT(chosen(), 0);
}

/* Presets count on the first boot, in the order of their names, and only without a link. */
TEST(presets_of_a_first_boot)
{
	install_all();
	make("/usr/lib/systemd/system-preset/90-default.preset", "# all\ndisable *\n");
	make("/usr/lib/systemd/system-preset/50-network.preset", "enable  systemd-networkd.*\n");
	CHECK_INT(chosen(), PLAN_HANDOVER_ALL);
	make("/etc/machine-id", "uninitialized\n");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKD);
	make("/etc/systemd/system-preset/10-site.preset",
		"disable systemd-networkd.service\nenable NetworkManager.service");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKMANAGER);
	make("/etc/systemd/system-preset/50-network.preset", "");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKMANAGER);
	make_link(WANTS "networking.service", "/lib/systemd/system/networking.service");
	CHECK_INT(chosen(), PLAN_HANDOVER_IFUPDOWN);
}

/* A link of the real root that leads out of it is looked up inside of it. */
TEST(links_stay_in_the_root)
{
	begin();
	make("/opt/nm", "");
	make_link("/usr/sbin/NetworkManager", "/opt/nm");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKMANAGER);
	make_link("/usr/sbin/NetworkManager", "/bin/sh");
	CHECK_INT(chosen(), 0);
}

/* --- ifupdown's own configuration ------------------------------------------------------------- */

TEST(interfaces_that_ifup_would_configure)
{
	begin();
	CHECK(!interfaces_name(root, "eth0"));
	make("/etc/network/interfaces",
		"# iface eth9 inet dhcp\nsource /etc/network/interfaces.d/*\nauto lo\n"
					"iface lo inet loopback\n\n  allow-hotplug\tens3 "
						"ens4\niface ens3 inet dhcp\n"
					"    up ip link set eth7 up\niface ens5 inet static "
						"eth8\nauto ib*");
	make("/etc/network/interfaces.d/site", "iface eth0 inet manual\n");
	make("/etc/network/interfaces.d/.hidden", "iface eth6 inet manual\n");
	CHECK(interfaces_name(root, "ens3"));
	CHECK(interfaces_name(root, "ens4"));
	CHECK(interfaces_name(root, "ens5"));
	CHECK(interfaces_name(root, "eth0"));
	CHECK(interfaces_name(root, "ib0.8001"));
	make("/etc/network/interfaces.d/forms",
		"auto /enp*=inner \\\n\teno1=outer\nauto mac/52:54:00:00:00:01\n");
	CHECK(interfaces_name(root, "enp3s0"));
	CHECK(interfaces_name(root, "eno1"));
	CHECK(!interfaces_name(root, "outer"));
	CHECK(!interfaces_name(root, "eth6"));
	CHECK(!interfaces_name(root, "eth7"));
	CHECK(!interfaces_name(root, "eth8"));
	CHECK(!interfaces_name(root, "eth9"));
	CHECK(!interfaces_name(root, "ens"));
}

/* Whole files and all of the presets: what decides may be the last line of the last. */
TEST(long_files_and_many_of_them)
{
	char text[20000], path[80];

	install_all();
	memset(text, '#', sizeof(text));
	snprintf(text + sizeof(text) - 40, 40, "\niface eth5 inet dhcp\n");
	make("/etc/network/interfaces", text);
	CHECK(interfaces_name(root, "eth5"));
	CHECK(!interfaces_name(root, "eth6"));
	make("/etc/machine-id", "");
	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path), "/usr/lib/systemd/system-preset/%02d-a.preset", i);
		make(path, "disable nothing.service\n");
	}
	snprintf(text + sizeof(text) - 80, 80, "\nenable networking.service\ndisable *\n");
	make("/usr/lib/systemd/system-preset/99-b.preset", text);
	CHECK_INT(chosen(), PLAN_HANDOVER_IFUPDOWN);
}

/* --- what is no file -------------------------------------------------------------------------- */

static void make_fifo(const char *path)
{
	char full[256];

	make(path, "");
	snprintf(full, sizeof(full), "%s%s", root, path);
	CHECK_INT(unlink(full), 0);
	CHECK_INT(mkfifo(full, 0644), 0);
}

TEST(no_look_waits_for_a_fifo)
{
	install_all();
	make_fifo("/etc/machine-id");
	make_fifo("/usr/lib/systemd/system-preset/10-a.preset");
	make_fifo("/etc/network/interfaces");
	make_fifo("/etc/network/interfaces.d/a");
	make("/usr/lib/systemd/system-preset/90-b.preset",
		"enable NetworkManager.service\ndisable *\n");
	CHECK_INT(chosen(), PLAN_HANDOVER_NETWORKMANAGER);
	CHECK(!interfaces_name(root, "eth0"));
}
