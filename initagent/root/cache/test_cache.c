// SPDX-License-Identifier: GPL-2.0-or-later
/* Images in a folder: into it and out of it, whatever happened to them in between. */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/worker.h"
#include "root/cache/entry.h"
#include "root/cache/private.h"
#include "check.h"

#define SIZE (20u << 20) /* several steps, the last one short */

struct lab {
	char dir[64];
	int fd;	     /* of the folder */
	int image;
	uint8_t sha256[SHA256_SIZE];
	char name[128]; /* of its entry */
};

static void fill(int fd, struct sha256 *hash)
{
	static uint8_t block[65536];

	for (uint32_t at = 0; at < SIZE - 7; at += sizeof(block)) {
		size_t n = sizeof(block) < SIZE - 7 - at ? sizeof(block) : SIZE - 7 - at;

		for (size_t i = 0; i < sizeof(block); i += 4)
			memcpy(block + i, &(uint32_t){(at + (uint32_t)i) * 2654435761u}, 4);
		CHECK_INT(pwrite(fd, block, n, at), n);
		sha256_update(hash, block, n);
	}
}

static void open_lab(struct lab *l)
{
	struct sha256 hash;
	char hex[SHA256_TEXT];

	*l = (struct lab){.dir = "/tmp/initagent-cache-XXXXXX"};
	check_dir(l->dir);
	l->fd = open(l->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	l->image = memfd_create("image", MFD_CLOEXEC);
	CHECK(l->fd >= 0 && l->image >= 0);
	sha256_init(&hash);
	fill(l->image, &hash);
	sha256_final(&hash, l->sha256);
	snprintf(l->name, sizeof(l->name), "sha256-%s", sha256_text(l->sha256, hex));
}

static int through(struct entry *e)
{
	int r;

	do
		r = entry_step(e);
	while (r > 0);
	entry_free(e);
	return r;
}

static int keep(struct lab *l)
{
	struct entry *e = NULL;
	int r = entry_keep(&e, l->fd, l->sha256, l->image);

	return r < 0 ? r : through(e);
}

/* Into a new file, which is right if it says so. */
static int load(struct lab *l, uint64_t size, uint64_t limit)
{
	_cleanup_close_ int file = memfd_create("loaded", MFD_CLOEXEC);
	struct entry *e = NULL;
	static uint8_t a[65536], b[65536];
	struct stat st;
	int r = entry_load(&e, l->fd, l->sha256, file, size, limit);

	r = r < 0 ? r : through(e);
	for (off_t at = 0; r == 0 && at < SIZE - 7; at += (off_t)sizeof(a)) {
		CHECK(pread(file, a, sizeof(a), at) > 0);
		CHECK(pread(l->image, b, sizeof(b), at) > 0);
		CHECK_MEM(a, b, sizeof(a));
	}
	CHECK_INT(fstat(file, &st), 0);
	CHECK(r < 0 || st.st_size == SIZE - 7);
	return r;
}

static bool there(const struct lab *l, const char *name)
{
	return faccessat(l->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static unsigned files(const struct lab *l)
{
	DIR *d = opendir(l->dir);
	struct dirent *e;
	unsigned n = 0;

	CHECK(d != NULL);
	while ((e = readdir(d)))
		n += !streq(e->d_name, ".") && !streq(e->d_name, "..");
	closedir(d);
	return n;
}

TEST(kept_and_found_again)
{
	struct lab l;

	open_lab(&l);
	CHECK_INT(load(&l, 0, 0), -ENOENT);
	CHECK_INT(keep(&l), 0);
	CHECK_INT(files(&l), 1);
	CHECK(there(&l, l.name));
	CHECK_INT(load(&l, 0, 0), 0);
	CHECK_INT(load(&l, SIZE - 7, SIZE), 0);
	CHECK_INT(keep(&l), -EEXIST);
}

TEST(larger_than_the_memory)
{
	struct lab l;

	open_lab(&l);
	CHECK_INT(keep(&l), 0);
	CHECK_INT(load(&l, 0, SIZE - 8), -EFBIG);
	CHECK(there(&l, l.name));
}

/* One byte, the length, or what it is: refused and removed. */
TEST(damaged)
{
	struct lab l;
	int fd;

	open_lab(&l);
	CHECK_INT(keep(&l), 0);
	fd = openat(l.fd, l.name, O_RDWR | O_CLOEXEC);
	CHECK_INT(pwrite(fd, "x", 1, SIZE / 2), 1);
	close(fd);
	CHECK_INT(load(&l, 0, 0), -EBADMSG);
	CHECK_INT(files(&l), 0);
	CHECK_INT(keep(&l), 0);
	CHECK_INT(fchmodat(l.fd, l.name, 0600, 0), 0);
	fd = openat(l.fd, l.name, O_RDWR | O_CLOEXEC);
	CHECK_INT(ftruncate(fd, SIZE - 8), 0);
	close(fd);
	CHECK_INT(load(&l, 0, 0), -EBADMSG);
	CHECK_INT(files(&l), 0);
}

TEST(of_another_size_than_the_manifest_says)
{
	struct lab l;

	open_lab(&l);
	CHECK_INT(keep(&l), 0);
	CHECK_INT(load(&l, SIZE, 0), -EBADMSG);
	CHECK_INT(files(&l), 0);
}

TEST(no_regular_file)
{
	struct lab l;

	open_lab(&l);
	CHECK_INT(symlinkat("/etc/passwd", l.fd, l.name), 0);
	CHECK_INT(load(&l, 0, 0), -EBADMSG);
	CHECK(!there(&l, l.name));
	CHECK_INT(mkfifoat(l.fd, l.name, 0600), 0);
	CHECK_INT(load(&l, 0, 0), -EBADMSG);
	CHECK(!there(&l, l.name));
}

/* What is not the image is not kept, and nothing is left of it. */
TEST(wrong_content_is_not_kept)
{
	struct lab l;

	open_lab(&l);
	CHECK_INT(pwrite(l.image, "x", 1, 5), 1);
	CHECK_INT(keep(&l), -EBADMSG);
	CHECK_INT(files(&l), 0);
}

/* Killed in the midst of writing: the part has no name that is believed, and is gone the next
 * time. */
TEST(half_of_it)
{
	struct entry *e = NULL;
	struct lab l;

	open_lab(&l);
	CHECK_INT(entry_keep(&e, l.fd, l.sha256, l.image), 0);
	CHECK_INT(entry_step(e), 1);
	CHECK_INT(files(&l), 1);
	CHECK_INT(load(&l, 0, 0), -ENOENT);
	CHECK_INT(keep(&l), 0);
	CHECK_INT(files(&l), 1);
	CHECK_INT(load(&l, 0, 0), 0);
	entry_free(e);
}

/* A write that fails: said, and no part stays. */
TEST(disk_that_is_full_in_the_midst)
{
	const struct rlimit most = {SIZE / 2, SIZE / 2};
	struct lab l;

	open_lab(&l);
	signal(SIGXFSZ, SIG_IGN);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &most), 0);
	CHECK_INT(keep(&l), -EFBIG);
	CHECK_INT(files(&l), 0);
}

static void old_entry(struct lab *l, char digit, time_t age)
{
	const struct timespec times[2] = {{.tv_sec = age}, {.tv_sec = age}};
	char name[128] = "sha256-";
	int fd;

	memset(name + 7, digit, 64);
	fd = openat(l->fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0 && posix_fallocate(fd, 0, SIZE) == 0 && futimens(fd, times) == 0);
	close(fd);
}

/* Needs a file system of its own: a small tmpfs, which takes root. */
TEST(older_images_make_room)
{
	char line[256];
	struct lab l;

	if (geteuid() != 0)
		check_skip("mounts need root");
	CHECK_INT(unshare(CLONE_NEWNS), 0);
	CHECK_INT(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	open_lab(&l);
	snprintf(line, sizeof(line), "mount -t tmpfs -o size=55M none %s", l.dir);
	if (system(line) != 0)
		check_skip("no tmpfs can be mounted here");
	close(l.fd);
	l.fd = open(l.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	old_entry(&l, 'a', 2000);
	old_entry(&l, 'b', 1000);
	CHECK_INT(close(openat(l.fd, "somebody's", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
	CHECK_INT(keep(&l), 0);
	/* The older one went, the other and what is not ours stayed. */
	CHECK_INT(files(&l), 3);
	CHECK(there(&l, l.name) && there(&l, "somebody's"));
	CHECK_INT(load(&l, 0, 0), 0);
	close(l.fd);
	snprintf(line, sizeof(line), "umount %s", l.dir);
	CHECK_INT(system(line), 0);
}

/* XFS gives back what a file had after its name is gone, when it has the time for it. */
TEST(room_that_comes_late)
{
	char line[512];
	struct lab l;

	if (geteuid() != 0 || system("which mkfs.xfs >/dev/null") != 0)
		check_skip("needs root and mkfs.xfs");
	CHECK_INT(unshare(CLONE_NEWNS), 0);
	CHECK_INT(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	open_lab(&l);
	snprintf(line, sizeof(line), "cd %s && truncate -s 320M disk && mkfs.xfs -q disk && "
		"mount -o loop disk . >/dev/null 2>&1", l.dir);
	if (system(line) != 0)
		check_skip("no XFS can be mounted here");
	close(l.fd);
	l.fd = open(l.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (char digit = 'a'; digit <= 'e'; digit++)
		old_entry(&l, digit, digit);
	snprintf(line, sizeof(line), "cd %s && fallocate -l $(($(df --output=avail -m . | tail -1) "
		"- 19))M rest", l.dir);
	CHECK_INT(system(line), 0);
	CHECK_INT(keep(&l), 0);
	CHECK_INT(files(&l), 4 + 1 + 1);
	close(l.fd);
	snprintf(line, sizeof(line), "umount %s", l.dir);
	CHECK_INT(system(line), 0);
}

/* --- what the agent is told ------------------------------------------------------------------ */

static int work(const void *arg)
{
	struct cache_config cfg = *(const struct cache_config *)arg;

	cfg.file = WORKER_FILE(0);
	cache_work_in(&cfg, WORKER_FILE(1));
	return 0;
}

static struct cache_message last_message(struct lab *l, bool do_keep)
{
	int file = do_keep ? l->image : memfd_create("loaded", MFD_CLOEXEC);
	struct cache_config cfg = {.place = "LABEL=x", .keep = do_keep};
	const struct worker_spec spec = {
		.run = work,
		.arg = &cfg,
		.files = {file, l->fd},
		.n_files = 2,
		.reply_size = sizeof(struct cache_message),
	};
	struct cache_message m = {0};
	struct worker *w;

	memcpy(cfg.sha256, l->sha256, sizeof(cfg.sha256));
	CHECK_INT(worker_start(&w, &spec, 0), 0);
	while (!m.final)
		CHECK_INT(worker_wait(w, &m), 1);
	worker_free(w);
	return m;
}

TEST(messages)
{
	struct cache_message m;
	struct lab l;

	open_lab(&l);
	m = last_message(&l, false);
	CHECK(!m.good && m.cause == CAUSE_NONE);
	CHECK_STR(m.text, "LABEL=x: the image is not there yet");
	m = last_message(&l, true);
	CHECK(m.good && m.bytes == SIZE - 7);
	m = last_message(&l, false);
	CHECK(m.good && m.bytes == SIZE - 7);
	CHECK_INT(ftruncate(openat(l.fd, l.name, O_RDWR | O_CLOEXEC), 5), 0);
	m = last_message(&l, false);
	CHECK(!m.good && m.cause == CAUSE_CACHE_DAMAGED);
}

/* The whole room, with a disk that is not one: said, and nothing waits for it longer than it
 * must. */
TEST(no_file_system)
{
	const struct cache_config cfg = {.place = "/dev/disk", .file = 0};
	_cleanup_(cache_freep) struct cache *c = NULL;
	struct env env = {0};
	const char *text;
	struct lab l;
	char path[128];

	open_lab(&l);
	env.prefix = l.dir;
	snprintf(path, sizeof(path), "%s/dev", l.dir);
	CHECK_INT(mkdir(path, 0755), 0);
	CHECK_INT(close(openat(l.fd, "dev/disk", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
	CHECK_INT(cache_new(&c, &env, &cfg, now_ns()), 0);
	CHECK(cache_deadline(c) < now_ns() + 60 * NSEC_PER_SEC);
	while (cache_pop_event(c) != CACHE_EVENT_MISSED)
		cache_dispatch(c, now_ns());
	CHECK_INT(cache_failure(c, &text), CAUSE_CACHE);
	CHECK(strstr(text, "no file system of a known kind"));
	CHECK_INT(cache_fd(c), -1);
}

/* A disk that hangs. */
TEST(silence)
{
	const struct cache_config cfg = {.place = "LABEL=nowhere", .file = 0};
	_cleanup_(cache_freep) struct cache *c = NULL;
	struct env env = {.prefix = "/nonexistent"};
	const char *text;

	CHECK_INT(cache_new(&c, &env, &cfg, 0), 0);
	cache_dispatch(c, cache_deadline(c));
	CHECK_INT(cache_pop_event(c), CACHE_EVENT_MISSED);
	CHECK_INT(cache_failure(c, &text), CAUSE_CACHE);
	CHECK(strstr(text, "does not respond"));
}
