// SPDX-License-Identifier: GPL-2.0-or-later
/* gzip files, whole and not, in pieces of any size. */
#include "root/image/depack.h"

#include <zlib.h>

#include "check.h"

#define TEXT "some content, and some content again"

struct file {
	uint8_t bytes[512];
	size_t len;
};

/* One more member of that text. */
static void add_member(struct file *f, const char *text)
{
	z_stream z = {0};

	CHECK_INT(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)(uintptr_t)text;
	z.avail_in = (uInt)strlen(text);
	z.next_out = f->bytes + f->len;
	z.avail_out = (uInt)(sizeof(f->bytes) - f->len);
	CHECK_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
	f->len += z.total_out;
	deflateEnd(&z);
}

/* What comes of it, given so many bytes at once, as a string; NULL: *ret_why. */
static const char *unpacked(const struct file *f, size_t piece, const char **ret_why)
{
	_cleanup_(depack_freep) struct depack *g = NULL;
	static char text[256];
	size_t have = 0;
	ssize_t n = 0;

	*ret_why = NULL;
	CHECK_INT(depack_new(&g, DEPACK_GZIP), 0);
	for (size_t at = 0; at < f->len; at += piece) {
		depack_give(g, f->bytes + at, (size_t)min_u64(piece, f->len - at));
		while ((n = depack_take(g, text + have, min_u64(7, sizeof(text) - 1 - have),
			ret_why)) > 0)
			have += (size_t)n;
		if (n < 0)
			return NULL;
	}
	text[have] = 0;
	if (!depack_complete(g))
		*ret_why = "cut short";
	return *ret_why ? NULL : text;
}

static const size_t pieces[] = {1, 2, 3, 7, 64, 512};

/* Its checksum and its length are the last eight bytes. */
TEST(an_end_that_does_not_fit)
{
	static const char *const words[] = {"incorrect data check", "incorrect length check"};
	const char *why;

	for (size_t i = 0; i < 8 * ARRAY_SIZE(pieces); i++) {
		struct file f = {.len = 0};

		add_member(&f, TEXT);
		f.bytes[f.len - 8 + i % 8] ^= 1;
		CHECK(!unpacked(&f, pieces[i / 8], &why));
		CHECK_STR(why, words[i % 8 / 4]);
	}
}

TEST(cut_anywhere)
{
	struct file f = {.len = 0};
	const char *why;
	size_t first;

	add_member(&f, TEXT);
	first = f.len;
	add_member(&f, TEXT);
	for (f.len--; f.len; f.len--)
		CHECK((f.len == first) == (unpacked(&f, 5, &why) != NULL));
}

/* Zeroes are padding; anything else would be left out of what is unpacked. */
TEST(something_behind_it)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *why;
	} ends[] = {{"", 0, NULL}, {"\0", 1, NULL}, {"\0\0\0\0", 4, NULL}, {"\x1f", 1, "cut short"},
		{"\x1f\x8b", 2, "cut short"}, {"\x1fx", 2, "incorrect header check"},
		{"\0\0x", 3, "data after its end"}, {"\0\x1f\x8b\x08", 4, "data after its end"},
		{"garbage", 7, "incorrect header check"}};
	const char *why;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct file f = {.len = 0};

		add_member(&f, TEXT);
		memcpy(f.bytes + f.len, ends[i].bytes, ends[i].len);
		f.len += ends[i].len;
		for (size_t j = 0; j < ARRAY_SIZE(pieces); j++) {
			CHECK_STR(unpacked(&f, pieces[j], &why), ends[i].why ? NULL : TEXT);
			CHECK_STR(why, ends[i].why);
		}
	}
}

TEST(members)
{
	struct file f = {.len = 0};
	const char *why;

	add_member(&f, TEXT);
	add_member(&f, "");
	add_member(&f, " more");
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		CHECK_STR(unpacked(&f, pieces[i], &why), TEXT " more");
}

TEST(beginnings)
{
	const struct file broken = {.bytes = "\x1f\x8b\x09 and so on", .len = 12};
	const char *why;

	CHECK(!unpacked(&broken, 12, &why));
}
