// SPDX-License-Identifier: GPL-2.0-or-later
/* pace: see pace.h. */
#include "fetch/pace.h"

static void open_window(struct pace *p, uint64_t now)
{
	p->since = now;
	p->floor = p->bytes;
}

void pace_begin(struct pace *p, uint64_t window, uint64_t bytes, uint64_t now)
{
	p->window = window ? window : PACE_WINDOW_NS;
	p->bytes = bytes;
	p->held = false;
	p->rate_since = now;
	p->rate_bytes = bytes;
	open_window(p, now);
}

/* Half old, half new: steady enough to be read, quick enough to be true. */
static void measure(struct pace *p, uint64_t now)
{
	uint64_t span = now - p->rate_since, came = p->bytes - p->rate_bytes, rate;

	if (span < NSEC_PER_SEC / 2)
		return;
	rate = (uint64_t)((double)came * (double)NSEC_PER_SEC / (double)span);
	p->rate = p->rate ? (p->rate + rate) / 2 : rate;
	p->rate_since = now;
	p->rate_bytes = p->bytes;
}

/* Started over, or a bad chunk was taken back: the count begins anew from there. */
static void went_back(struct pace *p, uint64_t bytes, uint64_t now)
{
	p->bytes = bytes;
	p->rate_since = now;
	p->rate_bytes = bytes;
	open_window(p, now);
}

void pace_bytes(struct pace *p, uint64_t bytes, uint64_t now)
{
	if (bytes < p->bytes) {
		went_back(p, bytes, now);
		return;
	}
	p->bytes = bytes;
	measure(p, now);
	if (bytes - p->floor >= PACE_LEAST)
		open_window(p, now);
}

void pace_hold(struct pace *p, bool held, uint64_t now)
{
	if (p->held && !held)
		open_window(p, now);
	p->held = held;
}

uint64_t pace_deadline(const struct pace *p)
{
	return p->held ? NSEC_NEVER : p->since + p->window;
}

bool pace_stalled(const struct pace *p, uint64_t now)
{
	return now >= pace_deadline(p);
}
