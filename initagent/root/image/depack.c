// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/image/depack.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

/* A gzip wrapper and nothing else, of any window: zlib.h, inflateInit2(). */
#define GZIP_WINDOW (16 + MAX_WBITS)
/* What unpacking may take beside the content: more than "xz -9" needs (65 MiB) and what zstd itself
 * takes without being asked. */
#define MEMORY_MAX  (128u << 20)

/* What one step does: ->in, ->in_len, ->out and ->out_len move on. */
enum step { STEP_ON, STEP_MEMBER_ENDS, STEP_DAMAGED };

struct depack {
	const struct packing *packing;
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
	bool member; /* one was complete, and nothing behind it was read yet */
	bool over;   /* zeroes came in place of a member */
	const char *why;
	z_stream gzip;
	lzma_stream xz;
	ZSTD_DStream *zstd;
};

struct packing {
	const char *name;
	bool (*begin)(struct depack *d);
	enum step (*step)(struct depack *d);
	void (*end)(struct depack *d);
};

/* --- gzip ------------------------------------------------------------------------------------ */

static bool gzip_begin(struct depack *d)
{
	return inflateInit2(&d->gzip, GZIP_WINDOW) == Z_OK;
}

static enum step gzip_step(struct depack *d)
{
	z_stream *z = &d->gzip;
	int r;

	z->next_in = (Bytef *)(uintptr_t)d->in;
	z->avail_in = (uInt)d->in_len;
	z->next_out = d->out;
	z->avail_out = (uInt)d->out_len;
	r = inflate(z, Z_NO_FLUSH);
	d->in += d->in_len - z->avail_in;
	d->in_len = z->avail_in;
	d->out += d->out_len - z->avail_out;
	d->out_len = z->avail_out;
	if (r == Z_STREAM_END)
		return inflateReset(z) == Z_OK ? STEP_MEMBER_ENDS : STEP_DAMAGED;
	d->why = z->msg;
	return r == Z_OK || r == Z_BUF_ERROR ? STEP_ON : STEP_DAMAGED;
}

static void gzip_end(struct depack *d)
{
	inflateEnd(&d->gzip);
}

/* --- xz -------------------------------------------------------------------------------------- */

static bool xz_begin(struct depack *d)
{
	return lzma_stream_decoder(&d->xz, MEMORY_MAX, 0) == LZMA_OK;
}

static const char *xz_why(lzma_ret r)
{
	switch (r) {
	case LZMA_FORMAT_ERROR: return "incorrect header";
	case LZMA_OPTIONS_ERROR: return "options that are not supported";
	case LZMA_MEMLIMIT_ERROR: return "it needs too much memory";
	case LZMA_MEM_ERROR: return "out of memory";
	default: return "damaged data";
	}
}

static enum step xz_step(struct depack *d)
{
	lzma_stream *x = &d->xz;
	lzma_ret r;

	x->next_in = d->in;
	x->avail_in = d->in_len;
	x->next_out = d->out;
	x->avail_out = d->out_len;
	r = lzma_code(x, LZMA_RUN);
	d->in = x->next_in;
	d->in_len = x->avail_in;
	d->out = x->next_out;
	d->out_len = x->avail_out;
	if (r == LZMA_STREAM_END)
		return xz_begin(d) ? STEP_MEMBER_ENDS : STEP_DAMAGED;
	d->why = xz_why(r);
	return r == LZMA_OK || r == LZMA_BUF_ERROR ? STEP_ON : STEP_DAMAGED;
}

static void xz_end(struct depack *d)
{
	lzma_end(&d->xz);
}

/* --- zstd ------------------------------------------------------------------------------------ */

static bool zstd_begin(struct depack *d)
{
	d->zstd = ZSTD_createDStream();
	return d->zstd != NULL;
}

static enum step zstd_step(struct depack *d)
{
	ZSTD_inBuffer in = {.src = d->in, .size = d->in_len};
	ZSTD_outBuffer out = {.dst = d->out, .size = d->out_len};
	size_t r = ZSTD_decompressStream(d->zstd, &out, &in);

	d->in += in.pos;
	d->in_len -= in.pos;
	d->out += out.pos;
	d->out_len -= out.pos;
	if (ZSTD_isError(r)) {
		d->why = ZSTD_getErrorName(r);
		return STEP_DAMAGED;
	}
	return r ? STEP_ON : STEP_MEMBER_ENDS;
}

static void zstd_end(struct depack *d)
{
	ZSTD_freeDStream(d->zstd);
}

/* --- all ------------------------------------------------------------------------------------- */

static const struct packing packings[DEPACK_MAX] = {
	[DEPACK_GZIP] = {"gzip", gzip_begin, gzip_step, gzip_end},
	[DEPACK_XZ] = {"xz", xz_begin, xz_step, xz_end},
	[DEPACK_ZSTD] = {"zstd", zstd_begin, zstd_step, zstd_end},
};

int depack_new(struct depack **ret, enum depack_kind kind)
{
	struct depack *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->packing = &packings[kind];
	if (!d->packing->begin(d)) {
		free(d);
		return -ENOMEM;
	}
	depack_give(d, NULL, 0); /* asked before anything is given, it has an empty piece */
	*ret = d;
	return 0;
}

struct depack *depack_free(struct depack *d)
{
	if (!d)
		return NULL;
	d->packing->end(d);
	free(d);
	return NULL;
}

const char *depack_name(const struct depack *d)
{
	return d->packing->name;
}

void depack_give(struct depack *d, const void *data, size_t len)
{
	d->in = len ? data : (const void *)"";
	d->in_len = len;
}

static bool skip_zeroes(struct depack *d)
{
	while (d->in_len && !*d->in) {
		d->in++;
		d->in_len--;
	}
	d->why = "data after its end";
	return d->in_len == 0;
}

/* False: it is damaged. */
static bool step(struct depack *d)
{
	size_t in = d->in_len;
	enum step r;

	d->over = d->over || (d->member && d->in_len && !*d->in);
	if (d->over)
		return skip_zeroes(d);
	/* Between members there is nothing to be had without input, and zstd would begin to count
	 * on some. */
	if (d->member && !d->in_len)
		return true;
	d->why = NULL;
	r = d->packing->step(d);
	if (r == STEP_MEMBER_ENDS)
		d->member = true;
	else if (d->in_len != in)
		d->member = false;
	return r != STEP_DAMAGED;
}

ssize_t depack_take(struct depack *d, void *buf, size_t size, const char **ret_why)
{
	d->out = buf;
	d->out_len = size;
	while (d->out_len) {
		size_t in = d->in_len, out = d->out_len;

		if (!step(d)) {
			*ret_why = d->why ? d->why : "it cannot be read";
			return -EBADMSG;
		}
		/* What the library still has to say it says without input. */
		if (d->out_len == out && d->in_len == in)
			break;
	}
	return (ssize_t)(size - d->out_len);
}

bool depack_complete(const struct depack *d)
{
	return d->over || d->member;
}
