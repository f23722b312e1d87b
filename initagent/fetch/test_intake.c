// SPDX-License-Identifier: GPL-2.0-or-later
/* intake: chunks that are right and wrong, what is there already, and the way back. */
#include "fetch/intake.h"

#include <sys/mman.h>

#include "check.h"

#define SIZE  1000
#define CHUNK 300
#define N     4

static uint8_t data[SIZE];
static struct hasher *hasher; /* NULL: digests at once */

/* Each case with digests that are computed at once, and with those of a thread. */
#define BOTH(name)                                  \
	static void check_##name(void);             \
	TEST(name)                                  \
	{                                           \
		check_##name();                     \
		CHECK_INT(hasher_new(&hasher), 0);  \
		check_##name();                     \
		hasher = NULL;                      \
	}                                           \
	static void check_##name(void)

struct lab {
	uint8_t whole[SHA256_SIZE], chunks[N][SHA256_SIZE];
	struct intake_want want;
	struct intake intake;
	int fd;
};

static void digest_of(const void *from, size_t len, uint8_t ret[static SHA256_SIZE])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_update(&s, from, len);
	sha256_final(&s, ret);
}

static void make(struct lab *l, bool chunked)
{
	for (size_t i = 0; i < SIZE; i++)
		data[i] = (uint8_t)(i * 31 + (i >> 4));
	digest_of(data, SIZE, l->whole);
	for (size_t i = 0; i < N; i++)
		digest_of(data + i * CHUNK, min_u64(CHUNK, SIZE - i * CHUNK), l->chunks[i]);
	l->want = (struct intake_want){.size = SIZE, .sha256 = l->whole};
	if (chunked) {
		l->want.chunk_size = CHUNK;
		l->want.chunks = (const uint8_t(*)[SHA256_SIZE])l->chunks;
		l->want.n_chunks = N;
	}
	l->fd = memfd_create("intake", 0);
	CHECK(l->fd >= 0);
	intake_init(&l->intake, l->fd, &l->want, hasher);
}

static void drop(struct lab *l)
{
	intake_catch_up(&l->intake, l->intake.ticket);
	close(l->fd);
}

static enum fetch_verdict give(struct lab *l, const void *from, size_t len)
{
	return intake_take(&l->intake, from, len);
}

static void file_is_right(struct lab *l)
{
	uint8_t got[SIZE + 1];

	CHECK_INT(pread(l->fd, got, sizeof(got), 0), SIZE);
	CHECK_MEM(got, data, SIZE);
}

BOTH(a_file_in_pieces)
{
	for (int chunked = 0; chunked < 2; chunked++)
		for (size_t piece = 1; piece <= SIZE; piece += 83) {
			struct lab l;

			make(&l, chunked);
			for (size_t at = 0; at < SIZE; at += piece)
				CHECK_INT(give(&l, data + at, min_u64(piece, SIZE - at)),
					VERDICT_DONE);
			CHECK_INT(intake_end(&l.intake), VERDICT_DONE);
			file_is_right(&l);
			drop(&l);
		}
}

BOTH(too_few_too_many_and_others)
{
	struct lab l;

	make(&l, false);
	CHECK_INT(give(&l, data, SIZE - 1), VERDICT_DONE);
	CHECK_INT(intake_end(&l.intake), VERDICT_SIZE);
	CHECK_INT(give(&l, data, 2), VERDICT_SIZE);
	CHECK_INT(give(&l, data, 1), VERDICT_DONE);
	CHECK_INT(intake_end(&l.intake), VERDICT_DIGEST);
	CHECK(memcmp(l.intake.digest, l.whole, SHA256_SIZE) != 0);
	CHECK_INT(intake_restart(&l.intake), VERDICT_DONE);
	CHECK_INT(l.intake.at, 0);
	CHECK_INT(give(&l, data, SIZE), VERDICT_DONE);
	CHECK_INT(intake_end(&l.intake), VERDICT_DONE);
	file_is_right(&l);
	drop(&l);
}

BOTH(the_limit_counts_without_a_size)
{
	struct lab l;

	make(&l, false);
	intake_catch_up(&l.intake, l.intake.ticket);
	l.want = (struct intake_want){.limit = 10};
	intake_init(&l.intake, l.fd, &l.want, hasher);
	CHECK_INT(give(&l, data, 10), VERDICT_DONE);
	CHECK_INT(give(&l, data, 1), VERDICT_TOO_LARGE);
	CHECK_INT(l.intake.at, 10);
	drop(&l);
}

/* Back to the chunk's beginning, with the whole file's digest unharmed. */
BOTH(a_wrong_chunk_is_taken_again)
{
	uint8_t bad[SIZE];
	struct lab l;

	make(&l, true);
	memcpy(bad, data, SIZE);
	bad[CHUNK + 5] ^= 1;
	CHECK_INT(give(&l, bad, SIZE), VERDICT_CHUNK);
	CHECK_INT(l.intake.at, CHUNK);
	CHECK_INT(give(&l, bad + CHUNK, CHUNK), VERDICT_CHUNK);
	CHECK_INT(l.intake.at, CHUNK);
	CHECK_INT(give(&l, data + CHUNK, SIZE - CHUNK), VERDICT_DONE);
	CHECK_INT(intake_end(&l.intake), VERDICT_DONE);
	file_is_right(&l);
	drop(&l);
}

BOTH(the_last_chunk_counts_too)
{
	uint8_t bad[SIZE];
	struct lab l;

	make(&l, true);
	memcpy(bad, data, SIZE);
	bad[SIZE - 1] ^= 1;
	CHECK_INT(give(&l, bad, SIZE), VERDICT_CHUNK);
	CHECK_INT(l.intake.at, 3 * CHUNK);
	drop(&l);
}

/* Before the chunk's digest is known its bytes are nobody's business. */
BOTH(bytes_that_are_final)
{
	struct lab l;

	make(&l, true);
	CHECK_INT(give(&l, data, CHUNK - 1), VERDICT_DONE);
	CHECK_INT(intake_final(&l.intake), 0);
	CHECK_INT(give(&l, data + CHUNK - 1, CHUNK), VERDICT_DONE);
	CHECK_INT(intake_final(&l.intake), CHUNK);
	CHECK_INT(give(&l, data + 2 * CHUNK - 1, SIZE - 2 * CHUNK + 1), VERDICT_DONE);
	CHECK_INT(intake_final(&l.intake), SIZE);
	drop(&l);
	make(&l, false);
	CHECK_INT(give(&l, data, 7), VERDICT_DONE);
	CHECK_INT(intake_final(&l.intake), 7);
	drop(&l);
}

static uint64_t adopts(struct lab *l, uint64_t have)
{
	CHECK_INT(intake_adopt(&l->intake, have), VERDICT_DONE);
	CHECK_INT(lseek(l->fd, 0, SEEK_END), l->intake.at);
	return l->intake.at;
}

/* What is adopted was read and digested, and what is right of it stays. */
BOTH(what_is_there_already)
{
	struct lab l;

	for (int chunked = 0; chunked < 2; chunked++) {
		make(&l, chunked);
		CHECK_INT(pwrite(l.fd, data, SIZE - 100, 0), SIZE - 100);
		CHECK_INT(adopts(&l, SIZE - 100), SIZE - 100);
		CHECK_INT(give(&l, data + SIZE - 100, 100), VERDICT_DONE);
		CHECK_INT(intake_end(&l.intake), VERDICT_DONE);
		file_is_right(&l);
		drop(&l);
	}
	make(&l, true);
	CHECK_INT(pwrite(l.fd, data, SIZE - 100, 0), SIZE - 100);
	CHECK_INT(pwrite(l.fd, "x", 1, CHUNK + 7), 1);
	CHECK_INT(adopts(&l, SIZE - 100), CHUNK);
	drop(&l);
	/* More than it should be, and less than was said. */
	make(&l, false);
	CHECK_INT(pwrite(l.fd, data, SIZE, 1), SIZE);
	CHECK_INT(adopts(&l, SIZE + 1), 0);
	CHECK_INT(adopts(&l, 10), 0);
	drop(&l);
}

/* More parts than the queue holds, of two digests, in the order in which they were added. */
TEST(a_thread_that_lags_behind)
{
	static uint8_t large[1 << 20];
	uint8_t want[SHA256_SIZE], got[SHA256_SIZE];
	struct sha256 s[2];
	struct hasher *h;
	uint64_t ticket = 0;

	CHECK_INT(hasher_new(&h), 0);
	for (size_t i = 0; i < sizeof(large); i++)
		large[i] = (uint8_t)(i * 7 + (i >> 9));
	sha256_init(&s[0]);
	sha256_init(&s[1]);
	for (size_t at = 0; at < sizeof(large); at += 8192)
		for (size_t i = 0; i < 2; i++)
			ticket = hasher_add(h, &s[i], large + at, 8192);
	CHECK_INT(ticket, 2 * sizeof(large) / 8192);
	hasher_wait(h, 0);
	hasher_wait(h, ticket);
	digest_of(large, sizeof(large), want);
	for (size_t i = 0; i < 2; i++) {
		sha256_final(&s[i], got);
		CHECK_MEM(got, want, SHA256_SIZE);
	}
}
