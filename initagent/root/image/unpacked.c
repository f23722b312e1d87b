// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/unpacked.h"

#include <linux/falloc.h>
#include <stdarg.h>

#include "root/image/depack.h"

/* Freed behind the reader in pieces of this size; a multiple of any page. */
#define PIECE (4u << 20)
/* As many bytes as tell each packing. */
#define BEGIN 6

struct unpacked {
	int fd;
	bool consume;
	uint64_t at, freed; /* in the file */
	uint64_t taken;	    /* of what it unpacks to */
	bool begun;
	size_t packed_len; /* of packed, not used yet */
	struct depack *depack; /* NULL: it is not packed */
	enum cause cause;
	char text[UNPACKED_TEXT_MAX];
	size_t next, end; /* of block: what was unpacked and not taken */
	uint8_t packed[UNPACKED_BLOCK], block[UNPACKED_BLOCK];
};

int unpacked_new(struct unpacked **ret, int fd, bool consume)
{
	struct unpacked *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->fd = fd;
	s->consume = consume;
	*ret = s;
	return 0;
}

struct unpacked *unpacked_free(struct unpacked *s)
{
	if (!s)
		return NULL;
	depack_free(s->depack);
	free(s);
	return NULL;
}

int unpacked_fail(struct unpacked *s, enum cause cause, const char *fmt, ...)
{
	va_list args;

	if (s->cause)
		return -EINVAL;
	s->cause = cause;
	va_start(args, fmt);
	vsnprintf(s->text, sizeof(s->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

enum cause unpacked_cause(const struct unpacked *s, const char **ret_text)
{
	*ret_text = s->text;
	return s->cause;
}

/* --- the file -------------------------------------------------------------------------------- */

static void free_behind(struct unpacked *s)
{
	uint64_t end = s->at & ~(uint64_t)(PIECE - 1);

	if (!s->consume || end <= s->freed)
		return;
	/* A file system without holes keeps the memory; nothing else is lost. */
	s->consume = fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)s->freed,
		(off_t)(end - s->freed)) == 0;
	s->freed = end;
}

static ssize_t read_file(struct unpacked *s, void *buf, size_t len)
{
	ssize_t n;

	do
		n = read(s->fd, buf, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return unpacked_fail(s, CAUSE_IMAGE_BROKEN, "read: %s", strerror(errno));
	s->at += (uint64_t)n;
	free_behind(s);
	return n;
}

/* The next packed bytes, in packed. How many, 0 at the end. */
static ssize_t read_packed(struct unpacked *s)
{
	ssize_t n = (ssize_t)s->packed_len;

	s->packed_len = 0;
	return n ? n : read_file(s, s->packed, sizeof(s->packed));
}

/* --- the packings ---------------------------------------------------------------------------- */

/* Up to the file's end: a sender that writes through a pipe waits until all was read. */
static ssize_t read_depack(struct unpacked *s, void *buf, size_t len)
{
	const char *why = "it is truncated";
	ssize_t n, more = 1;

	while ((n = depack_take(s->depack, buf, len, &why)) == 0) {
		more = read_packed(s);
		if (more <= 0)
			break;
		depack_give(s->depack, s->packed, (size_t)more);
	}
	if (n > 0 || more < 0)
		return n > 0 ? n : more;
	if (n == 0 && depack_complete(s->depack))
		return 0;
	return unpacked_fail(s, CAUSE_IMAGE_BROKEN, "%s: %s", depack_name(s->depack), why);
}

static int begin_depack(struct unpacked *s, enum depack_kind kind)
{
	return depack_new(&s->depack, kind) < 0 ? unpacked_fail(s, CAUSE_NO_MEMORY, "unpacking")
						: 0;
}

/* The first bytes tell the packing. */
static int begin(struct unpacked *s)
{
	ssize_t n = 1;

	for (; n > 0 && s->packed_len < BEGIN; s->packed_len += n > 0 ? (size_t)n : 0)
		n = read_file(s, s->packed + s->packed_len, sizeof(s->packed) - s->packed_len);
	if (n < 0)
		return -EINVAL;
	s->begun = true;
	switch (image_kind_judge(s->packed, s->packed_len < BEGIN ? s->packed_len : BEGIN, NULL)) {
	case IMAGE_GZIP: return begin_depack(s, DEPACK_GZIP);
	case IMAGE_XZ: return begin_depack(s, DEPACK_XZ);
	case IMAGE_ZSTD: return begin_depack(s, DEPACK_ZSTD);
	default: return 0;
	}
}

static ssize_t read_plain(struct unpacked *s, void *buf, size_t len)
{
	size_t n = min_u64(len, s->packed_len);

	if (!n)
		return read_file(s, buf, len);
	memcpy(buf, s->packed, n);
	memmove(s->packed, s->packed + n, s->packed_len - n);
	s->packed_len -= n;
	return (ssize_t)n;
}

static ssize_t read_next(struct unpacked *s, void *buf, size_t len)
{
	if (!s->begun && begin(s) < 0)
		return -EINVAL;
	return s->depack ? read_depack(s, buf, len) : read_plain(s, buf, len);
}

/* --- what the parsers call ------------------------------------------------------------------- */

ssize_t unpacked_head(struct unpacked *s, const uint8_t **ret)
{
	ssize_t n = 1;

	for (; n > 0 && s->end < sizeof(s->block); s->end += n > 0 ? (size_t)n : 0)
		n = read_next(s, s->block + s->end, sizeof(s->block) - s->end);
	*ret = s->block;
	return n < 0 ? n : (ssize_t)s->end;
}

/* At least one byte in block: 1, 0 at the end, or -EINVAL. */
static int fill(struct unpacked *s)
{
	ssize_t n;

	if (s->next < s->end)
		return 1;
	n = read_next(s, s->block, sizeof(s->block));
	s->next = 0;
	s->end = n > 0 ? (size_t)n : 0;
	return n > 0 ? 1 : (int)n;
}

ssize_t unpacked_take(struct unpacked *s, const uint8_t **ret, size_t max)
{
	int r = fill(s);
	size_t n = min_u64(max, s->end - s->next);

	if (r <= 0)
		return r;
	*ret = s->block + s->next;
	s->next += n;
	s->taken += n;
	return (ssize_t)n;
}

ssize_t unpacked_read(struct unpacked *s, void *buf, size_t len)
{
	uint8_t *to = buf;
	size_t have = 0;

	while (have < len) {
		const uint8_t *data;
		ssize_t n = unpacked_take(s, &data, len - have);

		if (n < 0)
			return n;
		if (n == 0)
			break;
		memcpy(to + have, data, (size_t)n);
		have += (size_t)n;
	}
	return (ssize_t)have;
}

static int cut_short(struct unpacked *s, const char *what)
{
	return unpacked_fail(s, CAUSE_IMAGE_BROKEN, "it ends in the middle of %s", what);
}

int unpacked_read_whole(struct unpacked *s, void *buf, size_t len, const char *what)
{
	ssize_t n = unpacked_read(s, buf, len);

	return n < 0 ? (int)n : (size_t)n < len ? cut_short(s, what) : 0;
}

int unpacked_skip(struct unpacked *s, uint64_t len, const char *what)
{
	while (len) {
		const uint8_t *data;
		ssize_t n = unpacked_take(s, &data, min_u64(len, UNPACKED_BLOCK));

		if (n <= 0)
			return n < 0 ? (int)n : cut_short(s, what);
		len -= (uint64_t)n;
	}
	return 0;
}

int unpacked_skip_zeroes(struct unpacked *s, uint64_t max)
{
	uint64_t from = s->taken;
	int r;

	while ((r = fill(s)) > 0) {
		size_t begin_at = s->next;

		while (s->next < s->end && !s->block[s->next])
			s->next++;
		s->taken += s->next - begin_at;
		if (s->next < s->end)
			return 1;
		if (s->taken - from > max)
			return unpacked_fail(s, CAUSE_IMAGE_TOO_BIG,
				"what follows the end of the archive");
	}
	return r;
}

uint64_t unpacked_at(const struct unpacked *s)
{
	return s->taken;
}
