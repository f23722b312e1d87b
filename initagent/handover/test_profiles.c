// SPDX-License-Identifier: GPL-2.0-or-later
/* Network profiles: the exact files for each manager and kind of rail; hostile values. */
#include "check.h"

#include <dirent.h>
#include <net/if_arp.h>
#include <sys/stat.h>

#include "handover/file.h"
#include "handover/profiles.h"
#include "report/record.h"

static char top[] = "/tmp/initagent-profiles-XXXXXX";
static char dir[48]; /* a new one below top at each begin() */
static char root[64];
static struct env env;

/* --- rails ----------------------------------------------------------------------------------- */

static struct inet_addr ip(const char *text)
{
	struct inet_addr a;

	CHECK_INT(value_inet(text, strlen(text), &a), 0);
	return a;
}

static struct netdev ethernet(const char *name, uint8_t last)
{
	struct netdev dev = {.ifindex = last, .hwtype = ARPHRD_ETHER, .mtu = 1500, .up = true, .carrier = true};

	strscpy(dev.name, name, sizeof(dev.name));
	dev.hw = (struct link_hw){6, {0x52, 0x54, 0, 0x12, 0x34, last}};
	return dev;
}

/* Port GUID 0002c903000e0b72 in partition pkey. */
static struct netdev ipoib(const char *name, uint16_t pkey)
{
	static const uint8_t hw[20] = {0x80, 0, 2, 8, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xc9, 3, 0, 0xe, 0xb, 0x72};
	struct netdev dev = {.ifindex = 5, .hwtype = ARPHRD_INFINIBAND, .mtu = 2044, .up = true, .carrier = true};

	strscpy(dev.name, name, sizeof(dev.name));
	dev.hw.len = dev.broadcast.len = 20;
	memcpy(dev.hw.bytes, hw, 20);
	dev.broadcast.bytes[8] = (uint8_t)(pkey >> 8);
	dev.broadcast.bytes[9] = (uint8_t)pkey;
	return dev;
}

/* What DHCP gave: 10.0.0.5/24 behind 10.0.0.1, an hour from 100 s on. */
static struct address_result lease(const struct netdev *dev)
{
	struct address_result r = {
		.ifindex = dev->ifindex,
		.method = ADDRESS_DHCP4,
		.addr = ip("10.0.0.5"),
		.prefix = 24,
		.gateway = ip("10.0.0.1"),
		.server_id = ip("10.0.0.1"),
		.lease_s = 3600,
		.obtained = 100 * NSEC_PER_SEC,
		.renew = 1900 * NSEC_PER_SEC,
		.rebind = 3250 * NSEC_PER_SEC,
		.expires = 3700 * NSEC_PER_SEC,
		.n_dns = 1,
		.hostname = "n1",
		.domain = "cluster.example",
	};

	r.dns[0] = ip("10.0.0.2");
	r.client_id[0] = 1;
	memcpy(r.client_id + 1, dev->hw.bytes, 6);
	r.client_id_len = 7;
	return r;
}

static void set_client_id(struct address_result *r, const uint8_t *id, size_t len)
{
	memcpy(r->client_id, id, len);
	r->client_id_len = len;
}

/* FlexBoot's form, and "20" with the GUID. */
static const uint8_t id_flexboot[] = {0xff, 0, 0, 0, 0, 0, 2, 0, 0, 2, 0xc9, 0, 0, 2, 0xc9, 3, 0, 0xe, 0xb, 0x72};
static const uint8_t id_rfc4361[] = {0xff, 0, 0xe, 0xb, 0x72, 0, 3, 0, 0x20, 0, 2, 0xc9, 3, 0, 0xe, 0xb, 0x72};
static const uint8_t id_hw[] = {0x20, 0, 2, 0xc9, 3, 0, 0xe, 0xb, 0x72};

/* --- writing and comparing --------------------------------------------------------------------- */

static void make(const char *path, const char *text)
{
	_cleanup_fclose_ FILE *f = NULL;
	char full[512], *slash;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (slash = strchr(full + strlen(dir) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		CHECK(mkdir(full, 0755) == 0 || errno == EEXIST);
		*slash = '/';
	}
	f = fopen(full, "w");
	CHECK(f != NULL);
	fputs(text, f);
}

static void make_link(const char *path, const char *target)
{
	char full[512];

	make(path, "");
	snprintf(full, sizeof(full), "%s%s", root, path);
	CHECK_INT(unlink(full), 0);
	CHECK_INT(symlink(target, full), 0);
}

static void begin(void)
{
	static unsigned n;

	if (n == 0)
		check_dir(top);
	snprintf(dir, sizeof(dir), "%s/%u", top, n++);
	CHECK_INT(mkdir(dir, 0755), 0);
	env = (struct env){.prefix = dir};
	snprintf(root, sizeof(root), "%s/sysroot", dir);
	CHECK_INT(mkdir(root, 0755), 0);
}

static void write_rails(const char *cmdline, const struct profile_rail *rails, size_t n)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct profile_set set = {.env = &env, .sysroot = root, .now = 200 * NSEC_PER_SEC, .wall = 1700000000};
	struct managers found;

	set.rails = rails;
	set.n_rails = n;
	CHECK_INT(plan_parse(&plan, cmdline, strlen(cmdline), NULL), 0);
	profiles_write(&set, plan, &found);
}

/* --- all files below /run as one text: "=== PATH MODE", content -------------------------------------- */

static int not_dot(const struct dirent *e)
{
	return !streq(e->d_name, ".") && !streq(e->d_name, "..");
}

static void gather_file(FILE *out, const char *full, unsigned mode)
{
	_cleanup_fclose_ FILE *f = fopen(full, "r");
	int c;

	CHECK(f != NULL);
	fprintf(out, "=== %s %04o\n", full + strlen(dir), mode);
	while ((c = fgetc(f)) != EOF)
		fputc(c, out);
}

static void gather(FILE *out, const char *full)
{
	struct dirent **list;
	int n = scandir(full, &list, not_dot, alphasort);

	CHECK(n >= 0);
	for (int i = 0; i < n; i++) {
		char path[1024];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", full, list[i]->d_name);
		CHECK_INT(lstat(path, &st), 0);
		if (S_ISDIR(st.st_mode))
			gather(out, path);
		else
			gather_file(out, path, st.st_mode & 07777);
		free(list[i]);
	}
	free(list);
}

static char *all_files(void)
{
	char full[128], *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	CHECK(out != NULL);
	snprintf(full, sizeof(full), "%s/run", dir);
	if (access(full, F_OK) == 0)
		gather(out, full);
	CHECK_INT(fclose(out), 0);
	return text;
}

/*
 * expect: the files are exactly those of tests/fixtures/handover/NAME.txt. PROFILES_RENDER=FOLDER writes them there
 * instead, to be looked at and taken over.
 */
static void expect(const char *name)
{
	_cleanup_free_ char *got = all_files();
	const char *render = getenv("PROFILES_RENDER");
	char path[256], want[32768];
	int n;

	snprintf(path, sizeof(path), "%s/%s.txt", render ? render : "tests/fixtures/handover", name);
	if (render) {
		_cleanup_fclose_ FILE *f = fopen(path, "w");

		CHECK(f != NULL && fputs(got, f) >= 0);
		check_skip("written to %s", path);
	}
	n = env_read(&(struct env){0}, want, sizeof(want), "%s", path);
	if (n < 0)
		check_fail(__FILE__, __LINE__, "%s: %s", path, strerror(-n));
	got[strlen(got) - (strlen(got) > 0)] = 0; /* env_read() takes the last newline off */
	CHECK_STR(got, want);
}

static bool exists(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s%s", dir, path);
	return access(full, F_OK) == 0;
}

/* --- what each kind of rail becomes -------------------------------------------------------------- */

static struct profile_rail dhcp_rail(struct netdev dev, struct address_result *r)
{
	*r = lease(&dev);
	return (struct profile_rail){.dev = dev, .cfg = {.method = ADDRESS_DHCP4}, .four = r, .carries_root = true};
}

TEST(ethernet_dhcp)
{
	struct address_result r;
	struct profile_rail rail = dhcp_rail(ethernet("eth0", 2), &r);

	begin();
	make("/sbin/dhclient", "");
	write_rails("rd.handover=all", &rail, 1);
	expect("ethernet-dhcp");
}

/* All that the command line can add to a lease. */
TEST(ethernet_dhcp_with_options)
{
	static const struct plan_route routes[] = {{.prefix = 16}, {.prefix = 8, .ifname = "eth9"}};
	struct plan_route own[2];
	struct inet_addr dns = ip("192.0.2.53");
	struct address_result r;
	struct profile_rail rail = dhcp_rail(ethernet("eth0", 2), &r);

	memcpy(own, routes, sizeof(own));
	own[0].net = ip("10.7.0.0");
	own[0].gateway = ip("10.0.0.254");
	own[1].net = ip("11.0.0.0");
	rail.cfg.routes = own, rail.cfg.n_routes = 2;
	rail.cfg.nameservers = &dns, rail.cfg.n_nameservers = 1;
	rail.cfg.gateway = r.gateway = ip("10.0.0.9");
	rail.cfg.no_peerdns = true;
	rail.cfg.hostname = "node1";
	rail.cfg.metric = 100;
	rail.cfg.mtu = rail.dev.mtu = 9000;
	rail.cfg.servers[0] = ip("10.0.0.1");
	rail.cfg.n_servers = 1;
	r.dns[0] = dns;
	*r.domain = 0;
	begin();
	make("/sbin/dhclient", "");
	write_rails("rd.handover=all hostname=node1", &rail, 1);
	expect("ethernet-dhcp-options");
}

TEST(ethernet_static)
{
	struct address_result r = {
		.method = ADDRESS_STATIC, .addr = ip("10.0.0.5"), .prefix = 24, .gateway = ip("10.0.0.1"), .n_routes = 1};
	struct profile_rail rail = {
		.dev = ethernet("eth0", 2), .cfg = {.method = ADDRESS_STATIC}, .four = &r, .carries_root = true};

	r.routes[0] = (struct address_route){ip("10.8.0.0"), 16, ip("10.0.0.8")};
	r.dns[0] = ip("10.0.0.2");
	r.n_dns = 1;
	rail.cfg.addr = r.addr;
	begin();
	write_rails("rd.handover=all", &rail, 1);
	expect("ethernet-static");
}

static void expect_ipoib(const char *name, const char *cmdline, const char *library, const uint8_t *id, size_t len)
{
	struct address_result r;
	struct profile_rail rail = dhcp_rail(ipoib("ib0", 0xffff), &r);

	set_client_id(&r, id, len);
	begin();
	make(library, "");
	write_rails(cmdline, &rail, 1);
	expect(name);
}

#define LIBRARY(version) "/usr/lib/x86_64-linux-gnu/systemd/libsystemd-shared-" version ".so"

/* FlexBoot's identifier: networkd learnt to send it with version 255. */
TEST(ipoib_dhcp_flexboot)
{
	expect_ipoib("ipoib-dhcp-flexboot", "rd.handover=all", LIBRARY("252"), id_flexboot, sizeof(id_flexboot));
}

TEST(ipoib_dhcp_flexboot_and_a_newer_systemd)
{
	expect_ipoib("ipoib-dhcp-flexboot-257", "rd.handover=networkd", LIBRARY("257"), id_flexboot, sizeof(id_flexboot));
}

TEST(ipoib_dhcp_rfc4361)
{
	expect_ipoib("ipoib-dhcp-rfc4361", "rd.handover=networkd", LIBRARY("252"), id_rfc4361, sizeof(id_rfc4361));
}

TEST(ipoib_dhcp_hw_connected)
{
	struct address_result r;
	struct profile_rail rail = dhcp_rail(ipoib("ib0", 0xffff), &r);

	set_client_id(&r, id_hw, sizeof(id_hw));
	rail.connected = true;
	rail.cfg.mtu = rail.dev.mtu = 65520;
	begin();
	write_rails("rd.handover=all", &rail, 1);
	expect("ipoib-dhcp-hw-connected");
}

TEST(ipoib_child)
{
	struct address_result r = {.method = ADDRESS_STATIC, .addr = ip("10.0.0.5"), .prefix = 16};
	struct profile_rail rail = {.dev = ipoib("ib0.8001", 0x8001), .cfg = {.method = ADDRESS_STATIC}, .four = &r,
		.parent = "ib0", .parent_ifindex = 4, .carries_root = true};

	rail.cfg.addr = r.addr;
	begin();
	write_rails("rd.handover=all", &rail, 1);
	expect("ipoib-child");
}

TEST(ipv6_by_router)
{
	struct address_result r = {
		.method = ADDRESS_AUTO6, .addr = ip("2001:db8::5"), .prefix = 64, .gateway = ip("fe80::1"), .n_dns = 1};
	struct profile_rail rail = {
		.dev = ethernet("eth0", 2), .cfg = {.method = ADDRESS_AUTO6}, .six = &r, .carries_root = true};

	r.dns[0] = ip("2001:db8::53");
	begin();
	write_rails("rd.handover=all", &rail, 1);
	expect("ipv6-auto");
}

TEST(ipv6_dhcp_beside_ipv4)
{
	static const uint8_t duid[] = {0, 4, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	struct address_result r, six = {.method = ADDRESS_DHCP6, .addr = ip("2001:db8::5"), .prefix = 128};
	struct profile_rail rail = dhcp_rail(ethernet("eth0", 2), &r);

	set_client_id(&six, duid, sizeof(duid));
	rail.six = &six;
	rail.cfg.second = ADDRESS_DHCP6;
	begin();
	make("/sbin/dhclient", "");
	write_rails("rd.handover=all", &rail, 1);
	expect("ipv6-dhcp");
}

TEST(ipv6_static)
{
	struct address_result r = {
		.method = ADDRESS_STATIC, .addr = ip("2001:db8::5"), .prefix = 64, .gateway = ip("2001:db8::1"), .n_routes = 1};
	struct profile_rail rail = {
		.dev = ethernet("eth0", 2), .cfg = {.method = ADDRESS_STATIC}, .six = &r, .carries_root = true};

	r.routes[0] = (struct address_route){ip("2001:db8:1::"), 48, ip("2001:db8::9")};
	rail.cfg.addr = r.addr;
	begin();
	write_rails("rd.handover=all", &rail, 1);
	expect("ipv6-static");
}

TEST(two_rails)
{
	struct address_result r[2];
	struct profile_rail rails[2] = {dhcp_rail(ethernet("eth0", 2), &r[0]), dhcp_rail(ethernet("eth1", 3), &r[1])};

	r[1].addr = ip("10.1.0.5");
	r[1].gateway = (struct inet_addr){0};
	rails[1].cfg.metric = 100;
	rails[1].carries_root = false;
	begin();
	make("/sbin/dhclient", "");
	write_rails("rd.handover=all", rails, 2);
	expect("two-rails");
}

TEST(a_second_agent_writes_the_same)
{
	struct address_result r;
	struct profile_rail rail = dhcp_rail(ethernet("eth0", 2), &r);
	_cleanup_free_ char *first = NULL, *second = NULL;

	begin();
	make("/sbin/dhclient", "");
	make_link("/etc/resolv.conf", "/run/dns/resolv.conf");
	write_rails("rd.handover=all", &rail, 1);
	first = all_files();
	write_rails("rd.handover=all", &rail, 1);
	second = all_files();
	CHECK_STR(second, first);
}

TEST(nothing_when_nothing_is_asked_for)
{
	struct address_result r;
	struct profile_rail rail = dhcp_rail(ethernet("eth0", 2), &r);

	begin();
	make("/usr/sbin/NetworkManager", "");
	write_rails("rd.handover=none", &rail, 1);
	expect("none");
}

/* --- who cannot renew the lease ------------------------------------------------------------------ */

static void expect_warning(const char *cmdline, const uint8_t *id, size_t len, bool enabled, bool warned)
{
	struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};
	_cleanup_(report_freep) struct report *report = NULL;
	struct profile_rail rail;
	struct address_result r;
	struct report_view v;

	begin();
	CHECK_INT(report_new(&report, &cfg), 0);
	env.report = report;
	rail = dhcp_rail(ipoib("ib0", 0xffff), &r);
	set_client_id(&r, id, len);
	make("/usr/sbin/ifup", "");
	make("/usr/lib/systemd/systemd-networkd", "");
	make("/usr/lib/systemd/libsystemd-shared-252.so", "");
	if (enabled)
		make("/usr/lib/systemd/system/multi-user.target.wants/systemd-networkd.service", "");
	write_rails(cmdline, &rail, 1);
	report_view(report, &v);
	CHECK_INT(v.n_causes, warned);
	CHECK(!warned || (v.causes[0].cause == CAUSE_HANDOVER_LEASE && streq(v.causes[0].where, "ib0")));
}

TEST(a_lease_that_nobody_will_renew_is_said)
{
	static const uint8_t text[] = {0, 'n', '1'};

	expect_warning("", id_flexboot, sizeof(id_flexboot), true, true);
	expect_warning("", text, sizeof(text), true, true);
	expect_warning("", id_hw, sizeof(id_hw), true, false);
	expect_warning("", id_rfc4361, sizeof(id_rfc4361), true, false);
	expect_warning("rd.handover=ifupdown", id_hw, sizeof(id_hw), false, true);
	/* Nobody is enabled, both get files; which one will run is anybody's guess. */
	expect_warning("", id_flexboot, sizeof(id_flexboot), false, false);
	expect_warning("rd.handover=networkmanager", id_flexboot, sizeof(id_flexboot), false, false);
}

/* networkd renews; but ifup, enabled too, has a stanza of its own for the interface and must keep off. */
TEST(two_managers_in_use)
{
	struct address_result r;
	struct profile_rail rail = dhcp_rail(ethernet("eth0", 2), &r);

	begin();
	make("/usr/lib/systemd/systemd-networkd", "");
	make("/usr/lib/systemd/system/multi-user.target.wants/systemd-networkd.service", "");
	make("/usr/sbin/ifup", "");
	make("/sbin/dhclient", "");
	make("/etc/systemd/system/multi-user.target.wants/networking.service", "");
	write_rails("", &rail, 1);
	CHECK(!exists("/run/network/ifstate"));
	make("/etc/network/interfaces", "allow-hotplug eth0\niface eth0 inet dhcp\n");
	write_rails("", &rail, 1);
	CHECK(exists("/run/network/ifstate.eth0"));
	CHECK(exists("/run/systemd/network/10-initagent-eth0.network"));
	CHECK(!exists("/run/systemd/system/initagent-dhclient@.service"));
}

/* What others have in ifup's state stays; what we wrote before is replaced; a second agent changes nothing. */
TEST(ifupdown_keeps_the_state_of_others)
{
	struct address_result r;
	struct profile_rail rail = dhcp_rail(ethernet("eth0", 2), &r);
	char text[256];

	begin();
	CHECK_INT(file_make_dirs(&env, "/run/network"), 0);
	CHECK_INT(file_write(&env, "/run/network", "ifstate", "lo=lo\neth0=old\neth01=eth01", 26, 0644), 0);
	for (int i = 0; i < 2; i++) {
		write_rails("rd.handover=ifupdown", &rail, 1);
		CHECK(env_read(&env, text, sizeof(text), "/run/network/ifstate") > 0);
		CHECK_STR(text, "lo=lo\neth01=eth01\neth0=eth0");
	}
	CHECK(!exists("/run/systemd/system/initagent-dhclient@.service"));
}

/* --- DNS and host name -------------------------------------------------------------------------- */

static void expect_resolv(const char *target, const char *path, bool written)
{
	struct address_result r;
	struct profile_rail rail = dhcp_rail(ethernet("eth0", 2), &r);
	char text[256];

	begin();
	make_link("/etc/resolv.conf", target);
	write_rails("", &rail, 1);
	CHECK(env_read(&env, text, sizeof(text), "/run/initagent/resolv.conf") > 0);
	CHECK_STR(text, "search cluster.example\nnameserver 10.0.0.2");
	CHECK_INT(exists(path), written);
}

TEST(resolv_conf_behind_a_link)
{
	expect_resolv("/run/NetworkManager/resolv.conf", "/run/NetworkManager/resolv.conf", true);
	expect_resolv("../run/resolvconf/resolv.conf", "/run/resolvconf/resolv.conf", true);
	expect_resolv("/var/run/dns/resolv.conf", "/run/dns/resolv.conf", true);
	expect_resolv("../run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/stub-resolv.conf", false);
	expect_resolv("/run/../etc/other", "/etc/other", false);
	expect_resolv("/etc/other", "/etc/other", false);
}

TEST(resolv_conf_of_others_stays)
{
	struct address_result r;
	struct profile_rail rail = dhcp_rail(ethernet("eth0", 2), &r);
	char text[64];

	begin();
	make_link("/etc/resolv.conf", "/run/dns");
	CHECK_INT(file_make_dirs(&env, "/run"), 0);
	CHECK_INT(file_write(&env, "/run", "dns", "theirs", 6, 0644), 0);
	write_rails("", &rail, 1);
	CHECK(env_read(&env, text, sizeof(text), "/run/dns") > 0);
	CHECK_STR(text, "theirs");
}

/* --- hostile values ------------------------------------------------------------------------------ */

/* The rooms check these already (text.h); should one of them slip through, it still ends in no file. */
TEST(hostile_text_makes_no_line)
{
	static const char *const bad[] = {"x\nExecStart=/bin/sh", "x\"; reboot; \"", "a=b", "$(reboot)", "`x`", "x y\tz",
		"x\r\n[Match]", "a;b", "x\\", "'", "\x01"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *text = NULL;
		struct address_result r;
		struct profile_rail rail = dhcp_rail(ethernet("eth0", 2), &r);

		strscpy(r.hostname, bad[i], sizeof(r.hostname));
		strscpy(r.domain, bad[i], sizeof(r.domain));
		strscpy(r.search, bad[i], sizeof(r.search));
		strscpy(r.boot_file, bad[i], sizeof(r.boot_file));
		strscpy(r.root_path, bad[i], sizeof(r.root_path));
		rail.cfg.hostname = bad[i];
		begin();
		make("/sbin/dhclient", "");
		write_rails("rd.handover=all", &rail, 1);
		text = all_files();
		CHECK(strlen(text) > 1000);
		CHECK(!strstr(text, bad[i]));
		CHECK(!strstr(text, "reboot"));
		CHECK(!exists("/run/initagent/hostname"));
	}
}

/* An interface can have any name without '/' and space; such a one gets no files at all. */
TEST(hostile_names_make_no_file)
{
	static const char *const bad[] = {"..", ".", "-x", "a\nb", "a%i", "a=b", "a;b", "a\"b", "\xc3\xa4", ""};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *text = NULL;
		struct address_result r;
		struct profile_rail rail = dhcp_rail(ethernet(bad[i], 2), &r);

		r.n_dns = 0;
		*r.hostname = 0;
		begin();
		write_rails("rd.handover=all", &rail, 1);
		text = all_files();
		CHECK_STR(text, "");
	}
}
