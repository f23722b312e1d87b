// SPDX-License-Identifier: GPL-2.0-or-later
/* The modules room on made-up module trees: order, parallelism, failure, blacklists. */
#include <limits.h>
#include <poll.h>
#include <signal.h>

#include "modroom.h"
#include "report/record.h"
#include "report/report.h"

#define OPEN(r, acts) modroom_open(&(r), acts, ARRAY_SIZE(acts))

TEST(dependencies_come_first)
{
	_cleanup_(modroom_close) struct modroom r;
	const struct module_entry *e;
	const char *log;

	modroom_begin(&r);
	e = modroom_load(&r, "rpcrdma");
	CHECK_INT(e->state, MODULE_LOADED);
	CHECK(e->begin && e->end >= e->begin && e->wanted && e->asked);
	log = modroom_log(&r);
	CHECK(modroom_before(log, "ib_core", "rdma_cm"));
	CHECK(modroom_before(log, "rdma_cm", "rpcrdma"));
	CHECK(modroom_before(log, "sunrpc", "rpcrdma"));
	CHECK(modules_find(r.modules, "ib_core")->wanted);
	CHECK(modules_find(r.modules, "ib_core")->asked);
	CHECK(modules_processes(r.modules) <= 2);
}

TEST(events_name_every_module_once)
{
	_cleanup_(modroom_close) struct modroom r;
	struct module_event ev;
	int loaded = 0;

	modroom_begin(&r);
	modroom_load(&r, "rdma_cm");
	while (modules_pop_event(r.modules, &ev)) {
		CHECK_INT(ev.type, MODULE_EVENT_LOADED);
		CHECK_STR(ev.entry.name, loaded++ ? "rdma_cm" : "ib_core");
	}
	CHECK_INT(loaded, 2);
	/* Asked again, nothing is loaded again, but the asker gets his answer. */
	modroom_load(&r, "rdma_cm");
	CHECK(modules_pop_event(r.modules, &ev));
	CHECK_STR(ev.entry.name, "rdma_cm");
	CHECK(!modules_pop_event(r.modules, &ev));
	CHECK_STR(modroom_log(&r), "ib_core rdma_cm");
}

static const char *load_nfs_and_rdma(struct modroom *r)
{
	r->cfg.workers = 1;
	r->still = true;
	modroom_start(r);
	CHECK_INT(modules_request(r->modules, "rpcrdma", 1), 0);
	CHECK_INT(modules_request(r->modules, "nfsv4", 1), 0);
	CHECK_INT(modroom_load(r, "rdma_rxe")->state, MODULE_LOADED);
	return modroom_log(r);
}

TEST(what_holds_others_up_goes_after_them)
{
	_cleanup_(modroom_close) struct modroom r;
	const char *log;

	modroom_open(&r, NULL, 0);
	log = load_nfs_and_rdma(&r);
	CHECK(modroom_before(log, "sunrpc", "rdma_rxe"));
	CHECK(modroom_before(log, "rdma_rxe", "nfsv4"));
	CHECK(modroom_before(log, "nfsv4", "rpcrdma"));
}

TEST(it_begins_when_the_rest_is_short_for_its_size)
{
	char path[PATH_MAX];
	_cleanup_(modroom_close) struct modroom r;
	const char *log;

	modroom_open(&r, NULL, 0);
	snprintf(
		path, sizeof(path), "%s/lib/modules/%s/kernel/nfsv4.ko", r.tree.root, MODTREE_KVER);
	CHECK_INT(truncate(path, 1024 * 1024), 0);
	log = load_nfs_and_rdma(&r);
	CHECK(modroom_before(log, "sunrpc", "nfsv4"));
	CHECK(modroom_before(log, "nfsv4", "ib_core"));
	CHECK(modroom_before(log, "rdma_rxe", "rpcrdma"));
}

TEST(dash_equals_underscore)
{
	_cleanup_(modroom_close) struct modroom r;

	modroom_begin(&r);
	CHECK_INT(modroom_load(&r, "crc32_pclmul")->state, MODULE_LOADED);
	CHECK_INT(modroom_load(&r, "crc32-pclmul")->state, MODULE_LOADED);
	CHECK_INT(modroom_load(&r, "crc32-generic")->state, MODULE_LOADED);
	CHECK_STR(modroom_log(&r), "crc32-pclmul crc32_generic");
}

TEST(bad_names_are_refused)
{
	static const char *const bad[] = {"", "-x", "../x", "a/b", "a.ko", "a b", "a;b", "a\nb",
		"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl"};
	_cleanup_(modroom_close) struct modroom r;
	size_t n;

	modroom_begin(&r);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_INT(modules_request(r.modules, bad[i], 1), -EINVAL);
	(void)modules_ledger(r.modules, &n);
	CHECK_INT((int)n, 0);
}

TEST(a_live_module_is_adopted)
{
	_cleanup_(modroom_close) struct modroom r;

	modroom_open(&r, NULL, 0);
	modtree_file(&r.tree, "/sys/module/ib_core/initstate", "live\n");
	modtree_file(&r.tree, "/sys/module/sunrpc/initstate", "coming\n");
	modroom_start(&r);
	CHECK_INT(modroom_load(&r, "rpcrdma")->state, MODULE_LOADED);
	CHECK_INT(modules_find(r.modules, "ib_core")->state, MODULE_PRESENT);
	CHECK(!strstr(modroom_log(&r), "ib_core"));
	/* One that is still coming is waited for in the kernel: EEXIST at its end. */
	CHECK(strstr(modroom_log(&r), "sunrpc"));
}

TEST(a_built_in_module_is_present)
{
	_cleanup_(modroom_close) struct modroom r;

	modroom_begin(&r);
	CHECK_INT(modroom_load(&r, "fixed_in")->state, MODULE_PRESENT);
	CHECK_STR(modroom_log(&r), "");
}

TEST(loaded_by_somebody_else_meanwhile)
{
	static const struct modroom_act acts[] = {{.module = "alone", .result = -EEXIST}};
	_cleanup_(modroom_close) struct modroom r;
	const struct module_entry *e;

	OPEN(r, acts);
	modroom_start(&r);
	e = modroom_load(&r, "alone");
	CHECK_INT(e->state, MODULE_PRESENT);
	CHECK_INT(e->cause, CAUSE_NONE);
	CHECK_INT(e->error, 0);
}

/* Linux 6.5 and later give the error of a load that was under way to all who ask for it. */
TEST(the_worker_of_a_killed_agent_gave_up)
{
	static const int errors[] = {-EBUSY, -EINTR, -ENOMEM};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct modroom_act acts[] = {
			{.module = "alone", .result = errors[i], .once = true}};
		_cleanup_(modroom_close) struct modroom r;
		const struct module_entry *e;

		OPEN(r, acts);
		modroom_start(&r);
		e = modroom_load(&r, "alone");
		CHECK_INT(e->state, MODULE_LOADED);
		CHECK_INT(e->cause, CAUSE_NONE);
		CHECK_STR(modroom_log(&r), "alone alone");
	}
}

TEST(soft_dependencies_order_but_do_not_bind)
{
	static const struct modroom_act acts[] = {{.module = "crc32c_generic", .result = -EIO}};
	_cleanup_(modroom_close) struct modroom r;

	OPEN(r, acts);
	modroom_start(&r);
	CHECK_INT(modroom_load(&r, "libcrc32c")->state, MODULE_LOADED);
	CHECK_STR(modroom_log(&r), "crc32c_generic libcrc32c after_crc");
	CHECK_INT(modules_find(r.modules, "crc32c_generic")->state, MODULE_FAILED);
	CHECK(!modules_find(r.modules, "crc32c_generic")->wanted);
	CHECK(modules_find(r.modules, "crc32c_generic")->asked);
}

TEST(soft_cycle_is_cut)
{
	_cleanup_(modroom_close) struct modroom r;

	modroom_begin(&r);
	CHECK_INT(modroom_load(&r, "loop_a")->state, MODULE_LOADED);
	CHECK_INT(modules_find(r.modules, "loop_b")->state, MODULE_LOADED);
}

TEST(modprobe_blacklist_binds_aliases_only)
{
	_cleanup_(modroom_close) struct modroom r;
	struct module_event ev;

	modroom_open(&r, NULL, 0);
	modtree_file(
		&r.tree, "/etc/modprobe.d/a.conf", "blacklist rpcrdma\nblacklist crc32-pclmul\n");
	modroom_start(&r);
	CHECK_INT(modules_request(r.modules, "xprtrdma", 1), 0);
	CHECK(modules_pop_event(r.modules, &ev));
	CHECK_INT(ev.type, MODULE_EVENT_FAILED);
	CHECK_INT(ev.entry.state, MODULE_BLOCKED);
	CHECK_INT(ev.entry.cause, CAUSE_MODULE_BLACKLISTED);
	CHECK_STR(ev.entry.name, "xprtrdma");
	modroom_load(&r, "crypto-crc32");
	CHECK_STR(modroom_log(&r), "crc32_generic");
	CHECK_INT(modroom_load(&r, "rpcrdma")->state, MODULE_LOADED);
}

TEST(our_blacklist_binds_everything)
{
	static const char *const names[] = {"ib-core", "alone"};
	_cleanup_(modroom_close) struct modroom r;
	const struct module_entry *e;

	modroom_open(&r, NULL, 0);
	r.cfg.blacklist = names;
	r.cfg.n_blacklist = r.cfg.n_barred = ARRAY_SIZE(names);
	modroom_start(&r);
	CHECK_INT(modroom_load(&r, "alone")->state, MODULE_BLOCKED);
	e = modroom_load(&r, "rdma_cm");
	CHECK_INT(e->state, MODULE_FAILED);
	CHECK_INT(e->cause, CAUSE_MODULE_BLACKLISTED);
	CHECK_STR(e->text, "needs ib_core: rd.driver.blacklist names it");
	CHECK_STR(modroom_log(&r), "");
}

TEST(install_lines_are_not_run)
{
	_cleanup_(modroom_close) struct modroom r;
	char path[128];

	modroom_open(&r, NULL, 0);
	snprintf(path, sizeof(path), "install other touch %s/was-run\ninstall alone /bin/false\n",
		r.tree.root);
	modtree_file(&r.tree, "/run/modprobe.d/a.conf", path);
	modroom_start(&r);
	CHECK_INT(modroom_load(&r, "alone")->state, MODULE_BLOCKED);
	CHECK_INT(modroom_load(&r, "other")->state, MODULE_LOADED);
	CHECK_STR(modroom_log(&r), "other");
	snprintf(path, sizeof(path), "%s/was-run", r.tree.root);
	CHECK(access(path, F_OK) < 0);
}

TEST(a_missing_module_is_named)
{
	_cleanup_(modroom_close) struct modroom r;
	const struct module_entry *e;

	modroom_begin(&r);
	e = modroom_load(&r, "mlx9_core");
	CHECK_INT(e->state, MODULE_FAILED);
	CHECK_INT(e->cause, CAUSE_MODULE_MISSING);
	CHECK_INT(e->error, -ENOENT);
	CHECK_STR(e->text, "no such module or alias in /lib/modules/" MODTREE_KVER);
}

TEST(a_file_missing_from_the_image_is_named)
{
	static const struct modroom_act acts[] = {{.module = "rdma_cm",
		.result = -ENOENT,
		.kmsg = "4,9,9,-;rdma_cm: Unknown symbol ib_core_symbol (err -2)\n"}};
	_cleanup_(modroom_close) struct modroom r;
	const struct module_entry *e;
	char path[128];

	OPEN(r, acts);
	snprintf(path, sizeof(path), "%s/lib/modules/" MODTREE_KVER "/kernel/ib_core.ko",
		r.tree.root);
	CHECK_INT(unlink(path), 0);
	modroom_start(&r);
	e = modroom_load(&r, "rdma_cm");
	CHECK_INT(e->cause, CAUSE_MODULE_MISSING);
	CHECK_STR(
		e->text, "needs kernel/ib_core.ko: in the module index, but its file is not there");
}

TEST(an_image_for_another_kernel_is_told)
{
	_cleanup_(modroom_close) struct modroom r;
	const struct module_entry *e;

	modroom_open(&r, NULL, 0);
	modtree_file(&r.tree, "/sys/module/ib_core/initstate", "live\n");
	modtree_file(&r.tree, "/proc/modules", "");
	r.cfg.kver = "9.9.9-other";
	modroom_start(&r);
	e = modroom_load(&r, "rdma_cm");
	CHECK_INT(e->cause, CAUSE_MODULE_NO_INDEX);
	CHECK_STR(e->text, "/lib/modules/9.9.9-other/modules.dep.bin is not there");
	/* What is live needs no index. */
	CHECK_INT(modroom_load(&r, "ib_core")->state, MODULE_PRESENT);
}

TEST(modules_that_depmod_has_not_seen)
{
	_cleanup_(modroom_close) struct modroom r;
	char path[128];

	modroom_open(&r, NULL, 0);
	modtree_file(&r.tree, "/proc/modules", "");
	snprintf(path, sizeof(path), "%s/lib/modules/" MODTREE_KVER "/modules.dep.bin",
		r.tree.root);
	CHECK_INT(unlink(path), 0);
	modroom_start(&r);
	CHECK_INT(modroom_load(&r, "nfsv4")->cause, CAUSE_MODULE_NO_INDEX);
}

TEST(options_from_files_and_command_line)
{
	static const struct module_param params[] = {{"other-one", "x", "1", false},
		{"alone", "b", "2", false}, {"alone", "words", "two words", false},
		{"alone", "flag", NULL, false}, {"alone", "a", "1", false}};
	_cleanup_(modroom_close) struct modroom r;

	modroom_open(&r, NULL, 0);
	modtree_file(&r.tree, "/etc/modprobe.d/a.conf", "options alone a=1\n");
	r.cfg.params = params;
	r.cfg.n_params = ARRAY_SIZE(params);
	modroom_start(&r);
	modroom_load(&r, "alone");
	CHECK_STR(modroom_log(&r), "alone[a=1 b=2 words=\"two words\" flag]");
}

TEST(as_many_options_as_a_line_holds)
{
	struct module_param params[600];
	_cleanup_(modroom_close) struct modroom r;

	for (size_t i = 0; i < ARRAY_SIZE(params); i++)
		params[i] = (struct module_param){i % 2 ? "far" : "near", "b", "1", false};
	params[ARRAY_SIZE(params) - 1] = (struct module_param){"alone", "b", "1", false};
	modroom_open(&r, NULL, 0);
	r.cfg.params = params;
	r.cfg.n_params = ARRAY_SIZE(params);
	modroom_start(&r);
	modroom_load(&r, "alone");
	CHECK_STR(modroom_log(&r), "alone[b=1]");
}

/* The kernel takes the last one of a name. */
TEST(an_option_of_the_agents_own_comes_first)
{
	static const struct module_param params[] = {
		{"alone", "max", "0", true}, {"other", "max", "1", false},
		{"other", "max", "0", true}};
	_cleanup_(modroom_close) struct modroom r;

	modroom_open(&r, NULL, 0);
	modtree_file(&r.tree, "/etc/modprobe.d/a.conf", "options alone max=1\n");
	r.cfg.params = params;
	r.cfg.n_params = ARRAY_SIZE(params);
	modroom_start(&r);
	modroom_load(&r, "alone");
	modroom_load(&r, "other");
	CHECK_STR(modroom_log(&r), "alone[max=0 max=1] other[max=0 max=1]");
}

TEST(an_option_that_cannot_be_passed_on)
{
	static const struct module_param params[] = {
		{"alone", "b", "say \"x\"", false}, {"other", "b c=1 d", "2", false}};
	_cleanup_(modroom_close) struct modroom r;

	modroom_open(&r, NULL, 0);
	r.cfg.params = params;
	r.cfg.n_params = ARRAY_SIZE(params);
	modroom_start(&r);
	CHECK_INT(modroom_load(&r, "alone")->cause, CAUSE_MODULE_OPTION);
	CHECK_INT(modroom_load(&r, "other")->cause, CAUSE_MODULE_OPTION);
	CHECK_STR(modroom_log(&r), "");
}

TEST(independent_modules_load_in_parallel)
{
	/* Each waits for the other's begin: a serial loader would never end. */
	static const struct modroom_act acts[] = {
		{.module = "alone", .wait_for = "other"}, {.module = "other", .wait_for = "alone"}};
	_cleanup_(modroom_close) struct modroom r;

	OPEN(r, acts);
	modroom_start(&r);
	CHECK_INT(modules_request(r.modules, "alone", 1), 0);
	CHECK_INT(modroom_load(&r, "other")->state, MODULE_LOADED);
	CHECK_INT(modules_find(r.modules, "alone")->state, MODULE_LOADED);
	CHECK_INT((int)modules_processes(r.modules), 2);
}

TEST(a_blocked_worker_holds_nobody_up)
{
	/* One after the other: no two of them have a use for a third process. */
	static const struct modroom_act acts[] = {{.module = "alone", .wait_for = "rdma_cm"}};
	_cleanup_(modroom_close) struct modroom r;

	OPEN(r, acts);
	r.cfg.workers = 1;
	modroom_start(&r);
	CHECK_INT(modules_request(r.modules, "alone", 1), 0);
	CHECK_INT(modroom_load(&r, "rdma_cm")->state, MODULE_LOADED);
	CHECK_INT(modules_find(r.modules, "alone")->state, MODULE_LOADED);
	CHECK_INT((int)modules_processes(r.modules), 2);
}

/* That says nothing of the module: a boot does not end of it while it has time. */
TEST(a_load_whose_process_is_killed_is_done_again)
{
	static const struct modroom_act acts[] = {
		{.module = "alone", .signal = SIGKILL, .once = true}};
	const struct module_entry *e;
	_cleanup_(modroom_close) struct modroom r;

	OPEN(r, acts);
	modroom_start(&r);
	e = modroom_load(&r, "alone");
	CHECK_INT(e->state, MODULE_LOADED);
	CHECK_INT(e->cause, CAUSE_NONE);
	CHECK_STR(modroom_log(&r), "alone alone");
}

struct words {
	int error;
	const char *kmsg;
	enum cause cause;
	const char *text;
};

/* The kernel's own lines, and what must be made of them. */
TEST(the_kernels_words_decide_the_cause)
{
	static const struct words rows[] = {
		{-ENOEXEC, "4,9,9,-;alone: disagrees about version of symbol module_layout\n",
			CAUSE_MODULE_SYMBOLS,
			"alone: disagrees about version of symbol module_layout"},
		{-ENOENT, "4,9,9,-;alone: Unknown symbol ib_foo (err -2)\n", CAUSE_MODULE_SYMBOLS,
			"alone: Unknown symbol ib_foo (err -2)"},
		{-ENOEXEC, "3,9,9,-;alone: version magic '6.2' should be '6.1'\n",
			CAUSE_MODULE_SYMBOLS, "alone: version magic '6.2' should be '6.1'"},
		{-ENOEXEC, "3,9,9,-;module alone: .gnu.linkonce.this_module section size must "
			"match the kernel's\n",
			CAUSE_MODULE_SYMBOLS,
			"module alone: .gnu.linkonce.this_module section size must match the "
			"kernel's"},
		{-EINVAL, "3,9,9,-;alone: `x' invalid for parameter `port'\n", CAUSE_MODULE_OPTION,
			"alone: `x' invalid for parameter `port'"},
		{-ENOMEM, "", CAUSE_NO_MEMORY, "Cannot allocate memory"},
		{-EKEYREJECTED, "", CAUSE_MODULE_SIGNATURE, "Key was rejected by service"},
		{-EKEYREJECTED, "5,9,9,-;Loading of unsigned module is rejected\n",
			CAUSE_MODULE_SIGNATURE, "Loading of unsigned module is rejected"},
		{-EPERM, "3,9,9,-;Module alone is blacklisted\n", CAUSE_MODULE_BLACKLISTED,
			"Module alone is blacklisted"},
		{-EIO,
			"6,9,9,-;alone: hello\n3,9,9,-;alone 0000:03:00.0: reset "
			"failed\n6,9,9,-;alone: bye\n",
			CAUSE_MODULE_FAILED, "alone 0000:03:00.0: reset failed"},
		{-EIO, "6,9,9,-;other: disagrees about version of symbol x\n", CAUSE_MODULE_FAILED,
			"Input/output error"},
		{-EIO, "15,9,9,-;initagent: IA-E206 other: Loading of unsigned module is rejected",
			CAUSE_MODULE_FAILED, "Input/output error"},
		{-ENODEV, "", CAUSE_MODULE_FAILED, "found no device that it supports"},
		{0,
			"4,9,9,-;alone 0000:03:00.0: Direct firmware load for a/b.bin failed with "
			"error -2\n",
			CAUSE_MODULE_FIRMWARE,
			"alone 0000:03:00.0: Direct firmware load for a/b.bin failed with error "
			"-2"},
		{0, "4,9,9,-;alone: probe of 0000:03:00.0 failed with error -110\n",
			CAUSE_MODULE_PROBE, "alone: probe of 0000:03:00.0 failed with error -110"},
		{0, "4,9,9,-;alone: unknown parameter 'portt' ignored\n", CAUSE_MODULE_OPTION,
			"alone: unknown parameter 'portt' ignored"},
		{0, "6,9,9,-;alone: Copyright somebody\n", CAUSE_NONE, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct modroom_act acts[] = {
			{.module = "alone", .result = rows[i].error, .kmsg = rows[i].kmsg}};
		const struct module_entry *e;
		_cleanup_(modroom_close) struct modroom r;

		OPEN(r, acts);
		modroom_start(&r);
		e = modroom_load(&r, "alone");
		CHECK_STR(e->text, rows[i].text);
		CHECK_INT(e->cause, rows[i].cause);
		CHECK_INT(e->state, rows[i].error ? MODULE_FAILED : MODULE_LOADED);
	}
}

TEST(a_failure_is_passed_up_with_its_cause)
{
	static const struct modroom_act acts[] = {{.module = "ib_core",
		.result = -ENOEXEC,
		.kmsg = "4,9,9,-;ib_core: disagrees about version of symbol module_layout\n"}};
	_cleanup_(modroom_close) struct modroom r;
	const struct module_entry *e;

	OPEN(r, acts);
	modroom_start(&r);
	e = modroom_load(&r, "rpcrdma");
	CHECK_INT(e->state, MODULE_FAILED);
	CHECK_INT(e->cause, CAUSE_MODULE_SYMBOLS);
	CHECK_INT(e->error, -ENOEXEC);
	CHECK_STR(
		e->text, "needs ib_core: ib_core: disagrees about version of symbol module_layout");
	/* What does not need it is loaded all the same. */
	CHECK_INT(modules_find(r.modules, "sunrpc")->state, MODULE_LOADED);
}

TEST(asked_again_after_failure_it_is_tried_again)
{
	static const struct modroom_act acts[] = {
		{.module = "ib_core", .result = -EKEYREJECTED, .once = true}};
	_cleanup_(modroom_close) struct modroom r;

	OPEN(r, acts);
	modroom_start(&r);
	CHECK_INT(modroom_load(&r, "rdma_cm")->state, MODULE_FAILED);
	CHECK_INT(modules_find(r.modules, "ib_core")->cause, CAUSE_MODULE_SIGNATURE);
	CHECK_INT(modroom_load(&r, "rdma_cm")->state, MODULE_LOADED);
	CHECK_STR(modroom_log(&r), "ib_core ib_core rdma_cm");
}

TEST(in_process_loading_needs_no_worker)
{
	_cleanup_(modroom_close) struct modroom r;

	modroom_open(&r, NULL, 0);
	r.cfg.in_process = true;
	modroom_start(&r);
	CHECK_INT(modroom_load(&r, "rpcrdma")->state, MODULE_LOADED);
	CHECK_INT((int)modules_processes(r.modules), 0);
}

TEST(stop_tells_who_is_still_loading)
{
	static const struct modroom_act acts[] = {{.module = "alone", .wait_for = "other"}};
	_cleanup_(modroom_close) struct modroom r;

	OPEN(r, acts);
	modroom_start(&r);
	CHECK_INT(modules_request(r.modules, "alone", 1), 0);
	modules_start(r.modules, now_ns());
	CHECK(!modules_settled(r.modules));
	/* Nothing of this is for a device. */
	CHECK(!modules_device_driver(r.modules));
	CHECK_INT((int)modules_stop(r.modules), 1);
	CHECK_INT(modules_request(r.modules, "other", 2), -ESHUTDOWN);
	/* Lets the worker go: it waits for this word in the loader's log. */
	modtree_file(&r.tree, "/loader.log", " other[]");
}
