/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tls: which certificates are trusted, and what time it is for them. A node without a
 * battery-backed clock wakes up in the past. The image's build time is then the earliest it can be:
 * certificates that ended before it are refused, and "not valid yet" says nothing. Used in the
 * process that fetches.
 */
#pragma once

#include <curl/curl.h>

#include "fetch/protocol.h"

struct tls;

/* tls_new: 0 or -errno. */
int tls_new(struct tls **ret, const struct fetch_setup *setup);
struct tls *tls_free(struct tls *t);

/* tls_apply: sets a handle up for the next exchange. */
CURLcode tls_apply(struct tls *t, CURL *easy);

/* tls_reason: why the last certificate was refused; "" if none was, or if the library does not
 * say. */
const char *tls_reason(const struct tls *t);
