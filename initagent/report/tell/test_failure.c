// SPDX-License-Identifier: GPL-2.0-or-later
/* The record of a failed boot: what is written can be read, and nothing else is. */
#include "check.h"
#include "report/tell/failure.h"

static const struct failure usual = {
	.cause = CAUSE_NETDEV_NO_CARRIER, .where = "ib0", .text = "not resolved within rd.retry",
		.wall = 1700000000, .uptime = 181};

TEST(what_is_written_can_be_read)
{
	char buf[FAILURE_RECORD_MAX];
	struct failure f;

	failure_write(buf, &usual);
	CHECK_INT(failure_read(buf, sizeof(buf), &f), 0);
	CHECK(failure_same(&f, &usual));
	CHECK_STR(f.where, usual.where);
	CHECK_STR(f.text, usual.text);
	CHECK_INT(f.wall, usual.wall);
	CHECK_INT(f.uptime, usual.uptime);
}

TEST(the_size_is_always_the_same_and_the_rest_is_lines)
{
	struct failure f = usual;
	char buf[FAILURE_RECORD_MAX];

	memset(f.where, '\xff', sizeof(f.where) - 1);
	memset(f.text, '\n', sizeof(f.text) - 1);
	failure_write(buf, &f);
	CHECK_INT(buf[FAILURE_RECORD_MAX - 1], '\n');
	CHECK(!memchr(buf, 0, sizeof(buf)));
	CHECK_INT(failure_read(buf, sizeof(buf), &f), 0);
	CHECK_INT(f.cause, usual.cause);
	CHECK(strstr(f.where, "\\xff"));
}

/* A warm reboot leaves pstore's memory with others' lines, and with what was never text. */
TEST(the_last_of_several_records_counts)
{
	static const char text[] = "\xff\0noise\ninitagent-failure=1\ncode=IA-E402\nwhere=ib0\n"
				   "noise\ninitagent-failure=1\ncode=IA-E601\nwhere=10.0.0.1\n"
					"uptime=7\n\nnoise=1\n";
	struct failure f;

	CHECK_INT(failure_read(text, sizeof(text) - 1, &f), 0);
	CHECK_INT(f.cause, cause_from_code("IA-E601"));
	CHECK_STR(f.where, "10.0.0.1");
	CHECK_INT(f.uptime, 7);
}

TEST(what_is_no_record)
{
	static const char *const texts[] = {
		"", "\n", "initagent-failure=1", "initagent-failure=1\n",
			"initagent-failure=1\ncode", "initagent-failure=1\ncode=",
		"initagent-failure=1\ncode=IA-E000", "initagent-failure=2\ncode=IA-E402",
			"code=IA-E402\nwhere=ib0",
		"initagent-failure=1\nwhere=\x1b[2J\ncode=IA-E402",
	};
	struct failure f;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		CHECK_INT(failure_read(texts[i], strlen(texts[i]), &f), -ENOENT);
}

TEST(the_same_failure_again_is_no_news)
{
	struct failure later = usual;

	later.wall += 200;
	later.uptime++;
	CHECK(failure_same(&later, &usual));
	strscpy(later.where, "ib1", sizeof(later.where));
	CHECK(!failure_same(&later, &usual));
}
