/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sink: the file's bytes on their way to the process that verifies. Private to the process that
 * fetches. */
#pragma once

#include "base/cursor.h"
#include "fetch/protocol.h"

/* The pipe to the verifier, which blocks: counts the bytes, and knows nothing of digests. */
struct sink {
	int fd;
	uint64_t at;	      /* bytes given so far: the next one belongs there */
	uint64_t size, limit; /* of the file; room for so many; 0: not known */
	uint64_t known;	      /* bytes that came in this request and were given before */
	bool pinned; /* a digest is known, so that bytes of different origin cannot be mixed up
			unseen */
};

/*
 * sink_take: gives all of c to the verifier. VERDICT_DONE, VERDICT_SIZE, VERDICT_TOO_LARGE or
 * VERDICT_WRITE. sink_size: what the server says that the file has; 0: nothing. sink_restart: the
 * next byte is the file's first. sink_tell: how far it is is to be told. sink_end: of a request;
 * whole: and of the file.
 */
enum fetch_verdict sink_take(struct sink *s, struct cursor *c);
void sink_size(struct sink *s, uint64_t size);
enum fetch_verdict sink_restart(struct sink *s);
void sink_tell(struct sink *s);
void sink_end(struct sink *s, uint32_t serial, bool whole);
