/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request: what a Warewulf server is asked for. Tests: test_request.c. */
#pragma once

#include "base/env.h"
#include "fetch/fetch.h"
#include "plan.h"

#define REQUEST_URL_MAX 1024

/*
 * request_url: of one layer ("image", "system", "runtime"), with what identifies this machine:
 * chassis asset tag and UUID, from DMI. base: the server, or, with ww->staged, the node there. 0 or
 * -E2BIG.
 */
int request_url(const struct env *env, const char *base, const struct plan_wwinit *ww,
	const char *layer, char ret[static REQUEST_URL_MAX]);

/*
 * request_tls: does the system overlay, unpacked at root, name a server of its own with TLS for the
 * runtime overlay? Then base ("https://10.0.0.1:9874"), and its certificate is at REQUEST_CA below
 * env's prefix. server: the URL of the others, whose host it has if the overlay names none.
 */
#define REQUEST_CA_NAME "warewulf.crt"
#define REQUEST_CA	STATE_DIR "/" REQUEST_CA_NAME
bool request_tls(const struct env *env, const char *root, const char *server, char *base,
	size_t size);
