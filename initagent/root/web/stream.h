/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream: an archive that is unpacked while it is still being fetched. The file in memory is filled by the transfer and
 * emptied behind the unpacker, who gets the bytes through a pipe: as far as they are final, that is whole chunks that were
 * found right, or, where only the digest of the whole is known, all there are. What is unpacked is seen by nobody until
 * the proof is there (image_config.proved); when the transfer begins anew, so does the unpacker.
 */
#pragma once

#include "root/image/image.h"

struct stream;

struct stream_config {
	const struct image_config *image; /* fd and proved are set here */
	int file; /* that the transfer writes to; borrowed */
};

/* stream_new: starts the unpacker. 0 or -errno. */
int stream_new(struct stream **ret, const struct env *env, const struct stream_config *cfg, uint64_t now);

/* stream_free: ends the unpacker; what it made is gone, unless stream_take() was called. */
struct stream *stream_free(struct stream *s);
DEFINE_FREEP(struct stream, stream_free)

/* stream_fd: readable when stream_step() has something to do. */
int stream_fd(const struct stream *s);

/* stream_watch: the fd of the transfer is watched, too; may be called with the same again. */
void stream_watch(struct stream *s, int fd);

/* stream_step: bytes: so many of the file are final; all: there are no more of them, and they are what they should be. */
void stream_step(struct stream *s, uint64_t bytes, bool all, uint64_t now);

/* stream_failed: the unpacker ended; what is wrong with the image is image_failure() of stream_image(). */
bool stream_failed(const struct stream *s);
struct image *stream_image(const struct stream *s);

/* stream_empty: the unpacker has all of it and knows that it is proved: stream_take() makes its image the caller's. */
bool stream_empty(const struct stream *s);
struct image *stream_take(struct stream *s);
