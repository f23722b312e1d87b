// SPDX-License-Identifier: GPL-2.0-or-later
/* DHCPv6 in the whole room, against servers that refuse, forget, fall silent or say too much. */
#include "addressroom.h"
#include "dhcp6server.h"
#include "radvert.h"

#define ADDRESS "2001:db8::77"

/* va asks for an address by DHCPv6. The room's prefix has no /proc: the kernel's switches are set
 * here. */
static void begin(struct room_fixture *f, dhcp6server_fn fn)
{
	room_begin(f);
	netns_run("ip link set va down; echo 0 >/proc/sys/net/ipv6/conf/va/accept_dad; ip link set "
		"va up");
	/* Its only one, so that answers come from there. */
	netns_run_in(f->peer, "ip -6 addr flush dev vb; ip addr add fe80::1/64 dev vb nodad");
	if (fn)
		dhcp6server_start(f->peer, "vb", fn);
	f->cfg.method = ADDRESS_DHCP6;
	room_start(f);
}

static struct address_event until_cause(struct room_fixture *f, enum cause cause)
{
	struct address_event ev;

	do
		ev = room_until(f, ADDRESS_HINDRANCE, 40 * SEC);
	while (ev.cause != cause);
	return ev;
}

static bool is_set(void)
{
	return system("ip -6 addr show va | grep -q " ADDRESS) == 0;
}

static int server_offers(struct msg6 *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)n;
	dhcp6server_lease(m, request, len, ADDRESS, 3600);
	return type == 1;
}

TEST(an_offer_without_a_reply)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, server_offers);
	CHECK_STR(until_cause(&f, CAUSE_DHCP_NO_ACK).text,
		"server 00020001 (fe80::1) offered " ADDRESS ", but left 1 REQUEST unanswered");
	while (!room_printed(&f, "IA-E511"))
		room_next(&f, 40 * SEC);
	CHECK(room_printed(&f, "but left 5 REQUESTs unanswered"));
	CHECK(!room_printed(&f, "IA-E501"));
}

static int server_template(struct msg6 *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)n;
	dhcp6server_lease(m, request, len, "::1", 3600);
	return type == 1;
}

TEST(an_address_that_no_host_can_have)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, server_template);
	CHECK_STR(until_cause(&f, CAUSE_DHCP_BAD_REPLY).text,
		"DHCPv6 answer: it offers ::1, which no host can have, from fe80::1");
	CHECK(!room_printed(&f, "IA-E524"));
}

/* Parameters of boot files, and what vendors add: more than a packet of the link holds. */
static int server_verbose(struct msg6 *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	static const uint8_t vendor[1000];

	(void)n;
	dhcp6server_lease(m, request, len, ADDRESS, 3600);
	m->len = m->len < 400 ? m->len : 400;
	msg6_option(m, 17, vendor, sizeof(vendor));
	msg6_option(m, 60, vendor, 600);
	return type == 1 || type == 3;
}

TEST(an_answer_in_fragments)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, server_verbose);
	room_until(&f, ADDRESS_CONFIGURED, 10 * SEC);
	CHECK(is_set());
}

/* T1 comes at once, and then the server knows nothing any more, until it is asked for a new
 * lease. */
static int server_forgets(struct msg6 *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	static bool renewed;

	(void)n;
	dhcp6server_lease(m, request, len, ADDRESS, 12);
	if (type == 5 && !renewed) {
		renewed = true;
		dhcp6server_begin(m, request, len);
		msg6_option(m, 13, "\0\3", 2);
	}
	return type == 1 || type == 3 || type == 5;
}

TEST(a_forgotten_lease_costs_no_address)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	begin(&f, server_forgets);
	room_until(&f, ADDRESS_CONFIGURED, 10 * SEC);
	CHECK(room_printed(&f, "DHCPv6 lease of 12 s only"));
	do {
		ev = room_next(&f, 20 * SEC);
		CHECK(ev.type != ADDRESS_LOST && is_set());
	} while (ev.type != ADDRESS_RENEWED);
	CHECK(room_printed(&f, "no binding"));
}

static int server_takes_back(struct msg6 *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)n;
	dhcp6server_lease(m, request, len, ADDRESS, type == 5 ? 0 : 12);
	return type == 1 || type == 3 || type == 5;
}

TEST(an_address_taken_back)
{
	_cleanup_(room_end) struct room_fixture f;
	struct address_event ev;

	begin(&f, server_takes_back);
	room_until(&f, ADDRESS_CONFIGURED, 10 * SEC);
	ev = room_until(&f, ADDRESS_LOST, 20 * SEC);
	CHECK_INT(ev.cause, CAUSE_DHCP_EXPIRED);
	CHECK_STR(ev.text, "the DHCPv6 server has withdrawn " ADDRESS " (valid lifetime 0)");
}

static int server_renumbers(struct msg6 *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)n;
	dhcp6server_lease(m, request, len, type == 5 ? "2001:db8::78" : ADDRESS, 12);
	return type == 1 || type == 3 || type == 5;
}

/* The root is mounted over the address that was leased first. */
TEST(another_address_takes_none_from_the_root)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, server_renumbers);
	room_until(&f, ADDRESS_CONFIGURED, 10 * SEC);
	addresses_keep(f.addresses);
	room_until(&f, ADDRESS_CONFIGURED, 20 * SEC);
	CHECK(room_result(&f)->addr.bytes[15] == 0x78);
	CHECK(is_set());
}

static int server_five_seconds(struct msg6 *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	static bool given;
	bool answers = !given && (type == 1 || type == 3);

	(void)n;
	given |= type == 3;
	dhcp6server_lease(m, request, len, ADDRESS, 5);
	return answers;
}

TEST(an_address_is_not_used_beyond_its_lease)
{
	_cleanup_(room_end) struct room_fixture f;
	uint64_t began;

	begin(&f, NULL);
	addresses_remove(f.addresses, f.cfg.ifindex, true, room_clock(&f));
	f.cfg.dhcp_limit = 10 * SEC;
	f.cfg.dhcp_rounds = 1;
	dhcp6server_start(f.peer, "vb", server_five_seconds);
	room_start(&f);
	room_until(&f, ADDRESS_CONFIGURED, 10 * SEC);
	began = room_clock(&f);
	CHECK_INT(room_until(&f, ADDRESS_LOST, 10 * SEC).cause, CAUSE_DHCP_EXPIRED);
	CHECK(room_clock(&f) - began < 7 * SEC);
	CHECK(!is_set());
	CHECK_STR(room_until(&f, ADDRESS_FAILED, 20 * SEC).text, "no DHCPv6 lease after 10 s");
}

static int server_hour(struct msg6 *m, const uint8_t *request, size_t len, unsigned type,
	unsigned n)
{
	(void)n;
	dhcp6server_lease(m, request, len, ADDRESS, 3600);
	return type == 1 || type == 3;
}

/* The address alone does not say that its gateway is on the link. */
TEST(a_route_without_interface_waits_for_the_routers_prefix)
{
	const struct plan_route route = {.net = room_addr("2001:db8:9::"), .prefix = 48,
		.gateway = room_addr("2001:db8::1")};
	_cleanup_(room_end) struct room_fixture f;
	struct radvert m;

	begin(&f, NULL);
	addresses_remove(f.addresses, f.cfg.ifindex, true, room_clock(&f));
	f.cfg.routes = &route;
	f.cfg.n_routes = 1;
	f.real = true;
	dhcp6server_start(f.peer, "vb", server_hour);
	room_start(&f);
	until_cause(&f, CAUSE_RA_NONE);
	CHECK(is_set());
	radvert_begin(&m, "fe80::1", 0x80, 1800);
	radvert_prefix(&m, "2001:db8::", 3600, 1800);
	radvert_send(f.peer, "vb", &m, 1);
	room_until(&f, ADDRESS_CONFIGURED, 10 * SEC);
	netns_run("ip -6 route | grep -q '^2001:db8:9::/48 via 2001:db8::1 dev va'");
	addresses_remove(f.addresses, f.cfg.ifindex, true, room_clock(&f));
	netns_run("! ip -6 route | grep -q '^2001:db8:9::/48'");
}

TEST(servers_of_the_other_family_only)
{
	_cleanup_(room_end) struct room_fixture f;

	begin(&f, NULL);
	addresses_remove(f.addresses, f.cfg.ifindex, true, room_clock(&f));
	f.cfg.servers[0] = room_addr("10.0.0.1");
	f.cfg.n_servers = 1;
	f.cfg.dhcp_limit = 10 * SEC;
	f.cfg.dhcp_rounds = 1;
	dhcp6server_start(f.peer, "vb", server_verbose);
	room_start(&f);
	CHECK_STR(until_cause(&f, CAUSE_DHCP_FOREIGN).text,
		"server fe80::1 is not in rd.net.dhcp.server=");
	CHECK_INT(room_until(&f, ADDRESS_FAILED, 20 * SEC).cause, CAUSE_DHCP_FOREIGN);
}

/* Each of both options within its bounds, their product beyond 64 bits: what is left of it is 5
 * s. */
TEST(the_time_of_all_rounds_does_not_wrap)
{
	_cleanup_(room_end) struct room_fixture f;
	uint64_t began;

	begin(&f, NULL);
	addresses_remove(f.addresses, f.cfg.ifindex, true, room_clock(&f));
	f.cfg.dhcp_limit = (UINT64_C(1) << 62) + SEC * 5 / 4;
	f.cfg.dhcp_rounds = 4;
	room_start(&f);
	began = room_clock(&f);
	while (room_clock(&f) - began < 10 * SEC)
		CHECK_INT(room_next(&f, 40 * SEC).type, ADDRESS_HINDRANCE);
}
