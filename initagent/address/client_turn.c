// SPDX-License-Identifier: GPL-2.0-or-later
/* client_turn: see client_turn.h. */
#include "address/client_turn.h"

#include <limits.h>

#define TRIES_PREFERRED 3
#define TRIES_OTHER	2
#define LAPS_MAX	6  /* the waits double with every lap */
#define WAIT_MAX	64 /* seconds, RFC 2131 section 4.1 */
#define WAIT_AGAIN	2  /* a server that is up answers within one; ISC dhcpd pings for a second */

void client_turn_make(struct client_turn *t, const struct client_id *ids, size_t n)
{
	*t = (struct client_turn){.n = n < CLIENT_IDS_MAX ? n : CLIENT_IDS_MAX};
	for (size_t i = 0; i < t->n; i++)
		t->ids[i] = ids[i];
}

void client_turn_begin(struct client_turn *t)
{
	t->now = t->preferred;
	t->laps = 0;
	t->again = t->settled = false;
}

unsigned client_turn_tries(const struct client_turn *t)
{
	if (t->n == 1)
		return UINT_MAX;
	if (t->again)
		return 1;
	return t->now == t->preferred ? TRIES_PREFERRED : TRIES_OTHER;
}

unsigned client_turn_wait(const struct client_turn *t, unsigned seconds)
{
	if (t->again)
		return WAIT_AGAIN;
	seconds <<= t->laps;
	return seconds < WAIT_MAX ? seconds : WAIT_MAX;
}

void client_turn_next(struct client_turn *t)
{
	if (t->again) {
		t->again = false;
		t->now = t->offered;
		return;
	}
	t->now = (t->now + 1) % t->n;
	if (t->now == t->preferred && t->laps < LAPS_MAX)
		t->laps++;
}

bool client_turn_offer(struct client_turn *t)
{
	if (t->now == t->preferred || t->settled) {
		t->again = false;
		return true;
	}
	t->offered = t->now;
	t->now = t->preferred;
	t->again = t->settled = true;
	return false;
}

void client_turn_bound(struct client_turn *t)
{
	t->preferred = t->now;
	client_turn_begin(t);
}

bool client_turn_pick(struct client_turn *t, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->ids[i].len != len || memcmp(t->ids[i].bytes, bytes, len))
			continue;
		t->now = i;
		client_turn_bound(t);
		return true;
	}
	return false;
}
