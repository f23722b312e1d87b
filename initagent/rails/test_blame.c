// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is to blame where nothing answers over an InfiniBand rail: the SM is asked first. */
#include "check.h"

#include <net/if_arp.h>
#include <sys/socket.h>

#include "rails/private.h"
#include "fabric/ops.h"
#include "madlab.h"
#include "modtree.h"
#include "netns.h"
#include "report/record.h"
#include "report/report.h"

struct room {
	struct modtree tree;
	struct madlab lab;
	struct fabric_ops ops;
	int uevent[2];
	struct boot_plan *plan;
	struct rails b;
	uint64_t now;
};

static int room_uevent(void *data)
{
	return dup(((struct room *)data)->uevent[0]);
}

static int no_verbs(void *data, const char *device, void **ret_context, int *ret_fd)
{
	(void)data, (void)device, (void)ret_context, (void)ret_fd;
	return -ENODEV;
}

static void set(struct room *r, const char *attribute, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/class/infiniband/mlx5_0/ports/1/%s", attribute);
	modtree_file(&r->tree, path, text);
}

static void room_with(struct room *r, const char *line)
{
	static const struct {
		const char *attribute, *text;
	} port[] = {
		{"link_layer", "InfiniBand\n"}, {"state", "4: ACTIVE\n"},
			{"phys_state", "5: LinkUp\n"}, {"lid", "0x4\n"},
		{"sm_lid", "0x1\n"}, {"rate", "10 Gb/sec (4X SDR)\n"},
		{"gids/0", "fe80:0000:0000:0000:0002:c903:0001:0002\n"},
		{"pkeys/0", "0xffff\n"},
	};
	const struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};

	memset(r, 0, sizeof(*r));
	modtree_bare(&r->tree);
	madlab_new(&r->lab);
	CHECK_INT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, r->uevent),
		0);
	for (size_t i = 0; i < ARRAY_SIZE(port); i++)
		set(r, port[i].attribute, port[i].text);
	r->ops = (struct fabric_ops){
		.open_uevent = room_uevent, .verbs_open = no_verbs, .data = r, .mad = &r->lab.ops};
	r->now = NSEC_PER_SEC;
	r->b.env = r->tree.env;
	CHECK_INT(report_new(&r->b.report, &cfg), 0);
	r->b.env.report = r->b.report;
	CHECK_INT(plan_parse(&r->plan, line, strlen(line), NULL), 0);
	r->b.plan = r->plan;
	r->b.wants_rdma = true;
	CHECK_INT(links_new(&r->b.links, &r->b.env, r->now), 0);
	CHECK_INT(fabric_new(&r->b.fabric, &r->b.env, &r->ops), 0);
	CHECK_INT(fabric_rescan(r->b.fabric, r->now), 0);
	r->b.n = 1;
	r->b.rows[0] = (struct rail){
		.ifindex = 7, .name = "ib0", .state = RAIL_READY, .ipoib = true,
			.guid = 0x0002c90300010002,
			.pkey = 0xffff};
}

static void room_new(struct room *r)
{
	room_with(r, "root=nfs:10.0.0.1:/r:proto=rdma");
}

static void room_free(struct room *r)
{
	fabric_freep(&r->b.fabric);
	links_freep(&r->b.links);
	report_freep(&r->b.report);
	plan_freep(&r->plan);
	madlab_free(&r->lab);
	close(r->uevent[0]);
	close(r->uevent[1]);
}

/* Time passes; the rails hear what the fabric has to say. */
static void pass(struct room *r, uint64_t ns)
{
	struct fabric_event ev;
	uint64_t end = r->now + ns;

	while (r->now < end) {
		r->now = min_u64(end, fabric_deadline(r->b.fabric) > r->now
					      ? fabric_deadline(r->b.fabric)
					      : r->now + 1);
		CHECK_INT(fabric_dispatch(r->b.fabric, r->now), 0);
		while (fabric_pop_event(r->b.fabric, &ev)) {
			r->b.port_check = r->now;
			if (ev.type == FABRIC_SM)
				rail_take_sm(&r->b, &ev, r->now);
		}
		/* There is no interface to look at. */
		if (r->b.rows[0].state != RAIL_ADDRESSING)
			rail_ports_step(&r->b, r->now);
	}
}

/* The causes so far, as "E601@10.0.0.1". */
static void check_causes(const struct room *r, const char *want)
{
	struct report_view v;
	char got[256] = "";
	size_t at = 0;

	report_view(r->b.report, &v);
	for (size_t i = 0; i < v.n_causes; i++)
		at += (size_t)snprintf(got + at, sizeof(got) - at, "%s%s@%s", i ? " " : "",
			cause_info(v.causes[i].cause)->code + 3, v.causes[i].where);
	CHECK_STR(got, want);
}

static void blame(struct room *r)
{
	rails_blame(&r->b, &r->b.rows[0], CAUSE_ROOT_UNREACHABLE, "10.0.0.1", r->now,
		"no ARP reply");
}

TEST(a_server_is_blamed_while_the_subnet_manager_lives)
{
	struct report_view v;
	struct room r;

	room_new(&r);
	blame(&r);
	check_causes(&r, "");
	pass(&r, NSEC_PER_SEC);
	check_causes(&r, "E601@10.0.0.1");
	report_view(r.b.report, &v);
	CHECK_STR(v.causes[0].text, "no ARP reply");
	/* It has just answered, and is believed. */
	blame(&r);
	CHECK_INT(r.lab.sent[MAD_SA_ALIVE], 1);
	/* Asked again much later, it is still alive: said again, not lost. */
	pass(&r, 10 * NSEC_PER_SEC);
	blame(&r);
	CHECK_INT(r.lab.sent[MAD_SA_ALIVE], 2);
	pass(&r, NSEC_PER_SEC);
	report_view(r.b.report, &v);
	CHECK_INT(v.causes[0].count, 3);
	CHECK_INT(r.b.rows[0].state, RAIL_READY);
	room_free(&r);
}

TEST(a_silent_subnet_manager_is_named_instead_of_the_server)
{
	const char *where;
	char text[64];
	struct room r;

	room_new(&r);
	r.lab.deaf[MAD_SA_ALIVE] = r.lab.deaf[MAD_SM_INFO] = true;
	report_wait(r.b.report, CAUSE_ROOT_UNREACHABLE, "root", r.now, "waiting for the server");
	blame(&r);
	pass(&r, 4 * NSEC_PER_SEC);
	check_causes(&r, "E308@ib0");
	CHECK_INT(r.b.rows[0].state, RAIL_PORT);
	CHECK_INT(rails_failure(&r.b, &where), CAUSE_PORT_SM_SILENT);
	CHECK_INT(report_waits_over(r.b.report, r.now, "over", text, sizeof(text)),
		CAUSE_PORT_SM_SILENT);
	/* Another failure of the server does not bring it back into play. */
	blame(&r);
	pass(&r, 8 * NSEC_PER_SEC);
	check_causes(&r, "E308@ib0");
	/* It is asked on its own until it answers; then the rail is ready again. */
	r.lab.deaf[MAD_SA_ALIVE] = false;
	pass(&r, 8 * NSEC_PER_SEC);
	CHECK_INT(r.b.rows[0].state, RAIL_READY);
	CHECK_INT(rails_failure(&r.b, &where), CAUSE_NONE);
	room_free(&r);
}

TEST(another_subnet_manager_is_asked_at_once)
{
	const char *where, *text;
	struct room r;

	room_new(&r);
	r.lab.deaf[MAD_SA_ALIVE] = r.lab.deaf[MAD_SM_INFO] = true;
	blame(&r);
	pass(&r, 4 * NSEC_PER_SEC);
	CHECK_INT(r.b.rows[0].state, RAIL_PORT);
	CHECK_INT(report_waiting(r.b.report, &where, &text), CAUSE_PORT_SM_SILENT);
	CHECK_STR(text, "mlx5_0/1 is ACTIVE, but its subnet manager (LID 1) does not answer");
	r.lab.deaf[MAD_SA_ALIVE] = false;
	set(&r, "sm_lid", "0x2\n");
	CHECK_INT(fabric_rescan(r.b.fabric, r.now), 0);
	r.b.port_check = r.now;
	pass(&r, NSEC_PER_SEC / 10);
	CHECK_INT(r.b.rows[0].state, RAIL_READY);
	room_free(&r);
}

/* Its port is not ACTIVE any more, of which the interface hears later. */
TEST(a_silent_subnet_manager_that_cannot_be_asked)
{
	struct room r;

	room_new(&r);
	r.b.wants_rdma = false;
	r.lab.deaf[MAD_SA_ALIVE] = r.lab.deaf[MAD_SM_INFO] = true;
	blame(&r);
	pass(&r, 4 * NSEC_PER_SEC);
	CHECK_INT(r.b.rows[0].state, RAIL_PORT);
	set(&r, "state", "2: INIT\n");
	CHECK_INT(fabric_rescan(r.b.fabric, r.now), 0);
	pass(&r, 8 * NSEC_PER_SEC);
	CHECK(r.b.port_check > r.now);
	room_free(&r);
}

/* The silence is known, and not told yet, when the port has another subnet manager. */
TEST(who_asked_is_told_when_the_port_changes_meanwhile)
{
	struct room r;

	room_new(&r);
	r.lab.deaf[MAD_SA_ALIVE] = r.lab.deaf[MAD_SM_INFO] = true;
	blame(&r);
	for (int i = 0; i < 8; i++) {
		r.now += NSEC_PER_SEC;
		CHECK_INT(fabric_dispatch(r.b.fabric, r.now), 0);
	}
	r.lab.deaf[MAD_SA_ALIVE] = false;
	set(&r, "sm_lid", "0x2\n");
	CHECK_INT(fabric_rescan(r.b.fabric, r.now), 0);
	pass(&r, NSEC_PER_SEC);
	check_causes(&r, "E601@10.0.0.1");
	room_free(&r);
}

/* OpenSM's indx0, Omni-Path, virtual functions of clouds: IPoIB's partition is the first. */
TEST(the_sa_is_asked_in_the_default_partition_wherever_it_is)
{
	static const struct {
		const char *first, *second;
		unsigned index;
	} rows[] = {{"0xffff", "0x8001", 0}, {"0x8001", "0xffff", 1}, {"0x8001", "0x7fff", 1},
		{"0x7fff", "0xffff", 1}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct room r;

		room_new(&r);
		set(&r, "pkeys/0", rows[i].first);
		set(&r, "pkeys/1", rows[i].second);
		blame(&r);
		CHECK_INT(r.lab.sent[MAD_SA_ALIVE], 1);
		CHECK_INT(r.lab.last_to.pkey_index, rows[i].index);
		room_free(&r);
	}
}

/* The kernel's answer where each packet needs a GRH: mlx5's virtual functions. */
TEST(a_probe_that_cannot_be_made_is_not_waited_for)
{
	for (int i = 0; i < 2; i++) {
		struct report_view view;
		char text[160];
		struct room r;

		room_new(&r);
		if (i == 0)
			r.lab.send_error = -EINVAL;
		else
			set(&r, "pkeys/0", "0x8001\n");
		r.lab.deaf[MAD_SA_ALIVE] = r.lab.deaf[MAD_SM_INFO] = true;
		fabric_set_smprobe(r.b.fabric, true, r.now);
		set(&r, "state", "2: INIT\n");
		CHECK_INT(fabric_rescan(r.b.fabric, r.now), 0);
		set(&r, "state", "4: ACTIVE\n");
		set(&r, "rate", "20 Gb/sec (4X DDR)\n");
		pass(&r, 5 * NSEC_PER_SEC);
		CHECK_INT(fabric_gate(fabric_find(r.b.fabric, "mlx5_0", 1), text, sizeof(text)),
			CAUSE_NONE);
		report_view(r.b.report, &view);
		CHECK(memmem(view.log, view.log_len, "port ready, LID 4, SM LID 1, 20 Gb", 34));
		/* another one takes over, at its own LID */
		set(&r, "sm_lid", "0x2\n");
		CHECK_INT(fabric_rescan(r.b.fabric, r.now), 0);
		if (i)
			pass(&r, 5 * NSEC_PER_SEC);
		CHECK_INT(fabric_gate(fabric_find(r.b.fabric, "mlx5_0", 1), text, sizeof(text)),
			CAUSE_NONE);
		room_free(&r);
	}
}

TEST(a_port_outside_the_default_partition_cannot_ask)
{
	struct fabric_event ev = {0};
	char text[200];
	struct room r;

	room_new(&r);
	set(&r, "pkeys/0", "0x8001\n");
	r.lab.deaf[MAD_SA_GROUP] = true;
	CHECK_INT(fabric_ask_group(r.b.fabric, "mlx5_0", 1, 0x8001, r.now), 0);
	for (int i = 0; i < 20 && ev.type != FABRIC_GROUP; i++) {
		r.now += NSEC_PER_SEC;
		CHECK_INT(fabric_dispatch(r.b.fabric, r.now), 0);
		while (ev.type != FABRIC_GROUP && fabric_pop_event(r.b.fabric, &ev))
			continue;
	}
	CHECK_INT(ev.type, FABRIC_GROUP);
	CHECK_INT(fabric_judge_group(&ev.port, &ev.group, text, sizeof(text)),
		CAUSE_PORT_NO_PKEY);
	CHECK(strstr(text, "mlx5_0/1 P_Key 8001: subnet manager does not answer: the port's table "
			   "lacks the default partition"));
	room_free(&r);
}

/* Its kernel asks in the first partition: what the server does not answer is the server's. */
TEST(silence_outside_the_default_partition_is_not_the_subnet_managers)
{
	struct room r;

	room_new(&r);
	r.b.rows[0].pkey = 0x8001;
	set(&r, "pkeys/0", "0x8001\n");
	r.lab.deaf[MAD_SA_ALIVE] = r.lab.deaf[MAD_SM_INFO] = true;
	blame(&r);
	pass(&r, 5 * NSEC_PER_SEC);
	check_causes(&r, "E601@10.0.0.1");
	CHECK_INT(r.b.rows[0].state, RAIL_READY);
	room_free(&r);
}

TEST(a_port_that_fell_is_named_instead_of_the_server)
{
	struct room r;

	for (int rdma = 0; rdma < 2; rdma++) {
		room_new(&r);
		r.b.wants_rdma = rdma;
		set(&r, "state", "2: INIT\n");
		pass(&r, 2 * NSEC_PER_SEC);
		CHECK_INT(r.b.rows[0].state, RAIL_PORT);
		CHECK_INT(r.b.n_events, 1);
		blame(&r);
		check_causes(&r, "E306@ib0");
		set(&r, "state", "4: ACTIVE\n");
		pass(&r, 2 * NSEC_PER_SEC);
		CHECK_INT(r.b.rows[0].state, RAIL_READY);
		room_free(&r);
	}
}

/* What is waited for when the interface loses its carrier, and the cause. */
static void lose_carrier(struct room *r, bool ipoib, enum cause waiting, const char *causes)
{
	const struct address_event lost = {.type = ADDRESS_LOST, .ifindex = 7,
		.cause = CAUSE_NETDEV_NO_CARRIER, .text = "carrier lost"};
	const char *where, *text;

	r->b.rows[0].ipoib = ipoib;
	report_wait(r->b.report, CAUSE_ROOT_REFUSED, "root", r->now - 1, "trying again");
	rail_address_event(&r->b, &lost, r->now);
	check_causes(r, causes);
	CHECK_INT(report_waiting(r->b.report, &where, &text), waiting);
	CHECK_STR(where, "ib0");
}

TEST(a_cable_that_is_out_is_waited_for_and_not_the_server)
{
	const char *where;
	struct room r;

	room_new(&r);
	lose_carrier(&r, false, CAUSE_NETDEV_NO_CARRIER, "E402@ib0");
	room_free(&r);
	room_new(&r);
	set(&r, "state", "1: DOWN\n");
	set(&r, "phys_state", "2: Polling\n");
	CHECK_INT(fabric_rescan(r.b.fabric, r.now), 0);
	lose_carrier(&r, true, CAUSE_PORT_NO_LINK, "E305@ib0");
	CHECK_INT(rails_failure(&r.b, &where), CAUSE_PORT_NO_LINK);
	room_free(&r);
	/* a partition's interface whose port has left the partition */
	room_new(&r);
	set(&r, "pkeys/0", "0x8001\n");
	lose_carrier(&r, true, CAUSE_PORT_NO_PKEY, "E307@ib0");
	CHECK_INT(rails_failure(&r.b, &where), CAUSE_PORT_NO_PKEY);
	room_free(&r);
}

/* Its host has given it no GUID, or the subnet manager none yet (mlx4): it has no state either. */
TEST(the_port_of_a_virtual_function_without_guid_is_named)
{
	struct room r;

	room_new(&r);
	modtree_file(&r.tree, "/sys/class/infiniband/mlx5_0/device/net/ib0/type", "32\n");
	set(&r, "gids/0", "fe80:0000:0000:0000:0000:0000:0000:0000\n");
	set(&r, "state", "1: DOWN\n");
	CHECK_INT(fabric_rescan(r.b.fabric, r.now), 0);
	r.b.rows[0].guid = 0;
	lose_carrier(&r, true, CAUSE_PORT_DOWN, "E302@ib0");
	room_free(&r);
}

TEST(silence_of_dhcp_is_the_subnet_managers_too)
{
	const char *where, *text;
	struct room r;

	room_new(&r);
	r.b.rows[0].state = RAIL_ADDRESSING;
	rail_hindered(&r.b, &r.b.rows[0], CAUSE_DHCP_NO_OFFER, "no DHCP answer yet", r.now);
	CHECK_INT(report_waiting(r.b.report, &where, &text), CAUSE_DHCP_NO_OFFER);
	r.lab.deaf[MAD_SA_ALIVE] = r.lab.deaf[MAD_SM_INFO] = true;
	r.now += 10 * NSEC_PER_SEC;
	CHECK_INT(fabric_dispatch(r.b.fabric, r.now), 0);
	pass(&r, 5 * NSEC_PER_SEC);
	rail_hindered(&r.b, &r.b.rows[0], CAUSE_DHCP_NO_OFFER, "no DHCP answer yet, 3 sent", r.now);
	pass(&r, 4 * NSEC_PER_SEC);
	check_causes(&r, "E308@ib0");
	(void)rail_sm_wait(&r.b, &r.b.rows[0], r.now);
	rail_hindered(&r.b, &r.b.rows[0], CAUSE_DHCP_NO_OFFER, "no DHCP answer yet, 4 sent", r.now);
	CHECK_INT(report_waiting(r.b.report, &where, &text), CAUSE_PORT_SM_SILENT);
	CHECK_STR(text, "mlx5_0/1 is ACTIVE, but its subnet manager (LID 1) does not answer");
	room_free(&r);
}

TEST(a_limited_member_is_told_that_it_is_one)
{
	const char *where, *text;
	struct report_view v;
	struct room r;

	room_new(&r);
	set(&r, "pkeys/0", "0x7fff\n");
	blame(&r);
	pass(&r, NSEC_PER_SEC);
	report_view(r.b.report, &v);
	CHECK_INT(v.n_causes, 1);
	CHECK(strstr(v.causes[0].text, "no ARP reply; this port is a limited member") != NULL);
	rail_hindered(&r.b, &r.b.rows[0], CAUSE_DHCP_NO_OFFER, "no DHCP answer yet", r.now);
	CHECK_INT(report_waiting(r.b.report, &where, &text), CAUSE_DHCP_NO_OFFER);
	CHECK(strstr(text, "limited member") != NULL);
	room_free(&r);
}

TEST(on_ethernet_the_server_is_blamed_at_once)
{
	struct room r;

	room_new(&r);
	r.b.rows[0].ipoib = false;
	r.b.rows[0].guid = 0;
	blame(&r);
	check_causes(&r, "E601@10.0.0.1");
	room_free(&r);
}

/* What is waited for while no interface is one that the line asks for. */
static void check_missing(const char *line, enum cause cause, const char *what, const char *there)
{
	const char *where, *text;
	struct room r;

	room_with(&r, line);
	r.b.n = 0;
	rails_missing_step(&r.b, r.now);
	CHECK_INT(report_waiting(r.b.report, &where, &text), cause);
	CHECK(strstr(text, what) == text);
	CHECK(strstr(text, there));
	room_free(&r);
}

TEST(what_is_missing_is_named_and_what_is_there)
{
	static const char ports[] = "; RDMA ports: mlx5_0/1 (GUID 0002c90300010002)";

	check_missing("root=nfs:10.0.0.1:/r rd.ib.port=mlx5_0 ip=ib9.0001:dhcp",
		CAUSE_NETDEV_MISSING, "waiting for network interface ib9.0001 to appear; ", "");
	check_missing("root=nfs:10.0.0.1:/r rd.ib.port=mlx5_0 ip=dhcp", CAUSE_NETDEV_MISSING,
		"waiting for the interface of RDMA port mlx5_0 to appear; ", "");
	/* another numbering than the command line's */
	check_missing("root=nfs:10.0.0.1:/r rd.ib.port=mlx5_0/2 ip=ib0:dhcp", CAUSE_PORT_NO_HCA,
		"waiting for RDMA port mlx5_0/2 to appear; ", ports);
	check_missing("root=nfs:10.0.0.1:/r rd.ib.guid=0x0002c9030001ffff ip=dhcp",
		CAUSE_PORT_NO_HCA, "waiting for RDMA port with GUID ", ports);
}

/* The rail's interface is there and joins its partition. */
static void room_joining(struct room *r)
{
	netns_enter();
	netns_veth("ib0", "other", 0);
	netns_run("ip link set ib0 up");
	room_new(r);
	r->b.rows[0].ifindex = links_by_name(r->b.links, "ib0")->ifindex;
	r->b.rows[0].state = RAIL_ADDRESSING;
}

/* Whether an interface that does not join is taken down and up. */
static bool is_bounced(bool parent)
{
	struct report_view v;
	struct room r;
	bool did;

	room_joining(&r);
	r.b.parents[0] = r.b.rows[0].ifindex;
	r.b.n_parents = parent;
	for (int i = 0; i < 5; i++) {
		r.now += NSEC_PER_SEC;
		CHECK_INT(fabric_dispatch(r.b.fabric, r.now), 0);
		r.b.port_check = r.now;
		rail_ports_step(&r.b, r.now);
	}
	report_view(r.b.report, &v);
	did = v.log && strstr(v.log, "interface taken down and up");
	room_free(&r);
	return did;
}

TEST(an_interface_that_does_not_join_is_taken_down_and_up)
{
	CHECK(is_bounced(false));
}

TEST(a_parent_is_not_for_its_children_would_go_down_too)
{
	CHECK(!is_bounced(true));
}

/* The subnet manager may write another first P_Key when the interface is there: that is what the
 * table is asked for then. */
TEST(an_interface_follows_the_first_p_key)
{
	const char *where, *text;
	struct room r;

	room_joining(&r);
	modtree_file(&r.tree, "/sys/class/net/ib0/pkey", "0x8004\n");
	r.b.port_check = r.now;
	rail_ports_step(&r.b, r.now);
	CHECK_INT(report_waiting(r.b.report, &where, &text), CAUSE_PORT_NO_PKEY);
	CHECK(strstr(text, "waiting for P_Key 0x8004"));
	room_free(&r);
}

/* Of an adapter with two ports whose own GUID is the first one's (qib's), or no port's. */
TEST(the_guid_of_one_port_does_not_choose_the_other)
{
	static const struct {
		const char *node, *option;
		bool first, second;
	} rows[] = {
		{"0002:c903:0001:0002", "rd.ib.guid=0x0002c90300010002", true, false},
		{"0002:c903:0001:0002", "rd.ib.guid=0x0002c90300010003", false, true},
		{"0002:c903:0001:0001", "rd.ib.guid=0x0002c90300010001", true, true},
	};
	struct netdev dev = {.name = "ib1", .hwtype = ARPHRD_INFINIBAND, .hw = {.len = 20}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char line[128];
		struct room r;

		snprintf(line, sizeof(line), "root=nfs:10.0.0.1:/r ip=dhcp %s", rows[i].option);
		room_with(&r, line);
		modtree_file(&r.tree, "/sys/class/infiniband/mlx5_0/node_guid", rows[i].node);
		modtree_file(&r.tree, "/sys/class/infiniband/mlx5_0/ports/2/link_layer",
			"InfiniBand\n");
		modtree_file(&r.tree, "/sys/class/infiniband/mlx5_0/ports/2/state", "1: DOWN\n");
		modtree_file(&r.tree, "/sys/class/infiniband/mlx5_0/ports/2/gids/0",
			"fe80:0000:0000:0000:0002:c903:0001:0003\n");
		CHECK_INT(fabric_rescan(r.b.fabric, r.now), 0);
		memcpy(dev.hw.bytes + 12, "\0\2\xc9\3\0\1\0\2", 8);
		CHECK_INT(rail_allowed(&r.b, &dev), rows[i].first);
		dev.hw.bytes[19] = 3;
		CHECK_INT(rail_allowed(&r.b, &dev), rows[i].second);
		room_free(&r);
	}
}
