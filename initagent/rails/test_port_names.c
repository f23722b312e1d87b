// SPDX-License-Identifier: GPL-2.0-or-later
/* rd.ib.port=: an RDMA port by the names that kernel and udev give its device. */
#include "check.h"

#include <sys/socket.h>

#include "fabric/ops.h"
#include "modtree.h"
#include "netns.h"
#include "rails/private.h"
#include "report/report.h"

#define PORTS "/sys/class/infiniband/mlx5_0/ports"

static int uevents[2];

static int take_uevents(void *data)
{
	(void)data;
	return dup(uevents[0]);
}

static int no_verbs(void *data, const char *device, void **ret_context, int *ret_fd)
{
	(void)data, (void)device, (void)ret_context, (void)ret_fd;
	return -ENODEV;
}

/* The device's first or second port, with eth0 on it: an adapter in RoCE mode. */
static void make_port(const struct modtree *t, unsigned port)
{
	static const char card[] = "/sys/devices/pci0000:40/0000:41:00.0";
	static const char *const files[][2] = {{"link_layer", "Ethernet\n"},
		{"gid_attrs/ndevs/0", "eth0\n"}, {"state", "4: ACTIVE\n"}};
	char path[256], to[256];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), PORTS "/%u/%s", port, files[i][0]);
		modtree_file(t, path, files[i][1]);
	}
	snprintf(path, sizeof(path), "%s/uevent", card);
	modtree_file(t, path, "");
	modtree_file(t, "/sys/class/net/eth0/dev_port", port == 2 ? "1\n" : "0\n");
	snprintf(path, sizeof(path), "%s/sys/class/net/eth0/device", t->root);
	snprintf(to, sizeof(to), "%s%s", t->root, card);
	CHECK_INT(symlink(to, path), 0);
}

/* The list is read between udev's change of the name, once mlx5_9, and its announcement. */
static void rename_device(struct fabric *f)
{
	static const char move[] = "move@/devices/x/mlx5_0\0ACTION=move\0"
				   "DEVPATH=/devices/x/mlx5_0\0SUBSYSTEM=infiniband\0"
				   "DEVPATH_OLD=/devices/x/mlx5_9";
	struct fabric_event ev;

	CHECK_INT(fabric_rescan(f, 1), 0);
	while (fabric_pop_event(f, &ev))
		continue;
	CHECK(send(uevents[1], move, sizeof(move), 0) > 0);
	CHECK_INT(fabric_dispatch(f, 2), 0);
	CHECK(fabric_pop_event(f, &ev));
	CHECK_STR(ev.port.device, "mlx5_0");
}

static bool is_chosen(const char *option, unsigned port)
{
	static const struct fabric_ops ops = {.open_uevent = take_uevents, .verbs_open = no_verbs};
	const struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};
	_cleanup_(report_freep) struct report *report = NULL;
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct rails b = {0};
	struct modtree tree;
	char line[64];
	bool chosen;

	snprintf(line, sizeof(line), "root=dhcp rd.ib.port=%s", option);
	CHECK_INT(plan_parse(&plan, line, strlen(line), NULL), 0);
	CHECK_INT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, uevents), 0);
	CHECK_INT(report_new(&report, &cfg), 0);
	modtree_bare(&tree);
	make_port(&tree, port);
	b.plan = plan;
	b.env = tree.env;
	b.env.report = report;
	CHECK_INT(links_new(&b.links, &b.env, 1), 0);
	CHECK_INT(fabric_new(&b.fabric, &b.env, &ops), 0);
	rename_device(b.fabric);
	chosen = rail_allowed(&b, links_by_name(b.links, "eth0"));
	fabric_freep(&b.fabric);
	links_freep(&b.links);
	close(uevents[0]);
	close(uevents[1]);
	return chosen;
}

/* udev's are those of the running node, or of one that is in the image. */
TEST(a_port_is_chosen_by_each_of_its_names)
{
	static const struct {
		const char *option;
		unsigned port;
		bool chosen;
	} rows[] = {{"mlx5_0", 1, true}, {"mlx5_0/1", 1, true}, {"mlx5_9", 1, true},
		{"rocep65s0", 1, true}, {"rocep65s0f0/1", 1, true}, {"rocep65s0", 2, true},
		{"rocep65s0/2", 2, true}, {"rocep65s0/1", 2, false}, {"rocep65s0f1", 1, false},
		{"rocep66s0", 1, false}, {"mlx5_1", 1, false}, {"p65s0", 1, false}};

	netns_enter();
	netns_veth("eth0", "other", 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (is_chosen(rows[i].option, rows[i].port) != rows[i].chosen)
			check_fail(__FILE__, __LINE__, "%s", rows[i].option);
}
