// SPDX-License-Identifier: GPL-2.0-or-later
/* What is below an interface of vlan=, bond=, bridge=: by the plan, over interfaces that are there.
 * A VLAN on a bond of two, and one interface beside it; veths stand for all of them. */
#include "check.h"
#include "modtree.h"
#include "netns.h"

#include <sys/eventfd.h>

#include "fabric/ops.h"
#include "rails/private.h"
#include "report/record.h"
#include "report/report.h"

static const char line[] = "vlan=bond0.5:bond0 bond=bond0:eth0,eth1:mode=802.3ad "
			   "ifname=bond0:52:54:00:00:00:02 ifname=eth2:52:54:00:00:00:03";

static int busy; /* so often a driver is */

int __real_links_set_up(struct links *l, int ifindex, bool up);
int __wrap_links_set_up(struct links *l, int ifindex, bool up);

int __wrap_links_set_up(struct links *l, int ifindex, bool up)
{
	if (up && busy > 0) {
		busy--;
		return -EBUSY;
	}
	return __real_links_set_up(l, ifindex, up);
}

struct fixture {
	struct rails rails;
	struct boot_plan *plan;
};

static void open_fixture(struct fixture *f)
{
	netns_enter();
	netns_veth("eth0", "eth1", 0);
	netns_veth("bond0", "eth2", 0);
	CHECK_INT(plan_parse(&f->plan, line, strlen(line), NULL), 0);
	f->rails.plan = f->plan;
	CHECK_INT(links_new(&f->rails.links, &f->rails.env, now_ns()), 0);
}

static void close_fixture(struct fixture *f)
{
	links_freep(&f->rails.links);
	plan_freep(&f->plan);
}

/* mlx5 in LAG has one RDMA device for both ports, whose GIDs are of the bond or of a slave. */
TEST(the_rdma_port_of_a_bond_is_its_own_or_a_slaves)
{
	static const struct {
		const char *netdev;
		bool is;
	} ports[] = {{"bond0.5", true}, {"bond0", true}, {"eth0", true}, {"eth1", true},
		{"eth2", false}};
	struct rail rail = {.name = "bond0.5"};
	struct fixture f = {0};

	open_fixture(&f);
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++) {
		struct fabric_port port = {.device = "mlx5_bond_0", .port = 1,
			.link_layer = LINK_LAYER_ETHERNET};

		strscpy(port.netdev, ports[i].netdev, sizeof(port.netdev));
		CHECK_INT(rail_is_port(&f.rails, &port, &rail), ports[i].is);
	}
	strscpy(rail.name, "eth2", sizeof(rail.name));
	CHECK(!rail_is_port(&f.rails, &(struct fabric_port){.netdev = "eth0"}, &rail));
	close_fixture(&f);
}

static int no_verbs(void *data, const char *device, void **ret_context, int *ret_fd)
{
	(void)data, (void)device, (void)ret_context, (void)ret_fd;
	return -ENODEV;
}

static int any_fd(void *data)
{
	(void)data;
	return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static void roce(struct modtree *t, const char *device, const char *netdev, const char *gid)
{
	const char *const files[][2] = {{"link_layer", "Ethernet\n"}, {"state", "4: ACTIVE\n"},
		{"phys_state", "5: LinkUp\n"}, {"gid_attrs/ndevs/0", netdev}, {"gids/0", gid}};
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/%s", device,
			files[i][0]);
		modtree_file(t, path, files[i][1]);
	}
}

/* Both have carrier; the kernel gives the bond's GID to that of the active slave. */
TEST(the_rdma_port_of_active_backup_is_the_active_slaves)
{
	static const struct fabric_ops ops = {.open_uevent = any_fd, .verbs_open = no_verbs};
	static const char none[] = "fe80:0000:0000:0000:0000:0000:0000:0001\n";
	const struct inet_addr addr = {.family = AF_INET, .bytes = {10, 0, 0, 5}};
	struct rail rail = {.name = "bond0"};
	struct fixture f = {0};
	struct modtree t;

	modtree_bare(&t);
	roce(&t, "mlx5_0", "eth0", none);
	roce(&t, "mlx5_1", "eth1", "0000:0000:0000:0000:0000:ffff:0a00:0005\n");
	roce(&t, "mlx5_2", "eth2", "0000:0000:0000:0000:0000:ffff:0a00:0005\n");
	open_fixture(&f);
	f.rails.env = t.env;
	CHECK_INT(report_new(&f.rails.env.report, &(struct report_config){.console_fd = -1}), 0);
	CHECK_INT(fabric_new(&f.rails.fabric, &f.rails.env, &ops), 0);
	CHECK_INT(fabric_rescan(f.rails.fabric, 1), 0);
	CHECK_STR(rail_port_of(&f.rails, &rail, &addr)->device, "mlx5_1");
	CHECK_STR(rail_port_of(&f.rails, &rail, NULL)->device, "mlx5_0");
	roce(&t, "mlx5_0", "eth0", "0000:0000:0000:0000:0000:ffff:0a00:0005\n");
	CHECK_STR(rail_port_of(&f.rails, &rail, &addr)->device, "mlx5_0");
	fabric_freep(&f.rails.fabric);
	report_free(f.rails.env.report);
	close_fixture(&f);
}

/* rtnetlink tells of the new name before the port is looked at by it. */
TEST(a_renamed_interface_keeps_its_rdma_port)
{
	static const struct fabric_ops ops = {.open_uevent = any_fd, .verbs_open = no_verbs};
	static const char gid[] = "fe80:0000:0000:0000:0000:0000:0000:0001\n";
	struct fixture f = {0};
	struct rails *r = &f.rails;
	struct link_event ev;
	struct modtree t;

	modtree_bare(&t);
	roce(&t, "mlx5_0", "eth0", gid);
	open_fixture(&f);
	r->env = t.env;
	CHECK_INT(report_new(&r->report, &(struct report_config){.console_fd = -1}), 0);
	r->env.report = r->report;
	CHECK_INT(addresses_new(&r->addresses, &r->env, r->links, 1), 0);
	CHECK_INT(fabric_new(&r->fabric, &r->env, &ops), 0);
	CHECK_INT(fabric_rescan(r->fabric, 1), 0);
	r->wants_rdma = true;
	r->n = 1;
	r->rows[0] = (struct rail){.ifindex = links_by_name(r->links, "eth0")->ifindex,
		.name = "eth0", .state = RAIL_READY};
	netns_run("ip link set eth0 name ens1");
	roce(&t, "mlx5_0", "ens1", gid);
	CHECK_INT(links_dispatch(r->links, 2), 0);
	while (links_pop_event(r->links, &ev))
		if (ev.dev.ifindex == r->rows[0].ifindex)
			rail_link_event(r, &ev, 2);
	CHECK_STR(r->rows[0].name, "ens1");
	rail_ports_step(r, 2);
	CHECK_INT(r->rows[0].state, RAIL_READY);
	fabric_freep(&r->fabric);
	addresses_freep(&r->addresses);
	report_free(r->report);
	close_fixture(&f);
}

/* BOOTIF=, ip= and rd.ib.guid= with the address of a slave mean what is made of it. */
TEST(the_address_of_a_slave_means_the_interface_on_top)
{
	struct netdev top = {.name = "bond0.5", .hwtype = 1};
	struct fixture f = {0};
	const struct netdev *slave;
	struct hw_addr hw = {.len = 6};

	open_fixture(&f);
	slave = links_by_name(f.rails.links, "eth1");
	CHECK(slave);
	memcpy(hw.bytes, slave->hw.bytes, hw.len);
	CHECK(stack_matches(&f.rails, &top, &hw));
	CHECK(!stack_matches(&f.rails, slave, &hw));
	hw.bytes[5] ^= 0x10;
	CHECK(!stack_matches(&f.rails, &top, &hw));
	close_fixture(&f);
}

/* Two bridges claim it: the kernel would move it from one to the other at each step. */
TEST(a_part_of_two_stays_with_the_first)
{
	static const char two[] = "bridge=br0:eth0 bridge=br1:eth0";
	struct fixture f = {0};
	int first;

	open_fixture(&f);
	netns_run("ip link add br0 type bridge; ip link add br1 type bridge");
	plan_freep(&f.plan);
	CHECK_INT(plan_parse(&f.plan, two, strlen(two), NULL), 0);
	f.rails.plan = f.plan;
	CHECK_INT(report_new(&f.rails.report, &(struct report_config){.console_fd = -1}), 0);
	f.rails.env.report = f.rails.report;
	links_freep(&f.rails.links);
	CHECK_INT(links_new(&f.rails.links, &f.rails.env, now_ns()), 0);
	first = links_by_name(f.rails.links, "br0")->ifindex;
	for (int i = 0; i < 3; i++) {
		stack_step(&f.rails, now_ns());
		CHECK_INT(links_by_name(f.rails.links, "eth0")->master_ifindex, first);
	}
	report_free(f.rails.report);
	close_fixture(&f);
}

static void open_stack(struct fixture *f, const char *on)
{
	open_fixture(f);
	plan_freep(&f->plan);
	CHECK_INT(plan_parse(&f->plan, on, strlen(on), NULL), 0);
	f->rails.plan = f->plan;
	CHECK_INT(report_new(&f->rails.report, &(struct report_config){.console_fd = -1}), 0);
	f->rails.env.report = f->rails.report;
}

/* As E810's while its firmware takes the RDMA driver in. */
static void step_busy(struct fixture *f, int times, int steps)
{
	uint64_t now = now_ns();

	busy = times;
	for (int i = 0; i < steps; i++, now += NSEC_PER_SEC / 2) {
		stack_step(&f->rails, now);
		CHECK_INT(links_dispatch(f->rails.links, now), 0);
	}
}

TEST(a_busy_port_of_a_bridge_is_set_up_again)
{
	const struct netdev *port;
	struct report_view view;
	struct fixture f = {0};

	open_stack(&f, "bridge=br0:eth1");
	step_busy(&f, 2, 2); /* the first step makes the bridge */
	CHECK_INT(busy, 1);
	CHECK(stack_deadline(&f.rails) != NSEC_NEVER);
	step_busy(&f, 0, 3);
	CHECK(stack_deadline(&f.rails) == NSEC_NEVER);
	port = links_by_name(f.rails.links, "eth1");
	CHECK(port->up);
	CHECK_INT(port->master_ifindex, links_by_name(f.rails.links, "br0")->ifindex);
	report_view(f.rails.report, &view);
	CHECK_INT(view.n_causes, 0);
	report_free(f.rails.report);
	close_fixture(&f);
}

TEST(a_busy_parent_of_a_vlan_is_set_up_again)
{
	struct fixture f = {0};

	open_stack(&f, "vlan=vlan7:eth0");
	step_busy(&f, 2, 2);
	CHECK_INT(f.rails.stack_tried, 0);
	step_busy(&f, 0, 3);
	CHECK_INT(f.rails.stack_tried, 1);
	CHECK(links_by_name(f.rails.links, "eth0")->up);
	report_free(f.rails.report);
	close_fixture(&f);
}

/* A spare, or the parent of partitions. */
TEST(a_busy_interface_without_address_is_set_up_again)
{
	struct fixture f = {0};

	open_stack(&f, "root=dhcp");
	busy = 1;
	stack_set_up(&f.rails, links_by_name(f.rails.links, "eth0")->ifindex, "eth0", now_ns());
	CHECK(stack_deadline(&f.rails) != NSEC_NEVER);
	step_busy(&f, 0, 3);
	CHECK(links_by_name(f.rails.links, "eth0")->up);
	CHECK(stack_deadline(&f.rails) == NSEC_NEVER);
	report_free(f.rails.report);
	close_fixture(&f);
}

TEST(a_driver_that_stays_busy_is_a_cause)
{
	struct report_view view;
	struct fixture f = {0};

	open_stack(&f, "vlan=vlan7:eth0");
	step_busy(&f, 1000, 30);
	CHECK(busy > 1000 - 30);
	busy = 0;
	CHECK(stack_deadline(&f.rails) == NSEC_NEVER);
	report_view(f.rails.report, &view);
	CHECK_INT(view.n_causes, 1);
	CHECK_INT(view.causes[0].cause, CAUSE_NETDEV_NOT_MADE);
	report_free(f.rails.report);
	close_fixture(&f);
}

/* The kernel's message about it may still be on its way. */
TEST(what_is_gone_already_is_no_cause_and_is_tried_again)
{
	static const char on[] = "vlan=vlan7:eth0 bridge=br0:eth1";
	struct report_view view;
	struct fixture f = {0};

	open_fixture(&f);
	netns_run("ip link add br0 type bridge");
	plan_freep(&f.plan);
	CHECK_INT(plan_parse(&f.plan, on, strlen(on), NULL), 0);
	f.rails.plan = f.plan;
	CHECK_INT(report_new(&f.rails.report, &(struct report_config){.console_fd = -1}), 0);
	f.rails.env.report = f.rails.report;
	links_freep(&f.rails.links);
	CHECK_INT(links_new(&f.rails.links, &f.rails.env, now_ns()), 0);
	f.rails.stack_tried = 2;
	netns_run("ip link del eth0");
	stack_step(&f.rails, now_ns());
	report_view(f.rails.report, &view);
	CHECK_INT(view.n_causes, 0);
	CHECK_INT(f.rails.stack_tried, 2);
	CHECK_INT(f.rails.n_refused, 0);
	report_free(f.rails.report);
	close_fixture(&f);
}

/* Whatever is asked over it, by DHCP, for a router or for the server. */
TEST(a_vlan_without_a_frame_is_the_cause_of_what_is_on_it)
{
	static const char text[] = "no frame received on VLAN 7 of eth0";
	static const char on[] = "vlan=vlan7:eth0 bridge=br0:vlan7";
	static const enum cause causes[] = {CAUSE_DHCP_NO_OFFER, CAUSE_RA_NONE};
	static const char counter[] = "/sys/class/net/vlan7/statistics/rx_packets";
	struct rail rail = {.name = "br0", .carrier = NSEC_PER_SEC};
	struct fixture f = {0};
	struct modtree t;
	char buf[96] = "";

	modtree_bare(&t);
	open_fixture(&f);
	plan_freep(&f.plan);
	CHECK_INT(plan_parse(&f.plan, on, strlen(on), NULL), 0);
	f.rails.plan = f.plan;
	f.rails.env = t.env;
	netns_run("ip link set eth2 name vlan7");
	links_freep(&f.rails.links);
	CHECK_INT(links_new(&f.rails.links, &f.rails.env, now_ns()), 0);
	modtree_file(&t, counter, "0\n");
	CHECK_INT(stack_silence(&f.rails, &rail, buf, sizeof(buf), 2 * NSEC_PER_SEC), CAUSE_NONE);
	for (size_t i = 0; i < ARRAY_SIZE(causes); i++) {
		CHECK_INT(stack_hindrance(&f.rails, &rail, causes[i], buf, sizeof(buf),
			4 * NSEC_PER_SEC), CAUSE_VLAN_SILENT);
		CHECK_STR(buf, text);
	}
	modtree_file(&t, counter, "1\n");
	CHECK_INT(stack_silence(&f.rails, &rail, buf, sizeof(buf), 4 * NSEC_PER_SEC), CAUSE_NONE);
	close_fixture(&f);
}

/* An interface of hardware gives up a name that ifname= gives to another; one that the command line
 * makes has its own. */
TEST(what_is_made_keeps_its_name)
{
	struct fixture f = {0};

	open_fixture(&f);
	CHECK(naming_find(&f.rails, "bond0"));
	CHECK(!naming_find(&f.rails, "eth2"));
	close_fixture(&f);
}

/* Three interfaces with carrier for one static address, in these states. */
static void open_spares(struct fixture *f, struct modtree *t, const enum rail_state states[3])
{
	static const char open_line[] = "ip=10.0.0.5::10.0.0.1:255.255.255.0:::none";
	struct rails *r = &f->rails;

	modtree_bare(t);
	netns_enter();
	for (int i = 0; i < 3; i++) {
		char name[16], peer[16];

		snprintf(name, sizeof(name), "eth%d", i);
		snprintf(peer, sizeof(peer), "peer%d", i);
		netns_veth(name, peer, 0);
		netns_run("ip link set %s up; ip link set %s up; until ip link show %s | "
			"grep -q 'state UP'; do sleep 0.01; done", name, peer, name);
	}
	CHECK_INT(plan_parse(&f->plan, open_line, strlen(open_line), NULL), 0);
	r->plan = f->plan;
	r->env = t->env;
	CHECK_INT(report_new(&r->env.report, &(struct report_config){.console_fd = -1}), 0);
	r->report = r->env.report;
	CHECK_INT(links_new(&r->links, &r->env, now_ns()), 0);
	CHECK_INT(addresses_new(&r->addresses, &r->env, r->links, now_ns()), 0);
	for (; r->n < 3; r->n++) {
		struct rail *row = &r->rows[r->n];

		*row = (struct rail){.ip = &f->plan->net.ips[0], .state = states[r->n]};
		snprintf(row->name, sizeof(row->name), "eth%zu", r->n);
		row->ifindex = links_by_name(r->links, row->name)->ifindex;
	}
}

static void close_spares(struct fixture *f)
{
	addresses_freep(&f->rails.addresses);
	report_freep(&f->rails.report);
	close_fixture(f);
}

/* One that stood by goes away: the address stays where it is. */
TEST(a_spare_that_is_gone_holds_no_address)
{
	static const enum rail_state states[] = {RAIL_SPARE, RAIL_READY, RAIL_SPARE};
	struct link_event ev = {.type = LINK_GONE, .dev = {.ifindex = 99, .name = "eth0"}};
	struct fixture f = {0};
	struct rails *r = &f.rails;
	struct modtree t;

	open_spares(&f, &t, states);
	r->rows[0].ifindex = ev.dev.ifindex;
	rail_link_event(r, &ev, now_ns());
	ev = (struct link_event){LINK_CHANGED, .dev = *links_by_name(r->links, "eth2")};
	CHECK(ev.dev.carrier);
	rail_link_event(r, &ev, now_ns());
	CHECK_INT(r->rows[1].state, RAIL_READY);
	CHECK_INT(r->rows[2].state, RAIL_SPARE);
	close_spares(&f);
}

/* The server is behind the last one. */
TEST(each_spare_has_its_turn)
{
	static const enum rail_state states[] = {RAIL_READY, RAIL_SPARE, RAIL_SPARE};
	struct fixture f = {0};
	struct modtree t;

	open_spares(&f, &t, states);
	for (size_t turn = 1; turn <= 3; turn++) {
		rails_next(&f.rails, now_ns());
		for (size_t i = 0; i < 3; i++)
			CHECK_INT(f.rails.rows[i].state, i == turn % 3 ? RAIL_ADDRESSING
				: RAIL_SPARE);
	}
	close_spares(&f);
}
