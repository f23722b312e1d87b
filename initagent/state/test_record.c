// SPDX-License-Identifier: GPL-2.0-or-later
/* State files read back: good ones, odd ones, hostile ones; the phase table. */
#include "check.h"

#include "state/phase_table.h"
#include "state/record.h"

static enum record_fault parse(struct record **ret, const char *text)
{
	return record_parse(ret, "boots/n1.json", "n1", text, strlen(text));
}

static struct record *good(const char *text)
{
	struct record *r = NULL;

	CHECK_STR(record_fault_text(parse(&r, text)), "good");
	return r;
}

#define HEAD "{\"schema\":1,\"outcome\":\"done\",\"start_s\":2,\"now_s\":5"

static const char *table_of(const struct record *r, unsigned int columns, bool blocks)
{
	const struct phase_style style = {columns, blocks};
	static char text[8192];
	FILE *out = fmemopen(text, sizeof(text), "w");

	CHECK(out);
	phase_table_print(out, r, &style);
	fclose(out);
	return text;
}

TEST(files_that_are_no_records)
{
	static const struct {
		const char *text;
		enum record_fault want;
	} rows[] = {
		{"", RECORD_EMPTY},
		{"{", RECORD_SYNTAX},
		{HEAD, RECORD_SYNTAX},
		{"{\"schema\":1,\"outcome\":\"done\",\"start_s\":NaN,\"now_s\":5}", RECORD_SYNTAX},
		{"[]", RECORD_OBJECT},
		{"1", RECORD_OBJECT},
		{"{}", RECORD_SCHEMA},
		{"{\"schema\":2,\"outcome\":\"done\"}", RECORD_SCHEMA},
		{"{\"schema\":\"1\",\"outcome\":\"done\"}", RECORD_SCHEMA},
		{"{\"schema\":1}", RECORD_OUTCOME},
		{"{\"schema\":1,\"outcome\":\"DONE\"}", RECORD_OUTCOME},
		{"{\"schema\":1,\"outcome\":\"done\"}", RECORD_TIMES},
		{"{\"schema\":1,\"outcome\":\"done\",\"start_s\":5,\"now_s\":2}", RECORD_TIMES},
		{"{\"schema\":1,\"outcome\":\"done\",\"start_s\":-1,\"now_s\":2}", RECORD_TIMES},
		{"{\"schema\":1,\"outcome\":\"done\",\"start_s\":1,\"now_s\":1e999}", RECORD_TIMES},
		{"{\"schema\":1,\"outcome\":\"done\",\"start_s\":1,\"now_s\":1e8}", RECORD_TIMES},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct record *r = NULL;

		CHECK_STR(record_fault_text(parse(&r, rows[i].text)),
			record_fault_text(rows[i].want));
		CHECK(!r);
	}
}

TEST(a_file_too_large_is_refused_before_it_is_parsed)
{
	_cleanup_free_ char *text = calloc(1, RECORD_BYTES_MAX + 1);
	struct record *r = NULL;

	CHECK(text);
	memset(text, ' ', RECORD_BYTES_MAX + 1);
	CHECK_INT(record_parse(&r, "f", "f", text, RECORD_BYTES_MAX + 1), RECORD_LARGE);
	CHECK_INT(record_parse(&r, "f", "f", text, RECORD_BYTES_MAX), RECORD_SYNTAX);
}

TEST(a_record_of_all_kinds_of_rows)
{
	_cleanup_(record_freep) struct record *r = good(HEAD
		",\"agent\":{\"version\":\"0.1.0\"},\"kernel\":\"6.1\","
		"\"root\":{\"type\":\"nfs\",\"server\":\"10.0.0.1\",\"path\":\"/x\","
		"\"version\":\"4.2\",\"proto\":\"rdma\"},"
		"\"phases\":[{\"name\":\"link\",\"begin_s\":2,\"end_s\":3},{\"name\":\"total\","
		"\"begin_s\":2,\"end_s\":5}],"
		"\"modules\":[{\"name\":\"a\",\"state\":\"loaded\",\"begin_s\":2,\"end_s\":2.5},"
		"{\"name\":\"b\",\"state\":\"waiting\"}],"
		"\"work\":[{\"room\":\"root\",\"what\":\"rdma\",\"begin_s\":4,\"end_s\":5,"
		"\"result\":-110}],"
		"\"timeline\":[{\"s\":4,\"room\":\"root\",\"rail\":\"x\",\"from\":\"idle\","
		"\"to\":\"mounting\"},"
		"{\"s\":3,\"room\":\"link\",\"rail\":\"ib0\",\"from\":\"absent\",\"to\":\"down\"}],"
		"\"causes\":[{\"code\":\"IA-E306\",\"where\":\"p\",\"first_s\":2,\"last_s\":3,"
		"\"count\":4}],"
		"\"rails\":[{\"netdev\":\"ib0\",\"hostname\":\"node7\",\"carries_root\":true,"
		"\"rdma\":{\"device\":\"mlx5_0\",\"port\":1,"
		"\"neighbour\":{\"name\":\"leaf1\",\"guid\":\"12\",\"port\":9}}}]}");

	CHECK_STR(r->node, "node7");
	CHECK_STR(r->file, "boots/n1.json");
	CHECK_STR(r->root, "10.0.0.1:/x (NFS 4.2 over rdma)");
	CHECK_INT(r->n_phases, 1);
	CHECK_INT(r->n_modules, 2);
	CHECK_INT((int)r->modules[1].end, 0);
	CHECK_INT(r->works[0].result, -110);
	/* in the order of their times */
	CHECK_STR(r->changes[0].to, "down");
	CHECK_STR(r->changes[1].to, "mounting");
	CHECK_INT(r->causes[0].count, 4);
	CHECK_STR(r->rails[0].far_name, "leaf1");
	CHECK_INT(r->rails[0].far_port, 9);
	CHECK_INT(r->left_out, 0);
}

TEST(the_root_in_one_line)
{
	static const char *const rows[][2] = {
		{"{\"type\":\"image\",\"url\":\"http://s/r\",\"format\":\"erofs\","
		 "\"proof\":\"none\"}", "http://s/r (erofs image, proof: none)"},
		{"{\"type\":\"wwinit\",\"server\":\"http://10.0.0.1:9873\",\"layers\":2}",
			"Warewulf's layers from http://10.0.0.1:9873"},
		{"{\"type\":\"nbd\",\"name\":\"x\",\"server\":\"s\",\"proto\":\"tcp\"}",
			"nbd x on s (tcp)"},
		{"{\"type\":\"nfs\",\"server\":\"2001:db8::1\",\"path\":\"/r\","
		 "\"version\":\"4.2\",\"proto\":\"rdma\"}",
			"[2001:db8::1]:/r (NFS 4.2 over rdma)"},
		{"{\"type\":\"nfs\",\"server\":\"filer\",\"path\":\"/r\",\"version\":\"3\","
		 "\"proto\":\"tcp\",\"fell_back\":true}",
			"filer:/r (NFS 3 over tcp, fell back from RDMA)"},
		{"{}", ""},
	};
	char text[512];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(record_freep) struct record *r = NULL;

		snprintf(text, sizeof(text), HEAD ",\"root\":%s}", rows[i][0]);
		r = good(text);
		CHECK_STR(r->root, rows[i][1]);
	}
}

TEST(rows_with_impossible_times_are_left_out_and_counted)
{
	_cleanup_(record_freep) struct record *r = good(HEAD
		",\"phases\":[{\"name\":\"a\",\"begin_s\":3,\"end_s\":2},"
		"{\"name\":\"b\",\"begin_s\":-1,\"end_s\":2},{\"name\":\"c\",\"begin_s\":1e300,"
		"\"end_s\":1e301},"
		"{\"name\":\"d\"},7,null,{\"name\":\"e\",\"begin_s\":2,\"end_s\":2.5}],"
		"\"modules\":[{\"name\":\"x\",\"begin_s\":2,\"end_s\":3},{\"name\":\"y\","
		"\"begin_s\":9,\"end_s\":3},{\"name\":\"z\"}],"
		"\"timeline\":{\"s\":1},\"work\":7}");

	CHECK_INT(r->n_phases, 1);
	CHECK_STR(r->phases[0].name, "e");
	CHECK_INT(r->n_modules, 2);
	/* nothing of the row before is left in it */
	CHECK_STR(r->modules[1].name, "z");
	CHECK_INT((int)r->modules[1].begin, 0);
	CHECK_INT(r->left_out, 7);
}

/* Of the critical path: within the boot, with a name and a length. */
TEST(steps_that_cannot_be_are_left_out_and_counted)
{
	_cleanup_(record_freep) struct record *r = good(HEAD
		",\"critical\":[{\"name\":\"a\",\"begin_s\":2,\"end_s\":3},"
		"{\"name\":\"\",\"begin_s\":3,\"end_s\":4},{\"begin_s\":3,\"end_s\":4},"
		"{\"name\":\"b\",\"begin_s\":0,\"end_s\":3},"
		"{\"name\":\"c\",\"begin_s\":2,\"end_s\":900},"
		"{\"name\":\"d\",\"begin_s\":3,\"end_s\":3},"
		"{\"name\":\"x -> fake 9.99 s\",\"begin_s\":3,\"end_s\":5}]}");

	CHECK_INT(r->n_steps, 2);
	CHECK_STR(r->steps[1].name, "x -> fake 9.99 s");
	CHECK_INT(r->left_out, 5);
	/* the arrows between steps are the table's own */
	CHECK(strstr(table_of(r, 59, false),
		"  critical: a 1.00 s -> x -? fake 9.99 s 2.00 s\n"));
}

TEST(no_more_rows_than_a_bound_and_no_longer_texts)
{
	_cleanup_free_ char *text = calloc(1, 300000);
	_cleanup_(record_freep) struct record *r = NULL;
	size_t n;

	CHECK(text);
	n = (size_t)snprintf(text, 300000, HEAD ",\"hostname\":\"%0700d\",\"phases\":[{}", 1);
	for (int i = 0; i < 5000; i++)
		n += (size_t)snprintf(text + n, 300000 - n,
			",{\"name\":\"p%d\",\"begin_s\":2,\"end_s\":3}", i);
	snprintf(text + n, 300000 - n, "]}");
	r = good(text);
	CHECK_INT(r->n_phases, 16);
	CHECK_INT(r->left_out, 5001 - 16);
	CHECK_INT(strlen(r->node), RECORD_TEXT_MAX);
}

TEST(each_moment_counts_for_the_phase_that_lasts_longest)
{
	_cleanup_(record_freep) struct record *r =
		good("{\"schema\":1,\"outcome\":\"done\",\"start_s\":10,\"now_s\":20,\"phases\":["
		     "{\"name\":\"modules\",\"begin_s\":11,\"end_s\":16},{\"name\":\"link\","
		     "\"begin_s\":10,\"end_s\":12},"
		     "{\"name\":\"port\",\"begin_s\":15,\"end_s\":17},{\"name\":\"mount\","
		     "\"begin_s\":18.5,\"end_s\":20}]}");

	/* link until modules begin, modules until the port, which lasts longer, a gap, the mount */
	CHECK_INT((int)(record_alone(r, 0) * 1000 + .5), 4000);
	CHECK_INT((int)(record_alone(r, 1) * 1000 + .5), 1000);
	CHECK_INT((int)(record_alone(r, 2) * 1000 + .5), 2000);
	CHECK_INT((int)(record_alone(r, 3) * 1000 + .5), 1500);
	CHECK_INT((int)(record_between(r) * 1000 + .5), 1500);
}

TEST(what_a_node_is_called_whose_state_does_not_tell)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{"boots/node01.json", "node01"}, {"node01.json", "node01"}, {"node01", "node01"},
			{"a/b.c/d.e.json", "d.e"},
		{"node01/state.json", "node01"}, {"/x/node01/state.json", "node01"},
			{"state.json", "state"},
		{"/state.json", "state"}, {".json", ".json"}, {"a/.json", ".json"}, {"a/", "a/"},
	};
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		record_file_name(buf, sizeof(buf), rows[i].path);
		CHECK_STR(buf, rows[i].want);
	}
	record_file_name(buf, 4, "abcdef.json");
	CHECK_STR(buf, "abc");
	record_file_name(buf, sizeof(buf), RECORD_OWN_FILE);
	CHECK(buf[0] && !streq(buf, "state"));
}

TEST(files_that_cannot_be_read)
{
	char dir[] = "/tmp/test-record-XXXXXX";
	struct record *r = NULL;

	check_dir(dir);
	CHECK_INT(record_read(&r, "/nonexistent/state.json"), -ENOENT);
	CHECK_INT(record_read(&r, dir), -EISDIR);
	CHECK(!r);
}

TEST(the_phase_table)
{
	_cleanup_(record_freep) struct record *r = good(
		"{\"schema\":1,\"outcome\":\"failed\",\"hostname\":\"n\\u001b[2J<b>\","
		"\"start_s\":10,\"now_s\":20,\"phases\":["
		"{\"name\":\"modules\",\"begin_s\":10,\"end_s\":15},{\"name\":\"link\","
		"\"begin_s\":20,\"end_s\":20}],"
		"\"modules\":[{\"name\":\"a\",\"begin_s\":10,\"end_s\":11},{\"name\":\"b\","
		"\"begin_s\":10,\"end_s\":12}],"
		"\"causes\":[{\"code\":\"IA-E306\",\"where\":\"p\",\"first_s\":12,\"last_s\":13,"
		"\"count\":4}]}");

	CHECK_STR(table_of(r, 59, false),
		"n\\x1b[2J<b>: failed after 10.000 s; the kernel had run 10.000 s before\n"
		"  phase      from s  took s alone s  |0            10.00 s|\n"
		"  modules     0.000   5.000   5.000  |##########          |\n"
		"  link       10.000   0.000   0.000  |                   #|\n"
		"  between                     5.000\n"
		"  slowest modules: b 2.000 s, a 1.000 s\n"
		"  IA-E306 p: no subnet manager has set up the InfiniBand port (at 2.00 s to 3.00 "
			"s, 4 times)\n");
	CHECK(strstr(table_of(r, 59, true), "|\xe2\x96\x88\xe2\x96\x88"));
	/* a terminal too narrow still gets a table */
	CHECK(strstr(table_of(r, 10, false), "|########        |"));
}
