// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fabric room: events, the timer for devices without provider, verbs contexts. Sysfs is a
 * folder that the cases rewrite; uevents come through a socket pair and verbs events through pipes.
 */
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "modtree.h"
#include "fabric/fabric.h"
#include "fabric/ops.h"
#include "report/record.h"
#include "report/report.h"

#define MS NSEC_PER_MSEC

/* A stand-in for libibverbs: one context a device, its events are bytes in a pipe. */
struct lab {
	struct modtree tree;
	struct fabric_ops ops;
	struct fabric *fabric;
	int uevent[2];
	bool provider; /* whether verbs_open works */
	int pipe[2];   /* of the last context */
	int opened, closed;
};

static int lab_uevent(void *data)
{
	struct lab *l = data;

	return dup(l->uevent[0]);
}

static int lab_open(void *data, const char *device, void **ret_context, int *ret_fd)
{
	struct lab *l = data;

	CHECK(*device != 0);
	if (!l->provider)
		return -ENODEV;
	CHECK_INT(pipe2(l->pipe, O_NONBLOCK | O_CLOEXEC), 0);
	l->opened++;
	*ret_context = l;
	*ret_fd = l->pipe[0];
	return 0;
}

/* 'P': something about port 1; 'G': its GIDs; 'F': the device is dead. */
static int lab_next(void *context, struct verbs_event *ret)
{
	struct lab *l = context;
	char c;

	if (read(l->pipe[0], &c, 1) != 1)
		return 0;
	*ret = (struct verbs_event){
		.tables = c == 'G', .fatal = c == 'F', .name = "test"};
	return 1;
}

static void lab_close(void *context)
{
	struct lab *l = context;

	close(l->pipe[0]);
	close(l->pipe[1]);
	l->closed++;
}

static void write_port(struct lab *l, const char *device, const char *attribute, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/%s", device, attribute);
	modtree_file(&l->tree, path, text);
}

static void add_ib(struct lab *l, const char *device, const char *state, const char *lid)
{
	write_port(l, device, "link_layer", "InfiniBand\n");
	write_port(l, device, "state", state);
	write_port(l, device, "phys_state", "5: LinkUp\n");
	write_port(l, device, "lid", lid);
	write_port(l, device, "sm_lid", "0x1\n");
}

static void add_rxe(struct lab *l, const char *device, const char *netdev)
{
	char path[256];

	write_port(l, device, "link_layer", "Ethernet\n");
	write_port(l, device, "state", "4: ACTIVE\n");
	write_port(l, device, "phys_state", "5: LinkUp\n");
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/parent", device);
	modtree_file(&l->tree, path, netdev);
	snprintf(path, sizeof(path), "/sys/class/net/%s/type", netdev);
	modtree_file(&l->tree, path, "1\n");
}

static void lose(struct lab *l, const char *below)
{
	char from[PATH_MAX], to[PATH_MAX];
	static int number;

	snprintf(from, sizeof(from), "%s/sys/class/%s", l->tree.root, below);
	snprintf(to, sizeof(to), "%s/lost-%d", l->tree.root, number++);
	CHECK_INT(rename(from, to), 0);
}

static void lab_new(struct lab *l, bool provider)
{
	memset(l, 0, sizeof(*l));
	modtree_bare(&l->tree);
	l->provider = provider;
	CHECK_INT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, l->uevent),
		0);
	l->ops = (struct fabric_ops){lab_uevent, lab_open, lab_next, lab_close, l, NULL,
		NULL};
	CHECK_INT(fabric_new(&l->fabric, &l->tree.env, &l->ops), 0);
}

static void lab_free(struct lab *l)
{
	l->fabric = fabric_free(l->fabric);
	CHECK_INT(l->opened, l->closed);
	close(l->uevent[0]);
	close(l->uevent[1]);
}

static void send_uevent(struct lab *l, const char *action, const char *subsystem)
{
	char buf[256];
	int n = snprintf(buf, sizeof(buf),
		"%s@/devices/x%cACTION=%s%cDEVPATH=/devices/x%cSUBSYSTEM=%s", action, 0, action, 0,
		0, subsystem);

	CHECK(send(l->uevent[1], buf, (size_t)n + 1, 0) > 0);
}

static bool readable(const struct lab *l)
{
	struct pollfd pfd = {.fd = fabric_fd(l->fabric), .events = POLLIN};

	return poll(&pfd, 1, 0) == 1;
}

static void next_is(struct lab *l, enum fabric_event_type type, const char *name)
{
	struct fabric_event ev;

	CHECK(fabric_pop_event(l->fabric, &ev));
	CHECK_STR(ev.port.name, name);
	CHECK_INT(ev.type, type);
}

static void nothing_more(struct lab *l)
{
	struct fabric_event ev;

	CHECK(!fabric_pop_event(l->fabric, &ev));
}

TEST(ports_come_change_and_go)
{
	struct lab l;
	size_t n;

	lab_new(&l, true);
	CHECK_INT(fabric_rescan(l.fabric, 1), 0);
	(void)fabric_ports(l.fabric, &n);
	CHECK_INT(n, 0);
	CHECK(fabric_deadline(l.fabric) == NSEC_NEVER);
	add_ib(&l, "mlx5_0", "2: INIT\n", "0x0\n");
	send_uevent(&l, "add", "infiniband");
	CHECK(readable(&l));
	CHECK_INT(fabric_dispatch(l.fabric, 2), 0);
	next_is(&l, FABRIC_PORT_ADDED, "mlx5_0/1");
	nothing_more(&l);
	CHECK(fabric_find(l.fabric, "mlx5_0", 0)->verbs_events);
	lose(&l, "infiniband/mlx5_0");
	send_uevent(&l, "remove", "infiniband");
	CHECK_INT(fabric_dispatch(l.fabric, 3), 0);
	next_is(&l, FABRIC_PORT_GONE, "mlx5_0/1");
	nothing_more(&l);
	CHECK(!fabric_find(l.fabric, "mlx5_0", 1));
	CHECK_INT(l.closed, 1);
	lab_free(&l);
}

/* The list may be read between udev's change of the name and its announcement. */
TEST(a_device_that_udev_renames_keeps_the_kernels_name_beside_its_own)
{
	static const char move[] = "move@/devices/x/infiniband/ibp65s0\0ACTION=move\0"
				   "DEVPATH=/devices/x/infiniband/ibp65s0\0SUBSYSTEM=infiniband\0"
				   "DEVPATH_OLD=/devices/x/infiniband/mlx5_0";
	struct lab l;

	lab_new(&l, true);
	add_ib(&l, "mlx5_0", "4: ACTIVE\n", "0x7\n");
	add_ib(&l, "mlx5_1", "4: ACTIVE\n", "0x8\n");
	CHECK_INT(fabric_rescan(l.fabric, 1), 0);
	next_is(&l, FABRIC_PORT_ADDED, "mlx5_0/1");
	next_is(&l, FABRIC_PORT_ADDED, "mlx5_1/1");
	lose(&l, "infiniband/mlx5_0");
	add_ib(&l, "ibp65s0", "4: ACTIVE\n", "0x7\n");
	CHECK_INT(fabric_rescan(l.fabric, 2), 0);
	next_is(&l, FABRIC_PORT_GONE, "mlx5_0/1");
	next_is(&l, FABRIC_PORT_ADDED, "ibp65s0/1");
	CHECK(!fabric_was(l.fabric, "ibp65s0", "mlx5_0"));
	CHECK(send(l.uevent[1], move, sizeof(move), 0) > 0);
	CHECK_INT(fabric_dispatch(l.fabric, 3), 0);
	next_is(&l, FABRIC_PORT_CHANGED, "ibp65s0/1");
	nothing_more(&l);
	CHECK(fabric_was(l.fabric, "ibp65s0", "mlx5_0"));
	CHECK(!fabric_was(l.fabric, "ibp65s0", "mlx5_1"));
	CHECK(!fabric_was(l.fabric, "mlx5_1", "mlx5_0"));
	lab_free(&l);
}

/* 512 are looked at, and that is said once. */
TEST(more_ports_than_are_looked_at)
{
	struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};
	static const char said[] = "only 512 RDMA ports are looked at: further ones are ignored";
	struct report_view v;
	const char *line;
	struct lab l;
	size_t n;

	lab_new(&l, false);
	l.fabric = fabric_free(l.fabric);
	CHECK_INT(report_new(&l.tree.env.report, &cfg), 0);
	CHECK_INT(fabric_new(&l.fabric, &l.tree.env, &l.ops), 0);
	for (int i = 0; i < 513; i++) {
		char device[32];

		snprintf(device, sizeof(device), "mlx5_%d", i);
		add_ib(&l, device, "4: ACTIVE\n", "0x1\n");
	}
	CHECK_INT(fabric_rescan(l.fabric, 1), 0);
	CHECK_INT(fabric_rescan(l.fabric, 2), 0);
	(void)fabric_ports(l.fabric, &n);
	CHECK_INT(n, 512);
	report_view(l.tree.env.report, &v);
	line = strstr(v.log, said);
	CHECK(line && !strstr(line + 1, said));
	lab_free(&l);
	report_free(l.tree.env.report);
}

TEST(a_verbs_event_shows_the_new_state)
{
	struct lab l;

	lab_new(&l, true);
	add_ib(&l, "mlx5_0", "2: INIT\n", "0x0\n");
	CHECK_INT(fabric_rescan(l.fabric, 1), 0);
	next_is(&l, FABRIC_PORT_ADDED, "mlx5_0/1");
	CHECK(!readable(&l));
	/* With events there is no timer. */
	CHECK(fabric_deadline(l.fabric) == NSEC_NEVER);
	add_ib(&l, "mlx5_0", "4: ACTIVE\n", "0x7\n");
	CHECK_INT(write(l.pipe[1], "PPP", 3), 3);
	CHECK(readable(&l));
	CHECK_INT(fabric_dispatch(l.fabric, 2), 0);
	next_is(&l, FABRIC_PORT_CHANGED, "mlx5_0/1");
	nothing_more(&l);
	CHECK_INT(fabric_find(l.fabric, "mlx5_0", 1)->lid, 7);
	CHECK(!readable(&l));
	/* An event without a change is no news. */
	CHECK_INT(write(l.pipe[1], "P", 1), 1);
	CHECK_INT(fabric_dispatch(l.fabric, 3), 0);
	nothing_more(&l);
	/* But a new GID is, though the port looks the same. */
	CHECK_INT(write(l.pipe[1], "G", 1), 1);
	CHECK_INT(fabric_dispatch(l.fabric, 4), 0);
	next_is(&l, FABRIC_PORT_CHANGED, "mlx5_0/1");
	lab_free(&l);
}

TEST(without_provider_the_timer_looks)
{
	uint64_t now = 1000 * MS, first, gap, last = 0;
	struct lab l;

	lab_new(&l, false);
	add_ib(&l, "hfi1_0", "2: INIT\n", "0x0\n");
	CHECK_INT(fabric_rescan(l.fabric, now), 0);
	next_is(&l, FABRIC_PORT_ADDED, "hfi1_0/1");
	CHECK(!fabric_find(l.fabric, "hfi1_0", 1)->verbs_events);
	first = fabric_deadline(l.fabric);
	CHECK(first == now + FABRIC_POLL_MIN);
	/* The period grows, up to its limit. */
	for (int i = 0; i < 10; i++) {
		now = fabric_deadline(l.fabric);
		CHECK_INT(fabric_dispatch(l.fabric, now), 0);
		gap = fabric_deadline(l.fabric) - now;
		CHECK(gap >= last && gap <= FABRIC_POLL_MAX);
		last = gap;
	}
	CHECK(last == FABRIC_POLL_MAX);
	nothing_more(&l);
	/* Too early: nothing is looked at. */
	add_ib(&l, "hfi1_0", "4: ACTIVE\n", "0x7\n");
	CHECK_INT(fabric_dispatch(l.fabric, now + 1), 0);
	nothing_more(&l);
	now = fabric_deadline(l.fabric);
	CHECK_INT(fabric_dispatch(l.fabric, now), 0);
	next_is(&l, FABRIC_PORT_CHANGED, "hfi1_0/1");
	CHECK(fabric_deadline(l.fabric) == now + FABRIC_POLL_MIN);
	lab_free(&l);
}

static bool lab_lacks(void *data, const char *device)
{
	CHECK_STR(device, "ibp3s0");
	return !((struct lab *)data)->provider;
}

TEST(a_device_that_no_provider_serves)
{
	struct lab l;

	lab_new(&l, false);
	l.ops.verbs_lacks = lab_lacks;
	add_ib(&l, "ibp3s0", "2: INIT\n", "0x0\n");
	CHECK_INT(fabric_rescan(l.fabric, 1), 0);
	/* Not before ib_uverbs has made its node: until then no provider can be found. */
	CHECK(!fabric_find(l.fabric, "ibp3s0", 1)->no_provider);
	modtree_file(&l.tree, "/sys/class/infiniband/ibp3s0/device/infiniband_verbs/uverbs0/dev",
		"231:192\n");
	CHECK_INT(fabric_rescan(l.fabric, 2), 0);
	CHECK(fabric_find(l.fabric, "ibp3s0", 1)->no_provider);
	l.provider = true;
	CHECK_INT(fabric_rescan(l.fabric, 3), 0);
	CHECK(!fabric_find(l.fabric, "ibp3s0", 1)->no_provider);
	lab_free(&l);
}

TEST(a_provider_that_can_be_opened_later)
{
	struct lab l;

	lab_new(&l, false);
	add_ib(&l, "mlx5_0", "2: INIT\n", "0x0\n");
	CHECK_INT(fabric_rescan(l.fabric, 1), 0);
	next_is(&l, FABRIC_PORT_ADDED, "mlx5_0/1");
	CHECK(fabric_deadline(l.fabric) != NSEC_NEVER);
	/* ib_uverbs has made its node. */
	l.provider = true;
	send_uevent(&l, "add", "infiniband_verbs");
	CHECK_INT(fabric_dispatch(l.fabric, 2), 0);
	next_is(&l, FABRIC_PORT_CHANGED, "mlx5_0/1");
	CHECK_INT(l.opened, 1);
	CHECK(fabric_deadline(l.fabric) == NSEC_NEVER);
	lab_free(&l);
}

TEST(other_uevents_do_not_matter)
{
	struct lab l;

	lab_new(&l, true);
	add_ib(&l, "mlx5_0", "2: INIT\n", "0x0\n");
	send_uevent(&l, "add", "block");
	send_uevent(&l, "change", "net");
	CHECK_INT(fabric_dispatch(l.fabric, 2), 0);
	nothing_more(&l);
	lab_free(&l);
}

TEST(a_renamed_netdev_is_seen)
{
	struct lab l;

	lab_new(&l, true);
	add_rxe(&l, "rxe0", "eth0");
	CHECK_INT(fabric_rescan(l.fabric, 1), 0);
	next_is(&l, FABRIC_PORT_ADDED, "rxe0/1");
	add_rxe(&l, "rxe0", "boot0");
	lose(&l, "net/eth0");
	send_uevent(&l, "move", "net");
	CHECK_INT(fabric_dispatch(l.fabric, 2), 0);
	next_is(&l, FABRIC_PORT_CHANGED, "rxe0/1");
	CHECK_STR(fabric_find(l.fabric, "rxe0", 1)->netdev, "boot0");
	/* It is the same device: its context stays. */
	CHECK_INT(l.closed, 0);
	lab_free(&l);
}

TEST(a_dead_device_is_closed)
{
	struct lab l;

	lab_new(&l, true);
	add_ib(&l, "mlx5_0", "4: ACTIVE\n", "0x7\n");
	CHECK_INT(fabric_rescan(l.fabric, 1), 0);
	l.provider = false;
	CHECK_INT(write(l.pipe[1], "F", 1), 1);
	CHECK_INT(fabric_dispatch(l.fabric, 2), 0);
	CHECK_INT(l.closed, 1);
	CHECK(!fabric_find(l.fabric, "mlx5_0", 1)->verbs_events);
	/* From now on the timer looks at it. */
	CHECK(fabric_deadline(l.fabric) == 2 + FABRIC_POLL_MIN);
	lab_free(&l);
}

/* An open context would block the removal of the netdev for as long as it is open. */
TEST(the_context_goes_when_its_netdev_goes)
{
	struct lab l;

	lab_new(&l, true);
	add_rxe(&l, "rxe0", "eth0");
	CHECK_INT(fabric_rescan(l.fabric, 1), 0);
	CHECK_INT(l.opened, 1);
	lose(&l, "net/eth0");
	send_uevent(&l, "remove", "net");
	CHECK_INT(fabric_dispatch(l.fabric, 2), 0);
	CHECK_INT(l.closed, 1);
	CHECK_INT(fabric_rescan(l.fabric, 3), 0);
	CHECK_INT(l.opened, 1);
	lab_free(&l);
}

TEST(closed_for_good_before_switch_root)
{
	struct lab l;

	lab_new(&l, true);
	add_ib(&l, "mlx5_0", "4: ACTIVE\n", "0x7\n");
	add_rxe(&l, "rxe0", "eth0");
	CHECK_INT(fabric_rescan(l.fabric, 1), 0);
	fabric_close_verbs(l.fabric);
	CHECK_INT(l.opened, l.closed);
	CHECK(fabric_deadline(l.fabric) == NSEC_NEVER);
	send_uevent(&l, "add", "infiniband");
	CHECK(!readable(&l));
	CHECK_INT(fabric_rescan(l.fabric, 2), 0);
	CHECK_INT(l.opened, l.closed);
	lab_free(&l);
}

TEST(a_port_that_comes_and_goes_unseen)
{
	struct lab l;

	lab_new(&l, true);
	add_ib(&l, "mlx5_0", "4: ACTIVE\n", "0x7\n");
	CHECK_INT(fabric_rescan(l.fabric, 1), 0);
	lose(&l, "infiniband/mlx5_0");
	CHECK_INT(fabric_rescan(l.fabric, 2), 0);
	nothing_more(&l);
	lab_free(&l);
}

/* Without any RDMA module ibv_get_device_list() gives NULL and ENOSYS, not an empty list. */
TEST(real_verbs_without_rdma_modules)
{
	void *context;
	int fd;

	if (access("/sys/class/infiniband_verbs", F_OK) == 0)
		check_skip("this machine has RDMA modules loaded");
	CHECK_INT(fabric_real_ops.verbs_open(NULL, "mlx5_0", &context, &fd), -ENODEV);
}
