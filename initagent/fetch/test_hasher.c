// SPDX-License-Identifier: GPL-2.0-or-later
/* Digests by a second thread: the same as by the first, in whatever pieces the bytes come. */
#include "fetch/hasher.h"

#include <sys/mman.h>

#include "check.h"

#define SIZE (5u << 20)

static uint8_t bytes[SIZE];

static int make_file(void)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	for (uint32_t i = 0; i < SIZE; i += 4)
		memcpy(bytes + i, &(uint32_t){i * 2654435761u}, 4);
	CHECK(fd >= 0);
	return fd;
}

static void check_digest(const struct sha256 *s, size_t from, size_t to)
{
	struct sha256 copy = *s, other;
	uint8_t a[SHA256_SIZE], b[SHA256_SIZE];

	sha256_init(&other);
	sha256_update(&other, bytes + from, to - from);
	sha256_final(&other, b);
	sha256_final(&copy, a);
	CHECK_MEM(a, b, sizeof(a));
}

static void put(int fd, struct hasher *h, size_t from, size_t to)
{
	CHECK_INT(pwrite(fd, bytes + from, to - from, (off_t)from), to - from);
	hasher_to(h, to);
}

TEST(pieces_of_any_size)
{
	static const size_t sizes[] = {1, 63, 64, 4095, 70000, 262144, 1000001};
	_cleanup_(hasher_freep) struct hasher *h = NULL;
	_cleanup_close_ int fd = make_file();
	struct sha256 whole;
	size_t at = 0;

	sha256_init(&whole);
	CHECK_INT(hasher_new(&h, fd, &whole, NULL), 0);
	for (size_t i = 0; at < SIZE; i++) {
		size_t to = (size_t)min_u64(SIZE, at + sizes[i % ARRAY_SIZE(sizes)]);

		put(fd, h, at, to);
		at = to;
		if (i % 5)
			continue;
		CHECK_INT(hasher_wait(h), 0);
		check_digest(&whole, 0, at);
	}
	CHECK_INT(hasher_wait(h), 0);
	CHECK_INT(hasher_wait(h), 0);
	check_digest(&whole, 0, SIZE);
}

/* The digests are set back, as when a chunk was wrong, and its bytes come again. */
TEST(set_back)
{
	_cleanup_(hasher_freep) struct hasher *h = NULL;
	_cleanup_close_ int fd = make_file();
	struct sha256 whole, chunk, before;

	sha256_init(&whole);
	sha256_init(&chunk);
	CHECK_INT(hasher_new(&h, fd, &whole, &chunk), 0);
	put(fd, h, 0, 1 << 20);
	CHECK_INT(hasher_wait(h), 0);
	check_digest(&chunk, 0, 1 << 20);
	before = whole;
	for (int i = 0; i < 2; i++) {
		sha256_init(&chunk);
		whole = before;
		hasher_seek(h, 1 << 20);
		put(fd, h, 1 << 20, 2000000);
		put(fd, h, 2000000, 2 << 20);
		CHECK_INT(hasher_wait(h), 0);
	}
	check_digest(&chunk, 1 << 20, 2 << 20);
	check_digest(&whole, 0, 2 << 20);
}

/* What is not there is no reason to wait for ever. */
TEST(bytes_that_are_not_there)
{
	_cleanup_(hasher_freep) struct hasher *h = NULL;
	_cleanup_close_ int fd = make_file();
	int pipes[2];
	struct sha256 whole;

	sha256_init(&whole);
	CHECK_INT(hasher_new(&h, fd, &whole, NULL), 0);
	hasher_to(h, 1 << 20);
	CHECK_INT(hasher_wait(h), -EIO);
	h = hasher_free(h);
	CHECK_INT(pipe2(pipes, O_CLOEXEC), 0);
	CHECK_INT(hasher_new(&h, pipes[0], &whole, NULL), 0);
	hasher_to(h, 1 << 20);
	CHECK_INT(hasher_wait(h), -ESPIPE);
	close(pipes[0]);
	close(pipes[1]);
}

TEST(ended_in_the_midst_of_it)
{
	_cleanup_close_ int fd = make_file();
	struct sha256 whole;

	for (int i = 0; i < 20; i++) {
		struct hasher *h = NULL;

		sha256_init(&whole);
		CHECK_INT(hasher_new(&h, fd, &whole, NULL), 0);
		put(fd, h, 0, SIZE);
		hasher_free(h);
	}
}
