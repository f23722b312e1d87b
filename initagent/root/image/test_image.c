/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The image room with images made by the real tools and mounted by the real kernel, in a mount
 * namespace of its own. Below the fixture tree /dev is the machine's.
 */
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "check.h"
#include "files.h"
#include "root/image/image.h"
#include "root/image/layers.h"
#include "base/mountpoint.h"
#include "root/image/unpack.h"

struct place {
	enum image_kind said; /* by a manifest */
	char dir[64], root[80], sysroot[80], image[80];
	struct env env;
	struct plan_image plan;
};

/* A command with its words; what it prints is no TAP. */
static void run_words(const char *const *words)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execvp(words[0], (char *const *)(uintptr_t)words);
		_exit(127);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	if (status)
		check_fail(__FILE__, __LINE__, "%s: wait status %#x", words[0], status);
}
#define run(...) run_words((const char *const[]){__VA_ARGS__})

static void put(const char *dir, const char *name, const char *text, mode_t mode)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
	CHECK_INT(chmod(path, mode), 0);
}

static bool has_driver(const char *fstype)
{
	char text[4096];
	struct env env = {.prefix = ""};

	CHECK(env_read(&env, text, sizeof(text), "/proc/filesystems") > 0);
	return strstr(text, fstype) != NULL;
}

/* A fixture tree with a small root in "root", and a mount namespace nobody else sees. */
static void make_place(struct place *p, const char *fstype)
{
	char path[160];

	if (geteuid() != 0)
		check_skip("mounting takes root");
	if (access("/dev/loop-control", R_OK | W_OK) < 0 || (fstype && !has_driver(fstype)))
		check_skip("this kernel has no loop device or no %s", fstype ? fstype : "");
	*p = (struct place){.dir = "/tmp/image-XXXXXX", .plan.minmem_mib = 1};
	CHECK_INT(unshare(CLONE_NEWNS), 0);
	CHECK_INT(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	check_dir(p->dir);
	/* tmpfs: goes with the case, and an overlay's upper layer can lie here */
	CHECK_INT(mount("tmpfs", p->dir, "tmpfs", 0, NULL), 0);
	snprintf(p->root, sizeof(p->root), "%s/root", p->dir);
	snprintf(p->sysroot, sizeof(p->sysroot), "%s/sysroot", p->dir);
	snprintf(p->image, sizeof(p->image), "%s/image", p->dir);
	p->env.prefix = p->dir;
	snprintf(path, sizeof(path), "%s/dev", p->dir);
	CHECK_INT(mkdir(path, 0755), 0);
	CHECK_INT(mount("/dev", path, NULL, MS_BIND, NULL), 0);
	snprintf(path, sizeof(path), "%s/proc", p->dir);
	CHECK_INT(mkdir(path, 0755), 0);
	put(path, "meminfo", "MemTotal: 999999 kB\nMemAvailable:   65536 kB\n", 0444);
	CHECK_INT(mkdir(p->root, 0755), 0);
	files_program(p->root, "/sbin/init");
	CHECK_INT(mkdir(p->sysroot, 0755), 0);
}

static void make_place_to_unpack(struct place *p, const char *fstype)
{
	if (!unpack_available())
		check_skip("this build has no archives");
	make_place(p, fstype);
}

/* Runs the room to its end. Its cause and words. */
static enum cause make_root(struct place *p, int fd, const char **text, struct image_result *ret)
{
	static struct image *m; /* its texts outlive this call */
	struct image_config cfg = {.target = p->sysroot, .plan = &p->plan, .fd = fd,
		.kind = p->said};
	enum image_event e = IMAGE_EVENT_NONE;

	image_freep(&m);
	CHECK_INT(image_start(&m, &p->env, &cfg, 1), 0);
	while (e != IMAGE_EVENT_MOUNTED && e != IMAGE_EVENT_FAILED) {
		struct pollfd pfd = {.fd = image_fd(m), .events = POLLIN};

		CHECK(poll(&pfd, 1, 20000) == 1);
		image_dispatch(m, 2);
		e = image_pop_event(m);
	}
	*ret = *image_result(m);
	return image_failure(m, text);
}

static enum cause from_file(struct place *p, const char **ret_text, struct image_result *ret)
{
	_cleanup_close_ int fd = open(p->image, O_RDWR | O_CLOEXEC);

	CHECK(fd >= 0);
	return make_root(p, fd, ret_text, ret);
}

static bool there(const struct place *p, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	return access(path, F_OK) == 0;
}

static void check_root(struct place *p, enum image_kind kind, enum image_kind root)
{
	struct image_result r;
	const char *text;
	enum cause cause = from_file(p, &text, &r);

	if (cause)
		check_fail(__FILE__, __LINE__, "%s: %s", cause_info(cause)->id, text);
	CHECK_STR(image_kind_name(r.kind), image_kind_name(kind));
	CHECK_STR(image_kind_name(r.root), image_kind_name(root));
	CHECK_STR(r.init, "/sbin/init");
	CHECK(there(p, "sysroot/sbin/init"));
	put(p->sysroot, "sbin/new", "x", 0644);
	layers_drop(&p->env, p->sysroot);
	CHECK(!there(p, "sysroot/sbin"));
}

static void squash(const char *from, const char *to)
{
	run("mksquashfs", from, to, "-no-progress", "-quiet", "-noappend", "-nopad", NULL);
}

/* Of any length: its last bytes must not fall behind the last whole sector */
TEST(squashfs_without_padding)
{
	struct place p;
	struct stat st;
	bool odd = false;

	make_place(&p, "squashfs");
	for (int i = 0; i < 3; i++) {
		put(p.root, "file", &"some content that does not pack well"[i * 5], 0644);
		run("mksquashfs", p.root, p.image, "-no-progress", "-quiet", "-noappend", "-nopad",
			NULL);
		CHECK_INT(stat(p.image, &st), 0);
		odd |= st.st_size % 512 != 0;
		check_root(&p, IMAGE_SQUASHFS, IMAGE_SQUASHFS);
	}
	CHECK(odd);
}

TEST(squashfs_under_a_writable_layer)
{
	struct place p;

	make_place(&p, "squashfs");
	squash(p.root, p.image);
	p.plan.overlay = (struct plan_overlay){.size = 8 << 20, .nr_inodes = 1000};
	check_root(&p, IMAGE_SQUASHFS, IMAGE_SQUASHFS);
}

TEST(layers_are_where_dracut_has_them)
{
	struct image_result r;
	const char *text;
	struct place p;
	struct stat st;
	char path[128];

	make_place(&p, "squashfs");
	squash(p.root, p.image);
	CHECK_INT(from_file(&p, &text, &r), CAUSE_NONE);
	CHECK(r.overlay);
	CHECK(there(&p, "run/rootfsbase/sbin/init"));
	put(p.sysroot, "new", "x", 0644);
	CHECK(there(&p, "run/initramfs/overlay/overlayfs/new"));
	snprintf(path, sizeof(path), "%s/run/overlayfs", p.dir);
	CHECK(lstat(path, &st) == 0 && S_ISLNK(st.st_mode));
	layers_drop(&p.env, p.sysroot);
}

TEST(squashfs_without_a_layer_is_read_only)
{
	struct image_result r;
	const char *text;
	struct place p;
	char path[128];

	make_place(&p, "squashfs");
	squash(p.root, p.image);
	p.plan.overlay.off = true;
	CHECK_INT(from_file(&p, &text, &r), CAUSE_NONE);
	CHECK(!r.overlay && there(&p, "sysroot/sbin/init") && !there(&p, "run/rootfsbase/sbin"));
	snprintf(path, sizeof(path), "%s/new", p.sysroot);
	CHECK(open(path, O_CREAT | O_WRONLY, 0644) < 0 && errno == EROFS);
	layers_drop(&p.env, p.sysroot);
}

TEST(erofs)
{
	struct place p;

	make_place(&p, "erofs");
	run("mkfs.erofs", "--quiet", p.image, p.root, NULL);
	check_root(&p, IMAGE_EROFS, IMAGE_EROFS);
}

static void make_ext4(const struct place *p, const char *to)
{
	run("mke2fs", "-q", "-t", "ext4", "-d", p->root, to, "4M", NULL);
}

TEST(ext4)
{
	struct place p;

	make_place(&p, "ext4");
	make_ext4(&p, p.image);
	check_root(&p, IMAGE_EXT4, IMAGE_EXT4);
}

/* A journal that wants to be replayed: the image is not written for that. */
TEST(ext4_that_was_not_unmounted)
{
	struct place p;
	char before[64], after[64];
	int fd;

	make_place(&p, "ext4");
	make_ext4(&p, p.image);
	run("debugfs", "-w", "-R", "feature needs_recovery", p.image, NULL);
	fd = open(p.image, O_RDONLY | O_CLOEXEC);
	CHECK(pread(fd, before, sizeof(before), 1024 + 48) == sizeof(before));
	check_root(&p, IMAGE_EXT4, IMAGE_EXT4);
	CHECK(pread(fd, after, sizeof(after), 1024 + 48) == sizeof(after));
	CHECK_MEM(after, before, sizeof(before));
	close(fd);
}

TEST(xfs)
{
	struct place p;
	char proto[128], text[512];

	make_place(&p, "xfs");
	snprintf(text, sizeof(text),
		"/none\n0 0\nd--755 0 0\nsbin d--755 0 0\ninit ---755 0 0 %s/sbin/init\n$\n$\n",
		p.root);
	put(p.dir, "proto", text, 0644);
	snprintf(proto, sizeof(proto), "%s/proto", p.dir);
	run("truncate", "-s", "320M", p.image, NULL);
	run("mkfs.xfs", "-q", "-p", proto, p.image, NULL);
	check_root(&p, IMAGE_XFS, IMAGE_XFS);
}

/* Fedora's way: the root as one more file system in the squashfs. */
TEST(rootfs_in_squashfs)
{
	struct place p;
	char outer[128], inner[160];

	make_place(&p, "squashfs");
	snprintf(outer, sizeof(outer), "%s/outer/LiveOS", p.dir);
	CHECK_INT(mount_folder(outer), 0);
	snprintf(inner, sizeof(inner), "%s/rootfs.img", outer);
	make_ext4(&p, inner);
	snprintf(outer, sizeof(outer), "%s/outer", p.dir);
	squash(outer, p.image);
	check_root(&p, IMAGE_SQUASHFS, IMAGE_SQUASHFS);
}

static void make_iso(struct place *p, const char *dir, const char *name)
{
	char folder[160], file[256];

	snprintf(folder, sizeof(folder), "%s/iso/%s", p->dir, dir);
	CHECK_INT(mount_folder(folder), 0);
	snprintf(file, sizeof(file), "%s/%s", folder, name);
	squash(p->root, file);
	snprintf(folder, sizeof(folder), "%s/iso", p->dir);
	run("xorriso", "-as", "mkisofs", "-quiet", "-R", "-J", "-o", p->image, folder, NULL);
}

TEST(squashfs_in_an_iso_image)
{
	struct place p;

	make_place(&p, "squashfs");
	make_iso(&p, "LiveOS", "squashfs.img");
	check_root(&p, IMAGE_ISO, IMAGE_SQUASHFS);
}

TEST(named_file_in_an_iso_image)
{
	struct image_result r;
	const char *text;
	struct place p;

	make_place(&p, "squashfs");
	make_iso(&p, "my/folder", "the-root_1.sqfs");
	CHECK_INT(from_file(&p, &text, &r), CAUSE_IMAGE_NO_ROOT_INSIDE);
	p.plan.live_dir = "my/folder";
	p.plan.squashimg = "the-root_1.sqfs";
	check_root(&p, IMAGE_ISO, IMAGE_SQUASHFS);
}

/* An agent was killed after the mounts; the next one starts over what it left */
TEST(done_again_over_what_is_left)
{
	struct image_result r;
	const char *text;
	struct place p;

	make_place(&p, "squashfs");
	squash(p.root, p.image);
	CHECK_INT(from_file(&p, &text, &r), CAUSE_NONE);
	put(p.sysroot, "old", "x", 0644);
	CHECK_INT(from_file(&p, &text, &r), CAUSE_NONE);
	CHECK(there(&p, "sysroot/sbin/init") && !there(&p, "sysroot/old"));
	layers_drop(&p.env, p.sysroot);
	CHECK(!there(&p, "sysroot/sbin") && !there(&p, "run/rootfsbase/sbin"));
}

/* --- unpacked -------------------------------------------------------------------------------- */

TEST(tar_with_zstd)
{
	struct place p;

	make_place_to_unpack(&p, NULL);
	run("tar", "-C", p.root, "--zstd", "-cf", p.image, ".", NULL);
	check_root(&p, IMAGE_ZSTD, IMAGE_TAR);
}

static void check_stream(struct place *p, const char *const *words, enum image_kind root)
{
	struct image_result r;
	const char *text;
	int ends[2], status;
	enum cause cause;
	pid_t pid;

	CHECK_INT(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		execvp(words[0], (char *const *)(uintptr_t)words);
		_exit(127);
	}
	close(ends[1]);
	cause = make_root(p, ends[0], &text, &r);
	if (cause)
		check_fail(__FILE__, __LINE__, "%s: %s", cause_info(cause)->id, text);
	CHECK_INT(r.root, root);
	CHECK(there(p, "sysroot/sbin/init"));
	layers_drop(&p->env, p->sysroot);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

TEST(tar_from_a_pipe)
{
	struct place p;
	const char *const words[] = {"tar", "-C", p.root, "-czf", "-", ".", NULL};

	make_place_to_unpack(&p, NULL);
	check_stream(&p, words, IMAGE_TAR);
}

TEST(squashfs_from_a_pipe)
{
	struct place p;
	const char *const words[] = {"cat", p.image, NULL};

	make_place_to_unpack(&p, "squashfs");
	squash(p.root, p.image);
	check_stream(&p, words, IMAGE_SQUASHFS);
}

TEST(ext4_packed_with_xz)
{
	struct place p;
	char raw[128];

	make_place_to_unpack(&p, "ext4");
	snprintf(raw, sizeof(raw), "%s/raw", p.dir);
	make_ext4(&p, raw);
	run("xz", "-0", "-k", raw, NULL);
	snprintf(raw, sizeof(raw), "%s/raw.xz", p.dir);
	CHECK_INT(rename(raw, p.image), 0);
	check_root(&p, IMAGE_XZ, IMAGE_EXT4);
}

/* A file of zeroes in the root. */
static void make_big(const struct place *p, off_t size)
{
	char big[128];

	put(p->root, "big", "x", 0644);
	snprintf(big, sizeof(big), "%s/big", p->root);
	CHECK_INT(truncate(big, size), 0);
}

/* What is unpacked is freed behind the reader. */
TEST(consumed_while_unpacked)
{
	struct place p;
	struct image_config cfg = {.target = p.sysroot, .plan = &p.plan, .consume = true};
	_cleanup_(image_freep) struct image *m = NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;

	make_place_to_unpack(&p, NULL);
	make_big(&p, 12 << 20);
	run("tar", "-C", p.root, "-cf", p.image, ".", NULL);
	fd = open(p.image, O_RDWR | O_CLOEXEC);
	CHECK(fstat(fd, &st) == 0 && st.st_blocks > 20000);
	cfg.fd = fd;
	CHECK_INT(image_start(&m, &p.env, &cfg, 1), 0);
	for (enum image_event e = 0; e != IMAGE_EVENT_MOUNTED; e = image_pop_event(m)) {
		struct pollfd pfd = {.fd = image_fd(m), .events = POLLIN};

		CHECK(e != IMAGE_EVENT_FAILED && poll(&pfd, 1, 20000) == 1);
		image_dispatch(m, 2);
	}
	CHECK(fstat(fd, &st) == 0 && st.st_blocks < 10000);
	CHECK(image_progress(m) >= 12 << 20);
	layers_drop(&p.env, p.sysroot);
}

/* --- refused --------------------------------------------------------------------------------- */

/* The file keeps its length: the next attempt takes what has its name for what was fetched. */
static void check_refused(struct place *p, enum cause want, const char *words)
{
	struct image_result r;
	struct stat before, after;
	const char *text;
	int found = stat(p->image, &before);
	enum cause cause = from_file(p, &text, &r);

	CHECK(!found && !stat(p->image, &after) && after.st_size == before.st_size);
	CHECK_STR(cause_info(cause)->id, cause_info(want)->id);
	if (!strstr(text, words))
		check_fail(__FILE__, __LINE__, "\"%s\" is not in \"%s\"", words, text);
	CHECK(!there(p, "sysroot/sbin") && !there(p, "run/rootfsbase/sbin"));
}

TEST(unknown_content)
{
	struct place p;

	make_place(&p, NULL);
	put(p.dir, "image", "<!DOCTYPE html><title>404", 0644);
	check_refused(&p, CAUSE_IMAGE_UNKNOWN, "HTML");
	put(p.dir, "image", "", 0644);
	check_refused(&p, CAUSE_IMAGE_UNKNOWN, "empty");
}

TEST(other_kind_than_the_manifest_says)
{
	struct place p;

	make_place(&p, "squashfs");
	squash(p.root, p.image);
	p.said = IMAGE_EROFS;
	check_refused(&p, CAUSE_IMAGE_BROKEN, "says erofs, but the content is squashfs");
	p.said = IMAGE_SQUASHFS;
	check_root(&p, IMAGE_SQUASHFS, IMAGE_SQUASHFS);
}

TEST(no_loop_device)
{
	struct place p;
	char dev[128];

	make_place(&p, "squashfs");
	squash(p.root, p.image);
	snprintf(dev, sizeof(dev), "%s/dev", p.dir);
	CHECK_INT(umount2(dev, MNT_DETACH), 0);
	check_refused(&p, CAUSE_IMAGE_LOOP, "module loop");
}

TEST(layer_without_room)
{
	struct place p;

	make_place(&p, "squashfs");
	squash(p.root, p.image);
	p.plan.overlay.nr_inodes = 1;
	check_refused(&p, CAUSE_IMAGE_OVERLAY, "No space");
}

TEST(damaged_squashfs)
{
	struct place p;
	char block[8192] = "hsqs";
	int fd;

	make_place(&p, "squashfs");
	block[28] = 4;
	fd = open(p.image, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	CHECK(write(fd, block, sizeof(block)) == sizeof(block));
	close(fd);
	check_refused(&p, CAUSE_IMAGE_BROKEN, "squashfs");
	/* The data blocks stand right behind the superblock of 96 bytes: init's are the first. */
	squash(p.root, p.image);
	fd = open(p.image, O_WRONLY | O_CLOEXEC);
	CHECK(pwrite(fd, "????????????????", 16, 104) == 16 && close(fd) == 0);
	check_refused(&p, CAUSE_ROOT_NO_INIT, "cannot be read to its end: ");
}

TEST(a_fifo_in_place_of_the_file_in_squashfs)
{
	struct place p;
	char name[160];

	make_place(&p, "squashfs");
	files_text(p.root, "/LiveOS/osmin.img", "");
	snprintf(name, sizeof(name), "%s/LiveOS/ext3fs.img", p.root);
	CHECK_INT(mkfifo(name, 0644), 0);
	squash(p.root, p.image);
	check_refused(&p, CAUSE_IMAGE_BROKEN, "ext3fs.img: Invalid argument: not a regular file");
}

TEST(root_without_init)
{
	struct place p;
	char init[128];

	make_place(&p, "squashfs");
	snprintf(init, sizeof(init), "%s/sbin/init", p.root);
	CHECK_INT(unlink(init), 0);
	squash(p.root, p.image);
	check_refused(&p, CAUSE_ROOT_NO_INIT, "/sbin/init");
}

TEST(archive_larger_than_memory)
{
	struct place p;

	make_place_to_unpack(&p, NULL);
	make_big(&p, 100 << 20);
	run("tar", "-C", p.root, "-czf", p.image, ".", NULL);
	check_refused(&p, CAUSE_IMAGE_TOO_BIG, "may be used");
}

/* A frame that wants half a GiB to be unpacked: what is small on the server must be small here. */
TEST(packing_that_wants_too_much_memory)
{
	struct place p;
	char path[128];

	make_place_to_unpack(&p, NULL);
	snprintf(path, sizeof(path), "%s/t", p.dir);
	run("tar", "-C", p.root, "-cf", path, ".", NULL);
	run("sh", "-c", "zstd -1 --long=29 -q <\"$1\" >\"$2\"", "sh", path, p.image, NULL);
	check_refused(&p, CAUSE_IMAGE_BROKEN, "memory");
}

TEST(stream_of_nothing_known)
{
	struct image_result r;
	const char *text;
	struct place p;
	int ends[2];

	make_place_to_unpack(&p, NULL);
	CHECK_INT(pipe(ends), 0);
	CHECK(write(ends[1], "hsqs", 4) == 4);
	close(ends[1]);
	CHECK_INT(make_root(&p, ends[0], &text, &r), CAUSE_IMAGE_UNKNOWN);
	close(ends[0]);
}
