// SPDX-License-Identifier: GPL-2.0-or-later
/* The state files: valid JSON whatever the network said, an env file that is never shell code. */
#include "check.h"

#include <cjson/cJSON.h>
#include <sys/stat.h>

#include "base/file.h"
#include "report/report.h"
#include "state/state.h"
#include "states.h"

static const struct state_rail rail = {
	.netdev = "eth0",
	.ifindex = 2,
	.hwaddr = "52:54:00:99:00:64",
	.mtu = 1500,
	.method = "dhcp",
	.address = "10.99.0.100/24",
	.hostname = "x\"; reboot #",
	.server = "10.99.0.1",
	.lease_s = 3600,
	.obtained = 2500000000,
	.expires = 3602500000000,
	.rdma_device = "rxe0",
	.rdma_port = 1,
	.carries_root = true,
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
		.root = &root,
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
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(first, "hostname")), "x\"; reboot #");
	CHECK(cJSON_GetNumberValue(
		      cJSON_GetObjectItem(cJSON_GetObjectItem(first, "lease"), "expires_s")) == 3602.5);
	cJSON_Delete(o);
}

TEST(json_holds_the_image_and_what_is_on_its_way)
{
	static const struct web_result web = {
		.url = "http://10.0.0.1/root.squashfs",
		.proof = "signature",
		.sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		.bytes = 3162112,
		.image = {.kind = IMAGE_ISO, .root = IMAGE_SQUASHFS, .inside = "/live/filesystem.squashfs", .overlay = true},
	};
	static const struct web_progress fetch = {.step = "image", .site = "http://10.0.0.1", .bytes = 7, .left = UINT64_MAX};
	static const struct web_progress known = {.step = "image", .bytes = 7, .size = 10, .rate = 1, .left = 3};
	struct state_input in = input();
	cJSON *o, *f;

	in.root = NULL;
	in.web = &web;
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
static struct state_rail full_rail(void)
{
	struct state_rail r = {
		.netdev = "ib0.8001",
		.ifindex = 5,
		.hwaddr = "80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:0e:0b:72",
		.mtu = 2044,
		.state = "ready",
		.method = "dhcp",
		.address = "10.0.0.5/16",
		.gateway = "10.0.0.1",
		.method6 = "dhcp6",
		.address6 = "2001:db8::5/128",
		.gateway6 = "fe80::1",
		.dns = {"10.0.0.2", "2001:db8::53"},
		.n_dns = 2,
		.search = "a.example b.example",
		.routes = {{"10.8.0.0/16", "10.0.0.8"}, {"10.9.0.0/16", ""}},
		.n_routes = 2,
		.metric = 100,
		.adopted = true,
		.boot_file = "boot.ipxe",
		.hostname = "n1",
		.domain = "a.example",
		.server = "10.0.0.1",
		.client_id = "ff000000000002000002c9000002c903000e0b72",
		.lease_s = 3600,
		.obtained = 100 * NSEC_PER_SEC,
		.expires = 3700 * NSEC_PER_SEC,
		.parent = "ib0",
		.pkey = 0x8001,
		.mode = "connected",
		.rdma_device = "mlx5_0",
		.rdma_port = 1,
		.link_layer = "InfiniBand",
		.port_state = "ACTIVE",
		.guid = "0002c903000e0b72",
		.rate = "100 Gb/sec (4X EDR)",
		.lid = 7,
		.sm_lid = 1,
		.sm_guid = "0002c903000e0b01",
		.neighbour = "switch \"one\"\n",
		.neighbour_guid = "0002c903000e0bff",
		.neighbour_port = 36,
		.carries_root = true,
	};

	return r;
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
	cJSON *o, *first, *lease, *route;

	in.rails = &r;
	in.now = 200 * NSEC_PER_SEC;
	in.wall = 1700000000;
	o = parse(&in);
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(o, "now_at")), "2023-11-14T22:13:20Z");
	first = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "rails"), 0);
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(first, "pkey")), "0x8001");
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(first, "mode")), "connected");
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(first, "parent")), "ib0");
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(first, "search")), "a.example b.example");
	CHECK_STR(text_at(first, "rdma", "rate"), "100 Gb/sec (4X EDR)");
	lease = cJSON_GetObjectItem(first, "lease");
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(lease, "expires_at")), "2023-11-14T23:11:40Z");
	route = cJSON_GetArrayItem(cJSON_GetObjectItem(first, "routes"), 0);
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(route, "dst")), "10.8.0.0/16");
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(route, "gateway")), "10.0.0.8");
	cJSON_Delete(o);
}

/* A clock that nobody has set says nothing about dates; a lease without end has none. */
TEST(dates_only_when_they_are_known)
{
	struct state_rail r = full_rail();
	struct state_input in = input();
	cJSON *o;

	in.rails = &r;
	o = parse(&in);
	CHECK(!cJSON_HasObjectItem(o, "now_at"));
	cJSON_Delete(o);
	in.wall = 1700000000;
	r.expires = NSEC_NEVER;
	o = parse(&in);
	CHECK(!cJSON_HasObjectItem(
		cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(o, "rails"), 0), "lease"), "expires_at"));
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
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(port, "phys")), "Polling");
	CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(port, "guid")), "0002c903000e0b73");
	CHECK(cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetObjectItem(port, "neighbour"), "port")) == 2);
	CHECK(!cJSON_HasObjectItem(o, "handover"));
	cJSON_Delete(o);
}

TEST(json_holds_plan_and_managers)
{
	static const char line[] = "root=nfs:10.0.0.1:/srv/root rd.retry=60 ip=ib0:dhcp rd.ib.pkey=0x8001 rd.handover=ifcfg";
	const struct managers managers = {.installed = PLAN_HANDOVER_ALL, .enabled = PLAN_HANDOVER_IFUPDOWN | PLAN_HANDOVER_IFCFG,
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

TEST(json_of_block_roots_and_module_ledgers)
{
	static const struct block_result block = {.kind = "nvmf", .server = "san", .address = "10.0.0.1", .port = 4420,
		.proto = "rdma", .name = "nqn.2024-01.example:root", .device = "nvme0n1", .fstype = "ext4", .bytes = 1 << 30};
	static const struct module_entry modules[] = {
		{.name = "mlx5_core", .state = MODULE_LOADED, .begin = 1, .end = 2000000},
		{.name = "ib_ipoib", .state = MODULE_FAILED, .cause = CAUSE_MODULE_MISSING, .text = "no such file"},
	};
	static const struct state_phase phases[] = {{"modules", 1, 2}, {"total", 1, 3}};
	struct state_input in = input();
	cJSON *o;

	in.root = NULL;
	in.block = &block;
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
		{"plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x90\xa7", "plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x90\xa7"},
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
		CHECK_STR(cJSON_GetStringValue(cJSON_GetObjectItem(o, "cmdline")), rows[i].want);
		cJSON_Delete(o);
	}
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
