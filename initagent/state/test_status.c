// SPDX-License-Identifier: GPL-2.0-or-later
/* What "initagent status" says of states, good and odd, and its exit status. */
#include "check.h"

#include <sys/stat.h>

#include "state/record.h"
#include "state/commands.h"

static char dir[] = "/tmp/test-status-XXXXXX";

/* What is printed for this state.json; the exit status in *ret_status. */
static const char *status_of(const char *state, double now, bool json, int *ret_status)
{
	static char text[16384], path[128];
	struct env env = {.prefix = dir};
	FILE *f;

	if (!*path) {
		check_dir(dir);
		snprintf(path, sizeof(path), "%s/run", dir);
		CHECK(mkdir(path, 0755) == 0);
		snprintf(path, sizeof(path), "%s/run/initagent", dir);
		CHECK(mkdir(path, 0755) == 0);
		snprintf(path, sizeof(path), "%s/run/initagent/state.json", dir);
	}
	f = state ? fopen(path, "we") : NULL;
	CHECK(!state || (f && fputs(state, f) >= 0 && fclose(f) == 0));
	memset(text, 0, sizeof(text));
	f = fmemopen(text, sizeof(text), "w");
	CHECK(f);
	*ret_status = status_print(&env, f, (uint64_t)(now * 1e9), json);
	fclose(f);
	return text;
}

#define LEASE ",\"lease\":{\"server\":\"10.0.0.1\",\"seconds\":43200,\"expires_s\":43210}"

TEST(a_boot_on_one_screen)
{
	int status;

	CHECK_STR(status_of("{\"schema\":1,\"agent\":{\"restarts\":1},\"outcome\":\"done\","
		"\"start_s\":2,\"now_s\":6.5,"
		"\"root\":{\"type\":\"nfs\",\"server\":\"10.0.0.1\",\"path\":\"/x\","
			"\"version\":\"4.2\",\"proto\":\"rdma\",\"port\":20049},"
		"\"rails\":[{\"netdev\":\"ib0\",\"state\":\"ready\",\"method\":\"dhcp\","
			"\"address\":\"10.0.0.9/24\",\"carries_root\":true" LEASE ","
		"\"rdma\":{\"device\":\"mlx5_0\",\"port\":1,\"state\":\"ACTIVE\","
			"\"link_layer\":\"InfiniBand\",\"lid\":4,\"sm_lid\":1,\"guid\":\"0c42\","
		"\"neighbour\":{\"name\":\"leaf1\",\"port\":9}}},{\"netdev\":\"ib1\","
			"\"state\":\"lost\"}],"
		"\"causes\":[{\"code\":\"IA-E306\",\"where\":\"mlx5_0/1\",\"text\":\"INIT\","
			"\"check\":\"opensm\",\"count\":3,\"first_s\":3,\"last_s\":4},"
		"{\"code\":\"IA-E402\",\"where\":\"ib1\",\"text\":\"carrier "
			"lost\",\"check\":\"cable\",\"count\":1,\"first_s\":5,\"last_s\":5}],"
		"\"phases\":[{\"name\":\"total\",\"begin_s\":2,\"end_s\":6.5}]}", 10, false,
			&status),
		"outcome    root reached after 4.50 s, 6.50 s after the kernel started; the agent "
			"was killed and started again 1 time\n"
		"root       10.0.0.1:/x, NFS 4.2 over rdma port 20049\n"
		"interface  ib0 ready, dhcp 10.0.0.9/24 (carries the root)\n"
		"  port     mlx5_0/1 ACTIVE, link layer InfiniBand\n"
		"  LID      4, SM LID 1, port GUID 0c42\n"
		"  cable    ends at leaf1 port 9\n"
		"  lease    from 10.0.0.1 for 12 h, ends in 12 h\n"
		"interface  ib1 lost\n"
		"cause      IA-E306 mlx5_0/1: no subnet manager has set up the InfiniBand port: "
			"INIT (at 1.00 s to 2.00 s, 3 times)\n"
		"  check    opensm\n"
		"cause      IA-E402 ib1: network interface has no carrier: carrier lost (at 3.00 "
			"s)\n"
		"  check    cable\n"
		"phase        from s   took s\n"
		"  total       0.000    4.500\n"
		"log        /run/initagent/log; where the time went: initagent timeline\n");
	CHECK_INT(status, 0);
}

TEST(when_a_lease_ends)
{
	static const struct {
		double now;
		const char *want;
	} rows[] = {
		{43165, "for 12 h, ends in 45 s\n"}, {39740, "ends in 57 min\n"},
			{31000, "ends in 3 h 23 min\n"},
		{43270, "ended 60 s ago unless renewed\n"},
			{43210 + 180000, "ended 2 d 2 h ago unless renewed\n"},
	};
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK(strstr(status_of("{\"outcome\":\"done\","
			"\"rails\":[{\"netdev\":\"ib0\"" LEASE "}]}", rows[i].now, false, &status),
			rows[i].want));
}

TEST(roots_of_other_kinds)
{
	int status;

	CHECK(strstr(status_of("{\"outcome\":\"done\",\"root\":{\"type\":\"nvmf\","
		"\"name\":\"nqn.x\",\"server\":\"10.0.0.1\",\"proto\":\"rdma\","
		"\"device\":\"nvme0n1\",\"fstype\":\"ext4\",\"readonly\":true}}", 1, false,
			&status),
		"root       nvmf nqn.x on 10.0.0.1 over rdma, /dev/nvme0n1, ext4, read only\n"));
	CHECK(strstr(status_of("{\"outcome\":\"done\",\"root\":{\"type\":\"wwinit\","
			       "\"server\":\"http://10.0.0.1:9873\",\"layers\":3,"
			       "\"runtime\":true}}", 1, false, &status),
		"root       Warewulf's, 3 layers from http://10.0.0.1:9873, with the runtime "
		"overlay\n"));
	CHECK(strstr(status_of("{\"outcome\":\"done\",\"root\":{\"type\":\"image\","
		"\"url\":\"http://s/r\",\"format\":\"squashfs\","
		"\"proof\":\"digest\"}}", 1, false, &status),
			"root       http://s/r, squashfs, proof: digest\n"));
}

TEST(exit_status_by_outcome_also_with_json)
{
	static const struct {
		const char *state, *words;
		int status;
	} rows[] = {
		{"{\"outcome\":\"done\"}", "outcome    root reached after", 0},
		{"{\"outcome\":\"failed\"}", "outcome    failed after", 1},
		{"{\"outcome\":\"running\"}", "outcome    still running since", 2},
		{"{\"outcome\":7}", "outcome    failed after", 1},
		{"{\"outcome\":", "", 4},
		{"[\"outcome\",\"done\"]", "", 4},
		{"{\"schema\":2,\"outcome\":\"done\"}", "", 4},
		{"", "", 4},
	};
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text = status_of(rows[i].state, 1, false, &status);

		CHECK_INT(status, rows[i].status);
		CHECK(status == 4 ? streq(text, "") :
			!strncmp(text, rows[i].words, strlen(rows[i].words)));
		/* with json: the file as it is, or nothing at all */
		text = status_of(rows[i].state, 1, true, &status);
		CHECK_INT(status, rows[i].status);
		CHECK(status == 4 ? streq(text, "") :
			!strncmp(text, rows[i].state, strlen(rows[i].state)));
	}
}

/* Written with all their digits they would fill any line. */
TEST(numbers_no_boot_can_have)
{
	int status;
	const char *text =
		status_of("{\"agent\":{\"restarts\":1e308},\"outcome\":\"done\",\"start_s\":-1e308,"
			  "\"now_s\":1e308,"
			  "\"fetch\":{\"size\":1e999,\"bytes\":1e308,\"left_s\":1e308},"
			  "\"rails\":[{\"rdma\":{\"device\":\"a\",\"port\":1e308}}],"
			  "\"phases\":[{\"name\":\"a\",\"begin_s\":-1e308,\"end_s\":1e308}]}",
			1, false, &status);

	CHECK_INT(status, 0);
	CHECK(!strncmp(text,
		"outcome    root reached after 0.00 s, 0.00 s after the kernel started\n", 70));
	text = status_of("{\"agent\":{\"restarts\":2},\"outcome\":\"failed\","
		"\"start_s\":-999999999999999,\"now_s\":999999999999999}", 1, false, &status);
	CHECK(!strncmp(text, "outcome    failed after 1999999999999998.00 s, ", 47));
	CHECK(strstr(text, "again 2 times\n"));
}

/* Larger than any agent writes. */
TEST(a_file_that_is_too_large)
{
	static char state[RECORD_BYTES_MAX + 2];
	int status;

	memset(state, ' ', sizeof(state) - 1);
	memcpy(state, "{\"outcome\":\"done\"}", 18);
	CHECK_STR(status_of(state, 1, false, &status), "");
	CHECK_INT(status, 4);
}

TEST(names_from_the_network_are_no_escape_sequences)
{
	int status;
	const char *text =
		status_of("{\"outcome\":\"done\",\"rails\":[{\"netdev\":\"ib0\\u001b[2J\","
			  "\"state\":\"\\u009b31m\",\"rdma\":{\"device\":"
			  "\"a\\nb\",\"neighbour\":{\"name\":\"\\u202ex\"}}}],"
			  "\"causes\":[{\"code\":\"\\u0007\",\"text\":\"\\t\",\"count\":1e300,"
			  "\"first_s\":-1e300}],\"phases\":[{\"name\":\"\\u001b\"}]}",
			1, false, &status);

	for (const char *c = text; *c; c++)
		CHECK(*c == '\n' || (*c >= ' ' && *c < 0x7f));
	CHECK(strstr(text, "interface  ib0\\x1b[2J"));
	CHECK_INT(status, 0);
}
