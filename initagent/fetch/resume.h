/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * resume: what to ask for when a transfer goes on, and whether the answer's head fits to what was
 * asked. Bytes of two versions of a file must never be joined: either a validator of the same
 * mirror says that it is the same (If-Range, RFC 9110 13.1.5), or a digest known beforehand will
 * tell. Pure.
 */
#pragma once

#include "fetch/head.h"
#include "fetch/verdict.h"

/* What the answers so far have told. */
struct resume {
	uint64_t size;	  /* 0: unknown, or an empty file */
	uint32_t origin;  /* the mirror that told the rest, counted from 1; 0: none */
	bool weak;
	bool restart;	  /* the bytes so far are not to be built upon */
	char etag[HEAD_ETAG_MAX];
	char modified[40];
};

/* What is known beforehand, and how far we are. */
struct resume_now {
	uint64_t at;	   /* bytes there already */
	uint64_t size;	   /* 0: unknown */
	uint64_t limit;	   /* 0: none */
	bool pinned;	   /* a digest is known */
	uint32_t origin;
};

struct resume_ask {
	uint64_t from;	      /* 0: the whole file */
	uint64_t until;	      /* the byte behind the last one; 0: the file's end */
	const char *if_range; /* a validator, or NULL */
	bool restart;	      /* take back what is there first */
	bool strict;	      /* no answer will do but that part, of the same version */
};

struct resume_body {
	uint64_t length; /* of the body, if known */
	bool has_length;
	uint64_t size;	 /* of the whole file; 0: unknown */
	bool restart;	 /* take back what is there first */
	bool partial;	 /* the file goes on behind it, or may */
	bool complete;	 /* there is nothing behind what is there; the body is none of it */
};

void resume_ask(const struct resume *r, const struct resume_now *now, struct resume_ask *ret);

/* resume_can_part: may parts be asked for on several connections? The mirror must have given a
 * strong validator. */
bool resume_can_part(const struct resume *r, uint32_t origin);

/* resume_ask_part: one of several parts, from byte from to before until (0: to the end); needs
 * resume_can_part(). */
void resume_ask_part(const struct resume *r, uint64_t from, uint64_t until, struct resume_ask *ret);

/*
 * resume_judge: may the body be taken? VERDICT_DONE: yes, as ret says, and r has learned from it.
 * Otherwise text says why not.
 */
enum fetch_verdict resume_judge(struct resume *r, const struct resume_now *now,
	const struct resume_ask *ask, const struct head *h, struct resume_body *ret, char *text,
	size_t size);
