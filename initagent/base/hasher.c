// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/hasher.h"

#include <pthread.h>

#define QUEUE 16 /* parts; no caller has more buffers than that */

struct part {
	struct sha256 *s;
	const void *data;
	size_t len;
};

struct hasher {
	pthread_mutex_t lock;
	pthread_cond_t more, less;
	bool running;
	uint64_t added, done;
	struct part queue[QUEUE];
};

static void *run(void *arg)
{
	struct hasher *h = arg;

	pthread_mutex_lock(&h->lock);
	h->running = true;
	pthread_cond_signal(&h->less);
	for (;;) {
		const struct part *p = &h->queue[h->done % QUEUE];

		while (h->done == h->added)
			pthread_cond_wait(&h->more, &h->lock);
		pthread_mutex_unlock(&h->lock);
		sha256_update(p->s, p->data, p->len);
		pthread_mutex_lock(&h->lock);
		h->done++;
		pthread_cond_signal(&h->less);
	}
	return NULL;
}

int hasher_new(struct hasher **ret)
{
	struct hasher *h = calloc(1, sizeof(*h));
	pthread_t thread;
	int r;

	if (!h)
		return -ENOMEM;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->more, NULL);
	pthread_cond_init(&h->less, NULL);
	r = pthread_create(&thread, NULL, run, h);
	if (r) {
		free(h);
		return -r;
	}
	/* What a C library does at a thread's start may be forbidden from now on. */
	pthread_mutex_lock(&h->lock);
	while (!h->running)
		pthread_cond_wait(&h->less, &h->lock);
	pthread_mutex_unlock(&h->lock);
	*ret = h;
	return 0;
}

uint64_t hasher_add(struct hasher *h, struct sha256 *s, const void *data, size_t len)
{
	uint64_t ticket;

	pthread_mutex_lock(&h->lock);
	while (h->added - h->done == QUEUE)
		pthread_cond_wait(&h->less, &h->lock);
	h->queue[h->added % QUEUE] = (struct part){s, data, len};
	ticket = ++h->added;
	pthread_cond_signal(&h->more);
	pthread_mutex_unlock(&h->lock);
	return ticket;
}

void hasher_wait(struct hasher *h, uint64_t ticket)
{
	pthread_mutex_lock(&h->lock);
	while (h->done < ticket)
		pthread_cond_wait(&h->less, &h->lock);
	pthread_mutex_unlock(&h->lock);
}
