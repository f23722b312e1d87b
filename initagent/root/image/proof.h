/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proof: is this manifest the right one? It owns a process without rights, which judges signature,
 * digest and form, because the bytes come from the network. The same for the signature beside an
 * image that has no manifest.
 * In: manifest or image, signature, keys, digest, the kernel's release. Out: the manifest, or a
 * cause and text.
 * Callers: root/web/. Tests: test_proof.c, fuzz_manifest.c, fuzz_minisig.c, tests/manifest.bats.
 */
#pragma once

#include "base/util.h"
#include "root/image/manifest.h"
#include "root/image/minisig.h"
#include "report/causes.h"

#define PROOF_TEXT_MAX 200

/* What is to be judged. Borrowed until proof_free(). */
struct proof_config {
	const void *manifest;  /* as fetched; NULL: the signature is an image's */
	size_t manifest_len;
	const char *summed;    /* it is a list of sums, and this file is meant; NULL: ours */
	const void *signature; /* the .minisig file; NULL: there is none */
	size_t signature_len;
	const struct minisig_key *keys; /* none: no signature is asked for */
	size_t n_keys;
	const uint8_t *digest; /* SHA-256 the manifest must have; NULL: any */
	/* Without manifest: the image's BLAKE2b-512, or the image, of which the process makes it */
	const uint8_t *hash;   /* MINISIG_HASH_BYTES */
	bool read_image;
	int image;	       /* a file */
	const char *release;   /* kernel the manifest must fit; NULL: any */
};

/* Fixed size: what the process leaves in memory shared with it. */
struct proof_result {
	int32_t cause; /* CAUSE_NONE: proved, or nothing to prove */
	int32_t key;   /* which one signed; -1: none was asked for */
	char text[PROOF_TEXT_MAX];
	char comment[MINISIG_COMMENT_MAX]; /* trusted comment */
	struct manifest manifest;	   /* if there was one and cause is CAUSE_NONE; of a
						SHA256SUMS: sha256 alone */
};

struct proof;

/* proof_new: starts the process. 0 or -errno. */
int proof_new(struct proof **ret, const struct proof_config *cfg);
struct proof *proof_free(struct proof *p);
DEFINE_FREEP(struct proof, proof_free)

/* proof_fd: readable when proof_dispatch() has something to do. */
int proof_fd(const struct proof *p);

/* proof_dispatch: true: proof_result() is valid. */
bool proof_dispatch(struct proof *p);
const struct proof_result *proof_result(const struct proof *p);

/* proof_judge: what the process does; also for the fuzz target and the tool. Pure. */
void proof_judge(const struct proof_config *cfg, struct proof_result *ret);
