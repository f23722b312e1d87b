/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tls: which certificates are trusted, and what time it is for them. A node without a
 * battery-backed clock wakes up in the past. The image's build time is then the earliest it can be:
 * certificates that ended before it are refused, and "not valid yet" says nothing. Used in the
 * process that fetches.
 */
#pragma once

#include <curl/curl.h>

#include "base/util.h"

/* What is trusted; the handles it was applied to refer to it. */
struct tls {
	const void *ca; /* PEM, or NULL: nothing */
	size_t ca_len;
	bool any;	     /* each certificate is good */
	int64_t clock_floor; /* Unix time before which the clock cannot be right */
	uint32_t flags;	     /* why a certificate was refused, in the library's bits */
};

/* tls_apply: sets a handle up for the next exchange. */
CURLcode tls_apply(struct tls *t, CURL *easy);

/* tls_reason: why the last certificate was refused; "" if none was, or if the library does not
 * say. */
const char *tls_reason(const struct tls *t);
