// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Metrics, read back by the rules of the text exposition format 0.0.4, as node_exporter's collector
 * does, which refuses a whole file for one bad line; and "initagent status --last-failure".
 */
#include "check.h"

#include <cjson/cJSON.h>
#include <sys/stat.h>

#include "base/file.h"
#include "state/commands.h"
#include "state/state.h"

#define FAMILIES_MAX 32
#define SERIES_MAX   64

/* What was read: families in order, and every series as written, to find what is there twice. */
struct reading {
	char families[FAMILIES_MAX][64];
	size_t n_families, n_series;
	bool typed; /* the last family has its TYPE */
	char series[SERIES_MAX][1024];
};

static bool name_byte(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || c == '_' || (!first && c >= '0' && c <= '9');
}

/* A metric's or a label's name. */
static const char *skip_name(const char *p)
{
	const char *begin = p;

	while (name_byte(*p, p == begin))
		p++;
	CHECK(p > begin);
	return p;
}

/* "value": escapes are \\, \" and \n; whatever else a backslash stands before is a mistake. */
static const char *skip_value(const char *p)
{
	CHECK_INT(*p++, '"');
	for (; *p != '"'; p++) {
		CHECK(*p >= ' ' && *p <= '~');
		if (*p == '\\') {
			p++;
			CHECK(*p == '\\' || *p == '"' || *p == 'n');
		}
	}
	return p + 1;
}

static void take_comment(struct reading *r, const char *line)
{
	char name[64], type[16];

	if (sscanf(line, "# HELP %63s", name) == 1) {
		CHECK(strncmp(name, "initagent_", 10) == 0 &&
			strlen(line) > strlen("# HELP ") + strlen(name) + 1);
		for (size_t i = 0; i < r->n_families; i++)
			CHECK(!streq(r->families[i], name));
		strscpy(r->families[r->n_families++], name, 64);
		r->typed = false;
		return;
	}
	CHECK_INT(sscanf(line, "# TYPE %63s %15s", name, type), 2);
	CHECK_STR(name, r->families[r->n_families - 1]);
	CHECK(!r->typed);
	CHECK_STR(type, "gauge");
	r->typed = true;
}

static void take_sample(struct reading *r, const char *line)
{
	const char *p = skip_name(line);
	char *end, *series = r->series[r->n_series++];

	CHECK(r->typed && r->n_series < SERIES_MAX);
	CHECK_INT(p - line, strlen(r->families[r->n_families - 1]));
	CHECK(strncmp(line, r->families[r->n_families - 1], (size_t)(p - line)) == 0);
	if (*p == '{') {
		do
			p = skip_value(skip_name(p + 1) + 1);
		while (*p == ',');
		CHECK_INT(*p++, '}');
	}
	snprintf(series, 1024, "%.*s", (int)(p - line), line);
	for (size_t i = 0; i + 1 < r->n_series; i++)
		CHECK(!streq(r->series[i], series));
	CHECK_INT(*p++, ' ');
	strtod(p, &end);
	CHECK(end > p && *end == 0);
}

static void read_metrics(const struct env *env, struct reading *r, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");
	char *copy, *rest, *line;

	*r = (struct reading){0};
	CHECK_INT(prometheus_print(env, out), 0);
	fclose(out);
	copy = rest = strdup(text);
	CHECK_INT(copy[strlen(copy) - 1], '\n');
	while ((line = strsep(&rest, "\n")))
		if (*line == '#')
			take_comment(r, line);
		else if (*line)
			take_sample(r, line);
	free(copy);
}

static struct env node(char *template, const char *state)
{
	struct env env = {.prefix = check_dir(template)};
	char path[256];

	snprintf(path, sizeof(path), "%s/run", env.prefix);
	CHECK_INT(mkdir(path, 0755), 0);
	CHECK_INT(file_write(&env, STATE_DIR, "state.json", state, strlen(state), 0644), 0);
	return env;
}

static const char usual[] =
	"{\"schema\":1,\"agent\":{\"version\":\"0.1.0\",\"restarts\":0,\"cpu_s\":0.021},"
	"\"kernel\":\"6.1.0\",\"outcome\":\"done\","
	"\"start_s\":1.5,\"now_s\":3.75,\"root\":{\"type\":\"nfs\",\"server\":\"10.0.0.1\","
	"\"proto\":\"rdma\",\"attempts\":2,"
	"\"fell_back\":false},\"rails\":[{\"netdev\":\"ib0\",\"state\":\"ready\","
	"\"address\":\"10.0.0.7/24\",\"carries_root\":true,"
	"\"rdma\":{\"device\":\"mlx5_0\",\"port\":1,\"guid\":\"0002c90300a1b2c3\","
	"\"neighbour\":{\"name\":\"leaf 3\",\"guid\":"
	"\"0002c90200400001\",\"port\":17}}},{\"netdev\":\"eth0\",\"state\":\"addressing\"}],"
	"\"causes\":[{\"code\":\"IA-E402\","
	"\"where\":\"ib0\",\"count\":3}],\"phases\":[{\"name\":\"modules\",\"begin_s\":1.5,"
	"\"end_s\":2.125},"
	"{\"name\":\"total\",\"begin_s\":1.5,\"end_s\":3.75}]}";

TEST(the_metrics_of_a_boot)
{
	static struct reading r;
	static char text[65536];
	char template[] = "/tmp/prometheusXXXXXX";
	struct env env = node(template, usual);
	static const char *const lines[] = {
		"initagent_info{version=\"0.1.0\",kernel=\"6.1.0\",root=\"nfs\","
			"server=\"10.0.0.1\",proto=\"rdma\"} 1\n",
		"initagent_boot_success 1\n", "initagent_boot_duration_seconds 2.25\n",
			"initagent_boot_start_seconds 1.5\n",
		"initagent_agent_cpu_seconds 0.021\n", "initagent_root_attempts 2\n",
			"initagent_root_fell_back 0\n",
		"initagent_boot_phase_seconds{phase=\"modules\"} 0.625000\n",
		"initagent_cause_occurrences{code=\"IA-E402\",where=\"ib0\"} 3\n",
		"initagent_rail_carries_root{netdev=\"ib0\",state=\"ready\","
			"address=\"10.0.0.7/24\",device=\"mlx5_0\",port=\"1\","
		"guid=\"0002c90300a1b2c3\",switch=\"leaf 3\",switch_guid=\"0002c90200400001\","
			"switch_port=\"17\"} 1\n",
		"initagent_boot_before_failed 0\n",
	};

	read_metrics(&env, &r, text, sizeof(text));
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!strstr(text, lines[i]))
			check_fail(__FILE__, __LINE__, "missing: %s in %s", lines[i], text);
}

/* What the network named cannot make the collector refuse the file. */
TEST(hostile_names)
{
	static struct reading r;
	static char text[65536];
	char template[] = "/tmp/prometheusXXXXXX";
	struct env env = node(template,
		"{\"outcome\":\"failed\",\"root\":{\"server\":\"a\\\"} 1\\nevil "
		"1\\\\\"},\"causes\":[{\"code\":"
					"\"\\u0000\",\"where\":\"\xff\xc3\\u00e9\\n# TYPE x "
						"counter\",\"count\":1e300},7],\"rails\":[null,{}],"
					"\"phases\":{\"name\":1}}");

	read_metrics(&env, &r, text, sizeof(text));
	CHECK(strstr(text, "server=\"a\\\"} 1\\\\x0aevil 1\\\\\",proto"));
	CHECK(strstr(text, "initagent_boot_success 0\n"));
}

TEST(the_file_is_written_whole_or_not_at_all)
{
	char template[] = "/tmp/prometheusXXXXXX", path[256], said[128] = "";
	struct env env = node(template, usual);
	FILE *was = stderr;
	struct stat st;

	CHECK_INT(prometheus_write(&env, "/run/initagent.prom"), 0);
	snprintf(path, sizeof(path), "%s/run/initagent.prom", env.prefix);
	CHECK(stat(path, &st) == 0 && st.st_size > 500 && (st.st_mode & 0777) == 0644);
	stderr = fmemopen(said, sizeof(said), "w");
	CHECK_INT(prometheus_write(&env, "initagent.prom"), -EINVAL);
	fclose(stderr);
	stderr = was;
	CHECK_STR(said, "initagent: initagent.prom: not an absolute path\n");
	/* as root, /dev/null would be gone */
	snprintf(path, sizeof(path), "%s/run/pipe", env.prefix);
	CHECK(mkfifo(path, 0600) == 0);
	CHECK_INT(prometheus_write(&env, "/run/pipe"), -EEXIST);
	CHECK(stat(path, &st) == 0 && S_ISFIFO(st.st_mode));
	/* and /dev/stdout; nor is a link followed: the folder may be another user's */
	snprintf(path, sizeof(path), "%s/run/link.prom", env.prefix);
	CHECK(symlink("initagent.prom", path) == 0);
	CHECK_INT(prometheus_write(&env, "/run/link.prom"), -EEXIST);
	CHECK(lstat(path, &st) == 0 && S_ISLNK(st.st_mode));
	snprintf(path, sizeof(path), "%s/run/initagent.prom", env.prefix);
	CHECK_INT(file_write(&env, STATE_DIR, "state.json", "{\"cut", 5, 0644), 0);
	CHECK_INT(prometheus_write(&env, "/run/initagent.prom"), -EBADMSG);
	CHECK(stat(path, &st) == 0 && st.st_size > 500);
}

/* --- the boot before ----------------------------------------------------------------------- */

static int last(const struct env *env, const char *cmdline, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");
	int status;

	file_write(env, "/proc", "cmdline", cmdline, strlen(cmdline), 0644);
	memset(text, 0, size);
	status = last_failure_print(env, out);
	fclose(out);
	return status;
}

TEST(the_last_failure_for_people)
{
	static const char record[] =
		"initagent-failure=1\ncode=IA-E402\nwhere=ib0\ntime=1700000000\nuptime=181\n"
		"text=why\n\n";
	char template[] = "/tmp/prometheusXXXXXX", text[2048];
	struct env env = node(template, usual);

	CHECK_INT(last(&env, "root=dhcp", text, sizeof(text)), 4);
	CHECK_INT(last(&env, "root=dhcp rd.report=efi", text, sizeof(text)), 0);
	CHECK_STR(text, "the previous boot left no failure record\n");
	CHECK_INT(file_write(&env, STATE_DIR, "last-failure", record, strlen(record), 0644), 0);
	CHECK_INT(last(&env, "root=dhcp", text, sizeof(text)), 1);
	CHECK(strstr(text, "failed     IA-E402 "));
	CHECK(strstr(text,
		": why\n  where    ib0\n  when     2023-11-14 22:13:20 UTC, 181 s after the "
		"kernel's start\n  check    "));
	CHECK_INT(file_write(&env, STATE_DIR, "last-failure", "initagent", 9, 0644), 0);
	CHECK_INT(last(&env, "root=dhcp", text, sizeof(text)), 4);
	CHECK_INT(last(&env, "root=dhcp rd.report=efi", text, sizeof(text)), 4);
	CHECK_STR(text, "");
}
