// SPDX-License-Identifier: GPL-2.0-or-later
/* A root in memory that brings a configuration for the interface of the boot: which one counts. The
 * files are in the form of Warewulf's overlays. */
#include "check.h"

#include "profileroom.h"

#define WARES "root=wwinit:tmpfs wwinit.server=http://10.0.0.1:9873 "
#define WANTS "/etc/systemd/system/multi-user.target.wants/"
#define NETWORKD "/run/systemd/network/05-initagent-eth0.network"
#define KEYFILE "/run/NetworkManager/system-connections/initagent-eth0.nmconnection"

/* One manager that is enabled. */
static void begin(const char *program, const char *unit)
{
	char path[128];

	proom_begin();
	proom_make(program, "");
	snprintf(path, sizeof(path), WANTS "%s", unit);
	proom_link(path, "/usr/lib/systemd/system/unit");
}

static void networkd(void)
{
	begin("/usr/lib/systemd/systemd-networkd", "systemd-networkd.service");
}

static void write_for(const char *cmdline)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	proom_write(cmdline, &rail, 1);
}

/* Does the root's file replace the profile? What no manager reads is written all the same. */
static bool gives_way(const char *path, const char *text)
{
	networkd();
	proom_make(path, text);
	write_for(WARES);
	CHECK(proom_has("/run/initagent/resolv.conf"));
	CHECK(proom_has("/run/systemd/network/05-initagent-eth0.link"));
	return !proom_has(NETWORKD);
}

TEST(networkd_file_of_the_interface)
{
	const char *path = "/etc/systemd/network/10-ww4-networkd-default.network";

	CHECK(gives_way(path, "[Match]\nName=eth0\nMACAddress=52:54:00:12:34:02\n\n[Network]\n"));
	CHECK(gives_way(path, "[Match]\nMACAddress=52:54:00:12:34:02\n"));
	CHECK(gives_way(path, "[Match]\nPermanentMACAddress=52:54:00:AB:CD:EF 52:54:00:12:34:02"));
	CHECK(gives_way(path, "[Match]\nName=eth1 eth0\n"));
	CHECK(!gives_way(path, "[Match]\nName=eth1\n"));
	CHECK(!gives_way(path, "[Match]\nName=eth00\n[Network]\nVLAN=eth0.7\nBridge=veth0\n"));
	CHECK(!gives_way(path, "[Match]\nName=!eth0\n"));
	CHECK(!gives_way(path, "# Name=eth0\n; eth0\n[Match]\n# eth0\nName=eth1\n"));
	/* for any interface: that is no configuration of this node's */
	CHECK(!gives_way(path, "[Match]\nName=e*\nType=ether\n[Network]\nDHCP=yes\n"));
}

TEST(files_that_networkd_does_not_read)
{
	CHECK(!gives_way("/etc/systemd/network/71-default.network", ""));
	/* of the overlay systemd.netname, which every node has: a name, and no configuration */
	CHECK(!gives_way("/etc/systemd/network/10-ww4-netname-default.link",
		"[Match]\nMACAddress=52:54:00:12:34:02\n[Link]\nName=eth0\n"));
	/* of overlays that every node has, for other managers */
	CHECK(!gives_way("/etc/network/interfaces.d/default", "auto eth0\niface eth0 inet dhcp\n"));
	CHECK(!gives_way("/etc/sysconfig/network-scripts/ifcfg-default.conf", "DEVICE=eth0\n"));
	CHECK(!gives_way("/etc/NetworkManager/system-connections/warewulf-default.conf",
		"interface-name=eth0\n"));
}

TEST(netplan_file_of_the_interface)
{
	CHECK(gives_way("/etc/netplan/warewulf.yaml",
		"network:\n  version: 2\n  renderer: networkd\n  ethernets:\n    eth0:\n"
		"      dhcp4: no\n      mtu: 9000\n"));
	CHECK(gives_way("/etc/netplan/warewulf.yaml", "      interfaces:\n      - eth0\n"));
	CHECK(!gives_way("/etc/netplan/warewulf.yaml", "network: # eth0\n  version: 2\n"));
	CHECK(!gives_way("/etc/netplan/warewulf.yaml.save", "    eth0:\n"));
}

TEST(networkmanager_and_ifcfg)
{
	begin("/usr/sbin/NetworkManager", "NetworkManager.service");
	proom_make("/etc/NetworkManager/system-connections/warewulf-default.conf",
		"[connection]\nid=default\ninterface-name=eth0\n");
	write_for(WARES);
	CHECK(!proom_has(KEYFILE));
	begin("/usr/sbin/NetworkManager", "NetworkManager.service");
	proom_make("/etc/sysconfig/network-scripts/ifcfg-default.conf", "HWADDR=52:54:00:12:34:02");
	write_for(WARES);
	CHECK(!proom_has(KEYFILE));
	begin("/usr/sbin/NetworkManager", "NetworkManager.service");
	proom_make("/etc/sysconfig/network-scripts/ifup-eth", "DEVICE=eth0\n");
	write_for(WARES);
	CHECK(proom_has(KEYFILE));
}

/* ifup fails at an address that is there already: it is taken off before. */
TEST(ifupdown_stanza_of_the_interface)
{
	begin("/usr/sbin/ifup", "networking.service");
	proom_make("/etc/network/interfaces.d/default",
		"auto eth0\nallow-hotplug eth0\niface eth0 inet static\n  address 10.0.0.5\n");
	write_for(WARES);
	proom_expect("own");
}

/* Only where nothing breaks, and nothing else was asked for. */
TEST(only_in_memory_and_unless_it_is_said)
{
	static const char *const lines[] = {"root=nfs:10.0.0.1:/export",
		"root=live:http://10.0.0.1/image", WARES "rd.handover=networkd"};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		networkd();
		proom_make("/etc/systemd/network/10-ww4-networkd-default.network",
			"[Match]\nName=eth0\n");
		write_for(lines[i]);
		CHECK(proom_has(NETWORKD));
		CHECK(!proom_has("/run/systemd/system/initagent-release.service"));
	}
}

/* An IPoIB interface is known by its port GUID, whatever is before it. */
TEST(ipoib_by_its_guid)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ipoib("ib0", 0xffff), &r);

	networkd();
	proom_make("/etc/systemd/network/10-ww4-networkd-ib.network",
		"[Match]\nMACAddress=00:02:C9:03:00:0E:0B:72\n");
	proom_write(WARES, &rail, 1);
	CHECK(!proom_has("/run/systemd/network/05-initagent-ib0.network"));
}

/* A second interface that the list does not configure keeps its profile. */
TEST(the_others_keep_theirs)
{
	struct address_result r[2];
	struct profile_rail rails[2] = {proom_leased(proom_ethernet("eth0", 2), &r[0]),
		proom_leased(proom_ethernet("eth1", 3), &r[1])};

	networkd();
	proom_make("/etc/systemd/network/a.network", "[Match]\nName=eth0\n");
	proom_write(WARES, rails, 2);
	CHECK(!proom_has(NETWORKD));
	CHECK(proom_has("/run/systemd/network/05-initagent-eth1.network"));
}
