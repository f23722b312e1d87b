// SPDX-License-Identifier: GPL-2.0-or-later
/* cmdline_firmware: where tables are found, who wants them, what ends a boot. */
#include "boottable.h"
#include "check.h"
#include "files.h"
#include "report/record.h"
#include "report/report.h"
#include "state/cmdline.h"

#define NQN  "nqn.2024-01.org.example:root"
#define HOST "nqn.2024-01.org.example:host"
#define ACPI "/sys/firmware/acpi/tables/"
#define NIC  "/sys/firmware/ibft/ethernet0/"

#define TEMPLATE "/tmp/initagent-firmware-XXXXXX"

static char dir[] = TEMPLATE;
static struct env env = {.prefix = dir};
static struct cmdline c;

static const struct boottable plain = {
	.hostnqn = HOST,
	.ifaces = {{.mac = "52:54:00:99:00:64", .addr = "10.99.0.100", .prefix = 24}},
	.namespaces = {{.addr = "10.99.0.1", .port = "4421", .nqn = NQN, .nsid = 1, .iface = 1}},
};

static void begin(const char *line)
{
	const struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};

	strscpy(dir, TEMPLATE, sizeof(dir));
	check_dir(dir);
	files_text(dir, "/proc/cmdline", line);
	CHECK_INT(report_new(&env.report, &cfg), 0);
}

static void put_table(const char *name, const struct boottable *t, bool good)
{
	static uint8_t bytes[BOOTTABLE_MAX];
	size_t len = boottable_nbft(bytes, t);
	FILE *f = files_create(dir, name);

	bytes[100] ^= !good;
	CHECK_INT((long long)fwrite(bytes, 1, len, f), (long long)len);
	fclose(f);
}

/* Loads, and checks which causes are reported. */
static enum cause load(bool alone, size_t n, const char *where)
{
	struct report_view v;
	enum cause cause;

	CHECK_INT(cmdline_load(&env, &c), 0);
	cause = cmdline_firmware(&c, &env, alone, 0);
	report_view(env.report, &v);
	CHECK_INT((long long)v.n_causes, (long long)n);
	if (n)
		CHECK_STR(v.causes[0].where, where);
	return cause;
}

static void end(void)
{
	cmdline_done(&c);
	report_free(env.report);
}

TEST(root_and_interface_of_an_nbft)
{
	begin("root=nvmf:nbft,part=2 rw\n");
	put_table(ACPI "NBFT", &plain, true);
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_STR(c.plan->root.block.name, NQN);
	CHECK_INT(c.plan->root.block.part, 2);
	CHECK_STR(c.plan->net.ips[0].ifname, "nbft0");
	CHECK_STR(c.proc, "root=nvmf:nbft,part=2 rw");
	end();
}

/* dracut's own module has the table where the agent is not alone. */
TEST(no_root_at_all)
{
	begin("quiet\n");
	put_table(ACPI "NBFT", &plain, true);
	CHECK_INT(load(true, 0, NULL), CAUSE_NONE);
	CHECK_INT(c.plan->root.kind, PLAN_ROOT_REMOTE);
	cmdline_done(&c);
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_INT(c.plan->root.kind, PLAN_ROOT_NONE);
	end();
}

TEST(another_root_leaves_the_table_alone)
{
	begin("root=nfs:10.0.0.1:/srv\n");
	put_table(ACPI "NBFT", &plain, false);
	CHECK_INT(load(true, 0, NULL), CAUSE_NONE);
	CHECK_INT(c.plan->net.n_ips, 0);
	end();
}

TEST(a_broken_table_beside_a_good_one)
{
	struct boottable t = plain;

	begin("root=nvmf\n");
	t.namespaces[0].addr = "10.99.0.9";
	put_table(ACPI "NBFT1", &t, false);
	put_table(ACPI "NBFT2", &plain, true);
	CHECK_INT(load(false, 1, "NBFT1"), CAUSE_NONE);
	CHECK_INT(c.plan->root.block.n_portals, 1);
	CHECK_STR(c.plan->root.block.portals[0].server, "10.99.0.1");
	end();
}

TEST(without_a_table_the_boot_ends)
{
	struct boottable t = plain;

	begin("root=nvmf\n");
	CHECK_INT(load(true, 1, "NBFT"), CAUSE_FIRMWARE_NONE);
	cmdline_done(&c);
	t.namespaces[0].addr = NULL;
	put_table(ACPI "NBFT", &t, true);
	CHECK_INT(load(true, 1, "NBFT"), CAUSE_FIRMWARE_NONE);
	end();
	begin("root=nvmf rd.nvmf.discover=tcp,10.99.0.1\n");
	CHECK_INT(load(true, 0, NULL), CAUSE_NONE);
	CHECK_INT(c.plan->root.block.n_portals, 1);
	end();
	begin("root=nvmf rd.nvmf.nonbft\n");
	put_table(ACPI "NBFT", &plain, true);
	CHECK_INT(load(true, 1, "NBFT"), CAUSE_FIRMWARE_NONE);
	end();
	begin("root=nfs:10.0.0.1:/srv ip=ibft\n");
	CHECK_INT(load(true, 1, "iBFT"), CAUSE_FIRMWARE_NONE);
	end();
	begin("rd.nvmf.nonbft\n");
	put_table(ACPI "NBFT", &plain, true);
	CHECK_INT(load(true, 0, NULL), CAUSE_NONE);
	CHECK_INT(c.plan->root.kind, PLAN_ROOT_NONE);
	end();
}

/* As the kernel's iscsi_ibft shows it. */
static void put_nic(const char *flags)
{
	begin("root=nfs:10.0.0.1:/srv ip=ibft ip=eth7:dhcp\n");
	files_text(dir, NIC "flags", flags);
	files_text(dir, NIC "mac", "52:54:00:99:00:64\n");
	files_text(dir, NIC "origin", "1\n");
	files_text(dir, NIC "vlan", "0\n");
	files_text(dir, NIC "ip-addr", "10.99.0.100\n");
	files_text(dir, NIC "subnet-mask", "255.255.255.0\n");
}

TEST(a_static_address_of_an_ibft)
{
	put_nic("3\n");
	files_text(dir, NIC "gateway", "10.99.0.254\n");
	files_text(dir, NIC "primary-dns", "10.99.0.2\n");
	files_text(dir, NIC "secondary-dns", "0.0.0.0\n");
	files_text(dir, NIC "hostname", "node7\n");
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_INT(c.plan->net.n_ips, 2);
	CHECK_STR(c.plan->net.ips[1].ifname, "ibft0");
	CHECK_INT(c.plan->net.ips[1].methods, PLAN_IP_STATIC);
	CHECK_INT(c.plan->net.ips[1].prefix, 24);
	CHECK_INT(c.plan->net.ips[1].n_dns, 1);
	CHECK_STR(c.plan->net.ips[1].hostname, "node7");
	CHECK(c.plan->net.ips[1].gateway.family);
	end();
}

/* For IPv6 the kernel shows a mask as well, which is that of no prefix (iscsi_ibft.c). */
TEST(a_static_ipv6_address_of_an_ibft)
{
	static const char *const prefixes[] = {"64\n", ""};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		put_nic("3\n");
		files_text(dir, NIC "ip-addr", "2001:0db8:0000:0000:0000:0000:0000:0064\n");
		files_text(dir, NIC "subnet-mask", "255.255.255.255\n");
		if (*prefixes[i])
			files_text(dir, NIC "prefix-len", prefixes[i]);
		CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
		CHECK_INT(c.plan->net.ips[1].addr.family, AF_INET6);
		CHECK_INT(c.plan->net.ips[1].prefix, 64);
		end();
	}
}

TEST(dhcp_on_a_vlan_of_an_ibft)
{
	put_nic("3\n");
	files_text(dir, NIC "origin", "3\n");
	files_text(dir, NIC "vlan", "7\n");
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_STR(c.plan->net.ips[1].ifname, "ibft0.7");
	/* the firmware's own lease is asked for first */
	CHECK_INT(c.plan->net.n_dhcp_requests, 1);
	CHECK_STR(c.plan->net.dhcp_requests[0].ifname, "ibft0.7");
	CHECK_INT(ntohl(c.plan->net.dhcp_requests[0].addr.v4.s_addr), 0x0a630064);
	CHECK_INT(c.plan->net.ips[1].methods, PLAN_IP_DHCP);
	CHECK_STR(c.plan->net.links[0].lower[0], "ibft0");
	end();
}

TEST(interfaces_that_an_ibft_did_not_boot_from)
{
	static const char *const flags[] = {"0\n", "1\n", "2\n", "-1\n"};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		put_nic(flags[i]);
		CHECK_INT(load(true, 1, "iBFT"), CAUSE_FIRMWARE_NONE);
		end();
	}
}

TEST(values_that_an_ibft_cannot_have)
{
	static const char *const rows[][2] = {
		{NIC "mac", "00:00:00:00:00:00\n"}, {NIC "mac", "\n"}, {NIC "vlan", "4095\n"},
		{NIC "subnet-mask", "255.0.255.0\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put_nic("3\n");
		files_text(dir, rows[i][0], rows[i][1]);
		CHECK_INT(load(true, 2, "ethernet0"), CAUSE_FIRMWARE_NONE);
		end();
	}
}

#define PULL "rd.systemd.pull=raw,machine,verify=no,blockdev,bootorigin:rootdisk:node.raw"

/* As efivarfs shows what systemd-stub left. wide: the upper byte of the last character. */
static void put_origin(const char *line, const char *url, char wide)
{
	FILE *f;

	begin(line);
	f = files_create(dir, "/sys/firmware/efi/efivars/StubDeviceURL-"
			      "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f");
	fwrite("\x06\0\0", 1, 4, f);
	for (; *url; url++) {
		fputc(*url, f);
		fputc(url[1] ? 0 : wide, f);
	}
	fwrite("\0", 1, 2, f);
	fclose(f);
}

TEST(an_image_beside_the_kernel_of_a_uefi_http_boot)
{
	static const char *const roots[] = {" root=/dev/disk/by-loop-ref/rootdisk.raw",
		" root=gpt-auto", ""};
	char line[256];

	for (size_t i = 0; i < 2 * ARRAY_SIZE(roots); i++) {
		snprintf(line, sizeof(line), PULL "%s\n", roots[i / 2]);
		put_origin(line, "http://192.0.2.1:8080/boot/node.efi?v=2", 0);
		CHECK_INT(load(i % 2, 0, NULL), CAUSE_NONE);
		CHECK_INT(c.plan->root.kind, PLAN_ROOT_LIVE);
		CHECK_STR(c.plan->root.image.url, "http://192.0.2.1:8080/boot/node.raw");
		end();
	}
	put_origin(PULL " rd.root.origin=https://192.0.2.7/x.efi\n", "http://192.0.2.1/y.efi", 0);
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_STR(c.plan->root.image.url, "https://192.0.2.7/node.raw");
	end();
}

TEST(a_boot_that_came_from_no_web_server)
{
	begin(PULL " root=/dev/disk/by-loop-ref/rootdisk.raw\n");
	CHECK_INT(load(false, 1, "StubDeviceURL"), CAUSE_FIRMWARE_NONE);
	end();
	begin(PULL "\n");
	CHECK_INT(load(true, 1, "StubDeviceURL"), CAUSE_FIRMWARE_NONE);
	end();
	/* a disk of its own, which systemd's generator finds */
	begin(PULL " root=gpt-auto\n");
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_INT(c.plan->root.kind, PLAN_ROOT_OTHER);
	end();
	begin(PULL " root=LABEL=x\n");
	CHECK_INT(load(true, 0, NULL), CAUSE_NONE);
	CHECK_INT(c.plan->root.kind, PLAN_ROOT_BLOCK);
	end();
}

TEST(an_extension_beside_the_kernel_of_a_uefi_http_boot)
{
	static const char line[] = "rd.systemd.pull=raw,sysext,verify=no,bootorigin::t.raw "
		"root=nfs:192.0.2.1:/srv\n";

	put_origin(line, "http://192.0.2.1/boot/node.efi", 0);
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_STR(c.plan->extensions[0].url, "http://192.0.2.1/boot/t.raw");
	end();
	/* else it is not fetched, and the boot goes on */
	begin(line);
	CHECK_INT(load(true, 0, NULL), CAUSE_NONE);
	CHECK_INT((long long)c.plan->n_extensions, 0);
	end();
}

#define SYSTEM_CREDENTIAL "/run/credentials/@system/import.pull"

/* As systemd's generator reads it: each line for itself, and none is another option. */
TEST(the_credential_that_systemd_has)
{
	begin("root=nfs:192.0.2.1:/srv rd.hostonly=0\n");
	files_text(dir, SYSTEM_CREDENTIAL, "# ours\n\nraw,sysext,verify=no:a:http://192.0.2.1/a.raw"
		"\nodd root=live:http://192.0.2.9/x rd.shell=0\n"
		"tar,confext,verify=no:b:http://192.0.2.1/b.tar rd.retry=7\n"
		"\"raw,sysext,verify=no:c:http://192.0.2.1/c.raw\"\n");
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_INT((long long)c.plan->n_extensions, 1);
	CHECK_STR(c.plan->extensions[0].url, "http://192.0.2.1/a.raw");
	CHECK_INT(c.plan->root.kind, PLAN_ROOT_NFS);
	CHECK_INT(c.plan->retry_s, PLAN_RETRY_DEFAULT);
	CHECK_INT(c.plan->shell, PLAN_UNSET);
	end();
}

/* What systemd took from the command line is there, and not twice. */
TEST(the_credential_of_the_command_line_is_in_the_folder_as_well)
{
	begin("root=nfs:192.0.2.1:/srv systemd.set_credential=import.pull:"
		"raw,sysext,verify=no:a:http://192.0.2.1/a.raw\n");
	files_text(dir, SYSTEM_CREDENTIAL, "raw,sysext,verify=no:a:http://192.0.2.1/a.raw");
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_INT((long long)c.plan->n_extensions, 1);
	for (size_t i = 0; i < diag_list_count(c.diags); i++)
		CHECK(diag_list_at(c.diags, i)->severity < DIAG_ERROR);
	end();
}

/* dracut-ng has the last of them, above the kernel's own and beside rd.hostonly=0. */
TEST(all_folders_of_the_initramfs_and_many_files)
{
	begin("root=nfs:192.0.2.1:/srv rd.retry=2\n");
	for (int i = 0; i < 40; i++) {
		char name[64];

		snprintf(name, sizeof(name), "/etc/cmdline.d/%02d.conf", i);
		files_text(dir, name, "rd.retry=1\n");
	}
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_INT(c.plan->retry_s, 2);
	cmdline_done(&c);
	files_text(dir, "/run/initramfs/cmdline.d/a.conf", "rd.retry=3\n");
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_INT(c.plan->retry_s, 3);
	CHECK_STR(c.proc, "root=nfs:192.0.2.1:/srv rd.retry=2");
	cmdline_done(&c);
	files_text(dir, "/run/initramfs/cmdline.d/b.conf", "rd.hostonly=0 rd.timeout=4\n");
	CHECK_INT(load(false, 0, NULL), CAUSE_NONE);
	CHECK_INT(c.plan->timeout_s, 4);
	end();
}

TEST(an_origin_that_is_no_url)
{
	static char too_long[PLAN_URL_MAX + 2] = "http://192.0.2.1/";
	const char *const urls[] = {"", "x", "tftp://192.0.2.1/node.efi", "http://192.0.2.1/a b",
		"http://192.0.2.1/\"root=x", "http:///node.efi", too_long};

	memset(too_long + strlen(too_long), 'a', PLAN_URL_MAX + 1 - strlen(too_long));
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		put_origin(PULL "\n", urls[i], 0);
		CHECK_INT(load(true, 2, "StubDeviceURL"),
			CAUSE_FIRMWARE_NONE);
		end();
	}
	put_origin(PULL "\n", "http://192.0.2.1/node.efi", 4);
	CHECK_INT(load(true, 2, "StubDeviceURL"),
		CAUSE_FIRMWARE_NONE);
	end();
}

TEST(an_origin_that_no_image_is_fetched_from)
{
	static const char *const urls[] = {"http://224.0.0.1/node.efi",
		"http://[fe80::1]/node.efi", "http://192.0.2.1/<node>.efi"};

	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		put_origin(PULL "\n", urls[i], 0);
		CHECK_INT(load(true, 1, "firmware"), CAUSE_FIRMWARE_NONE);
		end();
	}
}
