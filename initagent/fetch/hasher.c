// SPDX-License-Identifier: GPL-2.0-or-later
/* hasher: see hasher.h. */
#include "fetch/hasher.h"

#include <pthread.h>

/* To be woken for less costs more than it gains. */
#define BATCH (1u << 20)
/* Stays in the processor's cache. */
#define PIECE (128 * 1024)

struct hasher {
	int fd;
	struct sha256 *whole, *chunk;
	pthread_t thread;
	pthread_mutex_t lock; /* of all below, but the buffer */
	pthread_cond_t more, through;
	uint64_t at, to;
	bool awake, busy, flush, end;
	int error;
	uint8_t buffer[PIECE];
};

bool hasher_useful(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

/* --- the thread ---------------------------------------------------------------------------- */

/* Once awake it goes on piece by piece. */
static bool has_work(const struct hasher *h)
{
	return h->at < h->to && (h->flush || h->to - h->at >= (h->busy ? PIECE : BATCH));
}

/* Bytes from at on into the digests; how many. */
static ssize_t digest(struct hasher *h, uint64_t at, uint64_t to)
{
	ssize_t n;

	do
		n = pread(h->fd, h->buffer, (size_t)min_u64(sizeof(h->buffer), to - at), (off_t)at);
	while (n < 0 && errno == EINTR);
	if (n > 0 && h->whole)
		sha256_update(h->whole, h->buffer, (size_t)n);
	if (n > 0 && h->chunk)
		sha256_update(h->chunk, h->buffer, (size_t)n);
	return n < 0 ? -errno : n ? n : -EIO;
}

static void work(struct hasher *h)
{
	uint64_t at = h->at, to = h->to;
	ssize_t n;

	pthread_mutex_unlock(&h->lock);
	n = digest(h, at, to);
	pthread_mutex_lock(&h->lock);
	h->error = n < 0 ? (int)n : h->error;
	h->at = n < 0 ? h->to : at + (uint64_t)n;
}

static void *run(void *arg)
{
	struct hasher *h = arg;

	pthread_mutex_lock(&h->lock);
	h->awake = true;
	while (!h->end) {
		pthread_cond_signal(&h->through);
		h->busy = has_work(h);
		if (h->busy)
			work(h);
		else
			pthread_cond_wait(&h->more, &h->lock);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

/* --- the others' side ---------------------------------------------------------------------- */

int hasher_new(struct hasher **ret, int fd, struct sha256 *whole, struct sha256 *chunk)
{
	struct hasher *h = calloc(1, sizeof(*h));
	int r;

	if (!h)
		return -ENOMEM;
	h->fd = fd;
	h->whole = whole;
	h->chunk = chunk;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->more, NULL);
	pthread_cond_init(&h->through, NULL);
	r = pthread_create(&h->thread, NULL, run, h);
	if (r) {
		free(h);
		return -r;
	}
	/* What a thread does at its beginning may be forbidden later. */
	pthread_mutex_lock(&h->lock);
	while (!h->awake)
		pthread_cond_wait(&h->through, &h->lock);
	pthread_mutex_unlock(&h->lock);
	*ret = h;
	return 0;
}

struct hasher *hasher_free(struct hasher *h)
{
	if (!h)
		return NULL;
	pthread_mutex_lock(&h->lock);
	h->end = true;
	pthread_cond_signal(&h->more);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->thread, NULL);
	free(h);
	return NULL;
}

void hasher_to(struct hasher *h, uint64_t to)
{
	pthread_mutex_lock(&h->lock);
	h->to = to;
	if (!h->busy && has_work(h))
		pthread_cond_signal(&h->more);
	pthread_mutex_unlock(&h->lock);
}

uint64_t hasher_at(struct hasher *h)
{
	uint64_t at;

	pthread_mutex_lock(&h->lock);
	at = h->at;
	pthread_mutex_unlock(&h->lock);
	return at;
}

int hasher_wait(struct hasher *h)
{
	int error;

	pthread_mutex_lock(&h->lock);
	h->flush = true;
	pthread_cond_signal(&h->more);
	while (h->at < h->to)
		pthread_cond_wait(&h->through, &h->lock);
	h->flush = false;
	error = h->error;
	pthread_mutex_unlock(&h->lock);
	return error;
}

void hasher_seek(struct hasher *h, uint64_t at)
{
	pthread_mutex_lock(&h->lock);
	h->at = h->to = at;
	h->error = 0;
	pthread_mutex_unlock(&h->lock);
}
