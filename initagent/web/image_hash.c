// SPDX-License-Identifier: GPL-2.0-or-later
/* image_hash: see image_hash.h. */
#include "web/image_hash.h"

#include "image/cage.h"

#define MEMORY_MAX (16u << 20)
#define PIECE	   (256u << 10)

struct image_hash {
	struct cage cage;
	bool known;
	uint8_t value[MINISIG_HASH_BYTES];
};

static int work(const void *arg, int in, int out)
{
	static uint8_t piece[PIECE];
	struct minisig_hash *hash;
	uint8_t value[MINISIG_HASH_BYTES];
	off_t at = 0;
	ssize_t n;

	(void)arg;
	if (minisig_hash_new(&hash) < 0)
		return 1;
	while ((n = pread(in, piece, sizeof(piece), at)) > 0) {
		minisig_hash_add(hash, piece, (size_t)n);
		at += n;
	}
	minisig_hash_end(hash, value);
	return n < 0 || cage_write(out, value, sizeof(value)) < 0;
}

int image_hash_new(struct image_hash **ret, int file)
{
	_cleanup_(image_hash_freep) struct image_hash *h = calloc(1, sizeof(*h));
	const struct cage_job job = {.run = work, .in = file, .rights = CAGE_COMPUTE, .memory = MEMORY_MAX};
	int r;

	if (!h)
		return -ENOMEM;
	h->cage = CAGE_NONE;
	r = cage_start(&h->cage, &job);
	if (r < 0)
		return r;
	*ret = h;
	h = NULL;
	return 0;
}

struct image_hash *image_hash_free(struct image_hash *h)
{
	if (!h)
		return NULL;
	cage_end(&h->cage);
	free(h);
	return NULL;
}

int image_hash_fd(const struct image_hash *h)
{
	return h->cage.fd;
}

/* The whole is written at once, so that this does not wait. */
bool image_hash_dispatch(struct image_hash *h)
{
	h->known = cage_read(&h->cage, h->value, sizeof(h->value)) == 1;
	return true;
}

const uint8_t *image_hash_value(const struct image_hash *h)
{
	return h->known ? h->value : NULL;
}
