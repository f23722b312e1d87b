// SPDX-License-Identifier: GPL-2.0-or-later
/* ring: see ring.h. */
#include "report/ring.h"

#define LINE_LIMIT 4096

/* Drops whole lines from the front until at least a third is free. */
static void ring_trim(struct ring *ring)
{
	static const char note[] = "... earlier lines dropped ...\n";
	size_t cut = RING_SIZE / 3;
	char *end = memchr(ring->text + cut, '\n', ring->len - cut);

	cut = end ? (size_t)(end - ring->text) + 1 : ring->len;
	ring->len -= cut;
	memmove(ring->text + sizeof(note) - 1, ring->text + cut, ring->len);
	memcpy(ring->text, note, sizeof(note) - 1);
	ring->len += sizeof(note) - 1;
}

void ring_add(struct ring *ring, const char *line)
{
	size_t len = strnlen(line, LINE_LIMIT);

	if (!ring->text)
		ring->text = malloc(RING_SIZE);
	if (!ring->text)
		return;
	if (ring->len + len + 1 > RING_SIZE)
		ring_trim(ring);
	memcpy(ring->text + ring->len, line, len);
	ring->len += len;
	ring->text[ring->len++] = '\n';
}

void ring_done(struct ring *ring)
{
	free(ring->text);
	*ring = (struct ring){0};
}
