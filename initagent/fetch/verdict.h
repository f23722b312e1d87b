/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict: how one exchange with a mirror ended, what it is called and what helps. Pure. */
#pragma once

#include "report/causes.h"
#include "base/util.h"

enum fetch_verdict {
	VERDICT_DONE,	   /* all bytes are there and are the right ones */
	VERDICT_REDIRECT,  /* look elsewhere */
	VERDICT_CONNECT,   /* no connection */
	VERDICT_CUT,	   /* closed before the end */
	VERDICT_STALLED,   /* hardly any data */
	VERDICT_BUSY,	   /* 408, 425, 429, 5xx */
	VERDICT_ABSENT,	   /* 403, 404: it may be put there yet */
	VERDICT_STATUS,	   /* any other answer that is no success */
	VERDICT_PROTOCOL,  /* not HTTP as it should be */
	VERDICT_LENGTHS,   /* lengths that contradict each other */
	VERDICT_NO_LENGTH, /* only the connection's end would tell the body's end */
	VERDICT_SIZE,	   /* not the size the file should have */
	VERDICT_RANGE,	   /* a range that was not asked for, or another one */
	VERDICT_NO_RANGES, /* the same, but the whole file may come: nothing stands against another
				beginning */
	VERDICT_ENCODED,   /* unexpected Content-Encoding */
	VERDICT_CHANGED,   /* another version of the file than before */
	VERDICT_CHUNK,	   /* a chunk's digest is wrong */
	VERDICT_DIGEST,	   /* the file's digest is wrong */
	VERDICT_TOO_LARGE, /* more than there is room for */
	VERDICT_CERT,	   /* the certificate is refused */
	VERDICT_TLS,	   /* no TLS connection */
	VERDICT_LOCATION,  /* a redirect that must not be followed */
	VERDICT_LOOKUP,	   /* the name has no address */
	VERDICT_WRITE,	   /* what came could not be written */
	VERDICT_DIED,	   /* the process that fetches ended */
	VERDICT_NO_TLS,	   /* this build has no TLS */
	VERDICT_INTERNAL,  /* memory, or a library that refuses its settings */
	VERDICT_MAX,
};

enum fetch_remedy {
	REMEDY_DONE,
	REMEDY_FOLLOW, /* ask at the new place */
	REMEDY_LATER,  /* another mirror, or this one later */
	REMEDY_DAMAGE, /* the same, but this mirror not very often */
	REMEDY_OTHER,  /* another mirror; never this one again */
	REMEDY_STOP,   /* nothing helps */
};

/* A row; words: what to say when the exchange itself left no words. */
struct verdict_row {
	const char *name;
	enum fetch_remedy remedy;
	enum cause cause;
	const char *words;
};

/* verdict_row: never NULL; a value out of range gives the row of VERDICT_INTERNAL. */
const struct verdict_row *verdict_row(uint32_t verdict);
