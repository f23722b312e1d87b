// SPDX-License-Identifier: GPL-2.0-or-later
/* The state files: valid JSON whatever the network said, an env file that is never shell code. */
#include "check.h"

#include <cjson/cJSON.h>
#include <sys/stat.h>

#include "base/file.h"
#include "report/report.h"
#include "root/block/block.h"
#include "root/nfs/root.h"
#include "root/web/web.h"
#include "root/wwinit/wwinit.h"
#include "state/state.h"
#include "states.h"

#define IP4(a, b, c, d) {.family = AF_INET, .bytes = {a, b, c, d}}

static const struct netdev netdev = {
	.ifindex = 2,
	.name = "eth0",
	.hw = {.bytes = {0x52, 0x54, 0x00, 0x99, 0x00, 0x64}, .len = 6},
	.mtu = 1500,
};

static const struct address_result lease = {
	.method = ADDRESS_DHCP4,
	.addr = IP4(10, 99, 0, 100),
	.prefix = 24,
	.hostname = "x\"; reboot #",
	.server_id = IP4(10, 99, 0, 1),
	.lease_s = 3600,
	.obtained = 2500000000,
	.expires = 3602500000000,
};

static const struct fabric_port soft_port = {
	.device = "rxe0",
	.port = 1,
	.link_layer = LINK_LAYER_ETHERNET,
	.state = PORT_ACTIVE,
};

static const struct state_rail rail = {
	.name = "eth0",
	.state = "ready",
	.ifindex = 2,
	.carries_root = true,
	.dev = &netdev,
	.address = &lease,
	.port = &soft_port,
};

static const struct root_result root = {
	.version = NFS_VERSION_42,
	.proto = NFS_PROTO_RDMA,
	.port = 20049,
	.attempts = 1,
	.init = "/sbin/init",
	.server = "nfs1",
	.address = "10.99.0.1",
	.path = "/export/$(reboot)",
	.options = "rsize=65536",
};

static struct state_input input(void)
{
	return (struct state_input){
		.outcome = "done",
		.cmdline = "root=nfs:\x01\xff quiet",
		.start = 1700000000,
		.now = 3200000000,
		.root = &nfs_source,
		.record = &root,
		.rails = &rail,
		.n_rails = 1,
	};
}

static cJSON *parse(const struct state_input *in)
{
	char *text = state_json(in);
	cJSON *o;

	CHECK(text != NULL);
	states_keep(text);
	o = cJSON_Parse(text);
	CHECK(o != NULL);
	free(text);
	return o;
}

static const char *string_at(cJSON *o, const char *key)
{
	return cJSON_GetStringValue(cJSON_GetObjectItem(o, key));
}

static const char *text_at(cJSON *o, const char *a, const char *b)
{
	return cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetObjectItem(o, a), b));
}

TEST(json_holds_what_was_done)
{
	struct state_input in = input();
	cJSON *o = parse(&in), *first;

	CHECK_INT(cJSON_GetNumberValue(cJSON_GetObjectItem(o, "schema")), STATE_SCHEMA);
	CHECK_STR(text_at(o, "root", "proto"), "rdma");
	CHECK_STR(text_at(o, "root", "version"), "4.2");
	first = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "rails"), 0);
	CHECK_STR(text_at(first, "rdma", "device"), "rxe0");
	CHECK_STR(string_at(first, "hostname"), "x\"; reboot #");
	CHECK(cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetObjectItem(first, "lease"),
			"expires_s")) == 3602.5);
	cJSON_Delete(o);
}

TEST(json_holds_the_image_and_what_is_on_its_way)
{
	static const struct web_result web = {
		.url = "http://10.0.0.1/root.squashfs",
		.proof = "signature",
		.sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.bytes = 3162112,
		.image = {.kind = IMAGE_ISO, .root = IMAGE_SQUASHFS,
			.inside = "/live/filesystem.squashfs", .overlay = true},
	};
	static const struct source_progress fetch = {
		.step = "image", .site = "http://10.0.0.1", .bytes = 7, .left = UINT64_MAX};
	static const struct source_progress known = {
		.step = "image", .bytes = 7, .size = 10, .rate = 1, .left = 3};
	struct state_input in = input();
	cJSON *o, *f;

	in.root = &image_source;
	in.record = &web;
	in.fetch = &fetch;
	o = parse(&in);
	CHECK_STR(text_at(o, "root", "type"), "image");
	CHECK_STR(text_at(o, "root", "format"), "iso");
	CHECK_STR(text_at(o, "root", "holds"), "squashfs");
	f = cJSON_GetObjectItem(o, "fetch");
	CHECK(cJSON_GetNumberValue(cJSON_GetObjectItem(f, "bytes")) == 7);
	CHECK(!cJSON_HasObjectItem(f, "size"));
	CHECK(!cJSON_HasObjectItem(f, "left_s"));
	cJSON_Delete(o);
	in.fetch = &known;
	o = parse(&in);
	f = cJSON_GetObjectItem(o, "fetch");
	CHECK(cJSON_GetNumberValue(cJSON_GetObjectItem(f, "left_s")) == 3);
	cJSON_Delete(o);
}

/* An IPoIB child with a lease, everything known. */
static const struct netdev ipoib_child = {
	.ifindex = 5,
	.name = "ib0.8001",
	.hwtype = 32,
	.hw = {.bytes = {0x80, 0x00, 0x02, 0x08, 0xfe, 0x80, [12] = 0x00, 0x02, 0xc9, 0x03, 0x00,
		0x0e, 0x0b, 0x72}, .len = 20},
	.broadcast = {.bytes = {0x00, 0xff, 0xff, 0xff, 0xff, 0x12, 0x40, 0x1b, 0x80, 0x01},
		.len = 20},
	.mtu = 2044,
};

static const struct address_result full_lease = {
	.method = ADDRESS_DHCP4,
	.addr = IP4(10, 0, 0, 5),
	.prefix = 16,
	.gateway = IP4(10, 0, 0, 1),
	.dns = {IP4(10, 0, 0, 2)},
	.n_dns = 1,
	.search = "a.example b.example",
	.routes = {{IP4(10, 8, 0, 0), 16, IP4(10, 0, 0, 8)},
		{.dst = IP4(10, 9, 0, 0), .prefix = 16}},
	.n_routes = 2,
	.adopted = true,
	.boot_file = "boot.ipxe",
	.hostname = "n1",
	.domain = "a.example",
	.server_id = IP4(10, 0, 0, 1),
	.client_id = {0xff, [6] = 0x02, [9] = 0x02, 0xc9, 0x00},
	.client_id_len = 20,
	.lease_s = 3600,
	.obtained = 100 * NSEC_PER_SEC,
	.expires = 3700 * NSEC_PER_SEC,
};

static const struct address_result full_lease6 = {
	.method = ADDRESS_DHCP6,
	.addr = {.family = AF_INET6, .bytes = {0x20, 0x01, 0x0d, 0xb8, [15] = 5}},
	.prefix = 128,
	.gateway = {.family = AF_INET6, .bytes = {0xfe, 0x80, [15] = 1}},
	.dns = {{.family = AF_INET6, .bytes = {0x20, 0x01, 0x0d, 0xb8, [15] = 0x53}}},
	.n_dns = 1,
	.server_duid = {0, 3, 0, 1, 2},
	.server_duid_len = 10,
};

static const struct fabric_port active_port = {
	.device = "mlx5_0",
	.port = 1,
	.link_layer = LINK_LAYER_INFINIBAND,
	.state = PORT_ACTIVE,
	.guid = 0x2c903000e0b72,
	.rate = "100 Gb/sec (4X EDR)",
	.lid = 7,
	.sm_lid = 1,
	.sm = {.guid = 0x2c903000e0b01},
	.neighbour = {.type = FABRIC_NODE_SWITCH, .name = "switch \"one\"\n",
		.guid = 0x2c903000e0bff, .port = 36},
};

static struct state_rail full_rail(void)
{
	return (struct state_rail){
		.name = "ib0.8001",
		.state = "ready",
		.ifindex = 5,
		.metric = 100,
		.carries_root = true,
		.dev = &ipoib_child,
		.parent = "ib0",
		.mode = "connected",
		.address = &full_lease,
		.address6 = &full_lease6,
		.port = &active_port,
	};
}

static const struct fabric_port dark_port = {
	.device = "mlx5_1",
	.port = 1,
	.link_layer = LINK_LAYER_INFINIBAND,
	.state = PORT_STATE_DOWN,
	.phys = PHYS_POLLING,
	.guid = 0x2c903000e0b73,
	.rate = "10 Gb/sec (4X SDR)",
	.netdev = "ib1",
	.pci = "0000:3b:00.1",
	.neighbour = {.type = FABRIC_NODE_SWITCH, .guid = 0x2c903000e0bff, .port = 2},
};

TEST(json_holds_all_of_a_rail)
{
	struct state_rail r = full_rail();
	struct state_input in = input();
	cJSON *o, *first, *dns, *route;

	in.rails = &r;
	in.now = 200 * NSEC_PER_SEC;
	in.wall = 1700000000;
	o = parse(&in);
	CHECK_STR(string_at(o, "now_at"), "2023-11-14T22:13:20Z");
	first = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "rails"), 0);
	CHECK_STR(string_at(first, "pkey"), "0x8001");
	CHECK_STR(string_at(first, "mode"), "connected");
	CHECK_STR(string_at(first, "parent"), "ib0");
	CHECK_STR(string_at(first, "search"), "a.example b.example");
	CHECK_STR(text_at(first, "rdma", "rate"), "100 Gb/sec (4X EDR)");
	CHECK_STR(text_at(first, "rdma", "sm_guid"), "0002c903000e0b01");
	CHECK_STR(text_at(first, "lease", "expires_at"), "2023-11-14T23:11:40Z");
	CHECK_STR(text_at(first, "lease", "client_id"), "ff000000000002000002c9000000000000000000");
	CHECK_STR(string_at(first, "hwaddr"),
		"80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:0e:0b:72");
	CHECK_STR(string_at(first, "address"), "10.0.0.5/16");
	CHECK_STR(string_at(first, "gateway"), "10.0.0.1");
	CHECK_STR(string_at(first, "method6"), "dhcp6");
	CHECK_STR(string_at(first, "address6"), "2001:db8::5/128");
	CHECK_STR(string_at(first, "gateway6"), "fe80::1");
	dns = cJSON_GetObjectItem(first, "dns");
	CHECK_INT(cJSON_GetArraySize(dns), 2);
	CHECK_STR(cJSON_GetStringValue(cJSON_GetArrayItem(dns, 1)), "2001:db8::53");
	route = cJSON_GetArrayItem(cJSON_GetObjectItem(first, "routes"), 0);
	CHECK_STR(string_at(route, "dst"), "10.8.0.0/16");
	CHECK_STR(string_at(route, "gateway"), "10.0.0.8");
	cJSON_Delete(o);
}

TEST(json_names_what_a_bond_is_made_of)
{
	const struct netdev bond = {.ifindex = 6, .name = "bond0", .kind = "bond", .hwtype = 1};
	struct state_rail r = {.name = "bond0", .state = "ready", .ifindex = 6, .dev = &bond,
		.lower = {"eth0", "eth1"}, .n_lower = 2};
	struct state_input in = input();
	cJSON *o, *first, *lower;

	in.rails = &r;
	o = parse(&in);
	first = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "rails"), 0);
	lower = cJSON_GetObjectItem(first, "lower");
	CHECK_STR(string_at(first, "kind"), "bond");
	CHECK_INT(cJSON_GetArraySize(lower), 2);
	CHECK_STR(cJSON_GetStringValue(cJSON_GetArrayItem(lower, 1)), "eth1");
	cJSON_Delete(o);
}

/* A clock that nobody has set says nothing about dates; a lease without end has none. */
TEST(dates_only_when_they_are_known)
{
	struct address_result endless = full_lease;
	struct state_rail r = full_rail();
	struct state_input in = input();
	cJSON *o;

	r.address = &endless;
	in.rails = &r;
	o = parse(&in);
	CHECK(!cJSON_HasObjectItem(o, "now_at"));
	cJSON_Delete(o);
	in.wall = 1700000000;
	endless.expires = NSEC_NEVER;
	o = parse(&in);
	CHECK(!cJSON_HasObjectItem(
		cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(o, "rails"), 0),
			"lease"), "expires_at"));
	cJSON_Delete(o);
}

TEST(json_of_a_failed_boot_lists_the_ports)
{
	struct state_input in = input();
	cJSON *o, *port;

	in.outcome = "failed";
	in.root = NULL;
	in.n_rails = 0;
	in.ports = &dark_port;
	in.n_ports = 1;
	o = parse(&in);
	port = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "ports"), 0);
	CHECK_STR(string_at(port, "phys"), "Polling");
	CHECK_STR(string_at(port, "guid"), "0002c903000e0b73");
	CHECK(cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetObjectItem(port, "neighbour"),
		"port")) == 2);
	CHECK(!cJSON_HasObjectItem(o, "handover"));
	cJSON_Delete(o);
}

TEST(json_holds_plan_and_managers)
{
	static const char line[] =
		"root=nfs:10.0.0.1:/srv/root rd.retry=60 ip=ib0:dhcp rd.ib.pkey=0x8001 "
		"rd.handover=ifcfg";
	const struct managers managers = {.installed = PLAN_HANDOVER_ALL,
		.enabled = PLAN_HANDOVER_IFUPDOWN | PLAN_HANDOVER_IFCFG,
		.chosen = PLAN_HANDOVER_IFCFG};
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct state_input in = input();
	_cleanup_free_ char *text = NULL;
	cJSON *o;

	CHECK_INT(plan_parse(&plan, line, strlen(line), NULL), 0);
	in.plan = plan;
	in.managers = &managers;
	o = parse(&in);
	text = cJSON_PrintUnformatted(cJSON_GetObjectItem(o, "plan"));
	CHECK(strstr(text, "\"retry_s=60\"") != NULL);
	CHECK(strstr(text, "\"handover=ifcfg\"") != NULL);
	free(text);
	text = cJSON_PrintUnformatted(cJSON_GetObjectItem(o, "handover"));
	CHECK_STR(text, "{\"profiles\":[\"ifcfg\"],\"enabled\":[\"ifupdown\",\"ifcfg\"],"
			"\"installed\":[\"networkd\",\"networkmanager\",\"ifupdown\",\"ifcfg\"]}");
	cJSON_Delete(o);
}

TEST(json_of_a_root_of_layers)
{
	static const struct wwinit_result layers = {.server = "http://10.0.0.1:9873",
		.layers = 3, .runtime = true, .bytes = 1 << 20, .unpacked = 3 << 20, .attempts = 4,
		.init = "/warewulf/run-init"};
	struct state_input in = input();
	cJSON *o, *first;

	in.root = &wwinit_source;
	in.record = &layers;
	o = parse(&in);
	first = cJSON_GetObjectItem(o, "root");
	CHECK_STR(string_at(first, "type"), "wwinit");
	CHECK_INT((int)cJSON_GetNumberValue(cJSON_GetObjectItem(first, "layers")), 3);
	CHECK(cJSON_IsTrue(cJSON_GetObjectItem(first, "runtime")));
	CHECK_STR(string_at(first, "init"), "/warewulf/run-init");
	cJSON_Delete(o);
}

TEST(json_of_block_roots_and_module_ledgers)
{
	static const struct block_result block = {.kind = "nvmf",
		.server = "san",
		.address = "10.0.0.1",
		.port = 4420,
		.proto = "rdma",
		.name = "nqn.2024-01.example:root",
		.device = "nvme0n1",
		.fstype = "ext4",
		.bytes = 1 << 30};
	static const struct module_entry modules[] = {
		{.name = "mlx5_core", .state = MODULE_LOADED, .begin = 1, .end = 2000000},
		{.name = "ib_ipoib", .state = MODULE_FAILED, .cause = CAUSE_MODULE_MISSING,
			.text = "no such file"},
	};
	static const struct state_phase phases[] = {{"modules", 1, 2}, {"total", 1, 3}};
	struct state_input in = input();
	cJSON *o;

	in.root = &block_source;
	in.record = &block;
	in.modules = modules;
	in.n_modules = ARRAY_SIZE(modules);
	in.phases = phases;
	in.n_phases = ARRAY_SIZE(phases);
	o = parse(&in);
	CHECK_STR(text_at(o, "root", "device"), "nvme0n1");
	CHECK_INT(cJSON_GetArraySize(cJSON_GetObjectItem(o, "modules")), 2);
	cJSON_Delete(o);
}

TEST(json_lists_every_cause)
{
	struct report_config cfg = {.console_fd = -1, .kmsg_fd = -1};
	_cleanup_(report_freep) struct report *report = NULL;
	struct state_input in = input();
	cJSON *o, *list;

	CHECK_INT(report_new(&report, &cfg), 0);
	report_cause(report, CAUSE_DHCP_NO_OFFER, "eth0", 1, "3 sent");
	report_cause(report, CAUSE_ROOT_REFUSED, "10.0.0.1", 2, "rdma");
	in.report = report;
	o = parse(&in);
	list = cJSON_GetObjectItem(o, "causes");
	CHECK_INT(cJSON_GetArraySize(list), 2);
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(list, 1), "code")),
		"IA-E602");
	cJSON_Delete(o);
}

/* A program that reads JSON refuses a file with one byte that is not UTF-8. */
TEST(any_byte_makes_valid_json)
{
	static const struct {
		const char *raw, *want;
	} rows[] = {
		{"plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x90\xa7",
			"plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x90\xa7"},
		{"\xff", "\xef\xbf\xbd"},
		{"a\xc3", "a\xef\xbf\xbd"},
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xe0\x80\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf4\x90\x80\x80z", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"},
		{"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct state_input in = input();
		cJSON *o;

		in.cmdline = rows[i].raw;
		o = parse(&in);
		CHECK_STR(string_at(o, "cmdline"), rows[i].want);
		cJSON_Delete(o);
	}
}

/* For the next image of this machine: those of the image it was booted with, too. */
TEST(options_for_the_next_image)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct state_input in = input();
	static const char line[] = "root=nfs:192.0.2.1:/x ip=eth0:dhcp quiet";
	cJSON *o;

	CHECK_INT(plan_parse(&plan, line, strlen(line), NULL), 0);
	in.plan = plan;
	o = parse(&in);
	CHECK_STR(string_at(o, "options"), "root=nfs:192.0.2.1:/x ip=eth0:dhcp");
	cJSON_Delete(o);
	in.root = NULL; /* the network alone, beside a root of dracut's */
	o = parse(&in);
	CHECK_STR(string_at(o, "options"), "ip=eth0:dhcp");
	cJSON_Delete(o);
}

TEST(env_values_have_a_strict_alphabet)
{
	CHECK(state_value_ok("10.99.0.100/24"));
	CHECK(state_value_ok("[fe80::1%eth0]:/a_b,c=d"));
	CHECK(!state_value_ok("$(reboot)"));
	CHECK(!state_value_ok("a b"));
	CHECK(!state_value_ok("a;b"));
	CHECK(!state_value_ok("a`b"));
	CHECK(!state_value_ok("a'b"));
	CHECK(!state_value_ok("a\nb"));
	CHECK(!state_value_ok("a\\b"));
}

TEST(files_are_written_whole)
{
	char dir[] = "/tmp/initagent-state-XXXXXX", buf[4096];
	struct env env = {.prefix = dir};
	struct state_input in = input();
	char path[256];

	check_dir(dir);
	snprintf(path, sizeof(path), "%s/run", dir);
	CHECK_INT(mkdir(path, 0755), 0);
	CHECK_INT(state_write(&env, &in), 0);
	CHECK(env_read(&env, buf, sizeof(buf), STATE_DIR "/state.json") > 100);
	CHECK(env_read(&env, buf, sizeof(buf), STATE_DIR "/env") > 0);
	CHECK_STR(buf, "OUTCOME=done\nROOT_SERVER=10.99.0.1\nROOT_PROTO=rdma\nROOT_VERSION=4.2\n"
		       "NETDEV=eth0\nADDRESS=10.99.0.100/24\nRDMA_DEVICE=rxe0");
	CHECK_INT(env_read(&env, buf, sizeof(buf), STATE_DIR "/.env.new"), -ENOENT);
	CHECK_INT(file_write(&env, "/none/such", "x", "y", 1, 0644), -ENOENT);
}
