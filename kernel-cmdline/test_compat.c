// SPDX-License-Identifier: GPL-2.0-or-later
/* "lint --compat": each row of compat.def is said about its own example, once. */
#include "check.h"

#include "compat.h"
#include "lint.h"

static const struct {
	enum compat_backend backend;
	const char *text, *example;
} rows[] = {
#define COMPAT(backend, id, value, text, example, proof) {COMPAT_##backend, text, example},
#include "compat.def"
};

static char report[8192];

static void lint(const char *line, enum compat_backend b)
{
	FILE *out = fmemopen(report, sizeof(report), "w");

	CHECK(out != NULL);
	CHECK(cmdline_lint(line, strlen(line), out, LINT_COMPAT(b)) >= 0);
	fclose(out);
}

TEST(each_row_is_said_about_its_example)
{
	static const char *const version[] = {[COMPAT_LEGACY] = "059", [COMPAT_NETWORKD] = "252",
		[COMPAT_NM] = "1.42", [COMPAT_INITRAMFS_TOOLS] = "0.148",
		[COMPAT_LIVE_BOOT] = "20250815"};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char said[256];
		const char *at;

		snprintf(said, sizeof(said), " %s: %s\n", version[rows[i].backend], rows[i].text);
		lint(rows[i].example, rows[i].backend);
		at = strstr(report, said);
		if (!at || strstr(at + 1, said))
			check_fail(__FILE__, __LINE__, "%s: %s:\n%s", rows[i].example,
				rows[i].text, report);
	}
}

TEST(a_row_is_not_said_about_other_values)
{
	lint("bond=bond0:eth0,eth1 ip=bond0:dhcp", COMPAT_NETWORKD);
	CHECK(!strstr(report, "generator"));
	lint("vlan=vlan0005:eth0 vlan=eth0.10:eth0 ip=eth0.10:dhcp", COMPAT_NETWORKD);
	CHECK(!strstr(report, "generator"));
	lint("BOOTIF=01-52-54-00-12-34-56 ip=192.0.2.5::192.0.2.1:24::eth0:none", COMPAT_NM);
	CHECK(!strstr(report, "generator"));
}

TEST(what_no_back_end_does_is_dracuts_and_said_as_such)
{
	lint("rd.ib.mode=connected rd.retry=5 ip=dhcp", COMPAT_NM);
	CHECK(strstr(report, "    dracut 059: not known there\n") != NULL);
	CHECK(strstr(report, "    dracut 059: counts half-second passes") != NULL);
	CHECK(strstr(report, "    nm-initrd-generator 1.42: tries IPv6 beside it\n") != NULL);
	CHECK(!strstr(report, "dies on an unknown method"));
	lint("rd.ib.mode=connected rd.retry=5 ip=dhcp", COMPAT_LEGACY);
	CHECK(strstr(report, "    dracut 059: dies on an unknown method") != NULL);
	lint("rd.retry=5 ip=dhcp", COMPAT_NONE);
	CHECK(!strstr(report, "dracut"));
}

TEST(what_initramfs_tools_does_not_read)
{
	lint("rd.retry=5 ip=dhcp root=/dev/nfs nfsroot=192.0.2.1:/x ro", COMPAT_INITRAMFS_TOOLS);
	CHECK(strstr(report, "rd.retry=5\n    gives network and root 5 s to become ready\n"
		"    initramfs-tools 0.148: has no effect\n") != NULL);
	CHECK(strstr(strstr(report, "ip=dhcp"), "initramfs-tools") == NULL);
}

TEST(names)
{
	CHECK_INT(compat_find("initramfs-tools"), COMPAT_INITRAMFS_TOOLS);
	CHECK_INT(compat_find("live-boot"), COMPAT_LIVE_BOOT);
	CHECK_INT(compat_find("nm"), COMPAT_NM);
	CHECK_INT(compat_find("networkd"), COMPAT_NETWORKD);
	CHECK_INT(compat_find("dracut-legacy"), COMPAT_LEGACY);
	CHECK_INT(compat_find("networkmanager"), COMPAT_NONE);
}
