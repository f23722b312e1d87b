/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * post: brings one state to one web server, in a process without rights. The process outlives the
 * agent if need be, so that the hand-over to the real root need not wait for a server: the kernel
 * ends it after POST_LIFE. Until then it tries again, at random moments, when the server cannot be
 * reached or is overloaded.
 */
#pragma once

#include "base/worker.h"
#include "value.h"

#define POST_LIFE_S 10

struct post_request {
	const char *url;
	const char *file; /* PUT to this name below a URL that ends with "/"; else POST */
	struct inet_addr address;
	uint16_t port;
	const char *body;
	size_t len;
	const char *ca;		/* PEM text, NULL: no https server is trusted */
	size_t ca_len;
	uint64_t delay;		/* begin at a random moment of this span, in ns */
	int kmsg;		/* /dev/kmsg, where the outcome is written; -1: none */
};

/* How it ended; text says why not. */
struct post_result {
	bool stored;
	char text[192];
};

/*
 * post_start: starts the process, which copies what o points to and ends by itself: leave it with
 * worker_detach(). Its only reply is a struct post_result. 0 or -errno, -EOPNOTSUPP without http.
 */
int post_start(struct worker **ret, const struct post_request *o);
