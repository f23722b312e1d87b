// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages of RFC 5424, byte by byte. */
#include "check.h"
#include "report/tell/syslog.h"

static const struct syslog_message usual = {
	.severity = SYSLOG_ERROR,
	.wall = 1700000000 * NSEC_PER_SEC + 123456789,
	.uptime = 12 * NSEC_PER_SEC + 345678901,
	.host = "n17.lab.example",
	.pid = 1,
	.id = "cause",
	.code = "IA-E402",
	.where = "ib0",
	.device = "mlx5_0/1",
	.guid = 0x0002c90300a1b2c3,
	.text = "the link has no carrier",
};

static void same(const struct syslog_message *m, const char *want)
{
	char buf[SYSLOG_MAX];

	CHECK_INT(syslog_format(buf, m), strlen(want));
	CHECK_STR(buf, want);
}

TEST(a_cause)
{
	same(&usual,
		"<27>1 2023-11-14T22:13:20.123456Z n17.lab.example initagent 1 cause "
		"[initagent@32473 "
		     "code=\"IA-E402\" where=\"ib0\" device=\"mlx5_0/1\" guid=\"0002c90300a1b2c3\" "
			"uptime=\"12.345\"] "
		     "the link has no carrier");
}

/* xCAT's log files have the text alone, for messages that are xCAT's by facility and name. */
TEST(a_cause_for_an_xcat_master)
{
	struct syslog_message m = usual;

	m.xcat = true;
	same(&m,
		"<163>1 2023-11-14T22:13:20.123456Z n17.lab.example xcat.deployment 1 cause "
		"[initagent@32473 "
		     "code=\"IA-E402\" where=\"ib0\" device=\"mlx5_0/1\" guid=\"0002c90300a1b2c3\" "
			"uptime=\"12.345\"] "
		     "initagent: ib0: IA-E402 the link has no carrier");
	m = (struct syslog_message){.severity = SYSLOG_INFO, .host = "", .id = "done", .code = "",
		.where = "", .device = "", .text = "total 2.31 s", .xcat = true};
	same(&m, "<166>1 - - xcat.deployment 0 done [initagent@32473 uptime=\"0.000\"] "
		 "initagent: total 2.31 s");
	m.where = "a\nb";
	same(&m, "<166>1 - - xcat.deployment 0 done [initagent@32473 where=\"a\\\\x0ab\" "
		 "uptime=\"0.000\"] initagent: a\\x0ab: total 2.31 s");
}

TEST(what_is_not_known)
{
	struct syslog_message m = {.severity = SYSLOG_INFO, .host = "", .id = "done", .code = "",
		.where = "", .device = "", .text = "total 2.31 s"};

	same(&m, "<30>1 - - initagent 0 done [initagent@32473 uptime=\"0.000\"] total 2.31 s");
}

/* What came from the network cannot end a value, a message or a line. */
TEST(hostile_values)
{
	struct syslog_message m = usual;

	m.wall = 0;
	m.host = "a b\n<0>1";
	m.where = "x\"] evil=\"\\";
	m.device = "";
	m.guid = 0;
	m.text = "line\n<0>1 - - next \x1b[2J \xff";
	same(&m,
		"<27>1 - a_b_<0>1 initagent 1 cause [initagent@32473 code=\"IA-E402\" "
		"where=\"x\\\"\\] evil=\\\"\\\\\" "
		 "uptime=\"12.345\"] line\\x0a<0>1 - - next \\x1b[2J \\xff");
}

TEST(whatever_is_too_long_is_cut)
{
	char huge[2 * SYSLOG_MAX + 1], buf[SYSLOG_MAX];
	struct syslog_message m = usual;

	memset(huge, '"', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = 0;
	m.host = m.where = m.code = m.device = m.text = huge;
	CHECK(syslog_format(buf, &m) < SYSLOG_MAX);
	CHECK(strlen(buf) < SYSLOG_MAX);
	CHECK(strstr(buf, "] \"\"\"")); /* the text has its place */
}
