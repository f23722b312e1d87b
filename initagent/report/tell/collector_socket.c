// SPDX-License-Identifier: GPL-2.0-or-later
/* collector_socket: how a sink is reached, and again later if it is not. */
#include "report/tell/collector.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/random.h"

#define RETRY_FIRST NSEC_PER_SEC
#define DOUBLINGS   5

bool collector_is_xcat(const struct collector *c)
{
	return c->plan->kind == PLAN_REPORT_XCAT;
}

bool collector_is_tcp(const struct collector *c)
{
	return c->plan->kind == PLAN_REPORT_SYSLOG_TCP || collector_is_xcat(c);
}

void collector_close(struct collector *c)
{
	closep(&c->fd);
	c->fd = -1;
	c->connected = false;
}

/* The current message is sent again, and the one before, which may be lost: twice is better. */
static void rewind_rows(struct collector *c)
{
	uint64_t n = c->from < c->to ? 2 : 1;

	c->next -= collector_is_tcp(c) ? n < c->given ? n : c->given : 0;
	c->from = collector_is_tcp(c) ? c->to : 0;
	c->given = 0;
}

void collector_retry(struct collector *c, int error, uint64_t now)
{
	uint64_t span = RETRY_FIRST << (c->failures < DOUBLINGS ? c->failures : DOUBLINGS);

	rewind_rows(c);
	collector_close(c);
	c->error = error;
	c->failures++;
	c->retry = now + span / 2 + random_part(span / 2);
}

static socklen_t sockaddr_of(const struct collector *c, struct sockaddr_storage *ss)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)ss;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)ss;

	if (c->addr.family == AF_INET) {
		*v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(c->plan->port),
			.sin_addr = c->addr.v4};
		return sizeof(*v4);
	}
	*v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(c->plan->port),
		.sin6_addr = c->addr.v6};
	return sizeof(*v6);
}

/* Edge-triggered: each change is looked at once, however it is left. */
bool collector_watch(int fd, int epoll, uint32_t events)
{
	struct epoll_event ev = {.events = events | EPOLLET};

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev) == 0;
}

static void open_socket(struct collector *c, int epoll, uint64_t now)
{
	struct sockaddr_storage ss = {0};
	socklen_t len = sockaddr_of(c, &ss);
	int type = collector_is_tcp(c) ? SOCK_STREAM : SOCK_DGRAM;
	uint32_t events = EPOLLOUT | EPOLLRDHUP | (collector_is_xcat(c) ? EPOLLIN : 0);

	c->fd = socket(c->addr.family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || !collector_watch(c->fd, epoll, events))
		collector_retry(c, errno, now);
	else if (connect(c->fd, (struct sockaddr *)&ss, len) == 0)
		c->connected = true;
	else if (errno != EINPROGRESS)
		collector_retry(c, errno, now);
}

/* Is the handshake done? */
static bool established(struct collector *c, uint64_t now)
{
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer), size = sizeof(int);
	int error = 0;

	if (c->connected || getpeername(c->fd, (struct sockaddr *)&peer, &len) == 0) {
		c->connected = true;
		return true;
	}
	getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &size);
	if (error)
		collector_retry(c, error, now);
	return false;
}

bool collector_open(struct collector *c, int epoll, uint64_t now)
{
	if (c->fd < 0 && now >= c->retry)
		open_socket(c, epoll, now);
	return c->fd >= 0 && established(c, now);
}

/* UDP: the next send fails with the error of an earlier message, and sends nothing. */
static ssize_t send_some(struct collector *c)
{
	ssize_t n = send(c->fd, c->out + c->from, c->to - c->from, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && !collector_is_tcp(c) && errno == ECONNREFUSED) {
		c->error = errno;
		n = send(c->fd, c->out + c->from, c->to - c->from, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	return n;
}

/* False: no more goes now. */
bool collector_send(struct collector *c, uint64_t now)
{
	while (c->from < c->to) {
		ssize_t n = send_some(c);

		if (n >= 0)
			c->from += (size_t)n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return false;
		else if (errno != EINTR) {
			collector_retry(c, errno, now);
			return false;
		}
	}
	c->from = c->to = 0;
	return true;
}
