// SPDX-License-Identifier: GPL-2.0-or-later
/* sink: files and streams, chunks that are right and wrong, and the way back. */
#include "fetch/sink.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "check.h"

#define SIZE  1000
#define CHUNK 300
#define N     4

static uint8_t data[SIZE];

struct lab {
	uint8_t whole[SHA256_SIZE], chunks[N][SHA256_SIZE];
	struct sink_want want;
	struct sink *sink;
	int fd, reader;
};

static void digest_of(const void *from, size_t len, uint8_t ret[static SHA256_SIZE])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_update(&s, from, len);
	sha256_final(&s, ret);
}

static void make(struct lab *l, bool stream, bool chunked)
{
	int pair[2];

	for (size_t i = 0; i < SIZE; i++)
		data[i] = (uint8_t)(i * 31 + (i >> 4));
	digest_of(data, SIZE, l->whole);
	for (size_t i = 0; i < N; i++)
		digest_of(data + i * CHUNK, min_u64(CHUNK, SIZE - i * CHUNK), l->chunks[i]);
	l->want = (struct sink_want){.size = SIZE, .sha256 = l->whole};
	if (chunked) {
		l->want.chunk_size = CHUNK;
		l->want.chunks = (const uint8_t(*)[SHA256_SIZE])l->chunks;
		l->want.n_chunks = N;
	}
	if (stream) {
		CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
		l->fd = pair[0];
		l->reader = pair[1];
	} else {
		l->fd = memfd_create("sink", 0);
		l->reader = -1;
	}
	CHECK(l->fd >= 0);
	CHECK_INT(sink_new(&l->sink, l->fd, stream, &l->want), 0);
}

static void drop(struct lab *l)
{
	l->sink = sink_free(l->sink);
	close(l->fd);
	closep(&l->reader);
}

static enum fetch_verdict give(struct lab *l, const void *from, size_t len)
{
	struct cursor c = cursor_make(from, len);

	return sink_take(l->sink, &c);
}

static void file_is_right(struct lab *l)
{
	uint8_t got[SIZE + 1];

	CHECK_INT(pread(l->fd, got, sizeof(got), 0), SIZE);
	CHECK_MEM(got, data, SIZE);
}

TEST(a_file_in_pieces)
{
	for (int chunked = 0; chunked < 2; chunked++)
		for (size_t piece = 1; piece <= SIZE; piece += 83) {
			struct lab l;

			make(&l, false, chunked);
			for (size_t at = 0; at < SIZE; at += piece)
				CHECK_INT(give(&l, data + at, min_u64(piece, SIZE - at)), VERDICT_DONE);
			CHECK_INT(sink_end(l.sink), VERDICT_DONE);
			file_is_right(&l);
			drop(&l);
		}
}

TEST(too_few_too_many_and_others)
{
	struct lab l;

	make(&l, false, false);
	CHECK_INT(give(&l, data, SIZE - 1), VERDICT_DONE);
	CHECK_INT(sink_end(l.sink), VERDICT_SIZE);
	CHECK_INT(give(&l, data, 2), VERDICT_SIZE);
	CHECK_INT(give(&l, data, 1), VERDICT_DONE);
	CHECK_INT(sink_end(l.sink), VERDICT_DIGEST);
	CHECK(memcmp(sink_digest(l.sink), l.whole, SHA256_SIZE) != 0);
	CHECK_INT(sink_restart(l.sink), VERDICT_DONE);
	CHECK_INT(sink_at(l.sink), 0);
	CHECK_INT(give(&l, data, SIZE), VERDICT_DONE);
	CHECK_INT(sink_end(l.sink), VERDICT_DONE);
	file_is_right(&l);
	drop(&l);
}

TEST(the_limit_counts_without_a_size)
{
	struct lab l;

	make(&l, false, false);
	l.sink = sink_free(l.sink);
	l.want = (struct sink_want){.limit = 10};
	CHECK_INT(sink_new(&l.sink, l.fd, false, &l.want), 0);
	CHECK(!sink_pinned(l.sink));
	CHECK_INT(give(&l, data, 10), VERDICT_DONE);
	CHECK_INT(give(&l, data, 1), VERDICT_TOO_LARGE);
	CHECK_INT(sink_at(l.sink), 10);
	drop(&l);
}

/* Back to the chunk's beginning, with the whole file's digest unharmed. */
TEST(a_wrong_chunk_is_taken_again)
{
	uint8_t bad[SIZE];
	struct lab l;

	make(&l, false, true);
	memcpy(bad, data, SIZE);
	bad[CHUNK + 5] ^= 1;
	CHECK_INT(give(&l, bad, SIZE), VERDICT_CHUNK);
	CHECK_INT(sink_at(l.sink), CHUNK);
	CHECK_INT(give(&l, bad + CHUNK, CHUNK), VERDICT_CHUNK);
	CHECK_INT(sink_at(l.sink), CHUNK);
	CHECK_INT(give(&l, data + CHUNK, SIZE - CHUNK), VERDICT_DONE);
	CHECK_INT(sink_end(l.sink), VERDICT_DONE);
	file_is_right(&l);
	drop(&l);
}

TEST(the_last_chunk_counts_too)
{
	uint8_t bad[SIZE];
	struct lab l;

	make(&l, false, true);
	memcpy(bad, data, SIZE);
	bad[SIZE - 1] ^= 1;
	CHECK_INT(give(&l, bad, SIZE), VERDICT_CHUNK);
	CHECK_INT(sink_at(l.sink), 3 * CHUNK);
	drop(&l);
}

static size_t readable(const struct lab *l)
{
	uint8_t got[SIZE];
	ssize_t n = recv(l->reader, got, sizeof(got), MSG_DONTWAIT | MSG_PEEK);

	return n > 0 ? (size_t)n : 0;
}

TEST(a_stream_gets_whole_right_chunks_only)
{
	uint8_t bad[SIZE];
	struct lab l;

	make(&l, true, true);
	memcpy(bad, data, SIZE);
	bad[CHUNK + 5] ^= 1;
	CHECK_INT(give(&l, bad, CHUNK - 1), VERDICT_DONE);
	CHECK_INT(readable(&l), 0);
	CHECK(sink_can_restart(l.sink));
	CHECK_INT(give(&l, bad + CHUNK - 1, SIZE - CHUNK + 1), VERDICT_CHUNK);
	CHECK_INT(readable(&l), CHUNK);
	CHECK(!sink_can_restart(l.sink));
	CHECK_INT(sink_restart(l.sink), VERDICT_LOST);
	CHECK_INT(give(&l, data + CHUNK, SIZE - CHUNK), VERDICT_DONE);
	CHECK_INT(sink_end(l.sink), VERDICT_DONE);
	CHECK_INT(readable(&l), SIZE);
	drop(&l);
}

/* What a reader does not take now it gets later, once. */
TEST(a_stream_that_is_full)
{
	for (int chunked = 0; chunked < 2; chunked++) {
		const int small = 1;
		uint8_t got[SIZE];
		size_t have = 0;
		struct cursor c;
		enum fetch_verdict v;
		bool waited = false;
		struct lab l;

		make(&l, true, chunked);
		CHECK_INT(setsockopt(l.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
		/* Fill it, so that it is full at some point. */
		while (send(l.fd, data, 1, MSG_DONTWAIT) == 1)
			have++;
		c = cursor_make(data, SIZE);
		while ((v = sink_take(l.sink, &c)) == VERDICT_WAIT || (v == VERDICT_DONE && c.left)) {
			ssize_t n = recv(l.reader, got, have ? 1 : sizeof(got), MSG_DONTWAIT);

			waited = true;
			have -= n > 0 && have ? 1 : 0;
		}
		CHECK_INT(v, VERDICT_DONE);
		CHECK(waited);
		while (sink_end(l.sink) == VERDICT_WAIT)
			CHECK(recv(l.reader, got, sizeof(got), MSG_DONTWAIT) > 0);
		CHECK_INT(sink_end(l.sink), VERDICT_DONE);
		drop(&l);
	}
}

TEST(a_reader_that_is_gone)
{
	struct lab l;

	signal(SIGPIPE, SIG_IGN);
	make(&l, true, false);
	close(l.reader);
	l.reader = -1;
	CHECK_INT(give(&l, data, SIZE), VERDICT_WRITE);
	CHECK_INT(errno, EPIPE);
	drop(&l);
}
