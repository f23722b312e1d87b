// SPDX-License-Identifier: GPL-2.0-or-later
/* image_work: see image_work.h. */
#include "root/image/image_work.h"

#include <sys/stat.h>

#include "base/worker.h"
#include "root/image/layers.h"
#include "root/image/mark.h"
#include "root/image/probe.h"
#include "root/image/unpack.h"
#include "base/meminfo.h"
#include "root/init/init_check.h"

/* Between two progress messages, bytes. */
#define PROGRESS (16u << 20)
/* tmpfs has no inode without memory either: one for each 4 KiB page it may hold is more than is used. */
#define PAGE 4096

struct work {
	const struct env *env;
	const struct image_config *cfg;
	int space; /* the tmpfs that is unpacked into, without a place; -1: none */
	struct image_message message;
};

static int fail(struct work *w, enum cause cause, int error, const char *text)
{
	w->message.cause = cause;
	strscpy(w->message.text, text, sizeof(w->message.text));
	return error;
}

/* --- mounted ------------------------------------------------------------------------------ */

/*
 * A loop device has whole sectors only, and is read in whole blocks: the last part of an image without padding (mksquashfs
 * -nopad) would be missing. The file is in our memory; one that cannot grow is no loss here, the mount tells.
 */
static uint64_t fill_page(int file, uint64_t offset, uint64_t size)
{
	uint64_t whole = (size + PAGE - 1) / PAGE * PAGE;
	struct stat st;

	if (fstat(file, &st) == 0 && offset + whole > (uint64_t)st.st_size && ftruncate(file, (off_t)(offset + whole)) < 0)
		return size;
	return whole;
}

static int mount_image(struct work *w, int file, uint64_t offset, uint64_t size, enum image_kind kind)
{
	const struct layers_config cfg = {
		.env = w->env,
		.target = w->cfg->target,
		.overlay = &w->cfg->plan->overlay,
		.file = file,
		.offset = offset,
		.size = fill_page(file, offset, size),
		.kind = kind,
	};
	struct layers_result result;
	int r = layers_mount(&cfg, &result);

	if (r < 0)
		return fail(w, result.cause, r, result.text);
	w->message.result.root = kind;
	w->message.result.overlay = !w->cfg->plan->overlay.off;
	if (result.inside)
		strscpy(w->message.result.inside, "LiveOS/rootfs.img", sizeof(w->message.result.inside));
	return 0;
}

/* --- unpacked ----------------------------------------------------------------------------- */

static uint64_t memory_limit(const struct work *w)
{
	uint64_t available = meminfo_available(w->env);
	uint64_t spare = (uint64_t)w->cfg->plan->minmem_mib << 20;

	if (w->cfg->memory)
		return w->cfg->memory;
	return available > spare ? available - spare : 0;
}

/*
 * The kernel itself bounds what an archive can take, whatever the unpacker is made to do. It gets its place when all
 * of it is there and proved: half a root is never seen, and goes with this process.
 */
static int mount_space(struct work *w, uint64_t limit)
{
	char size[32], inodes[32], text[MOUNT_TEXT_MAX];
	const struct mount_option options[] = {
		{"size", size}, {"nr_inodes", inodes}, {"mode", "0755"}, {0},
	};

	snprintf(size, sizeof(size), "%llu", (unsigned long long)limit);
	snprintf(inodes, sizeof(inodes), "%llu", (unsigned long long)limit / PAGE + 16);
	w->space = mount_make("tmpfs", "rootfs", options, false, text);
	return w->space < 0 ? fail(w, CAUSE_IMAGE_MOUNT, w->space, text) : 0;
}

static void send_progress(const struct unpack_message *m)
{
	const struct image_message progress = {.result = {.bytes = m->bytes, .entries = m->entries}};

	worker_reply(&progress, sizeof(progress));
}

/* Waits for the unpacker's last message and hands the others on. */
static int follow(struct work *w, struct unpack *u, struct unpack_message *m)
{
	uint64_t told = 0;

	for (unpack_next(u, m); !m->final; unpack_next(u, m)) {
		if (m->bytes - told < PROGRESS)
			continue;
		told = m->bytes;
		send_progress(m);
	}
	w->message.result.bytes = m->bytes;
	w->message.result.entries = m->entries;
	w->message.result.left_out = m->left_out;
	return m->cause ? fail(w, (enum cause)m->cause, -EINVAL, m->text) : 0;
}

static int judge_and_mount(struct work *w, int file, uint64_t size, bool wrapped);

/* A packed file system: its file lives in a tmpfs that has no place any more, as long as it is mounted. */
static int mount_unwrapped(struct work *w)
{
	_cleanup_close_ int file = openat(w->space, IMAGE_UNWRAPPED, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (file < 0 || fstat(file, &st) < 0)
		return fail(w, CAUSE_IMAGE_BROKEN, -EIO, "what was unpacked cannot be opened");
	return judge_and_mount(w, file, (uint64_t)st.st_size, true);
}

/* What is unpacked counts only now: whoever proves the image has the last word. */
static int await_proof(struct work *w)
{
	char byte;
	ssize_t n = 1;

	while (w->cfg->proved && (n = read(w->cfg->proved, &byte, 1)) < 0 && errno == EINTR)
		continue;
	return n == 1 ? 0 : fail(w, CAUSE_INTERNAL, -EPERM, "it was not proved");
}

static int attach_space(struct work *w)
{
	int r = mount_attach(w->space, w->cfg->target);

	return r < 0 ? fail(w, CAUSE_IMAGE_MOUNT, r, strerror(-r)) : 0;
}

static int unpack_image(struct work *w)
{
	uint64_t limit = memory_limit(w);
	char place[32];
	const struct unpack_config cfg = {
		.fd = w->cfg->fd,
		.target = place,
		.bytes_max = limit,
		.consume = w->cfg->consume,
	};
	_cleanup_(unpack_freep) struct unpack *u = NULL;
	struct unpack_message m;
	int r;

	if (!unpack_available())
		return fail(w, CAUSE_IMAGE_NO_ARCHIVES, -EOPNOTSUPP,
			image_kind_name(w->message.result.kind));
	r = mount_space(w, limit);
	if (r < 0)
		return r;
	snprintf(place, sizeof(place), "/proc/self/fd/%d", w->space);
	r = unpack_new(&u, &cfg);
	if (r < 0)
		return fail(w, CAUSE_IMAGE_READER_DIED, r, strerror(-r));
	r = follow(w, u, &m);
	if (r < 0)
		return r;
	r = await_proof(w);
	if (r < 0)
		return r;
	w->message.result.root = (enum image_kind)m.kind;
	r = m.kind == IMAGE_UNKNOWN ? mount_unwrapped(w) : attach_space(w);
	if (w->message.result.kind == IMAGE_UNKNOWN)
		w->message.result.kind = w->message.result.root;
	return r;
}

/* --- the whole ---------------------------------------------------------------------------- */

/* What a manifest says and what is there: one of the two is not the one that was meant. */
static bool as_said(struct work *w, enum image_kind kind)
{
	if (w->cfg->kind == IMAGE_UNKNOWN || w->cfg->kind == kind)
		return true;
	snprintf(w->message.text, sizeof(w->message.text), "the manifest says %s, but the content is %s",
		image_kind_name(w->cfg->kind), image_kind_name(kind));
	w->message.cause = CAUSE_IMAGE_BROKEN;
	return false;
}

/* A packed file within a packed file is nobody's root; it would unpack for ever. */
static int judge_and_mount(struct work *w, int file, uint64_t size, bool wrapped)
{
	const struct plan_image *plan = w->cfg->plan;
	struct probe p;
	enum image_way way;

	probe_image(file, size, plan->live_dir, plan->squashimg, &p);
	if (!wrapped)
		w->message.result.kind = (enum image_kind)p.kind;
	if (p.cause)
		return fail(w, (enum cause)p.cause, -EINVAL, p.text);
	if (!wrapped && !as_said(w, (enum image_kind)p.kind))
		return -EINVAL;
	strscpy(w->message.result.inside, p.file.path, sizeof(w->message.result.inside));
	way = image_kind_way((enum image_kind)p.kind);
	if (way != IMAGE_WAY_UNPACK)
		return mount_image(w, file, p.file.offset, p.file.size ? p.file.size : size, (enum image_kind)p.inner);
	if (wrapped)
		return fail(w, CAUSE_IMAGE_UNKNOWN, -EINVAL, "packed twice");
	if (lseek(file, 0, SEEK_SET) < 0)
		return fail(w, CAUSE_IMAGE_BROKEN, -errno, strerror(errno));
	return unpack_image(w);
}

static int find_init(struct work *w)
{
	struct image_result *result = &w->message.result;
	int r = init_check(w->cfg->target, w->cfg->init, result->init, sizeof(result->init));

	if (r == 0)
		return 0;
	fail(w, CAUSE_ROOT_NO_INIT, r, result->init);
	result->init[0] = 0;
	return r;
}

static int make_root(struct work *w)
{
	struct stat st;
	int r;

	if (fstat(w->cfg->fd, &st) < 0)
		return fail(w, CAUSE_INTERNAL, -errno, strerror(errno));
	/* A stream cannot be looked at without being used up: what is no archive becomes a file first. */
	if (S_ISREG(st.st_mode)) {
		r = judge_and_mount(w, w->cfg->fd, (uint64_t)st.st_size, false);
	} else {
		w->message.result.kind = w->cfg->kind;
		r = unpack_image(w);
	}
	return r < 0 ? r : find_init(w);
}

void image_work(const struct env *env, const struct image_config *cfg)
{
	struct work w = {.env = env, .cfg = cfg, .space = -1, .message.final = 1};

	/* What an agent that was killed in the midst of it left. */
	image_drop(env, cfg->target);
	if (make_root(&w) < 0)
		image_drop(env, cfg->target);
	else
		mark_write(env, &w.message.result);
	closep(&w.space);
	worker_reply(&w.message, sizeof(w.message));
}
