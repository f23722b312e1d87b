// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream: an archive is unpacked while it is still being fetched, where nothing has to read the
 * whole of it first: no signature of its own, no cache. The file in memory is filled by the
 * transfer and emptied behind the unpacker, which gets the bytes through a pipe as far as they are
 * final: whole chunks that were found right, or, where only the digest of the whole is known, all
 * there are. What is unpacked is not seen until the proof is there (image_config.proved); when the
 * transfer starts again, so does the unpacker. A layer over a mounted root has no proof to wait for
 * and is entered after the last layer only; another version of it ends the boot.
 */
#include "root/web/private.h"

#include <linux/falloc.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>

#include "report/report.h"
#include "root/image/unpack.h"

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

static void watch(struct stream *s, int fd, uint32_t events)
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

/* image: its fd and proved are set here. file is what the transfer writes to. 0 or -errno. */
static int stream_new(struct stream **ret, const struct env *env, const struct image_config *image,
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
	watch(s, image_fd(s->image), EPOLLIN);
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
	watch(s, s->in, s->at < end ? EPOLLOUT | EPOLLONESHOT : 0);
}

static void end_stream(struct stream *s)
{
	closep(&s->in);
	s->in = -1;
	/* There is room for one byte in a pipe that is empty, and a reader. */
	s->failed = write(s->proved, "", 1) != 1;
}

/* bytes: so many of the file are final; all: there are no more, and they are what they should be */
static void stream_step(struct stream *s, uint64_t bytes, bool all, uint64_t now)
{
	/* Before the end nothing but its failure is of interest. */
	image_dispatch(s->image, now);
	s->failed = s->failed || image_pop_event(s->image) == IMAGE_EVENT_FAILED;
	if (s->failed || s->in < 0)
		return;
	pump_bytes(s, bytes);
	if (all && s->at == bytes)
		end_stream(s);
}

struct image *stream_image(const struct stream *s)
{
	return s->image;
}

/* --- the step of the web room ---------------------------------------------------------------- */

static bool stream_possible(const struct web *w)
{
	return w->state == WEB_IMAGE && !w->stream && !w->stream_cause && !w->signature_bytes &&
		!w->cfg.plan->cache && !w->cfg.layer.whole && unpack_available();
}

/* What its first bytes are, as soon as enough are there for good; IMAGE_UNKNOWN: nothing to be
 * unpacked on the way. */
static enum image_kind kind_of(const struct web *w, uint64_t bytes)
{
	const struct manifest *m = w->manifest;
	enum image_kind kind;

	if (bytes < IMAGE_HEAD_MAX)
		return IMAGE_UNKNOWN;
	kind = (enum image_kind)image_kind_read(w->file, 0, NULL);
	/* Not what its manifest says: that is told when all of it is there. */
	if (image_kind_way(kind) != IMAGE_WAY_UNPACK || (m && m->format && m->format != kind))
		return IMAGE_UNKNOWN;
	return kind;
}

/*
 * The kernel can free what was unpacked, but not at once: what is unpacked may take what is left
 * beside the whole file.
 */
static uint64_t memory_beside(const struct web *w, const struct fetch_progress *p)
{
	uint64_t room = web_room(w), rest = p->size > p->bytes ? p->size - p->bytes : 0;

	if (w->cfg.layer.on_disk)
		return UINT64_MAX;
	return p->size && room > rest ? room - rest : 0;
}

static void begin_stream(struct web *w, const struct fetch_progress *p, uint64_t now)
{
	const struct image_config image = {
		.target = w->cfg.target,
		.plan = w->cfg.plan,
		.init = w->cfg.init,
		.kind = kind_of(w, p->free_to),
		.memory = memory_beside(w, p),
		.layer = w->cfg.layer,
	};

	if (image.kind == IMAGE_UNKNOWN || !image.memory ||
		stream_new(&w->stream, w->env, &image, w->file, now) < 0)
		return;
	w->stream_restarts = p->restarts;
	/* What is freed behind the unpacker is nothing to build upon. */
	store_drop(w->env);
	report_log(w->env->report, REPORT_INFO, "root", now, "%s: unpacked while it is fetched",
		image_kind_name(image.kind));
}

/*
 * The unpacker refused it. Bytes that were not found right yet may be damaged ones, which the
 * digest will tell; a mirror may have better ones.
 */
static void stream_failed(struct web *w, uint64_t now)
{
	bool proved = !w->has_key || (w->manifest && w->manifest->chunk_size) || !w->fetch;
	const char *text;

	w->stream_cause = image_failure(w->stream->image, &text);
	if (!w->stream_cause)
		w->stream_cause = CAUSE_IMAGE_READER_DIED;
	strscpy(w->stream_text, text, sizeof(w->stream_text));
	w->stream = stream_free(w->stream);
	if (proved)
		web_stop(w, w->stream_cause, w->stream_text, now);
}

void web_stream_step(struct web *w, uint64_t now)
{
	struct fetch_progress p;

	if (!w->fetch || w->state != WEB_IMAGE)
		return;
	fetch_progress(w->fetch, &p);
	if (p.restarts != w->stream_restarts && p.changed && w->stream && w->cfg.layer.over) {
		/* Files of the first version would stay; those of the same are replaced. */
		web_stop(w, CAUSE_FETCH_CHANGED, "a part of the first version is unpacked", now);
		return;
	}
	if (p.restarts != w->stream_restarts) {
		w->stream_restarts = p.restarts;
		w->stream_cause = CAUSE_NONE;
		w->stream = stream_free(w->stream);
	}
	if (stream_possible(w))
		begin_stream(w, &p, now);
	if (!w->stream)
		return;
	watch(w->stream, fetch_fd(w->fetch), EPOLLIN);
	/* What is handed on is freed: the process that verifies does not come back to it. */
	stream_step(w->stream, p.free_to, false, now);
	if (w->stream->failed)
		stream_failed(w, now);
}

void web_stream_end(struct web *w, uint64_t now)
{
	web_set_state(w, WEB_MOUNTING, now);
	stream_step(w->stream, w->result.bytes, true, now);
	if (w->stream->failed) {
		stream_failed(w, now);
	} else if (w->stream->in < 0) {
		w->image = w->stream->image;
		w->stream->image = NULL;
		w->stream = stream_free(w->stream);
	}
}
