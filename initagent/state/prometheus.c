// SPDX-License-Identifier: GPL-2.0-or-later
/* prometheus: see commands.h. One malformed line voids the file, so every value is escaped. */
#include "state/commands.h"

#include <limits.h>
#include <sys/stat.h>

#include "base/file.h"
#include "state/state.h"
#include "state/state_read.h"
#include "report/console.h"

static void head(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP initagent_%s %s\n# TYPE initagent_%s gauge\n", name, help, name);
}

/* A label's value: ASCII alone is always UTF-8, and two bytes and the end of a line are escaped. */
static void label(FILE *out, const char *before, const char *name, const char *value)
{
	char clean[512];

	console_clean(clean, sizeof(clean), value);
	fprintf(out, "%s%s=\"", before, name);
	for (const char *p = clean; *p; p++)
		fprintf(out, "%s%c", *p == '\\' || *p == '"' ? "\\" : "", *p);
	fputc('"', out);
}

static void single(FILE *out, const char *name, const char *help, double value)
{
	head(out, name, help);
	fprintf(out, "initagent_%s %.15g\n", name, value);
}

static void put_info(FILE *out, const cJSON *top)
{
	const cJSON *root = cJSON_GetObjectItem(top, "root");

	head(out, "info", "The agent and the root of this boot.");
	label(out, "initagent_info{", "version",
		state_text(cJSON_GetObjectItem(top, "agent"), "version"));
	label(out, ",", "kernel", state_text(top, "kernel"));
	label(out, ",", "root", state_text(root, "type"));
	label(out, ",", "server", state_text(root, "server"));
	label(out, ",", "proto", state_text(root, "proto"));
	fprintf(out, "} 1\n");
}

static void put_phases(FILE *out, const cJSON *top)
{
	const cJSON *p;

	head(out, "boot_phase_seconds", "How long a phase of the boot took; phases overlap.");
	cJSON_ArrayForEach(p, cJSON_GetObjectItem(top, "phases"))
	{
		if (!*state_text(p, "name"))
			continue;
		label(out, "initagent_boot_phase_seconds{", "phase", state_text(p, "name"));
		fprintf(out, "} %.6f\n", state_number(p, "end_s") - state_number(p, "begin_s"));
	}
}

static void put_causes(FILE *out, const cJSON *top)
{
	const cJSON *c;

	head(out, "cause_occurrences",
		"How often a cause was reported in this boot, also if resolved.");
	cJSON_ArrayForEach(c, cJSON_GetObjectItem(top, "causes"))
	{
		if (!*state_text(c, "code"))
			continue;
		label(out, "initagent_cause_occurrences{", "code", state_text(c, "code"));
		label(out, ",", "where", state_text(c, "where"));
		fprintf(out, "} %.0f\n", state_number(c, "count"));
	}
}

static void put_rail(FILE *out, const cJSON *rail)
{
	const cJSON *rdma = cJSON_GetObjectItem(rail, "rdma"),
		*far = cJSON_GetObjectItem(rdma, "neighbour");
	char port[16] = "", far_port[16] = "";

	if (rdma)
		snprintf(port, sizeof(port), "%.0f", state_number(rdma, "port"));
	if (far)
		snprintf(far_port, sizeof(far_port), "%.0f", state_number(far, "port"));
	label(out, "initagent_rail_carries_root{", "netdev", state_text(rail, "netdev"));
	label(out, ",", "state", state_text(rail, "state"));
	label(out, ",", "address", state_text(rail, "address"));
	label(out, ",", "device", state_text(rdma, "device"));
	label(out, ",", "port", port);
	label(out, ",", "guid", state_text(rdma, "guid"));
	label(out, ",", "switch", state_text(far, "name"));
	label(out, ",", "switch_guid", state_text(far, "guid"));
	label(out, ",", "switch_port", far_port);
	fprintf(out, "} %d\n", state_true(rail, "carries_root"));
}

static void put_rails(FILE *out, const cJSON *top)
{
	const cJSON *rail;

	head(out, "rail_carries_root", "The paths to the root, 1 for the one in use.");
	cJSON_ArrayForEach(rail, cJSON_GetObjectItem(top, "rails"))
		if (*state_text(rail, "netdev"))
			put_rail(out, rail);
}

static void put_before(FILE *out, const struct env *env)
{
	single(out, "boot_before_failed",
		"Whether the previous boot failed, as stored by rd.report=efi or pstore.",
		env_exists(env, STATE_DIR "/last-failure"));
}

static void put_all(const struct env *env, FILE *out, const cJSON *top)
{
	const cJSON *agent = cJSON_GetObjectItem(top, "agent"),
		*root = cJSON_GetObjectItem(top, "root");

	put_info(out, top);
	single(out, "boot_success", "Whether the root was reached.",
		streq(state_text(top, "outcome"), "done"));
	single(out, "boot_duration_seconds", "From the agent's start to the root.",
		state_number(top, "now_s") - state_number(top, "start_s"));
	single(out, "boot_start_seconds", "The agent's start, since the kernel's.",
		state_number(top, "start_s"));
	single(out, "agent_cpu_seconds", "CPU time of the agent alone.",
		state_number(agent, "cpu_s"));
	single(out, "agent_restarts", "How often a killed agent was started again.",
		state_number(agent, "restarts"));
	single(out, "root_attempts", "Attempts until the root was mounted.",
		state_number(root, "attempts"));
	single(out, "root_fell_back", "Whether a root requested over RDMA was mounted over TCP.",
		state_true(root, "fell_back"));
	put_phases(out, top);
	put_causes(out, top);
	put_rails(out, top);
	put_before(out, env);
}

int prometheus_print(const struct env *env, FILE *out)
{
	_cleanup_free_ char *buf = NULL;
	cJSON *top = NULL;
	int r = state_load(env, &buf, &top);

	if (r < 0)
		return r;
	put_all(env, out, top);
	cJSON_Delete(top);
	return 0;
}

/* A device, pipe or link, as /dev/stdout is one, would be replaced by a file. */
static bool is_special(const struct env *env, const char *path)
{
	char real[PATH_MAX];
	struct stat st;

	return env_path(env, real, sizeof(real), "%s", path) >= 0 && lstat(real, &st) == 0 &&
	       !S_ISREG(st.st_mode);
}

int prometheus_write(const struct env *env, const char *path)
{
	char dir[PATH_MAX], *data = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&data, &len);
	char *slash;
	bool printed;
	int r = out ? prometheus_print(env, out) : -ENOMEM;

	printed = r >= 0;
	if (out)
		fclose(out);
	if (r >= 0 && *path != '/')
		r = -EINVAL;
	if (r >= 0 && strscpy(dir, path, sizeof(dir)) < 0)
		r = -ENAMETOOLONG;
	if (r >= 0 && is_special(env, path))
		r = -EEXIST;
	if (r >= 0) {
		slash = strrchr(dir, '/');
		*slash = 0;
		r = file_write(env, dir, slash + 1, data, len, 0644);
	}
	if (printed && r < 0)
		console_complain(path, r == -EINVAL ? "not an absolute path" : strerror(-r));
	free(data);
	return r;
}
