/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * minisig: signatures in minisign's format: ed25519 over the file ("Ed", legacy) or over its
 * BLAKE2b-512 ("ED", the default since 0.10), and over the trusted comment. Pure, without memory of
 * its own.
 */
#pragma once

#include "base/util.h"

#define MINISIG_HASH_BYTES 64
#define MINISIG_COMMENT_MAX 256
/* A signature file is 4 short lines; anything longer is none. */
#define MINISIG_TEXT_MAX 2048

struct minisig_key {
	uint8_t number[8];
	uint8_t key[32];
};

struct minisig {
	bool prehashed; /* "ED" */
	uint8_t number[8];
	uint8_t signature[64];
	uint8_t global[64]; /* over signature and comment */
	char comment[MINISIG_COMMENT_MAX];
};

/*
 * minisig_key_parse: a public key file's text, or its second line alone. minisig_parse: a signature
 * file's text. 0 or -EINVAL.
 */
int minisig_key_parse(const char *text, size_t len, struct minisig_key *ret);
int minisig_parse(const char *text, size_t len, struct minisig *ret);

/* minisig_key_from_bytes: "Ed", number, key: 42 bytes, as rd.root.key= holds them. */
void minisig_key_from_bytes(const uint8_t bytes[static 42], struct minisig_key *ret);

/*
 * minisig_verify: did one of the keys sign data? For a prehashed signature of a file that was
 * hashed as it came, minisig_verify_hash takes the BLAKE2b-512 instead. Returns the key's index,
 * -ENOKEY (its number is none of ours), -EBADMSG (wrong), or -EINVAL (a legacy signature needs the
 * data itself).
 */
int minisig_verify(const struct minisig *s, const struct minisig_key *keys, size_t n_keys,
	const void *data, size_t len);
int minisig_verify_hash(const struct minisig *s, const struct minisig_key *keys, size_t n_keys,
	const uint8_t hash[static MINISIG_HASH_BYTES]);

/* minisig_hash_file: the BLAKE2b-512 that minisig_verify_hash() takes, of all of a file. 0 or
 * -errno. */
int minisig_hash_file(int fd, uint8_t ret[static MINISIG_HASH_BYTES]);
