/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intake: where the bytes of a file end up, in order, and the digests that go along with them. The
 * file can be started again, and a chunk whose digest is wrong is written again. Each byte is
 * digested from the memory that is written, never from the file. Used in the process that verifies.
 */
#pragma once

#include "base/hasher.h"
#include "fetch/verdict.h"

/* What the file should be; zero or NULL where that is not known. */
struct intake_want {
	uint64_t size;
	uint64_t limit;			      /* room for so many bytes */
	const uint8_t *sha256;		      /* of the whole file */
	uint64_t chunk_size;		      /* of all but the last */
	const uint8_t (*chunks)[SHA256_SIZE]; /* one for each chunk */
	size_t n_chunks;
};

struct intake;

/*
 * intake_new: writes to fd from its beginning on. want, what it points to, and hasher (NULL: none)
 * are borrowed. 0 or -ENOMEM.
 */
int intake_new(struct intake **ret, int fd, const struct intake_want *want, struct hasher *hasher);
struct intake *intake_free(struct intake *i);
DEFINE_FREEP(struct intake, intake_free)

/*
 * intake_adopt: the file's first have bytes are there from an earlier time: they are read, and
 * those that may be built upon count as taken: whole chunks that are right, or all of them where
 * only the digest of the whole is known. None without any digest; the rest is cut off. VERDICT_DONE
 * or VERDICT_WRITE.
 */
enum fetch_verdict intake_adopt(struct intake *i, uint64_t have);

/* intake_at: bytes taken so far: the next one belongs there. */
uint64_t intake_at(const struct intake *i);

/* intake_final: with chunks, the bytes before were found right; without, all that were taken. They
 * are not written again. */
uint64_t intake_final(const struct intake *i);

/*
 * intake_ticket: with a hasher, data that was taken must stay as it is until intake_catch_up() has
 * returned for the ticket that this returned then.
 */
uint64_t intake_ticket(const struct intake *i);
void intake_catch_up(struct intake *i, uint64_t ticket);

/*
 * intake_take: the next bytes. VERDICT_DONE: all taken; VERDICT_CHUNK: a chunk was wrong,
 * intake_at() is its beginning again; VERDICT_SIZE, VERDICT_TOO_LARGE, VERDICT_WRITE (errno says
 * why).
 */
enum fetch_verdict intake_take(struct intake *i, const void *data, size_t len);

/* intake_end: there is no more. VERDICT_DONE, VERDICT_SIZE or VERDICT_DIGEST. */
enum fetch_verdict intake_end(struct intake *i);

/* intake_restart: starts again. VERDICT_DONE or VERDICT_WRITE. */
enum fetch_verdict intake_restart(struct intake *i);

/* intake_digest: what the digest turned out to be, after VERDICT_DIGEST. */
const uint8_t *intake_digest(const struct intake *i);
