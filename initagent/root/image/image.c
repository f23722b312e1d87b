// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/image.h"

#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/meminfo.h"
#include "base/mountpoint.h"
#include "base/worker.h"
#include "report/report.h"
#include "root/image/layers.h"
#include "root/image/probe.h"
#include "root/image/unpack.h"

#define MESSAGES_PER_DISPATCH 16
/* Between two progress messages, bytes. */
#define PROGRESS (16u << 20)
#define PAGE 4096

enum state { STATE_IDLE, STATE_WORKING, STATE_MOUNTED, STATE_FAILED, STATE_MAX };

static const char *const state_names[STATE_MAX] = {
	[STATE_IDLE] = "idle",
	[STATE_WORKING] = "working",
	[STATE_MOUNTED] = "mounted",
	[STATE_FAILED] = "failed",
};

/* The process sends any number of progress messages and then one that is final. */
struct image_message {
	uint32_t final; /* 0: progress, only bytes counts */
	int32_t cause;	/* CAUSE_NONE: mounted */
	struct image_result result;
	char text[IMAGE_TEXT_MAX];
};

struct image {
	const struct env *env;
	struct image_config cfg;
	enum state state;
	enum image_event event;
	struct worker *worker;
	uint64_t began, bytes;
	struct image_message message; /* the final one */
};

/* --- the process ----------------------------------------------------------------------------- */

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

/* --- mounted --------------------------------------------------------------------------------- */

/*
 * A loop device has whole sectors only, and is read in whole blocks: the last part of an image
 * without padding (mksquashfs -nopad) would be missing. The file is in our memory; one that cannot
 * grow is no loss here, the mount tells.
 */
static uint64_t fill_page(int file, uint64_t offset, uint64_t size)
{
	uint64_t whole = (size + PAGE - 1) / PAGE * PAGE;
	struct stat st;

	if (fstat(file, &st) == 0 && offset + whole > (uint64_t)st.st_size &&
		ftruncate(file, (off_t)(offset + whole)) < 0)
		return size;
	return whole;
}

static int mount_image(struct work *w, int file, uint64_t offset, uint64_t size,
	enum image_kind kind)
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
		strscpy(w->message.result.inside, "LiveOS/rootfs.img",
			sizeof(w->message.result.inside));
	return 0;
}

/* --- unpacked -------------------------------------------------------------------------------- */

static uint64_t memory_limit(const struct work *w)
{
	if (w->cfg->layer.on_disk)
		return UINT64_MAX;
	if (w->cfg->memory)
		return w->cfg->memory;
	return meminfo_left(w->env, w->cfg->plan->minmem_mib);
}

/*
 * The kernel itself bounds what an archive can take, whatever the unpacker is made to do. It gets
 * its place when all of it is there and proved: an incomplete root is never seen, and goes with
 * this process.
 */
static int mount_space(struct work *w, uint64_t limit)
{
	char text[MOUNT_TEXT_MAX];
	const char *size = w->cfg->layer.part ? w->cfg->layer.size : w->cfg->plan->size;

	w->space = layers_space(limit, size, w->cfg->layer.beside ? LAYERS_EXTENSION
		: w->cfg->layer.part ? LAYERS_WAREWULF : LAYERS_ROOT, text);
	return w->space < 0 ? fail(w, CAUSE_IMAGE_MOUNT, w->space, text) : 0;
}

static void send_progress(const struct unpack_message *m)
{
	const struct image_message progress = {.result.unpacked = m->made};

	worker_reply(&progress, sizeof(progress));
}

/* Waits for the unpacker's last message and hands the others on. */
static int follow(struct work *w, struct worker *u, struct unpack_message *m)
{
	uint64_t told = 0;

	for (unpack_next(u, m); !m->final; unpack_next(u, m)) {
		if (m->made.bytes - told < PROGRESS)
			continue;
		told = m->made.bytes;
		send_progress(m);
	}
	w->message.result.unpacked = m->made;
	return m->cause ? fail(w, (enum cause)m->cause, -EINVAL, m->text) : 0;
}

static int judge_and_mount(struct work *w, int file, uint64_t size, bool wrapped);

/* A packed file system: its file lives in a tmpfs that has no place any more, as long as it is
 * mounted. */
static int mount_unwrapped(struct work *w)
{
	_cleanup_close_ int file =
		openat(w->space, IMAGE_UNWRAPPED, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (file < 0 || fstat(file, &st) < 0)
		return fail(w, CAUSE_IMAGE_BROKEN, -EIO, "what was unpacked cannot be opened");
	return judge_and_mount(w, file, (uint64_t)st.st_size, true);
}

/* Unpacked files count only when the image is proved. */
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

/* Where a tmpfs is for the moment, that its one file can be given a place. */
#define FILE_SPACE STATE_DIR "/extension"

/* The file gets a place, and with it the tmpfs lives on. */
static int bind_file(const struct env *env, const char *target)
{
	char path[PATH_MAX];
	_cleanup_close_ int fd = open(target, O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 ||
		env_path(env, path, sizeof(path), FILE_SPACE "/" IMAGE_UNWRAPPED) < 0 ||
		mount(path, target, NULL, MS_BIND, NULL) < 0)
		return -errno;
	return 0;
}

static int attach_file(struct work *w)
{
	char path[PATH_MAX], *slash;
	int r = env_path(w->env, path, sizeof(path), FILE_SPACE);

	r = r < 0 ? r : mount_attach(w->space, path);
	if (r == 0 && strscpy(path, w->cfg->target, sizeof(path)) > 0 &&
		(slash = strrchr(path, '/'))) {
		*slash = 0;
		r = mount_folder(path);
		r = r < 0 ? r : bind_file(w->env, w->cfg->target);
	}
	mount_drop_at(w->env, FILE_SPACE);
	return r < 0 ? fail(w, CAUSE_IMAGE_MOUNT, r, strerror(-r)) : 0;
}

/* Where the unpacker works: a new tmpfs, or the layers before. */
static int find_place(struct work *w, uint64_t limit, char *ret, size_t size)
{
	int r = w->cfg->layer.over ? 0 : mount_space(w, limit);

	if (w->cfg->layer.over)
		strscpy(ret, w->cfg->target, size);
	else
		snprintf(ret, size, "/proc/self/fd/%d", w->space);
	return r;
}

/* What it holds becomes the root, or a part of one. */
static int take_unpacked(struct work *w, enum image_kind kind)
{
	int r = 0;

	w->message.result.root = kind;
	if (w->message.result.kind == IMAGE_UNKNOWN)
		w->message.result.kind = kind;
	if (w->cfg->layer.file)
		r = attach_file(w);
	else if (kind == IMAGE_UNKNOWN && w->cfg->layer.part)
		r = fail(w, CAUSE_IMAGE_UNKNOWN, -EINVAL, "no archive, where one is wanted");
	else if (kind == IMAGE_UNKNOWN)
		r = mount_unwrapped(w);
	else if (!w->cfg->layer.over)
		r = attach_space(w);
	return r;
}

static int unpack_image(struct work *w)
{
	uint64_t limit = memory_limit(w);
	char place[PATH_MAX];
	const struct unpack_config cfg = {
		.fd = w->cfg->fd,
		.target = place,
		.bytes_max = limit,
		.consume = w->cfg->consume,
		.layer = w->cfg->layer.part && !w->cfg->layer.beside,
		.plain = w->cfg->layer.plain,
		.file = w->cfg->layer.file,
	};
	_cleanup_(worker_freep) struct worker *u = NULL;
	struct unpack_message m;
	int r;

	if (!unpack_available())
		return fail(w, CAUSE_IMAGE_NO_ARCHIVES, -EOPNOTSUPP,
			image_kind_name(w->message.result.kind));
	r = find_place(w, limit, place, sizeof(place));
	if (r < 0)
		return r;
	r = unpack_new(&u, &cfg);
	if (r < 0)
		return fail(w, CAUSE_IMAGE_READER_DIED, r, strerror(-r));
	r = follow(w, u, &m);
	if (r < 0)
		return r;
	r = await_proof(w);
	return r < 0 ? r : take_unpacked(w, (enum image_kind)m.kind);
}

/* --- the whole ------------------------------------------------------------------------------- */

/* What a manifest says and what is there: one of the two is not the one that was meant. */
static bool as_said(struct work *w, enum image_kind kind)
{
	if (w->cfg->kind == IMAGE_UNKNOWN || w->cfg->kind == kind)
		return true;
	snprintf(w->message.text, sizeof(w->message.text),
		"the manifest says %s, but the content is %s", image_kind_name(w->cfg->kind),
		image_kind_name(kind));
	w->message.cause = CAUSE_IMAGE_BROKEN;
	return false;
}

/* A packed file within a packed file is nobody's root; it would unpack for ever. */
static int judge_and_mount(struct work *w, int file, uint64_t size, bool wrapped)
{
	const struct plan_image *plan = w->cfg->plan;
	const struct probe_question q = {size, plan->live_dir, plan->squashimg, plan->part,
		plan->volume};
	struct probe p;
	enum image_way way;

	probe_image(file, &q, &p);
	if (!wrapped)
		w->message.result.kind = (enum image_kind)p.kind;
	if (p.cause)
		return fail(w, (enum cause)p.cause, -EINVAL, p.text);
	if (!wrapped && !as_said(w, (enum image_kind)p.kind))
		return -EINVAL;
	strscpy(w->message.result.inside, p.file.path, sizeof(w->message.result.inside));
	way = image_kind_way((enum image_kind)p.kind);
	if (w->cfg->layer.part && way != IMAGE_WAY_UNPACK)
		return fail(w, CAUSE_IMAGE_UNKNOWN, -EINVAL, "no archive, where one is wanted");
	if (way != IMAGE_WAY_UNPACK)
		return mount_image(w, file, p.file.offset, p.file.size ? p.file.size : size,
			(enum image_kind)p.inner);
	if (wrapped)
		return fail(w, CAUSE_IMAGE_UNKNOWN, -EINVAL, "packed twice");
	if (lseek(file, 0, SEEK_SET) < 0)
		return fail(w, CAUSE_IMAGE_BROKEN, -errno, strerror(errno));
	return unpack_image(w);
}

static int find_init(struct work *w)
{
	struct image_result *result = &w->message.result;
	int r = w->cfg->layer.part ? 0
		: init_check(w->cfg->target, w->cfg->init, result->init, sizeof(result->init));

	if (r == 0)
		return 0;
	fail(w, CAUSE_ROOT_NO_INIT, r, result->init);
	result->init[0] = 0;
	return r;
}

static int mount_and_check(struct work *w)
{
	struct stat st;
	int r;

	if (fstat(w->cfg->fd, &st) < 0)
		return fail(w, CAUSE_INTERNAL, -errno, strerror(errno));
	/* A stream cannot be looked at without being used up: what is no archive becomes a file
	 * first. */
	if (S_ISREG(st.st_mode) && w->cfg->layer.file && lseek(w->cfg->fd, 0, SEEK_SET) == 0) {
		w->message.result.kind = (enum image_kind)image_kind_read(w->cfg->fd, 0, NULL);
		r = unpack_image(w);
	} else if (S_ISREG(st.st_mode)) {
		r = judge_and_mount(w, w->cfg->fd, (uint64_t)st.st_size, false);
	} else {
		w->message.result.kind = w->cfg->kind;
		r = unpack_image(w);
	}
	r = r < 0 ? r : find_init(w);
	/* The next attempt takes what a store holds under its name for what was fetched. */
	if (r < 0 && S_ISREG(st.st_mode))
		(void)!ftruncate(w->cfg->fd, st.st_size);
	return r;
}

static void drop_beside(const struct env *env, const struct image_config *cfg)
{
	mount_drop_at(env, FILE_SPACE);
	mount_drop(cfg->target);
	(void)remove(cfg->target); /* or it was not there yet */
}

/* What a layer lies over is not of this image. */
static void drop_root(const struct env *env, const struct image_config *cfg)
{
	if (cfg->layer.beside)
		drop_beside(env, cfg);
	else if (!cfg->layer.over)
		layers_drop(env, cfg->target);
}

static void make_root(const struct env *env, const struct image_config *cfg)
{
	struct work w = {.env = env, .cfg = cfg, .space = -1, .message.final = 1};

	/* What an agent that was killed in the midst of it left. */
	drop_root(env, cfg);
	if (mount_and_check(&w) < 0)
		drop_root(env, cfg);
	closep(&w.space);
	worker_reply(&w.message, sizeof(w.message));
}

/* --- the agent's end ------------------------------------------------------------------------- */

static void set_state(struct image *m, enum state to, uint64_t now)
{
	if (m->state != to)
		report_state(m->env->report, "image", m->cfg.target, state_names[m->state],
			state_names[to], now);
	m->state = to;
}

struct image *image_free(struct image *m)
{
	if (!m)
		return NULL;
	worker_free(m->worker);
	if (m->state == STATE_WORKING)
		drop_root(m->env, &m->cfg);
	free(m);
	return NULL;
}

static int work(const void *arg)
{
	const struct image *m = arg;
	struct image_config cfg = m->cfg;

	cfg.fd = WORKER_FILE(0);
	cfg.proved = cfg.proved ? WORKER_FILE(1) : 0;
	make_root(m->env, &cfg);
	return 0;
}

/* It ends texts itself. */
static bool message_valid(void *reply, const void *context)
{
	struct image_message *m = reply;

	(void)context;
	m->text[sizeof(m->text) - 1] = 0;
	m->result.init[sizeof(m->result.init) - 1] = 0;
	m->result.inside[sizeof(m->result.inside) - 1] = 0;
	return m->cause >= 0 && m->cause < CAUSE_MAX;
}

int image_start(struct image **ret, const struct env *env, const struct image_config *cfg,
	uint64_t now)
{
	const struct image start = {.env = env, .cfg = *cfg, .began = now};
	const struct worker_spec spec = {
		.run = work,
		.arg = &start,
		.files = {cfg->fd, cfg->proved ? cfg->proved : -1},
		.n_files = 2,
		.reply_size = sizeof(struct image_message),
		.valid = message_valid,
	};
	struct image *m = malloc(sizeof(*m));
	int r;

	if (!m)
		return -ENOMEM;
	*m = start;
	r = worker_start(&m->worker, &spec, now);
	if (r < 0) {
		free(m);
		return r;
	}
	set_state(m, STATE_WORKING, now);
	*ret = m;
	return 0;
}

int image_fd(const struct image *m)
{
	return worker_fd(m->worker);
}

static void take_final(struct image *m, const struct image_message *in, uint64_t now)
{
	m->message = *in;
	m->bytes = in->result.unpacked.bytes;
	worker_end(m->worker);
	report_span(m->env->report, "image", image_kind_name(in->result.kind), m->began, now,
		in->cause ? -EINVAL : 0);
	m->event = in->cause ? IMAGE_EVENT_FAILED : IMAGE_EVENT_MOUNTED;
	set_state(m, in->cause ? STATE_FAILED : STATE_MOUNTED, now);
}

static void died(struct image *m, uint64_t now)
{
	struct image_message in = {.final = 1, .cause = CAUSE_IMAGE_READER_DIED};

	worker_end(m->worker);
	snprintf(in.text, sizeof(in.text), "the process that mounts it %s",
		worker_end_text(m->worker));
	take_final(m, &in, now);
	drop_root(m->env, &m->cfg);
}

void image_dispatch(struct image *m, uint64_t now)
{
	struct image_message in;

	for (int budget = MESSAGES_PER_DISPATCH; m->state == STATE_WORKING && budget > 0;
		budget--) {
		int r = worker_receive(m->worker, &in, now);

		if (r == 0)
			return;
		if (r < 0) {
			died(m, now);
		} else if (in.final) {
			take_final(m, &in, now);
		} else {
			m->bytes = in.result.unpacked.bytes;
			m->event = IMAGE_EVENT_PROGRESS;
		}
	}
}

enum image_event image_pop_event(struct image *m)
{
	enum image_event e = m->event;

	m->event = IMAGE_EVENT_NONE;
	return e;
}

uint64_t image_progress(const struct image *m)
{
	return m->bytes;
}

enum cause image_failure(const struct image *m, const char **ret_text)
{
	*ret_text = m->message.text;
	return (enum cause)m->message.cause;
}

const struct image_result *image_result(const struct image *m)
{
	return &m->message.result;
}
