// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream: an unpacker that gets a file through a pipe while that is still being written, and has
 * what it read freed behind it. What is unpacked is not seen before the last byte was given
 * (image_config.proved).
 */
#include "root/web/stream.h"

#include <linux/falloc.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>

#include "base/util.h"

/* As much as a pipe may hold without rights (fs/pipe.c); at once, so that others have their turn */
#define PIPE_SIZE (1 << 20)
#define TURN	  (8u << 20)
/* Freed behind the unpacker in pieces of this size; a multiple of any page. */
#define PIECE	  (4u << 20)

struct stream {
	struct image *image;
	int file, epoll;
	int in, proved;	/* the ends of two pipes that we write to */
	int hold[2];	/* their other ends, so that a reader that died is no signal for us */
	uint64_t at, freed;
	bool held;	/* the pipe is full */
	bool failed;
};

void stream_watch(struct stream *s, int fd, uint32_t events)
{
	struct epoll_event ev = {.events = events};

	if (fd >= 0 && epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 && errno == EEXIST)
		epoll_ctl(s->epoll, EPOLL_CTL_MOD, fd, &ev);
}

static int start_unpacker(struct stream *s, const struct env *env, const struct image_config *given,
	uint64_t now)
{
	struct image_config cfg = *given;
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	cfg.fd = s->hold[0] = pair[0];
	s->in = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	cfg.proved = s->hold[1] = pair[0];
	s->proved = pair[1];
	fcntl(s->in, F_SETPIPE_SZ, PIPE_SIZE);
	if (fcntl(s->in, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	return image_start(&s->image, env, &cfg, now);
}

int stream_new(struct stream **ret, const struct env *env, const struct image_config *image,
	int file, uint64_t now)
{
	struct stream *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->file = file;
	s->in = s->proved = s->hold[0] = s->hold[1] = -1;
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	r = s->epoll < 0 ? -errno : start_unpacker(s, env, image, now);
	if (r < 0) {
		stream_free(s);
		return r;
	}
	stream_watch(s, image_fd(s->image), EPOLLIN);
	*ret = s;
	return 0;
}

struct stream *stream_free(struct stream *s)
{
	if (!s)
		return NULL;
	image_free(s->image);
	closep(&s->in);
	closep(&s->proved);
	closep(&s->hold[0]);
	closep(&s->hold[1]);
	closep(&s->epoll);
	free(s);
	return NULL;
}

int stream_fd(const struct stream *s)
{
	return s->epoll;
}

static void free_behind(struct stream *s)
{
	uint64_t end = s->at & ~(uint64_t)(PIECE - 1);

	if (end > s->freed && fallocate(s->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					(off_t)s->freed, (off_t)(end - s->freed)) == 0)
		s->freed = end;
}

/* Up to there the bytes are final. */
static void pump_bytes(struct stream *s, uint64_t end)
{
	uint64_t turn = min_u64(end, s->at + TURN);
	off_t at = (off_t)s->at;

	s->held = false;
	while (s->at < turn && !s->held) {
		ssize_t n = sendfile(s->in, s->file, &at, (size_t)(turn - s->at));

		s->held = n < 0 && errno == EAGAIN;
		if (n == 0 || (n < 0 && !s->held && errno != EINTR))
			break;
		s->at = (uint64_t)at;
	}
	free_behind(s);
	/* Once the pipe has room, or at once: the turn is over, and there are more. */
	stream_watch(s, s->in, s->at < end ? EPOLLOUT | EPOLLONESHOT : 0);
}

static void end_stream(struct stream *s)
{
	closep(&s->in);
	s->in = -1;
	/* There is room for one byte in a pipe that is empty, and a reader. */
	s->failed = write(s->proved, "", 1) != 1;
}

enum stream_verdict stream_step(struct stream *s, uint64_t bytes, bool all, uint64_t now)
{
	/* Before the end nothing but its failure is of interest. */
	image_dispatch(s->image, now);
	s->failed = s->failed || image_pop_event(s->image) == IMAGE_EVENT_FAILED;
	if (!s->failed && s->in >= 0) {
		pump_bytes(s, bytes);
		if (all && s->at == bytes)
			end_stream(s);
	}
	return s->failed ? STREAM_FAILED : s->in < 0 ? STREAM_GIVEN : STREAM_BUSY;
}

struct image *stream_take_image(struct stream *s)
{
	struct image *image = s->image;

	s->image = NULL;
	return image;
}

struct image *stream_image(const struct stream *s)
{
	return s->image;
}
