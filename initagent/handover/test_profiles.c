// SPDX-License-Identifier: GPL-2.0-or-later
/* Network profiles: the exact files for each manager and kind of rail; hostile values. */
#include "check.h"

#include "base/file.h"
#include "handover/profiles.h"
#include "profileroom.h"
#include "report/record.h"
#include "report/report.h"

/* --- what each kind of rail becomes ----------------------------------------------------------- */

TEST(ethernet_dhcp)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	proom_begin();
	proom_make("/sbin/dhclient", "");
	proom_write("rd.handover=all", &rail, 1);
	proom_expect("ethernet-dhcp");
}

/* All that the command line can add to a lease. */
TEST(ethernet_dhcp_with_options)
{
	static const struct plan_route routes[] = {{.prefix = 16}, {.prefix = 8, .ifname = "eth9"}};
	struct plan_route own[2];
	struct inet_addr dns = proom_ip("192.0.2.53");
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	memcpy(own, routes, sizeof(own));
	own[0].net = proom_ip("10.7.0.0");
	own[0].gateway = proom_ip("10.0.0.254");
	own[1].net = proom_ip("11.0.0.0");
	rail.cfg.routes = own, rail.cfg.n_routes = 2;
	rail.cfg.nameservers = &dns, rail.cfg.n_nameservers = 1;
	rail.cfg.gateway = r.gateway = proom_ip("10.0.0.9");
	rail.cfg.no_peerdns = true;
	rail.cfg.hostname = "node1";
	rail.cfg.metric = 100;
	rail.cfg.mtu = rail.dev.mtu = 9000;
	rail.cfg.servers[0] = (struct inet_addr){.family = AF_INET6, .bytes = {0xfe, 0x80}};
	rail.cfg.servers[1] = proom_ip("10.0.0.1");
	rail.cfg.n_servers = 2;
	r.dns[0] = dns;
	*r.domain = 0;
	proom_begin();
	proom_make("/sbin/dhclient", "");
	proom_write("rd.handover=all hostname=node1", &rail, 1);
	proom_expect("ethernet-dhcp-options");
}

TEST(ethernet_static)
{
	struct address_result r = {
		.method = ADDRESS_STATIC, .addr = proom_ip("10.0.0.5"), .prefix = 24,
			.gateway = proom_ip("10.0.0.1"), .n_routes = 1};
	struct profile_rail rail = {
		.dev = proom_ethernet("eth0", 2), .cfg = {.method = ADDRESS_STATIC}, .four = &r,
			.carries_root = true};

	r.routes[0] = (struct address_route){proom_ip("10.8.0.0"), 16, proom_ip("10.0.0.8")};
	r.dns[0] = proom_ip("10.0.0.2");
	r.n_dns = 1;
	rail.cfg.addr = r.addr;
	proom_begin();
	proom_write("rd.handover=all", &rail, 1);
	proom_expect("ethernet-static");
}

static void expect_ipoib(const char *name, const char *cmdline, const char *library,
	const uint8_t *id, size_t len)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ipoib("ib0", 0xffff), &r);

	proom_set_id(&r, id, len);
	proom_begin();
	proom_make(library, "");
	proom_write(cmdline, &rail, 1);
	proom_expect(name);
}

/* FlexBoot's identifier: networkd learnt to send it with version 255. */
TEST(ipoib_dhcp_flexboot)
{
	expect_ipoib("ipoib-dhcp-flexboot", "rd.handover=all", LIBRARY("252"), proom_id_flexboot,
		sizeof(proom_id_flexboot));
}

TEST(ipoib_dhcp_flexboot_and_a_newer_systemd)
{
	expect_ipoib("ipoib-dhcp-flexboot-257", "rd.handover=networkd", LIBRARY("257"),
		proom_id_flexboot, sizeof(proom_id_flexboot));
}

TEST(ipoib_dhcp_rfc4361)
{
	expect_ipoib("ipoib-dhcp-rfc4361", "rd.handover=networkd", LIBRARY("252"), proom_id_rfc4361,
		sizeof(proom_id_rfc4361));
}

TEST(ipoib_dhcp_hw_connected)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ipoib("ib0", 0xffff), &r);

	proom_set_id(&r, proom_id_hw, sizeof(proom_id_hw));
	rail.connected = true;
	rail.cfg.mtu = rail.dev.mtu = 65520;
	proom_begin();
	proom_write("rd.handover=all", &rail, 1);
	proom_expect("ipoib-dhcp-hw-connected");
}

TEST(ipoib_child)
{
	struct address_result r = {.method = ADDRESS_STATIC, .addr = proom_ip("10.0.0.5"),
		.prefix = 16};
	struct profile_rail rail = {.dev = proom_ipoib("ib0.8001", 0x8001),
		.cfg = {.method = ADDRESS_STATIC}, .four = &r,
		.parent = "ib0", .parent_ifindex = 4, .carries_root = true};

	rail.cfg.addr = r.addr;
	proom_begin();
	proom_write("rd.handover=all", &rail, 1);
	proom_expect("ipoib-child");
}

/* Without an address NetworkManager refuses a profile with gateway=; the lease's default route must
 * not stand beside that of the command line. */
TEST(a_gateway_before_there_is_an_address)
{
	struct profile_rail rail = {.dev = proom_ethernet("eth0", 2), .awaited = true,
		.cfg = {.method = ADDRESS_DHCP4, .gateway = proom_ip("10.0.0.9")}};
	_cleanup_free_ char *text = NULL;

	proom_begin();
	proom_write("rd.handover=networkmanager", &rail, 1);
	text = proom_text();
	CHECK(strstr(text, "\nroute1=0.0.0.0/0,10.0.0.9\n"));
	CHECK(strstr(text, "\nnever-default=true\n"));
	CHECK(!strstr(text, "\ngateway="));
}

/* The slower of two interfaces: NetworkManager reads no ip= by itself. */
TEST(one_that_has_no_address_yet)
{
	struct address_result r = {0};
	struct profile_rail rails[] = {
		proom_leased(proom_ethernet("eth0", 2), &r),
		{.dev = proom_ipoib("ib0", 0xffff), .cfg = {.method = ADDRESS_DHCP4, .metric = 200},
			.awaited = true},
	};

	proom_begin();
	proom_write("rd.handover=all", rails, 2);
	CHECK(proom_has("/run/NetworkManager/devices/2"));
	CHECK(proom_has("/run/NetworkManager/system-connections/initagent-ib0.nmconnection"));
	CHECK(!proom_has("/run/NetworkManager/devices/5"));
	CHECK(!proom_has("/run/systemd/network/05-initagent-ib0.network"));
	proom_begin();
	proom_write("rd.handover=networkmanager", rails, 2);
	proom_expect("networkmanager-awaited");
}

TEST(ipv6_by_router)
{
	struct address_result r = {
		.method = ADDRESS_AUTO6, .addr = proom_ip("2001:db8::5"), .prefix = 64,
			.gateway = proom_ip("fe80::1"), .n_dns = 1};
	struct profile_rail rail = {
		.dev = proom_ethernet("eth0", 2), .cfg = {.method = ADDRESS_AUTO6}, .six = &r,
			.carries_root = true};

	r.dns[0] = proom_ip("2001:db8::53");
	proom_begin();
	proom_write("rd.handover=all", &rail, 1);
	proom_expect("ipv6-auto");
}

/* rd.peerdns=0, nameserver=, and bootdev= of another interface: as the boot has them. */
TEST(ipv6_with_options)
{
	struct inet_addr dns = proom_ip("2001:db8::99");
	struct address_result r = {
		.method = ADDRESS_DHCP6, .addr = proom_ip("2001:db8::5"), .prefix = 128, .n_dns = 1,
			.dns = {dns}};
	struct profile_rail rail = {
		.dev = proom_ethernet("eth0", 2), .cfg = {.method = ADDRESS_DHCP6,
			.nameservers = &dns, .n_nameservers = 1, .no_peerdns = true,
			.no_default_route = true}, .six = &r, .carries_root = true};

	proom_begin();
	proom_write("rd.handover=all", &rail, 1);
	proom_expect("ipv6-options");
}

/* NetworkManager refuses a profile that has name servers beside method=link-local. */
TEST(ipv6_link_local_with_a_nameserver)
{
	struct inet_addr dns = proom_ip("2001:db8::99");
	struct address_result r = {.method = ADDRESS_LINK6, .addr = proom_ip("fe80::5"),
		.prefix = 64, .n_dns = 1, .dns = {dns}};
	struct profile_rail rail = {
		.dev = proom_ethernet("eth0", 2), .cfg = {.method = ADDRESS_LINK6,
			.nameservers = &dns, .n_nameservers = 1}, .six = &r, .carries_root = true};
	char text[1024];

	proom_begin();
	proom_write("rd.handover=networkmanager", &rail, 1);
	CHECK(env_read(&proom_env, text, sizeof(text),
		"/run/NetworkManager/system-connections/initagent-eth0.nmconnection") > 0);
	CHECK(strstr(text, "method=link-local"));
	CHECK(!strstr(text, "dns"));
}

TEST(ipv6_dhcp_beside_ipv4)
{
	static const uint8_t duid[] = {0, 4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	struct address_result r, six = {.method = ADDRESS_DHCP6, .addr = proom_ip("2001:db8::5"),
		.prefix = 128};
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	proom_set_id(&six, duid, sizeof(duid));
	rail.six = &six;
	rail.cfg.second = ADDRESS_DHCP6;
	proom_begin();
	proom_make("/sbin/dhclient", "");
	proom_write("rd.handover=all", &rail, 1);
	proom_expect("ipv6-dhcp");
}

TEST(ipv6_static)
{
	struct address_result r = {
		.method = ADDRESS_STATIC, .addr = proom_ip("2001:db8::5"), .prefix = 64,
			.gateway = proom_ip("2001:db8::1"), .n_routes = 1};
	struct profile_rail rail = {
		.dev = proom_ethernet("eth0", 2), .cfg = {.method = ADDRESS_STATIC}, .six = &r,
			.carries_root = true};

	r.routes[0] = (struct address_route){proom_ip("2001:db8:1::"), 48, proom_ip("2001:db8::9")};
	rail.cfg.addr = r.addr;
	proom_begin();
	proom_write("rd.handover=all", &rail, 1);
	proom_expect("ipv6-static");
}

TEST(two_rails)
{
	struct address_result r[2];
	struct profile_rail rails[2] = {proom_leased(proom_ethernet("eth0", 2), &r[0]),
		proom_leased(proom_ethernet("eth1", 3), &r[1])};

	r[1].addr = proom_ip("10.1.0.5");
	r[1].gateway = (struct inet_addr){0};
	rails[1].cfg.metric = 100;
	rails[1].carries_root = false;
	proom_begin();
	proom_make("/sbin/dhclient", "");
	proom_write("rd.handover=all", rails, 2);
	proom_expect("two-rails");
}

/* A VLAN on a bond of two, as a stack: each with the file of its own kind. */
TEST(vlan_on_a_bond)
{
	static const char line[] = "vlan=bond0.5:bond0 bond=bond0:eth0,eth1:mode=802.3ad,lacp_rate="
		"fast,arp_ip_target=10.0.0.1;10.0.0.2,downdelay=200:9000";
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct address_result r;
	struct profile_rail rails[4] = {proom_leased(proom_ethernet("bond0.5", 2), &r)};

	CHECK_INT(plan_parse(&plan, line, strlen(line), NULL), 0);
	for (size_t i = 1; i < 4; i++)
		rails[i] = (struct profile_rail){
			.dev = proom_ethernet(i == 1 ? "bond0" : i == 2 ? "eth0" : "eth1", 2),
			.part = true};
	rails[0].made = &plan->net.links[0];
	rails[1].made = &plan->net.links[1];
	strscpy(rails[0].dev.kind, "vlan", 16);
	strscpy(rails[1].dev.kind, "bond", 16);
	for (size_t i = 2; i < 4; i++) {
		strscpy(rails[i].master, "bond0", IFNAMSIZ);
		rails[i].master_kind = "bond";
		rails[i].dev.ifindex = (int)i + 3;
	}
	rails[1].dev.ifindex = 4;
	rails[1].dev.mtu = 9000;
	proom_begin();
	proom_make("/sbin/dhclient", "");
	proom_write("rd.handover=all", rails, 4);
	proom_expect("vlan-on-bond");
}

/* What NetworkManager 1.42 refuses a profile for is left out of it: the bond has it already. */
TEST(options_of_a_bond_for_networkmanager)
{
	static const struct {
		const char *line, *section;
	} rows[] = {
		{"bond=bond0:eth0,eth1:mode=1,arp_interval=100,ns_ip6_target=[2001:db8::1]",
			"mode=active-backup\n"},
		{"bond=bond0:eth0,eth1:mode=1,arp_interval=100,arp_ip_target=10.0.0.1;10.0.0.2,"
			"arp_validate=all,num_grat_arp=2,num_unsol_na=3",
			"mode=active-backup\narp_interval=100\narp_ip_target=10.0.0.1,10.0.0.2\n"
			"arp_validate=all\nnum_unsol_na=3\n"},
		{"bond=bond0:eth0,eth1:arp_interval=0,use_carrier=on,lacp_active=on",
			"miimon=100\nuse_carrier=1\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(plan_freep) struct boot_plan *plan = NULL;
		struct profile_rail rail = {.dev = proom_ethernet("bond0", 2), .part = true};
		_cleanup_free_ char *text = NULL;
		char want[256];

		CHECK_INT(plan_parse(&plan, rows[i].line, strlen(rows[i].line), NULL), 0);
		rail.made = &plan->net.links[0];
		strscpy(rail.dev.kind, "bond", 16);
		proom_begin();
		proom_write("rd.handover=networkmanager", &rail, 1);
		text = proom_text();
		snprintf(want, sizeof(want), "\n[bond]\n%s\n[ethernet]\n", rows[i].section);
		if (!strstr(text, want))
			check_fail(__FILE__, __LINE__, "%s:\n%s", rows[i].line, text);
	}
}

TEST(bridge_static)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct address_result r = {.method = ADDRESS_STATIC, .addr = proom_ip("10.0.0.5"),
		.prefix = 24};
	struct profile_rail rails[2] = {
		{.dev = proom_ethernet("br0", 3), .four = &r, .carries_root = true},
		{.dev = proom_ethernet("eth0", 2), .part = true, .master = "br0",
			.master_kind = "bridge"}};

	CHECK_INT(plan_parse(&plan, "bridge=br0:eth0", 15, NULL), 0);
	rails[0].made = &plan->net.links[0];
	strscpy(rails[0].dev.kind, "bridge", 16);
	rails[0].cfg.addr = r.addr;
	proom_begin();
	proom_write("rd.handover=all", rails, 2);
	proom_expect("bridge-static");
}

TEST(a_second_agent_writes_the_same)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);
	_cleanup_free_ char *first = NULL, *second = NULL;

	proom_begin();
	proom_make("/sbin/dhclient", "");
	proom_link("/etc/resolv.conf", "/run/dns/resolv.conf");
	proom_write("rd.handover=all", &rail, 1);
	first = proom_text();
	proom_write("rd.handover=all", &rail, 1);
	second = proom_text();
	CHECK_STR(second, first);
}

TEST(nothing_when_nothing_is_asked_for)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	proom_begin();
	proom_make("/usr/sbin/NetworkManager", "");
	proom_write("rd.handover=none", &rail, 1);
	proom_expect("none");
}

/* --- who cannot renew the lease --------------------------------------------------------------- */

static void expect_warning(const char *cmdline, const uint8_t *id, size_t len, bool enabled,
	bool warned)
{
	struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};
	_cleanup_(report_freep) struct report *report = NULL;
	struct profile_rail rail;
	struct address_result r;
	struct report_view v;

	proom_begin();
	CHECK_INT(report_new(&report, &cfg), 0);
	proom_env.report = report;
	rail = proom_leased(proom_ipoib("ib0", 0xffff), &r);
	proom_set_id(&r, id, len);
	proom_make("/usr/sbin/ifup", "");
	proom_make("/usr/lib/systemd/systemd-networkd", "");
	proom_make("/usr/lib/systemd/libsystemd-shared-252.so", "");
	if (enabled)
		proom_make("/usr/lib/systemd/system/multi-user.target.wants/"
			"systemd-networkd.service", "");
	proom_write(cmdline, &rail, 1);
	report_view(report, &v);
	CHECK_INT(v.n_causes, warned);
	CHECK(!warned || (v.causes[0].cause == CAUSE_HANDOVER_LEASE &&
		streq(v.causes[0].where, "ib0")));
}

TEST(a_lease_that_nobody_will_renew_is_said)
{
	static const uint8_t text[] = {0, 'n', '1'};

	expect_warning("", proom_id_flexboot, sizeof(proom_id_flexboot), true, true);
	expect_warning("", text, sizeof(text), true, true);
	expect_warning("", proom_id_hw, sizeof(proom_id_hw), true, false);
	expect_warning("", proom_id_rfc4361, sizeof(proom_id_rfc4361), true, false);
	/* ifupdown borrows a networkd that is not enabled, which cannot send every identifier. */
	expect_warning("rd.handover=ifupdown", proom_id_hw, sizeof(proom_id_hw), false, false);
	expect_warning("rd.handover=ifupdown", proom_id_hw, sizeof(proom_id_hw), true, true);
	expect_warning("rd.handover=ifupdown", proom_id_flexboot, sizeof(proom_id_flexboot), false,
		true);
	/* Nobody is enabled, both get files; which one will run is anybody's guess. */
	expect_warning("", proom_id_flexboot, sizeof(proom_id_flexboot), false, false);
	expect_warning("rd.handover=networkmanager", proom_id_flexboot, sizeof(proom_id_flexboot),
		false, false);
}

/* networkd renews; ifup, enabled too, has a stanza for the interface and must keep off. */
TEST(two_managers_in_use)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	proom_begin();
	proom_make("/usr/lib/systemd/systemd-networkd", "");
	proom_make("/usr/lib/systemd/system/multi-user.target.wants/systemd-networkd.service", "");
	proom_make("/usr/sbin/ifup", "");
	proom_make("/sbin/dhclient", "");
	proom_make("/etc/systemd/system/multi-user.target.wants/networking.service", "");
	proom_write("", &rail, 1);
	CHECK(!proom_has("/run/network/ifstate"));
	proom_make("/etc/network/interfaces", "allow-hotplug eth0\niface eth0 inet dhcp\n");
	proom_write("", &rail, 1);
	CHECK(proom_has("/run/network/ifstate.eth0"));
	CHECK(proom_has("/run/systemd/network/05-initagent-eth0.network"));
	CHECK(!proom_has("/run/systemd/system/initagent-dhclient@.service"));
}

/* Others' lines in ifup's state stay; our earlier ones are replaced, once. */
TEST(ifupdown_keeps_the_state_of_others)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);
	char text[256];

	proom_begin();
	CHECK_INT(file_make_dirs(&proom_env, "/run/network"), 0);
	CHECK_INT(file_write(&proom_env, "/run/network", "ifstate", "lo=lo\neth0=old\neth01=eth01",
		26, 0644), 0);
	for (int i = 0; i < 2; i++) {
		proom_write("rd.handover=ifupdown", &rail, 1);
		CHECK(env_read(&proom_env, text, sizeof(text), "/run/network/ifstate") > 0);
		CHECK_STR(text, "lo=lo\neth01=eth01\neth0=eth0");
	}
	/* Alpine's, by ifupdown-ng and by BusyBox */
	CHECK(env_read(&proom_env, text, sizeof(text), "/run/ifstate") > 0);
	CHECK_STR(text, "eth0=eth0");
	CHECK(!proom_has("/run/systemd/system/initagent-dhclient@.service"));
}

/* --- DNS and host name ------------------------------------------------------------------------ */

static void expect_resolv(const char *target, const char *path, bool written)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);
	char text[256];

	proom_begin();
	proom_link("/etc/resolv.conf", target);
	proom_write("", &rail, 1);
	CHECK(env_read(&proom_env, text, sizeof(text), "/run/initagent/resolv.conf") > 0);
	CHECK_STR(text, "search cluster.example\nnameserver 10.0.0.2");
	CHECK_INT(proom_has(path), written);
}

TEST(resolv_conf_behind_a_link)
{
	expect_resolv("/run/NetworkManager/resolv.conf", "/run/NetworkManager/resolv.conf", true);
	expect_resolv("../run/resolvconf/resolv.conf", "/run/resolvconf/resolv.conf", true);
	expect_resolv("/var/run/dns/resolv.conf", "/run/dns/resolv.conf", true);
	expect_resolv("../run/systemd/resolve/stub-resolv.conf",
		"/run/systemd/resolve/stub-resolv.conf", false);
	expect_resolv("/run/netconfig/resolv.conf", "/run/netconfig/resolv.conf", false);
	expect_resolv("/run/../etc/other", "/etc/other", false);
	expect_resolv("/etc/other", "/etc/other", false);
}

TEST(resolv_conf_of_others_stays)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);
	char text[64];

	proom_begin();
	proom_link("/etc/resolv.conf", "/run/dns");
	CHECK_INT(file_make_dirs(&proom_env, "/run"), 0);
	CHECK_INT(file_write(&proom_env, "/run", "dns", "theirs", 6, 0644), 0);
	proom_write("", &rail, 1);
	CHECK(env_read(&proom_env, text, sizeof(text), "/run/dns") > 0);
	CHECK_STR(text, "theirs");
}

/* --- hostile values --------------------------------------------------------------------------- */

/* The rooms check these already (inet_text.h); one that slips through ends in no file. */
TEST(hostile_text_makes_no_line)
{
	static const char *const bad[] = {"x\nExecStart=/bin/sh", "x\"; reboot; \"", "a=b",
		"$(reboot)", "`x`", "x y\tz", "x\r\n[Match]", "a;b", "x\\", "'", "\x01"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *text = NULL;
		struct address_result r;
		struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

		strscpy(r.hostname, bad[i], sizeof(r.hostname));
		strscpy(r.domain, bad[i], sizeof(r.domain));
		strscpy(r.search, bad[i], sizeof(r.search));
		strscpy(r.boot_file, bad[i], sizeof(r.boot_file));
		strscpy(r.root_path, bad[i], sizeof(r.root_path));
		rail.cfg.hostname = bad[i];
		proom_begin();
		proom_make("/sbin/dhclient", "");
		proom_write("rd.handover=all", &rail, 1);
		text = proom_text();
		CHECK(strlen(text) > 1000);
		CHECK(!strstr(text, bad[i]));
		CHECK(!strstr(text, "reboot"));
		CHECK(!proom_has("/run/initagent/hostname"));
	}
}

/* An interface can have any name without '/' and space; such a one gets no files at all. */
TEST(hostile_names_make_no_file)
{
	static const char *const bad[] = {"..", ".", "-x", "a\nb", "a%i", "a=b", "a;b", "a\"b",
		"\xc3\xa4", ""};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *text = NULL;
		struct address_result r;
		struct profile_rail rail = proom_leased(proom_ethernet(bad[i], 2), &r);

		r.n_dns = 0;
		*r.hostname = 0;
		proom_begin();
		proom_write("rd.handover=all", &rail, 1);
		text = proom_text();
		CHECK_STR(text, "");
	}
}
