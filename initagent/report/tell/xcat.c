// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tell/xcat.h"

#include <sys/socket.h>

static const char *const names[XCAT_STATE_MAX] = {
	[XCAT_UNTOLD] = "",
	[XCAT_NETBOOTING] = "netbooting",
	[XCAT_FAILED] = "failed",
};

enum xcat_state xcat_wanted(const struct tell_queue *q)
{
	bool failed = q->n && q->rows[(q->n - 1) % TELL_QUEUE].kind == TELL_FAILED;

	return failed ? XCAT_FAILED : XCAT_NETBOOTING;
}

const char *xcat_state_name(enum xcat_state s)
{
	return names[s];
}

/* What comes out of turn is none of xcatd's. */
static int take_word(struct collector *c, enum xcat_word word, enum xcat_state wanted)
{
	if (word == XCAT_READY && !c->saying) {
		c->saying = (uint8_t)wanted;
		c->to = (size_t)snprintf(c->out, sizeof(c->out), "installstatus %s\n",
			names[wanted]);
		c->from = 0;
	} else if (word == XCAT_DONE && c->saying) {
		c->told = c->saying;
		c->failures = 0;
		c->error = 0;
		collector_close(c);
	} else if (word != XCAT_MORE) {
		return -EPROTO;
	}
	return 0;
}

static int take_bytes(struct collector *c, const char *bytes, size_t n, enum xcat_state wanted)
{
	int r = 0;

	for (size_t i = 0; i < n && c->fd >= 0 && r == 0; i++)
		r = take_word(c, xcat_hear(&c->heard, bytes[i]), wanted);
	return r;
}

static void listen_to(struct collector *c, enum xcat_state wanted, uint64_t now)
{
	char bytes[128];

	for (int budget = 8; c->fd >= 0 && budget > 0; budget--) {
		ssize_t n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		int r = n > 0 ? take_bytes(c, bytes, (size_t)n, wanted)
			: n == 0 ? -ECONNRESET : -errno;

		if (r == -EAGAIN || r == -EWOULDBLOCK || r == -EINTR)
			return;
		if (r < 0)
			collector_retry(c, -r, now);
	}
}

void xcat_push(struct collector *c, const struct tell_queue *q, int epoll, uint64_t now)
{
	enum xcat_state wanted = xcat_wanted(q);

	if (c->fd < 0) {
		c->saying = XCAT_UNTOLD;
		c->heard.len = 0;
		c->from = c->to = 0;
		if (c->told == wanted)
			return;
	}
	if (!collector_open(c, epoll, now))
		return;
	listen_to(c, wanted, now);
	if (c->fd >= 0)
		collector_send(c, now);
}
