// SPDX-License-Identifier: GPL-2.0-or-later
/* sha256: the standard's examples, every length around a block, and both ways of computing it. */
#include "base/sha256.h"

#include "check.h"

static const char *hash(const void *data, size_t len, size_t piece, bool portable)
{
	static char text[SHA256_TEXT];
	uint8_t digest[SHA256_SIZE];
	const uint8_t *p = data;
	struct sha256 s;

	if (portable)
		sha256_init_portable(&s);
	else
		sha256_init(&s);
	for (size_t n; len; len -= n, p += n) {
		n = min_u64(piece, len);
		sha256_update(&s, p, n);
	}
	sha256_final(&s, digest);
	return sha256_text(digest, text);
}

/* FIPS 180-2, appendix B; the digest of nothing. */
TEST(examples)
{
	static const struct {
		const char *text, *digest;
	} rows[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int portable = 0; portable < 2; portable++)
			CHECK_STR(hash(rows[i].text, strlen(rows[i].text), 7, portable),
				rows[i].digest);
}

TEST(a_million_letters)
{
	static char data[1000000];

	memset(data, 'a', sizeof(data));
	for (int portable = 0; portable < 2; portable++)
		CHECK_STR(hash(data, sizeof(data), 4096 + 13, portable),
			"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Bytes are counted over 2^32 bits; pieces of any size give the same. */
TEST(lengths_and_pieces)
{
	static uint8_t data[300];
	char whole[SHA256_TEXT];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + (i >> 3));
	for (size_t len = 0; len <= sizeof(data); len++) {
		strscpy(whole, hash(data, len, sizeof(data), true), sizeof(whole));
		for (size_t piece = 1; piece <= 130; piece += 43)
			CHECK_STR(hash(data, len, piece, false), whole);
	}
}

TEST(a_copy_is_a_way_back)
{
	struct sha256 s, saved;
	uint8_t a[SHA256_SIZE], b[SHA256_SIZE];

	sha256_init(&s);
	sha256_update(&s, "good", 4);
	saved = s;
	sha256_update(&s, "bad", 3);
	s = saved;
	sha256_update(&s, "part", 4);
	sha256_final(&s, a);
	sha256_init(&s);
	sha256_update(&s, "goodpart", 8);
	sha256_final(&s, b);
	CHECK_MEM(a, b, sizeof(a));
}
