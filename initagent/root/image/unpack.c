// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/unpack.h"

#include <locale.h>
#include <sys/stat.h>

#include "root/image/cpio.h"
#include "root/image/unpacked.h"
#include "root/image/tar.h"

#define PROGRESS (4u << 20)
/* xz -9 needs 64 MiB and zstd --long=27 128 MiB to unpack; an archive that needs more is refused */
#define MEMORY_MAX (320u << 20)
/* WORKER_FILE(1): other processes find the target by no name. */
#define DIRECTORY "/proc/self/fd/5"
_Static_assert(WORKER_FILE(1) == 5, "the target's descriptor");

struct job {
	const struct unpack_config *cfg;
	struct unpacked *stream;
	struct writer *writer;
	struct unpack_message message;
	uint64_t told;
	bool tells; /* progress goes to the parent */
};

bool unpack_available(void)
{
	return true;
}

static int fail(struct job *j, enum cause cause, const char *text)
{
	return unpacked_fail(j->stream, cause, "%s", text);
}

static int writer_failed(struct job *j)
{
	const char *text;
	enum cause cause = writer_cause(j->writer, &text);

	return fail(j, cause ? cause : CAUSE_INTERNAL, text);
}

static void tell(struct job *j)
{
	j->message.made = *writer_counts(j->writer);
	if (!j->tells || j->message.made.bytes - j->told < PROGRESS)
		return;
	j->told = j->message.made.bytes;
	worker_reply(&j->message, sizeof(j->message));
}

/* One part of a file, from the stream. sum: its bytes are added up. */
static int copy_part(struct job *j, const struct item_part *part, uint32_t *sum)
{
	uint64_t offset = part->offset, left = part->len;

	while (left) {
		const uint8_t *data;
		ssize_t n = unpacked_take(j->stream, &data, min_u64(left, UNPACKED_BLOCK));

		if (n < 0)
			return (int)n;
		if (n == 0)
			return fail(j, CAUSE_IMAGE_BROKEN, "it ends in the middle of a file");
		if (writer_data(j->writer, data, (size_t)n, offset) < 0)
			return writer_failed(j);
		for (ssize_t i = 0; sum && i < n; i++)
			*sum += data[i];
		offset += (uint64_t)n;
		left -= (uint64_t)n;
		tell(j);
	}
	return 0;
}

static int copy_content(struct job *j, const struct item *item)
{
	uint32_t sum = 0;
	int r = 0;

	for (size_t i = 0; i < item->parts_len && r == 0; i++)
		r = copy_part(j, &item->parts[i], item->summed ? &sum : NULL);
	if (r == 0 && item->summed && item->parts_len && sum != item->sum)
		return unpacked_fail(j->stream, CAUSE_IMAGE_BROKEN,
			"%.200s: its checksum does not match", item->entry.name);
	return r;
}

static int take_item(struct job *j, const struct item *item)
{
	int r;

	if (writer_counts(j->writer)->entries == UNPACK_ENTRIES_MAX)
		return fail(j, CAUSE_IMAGE_TOO_BIG, "more entries than a root can have");
	if (writer_begin(j->writer, &item->entry) < 0)
		return writer_failed(j);
	r = copy_content(j, item);
	if (r == 0 && (writer_settle(j->writer) < 0 ||
				(item->capability && writer_capability(j->writer, item->capability,
							   item->capability_len) < 0)))
		r = writer_failed(j);
	writer_end(j->writer);
	tell(j);
	return r;
}

/* A packed file that is no archive: its content under one name. */
static int unwrap(struct job *j)
{
	const struct writer_entry e = {.name = IMAGE_UNWRAPPED, .type = ENTRY_FILE, .mode = 0600};
	const uint8_t *data;
	uint64_t at = 0;
	ssize_t n;

	if (writer_begin(j->writer, &e) < 0)
		return writer_failed(j);
	while ((n = unpacked_take(j->stream, &data, UNPACKED_BLOCK)) > 0) {
		if (writer_data(j->writer, data, (size_t)n, at) < 0)
			return writer_failed(j);
		at += (uint64_t)n;
		tell(j);
	}
	return (int)n;
}

static int unpack_archive(struct job *j, bool is_tar)
{
	_cleanup_(tar_freep) struct tar *tar = NULL;
	_cleanup_(cpio_freep) struct cpio *cpio = NULL;
	struct item item;
	int r = is_tar ? tar_new(&tar, j->stream, j->cfg->bytes_max)
		       : cpio_new(&cpio, j->stream, j->cfg->bytes_max);

	if (r < 0)
		return fail(j, CAUSE_NO_MEMORY, "unpacking");
	while ((r = is_tar ? tar_next(tar, &item) : cpio_next(cpio, &item)) > 0)
		if (take_item(j, &item) < 0)
			return -EINVAL;
	return r;
}

/* Its kind is judged by what it holds. A packed file within a packed file is nobody's root; it
 * would unpack for ever. */
static int unpack_all(struct job *j)
{
	const char *what = "";
	const uint8_t *head;
	ssize_t n = unpacked_head(j->stream, &head);
	enum image_kind kind;
	int r;

	if (n < 0)
		return (int)n;
	kind = image_kind_judge(head, (size_t)n, &what);
	if (kind == IMAGE_UNKNOWN)
		return fail(
			j, CAUSE_IMAGE_UNKNOWN, *what ? what : "no superblock or archive header");
	if (kind == IMAGE_GZIP || kind == IMAGE_XZ || kind == IMAGE_ZSTD)
		return fail(j, CAUSE_IMAGE_UNKNOWN, "packed twice");
	if (kind != IMAGE_TAR && kind != IMAGE_CPIO)
		return unwrap(j);
	if (j->cfg->file)
		return fail(j, CAUSE_IMAGE_UNKNOWN, "an archive, where a disk image is wanted");
	j->message.kind = kind;
	r = unpack_archive(j, kind == IMAGE_TAR);
	return r < 0 || writer_counts(j->writer)->entries || j->cfg->layer
			? r
			: fail(j, CAUSE_IMAGE_BROKEN, "the archive is empty");
}

int unpack_into(const struct unpack_config *cfg, const char *dir, bool tells,
	struct unpack_message *ret)
{
	_cleanup_(unpacked_freep) struct unpacked *stream = NULL;
	_cleanup_(writer_freep) struct writer *writer = NULL;
	struct job j = {.cfg = cfg, .tells = tells};
	const char *text;
	const struct writer_options options = {
		.bytes_max = cfg->bytes_max, .layer = cfg->layer, .plain = cfg->plain};
	int r = writer_new(&writer, dir, &options);

	if (r == 0)
		r = unpacked_new(&stream, cfg->fd, cfg->consume);
	if (r < 0)
		return r;
	j.writer = writer;
	j.stream = stream;
	r = unpack_all(&j);
	j.message.made = *writer_counts(writer);
	j.message.final = 1;
	j.message.cause = unpacked_cause(stream, &text);
	if (r < 0 && !j.message.cause)
		j.message.cause = CAUSE_INTERNAL;
	strscpy(j.message.text, text, sizeof(j.message.text));
	*ret = j.message;
	return 0;
}

/* In the sandbox: the target is "/" here. */
static int work(const void *arg)
{
	struct unpack_config cfg = *(const struct unpack_config *)arg;
	struct unpack_message message;

	cfg.fd = WORKER_FILE(0);
	if (unpack_into(&cfg, "/", true, &message) < 0)
		return 1;
	return worker_reply(&message, sizeof(message)) < 0;
}

/* Names in UTF-8, looked up now, since there are no files in the sandbox. Modes are the
 * archive's. */
static const void *prepare(const void *arg)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	umask(0);
	return arg;
}

static bool message_valid(void *reply, const void *context)
{
	const struct unpack_message *m = reply;

	(void)context;
	return m->cause >= 0 && m->cause < CAUSE_MAX && m->kind < IMAGE_KIND_MAX &&
		memchr(m->text, 0, sizeof(m->text));
}

int unpack_new(struct worker **ret, const struct unpack_config *cfg)
{
	_cleanup_close_ int dir = open(cfg->target, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct worker_spec spec = {
		.run = work,
		.prepare = prepare,
		.arg = cfg,
		.files = {cfg->fd, dir},
		.n_files = 2,
		.sandbox = {SANDBOX_UNPACK, .root = DIRECTORY, .memory = MEMORY_MAX},
		.reply_size = sizeof(struct unpack_message),
		.valid = message_valid,
	};

	return dir < 0 ? -errno : worker_start(ret, &spec, 0);
}

void unpack_next(struct worker *w, struct unpack_message *ret)
{
	if (worker_wait(w, ret) > 0)
		return;
	worker_end(w);
	*ret = (struct unpack_message){.final = 1, .cause = CAUSE_IMAGE_READER_DIED};
	strscpy(ret->text, worker_end_text(w), sizeof(ret->text));
}
