/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pieces: what the process that fetches sends (protocol.h), read, judged and handed to an intake.
 * The sender may have been taken over by what it reads: each piece must fit to what is there, or
 * none of it is taken. Used in the process that verifies.
 */
#pragma once

#include "base/cursor.h"
#include "fetch/protocol.h"

enum verified_kind {
	VERIFIED_READY,	  /* what is there from an earlier time was read */
	VERIFIED_BYTES,	  /* how far it is */
	VERIFIED_SIZE,	  /* the server says how large the file is */
	VERIFIED_RESTART, /* the file starts again: what was read of it before counts no more */
	VERIFIED_REFUSED, /* verdict: why; nothing more of the request is taken */
	VERIFIED_END, /* of the request; whole: of the file, too, and verdict is that of its digests
		       */
	VERIFIED_KIND_MAX,
};

/* What became of the pieces. */
struct verified {
	uint32_t kind;	  /* enum verified_kind */
	uint32_t verdict; /* enum fetch_verdict; VERDICT_DONE: nothing is wrong */
	uint32_t serial;
	uint32_t whole;
	int32_t error; /* VERDICT_WRITE: errno */
	uint64_t at;   /* bytes of the file that are there */
	uint64_t known; /* so many of those came again in this request: no range was given */
	uint64_t final; /* those before are not written again, unless all of it is */
	uint64_t size; /* of the file; 0: unknown */
	uint64_t waited; /* ns since its start without anything to take: set by its process */
	uint8_t digest[SHA256_SIZE]; /* VERDICT_DIGEST: what it is */
};

struct pieces {
	struct intake intake; /* what pieces_next() reads may still be needed by its hasher */
	uint64_t have;
	struct piece piece; /* at hand */
	size_t got;	    /* bytes of it, without those that follow it */
	uint32_t left;	    /* of those that follow it */
	uint64_t size;	    /* that the server says; 0: nothing */
	uint64_t told, known;
	unsigned restarts;  /* of this request */
	enum fetch_verdict refused; /* nothing more of this request is taken */
	int error;
};

/* pieces_init: writes to setup->file, which is borrowed as its want and hasher (NULL: none) are. */
void pieces_init(struct pieces *p, const struct fetch_setup *setup, struct hasher *hasher);

/* pieces_done: the hasher needs nothing of it any more. */
void pieces_done(struct pieces *p);

/* pieces_adopt: reads what is there from an earlier time (setup->have). */
void pieces_adopt(struct pieces *p, struct verified *ret);

/*
 * pieces_next: reads on in c. 1: ret is to be told; 0: c is empty; -EPROTO: invalid, and what
 * follows would be misread. After VERIFIED_END with whole nothing more may be given.
 */
int pieces_next(struct pieces *p, struct cursor *c, struct verified *ret);
