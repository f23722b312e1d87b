/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sha256: SHA-256 (FIPS 180-4) of bytes as they come. Owns nothing: a struct may be copied to come
 * back to that point later.
 * In: bytes in pieces of any size. Out: the digest, also as text.
 * Callers: fetch/, root/cache/, root/image/, root/web/, timeline/, ipxe-scripts/site/.
 * Tests: base/test_sha256.c.
 *
 * It uses the processor's own instructions where it has them: a digest then costs less than the
 * copying it goes along with. Own code, since a library's is no faster (nettle's: 12 % slower with
 * SHA-NI) and links 37 KB for its other ciphers.
 */
#pragma once

#include "base/util.h"

#define SHA256_SIZE  32
#define SHA256_BLOCK 64
#define SHA256_TEXT  (2 * SHA256_SIZE + 1)

/* Works n blocks into the state. */
typedef void (*sha256_blocks_fn)(uint32_t state[8], const uint8_t *data, size_t n);

struct sha256 {
	sha256_blocks_fn blocks;
	uint32_t state[8];
	uint64_t length;
	uint8_t rest[SHA256_BLOCK];
};

/* sha256_init: begins; portable: without special instructions (for tests). */
void sha256_init(struct sha256 *s);
void sha256_init_portable(struct sha256 *s);

void sha256_update(struct sha256 *s, const void *data, size_t len);

/* sha256_final: the digest of all bytes so far; s is used up. */
void sha256_final(struct sha256 *s, uint8_t ret[static SHA256_SIZE]);

/* sha256_text: the digest in lower-case hex. Returns buf. */
const char *sha256_text(const uint8_t digest[static SHA256_SIZE], char buf[static SHA256_TEXT]);
