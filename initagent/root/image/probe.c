// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/probe.h"

#include "base/worker.h"
#include "root/image/disk.h"

#define MEMORY_MAX  (64u << 20)
#define CPU_SECONDS 10

static void fail(struct probe *p, enum cause cause, const char *text, const char *more)
{
	p->cause = cause;
	snprintf(p->text, sizeof(p->text), "%s%s%s", text, *more ? ": " : "", more);
}

/* The kind of what begins at offset; says why if it is none. */
static enum image_kind judge_at(int fd, uint64_t offset, const char **what)
{
	int kind = image_kind_read(fd, offset, what);

	if (kind < 0)
		*what = strerror(-kind);
	return kind < 0 ? IMAGE_UNKNOWN : (enum image_kind)kind;
}

/* Why there is no root inside. */
static void none_inside(const struct probe_question *q, struct probe *ret)
{
	if (ret->kind == IMAGE_DISK)
		fail(ret, CAUSE_IMAGE_NO_ROOT_INSIDE, q->part || q->volume ? "no such partition" :
			"no partition of the root's type for this machine", "");
	else
		fail(ret, CAUSE_IMAGE_NO_ROOT_INSIDE, q->dir || q->name ? "no such file in it" :
			"none of the usual files is in it", q->name ? q->name : "");
}

static void look_inside(int fd, const struct probe_question *q, struct probe *ret)
{
	bool disk = ret->kind == IMAGE_DISK;
	const char *what = "";
	int r = disk ? disk_find(fd, q->size, q->part, q->volume, &ret->file)
		     : iso_find(fd, q->size, q->dir, q->name, &ret->file);

	if (r == -ENOENT) {
		none_inside(q, ret);
		return;
	}
	if (r < 0) {
		fail(ret, CAUSE_IMAGE_BROKEN, disk ? "partition table" : "ISO 9660", strerror(-r));
		return;
	}
	ret->inner = judge_at(fd, ret->file.offset, &what);
	if (image_kind_way((enum image_kind)ret->inner) != IMAGE_WAY_MOUNT)
		fail(ret, CAUSE_IMAGE_UNKNOWN, ret->file.path, what);
}

void probe_look(int fd, const struct probe_question *q, struct probe *ret)
{
	const char *what = "";

	*ret = (struct probe){0};
	ret->kind = ret->inner = judge_at(fd, 0, &what);
	if (ret->kind == IMAGE_UNKNOWN)
		fail(ret, CAUSE_IMAGE_UNKNOWN,
			*what ? "it seems to be" : "no superblock or archive header", what);
	else if (image_kind_way((enum image_kind)ret->kind) == IMAGE_WAY_INSIDE)
		look_inside(fd, q, ret);
}

static int work(const void *arg)
{
	static struct probe p;

	probe_look(WORKER_FILE(0), arg, &p);
	return worker_reply(&p, sizeof(p)) < 0;
}

/* A place outside of the image would be another file's data. */
static bool probe_valid(void *reply, const void *context)
{
	const struct probe_question *q = context;
	const struct probe *p = reply;

	return p->cause >= 0 && p->cause < CAUSE_MAX && p->kind < IMAGE_KIND_MAX &&
		p->inner < IMAGE_KIND_MAX && p->file.offset <= q->size &&
		p->file.size <= q->size - p->file.offset && memchr(p->text, 0, sizeof(p->text)) &&
		memchr(p->file.path, 0, sizeof(p->file.path));
}

void probe_image(int fd, const struct probe_question *q, struct probe *ret)
{
	const struct worker_spec spec = {
		.run = work,
		.arg = q,
		.files = {fd},
		.n_files = 1,
		.sandbox = {SANDBOX_COMPUTE, .memory = MEMORY_MAX, .cpu_s = CPU_SECONDS},
		.reply_size = sizeof(*ret),
		.valid = probe_valid,
		.context = q,
	};
	const char *how;

	if (worker_ask(&spec, ret, &how) == 0)
		return;
	*ret = (struct probe){0};
	fail(ret, CAUSE_IMAGE_READER_DIED, how, "");
}
