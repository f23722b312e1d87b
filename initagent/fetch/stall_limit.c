// SPDX-License-Identifier: GPL-2.0-or-later

#include "fetch/stall_limit.h"

static void begin_rate(struct stall_limit *p, uint64_t now)
{
	p->rate_since = now;
	p->rate_bytes = p->bytes;
	p->rate_waited = p->waited;
}

static void open_window(struct stall_limit *p, uint64_t now)
{
	p->since = now;
	p->floor = p->bytes;
}

void stall_limit_begin(struct stall_limit *p, uint64_t window, uint64_t bytes, uint64_t now)
{
	p->window = window ? window : STALL_LIMIT_NS;
	p->busy = false;
	p->bytes = bytes;
	begin_rate(p, now);
	open_window(p, now);
}

/* Half old, half new: steady enough to be read, quick enough to be true. */
static void measure(struct stall_limit *p, uint64_t now)
{
	uint64_t span = now - p->rate_since, came = p->bytes - p->rate_bytes, rate;

	if (span < NSEC_PER_SEC / 2)
		return;
	rate = (uint64_t)((double)came * (double)NSEC_PER_SEC / (double)span);
	p->rate = p->rate ? (p->rate + rate) / 2 : rate;
	/* a receiver that is newer than the last one starts counting at 0 */
	p->busy = came && p->waited >= p->rate_waited && p->waited - p->rate_waited < span / 4;
	begin_rate(p, now);
}

/* Started again, or a bad chunk was taken back: counting starts there. */
static void went_back(struct stall_limit *p, uint64_t bytes, uint64_t now)
{
	p->bytes = bytes;
	begin_rate(p, now);
	open_window(p, now);
}

void stall_limit_bytes(struct stall_limit *p, uint64_t bytes, uint64_t waited, uint64_t now)
{
	p->waited = waited;
	if (bytes < p->bytes) {
		went_back(p, bytes, now);
		return;
	}
	p->bytes = bytes;
	measure(p, now);
	if (bytes - p->floor >= STALL_LIMIT_BYTES)
		open_window(p, now);
}

uint64_t stall_limit_deadline(const struct stall_limit *p)
{
	return p->since + p->window;
}
