// SPDX-License-Identifier: GPL-2.0-or-later
/* stream: see stream.h. */
#include "root/web/stream.h"

#include <linux/falloc.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>

/* As much as a pipe may hold without rights (fs/pipe.c); at once, so that others have their turn. */
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

static void watch(struct stream *s, int fd, uint32_t events)
{
	struct epoll_event ev = {.events = events};

	if (fd >= 0 && epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 && errno == EEXIST)
		epoll_ctl(s->epoll, EPOLL_CTL_MOD, fd, &ev);
}

static int start(struct stream *s, const struct env *env, const struct image_config *given, uint64_t now)
{
	struct image_config cfg = *given;
	int pair[2], r;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	cfg.fd = s->hold[0] = pair[0];
	s->in = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	cfg.proved = s->hold[1] = pair[0];
	s->proved = pair[1];
	fcntl(s->in, F_SETPIPE_SZ, PIPE_SIZE);
	r = fcntl(s->in, F_SETFL, O_NONBLOCK) < 0 ? -errno : image_new(&s->image, env, &cfg);
	return r < 0 ? r : image_start(s->image, now);
}

int stream_new(struct stream **ret, const struct env *env, const struct stream_config *cfg, uint64_t now)
{
	_cleanup_(stream_freep) struct stream *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return -ENOMEM;
	s->file = cfg->file;
	s->in = s->proved = s->hold[0] = s->hold[1] = -1;
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	r = s->epoll < 0 ? -errno : start(s, env, cfg->image, now);
	if (r < 0)
		return r;
	watch(s, image_fd(s->image), EPOLLIN);
	*ret = s;
	s = NULL;
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

void stream_watch(struct stream *s, int fd)
{
	watch(s, fd, EPOLLIN);
}

static void free_behind(struct stream *s)
{
	uint64_t end = s->at & ~(uint64_t)(PIECE - 1);

	if (end > s->freed && fallocate(s->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)s->freed,
				     (off_t)(end - s->freed)) == 0)
		s->freed = end;
}

/* Up to there the bytes are final. */
static void pump(struct stream *s, uint64_t end)
{
	uint64_t turn = min_u64(end, s->at + TURN);
	off_t at = (off_t)s->at;

	s->held = false;
	while (s->at < turn && !s->held) {
		ssize_t n = sendfile(s->in, s->file, &at, (size_t)(turn - s->at));

		s->held = n < 0 && errno == EAGAIN;
		if (n <= 0 && !s->held && errno != EINTR)
			break;
		s->at = (uint64_t)at;
	}
	free_behind(s);
	/* Once the pipe has room, or at once: the turn is over, and there are more. */
	watch(s, s->in, s->at < end ? EPOLLOUT | EPOLLONESHOT : 0);
}

static void finish(struct stream *s)
{
	closep(&s->in);
	s->in = -1;
	/* There is room for one byte in a pipe that is empty, and a reader. */
	s->failed = write(s->proved, "", 1) != 1;
}

void stream_step(struct stream *s, uint64_t bytes, bool all, uint64_t now)
{
	/* Before the end nothing but its failure is of interest. */
	image_dispatch(s->image, now);
	s->failed = s->failed || image_pop_event(s->image) == IMAGE_EVENT_FAILED;
	if (s->failed || s->in < 0)
		return;
	pump(s, bytes);
	if (all && s->at == bytes)
		finish(s);
}

bool stream_failed(const struct stream *s)
{
	return s->failed;
}

struct image *stream_image(const struct stream *s)
{
	return s->image;
}

bool stream_empty(const struct stream *s)
{
	return s->in < 0;
}

struct image *stream_take(struct stream *s)
{
	struct image *image = s->image;

	s->image = NULL;
	return image;
}
