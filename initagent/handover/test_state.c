// SPDX-License-Identifier: GPL-2.0-or-later
/* The state files: valid JSON whatever the network said, an env file that is never shell code. */
#include "check.h"

#include <cjson/cJSON.h>
#include <sys/stat.h>

#include "handover/file.h"
#include "handover/state.h"

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
		.bytes = 3162112,
		.image = {.kind = IMAGE_ISO, .root = IMAGE_SQUASHFS, .overlay = true},
	};
	static const struct web_progress fetch = {.step = "image", .site = "http://10.0.0.1", .bytes = 7, .left = UINT64_MAX};
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
