/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * head: the lines before a body (RFC 9110, 9112), as much of them as decides whether the body is
 * what was asked for. Nothing is believed twice: two lengths that differ, a length beside chunks, a
 * second range are faults, not a choice. Pure.
 */
#pragma once

#include "url.h"

#define HEAD_ETAG_MAX	  128
#define HEAD_LOCATION_MAX URL_TEXT_MAX
/* Larger numbers count as this one; two of them can be added. */
#define HEAD_NUMBER_MAX	  (UINT64_MAX / 4)

enum head_fault {
	HEAD_FINE,
	HEAD_MALFORMED, /* not HTTP, or a line that cannot be read */
	HEAD_LENGTHS,	/* lengths that contradict each other */
	HEAD_ENCODED,	/* an unexpected Content-Encoding or Transfer-Encoding */
	HEAD_FAULT_MAX,
};

struct head {
	const char *url;    /* what was asked for */
	bool ended;	    /* the empty line was there */
	uint8_t fault;	    /* enum head_fault; the first one stays */
	uint16_t status;    /* 0: no status line yet */
	bool has_length, chunked, has_range, has_retry, has_date, has_current;
	bool weak;	    /* the ETag promises less than the same bytes */
	uint64_t length;
	uint64_t first, last, total; /* Content-Range; total 0: unknown */
	uint64_t current;   /* of the file, in the answer to a range that is not in it */
	uint64_t retry;	    /* Retry-After, seconds from now */
	int64_t date;	    /* Unix time */
	int64_t retry_date; /* Retry-After as a date, until the end; 0: none */
	char etag[HEAD_ETAG_MAX];     /* without W/, with its quotes; "": none */
	char modified[40];	      /* Last-Modified, only if it is a date */
	char location[HEAD_LOCATION_MAX];
};

/* head_init: url is borrowed. */
void head_init(struct head *h, const char *url);

/*
 * head_line: takes one line, with or without its end. A status line after an interim answer (1xx)
 * begins a new head; lines after the end (trailers) change nothing. False once there is a fault.
 */
bool head_line(struct head *h, const void *line, size_t len);

/*
 * head_date: the preferred form of RFC 9110 5.6.7, "Sun, 06 Nov 1994 08:49:37 GMT", as Unix time.
 * False: not of that form, or no such day.
 */
bool head_date(const char *text, size_t len, int64_t *ret);
