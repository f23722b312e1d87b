// SPDX-License-Identifier: GPL-2.0-or-later
/* Who renews a lease under ifupdown. */
#include "check.h"

#include "handover/profiles.h"
#include "profileroom.h"
#include "report/causes.h"
#include "report/record.h"
#include "report/report.h"

#define NETWORKD_DROP_IN "/run/systemd/system/systemd-networkd.service.d/10-initagent.conf"
#define DHCLIENT_UNIT	 "/run/systemd/system/initagent-dhclient@.service"
#define HANDS_OFF	 "/run/systemd/network/05-initagent.network"

/* A Debian root with ifupdown, and networkd beside it as systemd brings it along. */
static void begin_ifupdown(void)
{
	proom_begin();
	proom_make("/usr/sbin/ifup", "");
	proom_make("/etc/systemd/system/multi-user.target.wants/networking.service", "");
	proom_make("/usr/lib/systemd/systemd-networkd", "");
	proom_make(LIBRARY("252"), "");
	proom_make("/etc/systemd/network/05-other.network", "");
}

static struct profile_rail ipoib_rail(struct address_result *r)
{
	struct profile_rail rail = proom_leased(proom_ipoib("ib0", 0xffff), r);

	proom_set_id(r, proom_id_hw, sizeof(proom_id_hw));
	return rail;
}

TEST(ifupdown_borrows_networkd_on_infiniband)
{
	struct address_result r[2];
	struct profile_rail rails[2] = {ipoib_rail(&r[0]),
		proom_leased(proom_ethernet("eth0", 2), &r[1])};

	rails[1].carries_root = false;
	begin_ifupdown();
	proom_make("/sbin/dhclient", "");
	proom_write("", rails, 2);
	proom_expect("ifupdown-ipoib");
}

static void expect_borrowed(const char *cmdline, const struct profile_rail *rail, bool borrowed)
{
	proom_write(cmdline, rail, 1);
	CHECK(proom_has("/run/network/ifstate"));
	CHECK_INT(proom_has(HANDS_OFF), borrowed);
	CHECK_INT(proom_has(NETWORKD_DROP_IN), borrowed);
}

TEST(networkd_is_not_borrowed_from_an_administrator_who_uses_or_masks_it)
{
	struct address_result r;
	struct profile_rail rail = ipoib_rail(&r);

	begin_ifupdown();
	proom_link("/etc/systemd/system/systemd-networkd.service", "/dev/null");
	expect_borrowed("", &rail, false);
	begin_ifupdown();
	proom_make("/etc/systemd/system/multi-user.target.wants/systemd-networkd.service", "");
	expect_borrowed("rd.handover=ifupdown", &rail, false);
	CHECK(!proom_has("/run/systemd/network/05-initagent-ib0.network"));
	begin_ifupdown();
	expect_borrowed("rd.handover=all", &rail, false);
	begin_ifupdown();
	rail.cfg.method = r.method = ADDRESS_STATIC;
	expect_borrowed("", &rail, false);
}

/* A drop-in that names a folder which is not there would keep networkd from starting. */
TEST(networkd_is_borrowed_without_a_folder_of_the_administrators)
{
	struct address_result r;
	struct profile_rail rail = ipoib_rail(&r);

	proom_begin();
	proom_make("/usr/sbin/ifup", "");
	proom_make("/usr/lib/systemd/systemd-networkd", "");
	proom_write("rd.handover=ifupdown", &rail, 1);
	CHECK(proom_has(HANDS_OFF));
	CHECK(!proom_has(NETWORKD_DROP_IN));
}

/* A lease that ends, or another address, costs the root under dhclient, and not under networkd. */
TEST(networkd_renews_before_dhclient)
{
	struct address_result r, six = {.method = ADDRESS_DHCP6, .addr = proom_ip("2001:db8::5"),
		.prefix = 128};
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	begin_ifupdown();
	proom_make("/sbin/dhclient", "");
	expect_borrowed("", &rail, true);
	CHECK(!proom_has(DHCLIENT_UNIT));
	rail.six = &six;
	rail.cfg.second = ADDRESS_DHCP6;
	begin_ifupdown();
	expect_borrowed("", &rail, true);
}

/* /run/systemd/system says that systemd runs (sd_booted(3)): Debian's service, cron's scripts and
 * cloud-init ask for it. */
TEST(without_systemd_as_init_there_are_no_units_and_no_client_is_started)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);
	struct report_view v;

	begin_ifupdown();
	proom_make("/sbin/dhclient", "");
	proom_make("/sbin/init", "sysvinit's");
	CHECK_INT(report_new(&proom_env.report, &(struct report_config){.console_fd = -1}), 0);
	expect_borrowed("rd.handover=ifupdown", &rail, false);
	CHECK(!proom_has("/run/systemd/system"));
	CHECK(proom_has("/run/network/ifstate.eth0"));
	report_view(proom_env.report, &v);
	CHECK_INT((int)v.n_causes, 1);
	CHECK_INT(v.causes[0].cause, CAUSE_HANDOVER_LEASE);
	proom_env.report = report_free(proom_env.report);
	begin_ifupdown();
	proom_link("/sbin/init", "/lib/systemd/systemd");
	expect_borrowed("rd.handover=ifupdown", &rail, true);
	begin_ifupdown();
	proom_make("/sbin/init", "#!/bin/sh\nexec /lib/systemd/systemd\n");
	expect_borrowed("rd.handover=ifupdown", &rail, true);
}

TEST(dhclient_renews_where_networkd_is_not_to_be_borrowed)
{
	struct address_result r;
	struct profile_rail rail = proom_leased(proom_ethernet("eth0", 2), &r);

	begin_ifupdown();
	proom_make("/sbin/dhclient", "");
	proom_link("/etc/systemd/system/systemd-networkd.service", "/dev/null");
	expect_borrowed("", &rail, false);
	CHECK(proom_has(DHCLIENT_UNIT));
	proom_set_id(&r, proom_id_flexboot, sizeof(proom_id_flexboot));
	begin_ifupdown();
	proom_make("/sbin/dhclient", "");
	expect_borrowed("", &rail, false);
	CHECK(proom_has(DHCLIENT_UNIT));
}
