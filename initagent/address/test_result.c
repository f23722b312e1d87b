// SPDX-License-Identifier: GPL-2.0-or-later
/* From plan and lease to what a rail gets: who wins, what is refused. */
#include "check.h"
#include "dhcpmsg.h"

#include "resolver/resolv_conf.h"
#include "address/result.h"

static const struct netdev dev = {
	.ifindex = 3, .name = "eth0", .hwtype = 1, .hw = {6, {2, 0, 0, 0, 0, 5}}};

static struct inet_addr addr(const char *text)
{
	struct inet_addr a = {0};

	if (*text)
		CHECK_INT(value_inet(text, strlen(text), &a), 0);
	return a;
}

static void is(const struct inet_addr *a, const char *want)
{
	char text[INET_ADDR_TEXT];

	CHECK_STR(inet_text(a, text), want);
}

struct lease_fixture {
	struct msg m;
	struct dhcp_identity id;
	struct address_config cfg;
	unsigned refused; /* routes left out */
};

static void begin(struct lease_fixture *f)
{
	*f = (struct lease_fixture){.cfg = {.ifindex = 3, .method = ADDRESS_DHCP4}};
	CHECK_INT(dhcp_identity_make(&f->id, 1, &dev.hw, NULL, 0), 0);
	msg_begin(&f->m, DHCP_ACK, 1, 0x0a000005);
	msg_u32(&f->m, 54, 0x0a000001);
}

static struct address_result finish(struct lease_fixture *f)
{
	struct dhcp4_lease lease = {.life = {1, 2, 3, 4}};
	struct address_result r;

	msg_end(&f->m);
	dhcp_parse(&lease.ack, f->m.bytes, f->m.len, true);
	CHECK_INT(lease.ack.defect, 0);
	result_lease(&r, &f->cfg, &dev, &f->id, &lease);
	f->refused = 0;
	for (uint32_t i = 0; i < lease.ack.n_routes; i++)
		f->refused += lease_route(&lease.ack, &lease.ack.routes[i]) > LEASE_ROUTE_PART;
	return r;
}

TEST(a_plain_lease)
{
	struct lease_fixture f;
	struct address_result r;

	begin(&f);
	msg_u32(&f.m, 1, 0xffffff00);
	msg_u32(&f.m, 3, 0x0a000001);
	msg_u32(&f.m, 6, 0x0a000002);
	msg_text(&f.m, 12, "node5");
	msg_option(&f.m, 26, "\x05\x78", 2);
	r = finish(&f);
	is(&r.addr, "10.0.0.5");
	CHECK_INT(r.prefix, 24);
	is(&r.gateway, "10.0.0.1");
	is(&r.dns[0], "10.0.0.2");
	is(&r.server_id, "10.0.0.1");
	CHECK_STR(r.hostname, "node5");
	CHECK_STR(r.ifname, "eth0");
	CHECK_INT(r.mtu, 1400);
	CHECK_INT(r.client_id_len, 7);
	CHECK_INT(r.expires, 4);
	CHECK_INT(f.refused, 0);
}

TEST(the_command_line_wins)
{
	struct inet_addr dns = addr("192.0.2.53");
	struct lease_fixture f;
	struct address_result r;

	begin(&f);
	f.cfg.gateway = addr("10.0.0.254");
	f.cfg.mtu = 9000;
	f.cfg.hostname = "mine";
	f.cfg.nameservers = &dns;
	f.cfg.n_nameservers = 1;
	msg_u32(&f.m, 1, 0xffffff00);
	msg_u32(&f.m, 3, 0x0a000001);
	msg_u32(&f.m, 6, 0x0a000002);
	msg_text(&f.m, 12, "node5");
	msg_text(&f.m, 15, "example");
	msg_option(&f.m, 26, "\x05\x78", 2);
	r = finish(&f);
	is(&r.gateway, "10.0.0.254");
	CHECK_INT(r.mtu, 9000);
	CHECK_STR(r.hostname, "mine");
	CHECK_INT(r.n_dns, 2);
	is(&r.dns[0], "192.0.2.53");
	f.cfg.no_peerdns = true;
	f.cfg.no_default_route = true;
	f.m.len--;
	r = finish(&f);
	CHECK_INT(r.n_dns, 1);
	CHECK_STR(r.domain, "");
	CHECK_INT(r.gateway.family, 0);
}

TEST(the_node_is_not_its_own_name_server)
{
	struct lease_fixture f;
	struct address_result r;
	struct dhcp6_lease lease = {
		.reply = {.n_dns = 2, .dns = {{{{0x20, 1, [15] = 5}}},
			{{{0x20, 1, [15] = 1}}}}}};
	struct result_inet6 six = {
		.method = ADDRESS_DHCP6, .addr = addr("2001::5"), .lease = &lease};
	struct duid client = {0};

	begin(&f);
	msg_u32(&f.m, 1, 0xffffff00);
	msg_option(&f.m, 6, "\x0a\0\0\5\x0a\0\0\2", 8);
	r = finish(&f);
	CHECK_INT(r.n_dns, 1);
	is(&r.dns[0], "10.0.0.2");
	six.client = &client;
	result_inet6(&r, &f.cfg, &dev, &six);
	CHECK_INT(r.n_dns, 1);
	is(&r.dns[0], "2001::1");
}

TEST(option_121_beats_3)
{
	struct lease_fixture f;
	struct address_result r;

	begin(&f);
	msg_u32(&f.m, 1, 0xffffff00);
	msg_u32(&f.m, 3, 0x0a000001);
	msg_option(&f.m, 121, "\x00\x0a\x00\x00\x63\x08\x64\x0a\x00\x00\x63", 11);
	r = finish(&f);
	is(&r.gateway, "10.0.0.99");
	CHECK_INT(r.n_routes, 1);
	is(&r.routes[0].dst, "100.0.0.0");
	/* without a default route in it there is none */
	begin(&f);
	msg_u32(&f.m, 1, 0xffffff00);
	msg_u32(&f.m, 3, 0x0a000001);
	msg_option(&f.m, 121, "\x08\x64\x0a\x00\x00\x63", 6);
	r = finish(&f);
	CHECK_INT(r.gateway.family, 0);
}

TEST(gateways_out_of_reach_are_refused)
{
	struct lease_fixture f;
	struct address_result r;

	begin(&f);
	msg_u32(&f.m, 1, 0xffffff00);
	msg_option(&f.m, 121, "\x08\x64\xc0\x00\x02\x01\x08\x65\x0a\x00\x00\x01", 12);
	r = finish(&f);
	CHECK_INT(f.refused, 1);
	CHECK_INT(r.n_routes, 1);
	is(&r.routes[0].dst, "101.0.0.0");

	/* reachable through an on-link route of the same option */
	begin(&f);
	msg_u32(&f.m, 1, 0xffffff00);
	msg_option(&f.m, 121, "\x08\x64\xc0\x00\x02\x01\x18\xc0\x00\x02\x00\x00\x00\x00", 14);
	r = finish(&f);
	CHECK_INT(f.refused, 0);
	CHECK_INT(r.n_routes, 2);

	/* a /32 has nothing within reach: the gateway is called on-link */
	begin(&f);
	msg_u32(&f.m, 1, 0xffffffff);
	msg_u32(&f.m, 3, 0xc0000201);
	r = finish(&f);
	CHECK_INT(f.refused, 0);
	is(&r.gateway, "192.0.2.1");
	CHECK(result_onlink(&r, &r.gateway));
}

/* Each of them a part, they leave nothing of 10.0.0.0/24 on the link. */
TEST(routes_that_together_are_the_own_subnet)
{
	static const struct {
		struct part {
			const char *dst;
			uint32_t prefix;
		} parts[4];
		enum lease_route want;
	} rows[] = {
		{{{"10.0.0.0", 25}, {"10.0.0.128", 25}}, LEASE_ROUTE_SUBNET},
		{{{"10.0.0.128", 26}, {"10.0.0.192", 26}, {"10.0.0.0", 25}}, LEASE_ROUTE_SUBNET},
		{{{"10.0.0.0", 25}, {"10.0.0.128", 25}, {"10.0.0.7", 32}}, LEASE_ROUTE_SUBNET},
		{{{"10.0.0.0", 25}, {"10.0.0.0", 25}}, LEASE_ROUTE_PART},
		{{{"10.0.0.0", 25}, {"10.0.0.0", 26}, {"10.0.0.64", 26}}, LEASE_ROUTE_PART},
		{{{"10.0.0.0", 25}, {"10.0.0.192", 26}}, LEASE_ROUTE_PART},
		{{{"10.0.0.0", 25}, {"10.0.1.0", 25}}, LEASE_ROUTE_PART},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dhcp_reply ack = {.yiaddr = addr("10.0.0.5").v4, .prefix = 24};

		for (const struct part *p = rows[i].parts; p->dst; p++)
			ack.routes[ack.n_routes++] = (struct dhcp_route){.dst = addr(p->dst).v4,
				.gateway = addr("10.0.0.99").v4, .prefix = p->prefix};
		CHECK_INT(lease_route(&ack, &ack.routes[0]), rows[i].want);
	}
}

/* Options 121 and 33 against the interface's own subnet, 10.0.0.0/24. */
TEST(routes_to_the_own_subnet)
{
	static const struct {
		const char *dst, *gateway;
		uint32_t prefix;
		enum lease_route want;
	} rows[] = {
		{"10.0.0.0", "10.0.0.99", 24, LEASE_ROUTE_SUBNET},
		{"10.0.0.0", "10.0.0.99", 25, LEASE_ROUTE_PART},
		{"10.0.0.128", "10.0.0.99", 25, LEASE_ROUTE_PART},
		{"10.0.0.1", "10.0.0.99", 32, LEASE_ROUTE_PART},
		{"10.0.0.0", "10.0.0.99", 23, LEASE_ROUTE_GOOD},
		{"10.0.1.0", "10.0.0.99", 24, LEASE_ROUTE_GOOD},
		{"0.0.0.0", "10.0.0.99", 0, LEASE_ROUTE_GOOD},
		/* on-link: what the kernel has anyway */
		{"10.0.0.0", "0.0.0.0", 24, LEASE_ROUTE_GOOD},
		{"10.0.1.0", "10.0.0.5", 24, LEASE_ROUTE_GATEWAY},
		{"0.0.0.0", "10.0.0.5", 0, LEASE_ROUTE_GATEWAY},
		{"10.0.1.0", "10.0.0.255", 24, LEASE_ROUTE_GATEWAY},
		{"10.0.1.0", "10.0.0.0", 24, LEASE_ROUTE_GATEWAY},
		{"10.0.1.0", "10.0.1.1", 24, LEASE_ROUTE_FAR},
	};
	struct lease_fixture f;
	struct address_result r;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct inet_addr dst = addr(rows[i].dst), gateway = addr(rows[i].gateway);
		struct dhcp_reply ack = {
			.yiaddr = addr("10.0.0.5").v4, .prefix = 24, .n_routes = 1};

		ack.routes[0] = (struct dhcp_route){
			.dst = dst.v4, .gateway = gateway.v4, .prefix = rows[i].prefix};
		CHECK_INT(lease_route(&ack, &ack.routes[0]), rows[i].want);
	}
	begin(&f);
	msg_u32(&f.m, 1, 0xffffff00);
	msg_option(&f.m, 121,
		"\x18\x0a\x00\x00\x0a\x00\x00\x63\x19\x0a\x00\x00\x00\x0a\x00\x00\x63", 17);
	r = finish(&f);
	CHECK_INT(f.refused, 1);
	CHECK_INT(r.n_routes, 1);
	CHECK_INT(r.routes[0].prefix, 25);
}

/* The node itself and the subnet's own addresses are passed over, and the next router counts. */
TEST(routers_that_cannot_be)
{
	struct lease_fixture f;
	struct address_result r;

	begin(&f);
	msg_u32(&f.m, 1, 0xffffff00);
	msg_option(&f.m, 3, "\x0a\x00\x00\x05\x0a\x00\x00\xff\x0a\x00\x00\x00\x0a\x00\x00\x07", 16);
	r = finish(&f);
	is(&r.gateway, "10.0.0.7");
	begin(&f);
	msg_u32(&f.m, 1, 0xffffff00);
	msg_u32(&f.m, 3, 0x0a000005);
	r = finish(&f);
	CHECK_INT(r.gateway.family, 0);
	begin(&f);
	msg_u32(&f.m, 1, 0xffffff00);
	msg_option(&f.m, 121, "\x00\x0a\x00\x00\x05\x00\x0a\x00\x00\x07", 10);
	r = finish(&f);
	is(&r.gateway, "10.0.0.7");
}

/* One that is a host's would hide that host from the kernel. */
TEST(broadcast_addresses)
{
	static const struct {
		uint32_t broadcast;
		bool want;
	} rows[] = {{0x0a0000ff, true}, {0xffffffff, true}, {0x0a000000, true}, {0x0a000001, false},
		{0x0a000005, false}, {0x0a0001ff, false}, {0x7f000001, false}};
	struct lease_fixture f;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(&f);
		msg_u32(&f.m, 1, 0xffffff00);
		msg_u32(&f.m, 28, rows[i].broadcast);
		CHECK_INT(finish(&f).broadcast.family != 0, rows[i].want);
	}
}

TEST(no_mask_means_the_class)
{
	struct lease_fixture f;
	struct address_result r;

	begin(&f);
	r = finish(&f);
	CHECK_INT(r.prefix, 8);
}

TEST(plan_routes)
{
	const struct plan_route routes[] = {
		{.net = addr("172.16.0.0"), .prefix = 12, .gateway = addr("10.0.0.7")},
		/* not our subnet */
		{.net = addr("172.32.0.0"), .prefix = 12, .gateway = addr("192.0.2.7")},
		{.net = addr("172.48.0.0"),
			.prefix = 12,
			.gateway = addr("192.0.2.7"),
			.ifname = "eth0"},
		{.net = addr("172.64.0.0"),
			.prefix = 12,
			.gateway = addr("10.0.0.7"),
			.ifname = "eth1"},
		{.net = addr("172.80.0.0"), .prefix = 12},
		/* for what the interface has of the other family */
		{.net = addr("2001:db8:9::"),
			.prefix = 48,
			.gateway = addr("fe80::9"),
			.ifname = "eth0"},
	};
	struct address_config cfg = {.ifindex = 3,
		.method = ADDRESS_STATIC,
		.addr = addr("10.0.0.5"),
		.prefix = 24,
		.routes = routes,
		.n_routes = ARRAY_SIZE(routes)};
	struct iface_config own;
	struct address_result r;

	CHECK_INT(iface_config_copy(&own, &cfg), 0);
	memset(&cfg, 0xff, sizeof(cfg)); /* the copy stands alone */
	result_static(&r, &own.cfg, &dev);
	CHECK_INT(r.n_routes, 3);
	is(&r.routes[0].dst, "172.16.0.0");
	is(&r.routes[1].dst, "172.48.0.0");
	is(&r.routes[2].dst, "172.80.0.0");
	CHECK(r.expires == NSEC_NEVER);
	own.cfg.addr = addr("2001:db8::5");
	result_static(&r, &own.cfg, &dev);
	CHECK_INT(r.n_routes, 1);
	is(&r.routes[0].dst, "2001:db8:9::");
}

TEST(configurations_that_make_no_sense)
{
	struct address_config cfg = {.ifindex = 3, .method = ADDRESS_STATIC};
	struct iface_config own;
	char name[70];

	CHECK_INT(iface_config_copy(&own, &cfg), -EINVAL); /* no address */
	cfg.addr = addr("10.0.0.5");
	cfg.prefix = 33;
	CHECK_INT(iface_config_copy(&own, &cfg), -EINVAL);
	cfg.prefix = 32;
	CHECK_INT(iface_config_copy(&own, &cfg), 0);
	cfg.client_id_len = ADDRESS_CLIENT_ID_MAX + 1;
	CHECK_INT(iface_config_copy(&own, &cfg), -EINVAL);
	cfg.client_id_len = 0;
	memset(name, 'n', sizeof(name));
	name[69] = 0;
	cfg.hostname = name;
	CHECK_INT(iface_config_copy(&own, &cfg), -EINVAL);
	cfg.hostname = NULL;
	cfg.ifindex = 0;
	CHECK_INT(iface_config_copy(&own, &cfg), -EINVAL);
}

TEST(subnets)
{
	static const struct {
		const char *a, *net;
		unsigned prefix;
		bool want;
	} rows[] = {
		{"10.0.0.5", "10.0.0.1", 24, true}, {"10.0.1.5", "10.0.0.1", 24, false},
		{"10.0.1.5", "10.0.0.1", 23, true}, {"10.0.0.5", "11.0.0.1", 7, true},
		{"10.0.0.5", "10.0.0.4", 31, true}, {"10.0.0.5", "10.0.0.4", 32, false},
		{"10.0.0.5", "10.0.0.5", 32, true}, {"1.2.3.4", "200.0.0.0", 0, true},
		{"10.0.0.5", "10.0.0.5", 33, false}, {"2001:db8::1", "2001:db8::", 64, true},
		{"2001:db8::1", "2001:db8:1::", 48, false}, {"10.0.0.5", "2001:db8::", 0, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct inet_addr a = addr(rows[i].a), net = addr(rows[i].net);

		CHECK_INT(inet_in_subnet(&a, &net, rows[i].prefix), rows[i].want);
	}
}

/* --- from the command line ----------------------------------------------------------------- */

/* rd.ib.client-id= is InfiniBand's, rd.net.dhcp.client-id= an interface's; the last of these
 * counts. */
TEST(client_id_from_plan)
{
	const struct inet_addr server = addr("192.0.2.53");
	const struct plan_client_id ids[] = {{dev.name, (const uint8_t *)"\1\2\3\4", 4},
		{dev.name, (const uint8_t *)"\1\2\4", 3}};
	const struct boot_plan plan = {.net = {.dhcp_servers = &server,
					       .n_dhcp_servers = 1,
					       .client_ids = ids,
					       .n_client_ids = 2},
		.ib.clientid = {PLAN_CLIENTID_HEX, (const uint8_t *)"\377\1", 2}};
	struct netdev other = {.ifindex = 9, .name = "other"};
	struct address_config cfg;

	CHECK_INT(address_config_from_plan(&cfg, &plan, NULL, &dev), 0);
	CHECK_INT(cfg.client_id_len, 3);
	CHECK_MEM(cfg.client_id, "\1\2\4", 3);
	CHECK_INT(cfg.n_servers, 1);
	is(&cfg.servers[0], "192.0.2.53");
	/* a bond is Ethernet's until its first part is InfiniBand's */
	other.hwtype = 1;
	CHECK_INT(address_config_from_plan(&cfg, &plan, NULL, &other), 0);
	CHECK_INT(cfg.client_id_len, 0);
	CHECK_INT(cfg.ib_client_id.kind, PLAN_CLIENTID_HEX);
	CHECK_INT(cfg.ib_client_id.len, 2);
}

TEST(config_from_plan)
{
	const struct inet_addr dns = addr("192.0.2.53");
	struct boot_plan plan = {.net = {.peerdns = true, .hostname = "plan", .nameservers = &dns,
		.n_nameservers = 1, .timeouts = {.dhcp_s = 5, .dhcp_retry = 3}}};
	struct plan_ip ip = {.methods = PLAN_IP_STATIC, .addr = addr("10.0.0.5"), .prefix = 20,
		.gateway = addr("10.0.0.1"), .peer = addr("10.0.0.2"), .mtu = 1400};
	struct address_config cfg;

	CHECK_INT(address_config_from_plan(&cfg, &plan, NULL, &dev), 0);
	CHECK_INT(cfg.method, ADDRESS_DHCP4);
	CHECK_INT(cfg.ifindex, 3);
	CHECK_STR(cfg.hostname, "plan");
	CHECK_INT(cfg.dhcp_limit, 5 * NSEC_PER_SEC);
	CHECK_INT(cfg.dhcp_rounds, 3);
	CHECK(!cfg.no_peerdns && !cfg.no_default_route);

	CHECK_INT(address_config_from_plan(&cfg, &plan, &ip, &dev), 0);
	CHECK_INT(cfg.method, ADDRESS_STATIC);
	CHECK_INT(cfg.prefix, 20);
	CHECK_INT(cfg.mtu, 1400);
	is(&cfg.peer, "10.0.0.2");
	is(&cfg.nameservers[0], "192.0.2.53");
	ip.methods = PLAN_IP_DHCP; /* whose lease has routers of the other family */
	ip.gateway = addr("fe80::1");
	CHECK_INT(address_config_from_plan(&cfg, &plan, &ip, &dev), 0);
	CHECK_INT(cfg.gateway.family, 0);
	ip.methods = PLAN_IP_STATIC;
	ip.gateway = addr("10.0.0.1");

	plan.net.n_nameservers = 0;
	plan.net.bootdev = "eth1";
	plan.net.peerdns = false;
	ip.hostname = "own";
	ip.dns[0] = addr("10.0.0.53");
	ip.n_dns = 1;
	ip.prefix = -1;
	CHECK_INT(address_config_from_plan(&cfg, &plan, &ip, &dev), 0);
	CHECK_INT(cfg.prefix, 8);
	CHECK_STR(cfg.hostname, "own");
	is(&cfg.nameservers[0], "10.0.0.53");
	CHECK(cfg.no_default_route);

	ip.methods = PLAN_IP_DHCP;
	CHECK_INT(address_config_from_plan(&cfg, &plan, &ip, &dev), 0);
	CHECK_INT(cfg.method, ADDRESS_DHCP4);
	CHECK(cfg.no_peerdns);
	is(&cfg.gateway, "10.0.0.1");
	ip.methods = PLAN_IP_IBFT;
	CHECK_INT(address_config_from_plan(&cfg, &plan, &ip, &dev), -EINVAL);
	ip.methods = PLAN_IP_STATIC;
	ip.addr.family = 0;
	CHECK_INT(address_config_from_plan(&cfg, &plan, &ip, &dev), -EINVAL);
}

/* Which two methods a line of methods comes to. */
TEST(config_of_two_families)
{
	static const struct {
		unsigned methods;
		enum address_method first, second;
	} rows[] = {
		{PLAN_IP_DHCP, ADDRESS_DHCP4, ADDRESS_STATIC},
		{PLAN_IP_DHCP6, ADDRESS_DHCP6, ADDRESS_STATIC},
		{PLAN_IP_AUTO6, ADDRESS_AUTO6, ADDRESS_STATIC},
		{PLAN_IP_EITHER6, ADDRESS_EITHER6, ADDRESS_STATIC},
		{PLAN_IP_LINK6, ADDRESS_LINK6, ADDRESS_STATIC},
		{PLAN_IP_DHCP | PLAN_IP_DHCP6, ADDRESS_DHCP4, ADDRESS_DHCP6},
		{PLAN_IP_SINGLE | PLAN_IP_AUTO6, ADDRESS_DHCP4, ADDRESS_AUTO6},
		{PLAN_IP_AUTO6 | PLAN_IP_DHCP6, ADDRESS_EITHER6, ADDRESS_STATIC},
		{PLAN_IP_LINK6 | PLAN_IP_DHCP6, ADDRESS_DHCP6, ADDRESS_STATIC},
	};
	const struct boot_plan plan = {.net.timeouts = {.ipv6auto_s = 40, .ipv6dad_s = 50}};
	struct address_config cfg;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct plan_ip ip = {.methods = rows[i].methods, .prefix = -1};

		CHECK_INT(address_config_from_plan(&cfg, &plan, &ip, &dev), 0);
		CHECK_INT(cfg.method, rows[i].first);
		CHECK_INT(cfg.second, rows[i].second);
		CHECK_INT(cfg.auto_limit, 40 * NSEC_PER_SEC);
		CHECK_INT(cfg.dad_limit, 50 * NSEC_PER_SEC);
	}
}

/* Two options for one interface, in either order. */
TEST(config_of_two_options)
{
	const struct plan_ip ips[] = {
		{.methods = PLAN_IP_STATIC, .ifname = dev.name, .addr = addr("2001:db8::5"),
			.prefix = 56,
			.gateway = addr("2001:db8::1")},
		{.methods = PLAN_IP_DHCP, .ifname = "other", .prefix = -1},
		{.methods = PLAN_IP_DHCP, .ifname = dev.name, .prefix = -1},
	};
	struct boot_plan plan = {.net = {.ips = ips, .n_ips = 3}};
	struct address_config cfg;

	for (size_t i = 0; i < 3; i += 2) {
		CHECK_INT(address_config_from_plan(&cfg, &plan, &ips[i], &dev), 0);
		CHECK_INT(cfg.method, ADDRESS_DHCP4);
		CHECK_INT(cfg.second, ADDRESS_STATIC);
		is(&cfg.addr6, "2001:db8::5");
		is(&cfg.gateway6, "2001:db8::1");
		CHECK_INT(cfg.prefix6, 56);
		CHECK_INT(cfg.gateway.family, 0);
	}
	plan.net.n_ips = 1;
	CHECK_INT(address_config_from_plan(&cfg, &plan, &ips[0], &dev), 0);
	CHECK_INT(cfg.method, ADDRESS_STATIC);
	is(&cfg.addr, "2001:db8::5");
	CHECK_INT(cfg.addr6.family, 0);
	plan.net.n_ips = 0;
	plan.root = (struct plan_root){.kind = PLAN_ROOT_NFS, .nfs = {
		.servers = (struct plan_server[]){{.addr = addr("192.0.2.1")},
			{.addr = addr("2001:db8::1")}},
		.n_servers = 2}};
	CHECK_INT(address_config_from_plan(&cfg, &plan, NULL, &dev), 0);
	CHECK_INT(cfg.method, ADDRESS_DHCP4);
	CHECK_INT(cfg.second, ADDRESS_EITHER6);
	plan.root = (struct plan_root){.kind = PLAN_ROOT_LIVE,
		.image.url = "http://[2001:db8::1]/root.squashfs"};
	CHECK_INT(address_config_from_plan(&cfg, &plan, NULL, &dev), 0);
	CHECK_INT(cfg.method, ADDRESS_DHCP4);
	CHECK_INT(cfg.second, ADDRESS_EITHER6);
}

/* --- resolv.conf --------------------------------------------------------------------------- */

TEST(resolv_conf)
{
	char dir[] = "/tmp/ia-resolv-XXXXXX", path[64], text[512];
	struct env env = {.prefix = dir};
	struct resolv_conf conf = {0};
	struct address_result a = {.n_dns = 2, .domain = "example"};
	struct address_result b = {.n_dns = 3, .search = "two three"};

	check_dir(dir);
	CHECK_INT(resolv_conf_write(&conf, &env), 0);
	CHECK_INT(env_read(&env, text, sizeof(text), "/etc/resolv.conf"), -ENOENT);
	a.dns[0] = b.dns[0] = addr("10.0.0.1");
	a.dns[1] = addr("2001:db8::53");
	b.dns[1] = addr("10.0.0.2");
	b.dns[2] = addr("10.0.0.3"); /* the fourth: left out */
	resolv_conf_add(&conf, &a);
	resolv_conf_add(&conf, &b);
	CHECK_INT(resolv_conf_write(&conf, &env), 0);
	CHECK(env_read(&env, text, sizeof(text), "/etc/resolv.conf") > 0);
	CHECK_STR(text,
		"search example\nnameserver 10.0.0.1\nnameserver 2001:db8::53\nnameserver "
		"10.0.0.2");
	/* nothing but domains gets in, even if a caller forgot to check */
	conf.search[0] = 0;
	strscpy(b.search, "a\nnameserver 6.6.6.6", sizeof(b.search));
	resolv_conf_add(&conf, &b);
	CHECK_STR(conf.search, "");
	snprintf(path, sizeof(path), "rm -r %s", dir);
	CHECK_INT(system(path), 0);
}
