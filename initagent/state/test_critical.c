// SPDX-License-Identifier: GPL-2.0-or-later
/* The critical path: of rows as boots leave them. */
#include "check.h"

#include "state/critical.h"

#define MS(n) ((n)*NSEC_PER_MSEC)

#define CHANGES	   .changes = changes, .n_changes = ARRAY_SIZE(changes)
#define WORKS	   .works = works, .n_works = ARRAY_SIZE(works)
#define MODULES	   .modules = modules, .n_modules = ARRAY_SIZE(modules)
#define RAILS	   .rails = rails, .n_rails = ARRAY_SIZE(rails)
#define VIEW(...)  (&(const struct report_view){__VA_ARGS__})
/* A boot that ended thus at that ms. */
#define BOOT(result, last, ...) \
	(&(const struct state_input){.outcome = (result), .now = MS(last), ##__VA_ARGS__})

static struct critical_step steps[CRITICAL_STEPS_MAX];

/* "NAME BEGIN-END, ..." in ms. */
static const char *path(const struct report_view *v, const struct state_input *in)
{
	static char text[1024];
	size_t n = critical_path(in, v, steps), at = 0;

	*text = 0;
	for (size_t i = 0; i < n && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %llu-%llu",
			i ? ", " : "", steps[i].name,
			(unsigned long long)(steps[i].begin / NSEC_PER_MSEC),
			(unsigned long long)(steps[i].end / NSEC_PER_MSEC));
	return text;
}

TEST(the_mount_waits_for_modules_not_for_the_lease)
{
	const struct report_change changes[] = {
		{MS(100), "link", "eth0", "absent", "down"},
		{MS(120), "link", "eth0", "down", "carrier"},
		{MS(120), "address", "eth0", "no carrier", "asking"},
		{MS(200), "address", "eth0", "asking", "configured"},
		{MS(200), "target", "10.0.0.1", "unknown", "probing"},
		{MS(230), "target", "10.0.0.1", "probing", "near"},
		{MS(900), "root", "10.0.0.1", "idle", "mounting"},
		{MS(900), "target", "10.0.0.1", "near", "mounting"},
		{MS(1200), "root", "10.0.0.1", "mounting", "mounted"},
	};
	const struct module_entry modules[] = {
		{"virtio_net", MODULE_LOADED, MS(20), MS(110), .asked = false},
		{"nfs", MODULE_LOADED, MS(111), MS(300), .asked = true},
		{"nfsv4", MODULE_LOADED, MS(301), MS(899), .asked = true},
	};

	CHECK_STR(path(VIEW(CHANGES), BOOT("done", 1200, MODULES, .start = MS(10))),
		"start 10-20, virtio_net module 20-110, nfs module 111-300, "
		"nfsv4 module 301-899, 10.0.0.1 mounting 900-1200");
}

/* That of a disk nobody asked for ends 1 ms before. */
TEST(the_mount_waits_for_the_lease_not_for_a_driver)
{
	const struct report_change changes[] = {
		{MS(100), "link", "eth0", "absent", "carrier"},
		{MS(100), "address", "eth0", "no carrier", "asking"},
		{MS(830), "address", "eth0", "asking", "configured"},
		{MS(830), "target", "10.0.0.1", "unknown", "near"},
		{MS(830), "root", "10.0.0.1", "idle", "mounting"},
		{MS(830), "target", "10.0.0.1", "near", "mounting"},
		{MS(1200), "root", "10.0.0.1", "mounting", "mounted"},
	};
	const struct module_entry modules[] = {
		{"virtio_net", MODULE_LOADED, MS(0), MS(105), .asked = false},
		{"ata_piix", MODULE_LOADED, MS(106), MS(829) + 500000, .asked = false},
	};

	CHECK_STR(path(VIEW(CHANGES), BOOT("done", 1200, MODULES)),
		"virtio_net module 0-100, eth0 asking 100-830, 10.0.0.1 mounting 830-1200");
}

TEST(the_agent_leaves_an_interface_down_while_it_loads_modules)
{
	const struct report_change changes[] = {
		{MS(300), "link", "eth0", "absent", "down"},
		{MS(1900), "fabric", "sib0/1", "absent", "ACTIVE"},
		{MS(1980), "link", "eth0", "down", "carrier"},
		{MS(2030), "link", "ib0", "absent", "down"},
		{MS(2060), "link", "ib0", "down", "no carrier"},
		{MS(2060), "link", "ib0", "no carrier", "carrier"},
		{MS(2060), "address", "ib0", "no carrier", "asking"},
		{MS(2160), "address", "ib0", "asking", "configured"},
		{MS(2160), "root", "10.0.0.1", "idle", "mounting"},
		{MS(2500), "root", "10.0.0.1", "mounting", "mounted"},
	};
	const struct module_entry modules[] = {
		{"virtio_net", MODULE_LOADED, MS(0), MS(310), .asked = false},
		{"nfsv4", MODULE_LOADED, MS(311), MS(1676), .asked = true},
		{"softib", MODULE_LOADED, MS(1677), MS(1900), .asked = true},
		{"ib_ipoib", MODULE_LOADED, MS(1980), MS(2040), .asked = true},
		{"ib_umad", MODULE_LOADED, MS(2060), MS(2159), .asked = false},
	};
	const struct report_work works[] = {
		{MS(1900), MS(1975), "fabric", "sib0", 0},
		{MS(2045), MS(2060), "link", "ib0", 0},
		{MS(1976), MS(1979), "link", "eth0", 0},
	};
	const struct fabric_port port = {.name = "sib0/1", .device = "sib0"};
	const struct state_rail rails[] = {{.name = "ib0", .carries_root = true, .port = &port}};

	CHECK_STR(path(VIEW(CHANGES, WORKS), BOOT("done", 2500, MODULES, RAILS)),
		"virtio_net module 0-310, nfsv4 module 311-1676, softib module 1677-1900, "
		"sib0 set up 1900-1975, eth0 set up 1976-1979, ib_ipoib module 1980-2040, "
		"ib0 set up 2045-2060, ib0 asking 2060-2160, 10.0.0.1 mounting 2160-2500");
}

/* Of the other interface, with its own port, nothing counts; of what the root's is made of, all. */
TEST(interfaces_that_the_root_is_not_reached_over)
{
	const struct report_change changes[] = {
		{MS(100), "link", "eth0", "absent", "no carrier"},
		{MS(100), "link", "eth1", "absent", "no carrier"},
		{MS(100), "fabric", "mlx5_1/1", "absent", "INIT"},
		{MS(500), "link", "eth0", "no carrier", "carrier"},
		{MS(500), "link", "bond0", "no carrier", "carrier"},
		{MS(500), "address", "bond0", "no carrier", "asking"},
		{MS(700), "fabric", "mlx5_1/1", "INIT", "ACTIVE"},
		{MS(800), "link", "eth1", "no carrier", "carrier"},
		{MS(800), "address", "eth1", "no carrier", "asking"},
		{MS(900), "address", "bond0", "asking", "configured"},
		{MS(900), "address", "eth1", "asking", "configured"},
		{MS(900), "target", "10.0.0.1", "unknown", "near"},
		{MS(900), "root", "10.0.0.1", "idle", "mounting"},
		{MS(1000), "root", "10.0.0.1", "mounting", "mounted"},
	};
	const struct state_rail rails[] = {{.name = "eth1"},
		{.name = "bond0", .carries_root = true, .lower = {"eth0"}, .n_lower = 1}};

	CHECK_STR(path(VIEW(CHANGES), BOOT("done", 1000, RAILS)),
		"start 0-100, eth0 no carrier 100-500, bond0 asking 500-900, "
		"10.0.0.1 mounting 900-1000");
}

TEST(an_address_that_is_late_and_a_pause_between_attempts)
{
	const struct report_change changes[] = {
		{MS(100), "link", "eth0", "absent", "down"},
		{MS(120), "link", "eth0", "down", "carrier"},
		{MS(120), "address", "eth0", "no carrier", "asking"},
		{MS(4000), "address", "eth0", "asking", "configured"},
		{MS(4000), "root", "10.0.0.1", "idle", "mounting"},
		{MS(4100), "root", "10.0.0.1", "mounting", "idle"},
		{MS(5100), "root", "10.0.0.1", "idle", "mounting"},
		{MS(5200), "root", "10.0.0.1", "mounting", "mounted"},
	};

	CHECK_STR(path(VIEW(CHANGES), BOOT("done", 5200)),
		"start 0-120, eth0 asking 120-4000, 10.0.0.1 mounting 4000-4100, "
		"between 4100-5100, 10.0.0.1 mounting 5100-5200");
}

/* Carrier on IPoIB is the group's join; before that the subnet manager is waited for. */
TEST(an_interface_without_carrier_waits_for_its_port)
{
	const struct report_change changes[] = {
		{MS(50), "fabric", "sib0/1", "absent", "INIT"},
		{MS(90), "link", "ib0", "absent", "down"},
		{MS(95), "link", "ib0", "down", "no carrier"},
		{MS(1500), "fabric", "sib0/1", "INIT", "ACTIVE"},
		{MS(1550), "link", "ib0", "no carrier", "carrier"},
		{MS(1550), "address", "ib0", "no carrier", "asking"},
		{MS(1600), "address", "ib0", "asking", "configured"},
	};

	CHECK_STR(path(VIEW(CHANGES), BOOT("done", 1600)),
		"start 0-50, sib0/1 INIT 50-1500, ib0 no carrier 1500-1550, ib0 asking 1550-1600");
}

/* RoCE: the address is there first. */
TEST(an_interface_with_an_address_waits_for_its_port)
{
	const struct report_change changes[] = {
		{MS(90), "link", "eth0", "absent", "carrier"},
		{MS(90), "address", "eth0", "no carrier", "asking"},
		{MS(200), "address", "eth0", "asking", "configured"},
		{MS(200), "rail", "eth0", "addressing", "waiting for the port"},
		{MS(900), "fabric", "rxe0/1", "absent", "ACTIVE"},
		{MS(950), "rail", "eth0", "waiting for the port", "ready"},
		{MS(950), "root", "10.0.0.1", "idle", "mounting"},
		{MS(1000), "root", "10.0.0.1", "mounting", "mounted"},
	};
	const struct module_entry modules[] = {
		{"virtio_net", MODULE_LOADED, MS(0), MS(90), .asked = false},
		{"rdma_rxe", MODULE_LOADED, MS(91), MS(860), .asked = true},
	};
	const struct report_work works[] = {{MS(860), MS(910), "fabric", "rxe0", 0}};

	CHECK_STR(path(VIEW(CHANGES, WORKS), BOOT("done", 1000, MODULES)),
		"virtio_net module 0-90, rdma_rxe module 91-860, rxe0 set up 860-910, "
		"eth0 waiting for the port 910-950, 10.0.0.1 mounting 950-1000");
}

TEST(both_at_once_and_nothing_at_all)
{
	const struct report_change changes[] = {
		{MS(50), "fabric", "sib0/1", "absent", "INIT"},
		{MS(60), "link", "ib0", "absent", "no carrier"},
		{MS(900), "fabric", "sib0/1", "INIT", "ACTIVE"},
		{MS(900), "link", "ib0", "no carrier", "carrier"},
	};

	/* of two that end together, the one nearer to the root, which waited for the other */
	CHECK_STR(path(VIEW(CHANGES), BOOT("done", 900)), "start 0-50, sib0/1 INIT 50-900");
	CHECK_STR(path(VIEW(0), BOOT("done", 7, .start = MS(5))), "");
	CHECK_STR(path(VIEW(0), BOOT("done", 500, .start = MS(5))), "start 5-500");
}

/* IPv4 and IPv6 of one interface are two. */
TEST(each_family_has_its_own_address)
{
	const struct report_change changes[] = {
		{MS(50), "link", "eth0", "absent", "carrier"},
		{MS(50), "address", "eth0", "no carrier", "asking"},
		{MS(50), "address", "eth0", "IPv6: no carrier", "IPv6: link-local address"},
		{MS(800), "address", "eth0", "IPv6: link-local address", "IPv6: configured"},
		{MS(900), "address", "eth0", "asking", "configured"},
		{MS(900), "root", "10.0.0.1", "idle", "mounting"},
		{MS(990), "root", "10.0.0.1", "mounting", "mounted"},
	};

	CHECK_STR(path(VIEW(CHANGES), BOOT("done", 990)),
		"start 0-50, eth0 asking 50-900, 10.0.0.1 mounting 900-990");
}

TEST(what_a_failed_boot_still_waited_for)
{
	const struct report_change changes[] = {
		{MS(100), "link", "eth0", "absent", "carrier"},
		{MS(100), "link", "eth1", "absent", "no carrier"},
		{MS(100), "address", "eth0", "no carrier", "asking"},
	};
	const struct report_change mount[] = {
		{MS(90), "target", "10.0.0.1", "unknown", "near"},
		{MS(100), "root", "10.0.0.1", "idle", "mounting"},
		{MS(100), "target", "10.0.0.1", "near", "mounting"},
	};
	const struct module_entry modules[] = {{"nfs", MODULE_LOADING, MS(30), .asked = true}};

	CHECK_STR(path(VIEW(CHANGES), BOOT("failed", 180000)),
		"start 0-100, eth0 asking 100-180000");
	CHECK_STR(path(VIEW(.changes = mount, .n_changes = ARRAY_SIZE(mount)),
			  BOOT("failed", 180000)),
		"start 0-100, 10.0.0.1 mounting 100-180000");
	/* the root came over another one: that one was not waited for */
	CHECK_STR(path(VIEW(CHANGES), BOOT("done", 180000)), "start 0-180000");
	CHECK_STR(path(VIEW(0), BOOT("failed", 180000, MODULES)),
		"start 0-30, nfs module 30-180000");
}

/* Its source ends without a word. */
TEST(a_server_that_was_given_up)
{
	const struct report_change changes[] = {
		{MS(100), "root", "10.0.0.1", "idle", "mounting"},
		{MS(100), "target", "10.0.0.1", "near", "mounting"},
		{MS(3000), "target", "10.0.0.1", "mounting", "unknown"},
		{MS(3000), "target", "10.0.0.1", "unknown", "probing"},
	};

	CHECK_STR(path(VIEW(CHANGES), BOOT("failed", 60000)),
		"start 0-100, 10.0.0.1 mounting 100-3000, 10.0.0.1 probing 3000-60000");
}

/* What came before is not why the cable was pulled. */
TEST(a_link_that_is_lost_during_the_boot)
{
	const struct report_change changes[] = {
		{MS(50), "link", "ib0", "absent", "carrier"},
		{MS(50), "address", "ib0", "no carrier", "asking"},
		{MS(200), "address", "ib0", "asking", "configured"},
		{MS(200), "root", "10.0.0.1", "idle", "mounting"},
		{MS(200), "target", "10.0.0.1", "near", "mounting"},
		{MS(500), "root", "10.0.0.1", "mounting", "backing off"},
		{MS(600), "root", "10.0.0.1", "backing off", "idle"},
		{MS(605), "fabric", "sib0/1", "ACTIVE", "DOWN"},
		{MS(605), "link", "ib0", "carrier", "no carrier"},
		{MS(605), "target", "10.0.0.1", "mounting", "unknown"},
		{MS(900), "fabric", "sib0/1", "DOWN", "ACTIVE"},
		{MS(950), "link", "ib0", "no carrier", "carrier"},
		{MS(950), "address", "ib0", "no carrier", "asking"},
		{MS(1000), "address", "ib0", "asking", "configured"},
		{MS(1000), "root", "10.0.0.1", "idle", "mounting"},
		{MS(1100), "root", "10.0.0.1", "mounting", "mounted"},
	};

	CHECK_STR(path(VIEW(CHANGES), BOOT("done", 1100)),
		"start 0-50, ib0 asking 50-200, 10.0.0.1 mounting 200-500, "
		"10.0.0.1 backing off 500-600, sib0/1 DOWN 605-900, ib0 no carrier 900-950, "
		"ib0 asking 950-1000, 10.0.0.1 mounting 1000-1100");
}

/* A file system's module is named, and a disk without a server has a name as well. */
TEST(modules_that_the_root_asks_for)
{
	const struct report_change changes[] = {
		{MS(100), "block", "", "idle", "connecting"},
		{MS(200), "block", "", "connecting", "looking"},
		{MS(300), "block", "", "looking", "module"},
		{MS(900), "block", "", "module", "mounting"},
		{MS(1000), "block", "", "mounting", "mounted"},
	};
	const struct module_entry modules[] = {
		{"mbcache", MODULE_LOADED, MS(301), MS(310), .asked = true},
		{"ext4", MODULE_LOADED, MS(311), MS(899), .asked = true},
	};

	CHECK_STR(path(VIEW(CHANGES), BOOT("done", 1000, MODULES)),
		"start 0-100, block connecting 100-200, block looking 200-300, "
		"mbcache module 301-310, ext4 module 311-899, block mounting 900-1000");
}

/* The state of the web root is split by the transfer's, Warewulf's disks by their modules. */
TEST(waits_inside_of_others)
{
	const struct report_change changes[] = {
		{MS(100), "wwinit", "disks", "idle", "scripts"},
		{MS(900), "wwinit", "disks", "scripts", "mounting"},
		{MS(1500), "wwinit", "disks", "mounting", "done"},
		{MS(1500), "fetch", "http://a", "idle", "reading"},
		{MS(1500), "web", "root", "idle", "image"},
		{MS(1600), "fetch", "http://a", "reading", "stopping"},
		{MS(1600), "fetch", "http://b", "stopping", "transfer"},
		{MS(1900), "fetch", "http://b", "transfer", "done"},
		{MS(2000), "fetch", "http://b", "done", "stopping"},
		{MS(2000), "fetch", "http://b", "stopping", "done"},
		{MS(2000), "web", "root", "image", "mounting"},
		{MS(2100), "web", "root", "mounting", "mounted"},
	};
	const struct module_entry modules[] = {
		{"virtio_blk", MODULE_LOADED, MS(200), MS(899), .asked = false},
		{"xfs", MODULE_LOADED, MS(1000), MS(1200), .asked = true},
		{"vfat", MODULE_LOADED, MS(1300), MS(1450), .asked = true},
	};

	CHECK_STR(path(VIEW(CHANGES), BOOT("done", 2100, MODULES)),
		"start 0-100, disks scripts 100-900, disks mounting 900-1000, "
		"xfs module 1000-1200, disks mounting 1200-1300, vfat module 1300-1450, "
		"disks mounting 1450-1500, http://a image reading 1500-1600, "
		"http://b image transfer 1600-1900, root image 1900-2000, root mounting 2000-2100");
}

TEST(an_agent_that_was_started_again)
{
	const struct report_change changes[] = {
		{MS(4100), "root", "10.0.0.1", "idle", "mounting"},
		{MS(4500), "root", "10.0.0.1", "mounting", "mounted"},
	};
	const struct report_view v = {CHANGES, .start = MS(4000)};

	CHECK_STR(path(&v, BOOT("done", 4500, .start = MS(1000))),
		"earlier agent 1000-4000, start 4000-4100, 10.0.0.1 mounting 4100-4500");
	/* the time in the shell of rd.break does not count */
	CHECK_STR(path(&v, BOOT("done", 4500, .start = MS(4300))), "10.0.0.1 mounting 4300-4500");
}

/* A boot that loads hundreds of modules in turn. */
TEST(the_steps_that_are_kept_are_the_last_ones)
{
	static struct module_entry modules[256];
	const struct report_view v = {0};
	const struct state_input in = {.outcome = "done", .now = MS(2560), MODULES};
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		modules[i] = (struct module_entry){.state = MODULE_LOADED, .begin = MS(10 * i),
			.end = MS(10 * i + 9)};
		snprintf(modules[i].name, sizeof(modules[i].name), "m%zu", i);
	}
	n = critical_path(&in, &v, steps);
	CHECK_INT(n, CRITICAL_STEPS_MAX);
	CHECK_STR(steps[n - 1].name, "m255 module");
	CHECK_STR(steps[0].name, "m192 module");
}

static const char *any(const char *const *list, size_t n)
{
	return list[(size_t)rand() % n];
}

/* Whatever the rows are: the walk ends, steps have names, do not overlap, and leave nothing out. */
TEST(rows_of_no_boot)
{
	static const char *const rooms[] = {"fabric", "link", "address", "rail", "target", "fetch",
		"web", "wwinit", "root", "block", "image"};
	static const char *const states[] = {"absent", "INIT", "ACTIVE", "down", "no carrier",
		"carrier", "asking", "IPv6: asking", "waiting for the port", "ready", "unknown",
		"near", "mounting", "idle", "transfer", "done", "scripts", "mounted", "module"};
	static const char *const names[] = {"eth0", "sib0/1", ""};
	struct report_change changes[30];
	struct module_entry modules[6];

	srand(1);
	for (unsigned round = 0; round < 3000; round++) {
		const struct report_view v = {CHANGES};
		struct state_input in = {.outcome = round % 2 ? "done" : "failed", MODULES};
		uint64_t at = 0, unnamed;
		size_t n;

		for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
			changes[i] = (struct report_change){.when = at += MS(rand() % 4)};
			strscpy(changes[i].room, any(rooms, ARRAY_SIZE(rooms)), REPORT_NAME_MAX);
			strscpy(changes[i].rail, any(names, ARRAY_SIZE(names)), REPORT_NAME_MAX);
			strscpy(changes[i].from, any(states, ARRAY_SIZE(states)), REPORT_NAME_MAX);
			strscpy(changes[i].to, any(states, ARRAY_SIZE(states)), REPORT_NAME_MAX);
		}
		for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
			modules[i] = (struct module_entry){"m", .begin = MS(rand() % 40)};
			modules[i].end = modules[i].begin + MS(rand() % 20);
			modules[i].asked = rand() % 2;
		}
		in.now = at + MS(rand() % 4);
		n = critical_path(&in, &v, steps);
		unnamed = in.now;
		for (size_t i = 0, end = 0; i < n; end = steps[i++].end) {
			CHECK(*steps[i].name && *steps[i].name != ' ');
			CHECK(steps[i].begin >= end && steps[i].end > steps[i].begin);
			CHECK(steps[i].end <= in.now);
			unnamed -= steps[i].end - steps[i].begin;
		}
		CHECK(unnamed <= (n + 1) * MS(10));
	}
}
