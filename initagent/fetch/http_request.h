/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http_request: what libcurl is told about one request, and what its opinion about the end is
 * worth. Owns nothing: the lists are the caller's until http_request_done(). Used in processes
 * without rights: the one that fetches, and those of report/tell.
 * In: the request, what it goes on from, trusted certificates. Out: a curl handle that is set up;
 * the verdict of a result.
 * Callers: report/tell/. Tests: test_fetch.c, tests/fetch.bats, tests/report.bats.
 *
 * libcurl carries bytes and does TLS; it neither looks names up nor follows redirects, and has no
 * time limits.
 */
#pragma once

#include <curl/curl.h>

#include "fetch/protocol.h"
#include "fetch/resume.h"
#include "fetch/tls.h"

/* What a handle only borrows: to be kept until the request is over. */
struct http_request_lists {
	struct curl_slist *to, *headers;
};

/* http_request_apply: sets a handle up, all but the functions that get head and body.
 * http_request_done frees the lists. */
CURLcode http_request_apply(CURL *easy, struct tls *tls, const struct fetch_request *o,
	const struct resume_ask *ask, struct http_request_lists *lists);
void http_request_done(struct http_request_lists *lists);

enum fetch_verdict http_request_verdict(CURLcode code);
