// SPDX-License-Identifier: GPL-2.0-or-later
/* climb: see climb.h. */
#include "fetch/climb.h"

/* "Clearly": by a quarter. A second stream that only shares with the first gains nothing. */
static bool clearly_more(uint64_t rate, uint64_t than)
{
	return rate / 5 >= than / 4;
}

/* A link that is filled to four fifths is full: heads of packets take their part as well. */
static bool link_full(const struct climb *c)
{
	return c->link && c->rate / 4 >= c->link / 5;
}

static void open_period(struct climb *c, bool settling, uint64_t bytes, uint64_t idle, uint64_t now)
{
	c->settling = settling;
	c->since = now;
	c->bytes = bytes;
	c->idle = idle;
}

void climb_begin(struct climb *c, unsigned limit, uint64_t link, uint64_t now)
{
	*c = (struct climb){.lanes = 1, .limit = limit, .link = link};
	open_period(c, true, 0, 0, now);
}

/* With the rate of a period known: more, as they are, or back. */
static unsigned decide(const struct climb *c, bool idle, uint64_t left)
{
	if (c->lanes > 1 && !clearly_more(c->rate, c->before))
		return c->lanes / 2;
	if (c->lanes * 2 > c->limit || link_full(c) || !idle || left / CLIMB_LEFT_S < c->rate)
		return c->lanes;
	return c->lanes * 2;
}

unsigned climb_step(struct climb *c, uint64_t bytes, uint64_t idle, uint64_t left, uint64_t now)
{
	uint64_t span = now - c->since;
	unsigned to;

	if (c->lanes == c->limit && !c->before)
		return c->lanes;
	if (span < (c->settling ? CLIMB_SETTLE_NS : CLIMB_PERIOD_NS))
		return c->lanes;
	if (c->settling) {
		open_period(c, false, bytes, idle, now);
		return c->lanes;
	}
	c->rate = (uint64_t)((double)(bytes - c->bytes) * (double)NSEC_PER_SEC / (double)span);
	to = decide(c, idle - c->idle >= span / 2, left);
	if (to < c->lanes || (to == c->lanes && c->before))
		c->limit = to;
	c->before = to > c->lanes ? c->rate : 0;
	open_period(c, to != c->lanes, bytes, idle, now);
	c->lanes = to;
	return to;
}

void climb_lost(struct climb *c, unsigned lanes, uint64_t now)
{
	c->lanes = c->limit = lanes ? lanes : 1;
	c->before = 0;
	c->since = now;
}
