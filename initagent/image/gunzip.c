// SPDX-License-Identifier: GPL-2.0-or-later
/* gunzip: see gunzip.h. */
#include "image/gunzip.h"

#include <zlib.h>

/* A gzip wrapper and nothing else, of any window: zlib.h, inflateInit2(). */
#define GZIP_WINDOW (16 + MAX_WBITS)

struct gunzip {
	z_stream z;
	bool member; /* one was complete */
	bool over;   /* zeroes came in place of a member */
};

bool gunzip_begins(const void *data, size_t len)
{
	return len >= GUNZIP_BEGIN && memcmp(data, "\x1f\x8b\x08", GUNZIP_BEGIN) == 0;
}

int gunzip_new(struct gunzip **ret)
{
	struct gunzip *g = calloc(1, sizeof(*g));

	if (!g || inflateInit2(&g->z, GZIP_WINDOW) != Z_OK) {
		free(g);
		return -ENOMEM;
	}
	*ret = g;
	return 0;
}

struct gunzip *gunzip_free(struct gunzip *g)
{
	if (!g)
		return NULL;
	inflateEnd(&g->z);
	free(g);
	return NULL;
}

void gunzip_give(struct gunzip *g, const void *data, size_t len)
{
	g->z.next_in = (Bytef *)(uintptr_t)data;
	g->z.avail_in = (uInt)len;
}

/* A member is complete, and nothing behind it was read yet. */
static bool between(const struct gunzip *g)
{
	return g->member && g->z.total_in == 0;
}

static const char *skip_zeroes(struct gunzip *g)
{
	while (g->z.avail_in && !*g->z.next_in) {
		g->z.next_in++;
		g->z.avail_in--;
	}
	return g->z.avail_in ? "more behind its end" : NULL;
}

/* NULL, or what is wrong with it. */
static const char *step(struct gunzip *g)
{
	int r;

	g->over = g->over || (between(g) && g->z.avail_in && !*g->z.next_in);
	if (g->over)
		return skip_zeroes(g);
	r = inflate(&g->z, Z_NO_FLUSH);
	if (r == Z_STREAM_END) {
		g->member = true;
		r = inflateReset(&g->z);
	}
	if (r == Z_OK || r == Z_BUF_ERROR)
		return NULL;
	return g->z.msg ? g->z.msg : "it cannot be read";
}

ssize_t gunzip_take(struct gunzip *g, void *buf, size_t size, const char **ret_why)
{
	g->z.next_out = buf;
	g->z.avail_out = (uInt)size;
	while (g->z.avail_out) {
		uInt in = g->z.avail_in, out = g->z.avail_out;
		const char *why = step(g);

		if (why) {
			*ret_why = why;
			return -EBADMSG;
		}
		/* What zlib still has to say it says without input. */
		if (g->z.avail_out == out && g->z.avail_in == in)
			break;
	}
	return (ssize_t)(size - g->z.avail_out);
}

bool gunzip_complete(const struct gunzip *g)
{
	return g->over || between(g);
}
