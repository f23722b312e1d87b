// SPDX-License-Identifier: GPL-2.0-or-later
/* An address that firmware or boot loader leased: asked for first, and never used on trust. */
#include "check.h"
#include "dhcp4client.h"

#include "address/address.h"

static struct dhcp4 *wishing(uint64_t now)
{
	struct dhcp4_config cfg = {.request = {htonl(ADDRESS)}};
	struct dhcp4_packet p;
	struct dhcp4 *d = NULL;

	CHECK_INT(dhcp_identity_make(&cfg.identity, 1, &client_mac, NULL, 0), 0);
	CHECK_INT(dhcp4_new(&d, &cfg), 0);
	dhcp4_start(d, now);
	CHECK_STR(dhcp4_state_name(d), "rebooting");
	CHECK(!dhcp4_verifies(d)); /* there is no lease to keep meanwhile */
	p = client_sent(d, DHCP_REQUEST);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 54), 0); /* RFC 2131 4.3.2: INIT-REBOOT */
	CHECK_INT(msg_be32(p.bytes + MSG_HEADERS + 12), 0);
	CHECK(!dhcp4_lease(d));
	return d;
}

TEST(granted)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = wishing(SEC);
	struct dhcp4_packet p;

	client_reply(d, DHCP_OFFER, SERVER, SEC); /* of a server that knows no better */
	client_no_event(d);
	client_reply(d, DHCP_ACK, OTHER, 2 * SEC);
	client_event(d, DHCP_EVENT_LEASE);
	client_nothing_sent(d);
	CHECK_STR(dhcp4_state_name(d), "bound");
	CHECK_INT(dhcp4_lease(d)->life.expires, 3601 * SEC);
	dhcp4_tick(d, dhcp4_deadline(d));
	p = client_sent(d, DHCP_REQUEST);
	CHECK_INT(ntohl(p.dest.s_addr), OTHER);
}

TEST(refused)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = wishing(SEC);
	struct dhcp4_packet p;
	struct dhcp_event ev;

	client_reply(d, DHCP_NAK, SERVER, SEC);
	ev = client_event(d, DHCP_EVENT_REFUSED);
	CHECK_INT(ntohl(ev.server.v4.s_addr), SERVER);
	CHECK(ev.again);
	p = client_sent(d, DHCP_DISCOVER); /* at once, and for any address */
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), 0);
	client_reply(d, DHCP_OFFER, SERVER, SEC);
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_NAK, SERVER, SEC); /* the first one that counts as a refusal */
	CHECK(!client_event(d, DHCP_EVENT_REFUSED).again);
	client_sent(d, DHCP_DISCOVER);
	client_reply(d, DHCP_OFFER, SERVER, SEC);
	client_sent(d, DHCP_REQUEST);
	client_reply(d, DHCP_ACK, SERVER, SEC);
	client_event(d, DHCP_EVENT_LEASE);
	/* Without a lease again, it is no wish any more. */
	dhcp4_stop(d, 2 * SEC);
	dhcp4_tick(d, dhcp4_deadline(d));
	client_event(d, DHCP_EVENT_EXPIRED);
	dhcp4_start(d, 4000 * SEC);
	client_sent(d, DHCP_DISCOVER);
}

/* A server that knows nothing of it may be silent: one second, and a hint from then on. */
TEST(unanswered)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = wishing(SEC);
	struct dhcp4_packet p;
	uint64_t now = dhcp4_deadline(d);
	uint32_t xid = dhcp4_xid(d);

	CHECK(now - SEC <= SEC * 9 / 8);
	dhcp4_tick(d, now);
	CHECK_INT(client_event(d, DHCP_EVENT_SILENCE).count, 1);
	p = client_sent(d, DHCP_DISCOVER);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS);
	CHECK(dhcp4_xid(d) != xid);
	client_reply(d, DHCP_ACK, SERVER, now); /* not for a DISCOVER without Rapid Commit's mark */
	client_no_event(d);
	client_reply(d, DHCP_OFFER, SERVER, now);
	client_sent(d, DHCP_REQUEST);
	/* A loss of carrier does not bring it back. */
	dhcp4_stop(d, now);
	dhcp4_start(d, now);
	client_sent(d, DHCP_DISCOVER);
}

/* Another address, mask or server than a host can have is judged as everywhere. */
TEST(granted_impossibly)
{
	_cleanup_(dhcp4_freep) struct dhcp4 *d = wishing(0);
	struct msg m;

	msg_offer(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS + 1, SERVER);
	client_give(d, &m, 0);
	CHECK_STR(client_event(d, DHCP_EVENT_BAD_REPLY).text,
		"ACK for an address that was not requested");
	msg_offer(&m, DHCP_ACK, dhcp4_xid(d), ADDRESS, ADDRESS);
	client_give(d, &m, 0);
	client_event(d, DHCP_EVENT_BAD_REPLY);
	CHECK(!dhcp4_lease(d));
	client_reply(d, DHCP_ACK, SERVER, 0);
	client_event(d, DHCP_EVENT_LEASE);
}

/* A lease of an earlier run is better than what was before the kernel. */
TEST(a_lease_goes_first)
{
	struct dhcp4_config cfg = {.request = {htonl(ADDRESS + 1)}};
	_cleanup_(dhcp4_freep) struct dhcp4 *d = NULL;
	struct dhcp4_lease l = {
		.ack = {.yiaddr = {htonl(ADDRESS)}, .server_id = {htonl(SERVER)}},
		.life = {1 * SEC, 50 * SEC, 80 * SEC, 100 * SEC},
	};
	struct dhcp4_packet p;

	CHECK_INT(dhcp_identity_make(&cfg.identity, 1, &client_mac, NULL, 0), 0);
	CHECK_INT(dhcp4_new(&d, &cfg), 0);
	CHECK(dhcp4_adopt(d, &l, (const uint8_t *)"\1\2\0\0\0\0\5", 7, 10 * SEC));
	dhcp4_stop(d, 10 * SEC);
	dhcp4_start(d, 10 * SEC);
	p = client_sent(d, DHCP_REQUEST);
	CHECK_INT(msg_find_u32(p.bytes, p.len, 50), ADDRESS);
	CHECK(dhcp4_verifies(d));
}

/* The option names its interface, or means that of BOOTIF=; the last one counts. */
TEST(from_the_plan)
{
	const struct plan_dhcp_request requests[] = {
		{NULL, {.family = AF_INET, .v4 = {1}}, 0},
		{"named", {.family = AF_INET, .v4 = {2}}, 0},
		{"named", {.family = AF_INET, .v4 = {3}}, 0}};
	struct boot_plan plan = {
		.net = {.dhcp_requests = requests, .n_dhcp_requests = ARRAY_SIZE(requests)}};
	struct plan_ip ip = {.methods = PLAN_IP_STATIC, .prefix = 20,
		.addr = {.family = AF_INET, .v4 = {htonl(ADDRESS)}}};
	struct netdev named = {.name = "named", .hwtype = 1, .hw = client_mac};
	struct netdev boot = {.name = "boot", .hwtype = 32, .hw = {.len = 20, .bytes = {[19] = 7}}};
	struct address_config cfg;

	CHECK_INT(address_config_from_plan(&cfg, &plan, NULL, &named), 0);
	CHECK_INT(cfg.request.s_addr, 3);
	CHECK_INT(address_config_from_plan(&cfg, &plan, NULL, &boot), 0);
	CHECK_INT(cfg.request.s_addr, 0);
	plan.net.bootif = (struct hw_addr){.len = 8, .bytes = {[7] = 7}};
	CHECK_INT(address_config_from_plan(&cfg, &plan, NULL, &boot), 0);
	CHECK_INT(cfg.request.s_addr, 1);
	CHECK_INT(address_config_from_plan(&cfg, &plan, &ip, &boot), 0);
	CHECK_INT(cfg.request.s_addr, 0);
}
