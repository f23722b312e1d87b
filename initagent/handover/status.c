// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * status: see status.h. The file is ours, but it is parsed like network data: bounded, and every field
 * may be missing.
 */
#include "handover/status.h"

#include <cjson/cJSON.h>

#include "handover/state.h"
#include "report/console.h"

#define STATE_FILE_MAX (512 * 1024)

enum { STATUS_REACHED = 0, STATUS_FAILED = 1, STATUS_RUNNING = 2, STATUS_NONE = 4 };

static const char *text(const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));

	return s ? s : "";
}

static double number(const cJSON *o, const char *key)
{
	const cJSON *n = cJSON_GetObjectItem(o, key);

	return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

/* Names from the network may hold anything; the terminal gets it escaped. */
static void print_clean(FILE *out, const char *label, const char *value)
{
	char clean[512];

	if (!*value)
		return;
	console_clean(clean, sizeof(clean), value);
	fprintf(out, "%-10s %s\n", label, clean);
}

static void print_image(FILE *out, const cJSON *root)
{
	char line[640];

	snprintf(line, sizeof(line), "%.400s, %s, proof: %s", text(root, "url"), text(root, "format"),
		text(root, "proof"));
	print_clean(out, "root", line);
}

/* What was on its way when the file was written. */
static void print_fetch(FILE *out, const cJSON *top)
{
	const cJSON *f = cJSON_GetObjectItem(top, "fetch");
	char line[512], size[32] = "?", left[32] = "";

	if (!f)
		return;
	if (number(f, "size") > 0)
		snprintf(size, sizeof(size), "%.0f", number(f, "size"));
	if (cJSON_HasObjectItem(f, "left_s"))
		snprintf(left, sizeof(left), ", %.0f s left", number(f, "left_s"));
	snprintf(line, sizeof(line), "%.40s, %.0f of %s bytes, %.0f bytes/s%s, from %.300s", text(f, "step"),
		number(f, "bytes"), size, number(f, "rate"), left, text(f, "server"));
	print_clean(out, "fetch", line);
}

static void print_root(FILE *out, const cJSON *top)
{
	const cJSON *root = cJSON_GetObjectItem(top, "root");
	char line[NFS_SOURCE_MAX + 128], source[NFS_SOURCE_MAX] = "";

	if (!root)
		return;
	if (streq(text(root, "type"), "image")) {
		print_image(out, root);
		return;
	}
	nfs_source(source, sizeof(source), text(root, "server"), text(root, "path"));
	snprintf(line, sizeof(line), "%s, NFS %s over %s port %.0f%s", source, text(root, "version"),
		text(root, "proto"), number(root, "port"),
		cJSON_IsTrue(cJSON_GetObjectItem(root, "fell_back")) ? " (fell back from RDMA)" : "");
	print_clean(out, "root", line);
}

static void print_lease(FILE *out, const cJSON *rail)
{
	const cJSON *lease = cJSON_GetObjectItem(rail, "lease");
	char line[256];

	if (!lease)
		return;
	snprintf(line, sizeof(line), "from %s, %.0f s", text(lease, "server"), number(lease, "seconds"));
	print_clean(out, "  lease", line);
}

/* LIDs are InfiniBand's alone. */
static void print_lids(FILE *out, const cJSON *rdma)
{
	char line[128];

	if (!number(rdma, "lid"))
		return;
	snprintf(line, sizeof(line), "%.0f, SM LID %.0f, port GUID %s", number(rdma, "lid"),
		number(rdma, "sm_lid"), text(rdma, "guid"));
	print_clean(out, "  LID", line);
}

static void print_port(FILE *out, const cJSON *rail)
{
	const cJSON *rdma = cJSON_GetObjectItem(rail, "rdma");
	const cJSON *far = cJSON_GetObjectItem(rdma, "neighbour");
	char line[256];

	if (!rdma)
		return;
	snprintf(line, sizeof(line), "%s/%.0f %s, link layer %s", text(rdma, "device"),
		number(rdma, "port"), text(rdma, "state"), text(rdma, "link_layer"));
	print_clean(out, "  port", line);
	print_lids(out, rdma);
	if (!far)
		return;
	snprintf(line, sizeof(line), "ends at %s port %.0f", *text(far, "name") ? text(far, "name") : text(far, "guid"),
		number(far, "port"));
	print_clean(out, "  cable", line);
}

static void print_rails(FILE *out, const cJSON *top)
{
	const cJSON *rail;
	char line[384];

	cJSON_ArrayForEach(rail, cJSON_GetObjectItem(top, "rails"))
	{
		snprintf(line, sizeof(line), "%s %s %s %s%s%s%s", text(rail, "netdev"), text(rail, "state"),
			text(rail, "method"), text(rail, "address"), *text(rail, "address6") ? ", " : "",
			text(rail, "address6"),
			cJSON_IsTrue(cJSON_GetObjectItem(rail, "carries_root")) ? " (carries the root)" : "");
		print_clean(out, "rail", line);
		print_port(out, rail);
		print_lease(out, rail);
	}
}

static void print_causes(FILE *out, const cJSON *top)
{
	const cJSON *c;
	char line[640];

	cJSON_ArrayForEach(c, cJSON_GetObjectItem(top, "causes"))
	{
		const char *id = text(c, "code");

		snprintf(line, sizeof(line), "%s %s: %s (%s, %.0f times)", id,
			cause_info(cause_from_code(id))->text, text(c, "text"), text(c, "where"),
			number(c, "count"));
		print_clean(out, "cause", line);
		print_clean(out, "  check", text(c, "check"));
	}
}

static void print_phases(FILE *out, const cJSON *top)
{
	double start = number(top, "start_s");
	const cJSON *p;

	fprintf(out, "%-10s %8s %8s\n", "phase", "from s", "took s");
	cJSON_ArrayForEach(p, cJSON_GetObjectItem(top, "phases"))
	{
		char clean[64];

		console_clean(clean, sizeof(clean), text(p, "name"));
		fprintf(out, "  %-8s %8.3f %8.3f\n", clean, number(p, "begin_s") - start,
			number(p, "end_s") - number(p, "begin_s"));
	}
}

static int outcome_status(const cJSON *top)
{
	const char *outcome = text(top, "outcome");

	if (streq(outcome, "done"))
		return STATUS_REACHED;
	return streq(outcome, "running") ? STATUS_RUNNING : STATUS_FAILED;
}

static int print_people(FILE *out, const char *buf)
{
	cJSON *top = cJSON_Parse(buf);
	int status;

	if (!top) {
		fprintf(out, "initagent: " STATE_DIR "/state.json is damaged\n");
		return STATUS_NONE;
	}
	status = outcome_status(top);
	print_clean(out, "outcome", text(top, "outcome"));
	print_root(out, top);
	print_fetch(out, top);
	print_rails(out, top);
	print_causes(out, top);
	print_phases(out, top);
	cJSON_Delete(top);
	return status;
}

int status_print(const struct env *env, FILE *out, bool json)
{
	_cleanup_free_ char *buf = malloc(STATE_FILE_MAX);
	int n;

	if (!buf)
		return STATUS_NONE;
	n = env_read(env, buf, STATE_FILE_MAX, STATE_DIR "/state.json");
	if (n < 0) {
		fprintf(out, "initagent: no state: " STATE_DIR "/state.json: %s\n", strerror(-n));
		return STATUS_NONE;
	}
	if (!json)
		return print_people(out, buf);
	fprintf(out, "%s\n", buf);
	return STATUS_REACHED;
}
