// SPDX-License-Identifier: GPL-2.0-or-later
/* unpack: see unpack.h. */
#include "image/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <linux/falloc.h>
#include <locale.h>
#include <sys/stat.h>

#include "image/cage.h"
#include "image/gunzip.h"
#include "image/writer.h"

#define BLOCK	 (128 * 1024)
#define PROGRESS (4u << 20)
/* Freed behind the reader in pieces of this size; a multiple of any page. */
#define PIECE	 (4u << 20)
/* xz -9 needs 64 MiB and zstd --long=27 128 MiB to unpack; an archive that wants more gets none. */
#define MEMORY_MAX (320u << 20)

struct unpack {
	struct cage cage;
};

/* Where the packed bytes come from. */
struct source {
	int fd;
	bool consume;
	uint64_t at, freed;
	bool begun;
	struct gunzip *gunzip; /* NULL: it is not packed so */
	uint8_t block[BLOCK], plain[BLOCK];
};

struct job {
	const struct unpack_config *cfg;
	struct source source;
	struct writer *writer;
	struct unpack_message message;
	uint64_t told;
	int out;
	struct archive *stream, *archive; /* the unpacking, and the archive in what it yields */
	size_t head_len;		  /* of what is in block and was not used yet */
	uint8_t block[BLOCK];
};

bool unpack_available(void)
{
	return true;
}

static int fail(struct job *j, enum cause cause, const char *text)
{
	j->message.cause = cause;
	strscpy(j->message.text, text ? text : "", sizeof(j->message.text));
	return -EINVAL;
}

static int writer_failed(struct job *j)
{
	const char *text;
	enum cause cause = writer_cause(j->writer, &text);

	return fail(j, cause ? cause : CAUSE_INTERNAL, text);
}

/* --- libarchive's end --------------------------------------------------------------------- */

static void free_behind(struct source *s)
{
	uint64_t end = s->at & ~(uint64_t)(PIECE - 1);

	if (!s->consume || end <= s->freed)
		return;
	/* A file system without holes keeps the memory; nothing else is lost. */
	s->consume = fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)s->freed,
		(off_t)(end - s->freed)) == 0;
	s->freed = end;
}

/* The next bytes of the file, behind those that are in block. How many, or ARCHIVE_FATAL. */
static la_ssize_t read_packed(struct archive *a, struct source *s, size_t have)
{
	ssize_t n;

	do
		n = read(s->fd, s->block + have, sizeof(s->block) - have);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		archive_set_error(a, errno, "read");
		return ARCHIVE_FATAL;
	}
	s->at += (uint64_t)n;
	free_behind(s);
	return n;
}

/* The first bytes, as many as tell whether it is gzip. */
static la_ssize_t read_first(struct archive *a, struct source *s)
{
	la_ssize_t n = 1;
	size_t have = 0;

	for (; n > 0 && have < GUNZIP_BEGIN; have += n > 0 ? (size_t)n : 0)
		n = read_packed(a, s, have);
	s->begun = true;
	if (n >= 0 && gunzip_begins(s->block, have)) {
		if (gunzip_new(&s->gunzip) < 0) {
			archive_set_error(a, ENOMEM, "gzip");
			return ARCHIVE_FATAL;
		}
		gunzip_give(s->gunzip, s->block, have);
	}
	return n < 0 ? n : (la_ssize_t)have;
}

/* Up to the file's end, whatever follows the content: who sends it through a pipe waits for that. */
static la_ssize_t read_gzip(struct archive *a, struct source *s)
{
	const char *why = "it is cut short";
	la_ssize_t n, more = 1;

	while ((n = gunzip_take(s->gunzip, s->plain, sizeof(s->plain), &why)) == 0) {
		more = read_packed(a, s, 0);
		if (more <= 0)
			break;
		gunzip_give(s->gunzip, s->block, (size_t)more);
	}
	if (n > 0 || more < 0)
		return n > 0 ? n : more;
	if (n == 0 && gunzip_complete(s->gunzip))
		return 0;
	archive_set_error(a, EINVAL, "gzip: %s", why);
	return ARCHIVE_FATAL;
}

static la_ssize_t read_block(struct archive *a, void *arg, const void **block)
{
	struct source *s = arg;
	la_ssize_t n = s->begun ? 0 : read_first(a, s);

	if (n < 0)
		return n;
	*block = s->gunzip ? s->plain : s->block;
	if (s->gunzip)
		return read_gzip(a, s);
	return n ? n : read_packed(a, s, 0);
}

static int fail_archive(struct job *j, struct archive *a)
{
	const char *text = archive_error_string(a);

	return fail(j, CAUSE_IMAGE_BROKEN, text ? text : "it cannot be read");
}

/* The unpacked bytes, whatever they are; gzip is off already. Only what roots are packed with: each filter is a parser more. */
static int open_stream(struct job *j)
{
	struct archive_entry *ae;
	struct archive *a = j->stream = archive_read_new();

	if (!a)
		return fail(j, CAUSE_NO_MEMORY, "");
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	archive_read_support_format_raw(a);
	if (archive_read_open(a, &j->source, NULL, read_block, NULL) < ARCHIVE_WARN ||
		archive_read_next_header(a, &ae) < ARCHIVE_WARN)
		return fail_archive(j, a);
	return 0;
}

/* Reads until len bytes or the end are there. Returns how many, or -errno. */
static ssize_t read_stream(struct job *j, void *buf, size_t len)
{
	uint8_t *at = buf;
	size_t have = 0;

	while (have < len) {
		la_ssize_t n = archive_read_data(j->stream, at + have, len - have);

		if (n < 0)
			return fail_archive(j, j->stream);
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

/* The inner archive's reader: first what was looked at, then the rest. */
static la_ssize_t read_unpacked(struct archive *a, void *arg, const void **block)
{
	struct job *j = arg;
	ssize_t n = (ssize_t)j->head_len;

	j->head_len = 0;
	if (n == 0)
		n = read_stream(j, j->block, sizeof(j->block));
	if (n < 0) {
		archive_set_error(a, EIO, "%s", j->message.text);
		return ARCHIVE_FATAL;
	}
	*block = j->block;
	return n;
}

static int open_archive(struct job *j, enum image_kind kind)
{
	struct archive *a = j->archive = archive_read_new();

	if (!a)
		return fail(j, CAUSE_NO_MEMORY, "");
	if (kind == IMAGE_TAR)
		archive_read_support_format_tar(a);
	else
		archive_read_support_format_cpio(a);
	return archive_read_open(a, j, NULL, read_unpacked, NULL) < ARCHIVE_WARN ? fail_archive(j, a) : 0;
}

static void count(struct job *j)
{
	j->message.bytes = writer_bytes(j->writer);
	j->message.entries = writer_entries(j->writer);
	j->message.left_out = writer_left_out(j->writer);
}

static void tell(struct job *j)
{
	count(j);
	if (j->out < 0 || j->message.bytes - j->told < PROGRESS)
		return;
	j->told = j->message.bytes;
	cage_write(j->out, &j->message, sizeof(j->message));
}

static int copy_data(struct job *j, struct archive *a)
{
	const void *data;
	la_int64_t offset;
	size_t len;
	int r;

	while ((r = archive_read_data_block(a, &data, &len, &offset)) == ARCHIVE_OK) {
		if (offset < 0)
			return fail(j, CAUSE_IMAGE_BROKEN, "a part of a file lies before its beginning");
		if (writer_data(j->writer, data, len, (uint64_t)offset) < 0)
			return writer_failed(j);
		tell(j);
	}
	return r == ARCHIVE_EOF ? 0 : fail_archive(j, a);
}

static enum entry_type type_of(struct archive_entry *ae)
{
	switch (archive_entry_filetype(ae)) {
	case AE_IFREG: return ENTRY_FILE;
	case AE_IFDIR: return ENTRY_FOLDER;
	case AE_IFLNK: return ENTRY_LINK;
	case AE_IFIFO: return ENTRY_FIFO;
	case AE_IFCHR:
	case AE_IFBLK: return ENTRY_NODE;
	default: return ENTRY_OTHER;
	}
}

/* Of a sparse file (GNU tar -S) the archive has the parts that are no holes: a lastlog of 300 GB is a few pages. */
static uint64_t stored_of(struct archive_entry *ae)
{
	la_int64_t offset, length;
	uint64_t sum = 0;

	if (archive_entry_sparse_reset(ae) == 0)
		return archive_entry_size(ae) > 0 ? (uint64_t)archive_entry_size(ae) : 0;
	while (archive_entry_sparse_next(ae, &offset, &length) == ARCHIVE_OK)
		sum += (uint64_t)length;
	return sum;
}

/* Names of the pax form are UTF-8; of the others they are bytes, which libarchive hands on as such. */
static struct entry entry_of(struct archive_entry *ae)
{
	struct entry e = {
		.name = archive_entry_pathname(ae),
		.target = archive_entry_symlink(ae),
		.hard = archive_entry_hardlink(ae),
		.type = type_of(ae),
		.size = archive_entry_size(ae) > 0 ? (uint64_t)archive_entry_size(ae) : 0,
		.stored = stored_of(ae),
		.mode = (uint32_t)archive_entry_mode(ae),
		.uid = (uint32_t)archive_entry_uid(ae),
		.gid = (uint32_t)archive_entry_gid(ae),
		.mtime = archive_entry_mtime(ae),
	};

	if (!e.name)
		e.name = archive_entry_pathname_utf8(ae);
	if (e.hard && e.type == ENTRY_OTHER)
		e.type = ENTRY_FILE;
	return e;
}

static int take_attributes(struct job *j, struct archive_entry *ae)
{
	const void *value;
	const char *name;
	size_t len;

	archive_entry_xattr_reset(ae);
	while (archive_entry_xattr_next(ae, &name, &value, &len) == ARCHIVE_OK)
		if (name && writer_attribute(j->writer, name, value, len) < 0)
			return writer_failed(j);
	return 0;
}

/* The last number means "as it is" to chown(2); one cut off could become root's. */
static bool owner_fits(la_int64_t id)
{
	return id >= 0 && id < UINT32_MAX;
}

static int take_entry(struct job *j, struct archive *a, struct archive_entry *ae)
{
	const struct entry e = entry_of(ae);
	int r;

	if (writer_entries(j->writer) == UNPACK_ENTRIES_MAX)
		return fail(j, CAUSE_IMAGE_TOO_BIG, "more entries than a root can have");
	if (!owner_fits(archive_entry_uid(ae)) || !owner_fits(archive_entry_gid(ae)))
		return fail(j, CAUSE_IMAGE_ENTRY_REFUSED, "an owner that no file can have");
	if (e.type == ENTRY_LINK && !e.target)
		return fail(j, CAUSE_IMAGE_BROKEN, "a symbolic link that leads nowhere");
	if (writer_begin(j->writer, &e) < 0)
		return writer_failed(j);
	r = copy_data(j, a);
	if (r == 0 && writer_settle(j->writer) < 0)
		r = writer_failed(j);
	if (r == 0)
		r = take_attributes(j, ae);
	writer_end(j->writer);
	tell(j);
	return r;
}

/* A packed file that is no archive: its content under one name. */
static int unwrap(struct job *j)
{
	const struct entry e = {.name = IMAGE_UNWRAPPED, .type = ENTRY_FILE, .mode = 0600};
	ssize_t n = (ssize_t)j->head_len;
	uint64_t at = 0;

	if (writer_begin(j->writer, &e) < 0)
		return writer_failed(j);
	for (; n > 0; n = read_stream(j, j->block, sizeof(j->block))) {
		if (writer_data(j->writer, j->block, (size_t)n, at) < 0)
			return writer_failed(j);
		at += (uint64_t)n;
		tell(j);
	}
	return (int)n;
}

/* What follows the archive's end holds the packing's checksum: a cut or changed one shows there. */
static int drain(struct job *j)
{
	uint64_t over = 0;
	ssize_t n;

	while ((n = read_stream(j, j->block, sizeof(j->block))) > 0) {
		over += (uint64_t)n;
		if (over > j->cfg->bytes_max)
			return fail(j, CAUSE_IMAGE_TOO_BIG, "what follows the end of the archive");
	}
	return (int)n;
}

static int unpack_archive(struct job *j, enum image_kind kind)
{
	struct archive_entry *ae;
	int r = open_archive(j, kind);

	while (r == 0) {
		r = archive_read_next_header(j->archive, &ae);
		if (r == ARCHIVE_EOF)
			return writer_entries(j->writer) ? drain(j)
				: fail(j, CAUSE_IMAGE_BROKEN, "the archive is empty");
		/* A warning is about a name's character set or an attribute, which are looked at by us. */
		r = r < ARCHIVE_WARN ? fail_archive(j, j->archive) : take_entry(j, j->archive, ae);
	}
	return r;
}

/* Its kind is judged by what it holds, not by who wants to read it: libarchive takes zeroes for a tar. */
static int unpack_all(struct job *j)
{
	const char *what = "";
	enum image_kind kind;
	ssize_t n;
	int r = open_stream(j);

	if (r < 0)
		return r;
	n = read_stream(j, j->block, sizeof(j->block));
	if (n < 0)
		return (int)n;
	j->head_len = (size_t)n;
	kind = image_kind_judge(j->block, j->head_len, &what);
	if (kind == IMAGE_UNKNOWN)
		return fail(j, CAUSE_IMAGE_UNKNOWN, *what ? what : "no superblock or archive header");
	if (kind != IMAGE_TAR && kind != IMAGE_CPIO)
		return unwrap(j);
	j->message.kind = kind;
	return unpack_archive(j, kind);
}

int unpack_into(const struct unpack_config *cfg, const char *dir, int out, struct unpack_message *ret)
{
	struct job *j = calloc(1, sizeof(*j));
	int r = j ? writer_new(&j->writer, dir, cfg->bytes_max) : -ENOMEM;

	if (r < 0) {
		free(j);
		return r;
	}
	j->cfg = cfg;
	j->out = out;
	j->source.fd = cfg->fd;
	j->source.consume = cfg->consume;
	unpack_all(j);
	count(j);
	j->message.final = 1;
	*ret = j->message;
	archive_read_free(j->archive);
	archive_read_free(j->stream);
	gunzip_free(j->source.gunzip);
	writer_free(j->writer);
	free(j);
	return 0;
}

/* In the cage: the target is "/" here. */
static int work(const void *arg, int in, int out)
{
	struct unpack_config cfg = *(const struct unpack_config *)arg;
	struct unpack_message message;

	cfg.fd = in;
	if (unpack_into(&cfg, "/", out, &message) < 0)
		return 1;
	return cage_write(out, &message, sizeof(message)) < 0;
}

int unpack_new(struct unpack **ret, const struct unpack_config *cfg)
{
	struct unpack *u = calloc(1, sizeof(*u));
	struct cage_job job = {
		.run = work,
		.arg = cfg,
		.in = cfg->fd,
		.root = cfg->target,
		.rights = CAGE_UNPACK,
		.memory = MEMORY_MAX,
	};
	mode_t mask;
	int r;

	if (!u)
		return -ENOMEM;
	/* Names in UTF-8; looked up now, since there are no files in the cage. Modes are the archive's. */
	setlocale(LC_CTYPE, "C.UTF-8");
	mask = umask(0);
	r = cage_start(&u->cage, &job);
	umask(mask);
	if (r < 0) {
		free(u);
		return r;
	}
	*ret = u;
	return 0;
}

struct unpack *unpack_free(struct unpack *u)
{
	if (!u)
		return NULL;
	cage_end(&u->cage);
	free(u);
	return NULL;
}

static bool sane(const struct unpack_message *m)
{
	return m->cause >= 0 && m->cause < CAUSE_MAX && m->kind < IMAGE_KIND_MAX &&
		memchr(m->text, 0, sizeof(m->text));
}

void unpack_next(struct unpack *u, struct unpack_message *ret)
{
	int r = u->cage.fd < 0 ? 0 : cage_read(&u->cage, ret, sizeof(*ret));
	const char *how;

	if (r == 1 && sane(ret))
		return;
	how = r == 1 ? "it sent what it cannot mean" : cage_end_text(cage_end(&u->cage));
	*ret = (struct unpack_message){.final = 1, .cause = CAUSE_IMAGE_READER_DIED};
	strscpy(ret->text, how, sizeof(ret->text));
}
