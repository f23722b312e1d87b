// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/intake.h"

/* No byte was taken yet. */
static void set_digests(struct intake *i)
{
	sha256_init(&i->whole);
	sha256_init(&i->chunk);
	i->before = i->whole;
}

void intake_init(struct intake *i, int fd, const struct intake_want *want, struct hasher *hasher)
{
	*i = (struct intake){.fd = fd, .want = *want, .hasher = hasher};
	set_digests(i);
}

/* Is a chunk complete with the last byte taken? */
static bool at_border(const struct intake *i)
{
	return i->want.chunk_size && (i->at % i->want.chunk_size == 0 || i->at == i->want.size);
}

uint64_t intake_final(const struct intake *i)
{
	return !i->want.chunk_size || at_border(i) ? i->at : i->at - i->at % i->want.chunk_size;
}

/* --- digests --------------------------------------------------------------------------------- */

void intake_catch_up(struct intake *i, uint64_t ticket)
{
	if (i->hasher)
		hasher_wait(i->hasher, ticket);
}

static void update(struct intake *i, struct sha256 *s, const uint8_t *data, size_t len)
{
	if (i->hasher)
		i->ticket = hasher_add(i->hasher, s, data, len);
	else
		sha256_update(s, data, len);
}

/* Back to where the chunk at hand began. */
static enum fetch_verdict chunk_wrong(struct intake *i)
{
	i->at = (i->at - 1) / i->want.chunk_size * i->want.chunk_size;
	i->whole = i->before;
	sha256_init(&i->chunk);
	return VERDICT_CHUNK;
}

/* The chunk that ends at i->at is complete. */
static enum fetch_verdict chunk_ends(struct intake *i)
{
	uint64_t number = (i->at - 1) / i->want.chunk_size;
	uint8_t is[SHA256_SIZE];

	intake_catch_up(i, i->ticket);
	sha256_final(&i->chunk, is);
	if (number >= i->want.n_chunks || memcmp(is, i->want.chunks[number], sizeof(is)) != 0)
		return chunk_wrong(i);
	sha256_init(&i->chunk);
	i->before = i->whole;
	return VERDICT_DONE;
}

/* The next bytes, which are in the file. */
static enum fetch_verdict digest(struct intake *i, const uint8_t *data, size_t len)
{
	i->at += len;
	if (i->want.sha256)
		update(i, &i->whole, data, len);
	if (i->want.chunk_size)
		update(i, &i->chunk, data, len);
	return at_border(i) ? chunk_ends(i) : VERDICT_DONE;
}

/* Up to the next border, so that a digest can be taken there. */
static size_t piece_of(const struct intake *i, uint64_t len)
{
	if (!i->want.chunk_size)
		return (size_t)len;
	return (size_t)min_u64(len, i->want.chunk_size - i->at % i->want.chunk_size);
}

/* --- taking ---------------------------------------------------------------------------------- */

static enum fetch_verdict take_piece(struct intake *i, const uint8_t *data, size_t *len)
{
	ssize_t n;

	do {
		n = pwrite(i->fd, data, *len, (off_t)i->at);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return VERDICT_WRITE;
	*len = (size_t)n;
	return digest(i, data, *len);
}

enum fetch_verdict intake_take(struct intake *i, const void *data, size_t len)
{
	const uint8_t *at = data;

	if (i->want.size && (i->at > i->want.size || len > i->want.size - i->at))
		return VERDICT_SIZE;
	if (i->want.limit && (i->at > i->want.limit || len > i->want.limit - i->at))
		return VERDICT_TOO_LARGE;
	while (len) {
		size_t n = piece_of(i, len);
		enum fetch_verdict v = take_piece(i, at, &n);

		if (v != VERDICT_DONE)
			return v;
		at += n;
		len -= n;
	}
	return VERDICT_DONE;
}

/* The end of it may be a part of a chunk: its digest goes on with what is fetched. */
enum fetch_verdict intake_adopt(struct intake *i, uint64_t have)
{
	static uint8_t piece[65536];

	if (!(i->want.sha256 || i->want.chunk_size) || (i->want.size && have > i->want.size))
		have = 0;
	while (i->at < have) {
		size_t len = piece_of(i, min_u64(sizeof(piece), have - i->at));
		ssize_t n = pread(i->fd, piece, len, (off_t)i->at);

		if (n <= 0 || digest(i, piece, (size_t)n) != VERDICT_DONE)
			break;
		intake_catch_up(i, i->ticket);
	}
	return ftruncate(i->fd, (off_t)i->at) < 0 ? VERDICT_WRITE : VERDICT_DONE;
}

enum fetch_verdict intake_end(struct intake *i)
{
	struct sha256 whole;

	if (i->want.size && i->at != i->want.size)
		return VERDICT_SIZE;
	if (!i->want.sha256)
		return VERDICT_DONE;
	intake_catch_up(i, i->ticket);
	whole = i->whole;
	sha256_final(&whole, i->digest);
	return memcmp(i->digest, i->want.sha256, SHA256_SIZE) == 0 ? VERDICT_DONE : VERDICT_DIGEST;
}

enum fetch_verdict intake_restart(struct intake *i)
{
	intake_catch_up(i, i->ticket);
	i->at = 0;
	set_digests(i);
	return ftruncate(i->fd, 0) < 0 ? VERDICT_WRITE : VERDICT_DONE;
}
