/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request: what libcurl is told about one request, and what its opinion about the end is worth. It carries bytes and
 * does TLS; it neither looks names up nor follows redirects, and has no time limits. Used in the process that fetches.
 */
#pragma once

#include <curl/curl.h>

#include "fetch/order.h"
#include "fetch/resume.h"
#include "fetch/tls.h"

/* What a handle only borrows: to be kept until the request is over. */
struct request_lists {
	struct curl_slist *to, *headers;
};

/* request_apply: sets a handle up, all but the functions that get head and body. request_done frees the lists. */
CURLcode request_apply(CURL *easy, struct tls *tls, const struct fetch_order *o, const struct resume_ask *ask,
	struct request_lists *lists);
void request_done(struct request_lists *lists);

enum fetch_verdict request_verdict(CURLcode code);
