// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Routers that withdraw, contradict each other, say what is wrong or are no routers at all,
 * against the whole room.
 */
#include "addressroom.h"

#include <signal.h>
#include <sys/wait.h>

#include "dhcp6server.h"
#include "dnsserver.h"
#include "radvert.h"
#include "resolver/resolver.h"

#define GUARD	(60 * SEC) /* ends what hangs */
#define ROUTER	"fe80::a1"
#define OTHER	"fe80::b2" /* any host of the segment */
#define ADDRESS "2001:db8:7::ff:fe00:5"

/* The room's prefix has no /proc: the kernel's switches are set here. */
static void prepare(struct room_fixture *f, const char *switches)
{
	room_begin(f);
	netns_run("ip link set va down address 02:00:00:00:00:05; cd /proc/sys/net/ipv6/conf/va; "
		  "echo 0 >router_solicitation_delay; %s; ip link set va up", switches);
	netns_run_in(f->peer,
		"for a in " ROUTER " " OTHER "; do ip addr add $a/64 dev vb nodad; done");
	f->cfg.method = ADDRESS_AUTO6;
	f->real = true;
	CHECK_INT(links_dispatch(f->links, room_clock(f)), 0); /* the new hardware address */
}

/* va waits for an automatic address. */
static void begin(struct room_fixture *f)
{
	prepare(f, "echo 0 >accept_dad");
	room_start(f);
}

/* Runs the room until the shell command succeeds, and once more; an event of this type ends the
 * case. */
static void run_until(struct room_fixture *f, enum address_event_type never, const char *command)
{
	uint64_t stop = now_ns() + GUARD;
	char text[512];
	bool done;

	snprintf(text, sizeof(text), command, f->prefix);
	do {
		struct address_event ev;

		done = system(text) == 0;
		if (!done && now_ns() > stop)
			check_fail(__FILE__, __LINE__, "not in time: %s", text);
		CHECK_INT(links_dispatch(f->links, room_clock(f)), 0);
		addresses_dispatch(f->addresses, room_clock(f));
		while (addresses_pop_event(f->addresses, &ev))
			if (ev.type == never)
				check_fail(__FILE__, __LINE__, "event %d: %s", ev.type, ev.text);
		if (!done)
			usleep(20000);
	} while (!done);
}

/* Sends what a plain router does: a prefix, and maybe more that was added to m before. */
static void configure(struct room_fixture *f, struct radvert *m)
{
	char addr[INET_ADDR_TEXT];

	radvert_prefix(m, "2001:db8:7::", 3600, 1800);
	run_until(f, ADDRESS_FAILED, "ip -6 addr show va | grep -q fe80");
	radvert_send(f->peer, "vb", m, 1);
	room_until(f, ADDRESS_CONFIGURED, GUARD);
	CHECK_STR(inet_text(&room_result(f)->addr, addr), ADDRESS);
}

/* The file, with blanks for line ends. */
static void expect_conf(struct room_fixture *f, const char *want)
{
	char command[512];

	snprintf(command, sizeof(command),
		"[ \"$(cat %%s/etc/resolv.conf 2>/dev/null | tr '\\n' ' ')\" = '%s' ]", want);
	run_until(f, ADDRESS_LOST, command);
}

#define NO_FILE "! test -e %s/etc/resolv.conf"

/* --- addresses ----------------------------------------------------------------------------- */

TEST(a_router_without_a_prefix)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;
	struct radvert m;

	begin(&f);
	run_until(&f, ADDRESS_CONFIGURED, "ip -6 addr show va | grep -q fe80");
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_send(f.peer, "vb", &m, 1);
	do
		ev = room_until(&f, ADDRESS_HINDRANCE, GUARD);
	while (ev.cause == CAUSE_RA_NONE);
	CHECK_INT(ev.cause, CAUSE_RA_NO_PREFIX);
}

TEST(a_deprecated_address_is_kept)
{
	_cleanup_(room_end) struct room_fixture f;
	char addr[INET_ADDR_TEXT];
	struct radvert m;

	prepare(&f, "echo 0 >accept_dad");
	f.cfg.auto_limit = 300 * SEC;
	room_start(&f);
	radvert_begin(&m, ROUTER, 0, 1800);
	configure(&f, &m);
	radvert_begin(&m, OTHER, 0, 0);
	radvert_prefix(&m, "2001:db8:7::", 3600, 0);
	radvert_send(f.peer, "vb", &m, 1);
	run_until(&f, ADDRESS_LOST, "ip -6 addr show va | grep -q deprecated");
	radvert_begin(&m, OTHER, 0, 0);
	radvert_servers(&m, 1200, "2001:db8:a::1");
	radvert_send(f.peer, "vb", &m, 1);
	expect_conf(&f, "nameserver 2001:db8:a::1 "); /* whatever came before has been looked at */
	CHECK_STR(inet_text(&room_result(&f)->addr, addr), ADDRESS);
	CHECK(room_printed(&f, "deprecated " ADDRESS));
	/* Again and again: told once a minute. */
	for (int n = 0; n < 3; n++) {
		radvert_begin(&m, OTHER, 0, 0);
		radvert_prefix(&m, "2001:db8:7::", 3600, n % 2 ? 0 : 1800);
		radvert_send(f.peer, "vb", &m, 1);
		run_until(&f, ADDRESS_LOST, n % 2 ? "ip -6 addr show va | grep -q deprecated"
						  : "ip -6 addr show va | grep 2001:db8:7: | grep "
						  	"-vq deprecated");
	}
	radvert_begin(&m, OTHER, 0, 0);
	radvert_prefix(&m, "2001:db8:7::", 3600, 0);
	radvert_servers(&m, 1200, "2001:db8:a::2");
	radvert_send(f.peer, "vb", &m, 1);
	expect_conf(&f, "nameserver 2001:db8:a::1 nameserver 2001:db8:a::2 ");
	room_printed(&f, "");
	CHECK(!strstr(strstr(f.text, "deprecated " ADDRESS) + 1, "deprecated " ADDRESS));
	/* A new prefix is preferred to it. */
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_prefix(&m, "2001:db8:8::", 3600, 1800);
	radvert_send(f.peer, "vb", &m, 1);
	room_until(&f, ADDRESS_CONFIGURED, GUARD);
	CHECK_STR(inet_text(&room_result(&f)->addr, addr), "2001:db8:8::ff:fe00:5");
	/* Gone is gone. */
	netns_run("ip -6 addr flush dev va scope global");
	CHECK_INT(room_until(&f, ADDRESS_LOST, GUARD).cause, CAUSE_ADDRESS_VANISHED);
	f.skew += 300 * SEC;
	run_until(&f, ADDRESS_CONFIGURED, "true");
	CHECK(room_printed(&f, "no automatic address after 30"));
}

TEST(a_prefix_deprecated_from_the_start)
{
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;

	begin(&f);
	run_until(&f, ADDRESS_FAILED, "ip -6 addr show va | grep -q fe80");
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_prefix(&m, "2001:db8:7::", 3600, 0);
	radvert_send(f.peer, "vb", &m, 1);
	room_until(&f, ADDRESS_CONFIGURED, GUARD);
}

TEST(a_second_prefix_changes_nothing)
{
	_cleanup_(room_end) struct room_fixture f;
	char addr[INET_ADDR_TEXT];
	struct radvert m;

	begin(&f);
	radvert_begin(&m, ROUTER, 0, 1800);
	configure(&f, &m);
	radvert_begin(&m, OTHER, 0, 0);
	radvert_prefix(&m, "2001:db8:8::", 3600, 1800);
	radvert_servers(&m, 1200, "2001:db8:a::1");
	radvert_send(f.peer, "vb", &m, 1);
	run_until(&f, ADDRESS_CONFIGURED, "ip -6 addr show va | grep -q 2001:db8:8:");
	run_until(&f, ADDRESS_CONFIGURED, "test -e %s/etc/resolv.conf");
	CHECK_STR(inet_text(&room_result(&f)->addr, addr), ADDRESS);
}

TEST(a_duplicate_automatic_address)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;
	struct radvert m;

	begin(&f);
	netns_run_in(f.peer, "ip addr add " ADDRESS "/64 dev vb nodad");
	run_until(&f, ADDRESS_FAILED, "ip -6 addr show va | grep -q fe80");
	netns_run("echo 1 >/proc/sys/net/ipv6/conf/va/accept_dad");
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_prefix(&m, "2001:db8:7::", 3600, 1800);
	radvert_send(f.peer, "vb", &m, 1);
	do
		ev = room_next(&f, GUARD);
	while (ev.cause != CAUSE_ADDRESS_DUPLICATE || !strstr(ev.text, "in use"));
	CHECK_STR(ev.text, ADDRESS " is in use by another host");
	/* The other host goes, the router comes again: the address is there after the rest. */
	netns_run_in(f.peer, "ip addr del " ADDRESS "/64 dev vb");
	radvert_send(f.peer, "vb", &m, 1);
	f.skew += 10 * SEC;
	room_until(&f, ADDRESS_CONFIGURED, GUARD);
}

/* The limit for an automatic address passes while nothing is asked for. */
TEST(a_limit_that_passes_during_the_rest)
{
	_cleanup_(room_end) struct room_fixture f;
	uint64_t end;
	struct radvert m;

	prepare(&f, "echo 0 >accept_dad");
	f.cfg.auto_limit = 300 * SEC;
	end = room_clock(&f) + 301 * SEC;
	room_start(&f);
	netns_run_in(f.peer, "ip addr add " ADDRESS "/64 dev vb nodad");
	run_until(&f, ADDRESS_FAILED, "ip -6 addr show va | grep -q fe80");
	netns_run("echo 1 >/proc/sys/net/ipv6/conf/va/accept_dad");
	f.skew += end - 8 * SEC - room_clock(&f);
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_prefix(&m, "2001:db8:7::", 3600, 1800);
	radvert_send(f.peer, "vb", &m, 1);
	while (!strstr(room_until(&f, ADDRESS_HINDRANCE, GUARD).text, "in use"))
		continue;
	CHECK(room_clock(&f) < end - SEC); /* the machine was fast enough */
	f.skew += end - room_clock(&f);
	run_until(&f, ADDRESS_CONFIGURED, "true");
	CHECK(addresses_deadline(f.addresses) > room_clock(&f));
}

/* A switch port that forwards nothing for its first half minute, and with it no solicitation. */
TEST(either6_takes_an_address_that_comes_late)
{
	_cleanup_(room_end) struct room_fixture f;
	char addr[INET_ADDR_TEXT];
	struct radvert m;

	prepare(&f, "echo 0 >accept_dad");
	f.cfg.method = ADDRESS_EITHER6;
	f.cfg.auto_limit = SEC;
	room_start(&f);
	while (room_until(&f, ADDRESS_HINDRANCE, GUARD).cause != CAUSE_DHCP_NO_OFFER)
		continue;
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_prefix(&m, "2001:db8:7::", 3600, 1800);
	radvert_send(f.peer, "vb", &m, 1);
	room_until(&f, ADDRESS_CONFIGURED, GUARD);
	CHECK_STR(inet_text(&room_result(&f)->addr, addr), ADDRESS);
	CHECK_INT(room_result(&f)->method, ADDRESS_AUTO6);
}

TEST(an_address_that_is_being_checked_at_the_limit)
{
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;

	prepare(&f, "echo 0 >accept_dad");
	f.cfg.auto_limit = 300 * SEC;
	room_start(&f);
	run_until(&f, ADDRESS_FAILED, "ip -6 addr show va | grep -q fe80");
	netns_run("cd /proc/sys/net/ipv6/conf/va; echo 1 >accept_dad; echo 3 >dad_transmits");
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_prefix(&m, "2001:db8:7::", 3600, 1800);
	radvert_send(f.peer, "vb", &m, 1);
	run_until(&f, ADDRESS_CONFIGURED, "ip -6 addr show va | grep -q 2001:db8:7:");
	f.skew += 300 * SEC;
	room_until(&f, ADDRESS_CONFIGURED, GUARD);
	CHECK(!room_printed(&f, "no automatic address"));
}

/* IPv6 is off below an MTU of 1,280, which DHCP may set: no router is to blame. */
TEST(without_a_link_local_address_it_is_no_routers_fault)
{
	_cleanup_(room_end) struct room_fixture f;

	prepare(&f, "ip link set va mtu 1200");
	f.cfg.auto_limit = SEC;
	room_start(&f);
	f.skew += 2 * SEC;
	run_until(&f, ADDRESS_CONFIGURED, "true");
	CHECK(room_printed(&f, "no automatic address after "));
	CHECK(!room_printed(&f, "router"));
}

#define PREFERENCE_HIGH 0x08 /* RFC 4191 section 2.2 */
#define PREFERENCE_LOW	0x18

TEST(the_gateway_is_the_preferred_router)
{
	_cleanup_(room_end) struct room_fixture f;
	char gateway[INET_ADDR_TEXT];
	struct radvert m;

	begin(&f);
	radvert_begin(&m, ROUTER, PREFERENCE_LOW, 1800);
	configure(&f, &m);
	radvert_begin(&m, OTHER, 0, 1800);
	radvert_servers(&m, 1200, "2001:db8:a::1");
	radvert_send(f.peer, "vb", &m, 1);
	expect_conf(&f, "nameserver 2001:db8:a::1 ");
	CHECK_STR(inet_text(&room_result(&f)->gateway, gateway), OTHER);
	radvert_begin(&m, ROUTER, PREFERENCE_HIGH, 1800);
	radvert_servers(&m, 1200, "2001:db8:a::2");
	radvert_send(f.peer, "vb", &m, 1);
	expect_conf(&f, "nameserver 2001:db8:a::1 nameserver 2001:db8:a::2 ");
	CHECK_STR(inet_text(&room_result(&f)->gateway, gateway), ROUTER);
}

/* The kernel's own solicitation comes when the link-local address is checked, here after ten
 * seconds. */
TEST(routers_are_asked_while_the_link_local_address_is_checked)
{
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;

	prepare(&f, "echo 10 >dad_transmits; echo 1 >optimistic_dad; echo 1 >use_optimistic");
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_prefix(&m, "2001:db8:7::", 3600, 1800);
	/* The kernel makes optimistic addresses only when it knows the router's link-layer
	 * address. */
	radvert_option(&m, "\1\1\2\0\0\0\0\xa1", 8);
	radvert_serve(f.peer, "vb", &m);
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, GUARD);
	netns_run("ip -6 addr show va scope link | grep -q optimistic");
}

/* --- name servers -------------------------------------------------------------------------- */

TEST(each_option_and_each_router_has_its_own_servers)
{
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;

	begin(&f);
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_servers(&m, 1200, "2001:db8:a::1");
	radvert_servers(&m, 0, "2001:db8:a::9");
	radvert_servers(&m, UINT32_MAX, "2001:db8:a::2");
	radvert_domains(&m, 1200, "hpc.example");
	radvert_domains(&m, 1200, "lab.example boot.example");
	configure(&f, &m);
	expect_conf(&f,
		"search hpc.example lab.example boot.example nameserver 2001:db8:a::1 nameserver "
		"2001:db8:a::2 ");
	/* Another router adds its own; what it withdraws is not ours to lose. */
	radvert_begin(&m, OTHER, 0, 0);
	radvert_servers(&m, 0, "2001:db8:a::1 2001:db8:a::2");
	radvert_domains(&m, 0, "hpc.example");
	radvert_servers(&m, 1200, "2001:db8:b::1");
	radvert_send(f.peer, "vb", &m, 1);
	expect_conf(&f,
		"search hpc.example lab.example boot.example nameserver 2001:db8:a::1 nameserver "
		"2001:db8:a::2 "
		"nameserver 2001:db8:b::1 ");
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_servers(&m, 0, "2001:db8:a::1");
	radvert_domains(&m, 0, "lab.example hpc.example");
	radvert_send(f.peer, "vb", &m, 1);
	expect_conf(&f, "search boot.example nameserver 2001:db8:a::2 nameserver 2001:db8:b::1 ");
}

TEST(the_last_server_is_withdrawn)
{
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;

	begin(&f);
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_servers(&m, 1200, "2001:db8:a::1");
	configure(&f, &m);
	expect_conf(&f, "nameserver 2001:db8:a::1 ");
	CHECK_INT(resolver_ask(addresses_resolver(f.addresses), 0,
			"nfs.example", 6 * SEC, room_clock(&f)), 0);
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_servers(&m, 0, "2001:db8:a::1");
	radvert_send(f.peer, "vb", &m, 1);
	run_until(&f, ADDRESS_LOST, NO_FILE);
	CHECK_STR(room_until(&f, ADDRESS_RESOLVED, GUARD).text,
		"no DNS server is known to resolve nfs.example");
}

TEST(a_server_expires)
{
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;

	begin(&f);
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_servers(&m, 3000, "2001:db8:a::1");
	configure(&f, &m);
	expect_conf(&f, "nameserver 2001:db8:a::1 ");
	CHECK(addresses_deadline(f.addresses) <= room_clock(&f) + 3000 * SEC);
	f.skew += 3000 * SEC;
	run_until(&f, ADDRESS_LOST, NO_FILE);
}

TEST(addresses_that_are_no_server)
{
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;

	begin(&f);
	radvert_begin(&m, ROUTER, 0, 1800);
	/* half an address, then none at all */
	radvert_option(&m,
		"\x19\4\0\0\0\0\4\xb0\x20\1\xd\xb8\0\xd\0\0\0\0\0\0\0\0\0\1\x20\1\xd\xb8\0\xd\0\0",
		32);
	radvert_option(&m, "\x19\1\0\0\0\0\4\xb0", 8);
	radvert_servers(&m, 1200,
		":: ff02::1 ff05::101 ::1 ::ffff:10.0.0.1 ::10.0.0.1 2001:db8:a::1");
	configure(&f, &m);
	expect_conf(&f, "nameserver 2001:db8:a::1 ");
	CHECK(room_printed(&f, "with malformed DNS options"));
}

static void answer(struct dnsserver_reply *m, const struct dnsserver_query *q)
{
	dnsserver_begin(m, q, q->tcp ? DNSSERVER_PLAIN : DNSSERVER_TRUNCATED);
	if (q->tcp)
		dnsserver_address(m, q, q->name, "2001:db8::42");
}

/* Home and campus routers name themselves: the zone goes with the address, to the file and to the
 * agent's own sockets. */
TEST(a_link_local_server)
{
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;

	begin(&f);
	dnsserver_start(f.peer, ROUTER "%vb", answer);
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_servers(&m, 1200, ROUTER);
	configure(&f, &m);
	expect_conf(&f, "nameserver " ROUTER "%va ");
	CHECK_INT(resolver_ask(addresses_resolver(f.addresses), 0,
			"nfs.example", GUARD, room_clock(&f)), 0);
	CHECK_INT(room_until(&f, ADDRESS_RESOLVED, GUARD).n_addrs, 1);
	/* udev renames interfaces that are in use, too. */
	netns_run("ip link set va name vz");
	CHECK_INT(links_dispatch(f.links, room_clock(&f)), 0);
	addresses_link(f.addresses, f.cfg.ifindex, room_clock(&f));
	expect_conf(&f, "nameserver " ROUTER "%vz ");
}

#define LEASED "2001:db8:7::77"

static int lease_without_dns(struct msg6 *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)type;
	(void)n;
	dhcp6server_lease(m, request, len, LEASED, 3600);
	return 1;
}

/* Beside a leased address the router's word counts as well, also after the lease. */
TEST(servers_of_the_router_beside_a_lease)
{
	_cleanup_(room_end) struct room_fixture f;
	char addr[INET_ADDR_TEXT];
	struct radvert m;
	pid_t server;

	prepare(&f, "echo 0 >accept_dad");
	server = dhcp6server_start(f.peer, "vb", lease_without_dns);
	kill(server, SIGSTOP); /* the router is to be first */
	f.cfg.method = ADDRESS_DHCP6;
	room_start(&f);
	run_until(&f, ADDRESS_FAILED, "ip -6 addr show va | grep -q fe80");
	radvert_begin(&m, ROUTER, 0x80, 1800);
	radvert_servers(&m, 1200, "2001:db8:a::1");
	radvert_domains(&m, 1200, "hpc.example");
	radvert_send(f.peer, "vb", &m, 1);
	run_until(&f, ADDRESS_FAILED, "ip -6 route show default | grep -q via");
	kill(server, SIGCONT);
	room_until(&f, ADDRESS_CONFIGURED, GUARD);
	CHECK_STR(inet_text(&room_result(&f)->addr, addr), LEASED);
	expect_conf(&f, "search hpc.example nameserver 2001:db8:a::1 ");
	radvert_begin(&m, ROUTER, 0x80, 1800);
	radvert_servers(&m, 0, "2001:db8:a::1");
	radvert_servers(&m, 1200, "2001:db8:a::2");
	radvert_send(f.peer, "vb", &m, 1);
	expect_conf(&f, "search hpc.example nameserver 2001:db8:a::2 ");
	CHECK_INT(room_result(&f)->lease_s, 3600);
	/* What is kept for a restarted agent is the lease alone: what the router said would never
	 * end. */
	room_restart(&f);
	room_until(&f, ADDRESS_CONFIGURED, GUARD);
	CHECK(room_result(&f)->adopted);
	CHECK_INT(room_result(&f)->n_dns, 0);
	CHECK_STR(room_result(&f)->search, "");
}

/* A broken option at line rate is told once. */
TEST(a_flood_of_malformed_options)
{
	_cleanup_(room_end) struct room_fixture f;
	unsigned told = 0;
	struct radvert m;

	begin(&f);
	radvert_begin(&m, ROUTER, 0, 1800);
	configure(&f, &m);
	radvert_begin(&m, OTHER, 0, 0);
	radvert_option(&m, "\x1f\2\0\0\0\0\4\xb0\x3f" "abcdefg", 16);
	radvert_send(f.peer, "vb", &m, 20); /* the parser process has room for them */
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_servers(&m, 1200, "2001:db8:a::1");
	radvert_send(f.peer, "vb", &m, 1);
	expect_conf(&f, "nameserver 2001:db8:a::1 ");
	CHECK(room_printed(&f, "malformed"));
	for (const char *at = f.text; (at = strstr(at, "malformed")); at++)
		told++;
	CHECK_INT(told, 1);
}

/* --- carrier ------------------------------------------------------------------------------- */

/* The far end takes its link-local addresses off with its carrier. */
static void flap(struct room_fixture *f, const struct radvert *m)
{
	netns_run_in(f->peer, "ip link set vb down");
	room_carrier(f, false);
	room_until(f, ADDRESS_LOST, GUARD);
	netns_run_in(f->peer, "ip link set vb up; for a in " ROUTER " " OTHER
		"; do ip addr add $a/64 dev vb nodad; done");
	radvert_serve(f->peer, "vb", m);
	room_carrier(f, true);
}

/* The kernel asks routers once, with the first carrier. */
TEST(routers_are_asked_again_after_a_loss_of_carrier)
{
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;

	begin(&f);
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_servers(&m, 1200, "2001:db8:a::1");
	configure(&f, &m);
	expect_conf(&f, "nameserver 2001:db8:a::1 ");
	radvert_begin(&m, ROUTER, 0, 1800);
	radvert_servers(&m, 1200, "2001:db8:a::2");
	flap(&f, &m);
	expect_conf(&f, "nameserver 2001:db8:a::2 ");
}

static int informs(struct msg6 *m, const uint8_t *request, size_t len, uint8_t last)
{
	const uint8_t dns[16] = {0x20, 1, 0xd, 0xb8, 0, 0xa, [15] = last};

	dhcp6server_begin(m, request, len);
	msg6_option(m, 23, dns, sizeof(dns));
	return request[0] == 11;
}

static int informs_of_one(struct msg6 *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)type;
	(void)n;
	return informs(m, request, len, 1);
}

static int informs_of_two(struct msg6 *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)type;
	(void)n;
	return informs(m, request, len, 2);
}

TEST(dhcp6_is_asked_again_for_the_rest_after_a_loss_of_carrier)
{
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;
	pid_t server;

	begin(&f);
	server = dhcp6server_start(f.peer, "vb", informs_of_one);
	radvert_begin(&m, ROUTER, 0x40, 1800);
	configure(&f, &m);
	expect_conf(&f, "nameserver 2001:db8:a::1 ");
	kill(server, SIGKILL);
	CHECK_INT(waitpid(server, NULL, 0), server);
	flap(&f, &m);
	dhcp6server_start(f.peer, "vb", informs_of_two);
	expect_conf(&f, "nameserver 2001:db8:a::2 ");
}
