/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring: the text log. When it is full the oldest third is dropped and a line says so. */
#pragma once

#include "base/util.h"

#define RING_SIZE 65536

struct ring {
	char *text; /* RING_SIZE bytes, allocated on first use */
	size_t len;
};

/* ring_add: appends one line (a newline is added). A line longer than 4 KiB is cut. */
void ring_add(struct ring *ring, const char *line);
void ring_done(struct ring *ring);
