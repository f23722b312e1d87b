// SPDX-License-Identifier: GPL-2.0-or-later
/* DHCP in the whole room, against servers that the test controls, and links that come and go. */
#include "addressroom.h"

#include <signal.h>

/* --- leases -------------------------------------------------------------------------------- */

TEST(a_lease_end_to_end)
{
	_cleanup_(room_end) struct room_fixture f;
	uint64_t began;

	room_begin(&f);
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	began = room_clock(&f);
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	CHECK(room_clock(&f) - began < SEC); /* no delay of ours */
	netns_run("ip -4 addr show va | grep -q 'inet 10.0.0.5/24 brd 10.0.0.255'");
	netns_run("ip route | grep -q '^default via 10.0.0.1 dev va proto dhcp'");
	CHECK_INT(room_result(&f)->lease_s, 3600);
	CHECK(!room_result(&f)->adopted);
	netns_run("grep -q '^address=10.0.0.5$' %s/run/initagent/lease.%d", f.prefix,
		f.cfg.ifindex);
	CHECK_INT(addresses_add(f.addresses, &f.cfg, room_clock(&f)), -EEXIST);
	addresses_remove(f.addresses, f.cfg.ifindex, true, room_clock(&f));
	netns_run("test -z \"$(ip -4 addr show va | grep inet)\"");
	netns_run("test -z \"$(ip route)\"");
	CHECK(!addresses_result(f.addresses, f.cfg.ifindex));
}

TEST(routes_mtu_names)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	room_lease(&f, dhcpserver_rich, 5 * SEC);
	netns_run("ip route | grep -q '^default via 10.0.0.2 dev va'");
	netns_run("ip route | grep -q '^172.16.0.0/12 via 10.0.0.3 dev va'");
	netns_run("ip route | grep -q '^192.0.2.0/24 dev va'");
	netns_run("! ip route | grep -q 198.51.100.1"); /* a gateway out of reach */
	netns_run("ip link show va | grep -q 'mtu 1400'");
	netns_run("grep -qx 'nameserver 10.0.0.1' %s/etc/resolv.conf", f.prefix);
	netns_run("grep -qx 'search example' %s/etc/resolv.conf", f.prefix);
	CHECK_STR(room_result(&f)->hostname, "node5");
	CHECK_STR(room_result(&f)->root_path, "10.0.0.1:/export/root");
	CHECK(room_printed(&f,
		"ignoring route 101.0.0.0/8 via 198.51.100.1 in DHCP lease: its gateway is outside "
		"of the subnet"));
}

static int server_lossy(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	return n == 1 ? 0 : dhcpserver_plain(m, request, len, type, n);
}

TEST(a_lost_packet_costs_about_a_second)
{
	_cleanup_(room_end) struct room_fixture f;
	uint64_t began;

	room_begin(&f);
	dhcpserver_start(f.peer, "vb", server_lossy);
	began = room_clock(&f);
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	CHECK(room_clock(&f) - began < 2 * SEC);
}

TEST(nobody_answers)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	f.cfg.dhcp_limit = 2 * SEC;
	f.cfg.dhcp_rounds = 2;
	room_start(&f);
	do
		ev = room_until(&f, ADDRESS_HINDRANCE, 5 * SEC);
	while (ev.cause == CAUSE_NETDEV_NO_CARRIER);
	CHECK_STR(ev.text, "asking for an address by DHCP");
	ev = room_until(&f, ADDRESS_HINDRANCE, 2 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_NO_OFFER);
	CHECK_STR(ev.text, "no DHCP answer yet, 1 request sent");
	ev = room_until(&f, ADDRESS_FAILED, 6 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_NO_OFFER);
	CHECK_STR(ev.text, "no lease after 2 rounds of 2 s");
	CHECK(addresses_deadline(f.addresses) == NSEC_NEVER);
}

static void received(struct room_fixture *f, unsigned packets)
{
	netns_run("mkdir -p %s/sys/class/net/va/statistics; echo %u "
		">%s/sys/class/net/va/statistics/rx_packets", f->prefix,
		packets, f->prefix);
}

static struct address_event next_silence(struct room_fixture *f)
{
	struct address_event ev;

	do
		ev = room_until(f, ADDRESS_HINDRANCE, 10 * SEC);
	while (strncmp(ev.text, "no DHCP answer", 14) != 0);
	return ev;
}

TEST(silence_tells_a_dead_segment_from_a_missing_server)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	received(&f, 7);
	room_start(&f);
	ev = next_silence(&f);
	CHECK_STR(ev.text, "no DHCP answer yet, 1 request sent, nothing at all received");
	received(&f, 8);
	ev = next_silence(&f);
	CHECK_STR(ev.text, "no DHCP answer yet, 2 requests sent, 1 packet of any kind received");
	received(&f, 10);
	ev = next_silence(&f);
	CHECK_STR(ev.text, "no DHCP answer yet, 3 requests sent, 3 packets of any kind received");
	/* Counters of another interface, or none: nothing is claimed. */
	received(&f, 2);
	ev = next_silence(&f);
	CHECK_STR(ev.text, "no DHCP answer yet, 4 requests sent");
}

static int server_nak(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	(void)len;
	if (type == 1)
		return dhcpserver_plain(m, request, len, type, n);
	dhcpserver_begin(m, request, 6, 0);
	msg_u32(m, 54, 0x0a000001);
	msg_end(m);
	return n > 6 ? dhcpserver_plain(m, request, len, type, n) : 1;
}

TEST(refused_then_accepted)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	dhcpserver_start(f.peer, "vb", server_nak);
	room_start(&f);
	do
		ev = room_until(&f, ADDRESS_HINDRANCE, 5 * SEC);
	while (ev.cause != CAUSE_DHCP_NAK);
	CHECK_STR(ev.text, "NAK from 10.0.0.1");
	CHECK(room_printed(&f, "IA-E502"));
	room_until(&f, ADDRESS_CONFIGURED, 9 * SEC);
}

static int server_stranger(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	int times = dhcpserver_answer(m, request, type);

	(void)len;
	(void)n;
	/* another server identifier */
	memcpy(m->bytes + MSG_OPTIONS + 3 + 2, "\x0a\x00\x00\x63", 4);
	msg_end(m);
	return times;
}

TEST(only_foreign_servers)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	f.cfg.servers[0] = room_addr("10.0.0.1");
	f.cfg.n_servers = 1;
	f.cfg.dhcp_limit = 2 * SEC;
	f.cfg.dhcp_rounds = 1;
	dhcpserver_start(f.peer, "vb", server_stranger);
	room_start(&f);
	ev = room_until(&f, ADDRESS_FAILED, 5 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_FOREIGN);
	CHECK_STR(ev.text, "no lease after 1 round of 2 s; only 10.0.0.99 answered");
	CHECK(room_printed(&f, "server 10.0.0.99 is not in rd.net.dhcp.server="));
}

/* A list of the other family's servers leaves none, rather than all, to this one. */
TEST(servers_of_the_other_family_only)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	f.cfg.servers[0] = room_addr("fe80::1");
	f.cfg.n_servers = 1;
	f.cfg.dhcp_limit = 2 * SEC;
	f.cfg.dhcp_rounds = 1;
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	room_start(&f);
	CHECK_INT(room_until(&f, ADDRESS_FAILED, 5 * SEC).cause, CAUSE_DHCP_FOREIGN);
}

TEST(two_servers_the_allowed_one_wins)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	f.cfg.servers[0] = room_addr("10.0.0.1");
	f.cfg.n_servers = 1;
	dhcpserver_start(f.peer, "vb", server_stranger);
	room_lease(&f, server_lossy, 5 * SEC);
	CHECK_INT(ntohl(room_result(&f)->server_id.v4.s_addr), 0x0a000001);
}

static int server_twice(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	return 3 * dhcpserver_plain(m, request, len, type, n);
}

TEST(every_reply_three_times)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	room_lease(&f, server_twice, 5 * SEC);
	CHECK(!room_printed(&f, "IA-E5"));
}

/* Offers, and answers no REQUEST. */
static int server_offers(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	return type == 1 ? dhcpserver_plain(m, request, len, type, n) : 0;
}

/* Acknowledges what it was not asked for. */
static int server_intrudes(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	return type == 3 ? server_stranger(m, request, len, type, n) : 0;
}

TEST(an_offer_without_acknowledgement)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	f.cfg.dhcp_limit = 12 * SEC;
	f.cfg.dhcp_rounds = 1;
	dhcpserver_start(f.peer, "vb", server_offers);
	room_start(&f);
	do
		ev = room_until(&f, ADDRESS_HINDRANCE, 5 * SEC);
	while (ev.cause != CAUSE_DHCP_NO_ACK);
	CHECK_STR(ev.text, "server 10.0.0.1 offered 10.0.0.5, but left 1 REQUEST unanswered");
	ev = room_until(&f, ADDRESS_FAILED, 15 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_NO_ACK);
	CHECK(strstr(ev.text,
		"no lease after 1 round of 12 s; server 10.0.0.1 offered 10.0.0.5, but left "));
	CHECK(room_printed(&f, "IA-E511"));
	CHECK(room_printed(&f, "but left 3 REQUESTs unanswered"));
	CHECK(!room_printed(&f, "IA-E501"));
}

TEST(another_server_acknowledges)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	f.cfg.dhcp_limit = 4 * SEC;
	f.cfg.dhcp_rounds = 1;
	dhcpserver_start(f.peer, "vb", server_offers);
	dhcpserver_start(f.peer, "vb", server_intrudes);
	room_start(&f);
	ev = room_until(&f, ADDRESS_FAILED, 8 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_NO_ACK);
	CHECK(strstr(ev.text, "; 10.0.0.99 acknowledged instead"));
}

/* Answers to a card that is not ours, as behind a switch that floods. */
static int server_misaddressed(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	int times = dhcpserver_plain(m, request, len, type, n);

	m->bytes[MSG_CHADDR + 5] ^= 1;
	msg_wrap(m);
	return times;
}

TEST(answers_for_another_card)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	dhcpserver_start(f.peer, "vb", server_misaddressed);
	room_start(&f);
	ev = next_silence(&f);
	CHECK_STR(ev.text,
		"no DHCP answer yet, 1 request sent; 1 answer for another hardware address or "
		"client");
}

/* Takes the subnet from the interface, and names the client itself as router and name server. */
static int server_hijacks(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	int times = dhcpserver_answer(m, request, type);

	(void)len;
	(void)n;
	msg_option(m, 121, "\x18\x0a\x00\x00\x0a\x00\x00\x63\x19\x0a\x00\x00\x80\x0a\x00\x00\x63"
		"\x00\x0a\x00\x00\x05\x00\x0a\x00\x00\x02", 27);
	msg_u32(m, 28, 0x0a000001);
	msg_option(m, 6, "\x0a\0\0\5\x0a\0\0\1", 8);
	msg_end(m);
	return times;
}

TEST(the_subnet_stays_with_its_interface)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	room_lease(&f, server_hijacks, 5 * SEC);
	netns_run("ip route | grep -q '^10.0.0.0/24 dev va proto kernel'");
	netns_run("ip route | grep -q '^10.0.0.128/25 via 10.0.0.99'");
	netns_run("ip route | grep -q '^default via 10.0.0.2 '");
	netns_run("ip -4 addr show va | grep -q 'brd 10.0.0.255'");
	CHECK(room_printed(&f,
		"ignoring route 10.0.0.0/24 via 10.0.0.99 in DHCP lease: it is the interface's own "
		"subnet"));
	CHECK(room_printed(&f,
		"route 10.0.0.128/25 via 10.0.0.99 in DHCP lease sends part of the interface's "
		"own subnet"));
	CHECK(room_printed(&f,
		"ignoring route 0.0.0.0/0 via 10.0.0.5 in DHCP lease: its gateway is this node"));
	CHECK(room_printed(&f, "ignoring broadcast address 10.0.0.1 in DHCP lease"));
	CHECK(room_printed(&f,
		"ignoring DNS server 10.0.0.5 in DHCP lease: it is this node's own address"));
	netns_run("[ \"$(cat %s/etc/resolv.conf)\" = \"nameserver 10.0.0.1\" ]", f.prefix);
}

/* Neither mask nor lease time. */
static int server_bare(struct msg *m, const uint8_t *request, size_t len, unsigned type, unsigned n)
{
	(void)len;
	(void)n;
	dhcpserver_begin(m, request, type == 1 ? 2 : 5, 0x0a000005);
	msg_u32(m, 54, 0x0a000001);
	msg_end(m);
	return type == 1 || type == 3;
}

TEST(made_up_values_are_told)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	room_lease(&f, server_bare, 5 * SEC);
	CHECK(room_printed(&f,
		"no subnet mask (option 1) in DHCP lease: using that of the address's class, /8"));
	CHECK(room_printed(&f, "no lease time (option 51) in DHCP lease: taking 3600 s"));
}

/* A relay's reply: its address in giaddr, the relay as IP source, hops counted. */
static int server_relay(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
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
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	room_lease(&f, server_relay, 5 * SEC);
}

static int server_short_lease(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
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
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	f.cfg.dhcp_limit = 2 * SEC;
	f.cfg.dhcp_rounds = 2;
	room_lease(&f, server_short_lease, 3 * SEC);
	CHECK(room_printed(&f, "DHCP lease of 4 s only"));
	ev = room_until(&f, ADDRESS_LOST, 6 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_EXPIRED);
	netns_run("test -z \"$(ip -4 addr show va | grep inet)\"");
	netns_run("! test -e %s/run/initagent/lease.%d", f.prefix, f.cfg.ifindex);
	CHECK(!addresses_result(f.addresses, f.cfg.ifindex));
	/* from then on the limits count as at the begin */
	ev = room_until(&f, ADDRESS_FAILED, 6 * SEC);
	CHECK_STR(ev.text, "no lease after 2 rounds of 2 s");
}

TEST(not_under_a_mounted_root)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	f.cfg.dhcp_limit = SEC;
	f.cfg.dhcp_rounds = 1;
	room_lease(&f, server_short_lease, 3 * SEC);
	addresses_keep(f.addresses);
	room_until(&f, ADDRESS_LOST, 6 * SEC);
	netns_run("ip -4 addr show va | grep -q 10.0.0.5/24");
	CHECK_INT(room_next(&f, 5 * SEC).type, ADDRESS_HINDRANCE);
	CHECK_INT(room_next(&f, 5 * SEC).type, ADDRESS_HINDRANCE);
}

static int server_renewing(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
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
	_cleanup_(room_end) struct room_fixture f;
	uint64_t first;

	room_begin(&f);
	room_lease(&f, server_renewing, 3 * SEC);
	first = room_result(&f)->expires;
	room_until(&f, ADDRESS_RENEWED, 5 * SEC);
	CHECK(room_result(&f)->expires >= first + 2 * SEC);
	netns_run("grep -q '^expires=%llu$' %s/run/initagent/lease.%d",
		(unsigned long long)room_result(&f)->expires, f.prefix, f.cfg.ifindex);
}

/* Refuses to renew, as after its leases file was lost, and gives the next client a new lease. */
static int server_forgets(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	if (type != 3 || !msg_be32(request + MSG_HEADERS + 12))
		return server_renewing(m, request, len, type, n);
	dhcpserver_begin(m, request, 6, 0);
	msg_u32(m, 54, 0x0a000001);
	msg_end(m);
	return 1;
}

TEST(refused_at_renewal)
{
	_cleanup_(room_end) struct room_fixture f;
	uint64_t lost;

	room_begin(&f);
	room_lease(&f, server_forgets, 3 * SEC);
	CHECK_INT(room_until(&f, ADDRESS_LOST, 5 * SEC).cause, CAUSE_DHCP_NAK);
	lost = room_clock(&f);
	room_until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	CHECK(room_clock(&f) - lost < 2 * SEC);
}

/* --- links --------------------------------------------------------------------------------- */

/* Their clock runs; this only ends a case that hangs. */
/* The first lease has a route too many. */
static int server_corrected(struct msg *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	static unsigned acks;

	(void)len;
	(void)n;
	if (!dhcpserver_answer(m, request, type))
		return 0;
	memcpy(m->bytes + MSG_OPTIONS + 3 + 6 + 2, "\0\0\0\6", 4);
	acks += type == 3;
	if (acks < 2)
		msg_option(m, 121, "\x10\xac\x10\x0a\0\0\3", 7);
	msg_end(m);
	return 1;
}

TEST(a_route_that_is_not_leased_any_more)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	room_lease(&f, server_corrected, 3 * SEC);
	netns_run("ip route | grep -q '^172.16.0.0/16 via 10.0.0.3 dev va'");
	room_until(&f, ADDRESS_CONFIGURED, 5 * SEC);
	netns_run("! ip route | grep -q 172.16.0.0");
	netns_run("ip route | grep -q '^default via 10.0.0.1 dev va'");
}

#define GUARD (60 * SEC)

TEST(link_flap_in_mid_dhcp)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	f.real = true;
	room_start(&f);
	room_until(&f, ADDRESS_HINDRANCE, GUARD);
	netns_run_in(f.peer, "ip link set vb down");
	do
		ev = room_until(&f, ADDRESS_HINDRANCE, GUARD);
	while (ev.cause != CAUSE_NETDEV_NO_CARRIER);
	CHECK(addresses_deadline(f.addresses) == NSEC_NEVER); /* quiet without carrier */
	dhcpserver_start(f.peer, "vb", dhcpserver_plain);
	netns_run_in(f.peer, "ip link set vb up");
	room_until(&f, ADDRESS_CONFIGURED, GUARD);
}

TEST(link_flap_with_a_lease)
{
	_cleanup_(room_end) struct room_fixture f;

	room_begin(&f);
	f.real = true;
	room_lease(&f, dhcpserver_plain, GUARD);
	netns_run_in(f.peer, "ip link set vb down");
	CHECK_INT(room_until(&f, ADDRESS_LOST, GUARD).cause, CAUSE_NETDEV_NO_CARRIER);
	netns_run("ip -4 addr show va | grep -q 10.0.0.5/24"); /* kept meanwhile */
	netns_run_in(f.peer, "ip link set vb up");
	room_until(&f, ADDRESS_CONFIGURED, GUARD);
	netns_run("ip -4 addr show va | grep -q 10.0.0.5/24");
}

TEST(flap_and_no_server_any_more)
{
	_cleanup_(room_end) struct room_fixture f;
	pid_t server;

	room_begin(&f);
	f.real = true;
	server = room_lease(&f, dhcpserver_plain, GUARD);
	kill(server, SIGKILL);
	netns_run_in(f.peer, "ip link set vb down");
	room_until(&f, ADDRESS_LOST, GUARD);
	netns_run_in(f.peer, "ip link set vb up");
	room_until(&f, ADDRESS_CONFIGURED, GUARD); /* the lease is valid all the same */
}

TEST(the_interface_vanishes)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	room_begin(&f);
	f.real = true;
	room_lease(&f, dhcpserver_plain, GUARD);
	netns_run("ip link del va");
	ev = room_until(&f, ADDRESS_LOST, GUARD);
	CHECK(ev.cause == CAUSE_NETDEV_MISSING || ev.cause == CAUSE_NETDEV_NO_CARRIER);
	f.cfg.ifindex = 9999;
	CHECK_INT(addresses_add(f.addresses, &f.cfg, room_clock(&f)), -ENODEV);
}
