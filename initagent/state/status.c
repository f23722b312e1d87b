// SPDX-License-Identifier: GPL-2.0-or-later
/* status: see commands.h. The file is parsed like network data: any field may be missing. */
#include "state/commands.h"

#include "plan_nfs.h"
#include "state/state.h"
#include "state/state_read.h"
#include "report/console.h"

enum { STATUS_REACHED = 0, STATUS_FAILED = 1, STATUS_RUNNING = 2, STATUS_NONE = 4 };

/* Names from the network may hold anything; the terminal gets it escaped. */
static void print_clean(FILE *out, const char *label, const char *value)
{
	char clean[512];

	if (!*value)
		return;
	console_clean(clean, sizeof(clean), value);
	fprintf(out, "%-10s %s\n", label, clean);
}

static int outcome_status(const cJSON *top)
{
	const char *outcome = state_text(top, "outcome");

	if (streq(outcome, "done"))
		return STATUS_REACHED;
	return streq(outcome, "running") ? STATUS_RUNNING : STATUS_FAILED;
}

/* "45 s", "58 min", "3 h 12 min", "2 d": at most two units. */
static const char *duration(char *buf, size_t size, double seconds)
{
	static const struct {
		unsigned long from, unit, part;
		const char *name, *part_name;
	} rows[] = {{86400, 86400, 3600, "d", "h"}, {3600, 3600, 60, "h", "min"},
		{120, 60, 0, "min", ""}, {0, 1, 0, "s", ""}};
	unsigned long s = seconds > 0 && seconds < 1e9 ? (unsigned long)seconds : 0, rest;
	size_t i = 0;

	while (s < rows[i].from)
		i++;
	rest = rows[i].part ? s % rows[i].unit / rows[i].part : 0;
	snprintf(buf, size, "%lu %s", s / rows[i].unit, rows[i].name);
	if (rest)
		str_add(buf, size, " %lu %s", rest, rows[i].part_name);
	return buf;
}

static void print_outcome(FILE *out, const cJSON *top)
{
	static const char *const words[] = {
		[STATUS_REACHED] = "root reached after", [STATUS_FAILED] = "failed after",
			[STATUS_RUNNING] = "still running since",
	};
	double start = state_number(top, "start_s"),
		restarts = state_number(cJSON_GetObjectItem(top, "agent"), "restarts");
	char line[256];

	snprintf(line, sizeof(line), "%s %.2f s, %.2f s after the kernel started",
		words[outcome_status(top)],
		state_number(top, "now_s") - start, state_number(top, "now_s"));
	if (restarts > 0)
		str_add(line, sizeof(line),
			"; the agent was killed and started again %.0f %s", restarts,
			restarts > 1 ? "times" : "time");
	print_clean(out, "outcome", line);
}

static void print_image(FILE *out, const cJSON *root)
{
	char line[640];

	snprintf(line, sizeof(line), "%.400s, %s, proof: %s", state_text(root, "url"),
		state_text(root, "format"), state_text(root, "proof"));
	print_clean(out, "root", line);
}

static void print_block(FILE *out, const cJSON *root)
{
	char line[768];

	snprintf(line, sizeof(line), "%.16s %.300s on %.200s over %.8s%s%.32s%s%.16s%s",
		state_text(root, "type"), state_text(root, "name"),
		state_text(root, "server"), state_text(root, "proto"),
			*state_text(root, "device") ? ", /dev/" : "", state_text(root, "device"),
		*state_text(root, "fstype") ? ", " : "", state_text(root, "fstype"),
		state_true(root, "readonly") ? ", read only" : "");
	print_clean(out, "root", line);
}

/* What was on its way when the file was written. */
static void print_fetch(FILE *out, const cJSON *top)
{
	const cJSON *f = cJSON_GetObjectItem(top, "fetch");
	char line[512], size[32] = "?", left[32] = "";

	if (!f)
		return;
	if (state_number(f, "size") > 0)
		snprintf(size, sizeof(size), "%.0f", state_number(f, "size"));
	if (cJSON_HasObjectItem(f, "left_s"))
		snprintf(left, sizeof(left), ", %.0f s left", state_number(f, "left_s"));
	snprintf(line, sizeof(line), "%.40s, %.0f of %s bytes, %.0f bytes/s%s, from %.300s",
		state_text(f, "step"),
		state_number(f, "bytes"), size, state_number(f, "rate"), left,
			state_text(f, "server"));
	print_clean(out, "fetch", line);
}

static void print_nfs(FILE *out, const cJSON *root)
{
	char line[NFS_SOURCE_MAX + 128], source[NFS_SOURCE_MAX] = "";

	nfs_source_text(source, sizeof(source), state_text(root, "server"),
		state_text(root, "path"));
	snprintf(line, sizeof(line), "%s, NFS %s over %s port %.0f%s%s", source,
		state_text(root, "version"), state_text(root, "proto"), state_number(root, "port"),
		state_true(root, "fell_back") ? " (fell back from RDMA)" : "",
		state_true(root, "overlay") ? " under a writable layer" : "");
	print_clean(out, "root", line);
}

static void print_wwinit(FILE *out, const cJSON *root)
{
	char line[512];

	snprintf(line, sizeof(line), "Warewulf's, %.0f layers from %.300s, %s runtime overlay",
		state_number(root, "layers"), state_text(root, "server"),
		state_true(root, "runtime") ? "with the" : "without a");
	print_clean(out, "root", line);
}

static void print_root(FILE *out, const cJSON *top)
{
	static const struct {
		const char *type; /* NULL: all others */
		void (*print)(FILE *out, const cJSON *root);
	} kinds[] = {
		{"nfs", print_nfs}, {"image", print_image}, {"wwinit", print_wwinit},
		{NULL, print_block},
	};
	const cJSON *root = cJSON_GetObjectItem(top, "root");
	size_t i = 0;

	while (kinds[i].type && !streq(state_text(root, "type"), kinds[i].type))
		i++;
	if (root)
		kinds[i].print(out, root);
}

/* The real root's client renews it: then this is when the agent's lease would have ended. */
static void print_lease(FILE *out, const cJSON *rail, uint64_t now)
{
	const cJSON *lease = cJSON_GetObjectItem(rail, "lease");
	double left = state_number(lease, "expires_s") - (double)now / 1e9;
	char line[256], whole[32], rest[32];

	if (!lease)
		return;
	snprintf(line, sizeof(line), "from %s for %s, %s %s%s", state_text(lease, "server"),
		duration(whole, sizeof(whole), state_number(lease, "seconds")),
			left > 0 ? "ends in" : "ended",
		duration(rest, sizeof(rest), left > 0 ? left : -left),
			left > 0 ? "" : " ago unless renewed");
	print_clean(out, "  lease", line);
}

/* LIDs are InfiniBand's alone. */
static void print_lids(FILE *out, const cJSON *rdma)
{
	char line[128];

	if (!state_number(rdma, "lid"))
		return;
	snprintf(line, sizeof(line), "%.0f, SM LID %.0f, port GUID %s", state_number(rdma, "lid"),
		state_number(rdma, "sm_lid"), state_text(rdma, "guid"));
	print_clean(out, "  LID", line);
}

static void print_port(FILE *out, const cJSON *rail)
{
	const cJSON *rdma = cJSON_GetObjectItem(rail, "rdma");
	const cJSON *far = cJSON_GetObjectItem(rdma, "neighbour");
	char line[256];

	if (!rdma)
		return;
	snprintf(line, sizeof(line), "%s/%.0f %s, link layer %s", state_text(rdma, "device"),
		state_number(rdma, "port"), state_text(rdma, "state"),
			state_text(rdma, "link_layer"));
	print_clean(out, "  port", line);
	print_lids(out, rdma);
	if (!far)
		return;
	snprintf(line, sizeof(line), "ends at %s port %.0f",
		*state_text(far, "name") ? state_text(far, "name") : state_text(far, "guid"),
		state_number(far, "port"));
	print_clean(out, "  cable", line);
}

static void print_rails(FILE *out, const cJSON *top, uint64_t now)
{
	const cJSON *rail;
	char line[384];

	cJSON_ArrayForEach(rail, cJSON_GetObjectItem(top, "rails"))
	{
		snprintf(line, sizeof(line), "%s %s%s%s%s%s%s%s%s", state_text(rail, "netdev"),
			state_text(rail, "state"),
			*state_text(rail, "method") ? ", " : "", state_text(rail, "method"),
				*state_text(rail, "address") ? " " : "",
			state_text(rail, "address"), *state_text(rail, "address6") ? ", " : "",
				state_text(rail, "address6"),
			state_true(rail, "carries_root") ? " (carries the root)" : "");
		print_clean(out, "interface", line);
		print_port(out, rail);
		print_lease(out, rail, now);
	}
}

static void print_causes(FILE *out, const cJSON *top)
{
	double start = state_number(top, "start_s");
	char line[1024], count[64];
	const cJSON *c;

	cJSON_ArrayForEach(c, cJSON_GetObjectItem(top, "causes"))
	{
		const char *id = state_text(c, "code");

		count[0] = 0;
		if (state_number(c, "count") > 1)
			snprintf(count, sizeof(count), " to %.2f s, %.0f times",
				state_number(c, "last_s") - start, state_number(c, "count"));
		snprintf(line, sizeof(line), "%s %.100s: %s%s%.700s (at %.2f s%s)", id,
			state_text(c, "where"),
			cause_from_code(id) == CAUSE_NONE ? "" :
				cause_info(cause_from_code(id))->text,
			*state_text(c, "text") ? ": " : "", state_text(c, "text"),
				state_number(c, "first_s") - start, count);
		print_clean(out, "cause", line);
		print_clean(out, "  check", state_text(c, "check"));
	}
}

static void print_phases(FILE *out, const cJSON *top)
{
	double start = state_number(top, "start_s");
	const cJSON *p;

	fprintf(out, "%-10s %8s %8s\n", "phase", "from s", "took s");
	cJSON_ArrayForEach(p, cJSON_GetObjectItem(top, "phases"))
	{
		char clean[64];

		console_clean(clean, sizeof(clean), state_text(p, "name"));
		fprintf(out, "  %-8s %8.3f %8.3f\n", clean, state_number(p, "begin_s") - start,
			state_number(p, "end_s") - state_number(p, "begin_s"));
	}
}

static int print_state(FILE *out, const char *buf, const cJSON *top, uint64_t now, bool json)
{
	if (json) {
		fprintf(out, "%s\n", buf);
	} else {
		print_outcome(out, top);
		print_root(out, top);
		print_fetch(out, top);
		print_rails(out, top, now);
		print_causes(out, top);
		print_phases(out, top);
		fprintf(out, "%-10s " STATE_DIR "/log; where the time went: initagent timeline\n",
			"log");
	}
	return outcome_status(top);
}

int status_print(const struct env *env, FILE *out, uint64_t now, bool json)
{
	_cleanup_free_ char *buf = NULL;
	cJSON *top = NULL;
	int r = state_load(env, &buf, &top);

	if (r < 0)
		return STATUS_NONE;
	r = print_state(out, buf, top, now, json);
	cJSON_Delete(top);
	return r;
}
