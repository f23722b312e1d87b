// SPDX-License-Identifier: GPL-2.0-or-later
/* The address room as a whole, over a veth pair, against servers that behave as the test wants. */
#include "check.h"
#include "dhcpserver.h"
#include "netns.h"

#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "address/address.h"
#include "address/iface.h"

#define SEC NSEC_PER_SEC

/*
 * Time is an argument of the room, so the test's clock is the real one plus a skew: when nothing came over
 * the wire for this long, it jumps to the next deadline instead of waiting for it.
 */
#define QUIET_MS 150

struct fixture {
	char prefix[32];
	struct env env;
	struct report *report;
	int console[2];
	char text[32768]; /* what the console got so far */
	struct links *links;
	struct addresses *addresses;
	pid_t peer;
	struct address_config cfg;
	uint64_t skew;
	bool real; /* no jumps: the kernel announces changes of carrier up to a second late */
};

static uint64_t clock_of(const struct fixture *f)
{
	return now_ns() + f->skew;
}

static void begin(struct fixture *f)
{
	struct report_config rc = {.kmsg_fd = -1};

	*f = (struct fixture){.prefix = "/tmp/ia-address-XXXXXX", .console = {-1, -1}};
	netns_enter();
	f->peer = netns_peer();
	netns_veth("va", "vb", f->peer);
	netns_run_in(f->peer, "ip addr add 10.0.0.1/24 dev vb; ip link set vb up");
	/* The far end's queue is active only some time after our end is up: until then it drops replies. */
	netns_run("ip link set va up");
	netns_run_in(f->peer, "until ip link show vb | grep -q \"state UP\"; do sleep 0.01; done");
	CHECK(mkdtemp(f->prefix));
	netns_run("mkdir %s/run %s/etc", f->prefix, f->prefix);
	CHECK_INT(pipe2(f->console, O_NONBLOCK | O_CLOEXEC), 0);
	rc.console_fd = f->console[1];
	CHECK_INT(report_new(&f->report, &rc), 0);
	f->env = (struct env){.prefix = f->prefix, .report = f->report};
	CHECK_INT(links_new(&f->links, &f->env, clock_of(f)), 0);
	CHECK_INT(addresses_new(&f->addresses, &f->env, f->links, clock_of(f)), 0);
	f->cfg.ifindex = links_by_name(f->links, "va")->ifindex;
	f->cfg.method = ADDRESS_DHCP4;
	f->cfg.probe = ADDRESS_PROBE_NONE;
}

static void end(struct fixture *f)
{
	addresses_freep(&f->addresses);
	links_freep(&f->links);
	report_freep(&f->report);
	if (*f->prefix)
		netns_run("rm -r %s", f->prefix);
}

static bool printed(struct fixture *f, const char *what)
{
	size_t have = strlen(f->text);
	ssize_t n = read(f->console[0], f->text + have, sizeof(f->text) - 1 - have);

	f->text[have + (n > 0 ? (size_t)n : 0)] = 0;
	return strstr(f->text, what);
}

static void pass_links(struct fixture *f)
{
	struct link_event ev;

	CHECK_INT(links_dispatch(f->links, clock_of(f)), 0);
	while (links_pop_event(f->links, &ev))
		addresses_link(f->addresses, ev.dev.ifindex, clock_of(f));
}

/* Lets time pass until there is input or the clock reaches the given time. */
static void pass_time(struct fixture *f, uint64_t to)
{
	struct pollfd p[2] = {{.fd = links_fd(f->links), .events = POLLIN},
		{.fd = addresses_fd(f->addresses), .events = POLLIN}};
	uint64_t now = clock_of(f), left = to > now ? (to - now) / NSEC_PER_MSEC + 1 : 0;

	if (poll(p, 2, left < QUIET_MS ? (int)left : QUIET_MS) == 0 && left >= QUIET_MS && !f->real)
		f->skew += to - clock_of(f);
}

/* The next event; fails after limit. */
static struct address_event next(struct fixture *f, uint64_t limit)
{
	uint64_t stop = clock_of(f) + limit;
	struct address_event ev;

	while (!addresses_pop_event(f->addresses, &ev)) {
		if (clock_of(f) >= stop) {
			printed(f, "");
			check_fail(__FILE__, __LINE__, "no event in time; console:\n%s", f->text);
		}
		pass_time(f, min_u64(stop, addresses_deadline(f->addresses)));
		pass_links(f);
		CHECK_INT(addresses_dispatch(f->addresses, clock_of(f)), 0);
	}
	return ev;
}

/* Skips other events until one of this type. */
static struct address_event until(struct fixture *f, enum address_event_type type, uint64_t limit)
{
	uint64_t stop = clock_of(f) + limit;
	struct address_event ev;

	do
		ev = next(f, clock_of(f) < stop ? stop - clock_of(f) : 0);
	while (ev.type != type);
	return ev;
}

static void start(struct fixture *f)
{
	CHECK_INT(addresses_add(f->addresses, &f->cfg, clock_of(f)), 0);
}

static const struct address_result *result(struct fixture *f)
{
	const struct address_result *r = addresses_result(f->addresses, f->cfg.ifindex);

	CHECK(r);
	return r;
}

static struct inet_addr addr(const char *text)
{
	struct inet_addr a;

	CHECK_INT(value_inet(text, strlen(text), &a), 0);
	return a;
}

/* --- leases -------------------------------------------------------------------------------- */

TEST(a_lease_end_to_end)
{
	_cleanup_(end) struct fixture f;
	uint64_t began;

	begin(&f);
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	began = clock_of(&f);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	CHECK(clock_of(&f) - began < SEC); /* no delay of ours */
	netns_run("ip -4 addr show va | grep -q 'inet 10.0.0.5/24 brd 10.0.0.255'");
	netns_run("ip route | grep -q '^default via 10.0.0.1 dev va proto dhcp'");
	CHECK_INT(result(&f)->lease_s, 3600);
	CHECK(!result(&f)->adopted);
	netns_run("grep -q '^address=10.0.0.5$' %s/run/initagent/lease.%d", f.prefix, f.cfg.ifindex);
	CHECK_INT(addresses_add(f.addresses, &f.cfg, clock_of(&f)), -EEXIST);
	addresses_remove(f.addresses, f.cfg.ifindex, true, clock_of(&f));
	netns_run("test -z \"$(ip -4 addr show va | grep inet)\"");
	netns_run("test -z \"$(ip route)\"");
	CHECK(!addresses_result(f.addresses, f.cfg.ifindex));
}

TEST(the_first_discover_leaves_with_the_carrier)
{
	_cleanup_(end) struct fixture f;
	uint64_t began;

	begin(&f);
	f.real = true;
	netns_run_in(f.peer, "ip link set vb down");
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	start(&f);
	while (next(&f, SEC).cause != CAUSE_NETDEV_NO_CARRIER)
		continue;
	netns_run_in(f.peer, "ip link set vb up");
	began = clock_of(&f);
	until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	CHECK(clock_of(&f) - began < SEC / 2);
}

static int server_rich(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	(void)len;
	(void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	msg_option(m, 121, "\x00\x0a\x00\x00\x02\x0c\xac\x10\x0a\x00\x00\x03\x18\xc0\x00\x02\x00\x00\x00\x00\x08\x65\xc6\x33\x64\x01",
		26);
	msg_u32(m, 6, 0x0a000001);
	msg_text(m, 12, "node5");
	msg_text(m, 15, "example");
	msg_text(m, 17, "10.0.0.1:/export/root");
	msg_option(m, 26, "\x05\x78", 2);
	msg_end(m);
	return 1;
}

TEST(routes_mtu_names)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	dhcpserver_start(f.peer, "vb", server_rich);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	netns_run("ip route | grep -q '^default via 10.0.0.2 dev va'");
	netns_run("ip route | grep -q '^172.16.0.0/12 via 10.0.0.3 dev va'");
	netns_run("ip route | grep -q '^192.0.2.0/24 dev va'");
	netns_run("! ip route | grep -q 198.51.100.1"); /* a gateway out of reach */
	netns_run("ip link show va | grep -q 'mtu 1400'");
	netns_run("grep -qx 'nameserver 10.0.0.1' %s/etc/resolv.conf", f.prefix);
	netns_run("grep -qx 'search example' %s/etc/resolv.conf", f.prefix);
	CHECK_STR(result(&f)->hostname, "node5");
	CHECK_STR(result(&f)->root_path, "10.0.0.1:/export/root");
	CHECK(printed(&f, "1 route(s) in the DHCP lease have a gateway outside"));
}

static int server_lossy(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	return n == 1 ? 0 : dhcpserver_plain(m, request, len, type, n);
}

TEST(a_lost_packet_costs_about_a_second)
{
	_cleanup_(end) struct fixture f;
	uint64_t began;

	begin(&f);
	dhcpserver_start(f.peer, "vb", server_lossy);
	began = clock_of(&f);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	CHECK(clock_of(&f) - began < 2 * SEC);
}

TEST(nobody_answers)
{
	_cleanup_(end) struct fixture f;
	struct address_event ev;

	begin(&f);
	f.cfg.dhcp_limit = 2 * SEC;
	f.cfg.dhcp_rounds = 2;
	start(&f);
	do
		ev = until(&f, ADDRESS_HINDRANCE, SEC);
	while (ev.cause == CAUSE_NETDEV_NO_CARRIER);
	CHECK_STR(ev.text, "asking for an address by DHCP");
	ev = until(&f, ADDRESS_HINDRANCE, 2 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_NO_OFFER);
	CHECK_STR(ev.text, "no DHCP answer yet, 1 request sent");
	ev = until(&f, ADDRESS_FAILED, 6 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_NO_OFFER);
	CHECK_STR(ev.text, "no lease after 2 rounds of 2 s");
	CHECK(addresses_deadline(f.addresses) == NSEC_NEVER);
}

static int server_nak(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	(void)len;
	if (type == 1)
		return dhcpserver_plain(m, request, len, type, n);
	msg_begin(m, 6, msg_be32(request + MSG_HEADERS + 4), 0);
	msg_u32(m, 54, 0x0a000001);
	msg_end(m);
	return n > 6 ? dhcpserver_plain(m, request, len, type, n) : 1;
}

TEST(refused_then_accepted)
{
	_cleanup_(end) struct fixture f;
	struct address_event ev;

	begin(&f);
	dhcpserver_start(f.peer, "vb", server_nak);
	start(&f);
	do
		ev = until(&f, ADDRESS_HINDRANCE, 5 * SEC);
	while (ev.cause != CAUSE_DHCP_NAK);
	CHECK_STR(ev.text, "NAK from 10.0.0.1");
	CHECK(printed(&f, "IA-E502"));
	until(&f, ADDRESS_CONFIGURED, 9 * SEC);
}

static int server_stranger(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	int times = dhcpserver_answer(m, request, type);

	(void)len;
	(void)n;
	memcpy(m->bytes + MSG_OPTIONS + 3 + 2, "\x0a\x00\x00\x63", 4); /* another server identifier */
	msg_end(m);
	return times;
}

TEST(only_foreign_servers)
{
	_cleanup_(end) struct fixture f;
	struct address_event ev;

	begin(&f);
	f.cfg.servers[0] = addr("10.0.0.1");
	f.cfg.n_servers = 1;
	f.cfg.dhcp_limit = 2 * SEC;
	f.cfg.dhcp_rounds = 1;
	dhcpserver_start(f.peer, "vb", server_stranger);
	start(&f);
	ev = until(&f, ADDRESS_FAILED, 5 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_FOREIGN);
	CHECK(printed(&f, "server 10.0.0.99 is not in rd.net.dhcp.server="));
}

TEST(two_servers_the_allowed_one_wins)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	f.cfg.servers[0] = addr("10.0.0.1");
	f.cfg.n_servers = 1;
	dhcpserver_start(f.peer, "vb", server_stranger);
	dhcpserver_start(f.peer, "vb", server_lossy);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	CHECK_INT(ntohl(result(&f)->server_id.v4.s_addr), 0x0a000001);
}

static int server_twice(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	return 3 * dhcpserver_plain(m, request, len, type, n);
}

TEST(every_reply_three_times)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	dhcpserver_start(f.peer, "vb", server_twice);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	CHECK(!printed(&f, "IA-E5"));
}

/* A relay's reply: its address in giaddr, the relay as IP source, hops counted. */
static int server_relay(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	int times = dhcpserver_answer(m, request, type);

	(void)len;
	(void)n;
	msg_option(m, 82, "\x01\x04port", 6);
	msg_end(m);
	m->bytes[MSG_HEADERS + 3] = 2;
	memcpy(m->bytes + MSG_HEADERS + 24, "\x0a\x00\x00\xfe", 4);
	msg_wrap(m);
	return times;
}

TEST(through_a_relay)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	dhcpserver_start(f.peer, "vb", server_relay);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 5 * SEC);
}

static int server_short_lease(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	static bool given;

	(void)len;
	(void)n;
	if (given)
		return 0; /* never renews */
	given = type == 3;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	memcpy(m->bytes + MSG_OPTIONS + 3 + 6 + 2, "\0\0\0\4", 4); /* 4 s */
	msg_end(m);
	return 1;
}

TEST(an_expired_lease_is_taken_off)
{
	_cleanup_(end) struct fixture f;
	struct address_event ev;

	begin(&f);
	dhcpserver_start(f.peer, "vb", server_short_lease);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	ev = until(&f, ADDRESS_LOST, 6 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_EXPIRED);
	netns_run("test -z \"$(ip -4 addr show va | grep inet)\"");
	netns_run("! test -e %s/run/initagent/lease.%d", f.prefix, f.cfg.ifindex);
	CHECK(!addresses_result(f.addresses, f.cfg.ifindex));
}

TEST(not_under_a_mounted_root)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	dhcpserver_start(f.peer, "vb", server_short_lease);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	addresses_keep(f.addresses);
	until(&f, ADDRESS_LOST, 6 * SEC);
	netns_run("ip -4 addr show va | grep -q 10.0.0.5/24");
}

static int server_renewing(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	(void)len;
	(void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	memcpy(m->bytes + MSG_OPTIONS + 3 + 6 + 2, "\0\0\0\6", 4); /* 6 s: T1 after 3 */
	msg_end(m);
	return 1;
}

TEST(a_lease_is_renewed_while_the_boot_waits)
{
	_cleanup_(end) struct fixture f;
	uint64_t first;

	begin(&f);
	dhcpserver_start(f.peer, "vb", server_renewing);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	first = result(&f)->expires;
	until(&f, ADDRESS_RENEWED, 5 * SEC);
	CHECK(result(&f)->expires >= first + 2 * SEC);
	netns_run("grep -q '^expires=%llu$' %s/run/initagent/lease.%d",
		(unsigned long long)result(&f)->expires, f.prefix, f.cfg.ifindex);
}

/* --- links --------------------------------------------------------------------------------- */

TEST(link_flap_in_mid_dhcp)
{
	_cleanup_(end) struct fixture f;
	struct address_event ev;

	begin(&f);
	f.real = true;
	start(&f);
	until(&f, ADDRESS_HINDRANCE, SEC);
	netns_run_in(f.peer, "ip link set vb down");
	do
		ev = until(&f, ADDRESS_HINDRANCE, 2 * SEC);
	while (ev.cause != CAUSE_NETDEV_NO_CARRIER);
	CHECK(addresses_deadline(f.addresses) == NSEC_NEVER); /* quiet without carrier */
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	netns_run_in(f.peer, "ip link set vb up");
	until(&f, ADDRESS_CONFIGURED, 2 * SEC);
}

TEST(link_flap_with_a_lease)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	f.real = true;
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	netns_run_in(f.peer, "ip link set vb down");
	CHECK_INT(until(&f, ADDRESS_LOST, 2 * SEC).cause, CAUSE_NETDEV_NO_CARRIER);
	netns_run("ip -4 addr show va | grep -q 10.0.0.5/24"); /* kept meanwhile */
	netns_run_in(f.peer, "ip link set vb up");
	until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	netns_run("ip -4 addr show va | grep -q 10.0.0.5/24");
}

TEST(flap_and_no_server_any_more)
{
	_cleanup_(end) struct fixture f;
	pid_t server;

	begin(&f);
	f.real = true;
	server = dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	kill(server, SIGKILL);
	netns_run_in(f.peer, "ip link set vb down");
	until(&f, ADDRESS_LOST, 2 * SEC);
	netns_run_in(f.peer, "ip link set vb up");
	until(&f, ADDRESS_CONFIGURED, 5 * SEC); /* the lease is valid all the same */
}

TEST(the_interface_vanishes)
{
	_cleanup_(end) struct fixture f;
	struct address_event ev;

	begin(&f);
	f.real = true;
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	netns_run("ip link del va");
	ev = until(&f, ADDRESS_LOST, 2 * SEC);
	CHECK(ev.cause == CAUSE_NETDEV_MISSING || ev.cause == CAUSE_NETDEV_NO_CARRIER);
	f.cfg.ifindex = 9999;
	CHECK_INT(addresses_add(f.addresses, &f.cfg, clock_of(&f)), -ENODEV);
}

/* --- static -------------------------------------------------------------------------------- */

static void static_config(struct fixture *f)
{
	f->cfg.method = ADDRESS_STATIC;
	f->cfg.addr = addr("10.0.0.7");
	f->cfg.prefix = 24;
	f->cfg.gateway = addr("10.0.0.1");
	f->cfg.mtu = 1300;
}

TEST(static_address)
{
	_cleanup_(end) struct fixture f;
	struct inet_addr dns = addr("10.0.0.1");
	struct plan_route route = {.net = addr("172.16.0.0"), .prefix = 12, .gateway = addr("10.0.0.9")};

	begin(&f);
	static_config(&f);
	f.cfg.nameservers = &dns;
	f.cfg.n_nameservers = 1;
	f.cfg.routes = &route;
	f.cfg.n_routes = 1;
	f.cfg.metric = 77;
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	netns_run("ip -4 addr show va | grep -q 'inet 10.0.0.7/24'");
	netns_run("ip route | grep -q '^default via 10.0.0.1 dev va metric 77'");
	netns_run("ip route | grep -q '^172.16.0.0/12 via 10.0.0.9 dev va metric 77'");
	netns_run("ip link show va | grep -q 'mtu 1300'");
	netns_run("grep -qx 'nameserver 10.0.0.1' %s/etc/resolv.conf", f.prefix);
}

TEST(static_again_is_adopted)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	static_config(&f);
	netns_run("ip link set va up; ip addr add 10.0.0.7/24 dev va; ip route add default via 10.0.0.1");
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	netns_run("test 1 = $(ip -4 addr show va | grep -c inet)");
}

TEST(static_point_to_point_and_ipv6)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	static_config(&f);
	f.cfg.prefix = 32;
	f.cfg.peer = addr("10.0.0.1");
	f.cfg.mtu = 0;
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	netns_run("ip -4 addr show va | grep -q 'inet 10.0.0.7 peer 10.0.0.1/32'");
	addresses_remove(f.addresses, f.cfg.ifindex, true, clock_of(&f));
	f.cfg.addr = addr("2001:db8::7");
	f.cfg.prefix = 64;
	f.cfg.peer = (struct inet_addr){0};
	f.cfg.gateway = addr("2001:db8::1");
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	netns_run("ip -6 addr show va | grep -q 'inet6 2001:db8::7/64'");
	netns_run("ip -6 route | grep -q '^default via 2001:db8::1 dev va'");
}

TEST(wrong_gateway_and_mtu_are_told)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	static_config(&f);
	f.cfg.gateway = addr("192.0.2.1");
	f.cfg.mtu = 5;
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 2 * SEC); /* the root may be on this segment */
	CHECK(printed(&f, "IA-E403"));
	CHECK(printed(&f, "mtu less than device minimum"));
	addresses_remove(f.addresses, f.cfg.ifindex, true, clock_of(&f));
	f.cfg.mtu = 0;
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	CHECK(printed(&f, "IA-E507"));
	CHECK(printed(&f, "Nexthop has invalid gateway"));
}

/* --- duplicates ---------------------------------------------------------------------------- */

TEST(duplicate_found_beside)
{
	_cleanup_(end) struct fixture f;
	struct address_event ev;

	begin(&f);
	netns_run_in(f.peer, "ip addr add 10.0.0.7/24 dev vb");
	static_config(&f);
	f.cfg.probe = ADDRESS_PROBE_PARALLEL;
	start(&f);
	do
		ev = next(&f, 2 * SEC);
	while (ev.type != ADDRESS_LOST);
	CHECK_INT(ev.cause, CAUSE_ADDRESS_DUPLICATE);
	CHECK(strstr(ev.text, "10.0.0.7 is in use by "));
	CHECK(printed(&f, "IA-E505"));
	netns_run("test -z \"$(ip -4 addr show va | grep inet)\"");
	CHECK(addresses_deadline(f.addresses) - clock_of(&f) > 9 * SEC);
	/* the other host leaves: after the rest ours is probed first, then set */
	netns_run_in(f.peer, "ip addr del 10.0.0.7/24 dev vb");
	until(&f, ADDRESS_CONFIGURED, 12 * SEC);
	netns_run("ip -4 addr show va | grep -q 10.0.0.7/24");
}

TEST(probing_first)
{
	_cleanup_(end) struct fixture f;
	uint64_t began;

	begin(&f);
	static_config(&f);
	f.cfg.probe = ADDRESS_PROBE_FIRST;
	netns_run("ip link set va up");
	began = clock_of(&f);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	CHECK(clock_of(&f) - began >= 450 * NSEC_PER_MSEC);
}

TEST(parallel_probe_costs_nothing)
{
	_cleanup_(end) struct fixture f;
	uint64_t began;

	begin(&f);
	static_config(&f);
	f.cfg.probe = ADDRESS_PROBE_PARALLEL;
	began = clock_of(&f);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	CHECK(clock_of(&f) - began < 250 * NSEC_PER_MSEC);
	while (addresses_deadline(f.addresses) != NSEC_NEVER) {
		struct address_event ev;

		usleep(20000);
		addresses_dispatch(f.addresses, clock_of(&f));
		CHECK(!addresses_pop_event(f.addresses, &ev));
	}
}

static unsigned declined;
static int server_declined(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
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
	_cleanup_(end) struct fixture f;
	struct address_event ev;

	begin(&f);
	netns_run_in(f.peer, "ip addr add 10.0.0.5/24 dev vb");
	f.cfg.probe = ADDRESS_PROBE_PARALLEL;
	dhcpserver_start(f.peer, "vb", server_declined);
	start(&f);
	ev = until(&f, ADDRESS_LOST, 3 * SEC);
	CHECK_INT(ev.cause, CAUSE_ADDRESS_DUPLICATE);
	until(&f, ADDRESS_CONFIGURED, 13 * SEC);
	CHECK_INT(ntohl(result(&f)->addr.v4.s_addr), 0x0a000006);
}

/* --- a second run -------------------------------------------------------------------------- */

static void restart(struct fixture *f)
{
	addresses_freep(&f->addresses);
	links_freep(&f->links);
	CHECK_INT(links_new(&f->links, &f->env, clock_of(f)), 0);
	CHECK_INT(addresses_new(&f->addresses, &f->env, f->links, clock_of(f)), 0);
	start(f);
}

TEST(a_killed_agent_goes_on_with_its_lease)
{
	_cleanup_(end) struct fixture f;
	struct address_result before;
	pid_t server;

	begin(&f);
	server = dhcpserver_start(f.peer, "vb", server_rich);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	before = *result(&f);
	kill(server, SIGKILL); /* nobody to ask: it must not matter */
	restart(&f);
	until(&f, ADDRESS_CONFIGURED, SEC / 2);
	CHECK(result(&f)->adopted);
	before.adopted = true;
	CHECK_MEM(result(&f), &before, sizeof(before));
	CHECK_INT(addresses_deadline(f.addresses), before.renew);
}

TEST(address_gone_but_lease_known)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	netns_run("ip addr flush dev va");
	restart(&f);
	until(&f, ADDRESS_CONFIGURED, 2 * SEC); /* INIT-REBOOT */
	CHECK(!result(&f)->adopted);
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
	_cleanup_(end) struct fixture f;

	begin(&f);
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 3 * SEC);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		netns_run(bad[i], f.prefix, f.cfg.ifindex);
		restart(&f);
		until(&f, ADDRESS_CONFIGURED, 5 * SEC);
		CHECK(!result(&f)->adopted);
		CHECK_INT(ntohl(result(&f)->addr.v4.s_addr), 0x0a000005);
	}
}

/* --- hostility ----------------------------------------------------------------------------- */

/* Random bytes in random places; sometimes pure noise, sometimes only a wrong length. */
static int server_hostile(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	static unsigned sent;
	unsigned r[4];

	if (sent >= 1000)
		return dhcpserver_plain(m, request, len, type, n);
	if (!dhcpserver_answer(m, request, type))
		return 0;
	if (getrandom(r, sizeof(r), 0) != sizeof(r))
		return 0;
	for (unsigned i = 0; i < r[0] % 60; i++) {
		uint8_t noise[3];

		if (getrandom(noise, 3, 0) != 3)
			return 0;
		m->bytes[m->len++] = noise[0];
		m->bytes[m->len++] = noise[1];
		m->bytes[m->len++] = noise[2];
	}
	if (r[1] % 4 == 0)
		m->bytes[MSG_OPTIONS + 2] = (uint8_t)r[2]; /* message type */
	if (r[1] % 4 == 1)
		m->bytes[MSG_OPTIONS + 4] = (uint8_t)r[2]; /* a length */
	msg_wrap(m);
	if (r[1] % 4 == 2) {
		m->bytes[24] = (uint8_t)r[2]; /* UDP length */
		m->bytes[25] = (uint8_t)r[3];
	}
	if (r[1] % 4 == 3)
		m->len = MSG_OPTIONS + r[3] % (m->len - MSG_OPTIONS);
	sent += 50;
	return 50;
}

TEST(a_thousand_malformed_replies)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	dhcpserver_start(f.peer, "vb", server_hostile);
	f.cfg.dhcp_limit = 2 * SEC; /* more requests in less time */
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 25 * SEC);
	CHECK_INT(ntohl(result(&f)->addr.v4.s_addr), 0x0a000005);
	CHECK(!printed(&f, "IA-E508")); /* the parser process lives */
}

static int server_malformed(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	int times = dhcpserver_answer(m, request, type);

	(void)len;
	(void)n;
	m->bytes[m->len++] = 12;
	m->bytes[m->len++] = 200;
	msg_wrap(m);
	return times;
}

TEST(malformed_replies_are_the_cause)
{
	_cleanup_(end) struct fixture f;
	struct address_event ev;

	begin(&f);
	f.cfg.dhcp_limit = 2 * SEC;
	f.cfg.dhcp_rounds = 1;
	dhcpserver_start(f.peer, "vb", server_malformed);
	start(&f);
	ev = until(&f, ADDRESS_FAILED, 4 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_BAD_REPLY);
	CHECK(printed(&f, "an option runs past the end of its field"));
	CHECK(printed(&f, "IA-E504"));
}

/* Our child that is under seccomp, 0 if there is none (yet). */
static pid_t find_parser(void)
{
	static const struct env root = {.prefix = ""};
	char parent[32], status[4096];

	snprintf(parent, sizeof(parent), "\nPPid:\t%d\n", (int)getpid());
	for (pid_t pid = getpid() + 1; pid < getpid() + 1000; pid++)
		if (env_read(&root, status, sizeof(status), "/proc/%d/status", (int)pid) > 0 &&
			strstr(status, parent) && strstr(status, "\nSeccomp:\t2\n"))
			return pid;
	return 0;
}

/* Kills the parser process, another one than the last killed. */
static pid_t kill_parser(struct fixture *f, pid_t last)
{
	for (int i = 0; i < 300; i++) {
		pid_t pid = find_parser();

		if (pid && pid != last) {
			CHECK_INT(kill(pid, SIGSEGV), 0);
			return pid;
		}
		usleep(10000);
		addresses_dispatch(f->addresses, clock_of(f));
	}
	check_fail(__FILE__, __LINE__, "no parser process found");
}

TEST(a_dead_parser_is_replaced_and_the_lease_comes)
{
	_cleanup_(end) struct fixture f;

	begin(&f);
	start(&f);
	until(&f, ADDRESS_HINDRANCE, SEC);
	kill_parser(&f, 0);
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	until(&f, ADDRESS_CONFIGURED, 8 * SEC);
	CHECK(printed(&f, "IA-E508"));
}

TEST(twice_dead_is_the_end_of_dhcp)
{
	_cleanup_(end) struct fixture f;
	struct address_event ev;

	begin(&f);
	start(&f);
	until(&f, ADDRESS_HINDRANCE, SEC);
	kill_parser(&f, kill_parser(&f, 0));
	ev = until(&f, ADDRESS_FAILED, 3 * SEC);
	CHECK_INT(ev.cause, CAUSE_PARSER_DIED);
}

/* --- names --------------------------------------------------------------------------------- */

static struct address_event resolve(struct fixture *f, const char *name, uint64_t limit)
{
	CHECK_INT(addresses_resolve(f->addresses, name, limit, clock_of(f)), 0);
	return until(f, ADDRESS_RESOLVED, limit + SEC);
}

TEST(names_without_dns)
{
	_cleanup_(end) struct fixture f;
	struct address_event ev;
	char text[INET_ADDR_TEXT];

	begin(&f);
	netns_run("echo 10.0.0.42 nfs > %s/etc/hosts", f.prefix);
	ev = resolve(&f, "192.0.2.1", SEC);
	CHECK_STR(inet_text(&ev.addr, text), "192.0.2.1");
	ev = resolve(&f, "[2001:db8::1]", SEC);
	CHECK_STR(inet_text(&ev.addr, text), "2001:db8::1");
	ev = resolve(&f, "nfs", SEC);
	CHECK_STR(inet_text(&ev.addr, text), "10.0.0.42");
	ev = resolve(&f, "other", SEC);
	CHECK_INT(ev.cause, CAUSE_ROOT_RESOLVE);
	CHECK_STR(ev.text, "no DNS server is known to ask for other");
	CHECK_INT(ev.addr.family, 0);
	CHECK_INT(addresses_resolve(f.addresses, "a b", SEC, clock_of(&f)), -EINVAL);
	CHECK_INT(addresses_resolve(f.addresses, "", SEC, clock_of(&f)), -EINVAL);
	CHECK_INT(addresses_resolve(f.addresses, "$(reboot)", SEC, clock_of(&f)), -EINVAL);
}

TEST(a_dead_dns_server)
{
	_cleanup_(end) struct fixture f;
	struct inet_addr dns = addr("10.0.0.66");
	struct address_event ev;
	uint64_t began;

	begin(&f);
	static_config(&f);
	f.cfg.nameservers = &dns;
	f.cfg.n_nameservers = 1;
	start(&f);
	until(&f, ADDRESS_CONFIGURED, 2 * SEC);
	began = clock_of(&f);
	ev = resolve(&f, "nfs.example", 3 * SEC);
	CHECK_INT(ev.cause, CAUSE_ROOT_RESOLVE);
	CHECK_STR(ev.text, "no DNS server answered in time for nfs.example");
	CHECK(clock_of(&f) - began >= 3 * SEC && clock_of(&f) - began < 4 * SEC);
}
