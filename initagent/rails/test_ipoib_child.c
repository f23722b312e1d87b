// SPDX-License-Identifier: GPL-2.0-or-later
/* An IPoIB interface that takes its mode by its sysfs file alone, as each does in the moment it
 * appears. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "netns.h"
#include "rails/private.h"
#include "report/report.h"

/* What netlink answers: no mode of its own, or a driver that refuses this one, as mlx5's own IPoIB
 * does. */
static int answer = -EOPNOTSUPP;

int __wrap_links_set_ipoib_mode(struct links *l, int ifindex, bool connected);

int __wrap_links_set_ipoib_mode(struct links *l, int ifindex, bool connected)
{
	(void)l, (void)ifindex, (void)connected;
	return answer;
}

/* The only interface there is; NULL: those of the kernel. */
static const struct netdev *only;

const struct netdev *__real_links_by_index(const struct links *l, int ifindex);
const struct netdev *__wrap_links_by_index(const struct links *l, int ifindex);

const struct netdev *__wrap_links_by_index(const struct links *l, int ifindex)
{
	return only ? only : __real_links_by_index(l, ifindex);
}

const struct netdev *__real_links_next(const struct links *l, const struct netdev *prev);
const struct netdev *__wrap_links_next(const struct links *l, const struct netdev *prev);

const struct netdev *__wrap_links_next(const struct links *l, const struct netdev *prev)
{
	return !only ? __real_links_next(l, prev) : prev ? NULL : only;
}

static const char *const parts[] = {"/sys", "/sys/class", "/sys/class/net", "/sys/class/net/ib0"};

static void make_file(const char *dir)
{
	char path[256];
	FILE *f;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, parts[i]);
		CHECK_INT(mkdir(path, 0755), 0);
	}
	snprintf(path, sizeof(path), "%s/sys/class/net/ib0/mode", dir);
	f = fopen(path, "w");
	CHECK(f);
	fclose(f);
}

static void remove_file(const char *dir)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/sys/class/net/ib0/mode", dir);
	unlink(path);
	for (size_t i = ARRAY_SIZE(parts); i-- > 0;) {
		snprintf(path, sizeof(path), "%s%s", dir, parts[i]);
		rmdir(path);
	}
	rmdir(dir);
}

static void check_mode(const char *option, const char *want)
{
	char dir[] = "/tmp/initagent-ipoib-XXXXXX", path[256], got[32] = "";
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct netdev dev = {.name = "ib0", .hwtype = 32};
	struct rails b = {0};
	FILE *f;

	CHECK(mkdtemp(dir));
	make_file(dir);
	CHECK_INT(plan_parse(&plan, option, strlen(option), NULL), 0);
	b.plan = plan;
	b.env.prefix = dir;
	ipoib_prepare(&b, &dev, 1);
	snprintf(path, sizeof(path), "%s/sys/class/net/ib0/mode", dir);
	f = fopen(path, "r");
	CHECK(f);
	CHECK(fread(got, 1, sizeof(got) - 1, f) > 0);
	fclose(f);
	remove_file(dir);
	CHECK_STR(got, want);
}

/* ipoib_set_mode() of the kernel compares with the newline. */
TEST(words_are_the_kernels)
{
	check_mode("root=dhcp rd.ib.mode=connected", "connected\n");
	check_mode("root=dhcp rd.ib.mode=datagram", "datagram\n");
}

/* On mlx5 the children receive by its queues. */
TEST(a_parent_that_has_children_is_up)
{
	static const char line[] = "root=dhcp rd.ib.pkey=0x8001";
	_cleanup_(report_freep) struct report *report = NULL;
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	const struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};
	struct rails b = {0};

	netns_enter();
	netns_veth("ib0", "other", 0);
	CHECK_INT(report_new(&report, &cfg), 0);
	CHECK_INT(plan_parse(&plan, line, strlen(line), NULL), 0);
	b.plan = plan;
	b.report = b.env.report = report;
	CHECK_INT(links_new(&b.links, &b.env, 1), 0);
	CHECK(!links_by_name(b.links, "ib0")->up);
	ipoib_make_children(&b, links_by_name(b.links, "ib0"), 1);
	CHECK_INT(links_dispatch(b.links, 2), 0);
	CHECK(links_by_name(b.links, "ib0")->up);
	links_free(b.links);
}

/* The default partition's interface is the parent, unless its port's table begins with another
 * P_Key (OpenSM's indx0): the kernel makes a child of any but the parent's. */
TEST(the_parents_own_partition)
{
	static const struct {
		const char *line;
		uint16_t own;
		bool children, replaced;
	} rows[] = {
		{"root=dhcp", 0xffff, false, false},
		{"root=dhcp rd.ib.pkey=0xffff", 0xffff, false, false},
		{"root=dhcp rd.ib.pkey=7fff", 0x7fff, false, false},
		{"root=dhcp rd.ib.pkey=0xffff", 0x8004, true, true},
		{"root=dhcp rd.ib.pkey=0x8004", 0x8004, false, false},
		{"root=dhcp rd.ib.pkey=0xffff,0x8001", 0xffff, true, false},
		{"root=dhcp rd.ib.pkey=ib1.ffff", 0x8004, false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct netdev dev = {.name = "ib0", .hwtype = 32, .broadcast.len = 20};
		_cleanup_(plan_freep) struct boot_plan *plan = NULL;
		struct rails b = {0};

		CHECK_INT(plan_parse(&plan, rows[i].line, strlen(rows[i].line), NULL), 0);
		b.plan = plan;
		dev.broadcast.bytes[8] = (uint8_t)(rows[i].own >> 8);
		dev.broadcast.bytes[9] = (uint8_t)rows[i].own;
		CHECK_INT(ipoib_is_parent(&b, &dev), rows[i].children);
		CHECK_INT(ipoib_replaced(&b, &dev), rows[i].replaced);
	}
}

/* While the subnet manager writes the table again the kernel shows an empty first entry so. */
TEST(an_empty_first_pkey_is_no_other_partition)
{
	struct netdev dev = {.ifindex = 5, .name = "ib0", .hwtype = 32, .broadcast.len = 20};
	struct rail rail = {.ifindex = 5, .name = "ib0", .ipoib = true, .state = RAIL_READY};
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	char dir[] = "/tmp/initagent-ipoib-XXXXXX";
	struct rails b = {0};

	check_dir(dir);
	files_text(dir, "/sys/class/net/ib0/pkey", "0x8000\n");
	CHECK_INT(plan_parse(&plan, "root=dhcp rd.ib.pkey=0x8004", 27, NULL), 0);
	b.plan = plan;
	b.env.prefix = dir;
	only = &dev;
	CHECK(!ipoib_moved(&b, &rail, 1));
	CHECK_INT(rail.state, RAIL_READY);
	only = NULL;
}

/* Most fabrics have the default partition first; then no interface of that name comes. */
TEST(a_partition_that_is_its_parents_own_is_told)
{
	static const char line[] = "root=dhcp rd.ib.pkey=ib0.ffff ip=ib0.ffff:dhcp";
	struct netdev dev = {.ifindex = 5, .name = "ib0", .hwtype = 32, .broadcast.len = 20};
	const struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};
	_cleanup_(report_freep) struct report *report = NULL;
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct rails b = {0};
	const char *where, *text;

	CHECK_INT(report_new(&report, &cfg), 0);
	CHECK_INT(plan_parse(&plan, line, strlen(line), NULL), 0);
	b.plan = plan;
	b.report = report;
	only = &dev;
	for (int own = 0; own < 2; own++) {
		memset(&dev.broadcast.bytes[8], own ? 0xff : 0x80, 2);
		rails_missing_step(&b, 1);
		CHECK_INT(report_waiting(report, &where, &text), CAUSE_NETDEV_MISSING);
		CHECK_INT(strstr(text, "; ib0 itself is in that partition: write ib0; ") != NULL,
			own);
		CHECK(strstr(text, "there are: ib0 (down)"));
	}
	only = NULL;
}

TEST(a_mode_that_the_driver_refuses_is_told)
{
	struct report_config cfg = {.kmsg_fd = -1};
	_cleanup_(report_freep) struct report *report = NULL;
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct netdev dev = {.name = "ib0", .hwtype = 32};
	char said[512] = "";
	struct rails b = {0};
	int fds[2];

	CHECK_INT(pipe(fds), 0);
	cfg.console_fd = fds[1];
	CHECK_INT(report_new(&report, &cfg), 0);
	CHECK_INT(plan_parse(&plan, "root=dhcp rd.ib.mode=connected", 30, NULL), 0);
	b.plan = plan;
	b.report = report;
	b.env.report = report;
	answer = -EINVAL;
	ipoib_prepare(&b, &dev, 1);
	answer = -EOPNOTSUPP;
	CHECK(read(fds[0], said, sizeof(said) - 1) > 0);
	CHECK(strstr(said, "ib0: IA-E312"));
	CHECK(strstr(said, "Invalid argument"));
	close(fds[0]);
	close(fds[1]);
}
