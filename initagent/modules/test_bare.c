// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernels and images without modules, and images that only look so. */
#include "check.h"

#include "modtree.h"
#include "modules/modules.h"
#include "report/record.h"
#include "report/report.h"

/* Their drivers are built in; a device without one is said, and ends no boot. */
static void check_bare(struct modtree *tree, const char *cause)
{
	const struct modules_config cfg = {.kver = "9.9.9-other", .in_process = true};
	_cleanup_(modules_freep) struct modules *m = NULL;
	struct report_view v;

	modtree_file(tree, "/sys/bus/pci/devices/0000:03:00.0/modalias",
		"pci:v000015B3d00001019sv000015B3sd00000008bc02sc07i00\n");
	CHECK_INT(report_new(&tree->env.report, &(struct report_config){.console_fd = -1}), 0);
	CHECK_INT(modules_new(&m, &tree->env, &cfg), 0);
	(void)modules_coldplug(m, 1);
	CHECK_INT(modules_request(m, "nfsv4", 1), 0);
	CHECK_INT(modules_find(m, "nfsv4")->state, MODULE_PRESENT);
	report_view(tree->env.report, &v);
	CHECK_INT((int)v.n_causes, 1);
	CHECK_STR(cause_info(v.causes[0].cause)->code, cause);
	CHECK_STR(v.causes[0].where, "0000:03:00.0");
	tree->env.report = report_free(tree->env.report);
}

TEST(a_kernel_without_modules_needs_none)
{
	struct modtree tree;

	modtree_bare(&tree);
	check_bare(&tree, "IA-E210");
	/* nor are others' of use to it */
	modtree_file(&tree, "/lib/modules/" MODTREE_KVER "/kernel/nfsv4.ko", "");
	check_bare(&tree, "IA-E210");
}

TEST(an_image_without_modules_is_for_a_kernel_that_needs_none)
{
	struct modtree tree;

	modtree_bare(&tree);
	modtree_file(&tree, "/proc/modules", "");
	check_bare(&tree, "IA-E205");
	modtree_file(&tree, "/lib/modules/9.9.9-other/modules.builtin", "kernel/fs/nfs/nfs.ko\n");
	check_bare(&tree, "IA-E205");
}

TEST(an_image_with_others_modules_alone_lacks_its_index)
{
	static const char *const places[] = {"updates", "extra", "weak-updates"};
	const struct modules_config cfg = {.kver = "9.9.9-other", .in_process = true};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_(modules_freep) struct modules *m = NULL;
		struct modtree tree;
		char path[96];

		modtree_bare(&tree);
		snprintf(path, sizeof(path), "/lib/modules/9.9.9-other/%s/nfsv4.ko", places[i]);
		modtree_file(&tree, "/proc/modules", "");
		modtree_file(&tree, path, "");
		CHECK_INT(modules_new(&m, &tree.env, &cfg), 0);
		(void)modules_request(m, "nfsv4", 1);
		CHECK_INT(modules_find(m, "nfsv4")->cause, CAUSE_MODULE_NO_INDEX);
	}
}
