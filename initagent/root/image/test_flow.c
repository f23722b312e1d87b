// SPDX-License-Identifier: GPL-2.0-or-later
/* An archive that is unpacked before it is proved: nobody sees anything of it until then. */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "check.h"
#include "files.h"
#include "root/image/image.h"
#include "root/image/layers.h"
#include "root/image/unpack.h"

/* A stream whose proof is still to come: in gets the archive, word what proves it. */
struct flow {
	char dir[64], sysroot[96];
	struct env env;
	struct plan_image plan;
	struct image *m;
	int in, word;
	dev_t before;
};

static void shell(const char *dir, const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && { %s; } >/dev/null 2>&1", dir, command);
	CHECK_INT(system(line), 0);
}

/* A prefix in a mount namespace of its own, with an archive that holds a file of so many MiB. */
static void make_place(struct flow *f, unsigned mib)
{
	char command[256];

	if (!unpack_available())
		check_skip("this build has no archives");
	if (geteuid() != 0)
		check_skip("mounting takes root");
	*f = (struct flow){.dir = "/tmp/initagent-flow-XXXXXX", .plan.minmem_mib = 1};
	CHECK_INT(unshare(CLONE_NEWNS), 0);
	CHECK_INT(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	check_dir(f->dir);
	CHECK_INT(mount("tmpfs", f->dir, "tmpfs", 0, NULL), 0);
	snprintf(f->sysroot, sizeof(f->sysroot), "%s/sysroot", f->dir);
	f->env.prefix = f->dir;
	snprintf(command, sizeof(command),
		"mkdir -p proc run sysroot root/sbin; echo 'MemAvailable: 65536 kB' >proc/meminfo; "
		"truncate -s %uM root/big",
		mib);
	shell(f->dir, command);
	snprintf(command, sizeof(command), "%s/root", f->dir);
	files_program(command, "/sbin/init");
	shell(f->dir, "tar -C root -cf image .");
}

static void begin_flow(struct flow *f, unsigned mib)
{
	struct image_config cfg;
	int data[2], word[2];
	struct stat st;

	make_place(f, mib);
	CHECK(stat(f->sysroot, &st) == 0);
	f->before = st.st_dev;
	CHECK(pipe(data) == 0 && pipe(word) == 0);
	f->in = data[1];
	f->word = word[1];
	cfg = (struct image_config){
		.target = f->sysroot, .plan = &f->plan, .fd = data[0], .proved = word[0]};
	CHECK_INT(image_start(&f->m, &f->env, &cfg, 1), 0);
	close(data[0]);
	close(word[0]);
}

static void pour(const struct flow *f)
{
	char command[64];

	snprintf(command, sizeof(command), "cat image >/proc/%d/fd/%d", getpid(), f->in);
	shell(f->dir, command);
}

static enum image_event next_event(const struct flow *f)
{
	struct pollfd pfd = {.fd = image_fd(f->m), .events = POLLIN};

	CHECK(poll(&pfd, 1, 20000) == 1);
	image_dispatch(f->m, 2);
	return image_pop_event(f->m);
}

static bool seen(const struct flow *f)
{
	struct stat st;
	CHECK(stat(f->sysroot, &st) == 0);
	return st.st_dev != f->before;
}

/* The transfer stands still and the boot gives up: nothing of the half root is ever seen. */
TEST(ended_in_the_midst_of_it)
{
	struct flow f;

	begin_flow(&f, 20);
	pour(&f);
	while (next_event(&f) != IMAGE_EVENT_PROGRESS)
		continue;
	CHECK(!seen(&f));
	f.m = image_free(f.m);
	CHECK(!seen(&f));
}

TEST(all_there_but_not_proved)
{
	const char *text;
	struct flow f;

	begin_flow(&f, 0);
	pour(&f);
	close(f.in);
	CHECK(!seen(&f));
	close(f.word);
	CHECK_INT(next_event(&f), IMAGE_EVENT_FAILED);
	CHECK(image_failure(f.m, &text) == CAUSE_INTERNAL && !seen(&f));
	f.m = image_free(f.m);
}

TEST(proved_at_the_end)
{
	struct flow f;

	begin_flow(&f, 0);
	pour(&f);
	CHECK(!seen(&f));
	close(f.in);
	CHECK_INT(write(f.word, "", 1), 1);
	CHECK_INT(next_event(&f), IMAGE_EVENT_MOUNTED);
	CHECK(seen(&f));
	shell(f.dir, "test -x sysroot/sbin/init");
	f.m = image_free(f.m);
}

/* The kernel has no memory left, and chooses a process of ours: the unpacker, or the one that waits
 * for it. */
static pid_t child_of(pid_t pid)
{
	_cleanup_close_ int fd = -1;
	char path[64], text[32] = "";

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 ? (pid_t)strtol(text, NULL, 10) : 0;
}

TEST(killed_in_the_midst_of_it)
{
	for (int who = 0; who < 2; who++) {
		pid_t worker, unpacker;
		const char *text;
		struct flow f;

		begin_flow(&f, 20);
		pour(&f);
		while (next_event(&f) != IMAGE_EVENT_PROGRESS)
			continue;
		worker = child_of(getpid());
		unpacker = child_of(worker);
		CHECK(worker && unpacker);
		CHECK_INT(kill(who ? worker : unpacker, SIGKILL), 0);
		while (next_event(&f) != IMAGE_EVENT_FAILED)
			continue;
		CHECK_INT(image_failure(f.m, &text), CAUSE_IMAGE_READER_DIED);
		if (!strstr(text, "killed"))
			check_fail(__FILE__, __LINE__, "%s", text);
		CHECK(!seen(&f));
		f.m = image_free(f.m);
		close(f.in);
		close(f.word);
	}
}

/* To tmpfs a size of 0 means none. */
TEST(no_memory_left_is_not_memory_without_end)
{
	char text[MOUNT_TEXT_MAX];
	struct statvfs fs;
	int fd;

	if (geteuid() != 0)
		check_skip("mounting takes root");
	fd = layers_space(0, NULL, LAYERS_ROOT, text);
	CHECK(fd >= 0 && fstatvfs(fd, &fs) == 0);
	CHECK(fs.f_blocks);
	close(fd);
}
