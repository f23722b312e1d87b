// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The process that fetches, taken over: it says and sends what it likes, and no file is ever "done"
 * but the right one. Linked with --wrap=exchange_run: each case has a deed that is done in place of
 * a transfer.
 */
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "check.h"
#include "fetch/fetch.h"
#include "fetch/connection.h"
#include "fetch/pieces.h"

#define SIZE  3000
#define CHUNK 1000
#define N     3

static const struct env env = {.prefix = "/nonexistent"};
static const char *const urls[] = {"http://127.0.0.1:1/i"};
static uint8_t right[SIZE];

/* The deed, in the process that fetches; the number is the request's. */
static void (*deed)(struct exchange *x, uint32_t number);

void __wrap_exchange_run(struct exchange *x, const struct fetch_request *request);

void __wrap_exchange_run(struct exchange *x, const struct fetch_request *request)
{
	x->request = *request;
	x->sink.at = request->at;
	x->last = &x->connections[0];
	deed(x, request->serial);
}

/* --- what it can do -------------------------------------------------------------------------- */

static void put(struct exchange *x, const void *data, size_t len)
{
	CHECK_INT(write(x->sink.fd, data, len), (int64_t)len);
}

static void send_bytes(struct exchange *x, uint64_t at, const void *data, size_t len)
{
	const struct piece p = {.kind = PIECE_BYTES, .at = at, .len = (uint32_t)len};

	put(x, &p, sizeof(p));
	put(x, data, len);
}

static void send_piece(struct exchange *x, enum piece_kind kind, uint64_t at)
{
	const struct piece p = {.kind = kind, .at = at};

	put(x, &p, sizeof(p));
}

static void send_end(struct exchange *x, uint64_t at, bool whole)
{
	const struct piece p = {
		.kind = PIECE_END, .at = at, .serial = x->request.serial, .whole = whole};

	put(x, &p, sizeof(p));
}

static void send_reply(struct exchange *x, enum fetch_verdict v)
{
	const struct fetch_reply n = {.serial = x->request.serial, .verdict = v};

	send(x->ctl, &n, sizeof(n), 0);
}

static void send_all(struct exchange *x, const uint8_t *data)
{
	send_bytes(x, 0, data, SIZE);
	send_end(x, SIZE, true);
	send_reply(x, VERDICT_DONE);
}

/* --- the agent's side ------------------------------------------------------------------------ */

struct lab {
	struct fetch *fetch;
	struct fetch_config cfg;
	uint8_t sha256[SHA256_SIZE], chunks[N][SHA256_SIZE];
	bool silent;	     /* nothing may come any more: time goes on after a while */
	uint64_t most;	     /* bytes that ever were final */
	unsigned n[FETCH_EVENT_MAX];
};

static void digest_of(const void *data, size_t len, uint8_t ret[static SHA256_SIZE])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_update(&s, data, len);
	sha256_final(&s, ret);
}

static void make(struct lab *l, void (*what)(struct exchange *x, uint32_t number), bool chunked)
{
	*l = (struct lab){.cfg = {.urls = urls, .n_urls = 1, .size = SIZE}};
	for (size_t i = 0; i < SIZE; i++)
		right[i] = (uint8_t)(i * 31 + (i >> 4));
	digest_of(right, SIZE, l->sha256);
	for (size_t i = 0; i < N; i++)
		digest_of(right + i * CHUNK, CHUNK, l->chunks[i]);
	if (chunked) {
		l->cfg.chunk_size = CHUNK;
		l->cfg.chunks = (const uint8_t(*)[SHA256_SIZE])l->chunks;
		l->cfg.n_chunks = N;
	} else {
		l->cfg.sha256 = l->sha256;
	}
	l->cfg.sink = memfd_create("file", MFD_CLOEXEC);
	CHECK(l->cfg.sink >= 0);
	deed = what;
}

/* Between two attempts, or where it may be silent. */
static uint64_t wait_for_more(const struct lab *l, bool between, uint64_t now)
{
	struct pollfd p = {.fd = fetch_fd(l->fetch), .events = POLLIN};

	int limit = between ? 0 : l->silent ? 300 : -1;

	return poll(&p, 1, limit) == 0 ? fetch_deadline(l->fetch) : now;
}

/* Until it is done or stopped; time goes on only where nothing else is to come. */
static enum fetch_event run(struct lab *l)
{
	uint64_t now = 1000 * NSEC_PER_SEC;
	bool between = false;
	const char *bad;

	CHECK_INT(fetch_new(&l->fetch, &env, &l->cfg, &bad), 0);
	CHECK_INT(fetch_start(l->fetch, now), 0);
	while (!l->n[FETCH_EVENT_DONE] && !l->n[FETCH_EVENT_FATAL]) {
		struct fetch_progress progress;
		enum fetch_event e;

		now = wait_for_more(l, between, now);
		between = false;
		fetch_dispatch(l->fetch, now);
		while ((e = fetch_pop_event(l->fetch)) != FETCH_EVENT_NONE) {
			between = between || e == FETCH_EVENT_RETRY;
			l->n[e]++;
		}
		fetch_progress(l->fetch, &progress);
		CHECK(progress.free_to <= progress.bytes && progress.bytes <= SIZE);
		l->most = progress.free_to > l->most ? progress.free_to : l->most;
	}
	return l->n[FETCH_EVENT_DONE] ? FETCH_EVENT_DONE : FETCH_EVENT_FATAL;
}

static void drop(struct lab *l)
{
	fetch_free(l->fetch);
	close(l->cfg.sink);
}

/* It is never done, and ends with that cause. */
static void refused_silent(void (*what)(struct exchange *x, uint32_t number), bool chunked,
	bool silent, enum cause cause)
{
	struct lab l;
	const char *text;

	make(&l, what, chunked);
	l.silent = silent;
	CHECK_INT(run(&l), FETCH_EVENT_FATAL);
	CHECK_INT(fetch_failure(l.fetch, &text), cause);
	CHECK_INT(fetch_child(l.fetch), -1);
	drop(&l);
}

static void refused(void (*what)(struct exchange *x, uint32_t number), bool chunked,
	enum cause cause)
{
	refused_silent(what, chunked, false, cause);
}

static void is_right(const struct lab *l)
{
	uint8_t got[SIZE + 1];

	CHECK_INT(pread(l->cfg.sink, got, sizeof(got), 0), SIZE);
	CHECK_MEM(got, right, SIZE);
}

static void came(struct lab *l)
{
	CHECK_INT(run(l), FETCH_EVENT_DONE);
	is_right(l);
	drop(l);
}

/* --- cases ----------------------------------------------------------------------------------- */

static void honest(struct exchange *x, uint32_t number)
{
	(void)number;
	send_piece(x, PIECE_SIZE, SIZE);
	send_all(x, right);
}

TEST(an_honest_one)
{
	for (int chunked = 0; chunked < 2; chunked++) {
		struct lab l;

		make(&l, honest, chunked);
		came(&l);
	}
}

static void wrong_bytes(struct exchange *x, uint32_t number)
{
	static const uint8_t wrong[SIZE];

	(void)number;
	send_all(x, wrong);
}

TEST(wrong_bytes_and_done)
{
	refused(wrong_bytes, false, CAUSE_FETCH_DIGEST);
	refused(wrong_bytes, true, CAUSE_FETCH_CHUNK);
}

static void nothing_and_done(struct exchange *x, uint32_t number)
{
	(void)number;
	send_end(x, 0, true);
	send_reply(x, VERDICT_DONE);
}

static void half_and_done(struct exchange *x, uint32_t number)
{
	(void)number;
	send_bytes(x, 0, right, CHUNK);
	send_end(x, CHUNK, true);
	send_reply(x, VERDICT_DONE);
}

static void too_much(struct exchange *x, uint32_t number)
{
	static uint8_t more[SIZE + 1];

	(void)number;
	memcpy(more, right, SIZE);
	send_bytes(x, 0, more, sizeof(more));
	send_end(x, sizeof(more), true);
	send_reply(x, VERDICT_DONE);
}

static void other_size(struct exchange *x, uint32_t number)
{
	(void)number;
	send_piece(x, PIECE_SIZE, SIZE - 1);
	send_all(x, right);
}

static void past_its_size(struct exchange *x, uint32_t number)
{
	(void)number;
	send_piece(x, PIECE_SIZE, CHUNK);
	send_all(x, right);
}

TEST(sizes)
{
	struct lab l;

	for (int chunked = 0; chunked < 2; chunked++) {
		refused(nothing_and_done, chunked, CAUSE_FETCH_LENGTH);
		refused(half_and_done, chunked, CAUSE_FETCH_LENGTH);
		refused(too_much, chunked, CAUSE_FETCH_LENGTH);
		refused(other_size, chunked, CAUSE_FETCH_LENGTH);
	}
	/* Where the size is not known beforehand, what was said first holds: memory is planned by
	 * it. */
	make(&l, past_its_size, false);
	l.cfg.size = 0;
	CHECK_INT(run(&l), FETCH_EVENT_FATAL);
	drop(&l);
	make(&l, honest, false);
	l.cfg.size = 0;
	l.cfg.limit = SIZE - 1;
	CHECK_INT(run(&l), FETCH_EVENT_FATAL);
	CHECK(lseek(l.cfg.sink, 0, SEEK_END) <= SIZE - 1);
	drop(&l);
}

static void only_says_done(struct exchange *x, uint32_t number)
{
	(void)number;
	send_bytes(x, 0, right, SIZE);
	send_reply(x, VERDICT_DONE);
}

static void says_done_of_a_part(struct exchange *x, uint32_t number)
{
	(void)number;
	send_bytes(x, 0, right, SIZE);
	send_end(x, SIZE, false);
	send_reply(x, VERDICT_DONE);
}

static void another_order(struct exchange *x, uint32_t number)
{
	(void)number;
	x->request.serial += 7;
	send_all(x, right);
}

static void ends_twice(struct exchange *x, uint32_t number)
{
	(void)number;
	send_end(x, 0, false);
	send_reply(x, VERDICT_CONNECT);
	send_reply(x, VERDICT_CONNECT);
}

static void silent(struct exchange *x, uint32_t number)
{
	(void)x;
	(void)number;
	for (;;)
		poll(NULL, 0, -1);
}

static void silent_amid(struct exchange *x, uint32_t number)
{
	const struct piece p = {.kind = PIECE_BYTES, .len = SIZE};

	put(x, &p, sizeof(p) - 1);
	silent(x, number);
}

TEST(messages_that_do_not_fit)
{
	refused_silent(only_says_done, false, true, CAUSE_FETCH_DIED);
	refused(says_done_of_a_part, false, CAUSE_FETCH_DIED);
	refused_silent(another_order, false, true, CAUSE_FETCH_DIED);
	refused(ends_twice, false, CAUSE_FETCH_DIED);
	refused_silent(silent, false, true, CAUSE_FETCH_DIED);
	refused_silent(silent_amid, true, true, CAUSE_FETCH_DIED);
}

static void gap(struct exchange *x, uint32_t number)
{
	(void)number;
	send_bytes(x, 0, right, CHUNK);
	send_bytes(x, 2 * CHUNK, right + 2 * CHUNK, CHUNK);
	send_end(x, SIZE, true);
	send_reply(x, VERDICT_DONE);
}

/* What was found right is not written over. */
static void back(struct exchange *x, uint32_t number)
{
	static const uint8_t wrong[CHUNK];

	(void)number;
	send_bytes(x, 0, right, 2 * CHUNK);
	send_bytes(x, 0, wrong, CHUNK);
	send_bytes(x, 2 * CHUNK, right + 2 * CHUNK, CHUNK);
	send_end(x, SIZE, true);
	send_reply(x, VERDICT_DONE);
}

static void unknown_piece(struct exchange *x, uint32_t number)
{
	(void)number;
	send_piece(x, PIECE_KIND_MAX, 0);
	send_all(x, right);
}

static void anew_for_ever(struct exchange *x, uint32_t number)
{
	(void)number;
	for (int i = 0; i < 1000; i++) {
		const struct piece p = {.kind = PIECE_RESTART};

		send_piece(x, PIECE_BYTES, 0);
		if (write(x->sink.fd, &p, sizeof(p)) < 0)
			break;
	}
	silent(x, number);
}

TEST(pieces_that_do_not_fit)
{
	for (int chunked = 0; chunked < 2; chunked++) {
		refused(gap, chunked, CAUSE_FETCH_DIED);
		refused(back, chunked, CAUSE_FETCH_DIED);
		refused(unknown_piece, chunked, CAUSE_FETCH_DIED);
		refused(anew_for_ever, chunked, CAUSE_FETCH_DIED);
	}
}

static void one_right_chunk(struct exchange *x, uint32_t number)
{
	static const uint8_t wrong[CHUNK];

	(void)number;
	send_bytes(x, x->sink.at, right + x->sink.at, CHUNK - x->sink.at % CHUNK);
	send_bytes(x, CHUNK, wrong, CHUNK / 2);
	send_piece(x, PIECE_TELL, SIZE);
	send_bytes(x, CHUNK + CHUNK / 2, wrong, CHUNK / 2);
	send_piece(x, PIECE_TELL, SIZE);
	silent(x, number);
}

/* An unpacker gets what was found right, and no byte of what is under way. */
TEST(nothing_is_final_that_was_not_found_right)
{
	struct lab l;

	make(&l, one_right_chunk, true);
	l.silent = true;
	CHECK_INT(run(&l), FETCH_EVENT_FATAL);
	CHECK_INT(l.most, CHUNK);
	drop(&l);
}

/* So many of its bytes it says come again: what is to be told then; -1: nothing. */
static int64_t again(struct pieces *p, uint64_t said)
{
	const struct piece piece = {.kind = PIECE_TELL, .at = said};
	struct cursor c = cursor_make(&piece, sizeof(piece));
	struct verified v;

	return pieces_next(p, &c, &v) > 0 ? (int64_t)v.known : -1;
}

TEST(bytes_that_come_again_put_off_a_stall_once)
{
	const struct piece piece = {.kind = PIECE_BYTES, .len = 100};
	const struct fetch_setup setup = {.file = memfd_create("file", MFD_CLOEXEC)};
	struct cursor head = cursor_make(&piece, sizeof(piece)), body = cursor_make(right, 100);
	struct pieces p;
	struct verified v;

	pieces_init(&p, &setup, NULL);
	CHECK_INT(pieces_next(&p, &head, &v), 0);
	CHECK_INT(pieces_next(&p, &body, &v), 0);
	CHECK_INT(again(&p, 60), 60);
	CHECK_INT(again(&p, 60), -1);
	CHECK_INT(again(&p, 10), -1);
	CHECK_INT(again(&p, UINT64_MAX), 100);
	CHECK_INT(again(&p, UINT64_MAX), -1);
	close(setup.file);
}

/* The file is out of its reach, whichever descriptor it tries, when all of it was sent and found
 * right. */
static void writes_behind_our_back(struct exchange *x, uint32_t number)
{
	(void)number;
	send_bytes(x, 0, right, SIZE);
	/* 0 to 2 are /dev/null. */
	for (int fd = 3; fd < 64; fd++) {
		if (fd != x->window.fd && (pwrite(fd, "wrong", 5, 0) == 5 || ftruncate(fd, 5) == 0))
			_exit(1);
	}
	send_end(x, SIZE, true);
	send_reply(x, VERDICT_DONE);
	/* The pipe leads nowhere any more. */
	send_bytes(x, 0, "wrong", 5);
	silent(x, number);
}

TEST(the_file_cannot_be_changed_after_it_was_digested)
{
	struct lab l;

	make(&l, writes_behind_our_back, false);
	came(&l);
}

/* Its death at any byte of what it has to say: the next one does better, or it ends. */
static int dies_at;

static void dies(struct exchange *x, uint32_t number)
{
	const struct piece parts[] = {
		{.kind = PIECE_SIZE, .at = SIZE}, {.kind = PIECE_BYTES, .at = 0, .len = SIZE},
		{.kind = PIECE_END, .at = SIZE, .serial = number, .whole = 1},
	};
	uint8_t all[sizeof(parts) + SIZE];
	int left = dies_at;

	memcpy(all, parts, 2 * sizeof(*parts));
	memcpy(all + 2 * sizeof(*parts), right, SIZE);
	memcpy(all + 2 * sizeof(*parts) + SIZE, parts + 2, sizeof(*parts));
	if (number == 1) {
		put(x, all, (size_t)left);
		_exit(0);
	}
	put(x, all, sizeof(all));
	send_reply(x, VERDICT_DONE);
}

TEST(dies_at_each_byte)
{
	const int heads = 3 * (int)sizeof(struct piece);

	for (dies_at = 0; dies_at <= heads + SIZE;
		dies_at += dies_at < 60 || dies_at > heads + SIZE - 40 ? 5 : 200) {
		struct lab l;

		make(&l, dies, false);
		came(&l);
	}
}

static void dies_always(struct exchange *x, uint32_t number)
{
	(void)number;
	send_bytes(x, 0, right, CHUNK);
	_exit(0);
}

TEST(dies_always_ends_it)
{
	refused(dies_always, false, CAUSE_FETCH_DIED);
	refused(dies_always, true, CAUSE_FETCH_DIED);
}

/* What an earlier agent left was written by nobody knows whom: it is digested again. */
static void the_rest(struct exchange *x, uint32_t number)
{
	(void)number;
	send_bytes(x, x->sink.at, right + x->sink.at, SIZE - x->sink.at);
	send_end(x, SIZE, true);
	send_reply(x, VERDICT_DONE);
}

TEST(what_is_adopted_is_proved_again)
{
	for (int chunked = 0; chunked < 2; chunked++)
		for (int wrong = 0; wrong < 2; wrong++) {
			struct lab l;

			make(&l, the_rest, chunked);
			l.cfg.have = SIZE - CHUNK / 2;
			CHECK_INT(pwrite(l.cfg.sink, right, l.cfg.have, 0), l.cfg.have);
			if (wrong)
				CHECK_INT(pwrite(l.cfg.sink, "wrong", 5, CHUNK + 7), 5);
			came(&l);
		}
}
