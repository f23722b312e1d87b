/* SPDX-License-Identifier: GPL-2.0-or-later */
/* walk: which of a name's addresses is the next one's turn, over look-ups whose answers change in
 * order and content. Pure. */
#pragma once

#include "value.h"

/* Names times addresses; beyond that the oldest is forgotten and may have its turn early. */
#define WALK_MAX 32

struct walk {
	struct {
		uint64_t name; /* a hash */
		struct inet_addr addr;
		unsigned turn;
	} rows[WALK_MAX];
	size_t n;
	unsigned turn;
};

/*
 * walk_next: of the n addresses (at least one) the first that name was not given yet, else the one
 * whose turn was longest ago; it counts as given now. All zero is an empty walk.
 */
const struct inet_addr *walk_next(struct walk *w, const char *name, const struct inet_addr *addrs,
	size_t n);
