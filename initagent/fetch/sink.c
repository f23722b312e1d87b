// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/sink.h"

#include <sys/uio.h>

/* A pipe that blocks takes all of it; a signal may come in between. */
static enum fetch_verdict put_piece(const struct sink *s, const struct piece *p,
	const uint8_t *data)
{
	struct iovec v[] = {{(void *)(uintptr_t)p, sizeof(*p)}, {(void *)(uintptr_t)data, p->len}};
	size_t i = 0;

	while (i < ARRAY_SIZE(v)) {
		ssize_t n = writev(s->fd, v + i, (int)(ARRAY_SIZE(v) - i));

		if (n < 0 && errno != EINTR)
			return VERDICT_WRITE;
		for (size_t done = n > 0 ? (size_t)n : 0; i < ARRAY_SIZE(v); i++) {
			size_t some = done < v[i].iov_len ? done : v[i].iov_len;

			if (some)
				v[i].iov_base = (uint8_t *)v[i].iov_base + some;
			v[i].iov_len -= some;
			done -= some;
			if (v[i].iov_len)
				break;
		}
	}
	return VERDICT_DONE;
}

enum fetch_verdict sink_take(struct sink *s, struct cursor *c)
{
	const struct piece p = {.kind = PIECE_BYTES, .len = (uint32_t)c->left, .at = s->at};
	enum fetch_verdict v;

	if (s->size && c->left > s->size - s->at)
		return VERDICT_SIZE;
	if (s->limit && c->left > s->limit - s->at)
		return VERDICT_TOO_LARGE;
	v = put_piece(s, &p, c->at);
	if (v != VERDICT_DONE)
		return v;
	s->at += c->left;
	cursor_skip(c, c->left);
	return VERDICT_DONE;
}

enum fetch_verdict sink_restart(struct sink *s)
{
	const struct piece p = {.kind = PIECE_RESTART};

	s->at = 0;
	return put_piece(s, &p, NULL);
}

/* The other end of the pipe is gone only when we are about to be ended. */
void sink_size(struct sink *s, uint64_t size)
{
	const struct piece p = {.kind = PIECE_SIZE, .at = size};

	put_piece(s, &p, NULL);
}

void sink_tell(struct sink *s)
{
	const struct piece p = {.kind = PIECE_TELL, .at = s->known};

	put_piece(s, &p, NULL);
}

void sink_end(struct sink *s, uint32_t serial, bool whole)
{
	const struct piece p = {.kind = PIECE_END, .at = s->at, .serial = serial, .whole = whole};

	put_piece(s, &p, NULL);
}
