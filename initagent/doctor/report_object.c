// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_object: "initagent doctor --report", one file for maintainers without access to the node.
 */
#include <glob.h>
#include <limits.h>
#include <sys/utsname.h>

#include "base/json_object.h"
#include "doctor/private.h"
#include "modules/kmsg.h"
#include "state/state_read.h"

#define REPORT_SCHEMA 1
#define TEXT_SIZE     65536
#define FILES_MAX     4096 /* a node with many ports, each with its counters, has some 2,000 */
#define LINES_MAX     1000

/* What is read; folders, what cannot be read and what is empty are left out. */
static const char *const patterns[] = {
	"/proc/cmdline", "/proc/version", "/proc/modules", "/sys/kernel/security/lockdown",
	"/etc/modprobe.d/*.conf", "/sys/class/infiniband/*/*",
	"/sys/class/infiniband/*/device/vendor", "/sys/class/infiniband/*/device/device",
	"/sys/class/infiniband/*/device/subsystem_*", "/sys/class/infiniband/*/device/numa_node",
	"/sys/class/infiniband/*/device/*_link_*", "/sys/class/infiniband/*/ports/*/*",
	"/sys/class/infiniband/*/ports/*/*counters/*",
	"/sys/class/infiniband/*/ports/*/pkeys/[0-7]",
	"/sys/class/infiniband/*/ports/*/gids/[0-7]",
	"/sys/class/infiniband/*/ports/*/gid_attrs/*/[0-7]", "/sys/class/net/*/address",
	"/sys/class/net/*/type", "/sys/class/net/*/mtu", "/sys/class/net/*/operstate",
	"/sys/class/net/*/carrier", "/sys/class/net/*/mode", "/sys/class/net/*/pkey",
	"/sys/class/net/*/umcast", "/sys/class/net/*/dev_port", "/sys/class/net/*/speed",
};

static void add_file(cJSON *list, const struct env *env, const char *path, char *text)
{
	cJSON *o;

	if (env_read(env, text, TEXT_SIZE, "%s", path) <= 0)
		return;
	o = json_item(list);
	json_text(o, "path", path);
	json_text(o, "text", text);
}

static void add_files(cJSON *list, const struct env *env)
{
	_cleanup_free_ char *text = malloc(TEXT_SIZE);
	size_t prefix = strlen(env->prefix);

	for (size_t i = 0; text && i < ARRAY_SIZE(patterns); i++) {
		char path[PATH_MAX];
		glob_t found = {0};

		if (env_path(env, path, sizeof(path), "%s", patterns[i]) < 0)
			continue;
		if (glob(path, 0, NULL, &found) == 0)
			for (size_t k = 0; k < found.gl_pathc && k < FILES_MAX; k++)
				add_file(list, env, found.gl_pathv[k] + prefix, text);
		globfree(&found);
	}
}

/* In what the kernel says about adapters, their firmware and IPoIB, one of these stands. */
static const char *const rdma_words[] = {"mlx", "infiniband", "Infiniband", "rdma", "RDMA", "ib_",
	"ib0", "hfi1", "opa_", "irdma", "bnxt_re", "cxgb", "qedr", "efa", "rxe", "siw", "ipoib",
	"rpcrdma", "firmware"};

static bool about_rdma(const char *line)
{
	for (size_t i = 0; i < ARRAY_SIZE(rdma_words); i++)
		if (strstr(line, rdma_words[i]))
			return true;
	return false;
}

/* The first line of a record; the others hold its device. */
static void take_record(const char *record, size_t len, void *data)
{
	_cleanup_free_ char *line = strndup(record, len);
	cJSON *list = data;

	if (!line)
		return;
	line[strcspn(line, "\n")] = 0;
	if (about_rdma(line) && cJSON_GetArraySize(list) < LINES_MAX)
		cJSON_AddItemToArray(list, cJSON_CreateString(line));
}

static void add_state(cJSON *top, const struct env *env)
{
	_cleanup_free_ char *text = NULL;
	cJSON *state = NULL;

	if (state_read(env, &text) >= 0 && state_parse(text, &state) >= 0)
		cJSON_AddItemToObject(top, "state", state);
}

cJSON *report_object(const struct env *env, cJSON *findings)
{
	_cleanup_close_ int kmsg = kmsg_open(env);
	cJSON *top = cJSON_CreateObject();
	struct utsname name;

	json_number(top, "schema", REPORT_SCHEMA);
	json_text(top, "initagent", INITAGENT_VERSION);
	if (uname(&name) == 0) {
		json_text(top, "kernel", name.release);
		json_text(top, "machine", name.machine);
	}
	cJSON_AddItemToObject(top, "doctor", findings);
	add_state(top, env);
	add_files(cJSON_AddArrayToObject(top, "files"), env);
	kmsg_each(kmsg, KMSG_WHOLE, take_record, cJSON_AddArrayToObject(top, "kernel_log"));
	return top;
}
