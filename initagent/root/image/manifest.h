/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manifest: the small file that says what an image is. It is signed instead of the image, and with
 * its chunk digests a bad part of the image can be fetched again instead of all of it:
 *
 *	{"initagent-manifest": 1, "name": "root.squashfs", "size": 1000, "sha256": "HEX",
 *	 "format": "squashfs", "kernels": ["6.1.0-13-amd64", "6.12.*"],
 *	 "chunk_size": 4194304, "chunks": ["HEX", ...]}
 *
 * The last three may be missing. Read strictly: each key once and no other, numbers as plain
 * digits, no escapes in strings, nothing behind the end; so no two programs can read one text
 * differently.
 */
#pragma once

#include "root/image/kind.h"

#define MANIFEST_VERSION     1
#define MANIFEST_TEXT_MAX    (1024 * 1024)
#define MANIFEST_CHUNKS_MAX  8192
#define MANIFEST_KERNELS_MAX 16
#define MANIFEST_DIGEST	     32
/* Smaller chunks make the manifest larger than what a bad one costs; larger ones save nothing. */
#define MANIFEST_CHUNK_MIN   (64 * 1024)
#define MANIFEST_CHUNK_MAX   (1024 * 1024 * 1024)
/* Up to here a double, which is what the JSON reader makes of numbers, is exact. */
#define MANIFEST_SIZE_MAX    (UINT64_C(1) << 50)

/* Fixed size: it is handed from one process to another. */
struct manifest {
	char name[256]; /* a file name, without '/', beside the manifest */
	uint64_t size;
	uint8_t sha256[MANIFEST_DIGEST];
	uint32_t format;     /* enum image_kind; IMAGE_UNKNOWN: not said */
	uint32_t chunk_size; /* power of two; 0: no chunks */
	uint32_t n_chunks;
	uint32_t n_kernels;
	char kernels[MANIFEST_KERNELS_MAX][65]; /* releases; "6.1.*" is a beginning */
	uint8_t chunks[MANIFEST_CHUNKS_MAX][MANIFEST_DIGEST];
};

/* manifest_parse: 0; -EINVAL with *ret_why a text that lives for ever; -ENOMEM. */
int manifest_parse(const char *text, size_t len, struct manifest *ret, const char **ret_why);

/* manifest_sane: could manifest_parse() have made it? For what comes from another process. */
bool manifest_sane(const struct manifest *m);

/* manifest_fits: is a kernel of this release (uname -r) one the image is for? */
bool manifest_fits(const struct manifest *m, const char *release);

/* manifest_write: the text that manifest_parse() reads. 0 or -EIO. */
int manifest_write(const struct manifest *m, FILE *out);
