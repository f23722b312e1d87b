/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_image_options: what an image for one machine keeps, and what comes twice because of it. */
#include "check.h"
#include "plan.h"

/* kept: NULL: the whole line. */
static const struct row {
	const char *line, *kept;
	bool other_root;
} rows[] = {
	{"root=nfs:192.0.2.1:/x ip=bond0:dhcp bond=bond0:ib0,ib1:mode=active-backup "
		"rd.driver.post=mlx5_ib vlan=bond0.5:bond0 bridge=br0:bond0.5 netroot=nbd:a:b",
		NULL, false},
	{"root=nbd:192.0.2.1:x rootfstype=ext4 rootflags=noatime rw", NULL, false},
	{"rd.overlay=1 imgurl=http://192.0.2.1/x.sfs rd.live.overlay.size=100", NULL, false},
	{"wwinit.uri=http://192.0.2.1:9873/provision/a root=wwinit", NULL, false},
	/* of one boot, and what is not the agent's */
	{"BOOT_IMAGE=x console=ttyS0 root=dhcp BOOTIF=01-52-54-00-00-00-01 rd.shell rd.break "
		"rd.emergency=reboot rd.debug quiet init=/bin/sh rd.hostonly=0 mlx4_core.a=1 "
		"rd.luks.uuid=1 single -- ip=x", "root=dhcp", false},
	/* the one that counts; not what is malformed */
	{"rd.retry=5 root=dhcp rd.retry=9 rd.timeout=soon ip=eth0:dhcp ip=eth1:dhcp",
		"root=dhcp rd.retry=9 ip=eth0:dhcp ip=eth1:dhcp", false},
	{"root=dhcp rd.ib.node-desc=\"a b\" \"rd.net.dhcp.client-id=eth0:@c d\"",
		"root=dhcp rd.ib.node-desc=\"a b\" rd.net.dhcp.client-id=\"eth0:@c d\"", false},
	/* what no quotes keep together */
	{"root=dhcp \"rd.ib.node-desc=a\nb\"", "root=dhcp", false},
	{"root=dhcp rd.ib.node-desc=\"a b\"c\" d\" rd.retry=9", "root=dhcp rd.retry=9", false},
	{"root=LABEL=x rw rootflags=noatime rd.neednet=1 ip=dhcp", "rd.neednet=1 ip=dhcp", true},
	{"quiet", "", false},
};

TEST(what_an_image_of_the_machine_keeps)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		_cleanup_(plan_freep) struct boot_plan *plan = NULL;
		_cleanup_free_ char *text = NULL;

		CHECK_INT(plan_parse(&plan, row->line, strlen(row->line), NULL), 0);
		text = plan_image_options(plan, !row->other_root);
		CHECK_STR(text ? text : "", row->kept ? row->kept : row->line);
	}
}

#define IMAGE "rd.report=http://192.0.2.1/r rd.retry=5 rd.ib.port=mlx5_1/1"
#define LINE                                                                               \
	"root=nfs:192.0.2.1:/x bond=bond0:ib0,ib1:mode=active-backup ip=bond0:dhcp "       \
	"rd.route=10.1.0.0/16:10.0.0.1 rd.ib.port=mlx5_0/1 rd.retry=9"
#define FIRMWARE "rd.route=10.2.0.0/16:10.0.0.1"

/* What an image has and the boot loader gives again counts once; what differs, by the loader. */
TEST(what_the_boot_loader_repeats)
{
	static const struct plan_source src[] = {
		{.name = "/etc/cmdline.d/a.conf", .text = IMAGE " " LINE,
			.len = strlen(IMAGE " " LINE)},
		{.name = "/proc/cmdline", .text = LINE, .len = strlen(LINE), .running = true},
		{.name = "firmware", .text = FIRMWARE, .len = strlen(FIRMWARE), .firmware = true},
	};
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	_cleanup_free_ char *text = NULL;
	struct diag_list *diags = NULL;

	CHECK_INT(diag_list_new(&diags), 0);
	CHECK_INT(plan_parse_sources(&plan, src, ARRAY_SIZE(src), diags), 0);
	for (size_t i = 0; i < diag_list_count(diags); i++)
		CHECK(diag_list_at(diags, i)->severity < DIAG_WARN);
	diag_list_free(diags);
	text = plan_image_options(plan, true);
	CHECK_STR(text, "rd.report=http://192.0.2.1/r rd.ib.port=mlx5_1/1 " LINE);
	CHECK_INT(plan->net.n_routes, 2);
	CHECK_INT(plan->ib.n_ports, 2);
	CHECK_INT(plan->net.n_links, 1);
	CHECK_INT(plan->n_reports, 1);
}

/* Of a host-only image: ip= of the machine it was made on gives way to any of the boot loader's. */
TEST(the_address_of_the_last_boot_gives_way)
{
	struct plan_source src[] = {
		{.name = "/etc/cmdline.d/00initagent.conf",
			.text = "root=dhcp ip=10.0.0.11::10.0.0.1:24:node1:eth0:none", .len = 51},
		{.name = NULL, .text = "ip=dhcp", .len = 7},
	};
	struct boot_plan *plan = NULL;

	CHECK_INT(plan_parse_sources(&plan, src, 2, NULL), 0);
	CHECK_INT(plan->net.n_ips, 1);
	CHECK_INT(plan->net.ips[0].methods, PLAN_IP_DHCP);
	plan_freep(&plan);
	CHECK_INT(plan_parse_sources(&plan, src, 1, NULL), 0);
	CHECK_STR(plan->net.ips[0].ifname, "eth0");
	plan_freep(&plan);
	/* another file of the image stands beside it */
	src[0].name = "/etc/cmdline.d/10-site.conf";
	CHECK_INT(plan_parse_sources(&plan, src, 2, NULL), 0);
	CHECK_INT(plan->net.n_ips, 2);
	plan_freep(&plan);
}
