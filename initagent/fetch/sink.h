/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink: where the bytes of a file go, in order, and the digests that go along with them. A regular file can be
 * begun anew, and a chunk whose digest is wrong is written again; to a stream (a pipe with an unpacker behind it)
 * a chunk is handed only after its digest was found right. Used in the process that fetches.
 */
#pragma once

#include "cursor.h"
#include "fetch/sha256.h"
#include "fetch/verdict.h"

#define SINK_STREAM_CHUNK_MAX (UINT64_C(4) << 20) /* one is kept in memory */

/* What the file should be; zero or NULL where that is not known. */
struct sink_want {
	uint64_t size;
	uint64_t limit;			      /* room for so many bytes */
	const uint8_t *sha256;		      /* of the whole file */
	uint64_t chunk_size;		      /* of all but the last */
	const uint8_t (*chunks)[SHA256_SIZE]; /* one for each chunk */
	size_t n_chunks;
};

struct sink;

/* sink_new: writes to fd from its beginning on. want, and what it points to, is borrowed. 0 or -errno. */
int sink_new(struct sink **ret, int fd, bool stream, const struct sink_want *want);
struct sink *sink_free(struct sink *s);
DEFINE_FREEP(struct sink, sink_free)

/*
 * sink_adopt: the file's first have bytes are there from an earlier time: they are read, and those that may be built upon
 * count as taken: whole chunks that are right, or all of them where only the digest of the whole is known. None without
 * any digest; the rest is cut off. VERDICT_DONE or VERDICT_WRITE.
 */
enum fetch_verdict sink_adopt(struct sink *s, uint64_t have);

/* sink_at: bytes taken so far: the next one belongs there. */
uint64_t sink_at(const struct sink *s);

/* sink_free_to: the bytes before that one are not read again; the file's owner may give their memory back. */
uint64_t sink_free_to(const struct sink *s);

/* sink_pinned: is a digest known, so that bytes of different origin cannot be mixed up unseen? */
bool sink_pinned(const struct sink *s);

/*
 * sink_take: the next bytes. VERDICT_DONE: all taken; VERDICT_WAIT: the stream takes no more right now, what is
 * left in c is to be given again when sink_fd() can be written to; VERDICT_CHUNK: a chunk was wrong, sink_at() is its
 * beginning again; VERDICT_SIZE, VERDICT_TOO_LARGE, VERDICT_WRITE (errno says why).
 */
enum fetch_verdict sink_take(struct sink *s, struct cursor *c);

/* sink_end: there is no more. VERDICT_DONE, VERDICT_WAIT, VERDICT_SIZE, VERDICT_DIGEST or VERDICT_WRITE. */
enum fetch_verdict sink_end(struct sink *s);

/* sink_restart: begins anew. VERDICT_DONE, VERDICT_LOST (a stream that got something) or VERDICT_WRITE. */
enum fetch_verdict sink_restart(struct sink *s);

/* sink_can_restart: would sink_restart() work? */
bool sink_can_restart(const struct sink *s);

int sink_fd(const struct sink *s);

/* sink_digest: what the digest turned out to be, after VERDICT_DIGEST. */
const uint8_t *sink_digest(const struct sink *s);
