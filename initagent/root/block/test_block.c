// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The block room against a scripted protocol: what follows what, what ends an attempt, and that
 * nothing stays connected that is not the root. The script is chosen by the name in root=, because
 * attempts run in children; the device is files.
 */
#include "check.h"
#include "base/worker.h"

#include <poll.h>
#include <signal.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "report/record.h"
#include "root/block/job.h"
#include "root/source/note.h"

#define BEGIN NSEC_PER_SEC

static struct env env;
static struct report *report;

static void note(const struct block_job *j, const char *what)
{
	char path[512];
	int fd;

	CHECK(env_path(j->env, path, sizeof(path), "/%s", what) > 0);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	CHECK(fd >= 0);
	close(fd);
}

static int stale_left;

static int fake_connect(struct block_job *j)
{
	const char *name = j->plan->name;

	note(j, "connected");
	if (streq(name, "refuse"))
		return job_fail(j, CAUSE_BLOCK_REFUSED, -ECONNREFUSED, "nobody listens");
	if (streq(name, "stale") && stale_left-- > 0) {
		j->again = true;
		return job_fail(j, CAUSE_BLOCK_REFUSED, -ECONNRESET, "stale conn");
	}
	if (streq(name, "stale"))
		return job_fail(j, CAUSE_BLOCK_DENIED, -EACCES, "%d left", stale_left);
	if (streq(name, "tls"))
		return job_fatal(j, CAUSE_BLOCK_AUTH, -EPROTO, "it requires TLS");
	if (streq(name, "hang"))
		pause();
	if (streq(name, "crash"))
		_exit(1);
	if (streq(name, "flood")) {
		for (int n = 0; n < 2 * 16; n++)
			CHECK_INT(worker_reply(&j->message, sizeof(j->message)), 0);
		raise(SIGSTOP);
	}
	return 0;
}

static int fake_find(struct block_job *j, char device[static BLOCK_DEVICE_MAX])
{
	if (streq(j->plan->name, "nodev"))
		return job_fail(j, CAUSE_BLOCK_NO_DEVICE, 0, "no namespace yet");
	return strscpy(device, "fake0", BLOCK_DEVICE_MAX) > 0;
}

static void fake_disconnect(struct block_job *j)
{
	note(j, "disconnected");
}

static const struct block_ops fake = {
	.name = "fake",
	.port = 4420,
	.connect = fake_connect,
	.find = fake_find,
	.disconnect = fake_disconnect,
};

static void write_file(const char *path, const void *data, size_t len)
{
	char full[512];
	FILE *f;

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(full, sizeof(full), "%s%.*s", env.prefix, (int)(slash - path), path);
		mkdir(full, 0755);
	}
	snprintf(full, sizeof(full), "%s%s", env.prefix, path);
	f = fopen(full, "we");
	CHECK(f && fwrite(data, 1, len, f) == len && fclose(f) == 0);
}

static bool there(const char *what)
{
	char path[512];

	return env_path(&env, path, sizeof(path), "/%s", what) > 0 && access(path, F_OK) == 0;
}

/* A device of 1 MiB that begins with these bytes. */
static void make_device(const char *head, size_t len, bool readonly)
{
	write_file("/sys/class/block/fake0/size", "2048\n", 5);
	write_file("/sys/class/block/fake0/ro", readonly ? "1\n" : "0\n", 2);
	write_file("/dev/fake0", head, len);
}

static struct plan_portal portals[] = {
	{.server = "192.0.2.1"}, {.server = "192.0.2.2", .rdma = true}, {.server = "192.0.2.3"}};
static struct plan_block plan = {
	.kind = PLAN_BLOCK_NVMF, .portals = portals, .n_portals = 1, .options = "", .flags = ""};

/* The server of the next attempt, and what earlier ones said. */
static unsigned portal;
static struct source_refusals refusals;
/* Addresses of the only server's name; 0: one each. */
static unsigned ways;
static const struct root_choice choice = {.kind = PLAN_ROOT_REMOTE, .block = &plan};

static const struct plan_overlay *overlay;

/* As the target gives it; "": the server has none, as with SRP. */
static const char *address = "192.0.2.1";

static struct source *start_again(const char *name, bool readonly, unsigned rounds, uint64_t now)
{
	static char template[] = "/tmp/block-XXXXXX";
	static char target[64];
	const struct source_config cfg = {
		.env = &env, .choice = &choice, .turn = portal, .refusals = &refusals,
		.address = address, .sysroot = target, .readonly = readonly, .block = &fake,
		.overlay = overlay,
		.rounds = rounds, .ways = ways ? ways : (unsigned)plan.n_portals,
	};
	const struct report_config quiet = {.console_fd = -1, .kmsg_fd = -1, .quiet = true};
	struct source *b;

	if (!env.prefix) {
		env.prefix = check_dir(template);
		snprintf(target, sizeof(target), "%s/sysroot", env.prefix);
		mkdir(target, 0755);
		CHECK_INT(report_new(&report, &quiet), 0);
		env.report = report;
	}
	plan.name = name;
	CHECK_INT(block_begin(&b, &cfg, now), 0);
	return b;
}

static struct source *start(const char *name, bool readonly)
{
	return start_again(name, readonly, 0, BEGIN);
}

static enum cause waits_for(const struct source *b)
{
	char text[200];

	return block_describe(b, text, sizeof(text));
}

/* Until the event comes, or nothing has for 20 s. Other events are passed over. */
static bool until(struct source *b, enum source_event want, uint64_t now)
{
	for (;;) {
		struct pollfd p = {.fd = source_worker_fd(b), .events = POLLIN};
		enum source_event e;

		while ((e = source_pop_event(b)) != SOURCE_NONE)
			if (e == want)
				return true;
		if (p.fd < 0 || poll(&p, 1, 20000) <= 0)
			return false;
		block_dispatch(b, now);
	}
}

/* Until it has told what is missing; that is no event. */
static void until_text(struct source *b, const char *has, uint64_t now)
{
	while (!strstr(b->text, has)) {
		struct pollfd p = {.fd = source_worker_fd(b), .events = POLLIN};

		CHECK(poll(&p, 1, 20000) > 0);
		block_dispatch(b, now);
	}
}

static enum cause cause_of(const struct source *b, const char *has)
{
	if (!strstr(b->text, has))
		check_fail(__FILE__, __LINE__, "'%s' has no '%s'", b->text, has);
	return b->cause;
}

TEST(refused_is_tried_again_later_and_later)
{
	struct source *b = start("refuse", true);
	uint64_t now = BEGIN, pause = 0;

	for (int i = 0; i < 4; i++) {
		CHECK(until(b, SOURCE_FAILED, now));
		CHECK_INT(cause_of(b, "nobody listens"), CAUSE_BLOCK_REFUSED);
		CHECK(there("disconnected"));
		CHECK(source_worker_deadline(b) - now > pause);
		pause = source_worker_deadline(b) - now;
		block_dispatch(b, source_worker_deadline(b) - 1);
		CHECK_INT(source_pop_event(b), SOURCE_NONE);
		now = source_worker_deadline(b);
		block_dispatch(b, now);
		CHECK(until(b, SOURCE_AGAIN, now));
		block_end(b);
		b = start_again("refuse", true, (unsigned)i + 1, now);
		CHECK_INT(b->rounds, i + 2);
	}
	CHECK(pause <= 5 * NSEC_PER_SEC);
	block_end(b);
}

/* The server still has connections of before this node's reset, and lets go of one at a time. */
TEST(stale_connections_are_in_the_way_once_each)
{
	static const struct {
		int left;
		const char *says;
		enum cause cause;
	} rows[] = {
		{5, "-1 left", CAUSE_BLOCK_DENIED},
		{1000000, "stale conn", CAUSE_BLOCK_REFUSED},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct source *b;

		stale_left = rows[i].left;
		b = start("stale", true);
		CHECK(until(b, SOURCE_FAILED, BEGIN));
		CHECK_INT(cause_of(b, rows[i].says), rows[i].cause);
		block_end(b);
	}
}

/* The agent has one loop: a process that talks without end leaves the others their turn. */
TEST(a_flood_is_taken_in_portions)
{
	struct source *b = start("flood", true);
	struct pollfd p = {.fd = source_worker_fd(b), .events = POLLIN};
	int status;

	CHECK(waitpid(-1, &status, WUNTRACED) > 0 && WIFSTOPPED(status)); /* all is sent */
	block_dispatch(b, BEGIN);
	CHECK_INT(poll(&p, 1, 0), 1);
	block_dispatch(b, BEGIN);
	block_dispatch(b, BEGIN);
	CHECK_INT(poll(&p, 1, 0), 0);
	block_end(b);
}

TEST(with_two_servers_the_second_one_has_its_turn_at_once)
{
	plan.n_portals = 2;
	for (portal = 0; portal < 2; portal++) {
		struct source *b = start("refuse", true);

		CHECK(until(b, SOURCE_FAILED, BEGIN));
		CHECK_INT(block_next(&choice, &refusals, portal), !portal);
		if (portal)
			CHECK(source_worker_deadline(b) > BEGIN && source_worker_deadline(b) < BEGIN
				+ NSEC_PER_SEC);
		else
			CHECK(until(b, SOURCE_AGAIN, BEGIN));
		block_end(b);
	}
}

/* What a server says for good is its own: the others are asked, and the boot ends when none is
 * left. */
TEST(each_server_has_its_say)
{
	static const struct {
		unsigned portal;
		const char *name;
		enum source_event event;
		unsigned next;
	} rows[] = {
		{0, "tls", SOURCE_FAILED, 1},
		{1, "refuse", SOURCE_FAILED, 2},
		{2, "tls", SOURCE_FAILED, 1},
		{1, "tls", SOURCE_FATAL, 1},
	};

	plan.n_portals = 3;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct source *b;

		portal = rows[i].portal;
		b = start(rows[i].name, true);
		CHECK(until(b, rows[i].event, BEGIN));
		if (rows[i].event == SOURCE_FAILED)
			CHECK_INT(block_next(&choice, &refusals, portal), rows[i].next);
		else
			CHECK_INT(cause_of(b,
				"192.0.2.1: it requires TLS; 192.0.2.3: it requires TLS; "
				"192.0.2.2: it requires TLS"), CAUSE_BLOCK_AUTH);
		block_end(b);
	}
}

TEST(each_address_of_a_name_has_its_say)
{
	ways = 3;
	for (unsigned rounds = 0; rounds < ways; rounds++) {
		struct source *b = start_again("tls", true, rounds, BEGIN);

		CHECK(until(b, rounds + 1 < ways ? SOURCE_FAILED : SOURCE_FATAL, BEGIN));
		block_end(b);
	}
}

TEST(what_no_repetition_mends_ends_it)
{
	struct source *b = start("tls", true);

	CHECK(until(b, SOURCE_FATAL, BEGIN));
	CHECK_INT(cause_of(b, "TLS"), CAUSE_BLOCK_AUTH);
	CHECK_INT(source_worker_deadline(b), NSEC_NEVER);
	block_end(b);
}

TEST(a_connect_without_end_is_ended_and_what_it_left_taken_away)
{
	struct source *b = start("hang", true);
	uint64_t late = source_worker_deadline(b);

	CHECK(late > BEGIN && late <= BEGIN + 30 * NSEC_PER_SEC);
	CHECK(!there("disconnected"));
	CHECK_INT(waits_for(b), CAUSE_BLOCK_UNREACHABLE);
	block_dispatch(b, late);
	CHECK(until(b, SOURCE_FAILED, late));
	CHECK_INT(cause_of(b, "timed out after 20 s"), CAUSE_BLOCK_UNREACHABLE);
	CHECK(there("disconnected"));
	block_end(b);
}

TEST(a_room_that_is_closed_in_the_midst_leaves_nothing)
{
	struct source *b = start("hang", true);

	block_end(b);
	CHECK(there("disconnected"));
}

TEST(without_an_address_its_states_have_the_name_of_the_kind)
{
	struct report_view v;
	struct source *b;

	address = "";
	b = start("hang", true);
	report_view(report, &v);
	CHECK_STR(v.changes[v.n_changes - 1].to, "connecting");
	CHECK_STR(v.changes[v.n_changes - 1].rail, "fake");
	block_end(b);
	address = "192.0.2.1";
}

TEST(a_process_that_dies_is_a_failure_like_others)
{
	struct source *b = start("crash", true);

	CHECK(until(b, SOURCE_FAILED, BEGIN));
	CHECK_INT(cause_of(b, "exited unexpectedly"), CAUSE_INTERNAL);
	CHECK(there("disconnected"));
	block_end(b);
}

TEST(a_device_that_does_not_come)
{
	struct source *b = start("nodev", true);
	uint64_t late;
	char text[200];

	/* connecting -> device: two steps to be told of */
	while (waits_for(b) != CAUSE_BLOCK_NO_DEVICE)
		CHECK(until(b, SOURCE_STEP, BEGIN));
	block_describe(b, text, sizeof(text));
	CHECK_STR(text, "waiting for the block device of fake nodev at 192.0.2.1 over tcp");
	until_text(b, "no namespace yet", BEGIN);
	late = source_worker_deadline(b);
	block_dispatch(b, late);
	CHECK(until(b, SOURCE_FAILED, late));
	CHECK_INT(cause_of(b, "no namespace yet"), CAUSE_BLOCK_NO_DEVICE);
	CHECK(there("disconnected"));
	block_end(b);
}

/* Opening a pipe that nobody writes to waits, as opening a disk does while the kernel reads its
 * partitions. */
TEST(a_device_that_gives_no_block)
{
	struct source *b = start("hang", true); /* for the folder */
	char path[512];
	uint64_t late;

	block_end(b);
	make_device("", 0, false);
	CHECK(env_path(&env, path, sizeof(path), "/dev/fake0") > 0);
	CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
	b = start("x", true);
	while (waits_for(b) != CAUSE_BLOCK_LOST)
		CHECK(until(b, SOURCE_STEP, BEGIN));
	late = source_worker_deadline(b);
	block_dispatch(b, late);
	CHECK(until(b, SOURCE_FAILED, late));
	CHECK_INT(cause_of(b, "timed out after 10 s"), CAUSE_BLOCK_LOST);
	CHECK(there("disconnected"));
	block_end(b);
}

/* The disk is looked at again and again, which is no progress. */
TEST(a_partition_that_is_not_there)
{
	struct source *b = start("hang", true); /* for the folder */
	uint64_t late;

	block_end(b);
	make_device("", 0, false);
	plan.part = 3;
	b = start("x", true);
	until_text(b, "fake0 has no partition 3", BEGIN);
	late = source_worker_deadline(b);
	for (int looks = 0; looks < 4 && b->cause == CAUSE_NONE; looks++) {
		struct pollfd p = {.fd = source_worker_fd(b), .events = POLLIN};

		CHECK(poll(&p, 1, 20000) > 0);
		block_dispatch(b, late);
	}
	plan.part = 0;
	CHECK_INT(cause_of(b, "fake0 has no partition 3"), CAUSE_BLOCK_NO_DEVICE);
	CHECK(until(b, SOURCE_FAILED, late));
	CHECK(there("disconnected"));
	block_end(b);
}

TEST(content_that_is_no_file_system)
{
	struct source *b;

	b = start("hang", true); /* for the folder */
	block_end(b);
	make_device("<html>", 6, false);
	b = start("x", true);
	CHECK(until(b, SOURCE_FATAL, BEGIN));
	CHECK_INT(cause_of(b, "an HTML page"), CAUSE_BLOCK_NO_FS);
	block_end(b);
	write_file("/sys/class/block/fake0/fake0p2/partition", "2\n", 2);
	b = start("x", true);
	CHECK(until(b, SOURCE_FATAL, BEGIN));
	CHECK_INT(cause_of(b, "fake0 has partitions (2): add part="), CAUSE_BLOCK_NO_FS);
	CHECK(there("disconnected"));
	block_end(b);
}

/* As made on a disk of another kind and copied. */
TEST(a_partition_table_for_other_logical_blocks)
{
	char disk[8192] = "";
	struct source *b = start("hang", true); /* for the folder */

	block_end(b);
	memcpy(disk + 512, "EFI PART", 8);
	make_device(disk, sizeof(disk), false);
	write_file("/sys/class/block/fake0/queue/logical_block_size", "4096\n", 5);
	b = start("x", true);
	CHECK(until(b, SOURCE_FATAL, BEGIN));
	CHECK_INT(cause_of(b, "; the GPT of fake0 is for blocks of 512 bytes, the disk has 4096"),
		CAUSE_BLOCK_NO_FS);
	block_end(b);
}

static char ext4[2048];

TEST(a_device_that_may_only_be_read)
{
	struct source *b = start("hang", true);

	block_end(b);
	memcpy(ext4 + 1024 + 56, "\x53\xef", 2);
	make_device(ext4, sizeof(ext4), true);
	b = start("x", false);
	CHECK(until(b, SOURCE_FATAL, BEGIN));
	CHECK_INT(cause_of(b, "read-only"), CAUSE_BLOCK_READONLY);
	block_end(b);
}

/* A plain file cannot be mounted: the attempt fails at the last step, and lets the device go. */
TEST(the_module_first_then_the_mount)
{
	struct source *b = start("hang", true);

	block_end(b);
	memcpy(ext4 + 1024 + 56, "\x53\xef", 2);
	make_device(ext4, sizeof(ext4), false);
	b = start("x", false);
	CHECK(!block_module(b));
	CHECK(until(b, SOURCE_MODULE, BEGIN));
	CHECK_STR(block_module(b), "ext4");
	CHECK_INT(b->phase_end, BEGIN);
	CHECK_INT(source_worker_deadline(b), NSEC_NEVER);
	block_module_settled(b, BEGIN);
	CHECK(!block_module(b));
	for (;;) {
		struct pollfd p = {.fd = source_worker_fd(b), .events = POLLIN};

		if (p.fd < 0 || poll(&p, 1, 20000) <= 0)
			break;
		block_dispatch(b, BEGIN);
	}
	cause_of(b, "fake0 as ext4");
	CHECK(there("disconnected"));
	CHECK_STR(((const struct block_result *)b->record)->device, "fake0");
	CHECK_INT(((const struct block_result *)b->record)->bytes, 1 << 20);
	CHECK_INT(((const struct block_result *)b->record)->port, 4420);
	block_end(b);
}

/* Any number of nodes may have the device; a journal that is not empty stays as it is. */
TEST(under_a_layer_nothing_is_written)
{
	static const struct plan_overlay asked = {.asked = true};
	static const char *const kinds[] = {"ext4", "xfs", "btrfs"};
	static const char make[] =
		"cd %s && rm -f disk && truncate -s 320M disk && mkfs.%s -q disk >&2 && "
		"mkdir -p run m && "
		"mount -o loop disk m && cp /etc/passwd m && sync m/passwd && cp disk dirty && "
		"umount m && sha256sum dirty >sum && losetup -f --show dirty >loop && "
		"ln -sf $(cat loop) dev/fake0";
	struct source *b = start("hang", true); /* for the folder */
	char line[512];

	block_end(b);
	if (geteuid() != 0)
		check_skip("mounting takes root");
	CHECK_INT(unshare(CLONE_NEWNS), 0);
	CHECK_INT(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	make_device("", 0, false);
	overlay = &asked;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		snprintf(line, sizeof(line), make, env.prefix, kinds[i]);
		CHECK_INT(system(line), 0);
		plan.fstype = kinds[i];
		b = start("x", false);
		CHECK(until(b, SOURCE_MODULE, BEGIN));
		CHECK_STR(block_module(b), kinds[i]);
		block_module_settled(b, BEGIN);
		CHECK(until(b, SOURCE_FAILED, BEGIN));
		CHECK_INT(cause_of(b, "init"), CAUSE_ROOT_NO_INIT);
		block_end(b);
		snprintf(line, sizeof(line),
			"cd %s && losetup -d $(cat loop) && sha256sum -c sum >&2", env.prefix);
		CHECK_INT(system(line), 0);
	}
}

TEST(the_note_of_a_mounted_root)
{
	struct block_result in = {
		.bytes = 1 << 20, .port = 4420, .attempts = 3, .readonly = 1, .overlay = 1};
	struct block_result out = {0};
	struct source *b = start("hang", true);

	block_end(b);
	strscpy(in.kind, "nvmf", sizeof(in.kind));
	strscpy(in.proto, "rdma", sizeof(in.proto));
	strscpy(in.device, "nvme0n1", sizeof(in.device));
	strscpy(in.fstype, "ext4", sizeof(in.fstype));
	strscpy(in.server, "srv", sizeof(in.server));
	strscpy(in.address, "192.0.2.1", sizeof(in.address));
	strscpy(in.name, "nqn.2024-01.org.example:root", sizeof(in.name));
	CHECK_INT(note_write(&env, &block_source, &in), 0);
	CHECK(note_read(&env, &block_source, &out));
	CHECK_MEM(&out, &in, sizeof(in));
	/* nothing is mounted there */
	CHECK_INT(block_take(&b, &env, env.prefix, NULL), 0);
	note_drop(&env, &block_source);
	CHECK(!there("run/initagent/block-root"));
}
