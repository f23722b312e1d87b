/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exchange: one question and answer with a web server, done by libcurl. What comes is judged by
 * head and resume and given to the process that verifies: libcurl carries bytes and does TLS, it
 * decides nothing. It neither looks names up nor follows redirects. Used in the process that
 * fetches.
 */
#pragma once

#include "fetch/protocol.h"

struct exchange;

/*
 * exchange_make: sets libcurl up, which needs files: before the rights are given up. ctl: where
 * replies go and requests come from, out: the pipe for the file's bytes; both borrowed. It lasts as
 * long as the process, which ends when this is NULL.
 */
struct exchange *exchange_make(const struct fetch_setup *setup, int ctl, int out);

/* exchange_run: carries a REQUEST_GET out, until its end or REQUEST_STOP; replies go out as it goes
 * along. */
void exchange_run(struct exchange *x, const struct fetch_request *request);
