// SPDX-License-Identifier: GPL-2.0-or-later

#include "base/sha256.h"

#include "base/cursor.h"
#include "base/hex.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#include <sys/auxv.h>
#ifndef HWCAP_SHA2
#define HWCAP_SHA2 (1 << 6) /* Linux arm64 elf_hwcaps */
#endif
#endif

/* FIPS 180-4, 4.2.2. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
	0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
	0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
	0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t rotate(uint32_t v, int n)
{
	return v >> n | v << (32 - n);
}

/* One word of the message schedule, over a window of the last sixteen. */
static uint32_t schedule(uint32_t w[16], int i)
{
	uint32_t a = w[(i + 1) & 15], b = w[(i + 14) & 15];

	w[i & 15] += (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[(i + 9) & 15] +
		(rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	return w[i & 15];
}

/* Each round's eight variables are those of the round before, moved on by one: here the numbers
 * move, which an unrolled loop knows beforehand, and nothing is copied. */
static void block_portable(uint32_t state[8], const uint8_t *data)
{
	uint32_t w[16], s[8];

	memcpy(s, state, sizeof(s));
	for (int i = 0; i < 16; i++)
		w[i] = load_be32(data + 4 * (size_t)i);
	for (int first = 0; first < 64; first += 16) {
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++) {
			uint32_t a = s[-i & 7], b = s[(1 - i) & 7], c = s[(2 - i) & 7];
			uint32_t e = s[(4 - i) & 7], f = s[(5 - i) & 7], g = s[(6 - i) & 7];
			uint32_t t = s[(7 - i) & 7] + constants[first + i] +
				(first ? schedule(w, i) : w[i]) + ((e & f) ^ (~e & g)) +
				(rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25));

			s[(3 - i) & 7] += t;
			s[(7 - i) & 7] = t + ((a & b) ^ (a & c) ^ (b & c)) +
				(rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22));
		}
	}
	for (int i = 0; i < 8; i++)
		state[i] += s[i];
}

static void blocks_portable(uint32_t state[8], const uint8_t *data, size_t n)
{
	for (; n; n--, data += SHA256_BLOCK)
		block_portable(state, data);
}

#if defined(__x86_64__)
/*
 * The SHA extensions keep the state as two vectors, (a b e f) and (c d g h) with a and c on top,
 * and do four rounds with two instructions. Four vectors hold the window of the schedule.
 */
__attribute__((target("sha,sse4.1"))) static void blocks_native(
	uint32_t state[8], const uint8_t *data, size_t n)
{
	const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i low = _mm_loadu_si128((const __m128i *)(const void *)state);
	__m128i high = _mm_loadu_si128((const __m128i *)(const void *)(state + 4));
	__m128i abef =
		_mm_unpackhi_epi64(_mm_shuffle_epi32(high, 0x1b), _mm_shuffle_epi32(low, 0x1b));
	__m128i cdgh =
		_mm_unpacklo_epi64(_mm_shuffle_epi32(high, 0x1b), _mm_shuffle_epi32(low, 0x1b));

	for (; n; n--, data += SHA256_BLOCK) {
		__m128i was_abef = abef, was_cdgh = cdgh, w[4];

#pragma GCC unroll 4
		for (int i = 0; i < 4; i++)
			w[i] = _mm_shuffle_epi8(
				_mm_loadu_si128((const __m128i *)(const void *)(data + 16 * i)),
				order);
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++) {
			__m128i k =
				_mm_loadu_si128((const __m128i *)(const void *)(constants + 4 * i));
			__m128i m = _mm_add_epi32(w[i & 3], k);

			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, m);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(m, 0x0e));
			if (i < 12)
				w[i & 3] = _mm_sha256msg2_epu32(_mm_add_epi32(
						_mm_sha256msg1_epu32(w[i & 3], w[(i + 1) & 3]),
						_mm_alignr_epi8(w[(i + 3) & 3], w[(i + 2) & 3], 4)),
					w[(i + 3) & 3]);
		}
		abef = _mm_add_epi32(abef, was_abef);
		cdgh = _mm_add_epi32(cdgh, was_cdgh);
	}
	low = _mm_shuffle_epi32(_mm_unpackhi_epi64(cdgh, abef), 0x1b);
	high = _mm_shuffle_epi32(_mm_unpacklo_epi64(cdgh, abef), 0x1b);
	_mm_storeu_si128((__m128i *)(void *)state, low);
	_mm_storeu_si128((__m128i *)(void *)(state + 4), high);
}

/* CPUID leaf 7: EBX bit 29 is SHA; leaf 1: ECX bits 9 and 19 are SSSE3 and SSE4.1. */
static bool native(void)
{
	unsigned a, b, c, d, b7 = 0, c1 = 0;

	if (__get_cpuid(1, &a, &b, &c, &d))
		c1 = c;
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
		b7 = b;
	return (b7 >> 29 & 1) && (c1 >> 9 & 1) && (c1 >> 19 & 1);
}
#elif defined(__aarch64__)
__attribute__((target("+crypto"))) static void blocks_native(uint32_t state[8], const uint8_t *data,
	size_t n)
{
	uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);

	for (; n; n--, data += SHA256_BLOCK) {
		uint32x4_t was_abcd = abcd, was_efgh = efgh, w[4];

#pragma GCC unroll 4
		for (int i = 0; i < 4; i++)
			w[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(data + 16 * i)));
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++) {
			uint32x4_t m = vaddq_u32(w[i & 3], vld1q_u32(constants + 4 * i)),
				   before = abcd;

			abcd = vsha256hq_u32(abcd, efgh, m);
			efgh = vsha256h2q_u32(efgh, before, m);
			if (i < 12)
				w[i & 3] =
					vsha256su1q_u32(vsha256su0q_u32(w[i & 3], w[(i + 1) & 3]),
						w[(i + 2) & 3], w[(i + 3) & 3]);
		}
		abcd = vaddq_u32(abcd, was_abcd);
		efgh = vaddq_u32(efgh, was_efgh);
	}
	vst1q_u32(state, abcd);
	vst1q_u32(state + 4, efgh);
}

static bool native(void)
{
	return getauxval(AT_HWCAP) & HWCAP_SHA2;
}
#else
#define blocks_native blocks_portable

static bool native(void)
{
	return false;
}
#endif

/* FIPS 180-4, 5.3.3. */
void sha256_init_portable(struct sha256 *s)
{
	*s = (struct sha256){
		.blocks = blocks_portable,
		.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
			0x1f83d9ab, 0x5be0cd19},
	};
}

void sha256_init(struct sha256 *s)
{
	sha256_init_portable(s);
	if (native())
		s->blocks = blocks_native;
}

void sha256_update(struct sha256 *s, const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t have = s->length % SHA256_BLOCK;

	s->length += len;
	if (have) {
		size_t n = min_u64(len, SHA256_BLOCK - have);

		memcpy(s->rest + have, p, n);
		p += n;
		len -= n;
		if (have + n < SHA256_BLOCK)
			return;
		s->blocks(s->state, s->rest, 1);
	}
	s->blocks(s->state, p, len / SHA256_BLOCK);
	if (len % SHA256_BLOCK)
		memcpy(s->rest, p + len / SHA256_BLOCK * SHA256_BLOCK, len % SHA256_BLOCK);
}

void sha256_final(struct sha256 *s, uint8_t ret[static SHA256_SIZE])
{
	static const uint8_t end[SHA256_BLOCK] = {0x80};
	uint64_t bits = s->length * 8;
	size_t have = s->length % SHA256_BLOCK;
	uint8_t length[8];

	sha256_update(s, end, (have < 56 ? 56 : 120) - have);
	put_be(put_be(length, (uint32_t)(bits >> 32), 4), (uint32_t)bits, 4);
	sha256_update(s, length, sizeof(length));
	for (size_t i = 0; i < 8; i++)
		put_be(ret + 4 * i, s->state[i], 4);
}

const char *sha256_text(const uint8_t digest[static SHA256_SIZE], char buf[static SHA256_TEXT])
{
	return hex_text(buf, SHA256_TEXT, digest, SHA256_SIZE, "");
}
