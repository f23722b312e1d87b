// SPDX-License-Identifier: GPL-2.0-or-later
/* floor_pour: a copy, and beside it, by another thread, its digest. */
#include "floor.h"

#include "base/sha256.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define BUFFERS	    8
#define BUFFER_SIZE (256 << 10)

/* Buffers that were filled and that were worked into the digest; one of no bytes is the end. */
static struct {
	char bytes[BUFFERS][BUFFER_SIZE];
	size_t len[BUFFERS];
	size_t filled, worked;
	struct sha256 sum;
	pthread_mutex_t lock;
	pthread_cond_t changed;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *digest_of(void *arg)
{
	size_t len;

	do {
		size_t i = ring.worked % BUFFERS;

		pthread_mutex_lock(&ring.lock);
		while (ring.worked == ring.filled)
			pthread_cond_wait(&ring.changed, &ring.lock);
		pthread_mutex_unlock(&ring.lock);
		len = ring.len[i];
		sha256_update(&ring.sum, ring.bytes[i], len);
		pthread_mutex_lock(&ring.lock);
		ring.worked++;
		pthread_cond_signal(&ring.changed);
		pthread_mutex_unlock(&ring.lock);
	} while (len > 0);
	return arg;
}

/* room: the next buffer, when it is free. */
static char *room(void)
{
	pthread_mutex_lock(&ring.lock);
	while (ring.filled - ring.worked == BUFFERS)
		pthread_cond_wait(&ring.changed, &ring.lock);
	pthread_mutex_unlock(&ring.lock);
	return ring.bytes[ring.filled % BUFFERS];
}

static void give(size_t len)
{
	pthread_mutex_lock(&ring.lock);
	ring.len[ring.filled++ % BUFFERS] = len;
	pthread_cond_signal(&ring.changed);
	pthread_mutex_unlock(&ring.lock);
}

static void pour_digest(int from, int to, const void *first, size_t len, const char *digest)
{
	uint8_t sum[SHA256_SIZE];
	char text[SHA256_TEXT];
	pthread_t thread;
	ssize_t n;

	sha256_init(&ring.sum);
	sha256_update(&ring.sum, first, len);
	floor_must(-pthread_create(&thread, NULL, digest_of, NULL), "thread");
	do {
		char *bytes = room();

		n = read(from, bytes, BUFFER_SIZE);
		floor_must((int)n, "image");
		floor_must(write(to, bytes, (size_t)n) == n ? 0 : -1, "image");
		give((size_t)n);
	} while (n > 0);
	pthread_join(thread, NULL);
	sha256_final(&ring.sum, sum);
	floor_must(strcmp(sha256_text(sum, text), digest) == 0 ? 0 : -1, "digest");
}

/* Not sendfile(2): through its pipe of 16 pages a file of a disk takes longer. */
static void pour_plain(int from, int to)
{
	ssize_t n;

	while ((n = read(from, ring.bytes[0], BUFFER_SIZE)) > 0)
		floor_must(write(to, ring.bytes[0], (size_t)n) == n ? 0 : -1, "image");
	floor_must((int)n, "image");
}

void floor_pour(int from, int to, const void *first, size_t len, const char *digest)
{
	/* reads ahead twice as far; a socket has nothing of the kind */
	posix_fadvise(from, 0, 0, POSIX_FADV_SEQUENTIAL);
	floor_must(write(to, first, len) == (ssize_t)len ? 0 : -1, "image");
	if (digest)
		pour_digest(from, to, first, len, digest);
	else
		pour_plain(from, to);
}
