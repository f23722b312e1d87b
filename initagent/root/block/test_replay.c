// SPDX-License-Identifier: GPL-2.0-or-later
/* A mount that takes long: the disks of the driver are files, the mount itself does not end. */
#include "check.h"

#include <poll.h>

#include "base/worker.h"
#include "files.h"
#include "root/block/job.h"

static char dir[] = "/tmp/block-replay-XXXXXX";

static int mount_for_ever(struct block_job *j)
{
	strscpy(j->message.result.device, "fake0", BLOCK_DEVICE_MAX);
	j->message.step = BLOCK_STEP_MOUNT;
	CHECK_INT(worker_reply(&j->message, sizeof(j->message)), 0);
	return pause();
}

static void disconnect(struct block_job *j)
{
	files_text(j->env->prefix, "/disconnected", "");
}

static const struct block_ops fake = {
	.name = "fake", .port = 4420, .connect = mount_for_ever, .disconnect = disconnect};
static struct plan_portal portal = {.server = "192.0.2.1"};
static struct plan_block plan = {.kind = PLAN_BLOCK_NVMF, .name = "root", .portals = &portal,
	.n_portals = 1, .options = "", .flags = ""};
static const struct root_choice choice = {.kind = PLAN_ROOT_REMOTE, .block = &plan};

/* Until the event comes; others are passed over. */
static void await(struct source *b, enum source_event want, uint64_t now)
{
	enum source_event e;

	while ((e = source_pop_event(b)) != want) {
		struct pollfd p = {.fd = source_worker_fd(b), .events = POLLIN};

		if (e != SOURCE_NONE)
			continue;
		CHECK(poll(&p, 1, 20000) > 0);
		block_dispatch(b, now);
	}
}

static void disk_moved(const char *stat, const char *path_stat)
{
	files_text(dir, "/sys/class/block/fake0/stat", stat);
	files_text(dir, "/sys/class/block/fake0c1/stat", path_stat);
}

/* A journal of gigabytes is replayed as long as that takes. The kernel counts for the device, or
 * only for the paths below it that multipath hides. */
TEST(a_mount_that_makes_progress_has_its_time)
{
	static const struct {
		const char *stat, *path_stat, *words;
		unsigned sectors;
	} rows[] = {
		{"9 1 2050 3 2 0 50 9 0", "0 0 0 0 0 0 0 0", "journal (1 MiB so far)", 2000},
		{"9 1 2050 3 2 0 50 9 0", "5 0 48 0 0 0 2048 0", "journal (2 MiB so far)", 4096},
	};
	const struct env env = {.prefix = dir};
	const struct source_config cfg = {.env = &env, .choice = &choice, .address = "192.0.2.1",
		.sysroot = "/sysroot", .block = &fake, .ways = 1};
	struct source_progress p;
	struct source *b;
	uint64_t late;
	char text[300] = "";

	check_dir(dir);
	disk_moved("7 1 50 3 2 0 50 9 0", "0 0 0 0 0 0 0 0");
	CHECK_INT(block_begin(&b, &cfg, 1), 0);
	for (; !strstr(text, "the mount of"); block_describe(b, text, sizeof(text)))
		await(b, SOURCE_STEP, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		late = source_worker_deadline(b);
		disk_moved(rows[i].stat, rows[i].path_stat);
		block_source.progress(b, &p);
		CHECK_INT(p.bytes, rows[i].sectors * 512);
		block_dispatch(b, late);
		CHECK_INT(source_pop_event(b), SOURCE_STEP);
		CHECK_INT(block_describe(b, text, sizeof(text)), CAUSE_NONE);
		CHECK(strstr(text, "mounting fake root at 192.0.2.1 over tcp: "));
		CHECK(strstr(text, rows[i].words));
		CHECK_INT(source_worker_deadline(b), late + 30 * NSEC_PER_SEC);
	}
	/* another driver's disk does not count */
	files_text(dir, "/sys/class/block/vda/stat", "9 9 9 9 9 9 9 9");
	late = source_worker_deadline(b);
	block_dispatch(b, late);
	await(b, SOURCE_FAILED, late);
	CHECK_INT(b->cause, CAUSE_BLOCK_LOST);
	CHECK(strstr(b->text, "timed out after 30 s"));
	CHECK(env_exists(&env, "/disconnected"));
	block_end(b);
}
