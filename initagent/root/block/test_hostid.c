// SPDX-License-Identifier: GPL-2.0-or-later
/* How a node calls itself: the order of what it is told, and what firmware is not believed. */
#include "check.h"

#include <sys/stat.h>

#include "root/block/hostid.h"

#define UUID  "37303738-3034-584d-5137-333230423843"
#define OTHER "11111111-2222-3333-4444-555555555555"
#define NQN   "nqn.2014-08.org.nvmexpress:uuid:"
/* of a machine without number, by its port's */
#define PORT_1 NQN "696e6974-6167-8000-8000-000000000001"

static struct env env;

static void write_file(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(full, sizeof(full), "%s%.*s", root, (int)(slash - path), path);
		mkdir(full, 0755);
	}
	snprintf(full, sizeof(full), "%s%s", root, path);
	f = fopen(full, "we");
	CHECK(f != NULL);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static struct hostid find(const char *nqn, const char *id, uint64_t node)
{
	struct hostid h;

	hostid_find(&env, nqn, id, node, &h);
	return h;
}

TEST(the_command_line_then_the_image_then_the_machine_then_the_port)
{
	char template[] = "/tmp/hostid-XXXXXX";
	char *root = check_dir(template);

	env.prefix = root;
	CHECK_STR(find(NULL, NULL, UINT64_C(0x0002c90300a1b2c3)).nqn,
		NQN "696e6974-6167-8000-8002-c90300a1b2c3");
	CHECK_STR(find(NULL, NULL, 1).nqn, PORT_1);
	write_file(root, "/sys/class/dmi/id/product_uuid", "37303738-3034-584D-5137-333230423843");
	CHECK_STR(find(NULL, NULL, 1).nqn, NQN UUID);
	CHECK_STR(find(NULL, NULL, 1).id, UUID);
	write_file(root, "/etc/nvme/hostnqn", NQN OTHER);
	CHECK_STR(find(NULL, NULL, 1).nqn, NQN OTHER);
	/* the identifier in the name goes with the name */
	CHECK_STR(find(NULL, NULL, 1).id, OTHER);
	write_file(root, "/etc/nvme/hostid", UUID);
	CHECK_STR(find(NULL, NULL, 1).id, UUID);
	CHECK_STR(find("nqn.me", OTHER, 1).nqn, "nqn.me");
	CHECK_STR(find("nqn.me", OTHER, 1).id, OTHER);
}

TEST(what_nobody_filled_in_is_nobody)
{
	static const char *const bad[] = {
		"00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
			"Not Settable", "",
		"37303738-3034-584d-5137-33323042384", "37303738-3034-584d-5137-3332304238431",
	};
	char template[] = "/tmp/hostid-XXXXXX";

	env.prefix = check_dir(template);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		write_file(env.prefix, "/sys/class/dmi/id/product_uuid", bad[i]);
		CHECK_STR(find(NULL, NULL, 1).nqn, PORT_1);
	}
	write_file(env.prefix, "/etc/nvme/hostnqn", "nqn.a,nqn=b");
	CHECK_STR(find(NULL, NULL, 1).nqn, PORT_1);
}
