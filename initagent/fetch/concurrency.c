// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/concurrency.h"

/* "Clearly": by a quarter. A second stream that only shares with the first gains nothing. */
static bool clearly_more(uint64_t rate, uint64_t than)
{
	return rate / 5 >= than / 4;
}

/* A link that is filled to four fifths is full: heads of packets take their part as well. */
static bool link_full(const struct concurrency *c)
{
	return c->link && c->rate / 4 >= c->link / 5;
}

static void open_period(struct concurrency *c, bool settling, uint64_t bytes, uint64_t idle,
	uint64_t now)
{
	c->settling = settling;
	c->since = now;
	c->bytes = bytes;
	c->idle = idle;
}

void concurrency_begin(struct concurrency *c, unsigned limit, uint64_t link, uint64_t now)
{
	*c = (struct concurrency){.connections = 1, .limit = limit, .link = link};
	open_period(c, true, 0, 0, now);
}

/* With the rate of a period known: more, as they are, or back. */
static unsigned decide(const struct concurrency *c, bool idle, uint64_t left)
{
	if (c->connections > 1 && !clearly_more(c->rate, c->before))
		return c->connections / 2;
	if (c->connections * 2 > c->limit || link_full(c) || !idle ||
		left / CONCURRENCY_LEFT_S < c->rate)
		return c->connections;
	return c->connections * 2;
}

unsigned concurrency_step(struct concurrency *c, uint64_t bytes, uint64_t idle, uint64_t left,
	uint64_t now)
{
	uint64_t span = now - c->since;
	unsigned to;

	if (c->connections == c->limit && !c->before)
		return c->connections;
	if (span < (c->settling ? CONCURRENCY_SETTLE_NS : CONCURRENCY_PERIOD_NS))
		return c->connections;
	if (c->settling) {
		open_period(c, false, bytes, idle, now);
		return c->connections;
	}
	c->rate = (uint64_t)((double)(bytes - c->bytes) * (double)NSEC_PER_SEC / (double)span);
	to = decide(c, idle - c->idle >= span / 2, left);
	if (to < c->connections || (to == c->connections && c->before))
		c->limit = to;
	c->before = to > c->connections ? c->rate : 0;
	open_period(c, to != c->connections, bytes, idle, now);
	c->connections = to;
	return to;
}

void concurrency_lost(struct concurrency *c, unsigned connections, uint64_t now)
{
	c->connections = c->limit = connections ? connections : 1;
	c->before = 0;
	c->since = now;
}
