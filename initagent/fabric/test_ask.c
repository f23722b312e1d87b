// SPDX-License-Identifier: GPL-2.0-or-later
/* What the fabric room asks by itself and on demand, when, and what it makes of the answers. */
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>

#include "check.h"
#include "fabric/private.h"
#include "fabric/ops.h"
#include "madlab.h"
#include "modtree.h"

#define MS NSEC_PER_MSEC

struct room {
	struct modtree tree;
	struct madlab lab;
	struct fabric_ops ops;
	struct fabric *fabric;
	int uevent[2];
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

static void room_new(struct room *r)
{
	memset(r, 0, sizeof(*r));
	modtree_bare(&r->tree);
	madlab_new(&r->lab);
	CHECK_INT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, r->uevent),
		0);
	r->ops = (struct fabric_ops){
		.open_uevent = room_uevent, .verbs_open = no_verbs, .data = r, .mad = &r->lab.ops};
	CHECK_INT(fabric_new(&r->fabric, &r->tree.env, &r->ops), 0);
	r->now = 1000 * MS;
}

static void room_free(struct room *r)
{
	r->fabric = fabric_free(r->fabric);
	madlab_free(&r->lab);
	close(r->uevent[0]);
	close(r->uevent[1]);
}

static void set(struct room *r, const char *attribute, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/class/infiniband/mlx5_0/ports/1/%s", attribute);
	modtree_file(&r->tree, path, text);
}

static void set_port(struct room *r, const char *state, const char *phys, const char *sm_lid)
{
	set(r, "link_layer", "InfiniBand\n");
	set(r, "state", state);
	set(r, "phys_state", phys);
	set(r, "lid", "0x4\n");
	set(r, "sm_lid", sm_lid);
	set(r, "sm_sl", "2\n");
	set(r, "rate", "10 Gb/sec (4X SDR)\n");
	set(r, "pkeys/0", "0xffff\n");
}

static void set_active(struct room *r)
{
	set_port(r, "4: ACTIVE\n", "5: LinkUp\n", "0x1\n");
}

static const struct fabric_port *port(const struct room *r)
{
	return fabric_find(r->fabric, "mlx5_0", 1);
}

static void look(struct room *r)
{
	CHECK_INT(fabric_rescan(r->fabric, r->now), 0);
	CHECK_INT(fabric_dispatch(r->fabric, r->now), 0);
}

/* Time passes from deadline to deadline. */
static void pass(struct room *r, uint64_t ns)
{
	uint64_t end = r->now + ns;

	while (fabric_deadline(r->fabric) <= end) {
		CHECK(fabric_deadline(r->fabric) > r->now);
		r->now = fabric_deadline(r->fabric);
		CHECK_INT(fabric_dispatch(r->fabric, r->now), 0);
	}
	r->now = end;
}

/* The next event of this type, others are passed over; false when none is left. */
static bool next(struct room *r, enum fabric_event_type type, struct fabric_event *ret)
{
	while (fabric_pop_event(r->fabric, ret))
		if (ret->type == type)
			return true;
	return false;
}

static void gate_is(struct room *r, enum cause cause, const char *text)
{
	char got[200];

	CHECK_INT(fabric_gate(port(r), got, sizeof(got)), cause);
	CHECK_STR(got, text);
}

TEST(the_neighbour_is_known_without_a_subnet_manager)
{
	struct fabric_event ev;
	struct room r;

	room_new(&r);
	set_port(&r, "2: INIT\n", "5: LinkUp\n", "0x0\n");
	look(&r);
	CHECK(next(&r, FABRIC_NEIGHBOUR, &ev));
	CHECK_STR(ev.port.neighbour.name, "leaf12");
	CHECK_INT(ev.port.neighbour.port, 17);
	gate_is(&r, CAUSE_PORT_NO_SM,
		"mlx5_0/1 LinkUp INIT, no subnet manager yet (cable ends at leaf12 port 17)");
	/* Known: not asked again, and nothing is kept open. */
	look(&r);
	pass(&r, 10 * NSEC_PER_SEC);
	CHECK_INT(r.lab.sent[MAD_NODE_INFO], 1);
	CHECK_INT(r.lab.opened, r.lab.closed);
	CHECK(!fabric_asking(r.fabric));
	CHECK_INT(r.lab.sent[MAD_SA_ALIVE], 0);
	room_free(&r);
}

/* The loop learns of the answer from the fd, without a timer. */
TEST(an_answer_wakes_the_loop)
{
	struct pollfd pfd;
	struct room r;

	room_new(&r);
	set_active(&r);
	CHECK_INT(fabric_rescan(r.fabric, r.now), 0);
	pfd = (struct pollfd){.fd = fabric_fd(r.fabric), .events = POLLIN};
	CHECK_INT(poll(&pfd, 1, 0), 1);
	CHECK_INT(fabric_dispatch(r.fabric, r.now), 0);
	CHECK_INT(poll(&pfd, 1, 0), 0);
	room_free(&r);
}

TEST(another_cable_is_another_neighbour)
{
	struct fabric_event ev;
	struct room r;

	room_new(&r);
	set_active(&r);
	look(&r);
	CHECK(next(&r, FABRIC_NEIGHBOUR, &ev));
	set_port(&r, "1: DOWN\n", "2: Polling\n", "0x1\n");
	look(&r);
	CHECK_INT(port(&r)->neighbour.type, FABRIC_NODE_UNKNOWN);
	gate_is(&r, CAUSE_PORT_NO_LINK,
		"mlx5_0/1 Polling DOWN, no link partner: cable out, or its other end off");
	r.lab.neighbour = "leaf13";
	set_active(&r);
	look(&r);
	CHECK(next(&r, FABRIC_NEIGHBOUR, &ev));
	CHECK_STR(ev.port.neighbour.name, "leaf13");
	room_free(&r);
}

TEST(a_neighbour_with_an_m_key_stays_unknown)
{
	struct fabric_event ev;
	struct room r;

	room_new(&r);
	r.lab.deaf[MAD_NODE_INFO] = r.lab.deaf[MAD_NODE_DESC] = true;
	set_active(&r);
	look(&r);
	CHECK(fabric_asking(r.fabric));
	pass(&r, 2 * NSEC_PER_SEC);
	CHECK_INT(r.lab.sent[MAD_NODE_INFO], 3);
	CHECK(!fabric_asking(r.fabric));
	CHECK(!next(&r, FABRIC_NEIGHBOUR, &ev));
	CHECK_INT(port(&r)->neighbour.type, FABRIC_NODE_UNKNOWN);
	gate_is(&r, CAUSE_NONE, "");
	look(&r);
	CHECK_INT(r.lab.sent[MAD_NODE_INFO], 3);
	room_free(&r);
}

/* Both ends start at the same time, and a switch takes its time. */
TEST(a_neighbour_that_starts_up_later)
{
	struct fabric_event ev;
	struct room r;

	room_new(&r);
	r.lab.deaf[MAD_NODE_INFO] = true;
	set_port(&r, "2: INIT\n", "5: LinkUp\n", "0x0\n");
	look(&r);
	pass(&r, 2 * NSEC_PER_SEC);
	r.lab.deaf[MAD_NODE_INFO] = false;
	set_active(&r);
	look(&r);
	CHECK(next(&r, FABRIC_NEIGHBOUR, &ev));
	/* Falling back is a reason to ask again, too: the cable may be another one. */
	r.lab.neighbour = "leaf13";
	set_port(&r, "2: INIT\n", "5: LinkUp\n", "0x0\n");
	look(&r);
	CHECK(next(&r, FABRIC_NEIGHBOUR, &ev));
	CHECK_STR(ev.port.neighbour.name, "leaf13");
	room_free(&r);
}

TEST(a_port_that_becomes_ethernet)
{
	struct room r;

	room_new(&r);
	r.lab.deaf[MAD_NODE_INFO] = true;
	set_active(&r);
	look(&r);
	CHECK_INT(r.lab.opened, r.lab.closed + 1);
	set(&r, "link_layer", "Ethernet\n");
	look(&r);
	CHECK_INT(r.lab.opened, r.lab.closed);
	CHECK(!fabric_asking(r.fabric));
	room_free(&r);
}

TEST(a_neighbour_without_a_name_goes_by_its_guid)
{
	struct fabric_event ev;
	char text[96];
	struct room r;

	room_new(&r);
	r.lab.deaf[MAD_NODE_DESC] = true;
	set_active(&r);
	look(&r);
	pass(&r, 2 * NSEC_PER_SEC);
	CHECK(next(&r, FABRIC_NEIGHBOUR, &ev));
	fabric_neighbour_text(&ev.port.neighbour, text, sizeof(text));
	CHECK_STR(text, "GUID b8599f0300fc6de4 port 17");
	room_free(&r);
}

/* ib_umad is loaded after the driver: its uevent makes up for it. */
TEST(ib_umad_comes_later)
{
	static const char uevent[] =
		"add@/devices/x/infiniband_mad/umad0\0ACTION=add\0DEVPATH=/devices/x\0"
		"SUBSYSTEM=infiniband_mad";
	struct fabric_event ev;
	struct room r;

	room_new(&r);
	r.lab.open_error = -ENODEV;
	set_active(&r);
	look(&r);
	CHECK(!next(&r, FABRIC_NEIGHBOUR, &ev));
	CHECK(!fabric_asking(r.fabric));
	r.lab.open_error = 0;
	CHECK_INT(send(r.uevent[1], uevent, sizeof(uevent), 0), sizeof(uevent));
	CHECK_INT(fabric_dispatch(r.fabric, r.now), 0);
	CHECK_INT(fabric_dispatch(r.fabric, r.now), 0);
	CHECK(next(&r, FABRIC_NEIGHBOUR, &ev));
	room_free(&r);
}

TEST(a_probe_that_cannot_be_sent_says_so)
{
	struct room r;

	room_new(&r);
	fabric_set_smprobe(r.fabric, true, r.now);
	r.lab.open_error = -ENODEV;
	set_active(&r);
	look(&r);
	gate_is(&r, CAUSE_PORT_SM_SILENT,
		"mlx5_0/1 LinkUp ACTIVE, subnet manager cannot be asked (is ib_umad loaded?)");
	r.lab.open_error = 0;
	r.lab.send_error = -EPERM;
	look(&r);
	gate_is(&r, CAUSE_PORT_SM_SILENT,
		"mlx5_0/1 LinkUp ACTIVE, subnet manager cannot be asked (is ib_umad loaded?)");
	/* It is tried again now and then, not at once. */
	r.lab.send_error = 0;
	look(&r);
	CHECK_INT(r.lab.sent[MAD_SA_ALIVE], 0);
	pass(&r, 4 * NSEC_PER_SEC);
	CHECK_INT(fabric_dispatch(r.fabric, r.now), 0);
	gate_is(&r, CAUSE_NONE, "");
	room_free(&r);
}

TEST(a_port_without_rights_is_not_asked_again_and_again)
{
	struct room r;

	room_new(&r);
	r.lab.open_error = -EACCES;
	set_active(&r);
	look(&r);
	r.lab.open_error = 0;
	look(&r);
	CHECK_INT(r.lab.sent[MAD_NODE_INFO], 0);
	room_free(&r);
}

TEST(ethernet_ports_are_not_asked)
{
	struct room r;

	room_new(&r);
	set_active(&r);
	set(&r, "link_layer", "Ethernet\n");
	fabric_set_smprobe(r.fabric, true, r.now);
	look(&r);
	CHECK_INT(r.lab.opened, 0);
	CHECK_INT(fabric_ask_sm(r.fabric, "mlx5_0", 1, r.now), -ENODEV);
	gate_is(&r, CAUSE_NONE, "");
	room_free(&r);
}

TEST(smprobe_waits_for_a_living_sa)
{
	struct fabric_event ev;
	struct room r;

	room_new(&r);
	fabric_set_smprobe(r.fabric, true, r.now);
	r.lab.deaf[MAD_SA_ALIVE] = r.lab.deaf[MAD_SM_INFO] = true;
	set_active(&r);
	look(&r);
	CHECK_INT(r.lab.last_to.lid, 1);
	CHECK_INT(r.lab.last_to.sl, 2);
	gate_is(&r, CAUSE_PORT_SM_SILENT,
		"mlx5_0/1 LinkUp ACTIVE, asking the subnet manager whether it is alive "
		"(cable ends at leaf12 port 17)");
	pass(&r, FABRIC_SA_LIMIT);
	CHECK(next(&r, FABRIC_SM, &ev));
	CHECK_INT(ev.port.sm.state, FABRIC_SM_SILENT);
	gate_is(&r, CAUSE_PORT_SM_SILENT,
		"mlx5_0/1 LinkUp ACTIVE, subnet manager does not answer "
		"(cable ends at leaf12 port 17)");
	CHECK_INT(r.lab.sent[MAD_SA_ALIVE], 3);
	/* Nobody announces that it is back under its old LID: it is asked again every 4 s. */
	pass(&r, 2 * NSEC_PER_SEC);
	CHECK_INT(r.lab.sent[MAD_SA_ALIVE], 3);
	r.lab.deaf[MAD_SA_ALIVE] = r.lab.deaf[MAD_SM_INFO] = false;
	pass(&r, 2100 * MS);
	CHECK_INT(r.lab.sent[MAD_SA_ALIVE], 4);
	CHECK_INT(fabric_dispatch(r.fabric, r.now), 0);
	CHECK(next(&r, FABRIC_SM, &ev));
	CHECK_INT(ev.port.sm.state, FABRIC_SM_ALIVE);
	CHECK(ev.port.sm.guid == UINT64_C(0x0002c90300ef1231));
	CHECK_INT(ev.port.sm.priority, 5);
	CHECK_INT(ev.port.sm.role, 3);
	gate_is(&r, CAUSE_NONE, "");
	pass(&r, 20 * NSEC_PER_SEC);
	CHECK_INT(r.lab.sent[MAD_SA_ALIVE], 4);
	room_free(&r);
}

/* The kernel of the SM's host says so when no program serves the SA any more. */
TEST(a_host_that_outlived_its_subnet_manager)
{
	struct fabric_event ev;
	struct room r;

	room_new(&r);
	fabric_set_smprobe(r.fabric, true, r.now);
	r.lab.status = 0x000c;
	set_active(&r);
	look(&r);
	CHECK(next(&r, FABRIC_SM, &ev));
	CHECK_INT(ev.port.sm.state, FABRIC_SM_SILENT);
	CHECK_INT(fabric_ask_group(r.fabric, "mlx5_0", 1, 0xffff, r.now), 0);
	CHECK_INT(fabric_dispatch(r.fabric, r.now), 0);
	CHECK(next(&r, FABRIC_GROUP, &ev));
	CHECK_INT(ev.group.state, FABRIC_GROUP_SILENT);
	r.lab.status = 0;
	pass(&r, NSEC_PER_SEC);
	CHECK_INT(fabric_dispatch(r.fabric, r.now), 0);
	CHECK(next(&r, FABRIC_SM, &ev));
	CHECK_INT(ev.port.sm.state, FABRIC_SM_ALIVE);
	room_free(&r);
}

TEST(another_sm_lid_is_another_subnet_manager)
{
	struct fabric_event ev;
	struct room r;

	room_new(&r);
	fabric_set_smprobe(r.fabric, true, r.now);
	set_active(&r);
	look(&r);
	CHECK(next(&r, FABRIC_SM, &ev));
	set_port(&r, "4: ACTIVE\n", "5: LinkUp\n", "0x9\n");
	r.lab.sm_guid = 0x4711;
	look(&r);
	CHECK_INT(r.lab.last_to.lid, 9);
	CHECK(next(&r, FABRIC_SM, &ev));
	CHECK_INT(ev.port.sm.state, FABRIC_SM_ALIVE);
	CHECK(ev.port.sm.guid == 0x4711);
	/* And none at all when the port falls back. */
	set_port(&r, "2: INIT\n", "5: LinkUp\n", "0x9\n");
	look(&r);
	CHECK_INT(port(&r)->sm.state, FABRIC_SM_UNKNOWN);
	/* Omni-Path's may have more bits than a MAD's address: cut off, it would be another's. */
	set_port(&r, "4: ACTIVE\n", "5: LinkUp\n", "0x10001\n");
	look(&r);
	gate_is(&r, CAUSE_NONE, "");
	CHECK_INT(fabric_ask_sm(r.fabric, "mlx5_0", 1, r.now), -EADDRNOTAVAIL);
	room_free(&r);
}

TEST(asked_once_on_demand)
{
	struct fabric_event ev;
	struct room r;

	room_new(&r);
	CHECK_INT(fabric_ask_sm(r.fabric, "mlx5_0", 1, r.now), -ENOENT);
	set_port(&r, "2: INIT\n", "5: LinkUp\n", "0x1\n");
	look(&r);
	CHECK_INT(fabric_ask_sm(r.fabric, "mlx5_0", 1, r.now), -EAGAIN);
	CHECK_INT(fabric_ask_group(r.fabric, "mlx5_0", 1, 0xffff, r.now), -EAGAIN);
	r.lab.deaf[MAD_SA_ALIVE] = true;
	set_active(&r);
	look(&r);
	CHECK_INT(fabric_ask_sm(r.fabric, "mlx5_0", 1, r.now), 0);
	pass(&r, FABRIC_SA_LIMIT);
	CHECK(next(&r, FABRIC_SM, &ev));
	CHECK_INT(ev.port.sm.state, FABRIC_SM_SILENT);
	/* The gate does not ask for it, so it is not asked again. */
	gate_is(&r, CAUSE_NONE, "");
	pass(&r, 20 * NSEC_PER_SEC);
	CHECK_INT(r.lab.sent[MAD_SA_ALIVE], 3);
	room_free(&r);
}

static enum cause group_verdict(struct room *r, uint16_t pkey, char text[static 200])
{
	struct fabric_event ev;

	CHECK_INT(fabric_ask_group(r->fabric, "mlx5_0", 1, pkey, r->now), 0);
	CHECK(fabric_asking(r->fabric));
	CHECK_INT(fabric_dispatch(r->fabric, r->now), 0);
	pass(r, FABRIC_SA_LIMIT);
	CHECK(next(r, FABRIC_GROUP, &ev));
	CHECK_INT(ev.group.pkey, pkey | 0x8000);
	CHECK(!fabric_asking(r->fabric));
	return fabric_judge_group(&ev.port, &ev.group, text, 200);
}

TEST(why_a_group_is_not_joined)
{
	char text[200];
	struct room r;

	room_new(&r);
	set_active(&r);
	look(&r);
	CHECK_INT(group_verdict(&r, 0x7fff, text), CAUSE_NETDEV_NO_CARRIER);
	CHECK_STR(text, "mlx5_0/1 P_Key ffff: joining the broadcast group");
	r.lab.group_mtu = 5;
	CHECK_INT(group_verdict(&r, 0xffff, text), CAUSE_IPOIB_JOIN_REFUSED);
	CHECK_STR(text,
		"mlx5_0/1 P_Key ffff: broadcast group's MTU above the port's (4096, port 2048)");
	/* Our own MTU unknown: no verdict on it. */
	r.lab.deaf[MAD_PORT_INFO] = true;
	CHECK_INT(group_verdict(&r, 0xffff, text), CAUSE_NETDEV_NO_CARRIER);
	r.lab.group_mtu = 4;
	r.lab.group_rate = 7;
	CHECK_INT(group_verdict(&r, 0xffff, text), CAUSE_IPOIB_JOIN_REFUSED);
	CHECK_STR(text, "mlx5_0/1 P_Key ffff: broadcast group's rate above the port's "
			"(40.0 Gb/s, port 10.0 Gb/s)");
	r.lab.status = 0x0300;
	CHECK_INT(group_verdict(&r, 0x8001, text), CAUSE_IPOIB_NO_GROUP);
	CHECK_STR(text, "mlx5_0/1 P_Key 8001: no IPoIB broadcast group");
	r.lab.status = 0x0200;
	CHECK_INT(group_verdict(&r, 0x8001, text), CAUSE_IPOIB_NO_GROUP);
	CHECK_STR(text, "mlx5_0/1 P_Key 8001: broadcast group denied (MAD status 0x0200)");
	r.lab.deaf[MAD_SA_GROUP] = true;
	CHECK_INT(group_verdict(&r, 0x8001, text), CAUSE_PORT_SM_SILENT);
	room_free(&r);
}

TEST(closed_before_switch_root)
{
	struct room r;

	room_new(&r);
	fabric_set_smprobe(r.fabric, true, r.now);
	for (int q = 0; q < MAD_QUERY_MAX; q++)
		r.lab.deaf[q] = true;
	set_active(&r);
	look(&r);
	CHECK_INT(r.lab.opened, r.lab.closed + 1);
	fabric_close_verbs(r.fabric);
	CHECK_INT(r.lab.opened, r.lab.closed);
	CHECK(fabric_deadline(r.fabric) == NSEC_NEVER);
	CHECK(!fabric_asking(r.fabric));
	CHECK_INT(fabric_rescan(r.fabric, r.now), 0);
	CHECK_INT(fabric_ask_sm(r.fabric, "mlx5_0", 1, r.now), -ENODEV);
	CHECK_INT(r.lab.opened, r.lab.closed);
	room_free(&r);
}

TEST(a_port_that_goes_takes_its_questions_along)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct fabric_event ev;
	struct room r;

	room_new(&r);
	r.lab.deaf[MAD_NODE_INFO] = true;
	set_active(&r);
	look(&r);
	CHECK(next(&r, FABRIC_PORT_ADDED, &ev));
	snprintf(from, sizeof(from), "%s/sys/class/infiniband/mlx5_0", r.tree.root);
	snprintf(to, sizeof(to), "%s/lost", r.tree.root);
	CHECK_INT(rename(from, to), 0);
	look(&r);
	CHECK_INT(r.lab.opened, r.lab.closed);
	CHECK(next(&r, FABRIC_PORT_GONE, &ev));
	CHECK(fabric_deadline(r.fabric) == NSEC_NEVER);
	room_free(&r);
}

static void desc_is(struct room *r, const char *text)
{
	char got[128];

	CHECK(env_read(&r->tree.env, got, sizeof(got), "/sys/class/infiniband/mlx5_0/node_desc") >=
		0);
	CHECK_STR(got, text);
}

TEST(the_node_gets_its_name_as_soon_as_there_is_one)
{
	struct room r;

	room_new(&r);
	fabric_describe(r.fabric, NULL, "", r.now);
	set_active(&r);
	modtree_file(&r.tree, "/sys/class/infiniband/mlx5_0/node_desc", "MT4123 ConnectX6\n");
	modtree_file(&r.tree, "/sys/class/infiniband/mlx5_0/node_guid", "0c42:a103:0065:fe2a\n");
	look(&r);
	desc_is(&r, "0c42a1030065fe2a mlx5_0");
	fabric_describe(r.fabric, NULL, "node17.cluster.example", r.now);
	desc_is(&r, "node17 mlx5_0");
	fabric_describe(r.fabric, "rack 4 %h HCA-1", "node17", r.now);
	desc_is(&r, "rack 4 node17 HCA-1");
	room_free(&r);
}

TEST(descriptions)
{
	char got[NODE_DESC_SIZE], longer[100];

	node_desc_make(got, "%h%%d%d %x%", "a", "m", 1);
	CHECK_STR(got, "a%mm %x%");
	node_desc_make(got, "\x1b[1m%h\n", "n\xff\t1", "m", 1);
	CHECK_STR(got, "[1mn1");
	memset(longer, 'x', sizeof(longer));
	longer[99] = 0;
	node_desc_make(got, "%h", longer, "m", 1);
	CHECK_INT(strlen(got), 64);
}

TEST(rates)
{
	CHECK_INT(rate_parse("2.5 Gb/sec (1X SDR)"), 2500);
	CHECK_INT(rate_parse("100 Gb/sec (4X EDR)"), 100000);
	CHECK_INT(rate_parse("56 Gb/sec"), 56000);
	CHECK_INT(rate_parse(""), 0);
	CHECK_INT(rate_parse("-1 Gb/sec"), 0);
	CHECK_INT(rate_parse("fast"), 0);
	CHECK_INT(rate_parse("99999999999999999999 Gb/sec"), 0);
}
