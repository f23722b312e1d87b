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

struct intake {
	int fd;
	struct hasher *hasher; /* NULL: digests are computed at once */
	uint64_t ticket;       /* of the last part that the hasher got */
	struct intake_want want;
	uint64_t at; /* bytes taken so far: the next one belongs there */
	struct sha256 whole, chunk, before; /* before: whole, at the chunk's beginning */
	uint8_t digest[SHA256_SIZE]; /* what it turned out to be, after VERDICT_DIGEST */
};

/*
 * intake_init: writes to fd from its beginning on. What want points to and hasher (NULL: none) are
 * borrowed. With a hasher it stays where it is until intake_catch_up() was called for its ticket.
 */
void intake_init(struct intake *i, int fd, const struct intake_want *want, struct hasher *hasher);

/*
 * intake_adopt: the file's first have bytes are there from an earlier time: they are read, and
 * those that may be built upon count as taken: whole chunks that are right, or all of them where
 * only the digest of the whole is known. None without any digest; the rest is cut off. VERDICT_DONE
 * or VERDICT_WRITE.
 */
enum fetch_verdict intake_adopt(struct intake *i, uint64_t have);

/* intake_final: with chunks, the bytes before were found right; without, all that were taken. They
 * are not written again. */
uint64_t intake_final(const struct intake *i);

/*
 * intake_catch_up: with a hasher, data that was taken must stay as it is until this has returned
 * for what the ticket was then.
 */
void intake_catch_up(struct intake *i, uint64_t ticket);

/*
 * intake_take: the next bytes. VERDICT_DONE: all taken; VERDICT_CHUNK: a chunk was wrong,
 * at is its beginning again; VERDICT_SIZE, VERDICT_TOO_LARGE, VERDICT_WRITE (errno says
 * why).
 */
enum fetch_verdict intake_take(struct intake *i, const void *data, size_t len);

/* intake_end: there is no more. VERDICT_DONE, VERDICT_SIZE or VERDICT_DIGEST. */
enum fetch_verdict intake_end(struct intake *i);

/* intake_restart: starts again. VERDICT_DONE or VERDICT_WRITE. */
enum fetch_verdict intake_restart(struct intake *i);
