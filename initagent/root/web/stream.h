/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream: the unpacker of an archive that is still being fetched. It owns that process, and the
 * pipe to it.
 * In: a file in memory and how much of it is final. Out: an image (root/image/) that was given all.
 * Callers: root/web/. Tests: root/image/test_flow.c, tests/web.bats.
 */
#pragma once

#include "root/image/image.h"

struct stream;

/*
 * stream_new: image: its fd and proved are set here. file is what the transfer writes to; borrowed,
 * and emptied behind the unpacker. 0 or -errno. stream_free ends the unpacker; what it made is
 * gone.
 */
int stream_new(struct stream **ret, const struct env *env, const struct image_config *image,
	int file, uint64_t now);
struct stream *stream_free(struct stream *s);

/* stream_fd: readable when there is something to do; for other fds, too, by stream_watch: events as
 * epoll's. */
int stream_fd(const struct stream *s);
void stream_watch(struct stream *s, int fd, uint32_t events);

enum stream_verdict { STREAM_BUSY, STREAM_FAILED, STREAM_GIVEN };

/*
 * stream_step: bytes: so many of the file are final; all: there are no more, and they are what they
 * should be. FAILED: the unpacker refused it; GIVEN: it has all, and does the rest.
 */
enum stream_verdict stream_step(struct stream *s, uint64_t bytes, bool all, uint64_t now);

/* stream_image: borrowed. stream_take_image: the caller's from now on. */
struct image *stream_image(const struct stream *s);
struct image *stream_take_image(struct stream *s);
