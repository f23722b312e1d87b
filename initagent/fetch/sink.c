// SPDX-License-Identifier: GPL-2.0-or-later
/* sink: see sink.h. */
#include "fetch/sink.h"

#include "fetch/hasher.h"

/* With smaller chunks the thread that digests would be waited for too often. */
#define HASHER_CHUNK (1u << 20)

struct sink {
	int fd;
	bool stream, handed;
	struct sink_want want;
	uint64_t at;
	struct sha256 whole, chunk, before; /* before: whole, at the chunk's beginning */
	struct hasher *hasher;		    /* who keeps whole and chunk; NULL: we do */
	uint8_t digest[SHA256_SIZE];
	uint8_t *kept;			    /* a stream's chunk until its digest is known */
	size_t flushed, flush_len;	    /* how much of a chunk that is right has been handed over */
};

/* Without a thread it is slower, nothing else. */
static void need_hasher(struct sink *s)
{
	const struct sink_want *w = &s->want;

	if (s->stream || !sink_pinned(s) || (w->chunk_size && w->chunk_size < HASHER_CHUNK) || !hasher_useful())
		return;
	if (hasher_new(&s->hasher, s->fd, w->sha256 ? &s->whole : NULL, w->chunk_size ? &s->chunk : NULL) < 0)
		s->hasher = NULL;
}

int sink_new(struct sink **ret, int fd, bool stream, const struct sink_want *want)
{
	_cleanup_(sink_freep) struct sink *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->fd = fd;
	s->stream = stream;
	s->want = *want;
	if (stream && want->chunk_size) {
		s->kept = malloc(want->chunk_size);
		if (!s->kept)
			return -ENOMEM;
	}
	sha256_init(&s->whole);
	sha256_init(&s->chunk);
	s->before = s->whole;
	need_hasher(s);
	*ret = s;
	s = NULL;
	return 0;
}

struct sink *sink_free(struct sink *s)
{
	if (!s)
		return NULL;
	hasher_free(s->hasher);
	free(s->kept);
	free(s);
	return NULL;
}

uint64_t sink_at(const struct sink *s)
{
	return s->at;
}

uint64_t sink_free_to(const struct sink *s)
{
	return s->hasher ? hasher_at(s->hasher) : s->at;
}

bool sink_pinned(const struct sink *s)
{
	return s->want.sha256 || s->want.chunk_size;
}

bool sink_can_restart(const struct sink *s)
{
	return !s->stream || !s->handed;
}

int sink_fd(const struct sink *s)
{
	return s->fd;
}

const uint8_t *sink_digest(const struct sink *s)
{
	return s->digest;
}

/* --- writing ------------------------------------------------------------------------------- */

/* One write; *ret is what was taken of it. */
static enum fetch_verdict write_some(struct sink *s, const uint8_t *data, size_t len, size_t *ret)
{
	ssize_t n;

	do {
		n = s->stream ? write(s->fd, data, len) : pwrite(s->fd, data, len, (off_t)s->at);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && s->stream && errno == EAGAIN)
		return VERDICT_WAIT;
	if (n <= 0)
		return VERDICT_WRITE;
	s->handed = true;
	*ret = (size_t)n;
	return VERDICT_DONE;
}

/* The rest of a chunk that is known to be right. */
static enum fetch_verdict flush(struct sink *s)
{
	while (s->flushed < s->flush_len) {
		size_t n = 0;
		enum fetch_verdict v = write_some(s, s->kept + s->flushed, s->flush_len - s->flushed, &n);

		if (v != VERDICT_DONE)
			return v;
		s->flushed += n;
	}
	s->flushed = s->flush_len = 0;
	return VERDICT_DONE;
}

/* --- digests ------------------------------------------------------------------------------- */

/* The next bytes go along, and are in the file. */
static void digest(struct sink *s, const uint8_t *data, size_t len)
{
	s->at += len;
	if (s->hasher) {
		hasher_to(s->hasher, s->at);
		return;
	}
	if (s->want.sha256)
		sha256_update(&s->whole, data, len);
	if (s->want.chunk_size)
		sha256_update(&s->chunk, data, len);
}

/* The digests are those of all bytes so far, and ours. */
static enum fetch_verdict settle(struct sink *s)
{
	int r = s->hasher ? hasher_wait(s->hasher) : 0;

	errno = -r;
	return r < 0 ? VERDICT_WRITE : VERDICT_DONE;
}

/* They were set back to the bytes before at. */
static void set_back(struct sink *s)
{
	if (s->hasher)
		hasher_seek(s->hasher, s->at);
}

/* --- chunks -------------------------------------------------------------------------------- */

/* Back to where the chunk at hand began. */
static enum fetch_verdict chunk_wrong(struct sink *s)
{
	s->at = (s->at - 1) / s->want.chunk_size * s->want.chunk_size;
	s->whole = s->before;
	sha256_init(&s->chunk);
	set_back(s);
	return VERDICT_CHUNK;
}

/* The chunk that ends at s->at is complete. */
static enum fetch_verdict chunk_ends(struct sink *s)
{
	uint64_t number = (s->at - 1) / s->want.chunk_size;
	uint8_t is[SHA256_SIZE];

	if (settle(s) != VERDICT_DONE)
		return VERDICT_WRITE;
	sha256_final(&s->chunk, is);
	if (number >= s->want.n_chunks || memcmp(is, s->want.chunks[number], sizeof(is)) != 0)
		return chunk_wrong(s);
	sha256_init(&s->chunk);
	s->before = s->whole;
	if (s->stream)
		s->flush_len = (size_t)(s->at - number * s->want.chunk_size);
	return VERDICT_DONE;
}

/* --- taking -------------------------------------------------------------------------------- */

/* Up to the next border, so that a digest can be taken there. */
static size_t piece_of(const struct sink *s, size_t len)
{
	if (!s->want.chunk_size)
		return len;
	return (size_t)min_u64(len, s->want.chunk_size - s->at % s->want.chunk_size);
}

static enum fetch_verdict keep(struct sink *s, const uint8_t *data, size_t *len)
{
	if (!s->kept)
		return write_some(s, data, *len, len);
	memcpy(s->kept + s->at % s->want.chunk_size, data, *len);
	return VERDICT_DONE;
}

static enum fetch_verdict take_piece(struct sink *s, struct cursor *c)
{
	const uint8_t *data = c->at;
	size_t len = piece_of(s, c->left);
	enum fetch_verdict v = keep(s, data, &len);

	if (v != VERDICT_DONE)
		return v;
	cursor_skip(c, len);
	digest(s, data, len);
	if (!s->want.chunk_size || (s->at % s->want.chunk_size && s->at != s->want.size))
		return VERDICT_DONE;
	return chunk_ends(s);
}

enum fetch_verdict sink_take(struct sink *s, struct cursor *c)
{
	if (s->want.size && c->left > s->want.size - s->at)
		return VERDICT_SIZE;
	if (s->want.limit && c->left > s->want.limit - s->at)
		return VERDICT_TOO_LARGE;
	for (;;) {
		enum fetch_verdict v = flush(s);

		if (v == VERDICT_DONE && c->left)
			v = take_piece(s, c);
		else if (v == VERDICT_DONE)
			return v;
		if (v != VERDICT_DONE)
			return v;
	}
}

/* Digests of the next len bytes, which are in the file already. False: a chunk is wrong. */
static bool adopt_piece(struct sink *s, const uint8_t *data, size_t len)
{
	digest(s, data, len);
	if (!s->want.chunk_size || (s->at % s->want.chunk_size && s->at != s->want.size))
		return true;
	return chunk_ends(s) == VERDICT_DONE;
}

/* The end of it may be a part of a chunk: its digest goes on with what is fetched. */
enum fetch_verdict sink_adopt(struct sink *s, uint64_t have)
{
	static uint8_t piece[65536];
	ssize_t n;

	if (s->stream || s->at)
		return VERDICT_DONE;
	if (!sink_pinned(s) || (s->want.size && have > s->want.size))
		have = 0;
	while (s->at < have) {
		size_t len = piece_of(s, (size_t)min_u64(sizeof(piece), have - s->at));

		n = pread(s->fd, piece, len, (off_t)s->at);
		if (n <= 0 || !adopt_piece(s, piece, (size_t)n))
			break;
	}
	return ftruncate(s->fd, (off_t)s->at) < 0 ? VERDICT_WRITE : VERDICT_DONE;
}

enum fetch_verdict sink_end(struct sink *s)
{
	enum fetch_verdict v = flush(s);
	struct sha256 whole;

	if (v != VERDICT_DONE)
		return v;
	if (s->want.size && s->at != s->want.size)
		return VERDICT_SIZE;
	if (!s->want.sha256)
		return VERDICT_DONE;
	if (settle(s) != VERDICT_DONE)
		return VERDICT_WRITE;
	whole = s->whole;
	sha256_final(&whole, s->digest);
	return memcmp(s->digest, s->want.sha256, SHA256_SIZE) == 0 ? VERDICT_DONE : VERDICT_DIGEST;
}

enum fetch_verdict sink_restart(struct sink *s)
{
	if (!sink_can_restart(s))
		return VERDICT_LOST;
	/* What could not be read is not asked for again. */
	settle(s);
	s->at = 0;
	s->flushed = s->flush_len = 0;
	sha256_init(&s->whole);
	sha256_init(&s->chunk);
	s->before = s->whole;
	set_back(s);
	if (!s->stream && ftruncate(s->fd, 0) < 0)
		return VERDICT_WRITE;
	return VERDICT_DONE;
}
