// SPDX-License-Identifier: GPL-2.0-or-later
/* Static addresses, duplicates, and what a second run adopts, in the whole room. */
#include "addressroom.h"
#include "resolver/resolver.h"

#include <linux/if_packet.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* --- static -------------------------------------------------------------------------------- */

static void static_config(struct room_fixture *f)
{
	f->cfg.method = ADDRESS_STATIC;
	f->cfg.addr = room_addr("10.0.0.7");
	f->cfg.prefix = 24;
	f->cfg.gateway = room_addr("10.0.0.1");
	f->cfg.mtu = 1300;
}

TEST(static_address)
{
	_cleanup_(room_end) struct room_fixture f;
	struct inet_addr dns = room_addr("10.0.0.1");
	struct plan_route route = {
		.net = room_addr("172.16.0.0"), .prefix = 12, .gateway = room_addr("10.0.0.9")};

	room_begin(&f);
	static_config(&f);
	f.cfg.nameservers = &dns;
	f.cfg.n_nameservers = 1;
	f.cfg.routes = &route;
	f.cfg.n_routes = 1;
	f.cfg.metric = 77;
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	netns_run("ip -4 addr show va | grep -q 'inet 10.0.0.7/24'");
	netns_run("ip route | grep -q '^default via 10.0.0.1 dev va metric 77'");
	netns_run("ip route | grep -q '^172.16.0.0/12 via 10.0.0.9 dev va metric 77'");
	netns_run("ip link show va | grep -q 'mtu 1300'");
	netns_run("grep -qx 'nameserver 10.0.0.1' %s/etc/resolv.conf", f.prefix);
}

TEST(static_again_is_adopted)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	static_config(&f);
	netns_run("ip link set va up; ip addr add 10.0.0.7/24 dev va; ip route add default via "
		"10.0.0.1");
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	netns_run("test 1 = $(ip -4 addr show va | grep -c inet)");
}

/* so many lists of addresses change while they are read */
static int torn;

int __real_links_addresses(struct links *l, int ifindex, struct link_address *ret, size_t max);
int __wrap_links_addresses(struct links *l, int ifindex, struct link_address *ret, size_t max);

int __wrap_links_addresses(struct links *l, int ifindex, struct link_address *ret, size_t max)
{
	return torn && torn-- ? -EINTR : __real_links_addresses(l, ifindex, ret, max);
}

/* Virtual functions that come up by the hundred; of this interface the kernel has no more to
 * say. */
TEST(addresses_that_could_not_be_read_are_read_later)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	netns_run("until ip -6 addr show va | grep fe80 | grep -qv tentative; do sleep 0.1; done");
	static_config(&f);
	f.cfg.addr = room_addr("2001:db8::7");
	f.cfg.prefix = 64;
	f.cfg.gateway = (struct inet_addr){0};
	f.cfg.mtu = 0;
	torn = 2; /* as it was found, and then */
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 10 * SEC);
}

/* so often the driver cannot open the interface */
static int busy;

int __real_links_set_up(struct links *l, int ifindex, bool up);
int __wrap_links_set_up(struct links *l, int ifindex, bool up);

int __wrap_links_set_up(struct links *l, int ifindex, bool up)
{
	return busy && busy-- ? -EBUSY : __real_links_set_up(l, ifindex, up);
}

/* A virtual function whose physical one is being reset (iavf_open(): EBUSY), and one that has no
 * use. */
TEST(an_interface_that_cannot_be_set_up_yet)
{
	for (int i = 0; i < 2; i++) {
		_cleanup_(room_end) struct room_fixture f;

		room_begin(&f);
		netns_run("ip link set va down");
		CHECK_INT(links_dispatch(f.links, room_clock(&f)), 0);
		static_config(&f);
		busy = i ? 1000 : 3;
		room_start(&f);
		CHECK_INT(room_until(&f, ADDRESS_HINDRANCE, SEC).cause, CAUSE_NETDEV_CONFIG);
		room_until(&f, i ? ADDRESS_FAILED : ADDRESS_CONFIGURED, 20 * SEC);
		if (i)
			continue;
		busy = 3;
		netns_run("ip link set va down");
		CHECK_INT(room_until(&f, ADDRESS_LOST, SEC).cause, CAUSE_NETDEV_CONFIG);
		room_until(&f, ADDRESS_CONFIGURED, 20 * SEC);
	}
}

/* ::1 belongs to lo: no kernel takes it on another interface. */
TEST(an_address_that_the_kernel_refuses)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	static_config(&f);
	f.cfg.addr = room_addr("::1");
	f.cfg.prefix = 128;
	f.cfg.gateway = (struct inet_addr){0};
	room_start(&f);
	ev = room_until(&f, ADDRESS_FAILED, 5 * SEC);
	CHECK_INT(ev.cause, CAUSE_ADDRESS_FAILED);
	CHECK(strstr(ev.text, "Cannot assign requested address"));
	CHECK(!addresses_result(f.addresses, f.cfg.ifindex));
}

TEST(static_point_to_point_and_ipv6)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	static_config(&f);
	f.cfg.prefix = 32;
	f.cfg.peer = room_addr("10.0.0.1");
	f.cfg.mtu = 0;
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	netns_run("ip -4 addr show va | grep -q 'inet 10.0.0.7 peer 10.0.0.1/32'");
	addresses_remove(f.addresses, f.cfg.ifindex, true, room_clock(&f));
	f.cfg.addr = room_addr("2001:db8::7");
	f.cfg.prefix = 64;
	f.cfg.peer = (struct inet_addr){0};
	f.cfg.gateway = room_addr("2001:db8::1");
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	netns_run("ip -6 addr show va | grep -q 'inet6 2001:db8::7/64'");
	netns_run("ip -6 route | grep -q '^default via 2001:db8::1 dev va'");
}

TEST(wrong_gateway_and_mtu_are_told)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	static_config(&f);
	f.cfg.gateway = room_addr("192.0.2.1");
	f.cfg.mtu = 5;
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 2 * SEC); /* the root may be on this segment */
	CHECK(room_printed(&f, "IA-E403"));
	CHECK(room_printed(&f, "mtu less than device minimum"));
	addresses_remove(f.addresses, f.cfg.ifindex, true, room_clock(&f));
	f.cfg.mtu = 0;
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	CHECK(room_printed(&f, "IA-E507"));
	CHECK(room_printed(&f, "0.0.0.0/0 by 192.0.2.1: "));
	CHECK(room_printed(&f, "Nexthop has invalid gateway"));
}

/* --- duplicates ---------------------------------------------------------------------------- */

/* An ARP request of 10.0.0.7, in VLAN 5, every 20 ms for a second. */
static void send_tagged(pid_t peer)
{
	static const uint8_t frame[60] = "\xff\xff\xff\xff\xff\xff\2\0\0\0\0\x77\x81\0\0\5\x8\x6"
		"\0\1\x8\0\6\4\0\1\2\0\0\0\0\x77\xa\0\0\7\0\0\0\0\0\0\xa\0\0\x9";
	struct sockaddr_ll to = {.sll_family = AF_PACKET};
	int fd;

	if (fork())
		return;
	netns_join(peer);
	to.sll_ifindex = (int)if_nametoindex("vb");
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	for (int i = 0; i < 50; i++) {
		if (sendto(fd, frame, sizeof(frame), 0, (void *)&to, sizeof(to)) < 0)
			_exit(1);
		usleep(20000);
	}
	_exit(0);
}

/* A trunk port: another host of a VLAN that this node is not in has the same address there. */
TEST(an_address_in_a_vlan_of_others)
{
	_cleanup_(room_end) struct room_fixture f;
	int status;

	room_begin(&f);
	static_config(&f);
	f.cfg.probe = ADDRESS_PROBE_FIRST;
	f.real = true;
	send_tagged(f.peer);
	room_start(&f);
	CHECK_INT(room_next(&f, 5 * SEC).type, ADDRESS_CONFIGURED);
	CHECK(wait(&status) > 0 && status == 0);
}

TEST(duplicate_found_beside)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	netns_run_in(f.peer, "ip addr add 10.0.0.7/24 dev vb");
	static_config(&f);
	f.cfg.probe = ADDRESS_PROBE_PARALLEL;
	room_start(&f);
	do
		ev = room_next(&f, 2 * SEC);
	while (ev.type != ADDRESS_LOST);
	CHECK_INT(ev.cause, CAUSE_ADDRESS_DUPLICATE);
	CHECK(strstr(ev.text, "10.0.0.7 is in use by "));
	CHECK(room_printed(&f, "IA-E505"));
	netns_run("test -z \"$(ip -4 addr show va | grep inet)\"");
	CHECK(addresses_deadline(f.addresses) - room_clock(&f) > 9 * SEC);
	/* the other host leaves: after the rest ours is probed first, then set */
	netns_run_in(f.peer, "ip addr del 10.0.0.7/24 dev vb");
	room_until(&f, ADDRESS_CONFIGURED, 12 * SEC);
	netns_run("ip -4 addr show va | grep -q 10.0.0.7/24");
}

/* The kernel answers for an address on every interface of the node (arp_ignore 0). */
TEST(an_answer_of_our_own_ends_no_probe)
{
	_cleanup_(room_end) struct room_fixture f;
	struct pollfd p = {.events = POLLIN};
	struct address_event ev;

	room_begin(&f);
	netns_veth("own", "beside", 0);
	netns_run("ip link set own address 02:00:00:00:00:aa");
	CHECK_INT(links_dispatch(f.links, room_clock(&f)), 0);
	netns_run_in(f.peer, "ip link set vb address 02:00:00:00:00:aa");
	netns_run_in(f.peer, "ip addr add 10.0.0.7/24 dev vb");
	static_config(&f);
	f.cfg.probe = ADDRESS_PROBE_PARALLEL;
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	p.fd = addresses_fd(f.addresses);
	while (poll(&p, 1, 50) > 0)
		addresses_dispatch(f.addresses, room_clock(&f));
	netns_run_in(f.peer, "ip link set vb address 02:00:00:00:00:bb");
	do
		ev = room_next(&f, 2 * SEC);
	while (ev.type != ADDRESS_LOST);
	CHECK_INT(ev.cause, CAUSE_ADDRESS_DUPLICATE);
	CHECK_STR(ev.text, "10.0.0.7 is in use by 02:00:00:00:00:bb");
}

/* Switches that track their hosts ask each of them for its address, as nobody (Cisco IPDT, Dell
 * PowerSwitch): a unicast request, where a host that is about to take the address broadcasts. */
TEST(a_switch_that_tracks_its_hosts_is_no_duplicate)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	netns_run("ip link set va address 02:00:00:00:00:07");
	netns_run_in(f.peer, "ip addr flush dev vb");
	static_config(&f);
	f.cfg.probe = ADDRESS_PROBE_PARALLEL;
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	netns_run_in(f.peer, "ip neigh replace 10.0.0.7 lladdr 02:00:00:00:00:07 dev vb nud probe; "
		"for i in $(seq 2000); do ip neigh show nud reachable | grep -q ^10.0.0.7 && exit; "
		"done; exit 1");
	while (addresses_deadline(f.addresses) != NSEC_NEVER) {
		addresses_dispatch(f.addresses, room_clock(&f));
		CHECK(!addresses_pop_event(f.addresses, &ev));
		if (addresses_deadline(f.addresses) != NSEC_NEVER)
			f.skew += addresses_deadline(f.addresses) - room_clock(&f);
	}
	CHECK(addresses_result(f.addresses, f.cfg.ifindex));
}

TEST(probing_first)
{
	_cleanup_(room_end) struct room_fixture f;
	uint64_t began;

	room_begin(&f);
	static_config(&f);
	f.cfg.probe = ADDRESS_PROBE_FIRST;
	netns_run("ip link set va up");
	began = room_clock(&f);
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	CHECK(room_clock(&f) - began >= 450 * NSEC_PER_MSEC);
	CHECK(addresses_deadline(f.addresses) == NSEC_NEVER);
}

TEST(parallel_probe_costs_nothing)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	static_config(&f);
	f.cfg.probe = ADDRESS_PROBE_PARALLEL;
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	CHECK(addresses_deadline(f.addresses) != NSEC_NEVER); /* the probe has not ended */
	while (addresses_deadline(f.addresses) != NSEC_NEVER) {
		struct address_event ev;

		f.skew += addresses_deadline(f.addresses) - room_clock(&f);
		addresses_dispatch(f.addresses, room_clock(&f));
		CHECK(!addresses_pop_event(f.addresses, &ev));
	}
}

static unsigned declined;
static int server_declined(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	declined += type == 4;
	if (!declined)
		return dhcpserver_plain(m, request, len, type, n);
	if (!dhcpserver_answer(m, request, type))
		return 0;
	m->bytes[MSG_HEADERS + 19] = 6; /* 10.0.0.6 */
	msg_end(m);
	return 1;
}

TEST(a_duplicate_lease_is_declined)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	netns_run_in(f.peer, "ip addr add 10.0.0.5/24 dev vb");
	f.cfg.probe = ADDRESS_PROBE_PARALLEL;
	dhcpserver_start(f.peer, "vb", server_declined);
	room_start(&f);
	ev = room_until(&f, ADDRESS_LOST, 3 * SEC);
	CHECK_INT(ev.cause, CAUSE_ADDRESS_DUPLICATE);
	room_until(&f, ADDRESS_CONFIGURED, 13 * SEC);
	CHECK_INT(ntohl(room_result(&f)->addr.v4.s_addr), 0x0a000006);
}

/* --- a second run -------------------------------------------------------------------------- */

TEST(a_killed_agent_goes_on_with_its_lease)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_result before;
	pid_t server;

	room_begin(&f);
	server = room_lease(&f, dhcpserver_rich, 3 * SEC);
	before = *room_result(&f);
	kill(server, SIGKILL); /* no server to ask: it must not matter */
	room_restart(&f);
	room_until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	CHECK(room_result(&f)->adopted);
	before.adopted = true;
	CHECK_MEM(room_result(&f), &before, sizeof(before));
	CHECK_INT(addresses_deadline(f.addresses), before.renew);
}

TEST(address_gone_but_lease_known)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	room_lease(&f, dhcpserver_plain, 3 * SEC);
	netns_run("ip addr flush dev va");
	room_restart(&f);
	room_until(&f, ADDRESS_CONFIGURED, 2 * SEC); /* INIT-REBOOT */
	CHECK(!room_result(&f)->adopted);
	netns_run("ip -4 addr show va | grep -q 10.0.0.5/24");
}

TEST(a_bad_lease_file_is_nothing)
{
	static const char *const bad[] = {
		"sed -i s/^address=.*/address=10.0.0.99/ %s/run/initagent/lease.%d", /* not set */
		"sed -i s/^expires=.*/expires=5/ %s/run/initagent/lease.%d",
		"sed -i s/^client-id=.*/client-id=00/ %s/run/initagent/lease.%d",
		"echo junk >> %s/run/initagent/lease.%d",
		"truncate -s 40 %s/run/initagent/lease.%d",
	};
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	room_lease(&f, dhcpserver_plain, 3 * SEC);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		netns_run(bad[i], f.prefix, f.cfg.ifindex);
		room_restart(&f);
		room_until(&f, ADDRESS_CONFIGURED, 5 * SEC);
		CHECK(!room_result(&f)->adopted);
		CHECK_INT(ntohl(room_result(&f)->addr.v4.s_addr), 0x0a000005);
	}
}

/* --- names --------------------------------------------------------------------------------- */

static struct address_event resolve(struct room_fixture *f, const char *name, uint64_t limit)
{
	CHECK_INT(resolver_ask(addresses_resolver(f->addresses), 0, name, limit, room_clock(f)), 0);
	return room_until(f, ADDRESS_RESOLVED, limit + SEC);
}

TEST(names_without_dns)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;
	char text[INET_ADDR_TEXT];

	room_begin(&f);
	netns_run("echo 10.0.0.42 nfs > %s/etc/hosts", f.prefix);
	ev = resolve(&f, "192.0.2.1", SEC);
	CHECK_STR(inet_text(&ev.addr, text), "192.0.2.1");
	ev = resolve(&f, "[2001:db8::1]", SEC);
	CHECK_STR(inet_text(&ev.addr, text), "2001:db8::1");
	ev = resolve(&f, "nfs", SEC);
	CHECK_STR(inet_text(&ev.addr, text), "10.0.0.42");
	ev = resolve(&f, "other", SEC);
	CHECK_INT(ev.cause, CAUSE_ROOT_RESOLVE);
	CHECK_STR(ev.text, "no DNS server is known to resolve other");
	CHECK_INT(ev.addr.family, 0);
	CHECK_INT(resolver_ask(addresses_resolver(f.addresses), 0,
			"a b", SEC, room_clock(&f)), -EINVAL);
	CHECK_INT(resolver_ask(addresses_resolver(f.addresses), 0,
			"", SEC, room_clock(&f)), -EINVAL);
	CHECK_INT(resolver_ask(addresses_resolver(f.addresses), 0,
			"$(reboot)", SEC, room_clock(&f)), -EINVAL);
}

TEST(a_dead_dns_server)
{
	_cleanup_(room_end) struct room_fixture f;
	struct inet_addr dns = room_addr("10.0.0.66");
	struct address_event ev;
	uint64_t began;

	room_begin(&f);
	static_config(&f);
	f.cfg.nameservers = &dns;
	f.cfg.n_nameservers = 1;
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	began = room_clock(&f);
	ev = resolve(&f, "nfs.example", 3 * SEC);
	CHECK_INT(ev.cause, CAUSE_ROOT_RESOLVE);
	CHECK_STR(ev.text, "no DNS server answered in time for nfs.example");
	CHECK(room_clock(&f) - began >= 3 * SEC && room_clock(&f) - began < 4 * SEC);
}
