// SPDX-License-Identifier: GPL-2.0-or-later
/* The link room against the real kernel, in namespaces of its own. */
#include "check.h"
#include "netns.h"

#include <poll.h>
#include <linux/rtnetlink.h>

#include "link/link.h"
#include "report/record.h"

#define SEC NSEC_PER_SEC

static struct env env = {.prefix = ""};

/* Not 0: the room's clock stands still there. What answers has answered to the first question. */
static uint64_t still;

static struct links *make(void)
{
	struct links *l = NULL;

	CHECK_INT(links_new(&l, &env, now_ns()), 0);
	return l;
}

/* Waits (really) for the next event. The minute only ends what hangs. */
static struct link_event next(struct links *l)
{
	uint64_t end = now_ns() + 60 * SEC;
	struct link_event ev;

	while (!links_pop_event(l, &ev)) {
		struct pollfd p = {.fd = links_fd(l), .events = POLLIN};
		uint64_t now = now_ns(), until = min_u64(end, links_deadline(l));

		if (now >= end)
			check_fail(__FILE__, __LINE__, "no event in 60 s");
		poll(&p, 1, until > now ? (int)((until - now) / NSEC_PER_MSEC) + 1 : 0);
		CHECK_INT(links_dispatch(l, still ? still : now_ns()), 0);
	}
	return ev;
}

static void drain(struct links *l)
{
	struct link_event ev;

	links_dispatch(l, now_ns());
	while (links_pop_event(l, &ev))
		continue;
}

/* Waits until the interface is as wanted; several changes may come as one event or more. */
static const struct netdev *until(struct links *l, const char *name, bool up, bool carrier)
{
	for (int i = 0; i < 20; i++) {
		const struct netdev *dev = links_by_name(l, name);

		if (dev && dev->up == up && dev->carrier == carrier)
			return dev;
		next(l);
	}
	check_fail(__FILE__, __LINE__, "%s never became up %d carrier %d", name, up, carrier);
}

static struct inet_addr addr(const char *text)
{
	struct inet_addr a;

	CHECK_INT(value_inet(text, strlen(text), &a), 0);
	return a;
}

static int index_of(struct links *l, const char *name)
{
	const struct netdev *dev = links_by_name(l, name);

	CHECK(dev);
	return dev->ifindex;
}

TEST(what_is_there_at_the_start)
{
	_cleanup_(links_freep) struct links *l = NULL;
	const struct netdev *dev = NULL;
	struct link_event ev;
	size_t n = 0;

	netns_enter();
	netns_veth("va", "vb", 0);
	l = make();
	while ((dev = links_next(l, dev)))
		n++;
	CHECK_INT(n, 3);
	dev = links_by_name(l, "lo");
	CHECK(dev && dev->up && dev->carrier && dev->noarp && dev->hwtype == 772);
	dev = links_by_name(l, "va");
	CHECK(dev && !dev->up && !dev->carrier && !dev->noarp);
	CHECK_STR(dev->kind, "veth");
	CHECK_INT(dev->hw.len, 6);
	CHECK_MEM(dev->broadcast.bytes, "\xff\xff\xff\xff\xff\xff", 6);
	CHECK_INT(dev->mtu, 1500);
	CHECK_INT(dev->parent_ifindex, index_of(l, "vb"));
	for (n = 0; links_pop_event(l, &ev); n++)
		CHECK_INT(ev.type, LINK_ADDED);
	CHECK_INT(n, 3);
	CHECK(!links_by_index(l, 9999));
	CHECK(!links_by_name(l, "nothing"));
}

TEST(appear_change_vanish)
{
	_cleanup_(links_freep) struct links *l = NULL;
	struct link_event ev;

	netns_enter();
	l = make();
	drain(l);
	netns_veth("va", "vb", 0);
	ev = next(l);
	CHECK_INT(ev.type, LINK_ADDED);
	drain(l);
	netns_run("ip link set va up");
	ev = next(l);
	CHECK_INT(ev.type, LINK_CHANGED);
	CHECK_STR(ev.dev.name, "va");
	CHECK(ev.dev.up && !ev.dev.carrier); /* the other end is down */
	netns_run("ip link set vb up");
	until(l, "va", true, true);
	netns_run("ip link del va");
	do
		ev = next(l);
	while (ev.type != LINK_GONE);
	CHECK(!links_by_name(l, ev.dev.name));
	drain(l);
	CHECK(!links_by_name(l, "va"));
	CHECK(!links_by_name(l, "vb"));
}

TEST(up_mtu_name_and_hardware_address)
{
	static const struct hw_addr hw = {.len = 6, .bytes = {2, 0, 0, 0, 0, 9}};
	_cleanup_(links_freep) struct links *l = NULL;
	struct report_view v;
	const struct netdev *dev;
	int ifindex;

	netns_enter();
	CHECK_INT(report_new(&env.report, &(struct report_config){.console_fd = -1}), 0);
	netns_veth("va", "vb", 0);
	netns_run("ip link set vb up");
	l = make();
	ifindex = index_of(l, "va");
	CHECK_INT(links_set_hw(l, ifindex, &hw), 0);
	CHECK_INT(links_set_mtu(l, ifindex, 1400), 0);
	CHECK_INT(links_set_up(l, ifindex, true), 0);
	CHECK_INT(links_set_up(l, ifindex, true), 0);
	report_view(env.report, &v);
	CHECK(v.n_works == 2 && streq(v.works[0].room, "link") && streq(v.works[1].what, "va"));
	env.report = report_free(env.report);
	drain(l);
	CHECK_INT(links_rename(l, ifindex, "ib-leaf0"), 0); /* while up */
	dev = until(l, "ib-leaf0", true, true);
	CHECK_INT(dev->ifindex, ifindex);
	CHECK_INT(dev->mtu, 1400);
	CHECK_MEM(dev->hw.bytes, hw.bytes, 6);
	CHECK(links_by_hw(l, &hw) == dev);
	CHECK_INT(links_rename(l, ifindex, "ib-leaf0"), 0);
	CHECK_INT(links_set_up(l, ifindex, false), 0);
	until(l, "ib-leaf0", false, false);
}

static const struct plan_link *link_of(struct boot_plan **plan, const char *line)
{
	CHECK_INT(plan_parse(plan, line, strlen(line), NULL), 0);
	CHECK((*plan)->net.n_links == 1);
	return (*plan)->net.links;
}

TEST(a_bridge_is_made_joined_widened_and_adopted)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	_cleanup_(links_freep) struct links *l = NULL;
	const struct plan_link *want = link_of(&plan, "bridge=br0:va,vc");
	int br, va;

	netns_enter();
	netns_veth("va", "vb", 0);
	netns_run("ip link set vb up mtu 9000; ip link set va up");
	l = make();
	va = index_of(l, "va");
	CHECK_INT(links_add_made(l, want, 0), 0);
	drain(l);
	br = index_of(l, "br0");
	CHECK(netdev_is_made(links_by_index(l, br)));
	CHECK_INT(links_enslave(l, want, br, va), 0);
	CHECK_INT(links_enslave(l, want, br, va), 1); /* before the notification was read */
	CHECK_INT(links_set_up(l, br, true), 0);
	until(l, "br0", true, true); /* without a forward delay */
	CHECK(netdev_is_upper(links_by_index(l, br), links_by_index(l, va)));
	CHECK_INT(links_set_mtu(l, br, 9000), 0); /* the port's first: the bridge's follows it */
	drain(l);
	CHECK_INT(links_by_index(l, va)->mtu, 9000);
	CHECK_INT(links_by_index(l, br)->mtu, 9000);
	CHECK_INT(links_add_made(l, want, 0), 1);
	CHECK_INT(links_enslave(l, want, br, va), 1);
}

TEST(what_cannot_be_made_has_the_kernels_words)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL, *bond = NULL;
	_cleanup_(links_freep) struct links *l = NULL;

	netns_enter();
	netns_veth("va", "vb", 0);
	l = make();
	/* the name is an interface of another kind */
	CHECK_INT(links_add_made(l, link_of(&plan, "bridge=va:vb"), 0), -EEXIST);
	CHECK(*links_error(l));
	/* this kernel has no such driver, or makes it */
	if (links_add_made(l, link_of(&bond, "bond=bond9:va,vb:mode=1,primary=va"), 0) < 0)
		CHECK(strstr(links_error(l), "bond9"));
}

TEST(refusals_carry_the_kernels_words)
{
	_cleanup_(links_freep) struct links *l = NULL;
	struct link_address a = {.addr = addr("10.0.0.1"), .prefix = 33, .valid_s = LINK_FOREVER};
	struct link_route r = {.dst = {.family = AF_INET}, .gateway = addr("10.9.9.9")};
	int ifindex;

	netns_enter();
	netns_veth("va", "vb", 0);
	l = make();
	ifindex = index_of(l, "va");
	CHECK_INT(links_set_mtu(l, ifindex, 5), -EINVAL);
	CHECK(strstr(links_error(l), "set MTU 5: Invalid argument: mtu less than device minimum"));
	CHECK_INT(links_rename(l, ifindex, "vb"), -EEXIST);
	CHECK(strstr(links_error(l), "rename to vb: File exists"));
	CHECK_INT(links_rename(l, ifindex, ""), -EINVAL);
	CHECK_INT(links_rename(l, ifindex, "a-name-of-16-chr"), -EINVAL);
	CHECK_INT(links_set_up(l, 9999, true), -ENODEV);
	CHECK(strstr(links_error(l), "set interface up: No such device"));
	CHECK_INT(links_add_address(l, ifindex, &a), -EINVAL);
	r.ifindex = ifindex;
	CHECK(links_add_route(l, &r) < 0);
	CHECK(strlen(links_error(l)) > strlen("set route: "));
}

TEST(addresses)
{
	_cleanup_(links_freep) struct links *l = NULL;
	struct link_address a = {.addr = addr("10.0.0.5"), .prefix = 24, .valid_s = LINK_FOREVER};
	struct link_address six = {
		.addr = addr("2001:db8::5"), .prefix = 64, .valid_s = 600, .no_dad = true};
	struct link_address far = {.addr = addr("192.0.2.1"),
		.peer = addr("192.0.2.9"),
		.prefix = 32,
		.valid_s = LINK_FOREVER};
	struct link_address got[8];
	int ifindex;

	netns_enter();
	netns_veth("va", "vb", 0);
	l = make();
	ifindex = index_of(l, "va");
	CHECK_INT(links_addresses(l, ifindex, got, 8), 0);
	CHECK_INT(links_add_address(l, ifindex, &a), 0);
	CHECK_INT(links_add_address(l, ifindex, &six), 0);
	CHECK_INT(links_add_address(l, ifindex, &far), 0);
	CHECK_INT(links_addresses(l, ifindex, got, 8), 3);
	CHECK(inet_equal(&got[0].addr, &a.addr));
	CHECK_INT(got[0].prefix, 24);
	CHECK(got[0].broadcast.family == AF_INET &&
		ntohl(got[0].broadcast.v4.s_addr) == 0x0a0000ff);
	CHECK_INT(got[0].valid_s, LINK_FOREVER);
	CHECK_INT(got[0].peer.family, 0);
	CHECK(inet_equal(&got[1].peer, &far.peer));
	CHECK_INT(got[1].broadcast.family, 0);
	CHECK(inet_equal(&got[2].addr, &six.addr));
	CHECK(got[2].valid_s > 500 && got[2].valid_s <= 600); /* counted down since */
	CHECK_INT(links_addresses(l, ifindex, got, 1), 1);

	/* again: adopted, with the new lifetime */
	a.valid_s = 1000;
	CHECK_INT(links_add_address(l, ifindex, &a), 1);
	CHECK_INT(links_addresses(l, ifindex, got, 8), 3);
	CHECK(got[0].valid_s > 900 && got[0].valid_s <= 1000);
	a.valid_s = LINK_FOREVER;
	CHECK_INT(links_add_address(l, ifindex, &a), 1);
	CHECK(links_addresses(l, ifindex, got, 8) == 3 && got[0].valid_s == LINK_FOREVER);

	CHECK_INT(links_del_address(l, ifindex, &a), 0);
	CHECK_INT(links_del_address(l, ifindex, &far), 0);
	CHECK_INT(links_addresses(l, ifindex, got, 8), 1);
	CHECK_INT(links_del_address(l, ifindex, &a), -EADDRNOTAVAIL);
}

TEST(routes)
{
	_cleanup_(links_freep) struct links *l = NULL;
	struct link_address a = {.addr = addr("10.0.0.5"), .prefix = 24, .valid_s = LINK_FOREVER};
	struct link_route way,
		def = {.dst = {.family = AF_INET}, .gateway = addr("10.0.0.1"), .protocol = 16};
	struct link_route net = {.dst = addr("172.16.0.0"), .prefix = 12, .protocol = RTPROT_BOOT};
	struct link_route far = {.dst = addr("192.0.2.0"),
		.prefix = 24,
		.gateway = addr("198.51.100.1"),
		.protocol = RTPROT_BOOT,
		.metric = 50};
	struct inet_addr dst = addr("203.0.113.1");

	netns_enter();
	netns_veth("va", "vb", 0);
	netns_run("ip link set vb up");
	l = make();
	def.ifindex = net.ifindex = far.ifindex = index_of(l, "va");
	CHECK_INT(links_set_up(l, def.ifindex, true), 0);
	CHECK_INT(links_add_address(l, def.ifindex, &a), 0);
	CHECK_INT(links_lookup(l, &dst, &way), -ENETUNREACH);
	CHECK_INT(links_add_route(l, &def), 0);
	CHECK_INT(links_add_route(l, &def), 1);
	CHECK_INT(links_add_route(l, &net), 0);
	CHECK_INT(links_add_route(l, &far), -ENETUNREACH);
	far.onlink = true;
	CHECK_INT(links_add_route(l, &far), 0);
	CHECK_INT(links_lookup(l, &dst, &way), 0);
	CHECK_INT(way.ifindex, def.ifindex);
	CHECK(inet_equal(&way.gateway, &def.gateway));
	CHECK(inet_equal(&way.source, &a.addr));
	dst = addr("172.16.1.1");
	CHECK_INT(links_lookup(l, &dst, &way), 0);
	CHECK_INT(way.gateway.family, 0);
	netns_run("ip route show | grep -qx 'default via 10.0.0.1 dev va proto dhcp '");
	netns_run(
		"ip route show | grep -q '^192.0.2.0/24 via 198.51.100.1 dev va metric 50 onlink'");
	CHECK_INT(links_del_route(l, &far), 0);
	CHECK_INT(links_del_route(l, &net), 0);
	CHECK_INT(links_del_route(l, &def), 0);
	CHECK_INT(links_del_route(l, &def), -ESRCH);
}

/* Two segments have the link-local prefix: only the zone tells on which the host is. */
TEST(a_way_over_the_interface_that_is_named)
{
	_cleanup_(links_freep) struct links *l = NULL;
	const char *const names[] = {"va", "vb", "va"};
	struct inet_addr dst;
	struct link_route way;

	netns_enter();
	netns_veth("va", "va1", 0);
	netns_veth("vb", "vb1", 0);
	netns_run("for i in va va1 vb vb1; do ip link set $i up; done");
	/* the kernel adds its own when it has seen the carrier, some time later */
	netns_run("for i in va vb; do ip -6 route append fe80::/64 dev $i metric 512; done");
	CHECK_INT(value_inet("fe80::99", 8, &dst), 0);
	l = make();
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		links_pin(l, &dst, names[i]);
		CHECK_INT(links_lookup(l, &dst, &way), 0);
		CHECK_INT(way.ifindex, links_by_name(l, names[i])->ifindex);
	}
	links_pin(l, &dst, "vc");
	CHECK_INT(links_lookup(l, &dst, &way), -ENETUNREACH);
	links_pin(l, &dst, NULL);
	CHECK_INT(links_lookup(l, &dst, &way), 0);
}

/*
 * Replaced is what is ours: not the kernel's route to a subnet, nor one of another origin or
 * interface.
 */
TEST(routes_of_others_stay)
{
	_cleanup_(links_freep) struct links *l = NULL;
	const struct inet_addr nine = addr("10.0.0.9");
	struct link_address a = {.addr = addr("10.0.0.5"), .prefix = 24, .valid_s = LINK_FOREVER};
	struct link_address b = {.addr = addr("10.1.0.5"), .prefix = 24, .valid_s = LINK_FOREVER};
	struct link_address six = {
		.addr = addr("2001:db8::5"), .prefix = 64, .valid_s = LINK_FOREVER};
	struct link_route subnet = {
		.dst = addr("10.0.0.0"), .prefix = 24, .gateway = nine, .protocol = 16};
	struct link_route hand = {
		.dst = addr("172.16.0.0"), .prefix = 12, .gateway = nine, .protocol = 16};
	struct link_route subnet6 = {.dst = addr("2001:db8::"),
		.prefix = 64,
		.gateway = addr("2001:db8::9"),
		.protocol = RTPROT_BOOT,
		.metric = 256};
	struct link_route onlink = {.dst = addr("10.0.0.0"), .prefix = 24, .protocol = 16};
	struct link_route own = {
		.dst = addr("192.0.2.0"), .prefix = 24, .gateway = nine, .protocol = 16};
	struct link_route other;

	netns_enter();
	netns_veth("va", "vb", 0);
	l = make();
	subnet.ifindex = hand.ifindex = subnet6.ifindex = onlink.ifindex = own.ifindex =
		index_of(l, "va");
	CHECK_INT(links_set_up(l, own.ifindex, true), 0);
	CHECK_INT(links_set_up(l, index_of(l, "vb"), true), 0);
	CHECK_INT(links_add_address(l, own.ifindex, &a), 0);
	CHECK_INT(links_add_address(l, index_of(l, "vb"), &b), 0);
	CHECK_INT(links_add_address(l, own.ifindex, &six), 0);
	netns_run("ip route add 172.16.0.0/12 via 10.0.0.8 proto static");
	CHECK_INT(links_add_route(l, &subnet), -EEXIST);
	CHECK(strstr(links_error(l), "not replaced"));
	CHECK_INT(links_add_route(l, &hand), -EEXIST);
	CHECK_INT(links_add_route(l, &subnet6), -EEXIST);
	CHECK_INT(links_add_route(l, &onlink), 1); /* there already */
	netns_run("ip route | grep -q '^10.0.0.0/24 dev va proto kernel'");
	netns_run("ip route | grep -q '^172.16.0.0/12 via 10.0.0.8 dev va proto static'");
	netns_run("ip -6 route | grep -q '^2001:db8::/64 dev va proto kernel'");
	CHECK_INT(links_del_route(l, &onlink), -ESRCH); /* the kernel's, not ours */
	/* Ours, with another gateway. */
	CHECK_INT(links_add_route(l, &own), 0);
	own.gateway = addr("10.0.0.7");
	CHECK_INT(links_add_route(l, &own), 1);
	netns_run("ip route | grep -q '^192.0.2.0/24 via 10.0.0.7 dev va'");
	other = own;
	other.ifindex = index_of(l, "vb");
	other.gateway = addr("10.1.0.9");
	other.protocol = RTPROT_BOOT;
	CHECK_INT(links_add_route(l, &other), -EEXIST);
	netns_run("ip route | grep -q '^192.0.2.0/24 via 10.0.0.7 dev va'");
	/* of an agent before, whose interfaces came in another order */
	other.protocol = own.protocol;
	CHECK_INT(links_add_route(l, &other), 1);
	netns_run("ip route | grep -q '^192.0.2.0/24 via 10.1.0.9 dev vb'");
}

/* --- neighbours ---------------------------------------------------------------------------- */

/* va 10.0.0.5 here, vb 10.0.0.1 in the other namespace. */
static pid_t neighbours(struct links **ret)
{
	pid_t peer;

	netns_enter();
	peer = netns_peer();
	netns_veth("va", "vb", peer);
	netns_run("ip addr add 10.0.0.5/24 dev va; ip link set va up");
	netns_run_in(peer, "ip addr add 10.0.0.1/24 dev vb; ip link set vb up; "
		"until ip link show vb | grep -q \"state UP\"; do sleep 0.01; done");
	*ret = make();
	until(*ret, "va", true, true);
	drain(*ret);
	return peer;
}

static struct link_event probe(struct links *l, const char *text, uint64_t limit)
{
	struct inet_addr a = addr(text);
	struct link_event ev;

	CHECK_INT(links_probe(l, &a, limit, still ? still : now_ns()), 0);
	do
		ev = next(l);
	while (ev.type != LINK_NEIGH_REACHABLE && ev.type != LINK_NEIGH_FAILED);
	CHECK(inet_equal(&ev.addr, &a));
	CHECK(links_deadline(l) == NSEC_NEVER);
	return ev;
}

TEST(a_neighbour_becomes_reachable)
{
	_cleanup_(links_freep) struct links *l = NULL;

	neighbours(&l);
	still = now_ns();
	CHECK_STR(probe(l, "10.0.0.1", 30 * SEC).dev.name, "va");
	netns_run("ip neigh show 10.0.0.1 dev va | grep -q REACHABLE");
}

TEST(a_stale_entry_is_asked_again)
{
	_cleanup_(links_freep) struct links *l = NULL;

	neighbours(&l);
	still = now_ns();
	/* longer than next() waits */
	netns_run("echo 120 >/proc/sys/net/ipv4/neigh/va/delay_first_probe_time");
	CHECK_INT(probe(l, "10.0.0.1", 30 * SEC).type, LINK_NEIGH_REACHABLE);
	netns_run("ip neigh change 10.0.0.1 dev va nud stale");
	CHECK_INT(probe(l, "10.0.0.1", 30 * SEC).type, LINK_NEIGH_REACHABLE);
	netns_run("ip neigh show 10.0.0.1 dev va | grep -q REACHABLE");
}

TEST(a_failed_entry_is_begun_again)
{
	_cleanup_(links_freep) struct links *l = NULL;

	neighbours(&l);
	still = now_ns();
	netns_run("ip neigh add 10.0.0.1 dev va nud failed 2>/dev/null || :");
	CHECK_INT(probe(l, "10.0.0.1", 30 * SEC).type, LINK_NEIGH_REACHABLE);
}

TEST(a_late_neighbour_is_found)
{
	_cleanup_(links_freep) struct links *l = NULL;
	pid_t peer = neighbours(&l);

	netns_run_in(peer, "ip addr del 10.0.0.1/24 dev vb");
	netns_run_in(peer, "(sleep 1.5; ip addr add 10.0.0.1/24 dev vb) &");
	CHECK_INT(probe(l, "10.0.0.1", 60 * SEC).type, LINK_NEIGH_REACHABLE);
}

TEST(nobody_answers)
{
	_cleanup_(links_freep) struct links *l = NULL;
	const struct inet_addr a = addr("10.0.0.77");
	struct link_event ev;
	uint64_t limit;

	neighbours(&l);
	limit = now_ns() + 2 * SEC;
	CHECK_INT(links_probe(l, &a, 2 * SEC, limit - 2 * SEC), 0);
	CHECK_INT(links_deadline(l), limit);
	CHECK_INT(links_dispatch(l, limit - 1), 0);
	CHECK(!links_pop_event(l, &ev));
	CHECK_INT(links_dispatch(l, limit), 0);
	CHECK(links_pop_event(l, &ev) && ev.type == LINK_NEIGH_FAILED);
}

/* The kernel gives up after 3 s; we do not. */
TEST(the_kernel_giving_up_is_not_the_end)
{
	_cleanup_(links_freep) struct links *l = NULL;
	pid_t peer = neighbours(&l);

	netns_run_in(peer, "ip addr del 10.0.0.1/24 dev vb");
	netns_run_in(peer, "(sleep 4; ip addr add 10.0.0.1/24 dev vb) &");
	CHECK_INT(probe(l, "10.0.0.1", 60 * SEC).type, LINK_NEIGH_REACHABLE);
}

TEST(behind_a_gateway_the_gateway_is_probed)
{
	_cleanup_(links_freep) struct links *l = NULL;
	struct inet_addr a = addr("203.0.113.1");

	neighbours(&l);
	CHECK_INT(links_probe(l, &a, SEC, now_ns()), -ENETUNREACH);
	netns_run("ip route add default via 10.0.0.1");
	CHECK_INT(probe(l, "203.0.113.1", 60 * SEC).type, LINK_NEIGH_REACHABLE);
	netns_run("ip neigh show 10.0.0.1 dev va | grep -q REACHABLE");
}

TEST(own_addresses_need_no_neighbour)
{
	_cleanup_(links_freep) struct links *l = NULL;

	neighbours(&l);
	CHECK_INT(probe(l, "10.0.0.5", SEC).type, LINK_NEIGH_REACHABLE);
	CHECK_INT(probe(l, "127.0.0.1", SEC).type, LINK_NEIGH_REACHABLE);
}

TEST(probes_are_limited_in_number)
{
	_cleanup_(links_freep) struct links *l = NULL;
	int e = 0;

	neighbours(&l);
	for (int i = 0; i < 20 && e == 0; i++) {
		struct inet_addr a = addr("10.0.0.100");

		a.bytes[3] = (uint8_t)(100 + i);
		e = links_probe(l, &a, SEC, now_ns());
	}
	CHECK_INT(e, -ENOSPC);
	CHECK(strstr(links_error(l), "too many"));
}

/* Notifications beyond the socket's buffer are lost; the list must come right all the same. */
TEST(lost_notifications)
{
	_cleanup_(links_freep) struct links *l = NULL;
	struct link_event ev;
	size_t gone = 0;

	netns_enter();
	netns_veth("va", "vb", 0);
	l = make();
	drain(l);
	netns_run("i=0; while [ $i -lt 600 ]; do echo link set va mtu $((800 + i)); "
		  "echo link set va up; echo link set va down; i=$((i + 1)); done | ip -b -; "
		  "ip link del va; ip link add vc type veth peer name vd");
	for (int i = 0; i < 100; i++) {
		CHECK_INT(links_dispatch(l, now_ns()), 0);
		while (links_pop_event(l, &ev))
			gone += ev.type == LINK_GONE;
	}
	CHECK_INT(gone, 2);
	CHECK(!links_by_name(l, "va"));
	CHECK(links_by_name(l, "vc") && links_by_name(l, "vd"));
}
