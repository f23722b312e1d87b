// SPDX-License-Identifier: GPL-2.0-or-later
/* dns_stream: one query over TCP; see private.h. It never waits. */
#include <sys/epoll.h>

#include "resolver/private.h"

static int watch_stream(struct dns_stream *s, int how, uint32_t events)
{
	struct epoll_event ev = {.events = events};

	return epoll_ctl(s->epoll, how, s->fd, &ev) < 0 ? -errno : 0;
}

int dns_stream_open(struct dns_stream *s, int epoll, const struct sockaddr *server, socklen_t size,
	const void *message, size_t len)
{
	int e = 0;

	if (len > sizeof(s->query) - 2)
		return -EMSGSIZE;
	s->fd = socket(server->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return -errno;
	s->epoll = epoll;
	s->query[0] = (uint8_t)(len >> 8);
	s->query[1] = (uint8_t)len;
	memcpy(s->query + 2, message, len);
	s->len = len + 2;
	s->sent = s->got = 0;
	if (connect(s->fd, server, size) < 0 && errno != EINPROGRESS)
		e = -errno;
	/* Writable means connected. */
	if (e == 0)
		e = watch_stream(s, EPOLL_CTL_ADD, EPOLLOUT);
	if (e < 0)
		dns_stream_close(s);
	return e;
}

void dns_stream_close(struct dns_stream *s)
{
	if (s->fd < 0)
		return;
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->fd, NULL);
	close(s->fd);
	s->fd = -1;
}

/* 1 when the query is sent. */
static int send_query(struct dns_stream *s)
{
	ssize_t n;

	if (s->sent == s->len)
		return 1;
	n = send(s->fd, s->query + s->sent, s->len - s->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	s->sent += (size_t)n;
	if (s->sent < s->len)
		return 0;
	n = watch_stream(s, EPOLL_CTL_MOD, EPOLLIN);
	return n < 0 ? (int)n : 1;
}

/* How much is wanted: first the length, then as much as there is room for. */
static size_t wanted(const struct dns_stream *s)
{
	size_t len = s->got < 2 ? 2 : 2 + (size_t)(s->answer[0] << 8 | s->answer[1]);

	return len < sizeof(s->answer) ? len : sizeof(s->answer);
}

static ssize_t finish_answer(struct dns_stream *s, void *packet, size_t size)
{
	size_t len = (size_t)(s->answer[0] << 8 | s->answer[1]), have = s->got - 2;

	have = have < size ? have : size;
	memcpy(packet, s->answer + 2, have);
	if (have < len)
		dns_cut(packet, have);
	return have ? (ssize_t)have : -EBADMSG;
}

/* Each turn of the loop takes bytes, of which there are not many: it ends. */
ssize_t dns_stream_read(struct dns_stream *s, void *packet, size_t size)
{
	ssize_t r = s->fd < 0 ? 0 : send_query(s);

	if (r == 0)
		return 0;
	while (r > 0) {
		size_t want = wanted(s);

		if (s->got >= 2 && s->got == want) {
			r = finish_answer(s, packet, size);
			break;
		}
		r = recv(s->fd, s->answer + s->got, want - s->got, MSG_DONTWAIT);
		if (r < 0 && errno == EAGAIN)
			return 0;
		if (r <= 0) {
			r = r ? -errno : -ECONNRESET;
			break;
		}
		s->got += (size_t)r;
	}
	dns_stream_close(s);
	return r;
}
