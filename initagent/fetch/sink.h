/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sink: where the bytes that came go: into a pipe, to the process that verifies and writes them (verifier.h). Counts them, and
 * knows nothing of digests. Used in the process that fetches.
 */
#pragma once

#include "base/cursor.h"
#include "fetch/order.h"

struct sink {
	int fd;
	uint64_t at;	      /* bytes given so far: the next one belongs there */
	uint64_t size, limit; /* of the file; room for so many; 0: not known */
	bool pinned;	      /* a digest is known, so that bytes of different origin cannot be mixed up unseen */
};

/* sink_make: into fd, which blocks. */
struct sink sink_make(int fd, const struct intake_want *want);

/* sink_take: the next bytes, all of them. VERDICT_DONE, VERDICT_SIZE, VERDICT_TOO_LARGE or VERDICT_WRITE. */
enum fetch_verdict sink_take(struct sink *s, struct cursor *c);

/* sink_restart: begins the file anew. VERDICT_DONE or VERDICT_WRITE. */
enum fetch_verdict sink_restart(struct sink *s);

/* sink_size: what the server says that the file has; 0: nothing. sink_tell: how far it is shall be told to the agent. */
void sink_size(struct sink *s, uint64_t size);
void sink_tell(struct sink *s);

/* sink_end: no more of that order; whole: that was all of the file. */
void sink_end(struct sink *s, uint32_t serial, bool whole);
