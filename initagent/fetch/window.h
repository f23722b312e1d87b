/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window: parts of a file that came before their turn, and which parts are being fetched. Digests
 * and streams want the bytes in order: what several connections bring lies here, in a file without
 * a name, until all before it was taken. The next WINDOW_PARTS parts from there on have a place
 * each; a part is filled from its beginning.
 */
#pragma once

#include "base/util.h"

#define WINDOW_PARTS	8
#define WINDOW_PART_MIN (UINT64_C(1) << 20)
#define WINDOW_PART_MAX (UINT64_C(4) << 20) /* the whole then takes 32 MiB of memory at most */

struct window_part {
	uint64_t number; /* bytes from number * part on */
	uint64_t end;	 /* those before this one are there; 0: none */
	unsigned owner;	 /* who fetches the rest, counted from 1; 0: none */
	bool sure;	 /* a server gives it */
};

struct window {
	int fd;		/* a memfd */
	uint64_t part;	/* bytes of a part */
	struct window_part parts[WINDOW_PARTS];
};

/* window_make: makes the file, which needs rights. 0 or -errno. */
int window_make(struct window *w);

/* window_reset: forgets and gives back all; parts have so many bytes from now on (kept between the
 * limits above). */
void window_reset(struct window *w, uint64_t part);

bool window_empty(const struct window *w);

/*
 * window_next: the first bytes that are neither there nor anybody's, of a file of so many bytes
 * whose first at bytes were taken: they are owner's now. False: there are none within reach.
 */
bool window_next(struct window *w, uint64_t at, uint64_t size, unsigned owner, uint64_t *ret_from,
	uint64_t *ret_to);

/* window_free_to: up to where nothing is there or anybody's, from byte from on; 0: to the end of
 * the file. */
uint64_t window_free_to(const struct window *w, uint64_t from);

/* window_claim: owner, who was here first, goes on into the part with that byte, and leaves the one
 * it had. */
void window_claim(struct window *w, uint64_t at, unsigned owner);

/* window_sure: a server gives owner what it asked for. window_release: owner fetches no more. */
void window_sure(struct window *w, unsigned owner);
void window_release(struct window *w, unsigned owner);

/* window_owner: who fetches the part with that byte, 0: none. window_others: does another one
 * surely fetch it? */
unsigned window_owner(const struct window *w, uint64_t at);
bool window_others(const struct window *w, uint64_t at, unsigned owner);

/* window_full: is the file's next byte too far ahead to be asked for? */
bool window_full(const struct window *w, uint64_t at, uint64_t size);

/*
 * window_put: bytes of the file from at on, in order within their part, those beyond it are left
 * out: how many were taken, 0: they have no place, or -errno.
 */
ssize_t window_put(struct window *w, uint64_t at, const void *data, size_t len);

/* window_get: the bytes that are there from at on, as many as fit: how many, 0: none, or -errno. */
ssize_t window_get(const struct window *w, uint64_t at, void *buf, size_t size);
